#include "src/solve/contact_events.hpp"

#include "kernels/runtime/key_bits.hpp"
#include "src/state/snapshot_bytes.hpp"

#include <algorithm>

namespace cairn::v0 {

template <class T> void ContactEvents<T>::begin(StepContext<T>& step) {
  Queue& queue = step.queue;
  const auto manifolds = static_cast<size_t>(step.manifolds.count);
  sums_.resize(queue, pointArraySize(step.rows, 1));
  sums_.fillZero(queue);
  step.normalSums = {sums_.data(), 1};
  before_.reserve(queue, manifolds);
  if (beforeCount_.size() > 0) return;
  nowCount_.resize(queue, 1);
  eventCount_.resize(queue, 1);
  beforeCount_.resize(queue, 1);
  beforeCount_.fillZero(queue);
}

// The manifolds that touch, by their bodies and shapes.
template <class T> void ContactEvents<T>::sort(StepContext<T>& step) {
  Queue& queue = step.queue;
  const Manifold<T>* manifolds = step.manifolds.manifolds;
  const int room = step.manifolds.count;
  const auto count = static_cast<size_t>(room);
  list_.resize(queue, count);
  keys_.resize(queue, count);
  now_.resize(queue, count);
  compactIndices(queue, step.scratch, touching_.data(), list_.data(), nowCount_.data(), room);
  TouchingKeys to{keys_.data(), list_.data(), nowCount_.data(), room, step.shapeSlots, bitsFor(step.shapeSlots)};
  shapeKeys(queue, manifolds, to);
  sortByKey(queue, step.scratch, keys_.data(), list_.data(), room, 2 * to.bits);
  to.slots = step.bodySlots;
  to.bits = bitsFor(step.bodySlots);
  bodyKeys(queue, manifolds, to);
  sortByKey(queue, step.scratch, keys_.data(), list_.data(), room, 2 * to.bits);
  listTouching(queue, manifolds, to, now_.data());
}

template <class T> void ContactEvents<T>::find(StepContext<T>& step, const BodyPose<T>* posesBefore, const BodyVelocity<T>* velocitiesBefore) {
  Queue& queue = step.queue;
  const auto count = static_cast<size_t>(step.manifolds.count);
  const RememberedPairs before = remembered();
  const auto beforeRoom = static_cast<size_t>(before.room);
  touching_.resize(queue, count);
  impulses_.resize(queue, count);
  impulses_.fillZero(queue);
  collectField(queue, step.rows, step.normalSums, 0, impulses_.data());
  findTouching(queue, step.manifolds, impulses_.data(), touching_.data());
  sort(step);
  ended_.resize(queue, beforeRoom + 1);
  findEnded(queue, before, now_.data(), nowCount_.data(), ended_.data());
  exclusiveScan(queue, step.scratch, ended_.data(), ended_.data(), before.room);
  events_.resize(queue, count + beforeRoom);
  EventSources<T> from{};
  from.manifolds = step.manifolds;
  from.impulses = impulses_.data();
  from.list = list_.data();
  from.now = now_.data();
  from.nowCount = nowCount_.data();
  from.room = step.manifolds.count;
  from.before = before;
  from.endedBefore = ended_.data();
  from.posesBefore = posesBefore;
  from.poses = step.poses;
  from.velocitiesBefore = velocitiesBefore;
  from.hitThreshold = T(step.settings.hitThreshold);
  writeEvents(queue, from, events_.data(), eventCount_.data());
}

template <class T> void ContactEvents<T>::remember(Queue& queue, const StepStatus* status) {
  // A planned step that is undone leaves as many pairs as there were.
  before_.resizeKeep(queue, status == nullptr ? now_.size() : std::max(now_.size(), before_.size()));
  rememberPairs(queue, now_.data(), nowCount_.data(), status, remembered());
}

template <class T> std::vector<ContactEventRecord<T>> ContactEvents<T>::read(Queue& queue) const {
  std::vector<ContactEventRecord<T>> events(static_cast<size_t>(eventCount_.read(queue, 0)));
  downloadBytes(queue, events.data(), events_.data(), events.size() * sizeof(ContactEventRecord<T>));
  return events;
}

template <class T> std::vector<RememberedPair> ContactEvents<T>::download(Queue& queue) const {
  std::vector<RememberedPair> pairs(beforeCount_.size() == 0 ? 0 : static_cast<size_t>(beforeCount_.read(queue, 0)));
  downloadBytes(queue, pairs.data(), before_.data(), pairs.size() * sizeof(RememberedPair));
  return pairs;
}

template <class T> std::vector<TouchingPair> ContactEvents<T>::touching(Queue& queue) const {
  std::vector<TouchingPair> pairs;
  for (const RememberedPair& remembered : download(queue)) {
    if (remembered.forgotten == 0) pairs.push_back(remembered.pair);
  }
  return pairs;
}

template <class T> void ContactEvents<T>::forgetBody(Queue& queue, int slot) {
  std::vector<RememberedPair> pairs = download(queue);
  for (RememberedPair& remembered : pairs) {
    if (remembered.pair.bodyA == slot || remembered.pair.bodyB == slot) remembered.forgotten = 1;
  }
  if (!pairs.empty()) uploadBytes(queue, before_.data(), pairs.data(), pairs.size() * sizeof(RememberedPair));
}

template <class T> void ContactEvents<T>::forget(Queue& queue, EnvironmentMask mask, int bodiesEach) {
  if (beforeCount_.size() > 0) forgetPairs(queue, remembered(), mask, bodiesEach);
}

template <class T> template <class Archive> void ContactEvents<T>::archive(Archive& a, Queue& queue, int bodySlots, int shapeSlots) {
  std::vector<RememberedPair> pairs;
  if constexpr (!Archive::kReads) pairs = download(queue);
  a.records(pairs);
  if constexpr (Archive::kReads) {
    const auto within = [](int value, int end) { return value >= 0 && value < end; };
    bool sound = true;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const TouchingPair& pair = pairs[i].pair;
      sound = sound && within(pair.bodyA, bodySlots) && within(pair.bodyB, bodySlots) && within(pair.shapeA, shapeSlots) &&
              within(pair.shapeB, shapeSlots) && (i == 0 || pairs[i - 1].pair < pair);
    }
    a.require(sound, "has contacts of what is not there");
    before_.upload(queue, pairs);
    beforeCount_.upload(queue, {static_cast<int>(pairs.size())});
    nowCount_.resize(queue, 1);
    eventCount_.resize(queue, 1);
  }
}

#define CAIRN_INSTANTIATE(T)                                                  \
  template class ContactEvents<T>;                                            \
  template void ContactEvents<T>::archive(SnapshotWriter&, Queue&, int, int); \
  template void ContactEvents<T>::archive(SnapshotReader&, Queue&, int, int);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
