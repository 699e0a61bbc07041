#include "src/collide/continuous_collision.hpp"

#include <utility>

namespace cairn::v0 {
namespace {

// A body that was put back is in the way of others, and these, put back in turn, in that of more: seven links of that are followed
// after the first round. More made no difference to heaps of hooks.
constexpr int kRounds = 8;

}  // namespace

template <class T> void ContinuousCollision<T>::note(Queue& queue, const BodyPose<T>* poses, int bodySlots, int substep, int substeps) {
  const size_t bodies = size_t(bodySlots);
  between_.resize(queue, size_t(substeps) * bodies);
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
  findFastMotions(queue, step.shapes, step.bounded, paths, fast);
  fast.capacity = counts.bound(queue, StepCount::FastMotions, fast.count);
  if (fast.capacity == 0) return nullptr;
  const size_t bodies = size_t(step.bodySlots);
  for (Buffer<MeetingKey>* const keys : {&meetings_, &nextMeetings_, &allMeetings_}) keys->resize(queue, bodies);
  meetings_.fillZero(queue);
  putBackCounts_.resize(queue, kRounds);
  putBackCounts_.fillZero(queue);
  if (paths.between != nullptr) {
    copyBytes(queue, between_.data() + size_t(paths.substeps - 1) * bodies, step.bodies.poses, bodies * sizeof(BodyPose<T>));
  }
  goBack(queue, step, fast);
  return putBackCounts_.data();
}

template <class T> void ContinuousCollision<T>::goBack(Queue& queue, const FinishedStep<T>& step, const FastList& fast) {
  RoundsBefore<T> before;
  MeetingKey *found = meetings_.data(), *next = nextMeetings_.data();
  allMeetings_.fillZero(queue);
  for (int round = 0; round < kRounds; ++round) {
    int* const count = putBackCounts_.data() + round;
    findMeetings(queue, step.shapes, step.bounded, step.bodies.paths, step.joined, fast, before, found);
    putBack(queue, step.bodySlots, found, step.bodies, before, count);
    if (round == kRounds - 1 || (queue.target == Target::Cpu && *count == 0)) return;
    addRound(queue, step.bodySlots, found, allMeetings_.data(), next);
    before = {allMeetings_.data(), found, count};
    std::swap(found, next);
  }
}

template class ContinuousCollision<float>;
template class ContinuousCollision<double>;

}  // namespace cairn::v0
