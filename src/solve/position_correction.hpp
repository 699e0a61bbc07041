// Position post-stabilization: after the velocities have moved the bodies, penetrations are taken out of the poses alone (Cline and Pai 2003,
// section V; kernels/solve/stabilization_sweep.hpp). Each repeat is bounded in size, and undone if the largest penetration is worse for it.
#pragma once

#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/sweeps.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/solve/reference_substep.hpp"
#include "src/state/step_context.hpp"

namespace cairn::v0 {

template <class T> class PositionCorrection {
 public:
  // The view is the one of the step's sweeps: rows and overflow constraints; velocities and the rows' impulses stay as they are.
  void run(StepContext<T>& step, const SolveView<T>& view, ReferenceSubstep<T>& reference);

 private:
  Buffer<T> gaps_, violations_;
  Buffer<BodyVelocity<T>> displacements_;
  Buffer<BodyPose<T>> poses_;
  Buffer<BodyMotion<T>> motions_;
  Buffer<MaxAt<T>> worst_;  // before and after a repeat
};

}  // namespace cairn::v0
