#include "src/collide/continuous_collision.hpp"

namespace cairn::v0 {

template <class T> void ContinuousCollision<T>::note(Queue& queue, const BodyPose<T>* poses, int bodySlots, int substep, int substeps) {
  const size_t bodies = size_t(bodySlots);
  between_.resize(queue, size_t(substeps - 1) * bodies);
  copyBytes(queue, between_.data() + size_t(substep - 1) * bodies, poses, bodies * sizeof(BodyPose<T>));
  noted_ = substep;
}

template <class T> const int* ContinuousCollision<T>::update(Queue& queue, FinishedStep<T> step, StepCounts& counts) {
  PathsTaken<T>& paths = step.bodies.paths;
  paths.between = noted_ > 0 ? between_.data() : nullptr;
  paths.substeps = noted_ + 1;
  paths.bodySlots = step.bodySlots;
  noted_ = 0;
  fastCount_.resize(queue, 1);
  fastCount_.fillZero(queue);
  // A step whose numbers are read has room for all shapes before it knows how many of them are fast.
  const int shapeSlots = step.bounded.shapeSlots, room = counts.planned() ? counts.room(StepCount::FastMotions) : shapeSlots;
  fastShapes_.resize(queue, size_t(room));
  FastList fast{fastCount_.data(), fastShapes_.data(), room};
  findFastMotions(queue, step.shapes, shapeSlots, paths, fast);
  fast.capacity = counts.bound(queue, StepCount::FastMotions, fast.count);
  if (fast.capacity == 0) return nullptr;
  meetings_.resize(queue, size_t(step.bodySlots));
  meetings_.fillZero(queue);
  findMeetings(queue, step.shapes, step.bounded, paths, step.joined, fast, meetings_.data());
  putBackCount_.resize(queue, 1);
  putBackCount_.fillZero(queue);
  putBack(queue, step.bodySlots, meetings_.data(), step.bodies, putBackCount_.data());
  return putBackCount_.data();
}

template class ContinuousCollision<float>;
template class ContinuousCollision<double>;

}  // namespace cairn::v0
