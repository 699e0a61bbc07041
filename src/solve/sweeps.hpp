// Sweeps over a substep's rows: a fixed number, and with a tolerance as many more as it takes. A sweep is described in kernels/solve/sweeps.cu.
#pragma once

#include "kernels/solve/sweep_watch.hpp"
#include "kernels/solve/sweeps.hpp"
#include "src/solve/conjugate_gradients.hpp"
#include "src/solve/residual.hpp"
#include "src/state/step_context.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

template <class T> SolveView<T> solveView(const StepContext<T>& step) {
  SolveView<T> view{};
  view.rows = step.rows;
  view.rolling = step.rolling;
  view.joints = step.joints.rows;
  view.overflow = step.overflow;
  view.velocities = step.velocities;
  view.inertias = step.inertias;
  view.bodySlots = step.bodySlots;
  return view;
}

// What the first of several sweeps takes along. See kernels/solve/sweeps.hpp.
template <class T> struct FirstSweep {
  IntegrateVelocity<T> accelerate{};       // with `motions` or momentum alone
  IntegratePosition<T> move{};             // without
  const BodyMotion<T>* motions = nullptr;  // it computes the biases; null: they are there
  NormalBias<T> bias{};
  ImpulseMomentum<T> momentum{};
};

template <class T> class Sweeps {
 public:
  // Room for a step's rows and bodies.
  void begin(StepContext<T>& step, StepCounts& counts);
  // Velocities as they are now are those without the substep's contact impulses, which residuals are measured against.
  void keepFreeVelocities(StepContext<T>& step);
  // Nothing comes along with Solver::Nncg.
  void run(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps, const FirstSweep<T>& first = {});

  // Impacts, until nothing bounces any more, `most` sweeps at most. Not counted.
  void reflect(StepContext<T>& step, ImpactBlock<T> impact, const JointBlock<T>& joints, int most);

  // So many that were made elsewhere.
  void add(int sweeps) { count_ += sweeps; }

  // After the last sweep of a step.
  void end(StepContext<T>& step);

  int count() const { return count_; }  // of the step, but for those with a tolerance, which StepCount::Sweeps counts
  const BodyVelocity<T>* freeVelocities() const { return freeVelocities_.data(); }
  BodyVelocity<T>* freeVelocities() { return freeVelocities_.data(); }

 private:
  void watchOver(Queue& queue, SolveView<T>& view);
  void look(StepContext<T>& step, const SolveBlock<T>& block, const SweepPoll& poll);
  bool over(Queue& queue, int polls);

  Buffer<BodyVelocity<T>> freeVelocities_;
  ConjugateGradients<T> conjugate_;
  Residual<T> residual_;
  Buffer<SweepWatch> watch_;
  StepCounts* counts_ = nullptr;
  int count_ = 0;
};

}  // namespace cairn::v0
