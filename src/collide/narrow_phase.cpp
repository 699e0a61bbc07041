#include "src/collide/narrow_phase.hpp"

#include "kernels/collide/narrow_phase.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Pairs that the CPU takes at a time: their manifolds go from cache to cache, and the room for them does not grow with the scene.
constexpr int kPairsAtATime = 1 << 12;

// Some of the pairs, as many as have been found for certain.
PairView some(const PairView& pairs, int begin, int end) {
  PairView part = pairs;
  part.shapeA += begin;
  part.shapeB += begin;
  part.pairCount = end - begin;
  part.pairsFound = nullptr;
  return part;
}

}  // namespace

template <class T> ManifoldView<T> NarrowPhase<T>::update(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs,
                                                          const PlacedShapes<T>& shapes, const JoinedPairs& joined, StepCounts* stepCounts,
                                                          const SweptBodies<T>& swept) {
  StepCounts own;
  StepCounts& counts = countsOr(stepCounts, own);
  offsets_.resize(queue, size_t(shapes.slots) + 1);
  anyFast_ = swept.fastShapes != nullptr && counts.bound(queue, StepCount::FastShapes, swept.fastShapes) > 0;
  findCompany(queue, pairs, shapes, swept);
  if (queue.target == Target::Cpu && pairs.pairCount > kPairsAtATime) return updateInParts(queue, scratch, pairs, shapes, {joined, swept}, counts);
  const size_t pairCount = size_t(pairs.pairCount);
  pairManifolds_.resize(queue, pairCount);
  found_.resize(queue, pairCount + 1);
  collideAll(queue, pairs, shapes, joined, found_.data(), counts);
  if (anyFast_) sweepFast(queue, pairs, shapes, swept, joined, found_.data(), counts);
  exclusiveScan(queue, scratch, found_.data(), found_.data(), pairs.pairCount);
  const int* found = found_.data() + pairCount;
  const int count = counts.bound(queue, shapes.reducible ? StepCount::AllContacts : StepCount::Manifolds, found);
  manifolds_.resize(queue, size_t(count));
  const ManifoldRoom<T> room{manifolds_.data(), count, offsets_.data()};
  gatherAll(queue, pairs, shapes.slots, found_.data(), room);
  return reduce(queue, scratch, {manifolds_.data(), offsets_.data(), count, found, shapes.geometry.meshes.any()}, shapes, counts);
}

// The same in several parts. Each finds its manifolds behind those of the parts before it.
template <class T> ManifoldView<T> NarrowPhase<T>::updateInParts(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs,
                                                                 const PlacedShapes<T>& shapes, const Exceptions& exceptions, StepCounts& counts) {
  const SweptBodies<T>& swept = exceptions.swept;
  pairManifolds_.resize(queue, size_t(kPairsAtATime));
  found_.resize(queue, size_t(pairs.pairCount) + 1);
  int total = 0, fastPairs = 0, meshPairs = 0;
  firstOfPart_.clear();
  for (int begin = 0; begin < pairs.pairCount; begin += kPairsAtATime) {
    const PairView part = some(pairs, begin, std::min(begin + kPairsAtATime, pairs.pairCount));
    int* const found = found_.data() + begin;
    collideAll(queue, part, shapes, exceptions.joined, found, counts);
    meshPairs += counts.known(StepCount::MeshPairs);
    if (anyFast_) {
      sweepFast(queue, part, shapes, swept, exceptions.joined, found, counts);
      fastPairs += counts.known(StepCount::FastPairs);
    }
    exclusiveScan(queue, scratch, found, found, part.pairCount);
    firstOfPart_.push_back(total);
    const int more = found[part.pairCount];
    manifolds_.resizeKeep(queue, size_t(total + more));
    gatherAll(queue, part, kNoOffsets, found, ManifoldRoom<T>{manifolds_.data() + total, more, nullptr});
    total += more;
  }
  manifolds_.resize(queue, size_t(total));
  counts.know(StepCount::FastPairs, fastPairs);
  counts.know(StepCount::MeshPairs, meshPairs);
  counts.know(shapes.reducible ? StepCount::AllContacts : StepCount::Manifolds, total);
  offsetsOfParts(queue, pairs, shapes.slots, {found_.data(), firstOfPart_.data(), kPairsAtATime}, offsets_.data());
  const ManifoldView<T> all{manifolds_.data(), offsets_.data(), total, offsets_.data() + shapes.slots, shapes.geometry.meshes.any()};
  return reduce(queue, scratch, all, shapes, counts);
}

