// Contacts of the candidate pairs with a triangle mesh. The sequence is in src/collide/narrow_phase.cpp, the algorithm in mesh_pairs.cu.
#pragma once

#include "kernels/collide/mesh_triangles.hpp"

namespace cairn::v0 {

// Manifolds of a pair beside its first one.
constexpr int kMoreMeshManifolds = 7;

// Pairs with a mesh to the list, whose count must be zero before.
template <class T> void findMeshPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const FastList& meshPairs);

// found[i] becomes the number of manifolds of each pair of the list. The first goes where other pairs have theirs, what comes after it behind one
// another in `more`, kMoreMeshManifolds places for each item of the list.
template <class T> struct MeshManifolds {
  Manifold<T>* pairManifolds;
  Manifold<T>* more;
  int* found;
};
// `triangles`: what meetTriangles has found, if it was asked.
template <class T> void collideMeshPairs(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                         const FastList& meshPairs, const MeshTriangles& triangles, const MeshManifolds<T>& out);

// After gatherManifolds, which has put the first of each pair in its place: the others, behind it.
template <class T>
void gatherMeshManifolds(Queue& queue, const FastList& meshPairs, const int* firstOf, const Manifold<T>* more, const ManifoldRoom<T>& out);

}  // namespace cairn::v0
