#include "src/solve/sweeps.hpp"

#include <algorithm>

namespace cairn {
namespace {

constexpr int kPollInterval = 10;  // sweeps between two looks at the residual, each of which waits for the device

}  // namespace

template <class T> void Sweeps<T>::begin(StepContext<T>& step) {
  count_ = 0;
  freeVelocities_.resize(step.queue, static_cast<size_t>(step.bodySlots));
  if (step.settings.solver == Solver::Nncg) conjugate_.prepare(step.queue, step.rows);
}

template <class T> void Sweeps<T>::keepFreeVelocities(StepContext<T>& step) {
  copyBytes(step.queue, freeVelocities_.data(), step.velocities, static_cast<size_t>(step.bodySlots) * sizeof(BodyVelocity<T>));
}

template <class T>
void Sweeps<T>::run(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps, const IntegratePosition<T>& first) {
  const SolveView<T> view = solveView(step);
  const bool watched = step.settings.tolerance > 0 && step.rows.tileCount > 0;
  for (int done = 0, next = sweeps;; next = std::min(kPollInterval, step.settings.maxIterations - done)) {
    if (step.settings.solver == Solver::Nncg) {
      conjugate_.sweep(step.queue, step.scratch, view, next, block, joints);
    } else {
      sweepSolve(step.queue, view, next, block, joints, done == 0 ? first : IntegratePosition<T>{});
    }
    count_ += next;
    done += next;
    if (!watched || done >= step.settings.maxIterations || withinTolerance(step, block)) return;
  }
}

template <class T> bool Sweeps<T>::withinTolerance(StepContext<T>& step, const SolveBlock<T>& block) {
  SolvedRows<T> solved;
  solved.rows = step.rows;
  solved.manifolds = step.manifolds;
  solved.freeVelocities = freeVelocities_.data();
  solved.solvedVelocities = step.velocities;
  solved.inertias = step.inertias;
  solved.biased = block.biased;
  solved.restSpeed = block.restSpeed;
  // The count of points only scales the means, which are not looked at here.
  return residual_.measure(step.queue, step.scratch, solved, step.manifolds.count).max <= step.settings.tolerance;
}

template class Sweeps<float>;
template class Sweeps<double>;

}  // namespace cairn
