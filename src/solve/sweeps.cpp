#include "src/solve/sweeps.hpp"

#include <algorithm>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr int kPollInterval = 10;  // sweeps between two looks at the residual

}  // namespace

template <class T> void Sweeps<T>::begin(StepContext<T>& step, StepCounts& counts) {
  count_ = 0;
  counts_ = &counts;
  freeVelocities_.resize(step.queue, static_cast<size_t>(step.bodySlots));
  if (step.settings.solver == Solver::Nncg) conjugate_.prepare(step.queue, step.rows);
  if (!counts.planned()) {
    counts.know(StepCount::Sweeps, 0);
    counts.know(StepCount::Polls, 0);
  }
  if (step.settings.tolerance == 0 && !step.anyRestitution) return;
  watch_.resize(step.queue, 1);
  watch_.fillZero(step.queue);
}

template <class T> void Sweeps<T>::keepFreeVelocities(StepContext<T>& step) {
  copyBytes(step.queue, freeVelocities_.data(), step.velocities, static_cast<size_t>(step.bodySlots) * sizeof(BodyVelocity<T>));
}

template <class T>
void Sweeps<T>::run(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps, const FirstSweep<T>& first) {
  SolveView<T> view = solveView(step);
  const auto sweep = [&](int count, const FirstSweep<T>& before) {
    if (step.settings.solver == Solver::Nncg) return conjugate_.sweep(step.queue, step.scratch, view, count, block, joints);
    if (before.motions == nullptr && before.momentum.last.values == nullptr)
      return sweepSolve(step.queue, view, allSweeps(count), block, joints, before.move);
    sweepFirst(step.queue, view, count, FirstSolve<T>{block, reinterpret_cast<const T*>(before.motions), before.bias, before.momentum}, joints,
               before.accelerate);
    if (count > 1) sweepSolve(step.queue, view, {1, count - 1, count}, block, joints);
  };
  if (step.settings.tolerance == 0 || step.rows.tileCount == 0) {
    count_ += sweeps;
    return sweep(sweeps, first);
  }
  watchOver(step.queue, view);
  const int most = step.settings.maxIterations;
  for (int done = 0, polls = 1, next = sweeps;; next = std::min(kPollInterval, most - done), ++polls) {
    sweep(next, done == 0 ? first : FirstSweep<T>{});
    done += next;
    const bool last = done >= most;
    look(step, block, {next, last, step.settings.tolerance});
    if (last || over(step.queue, polls)) return;
  }
}

// The view's sweeps find nothing to do once the watch has stopped them.
template <class T> void Sweeps<T>::watchOver(Queue& queue, SolveView<T>& view) {
  SweepWatch* const watch = watch_.data();
  beginWatch(queue, view.rows.counts, view.joints.counts, watch);
  view.rows.counts = &watch->contacts;
  if (view.joints.counts != nullptr) view.joints.counts = &watch->joints;
  view.overflow.stopped = &watch->stopped;
}

template <class T> void Sweeps<T>::reflect(StepContext<T>& step, ImpactBlock<T> impact, const JointBlock<T>& joints, int most) {
  SolveView<T> view = solveView(step);
  const auto sweep = [&](SweepRange sweeps) {
    if (step.normalSums.values == nullptr) return sweepImpacts(step.queue, view, sweeps, impact, joints);
    sweepImpacts(step.queue, view, sweeps, SummedImpactBlock<T>{impact, step.normalSums}, joints);
  };
  watchOver(step.queue, view);
  impact.bounced = &watch_.data()->bounced;
  // A sweep in which nothing bounces changes nothing, nor would those after it. Joints that are swept along would go on, so that with them it matters
  // when somebody asks. The host of a device does not see sweeps stop, so it launches few times: 1, 3, 12 of 16 sweeps.
  const bool seen = step.queue.target == Target::Cpu, often = seen && view.joints.tileCount == 0;
  for (int done = 0; done < most;) {
    const int next = often || done == 0 ? 1 : std::min(3 * done, most - done);
    sweep({done, next, most});
    stopUnlessBounced(step.queue, watch_.data());
    if (seen && watch_.read(step.queue, 0).stopped != 0) return;
    done += next;
  }
}

template <class T> void Sweeps<T>::look(StepContext<T>& step, const SolveBlock<T>& block, const SweepPoll& poll) {
  SolvedRows<T> solved;
  solved.rows = step.rows;
  solved.rolling = step.rolling;
  solved.manifolds = step.manifolds;
  solved.freeVelocities = freeVelocities_.data();
  solved.solvedVelocities = step.velocities;
  solved.inertias = step.inertias;
  solved.biased = block.biased;
  solved.restSpeed = block.restSpeed;
  const MaxAt<T>* maxima = poll.last ? nullptr : residual_.maxima(step.queue, step.scratch, solved);
  judgeSweeps(step.queue, maxima, poll, watch_.data());
}

// Whether no more sweeps are to be launched. A planned step launches all of them that it has room for.
template <class T> bool Sweeps<T>::over(Queue& queue, int polls) {
  if (counts_->planned()) return polls >= counts_->room(StepCount::Polls);
  return watch_.read(queue, 0).stopped != 0;
}

template <class T> void Sweeps<T>::end(StepContext<T>& step) {
  if (step.settings.tolerance == 0) return;
  const SweepWatch* const watch = watch_.data();
  if (counts_->planned()) {
    counts_->expect(StepCount::Polls, &watch->mostPolls, 0, counts_->room(StepCount::Polls));
    counts_->expect(StepCount::Sweeps, &watch->sweeps, 0, std::numeric_limits<int>::max());
    return;
  }
  const SweepWatch seen = watch_.read(step.queue, 0);
  counts_->know(StepCount::Polls, seen.mostPolls);
  counts_->know(StepCount::Sweeps, seen.sweeps);
}

template class Sweeps<float>;
template class Sweeps<double>;

}  // namespace cairn::v0
