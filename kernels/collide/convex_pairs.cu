// Narrow phase, pairs with a hull, and pairs with a cylinder or a cone: kernels of their own, each launched only where there are such shapes, so that
// the one for all other pairs (narrow_phase.cu) needs no more registers for them.
//
// In and out: as for narrow_phase.cu. One item a pair, worked out in double by collide_hull.hpp or collide_revolved.hpp. Deterministic: a pair writes
// to a place of its own.
#include "kernels/collide/narrow_phase.hpp"

#include "kernels/collide/collide_pair.hpp"
#include "kernels/collide/collide_revolved.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

struct WithHull {
  CAIRN_HD static bool takes(int typeA, int typeB) {
    return (isHull(typeA) || isHull(typeB)) && !isRevolved(typeA) && !isRevolved(typeB) && !isMesh(typeA) && !isMesh(typeB);
  }
  template <class T>
  CAIRN_HD static void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
    collideHullsOf(a, b, hulls, margin, out);
  }
};

struct WithRevolved {
  CAIRN_HD static bool takes(int typeA, int typeB) { return (isRevolved(typeA) || isRevolved(typeB)) && !isMesh(typeA) && !isMesh(typeB); }
  template <class T>
  CAIRN_HD static void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
    collideRevolvedOf(a, b, hulls, margin, out);
  }
};

template <class T, class Family> struct CollideConvexPair {
  CollidePair<T> all;
  HullView hulls;

  CAIRN_HD void operator()(int i) const {
    if (!all.mayTouch(i)) return;
    const int a = all.pairs.shapeA[i], b = all.pairs.shapeB[i];
    const ShapeRecord<T>& recordA = all.shapes[a];
    const ShapeRecord<T>& recordB = all.shapes[b];
    if (!Family::takes(recordA.type, recordB.type)) return;
    const BodyPose<T>& poseA = all.poses[recordA.body];
    const BodyPose<T>& poseB = all.poses[recordB.body];
    LocalManifold<T> local;
    Family::meet(placed(recordA, poseA, poseA.x), placed(recordB, poseB, poseA.x), hulls, all.shapeMargins[a] + all.shapeMargins[b], local);
    all.write(i, local);
  }
};

}  // namespace

template <class T> void collideConvexPairs(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                           Manifold<T>* pairManifolds, int* found) {
  const CollidePair<T> all{pairs, shapes.shapes, shapes.poses, shapes.shapeMargins, joined, pairManifolds, found};
  const HullView& hulls = shapes.geometry.hulls;
  if (hulls.any()) forEach(queue, "narrow_phase/hulls", pairs.pairCount, CollideConvexPair<T, WithHull>{all, hulls}, kHeavyGrain);
  if (shapes.geometry.revolved) forEach(queue, "narrow_phase/revolved", pairs.pairCount, CollideConvexPair<T, WithRevolved>{all, hulls}, kHeavyGrain);
}

#define CAIRN_INSTANTIATE(T) template void collideConvexPairs(Queue&, const PairView&, const ConvexPairs<T>&, const JoinedPairs&, Manifold<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
