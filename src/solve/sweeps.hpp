// Sweeps over a substep's rows: a fixed number, and with a tolerance as many more as it takes. A sweep is described in kernels/solve/sweeps.cu.
#pragma once

#include "kernels/solve/sweeps.hpp"
#include "src/solve/conjugate_gradients.hpp"
#include "src/solve/residual.hpp"
#include "src/state/step_context.hpp"

namespace cairn {

template <class T> SolveView<T> solveView(const StepContext<T>& step) {
  SolveView<T> view{};
  view.rows = step.rows;
  view.joints = step.joints.rows;
  view.overflow = step.overflow;
  view.velocities = step.velocities;
  view.inertias = step.inertias;
  view.bodySlots = step.bodySlots;
  return view;
}

template <class T> class Sweeps {
 public:
  // Room for a step's rows and bodies.
  void begin(StepContext<T>& step);
  // Velocities as they are now are those without the substep's contact impulses, which residuals are measured against.
  void keepFreeVelocities(StepContext<T>& step);
  // `first` before them: see kernels/solve/sweeps.hpp. Not with Solver::Nncg.
  void run(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps, const IntegratePosition<T>& first = {});

  int count() const { return count_; }  // of the step so far
  const BodyVelocity<T>* freeVelocities() const { return freeVelocities_.data(); }
  BodyVelocity<T>* freeVelocities() { return freeVelocities_.data(); }

 private:
  bool withinTolerance(StepContext<T>& step, const SolveBlock<T>& block);

  Buffer<BodyVelocity<T>> freeVelocities_;
  ConjugateGradients<T> conjugate_;
  Residual<T> residual_;
  int count_ = 0;
};

}  // namespace cairn
