// Narrow phase, pairs with a triangle mesh: they have up to eight manifolds each, where all others have one. Launched only where there are meshes.
//
// In: candidate pairs, shapes, poses, margins. Out: manifolds in the order of the pairs, those of a pair behind one another, the deepest first.
//
// The pairs are listed first, in the order of arrival; an item of the list is a pair, worked out in double by collide_mesh.hpp relative to A's centre
// of mass; on a device the triangles of a convex shape have been met before (mesh_triangles.cu), and are reduced here. Its first manifold goes where
// that of any other pair goes, so that what looks at one manifold a pair finds it there; the rest to places of the item's own, from where they are
// copied once the scan over all pairs has said where.
//
// Deterministic: an item's place in the list decides where its manifolds wait, and nothing else.
//
// Memory: 1.2 KB a pair with a mesh in float, and 4 bytes each.
#include "kernels/collide/mesh_pairs.hpp"

#include "kernels/collide/collide_pair.hpp"
#include "kernels/collide/collide_solids.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

static_assert(kMoreMeshManifolds == kMaxMeshManifolds - 1, "a place for each manifold of a pair");

template <class T> struct FindMeshPair {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  FastList meshPairs;

  CAIRN_HD void operator()(int i) const {
    if (!isMesh(shapes[pairs.shapeA[i]].type) && !isMesh(shapes[pairs.shapeB[i]].type)) return;
    const int at = atomicAddInt(meshPairs.count, 1);
    if (at < meshPairs.capacity) meshPairs.items[at] = i;
  }
};

template <class T> struct CollideMeshPair {
  CollidePair<T> all;
  GeometryView geometry;
  FastList meshPairs;
  MeshTriangles triangles;
  Manifold<T>* more;

  // Where two solids touch, all threads of a warp look; what they have found one of them writes.
  using ByWarp = std::true_type;
  CAIRN_HD bool wantsWarps() const { return geometry.meshes.solids.any(); }
  CAIRN_HD void inWarp(int k) const {
    CollideMeshPair own = *this;
    own.geometry.meshes.byWarp = true;
    own.collide(k, Warp::lane() == 0);
  }
  CAIRN_HD void operator()(int k) const { collide(k, true); }

 private:
  CAIRN_HD void collide(int k, bool writes) const {
    const int i = meshPairs.items[k];
    if (!all.mayTouch(i)) return;
    const int a = all.pairs.shapeA[i], b = all.pairs.shapeB[i];
    const PairOfShapes<T> pair{a, b, all.shapes[a], all.shapes[b]};
    const BodyPose<T>& poseA = all.poses[pair.recordA.body];
    const BodyPose<T>& poseB = all.poses[pair.recordB.body];
    const PlacedShape<double> placedA = inDouble(placed(pair.recordA, poseA, poseA.x)), placedB = inDouble(placed(pair.recordB, poseB, poseA.x));
    const double margin = double(all.shapeMargins[a] + all.shapeMargins[b]);
    MeshContacts contacts;
    if (triangles.holds(k)) {
      reduceTriangles(k, placedA, placedB, margin, contacts);
    } else {
      collideMeshes(placedA, placedB, geometry, margin, contacts);
    }
    if (!writes) return;
    all.found[i] = contacts.count;
    for (int m = 0; m < contacts.count; ++m) {
      LocalManifold<T> local;
      fromDouble(contacts.manifolds[m], local);
      pair.write(local, poseB.x - poseA.x, m == 0 ? all.pairManifolds[i] : more[k * kMoreMeshManifolds + m - 1]);
    }
  }

  // As collideMeshes() of a convex shape and a mesh. A function of its own, so that a thread has room for one reduction alone.
  [[gnu::noinline]] CAIRN_HD void reduceTriangles(int k, const PlacedShape<double>& a, const PlacedShape<double>& b, double margin,
                                                  MeshContacts& out) const {
    const bool swapped = isMesh(a.type);
    const PlacedShape<double>& mesh = swapped ? a : b;
    const MeshShape shape = geometry.meshes.of(mesh.type);
    mesh::Reduction reduction = mesh::reductionOn(shape, triangles.pairs[k].convex(), geometry.hulls);
    triangles.take(k, reduction);
    mesh::writeContacts(reduction, mesh.pose, margin, out);
    if (!swapped) return;
    for (int m = 0; m < out.count; ++m) out.manifolds[m].normal = -out.manifolds[m].normal;
  }
};

template <class T> struct GatherMeshManifold {
  FastList meshPairs;
  const int* firstOf;
  const Manifold<T>* more;
  ManifoldRoom<T> out;

  CAIRN_HD void operator()(int k) const {
    const int i = meshPairs.items[k], first = firstOf[i], count = firstOf[i + 1] - first;
    for (int m = 1; m < count && first + m < out.room; ++m) out.manifolds[first + m] = more[k * kMoreMeshManifolds + m - 1];
  }
};

}  // namespace

template <class T> void findMeshPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const FastList& meshPairs) {
  forEach(queue, "narrow_phase/mesh_pairs", pairs.pairsFound, pairs.pairCount, FindMeshPair<T>{pairs, shapes, meshPairs});
}

template <class T> void collideMeshPairs(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                         const FastList& meshPairs, const MeshTriangles& triangles, const MeshManifolds<T>& out) {
  const CollidePair<T> all{pairs, shapes.shapes, shapes.poses, shapes.shapeMargins, joined, out.pairManifolds, out.found};
  const CollideMeshPair<T> item{all, shapes.geometry, meshPairs, triangles, out.more};
  forEachHeavy(queue, "narrow_phase/meshes", meshPairs.count, meshPairs.capacity, item, kHeavyGrain / 8);
}

template <class T>
void gatherMeshManifolds(Queue& queue, const FastList& meshPairs, const int* firstOf, const Manifold<T>* more, const ManifoldRoom<T>& out) {
  forEach(queue, "narrow_phase/gather_meshes", meshPairs.count, meshPairs.capacity, GatherMeshManifold<T>{meshPairs, firstOf, more, out});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                \
  template void findMeshPairs(Queue&, const PairView&, const ShapeRecord<T>*, const FastList&);                                             \
  template void collideMeshPairs(Queue&, const PairView&, const ConvexPairs<T>&, const JoinedPairs&, const FastList&, const MeshTriangles&, \
                                 const MeshManifolds<T>&);                                                                                  \
  template void gatherMeshManifolds(Queue&, const FastList&, const int*, const Manifold<T>*, const ManifoldRoom<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
