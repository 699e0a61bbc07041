#include "src/collide/narrow_phase.hpp"

#include "kernels/collide/narrow_phase.hpp"

namespace cairn {

template <class T> ManifoldView<T> NarrowPhase<T>::update(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs,
                                                          const PlacedShapes<T>& shapes, const JoinedPairs& joined, StepCounts* stepCounts,
                                                          const SweptBodies<T>& swept) {
  StepCounts own;
  StepCounts& counts = countsOr(stepCounts, own);
  const size_t pairCount = size_t(pairs.pairCount);
  pairManifolds_.resize(queue, pairCount);
  found_.resize(queue, pairCount + 1);
  offsets_.resize(queue, size_t(shapes.slots) + 1);
  collidePairs(queue, pairs, shapes.records, shapes.poses, shapes.margins, joined, pairManifolds_.data(), found_.data());
  anyFast_ = swept.fastShapes != nullptr && counts.bound(queue, StepCount::FastShapes, swept.fastShapes) > 0;
  if (anyFast_) sweepFast(queue, pairs, shapes, swept, joined, counts);
  exclusiveScan(queue, scratch, found_.data(), found_.data(), pairs.pairCount);
  const int* found = found_.data() + pairCount;
  const int count = counts.bound(queue, StepCount::Manifolds, found);
  manifolds_.resize(queue, size_t(count));
  const ManifoldRoom<T> room{manifolds_.data(), count, offsets_.data()};
  gatherManifolds(queue, pairs, shapes.slots, pairManifolds_.data(), found_.data(), room);
  return {manifolds_.data(), offsets_.data(), count, found};
}

template <class T> void NarrowPhase<T>::sweepFast(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const SweptBodies<T>& swept,
                                                  const JoinedPairs& joined, StepCounts& counts) {
  fastCount_.resize(queue, 1);
  fastCount_.fillZero(queue);
  // Read steps have room for all pairs before they know how many of them are fast.
  fastPairs_.resize(queue, size_t(counts.planned() ? counts.room(StepCount::FastPairs) : pairs.pairCount));
  FastList fast{fastCount_.data(), fastPairs_.data(), int(fastPairs_.size())};
  findFastPairs(queue, pairs, shapes.records, shapes.margins, swept, fast);
  fast.capacity = counts.bound(queue, StepCount::FastPairs, fast.count);
  sweepFastPairs(queue, pairs, shapes.records, shapes.poses, swept, fast, {shapes.margins, joined, pairManifolds_.data(), found_.data()});
}

template class NarrowPhase<float>;
template class NarrowPhase<double>;

}  // namespace cairn
