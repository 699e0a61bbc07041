#include "src/solve/shock_propagation.hpp"

#include "src/joints/joint_stabilization.hpp"
#include "src/solve/stabilization.hpp"

#include <algorithm>

namespace cairn::v0 {

template <class T> void ShockPropagation<T>::begin(StepContext<T>& step, StepCounts& counts) {
  const auto bodies = static_cast<size_t>(step.bodySlots);
  scalars_.resize(step.queue, bodies);
  saved_.resize(step.queue, bodies);
  levels_.update(step.queue, step.constraints, step.manifolds.found, step.manifolds.count, step.bodySlots);
  levelsToScalars(step.queue, levels_.levels(), scalars_.data(), step.bodySlots);
  levelCount_ = counts.bound(step.queue, StepCount::ShockLevels, levels_.count());
}

template <class T> void ShockPropagation<T>::run(StepContext<T>& step, const SolveView<T>& view) {
  const JointBlock<T> block = jointBlock<T>(step.settings, step.h, true, false);
  const T restSpeed = normalBias<T>(step.settings, step.h).restSpeed;
  for (int level = 0; level < levelCount_; ++level) {
    sweepShock(step.queue, view, ShockBlock<T>{scalars_.data(), T(level), restSpeed}, JointShock<T>{scalars_.data(), T(level), block});
  }
  if (step.joints.count == 0) return;
  copyBytes(step.queue, saved_.data(), step.velocities, saved_.size() * sizeof(BodyVelocity<T>));
  sweepJoints(step.queue, view, std::max(step.settings.jointSweeps, 1), block);
  solveJoints(step, step.velocities, block);
}

template <class T> void ShockPropagation<T>::restore(StepContext<T>& step) {
  if (step.joints.count == 0) return;
  copyBytes(step.queue, step.velocities, saved_.data(), saved_.size() * sizeof(BodyVelocity<T>));
}

template class ShockPropagation<float>;
template class ShockPropagation<double>;

}  // namespace cairn::v0
