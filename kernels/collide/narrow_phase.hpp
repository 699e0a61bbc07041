// Narrow phase on the target. The sequence is in src/collide/narrow_phase.cpp, the algorithms in narrow_phase.cu and collide_*.hpp.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

// found[i]: manifolds of pair i, 0 or 1; pairManifolds[i] is only written where it is 1. Joined pairs have none.
template <class T> void collidePairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                     const T* shapeMargins, const JoinedPairs& joined, Manifold<T>* pairManifolds, int* found);

template <class T> struct ManifoldRoom {
  Manifold<T>* manifolds;  // [room]; those for which there is no room are left out
  int room;
  int* offsets;  // [shapeSlots + 1] the first manifold of each shape
};
// firstOf[i]: manifolds of the pairs before i, pairCount + 1 of them.
template <class T> void gatherManifolds(Queue& queue, const PairView& pairs, int shapeSlots, const Manifold<T>* pairManifolds, const int* firstOf,
                                        const ManifoldRoom<T>& out);

}  // namespace cairn