template <class T> ManifoldView<T> NarrowPhase<T>::reduce(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all,
                                                          const PlacedShapes<T>& shapes, StepCounts& counts) {
  if (shapes.reducible) return reduction_.update(queue, scratch, all, shapes, counts);
  reduction_.leave();
  return all;
}

template <class T> void NarrowPhase<T>::collideAll(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const JoinedPairs& joined,
                                                   int* found, StepCounts& counts) {
  collidePairs(queue, pairs, shapes.records, shapes.poses, shapes.margins, joined, pairManifolds_.data(), found);
  const ConvexPairs<T> others{shapes.records, shapes.poses, shapes.margins, shapes.geometry};
  collideConvexPairs(queue, pairs, others, joined, pairManifolds_.data(), found);
  listedMeshPairs_ = {};
  if (shapes.geometry.meshes.any()) collideMeshes(queue, pairs, others, joined, found, counts);
}

template <class T> void NarrowPhase<T>::collideMeshes(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                                      int* found, StepCounts& counts) {
  meshCount_.resize(queue, 1);
  meshCount_.fillZero(queue);
  // As for fast pairs: room for all of them, before it is known how many they are.
  meshPairs_.resize(queue, size_t(counts.planned() ? counts.room(StepCount::MeshPairs) : pairs.pairCount));
  FastList& list = listedMeshPairs_;
  list = {meshCount_.data(), meshPairs_.data(), int(meshPairs_.size())};
  findMeshPairs(queue, pairs, shapes.shapes, list);
  list.capacity = counts.bound(queue, StepCount::MeshPairs, list.count);
  moreManifolds_.resize(queue, size_t(list.capacity) * kMoreMeshManifolds);
  MeshTriangles triangles{};
  if (queue.target == Target::Cuda && list.capacity > 0) {
    triangles = triangles_.ready(queue, list.capacity);
    meetTriangles(queue, pairs, shapes, joined, list, triangles);
  }
  collideMeshPairs(queue, pairs, shapes, joined, list, triangles, MeshManifolds<T>{pairManifolds_.data(), moreManifolds_.data(), found});
}

template <class T>
void NarrowPhase<T>::gatherAll(Queue& queue, const PairView& pairs, int shapeSlots, const int* firstOf, const ManifoldRoom<T>& room) {
  gatherManifolds(queue, pairs, shapeSlots, pairManifolds_.data(), firstOf, room);
  if (listedMeshPairs_.capacity > 0) gatherMeshManifolds(queue, listedMeshPairs_, firstOf, moreManifolds_.data(), room);
}

template <class T> void NarrowPhase<T>::findCompany(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const SweptBodies<T>& swept) {
  anyLone_ = anyFast_ && swept.assemblies != nullptr;
  if (!anyLone_) return;
  accompanied_.resize(queue, size_t(shapes.bodySlots));
  accompanied_.fillZero(queue);
  assemblies_ = {swept.assemblies, swept.jointOffsets, accompanied_.data()};
  v0::findCompany(queue, pairs, shapes.records, swept, assemblies_);
}

template <class T> void NarrowPhase<T>::sweepFast(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const SweptBodies<T>& swept,
                                                  const JoinedPairs& joined, int* found, StepCounts& counts) {
  if (anyLone_) leaveOutDistant(queue, pairs, shapes.records, swept, assemblies_, pairManifolds_.data(), found);
  fastCount_.resize(queue, 1);
  fastCount_.fillZero(queue);
  // Read steps have room for all pairs before they know how many of them are fast.
  fastPairs_.resize(queue, size_t(counts.planned() ? counts.room(StepCount::FastPairs) : pairs.pairCount));
  FastList fast{fastCount_.data(), fastPairs_.data(), int(fastPairs_.size())};
  findFastPairs(queue, pairs, shapes.records, swept, fast);
  fast.capacity = counts.bound(queue, StepCount::FastPairs, fast.count);
  sweepFastPairs(queue, pairs, shapes.records, shapes.poses, swept, fast, {joined, pairManifolds_.data(), found});
}

template class NarrowPhase<float>;
template class NarrowPhase<double>;

}  // namespace cairn::v0
