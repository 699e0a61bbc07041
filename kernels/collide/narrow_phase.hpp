// Narrow phase on the target. The sequence is in src/collide/narrow_phase.cpp, the algorithms in narrow_phase.cu and collide_*.hpp.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

// found[i]: manifolds of pair i, 0 or 1; pairManifolds[i] is only written where it is 1. Joined pairs have none.
template <class T> void collidePairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                     const T* shapeMargins, const JoinedPairs& joined, Manifold<T>* pairManifolds, int* found);

// firstOf[i]: manifolds of the pairs before i, pairCount + 1 of them. Manifolds for which there is no room are left out.
template <class T>
void gatherManifolds(Queue& queue, const PairView& pairs, const Manifold<T>* pairManifolds, const int* firstOf, Manifold<T>* manifolds, int room);
void gatherManifoldOffsets(Queue& queue, const PairView& pairs, int shapeSlots, const int* firstOf, int* offsets);

}  // namespace cairn
