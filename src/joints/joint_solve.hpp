// What a substep does with joints beside the sweeps: their rows, their direct solve, sums of impulses.
#pragma once

#include "kernels/solve/solve.hpp"
#include "src/joints/joints.hpp"
#include "src/state/step_context.hpp"

namespace cairn {

template <class T> class JointSolve {
 public:
  // Rows at the bodies' poses. `partCounts`: of the tail; null without.
  void begin(StepContext<T>& step, const T* partCounts);
  // Black boxes say where they allow the bodies to be after h.
  void predict(StepContext<T>& step, double h);
  // All joints' equations, exactly, for velocities (or displacements) in place. Nothing to do where all are left to the sweeps.
  void solveSystem(StepContext<T>& step, BodyVelocity<T>* velocities, const JointBlock<T>& block);
  // The same without components that touch something, whose contacts it would undo.
  void solveUntouched(StepContext<T>& step, const JointBlock<T>& block);
  // The same for the end of the substep, again and again until all joints are on target there; those that turn too far for it by themselves.
  void aimJoints(StepContext<T>& step, const SolveView<T>& view, const JointBlock<T>& block);
  // Whether sweeps change what that solve has left: contacts, rows of free axes, joints that it leaves out.
  bool sweepsMatter(const StepContext<T>& step) const;
  // Before the bodies move: impulses back to the joints. After they have moved: rows at the new poses.
  void collect(StepContext<T>& step, double h, bool sum);
  void moved(StepContext<T>& step, double h, bool last);

  // Rows for displacements, and each joint's error at the poses as they are [m].
  void measure(StepContext<T>& step, T* violations, T most);

 private:
  void prepare(StepContext<T>& step, double h);
  bool flag(StepContext<T>& step, const SolveView<T>& view, const JointBlock<T>& block);
  SystemBodies<T> systemBodies(StepContext<T>& step, BodyVelocity<T>* velocities) const;
  JointInputs<T> inputs(StepContext<T>& step) const;

  const T* partCounts_ = nullptr;
};

}  // namespace cairn
