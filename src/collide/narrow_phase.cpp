#include "src/collide/narrow_phase.hpp"

#include "kernels/collide/narrow_phase.hpp"

namespace cairn {

template <class T> ManifoldView<T> NarrowPhase<T>::update(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs,
                                                          const ShapeRecord<T>* shapes, int shapeSlots, const BodyPose<T>* poses,
                                                          const T* shapeMargins, const JoinedPairs& joined) {
  const size_t pairCount = size_t(pairs.pairCount);
  pairManifolds_.resize(queue, pairCount);
  found_.resize(queue, pairCount + 1);
  offsets_.resize(queue, size_t(shapeSlots) + 1);
  collidePairs(queue, pairs, shapes, poses, shapeMargins, joined, pairManifolds_.data(), found_.data());
  exclusiveScan(queue, scratch, found_.data(), found_.data(), pairs.pairCount);
  const int count = found_.read(queue, pairCount);
  manifolds_.resize(queue, size_t(count));
  gatherManifolds(queue, pairs, pairManifolds_.data(), found_.data(), manifolds_.data());
  gatherManifoldOffsets(queue, pairs, shapeSlots, found_.data(), offsets_.data());
  return {manifolds_.data(), offsets_.data(), count};
}

template class NarrowPhase<float>;
template class NarrowPhase<double>;

}  // namespace cairn
