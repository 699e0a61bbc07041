// Narrow phase on the target. The sequence is in src/collide/narrow_phase.cpp, the algorithms in narrow_phase.cu and collide_*.hpp.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

// found[i]: manifolds of pair i, 0 or 1, and up to eight of a pair with a mesh (mesh_pairs.hpp); pairManifolds[i] is only written where there is one,
// and is the first. Joined pairs have none.
template <class T> void collidePairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                     const T* shapeMargins, const JoinedPairs& joined, Manifold<T>* pairManifolds, int* found);

// The same for the pairs with a hull, a cylinder or a cone, after collidePairs, which finds them none.
template <class T> struct ConvexPairs {
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const T* shapeMargins;
  GeometryView geometry;
};
template <class T> void collideConvexPairs(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                           Manifold<T>* pairManifolds, int* found);

template <class T> struct ManifoldRoom {
  Manifold<T>* manifolds;  // [room]; those for which there is no room are left out
  int room;
  int* offsets;  // [shapeSlots + 1] the first manifold of each shape
};
// firstOf[i]: manifolds of the pairs before i, pairCount + 1 of them. kNoOffsets instead of shape slots: the manifolds alone.
constexpr int kNoOffsets = -1;
template <class T> void gatherManifolds(Queue& queue, const PairView& pairs, int shapeSlots, const Manifold<T>* pairManifolds, const int* firstOf,
                                        const ManifoldRoom<T>& out);

// Where the pairs were taken in parts of the same size, the last of which may be smaller: the first manifold of each part, and of each pair the
// manifolds before it within its part; those before the end of the pairs are the last part's.
struct PairParts {
  const int* firstOf;  // [pairCount + 1]
  const int* firstOfPart;
  int pairsOfPart;
};
void offsetsOfParts(Queue& queue, const PairView& pairs, int shapeSlots, const PairParts& parts, int* offsets);

}  // namespace cairn::v0
