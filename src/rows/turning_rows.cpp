#include "src/rows/turning_rows.hpp"

namespace cairn::v0 {

template <class T> void TurningRows<T>::begin(StepContext<T>& step, const SweptBodies<T>& bodies, bool anyFast) {
  any_ = anyFast && step.rows.tileCount > 0;
  if (!any_) return;
  turning_.resize(step.queue, size_t(step.bodySlots));
  turning_.fillZero(step.queue);
  kept_.resize(step.queue, size_t(step.bodySlots));
  if (step.environments.any()) {
    mostPoints_.resize(step.queue, size_t(step.manifolds.count));
    notePointCounts(step.queue, step.manifolds, mostPoints_.data());
  }
  findTurning(step.queue, step.manifolds, step.shapes, bodies, turning_.data());
}

template <class T> void TurningRows<T>::update(StepContext<T>& step, bool first, Manifold<T>* manifolds) {
  if (!any_) return;
  const TurningBodies<T> turning = bodies(step);
  turnVelocities(step.queue, step.bodySlots, turning, first, kept_.data(), step.velocities);
  if (!first) refreshTurningInertias(step.queue, step.bodySlots, turning.turning, step.poses, step.constants, step.inertias);
  if (!first || step.anyEllipsoid) collideTurning(step.queue, step.rows, step.shapes, turning, first, manifolds, step.lastImpulses);
  // In the first one too: the last step's impulses belong to other arms.
  prepareTurningRows(step.queue, step.rows, manifolds, {step.velocities, step.inertias, step.overflow.partCounts}, {turning.turning, step.motions});
}

template <class T> void TurningRows<T>::follow(StepContext<T>& step, const Manifold<T>* manifolds) {
  if (!any_ || step.joints.count == 0) return;
  refreshTurningMasses(step.queue, step.rows, manifolds, {step.velocities, step.inertias, step.overflow.partCounts}, {turning_.data(), step.motions});
}

template <class T> void TurningRows<T>::end(StepContext<T>& step) {
  if (any_) turnVelocities(step.queue, step.bodySlots, bodies(step), false, kept_.data(), step.velocities);
}

template <class T> TurningBodies<T> TurningRows<T>::bodies(const StepContext<T>& step) const {
  TurningBodies<T> bodies{};
  bodies.turning = turning_.data();
  bodies.poses = step.poses;
  bodies.velocities = step.velocities;
  bodies.constants = step.constants;
  bodies.envelope = T(step.settings.envelope);
  bodies.h = T(step.h);
  bodies.gravity = step.gravity;
  bodies.mostPoints = step.environments.any() ? mostPoints_.data() : nullptr;
  bodies.geometry = step.geometry;
  return bodies;
}

template class TurningRows<float>;
template class TurningRows<double>;

}  // namespace cairn::v0
