// Contacts of the candidate pairs. The algorithms are described in kernels/collide/narrow_phase.cu and kernels/collide/collide_*.hpp.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

template <class T> class NarrowPhase {
 public:
  // Manifolds of all pairs whose gap is at most the sum of their shapes' margins (by shape slot) [m]. Waits once, for their number. The view is
  // valid until the next update.
  ManifoldView<T> update(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs, const ShapeRecord<T>* shapes, int shapeSlots,
                         const BodyPose<T>* poses, const T* shapeMargins, const JoinedPairs& joined = {nullptr, 0});

 private:
  Buffer<Manifold<T>> pairManifolds_, manifolds_;
  Buffer<int> found_;  // then the number of manifolds before each pair
  Buffer<int> offsets_;
};

}  // namespace cairn
