// Narrow phase, pairs with a hull: a kernel of its own, which is launched only where there are hulls, so that the one for all other pairs
// (narrow_phase.cu) needs no more registers for them.
//
// In and out: as for narrow_phase.cu. One item a pair, worked out in double by collide_hull.hpp. Deterministic: a pair writes to a place of its own.
#include "kernels/collide/narrow_phase.hpp"

#include "kernels/collide/collide_hull.hpp"
#include "kernels/collide/collide_pair.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct CollideHullPair {
  CollidePair<T> all;
  HullView hulls;

  CAIRN_HD void operator()(int i) const {
    if (!all.mayTouch(i)) return;
    const int a = all.pairs.shapeA[i], b = all.pairs.shapeB[i];
    const ShapeRecord<T>& recordA = all.shapes[a];
    const ShapeRecord<T>& recordB = all.shapes[b];
    if (!isHull(recordA.type) && !isHull(recordB.type)) return;
    const BodyPose<T>& poseA = all.poses[recordA.body];
    const BodyPose<T>& poseB = all.poses[recordB.body];
    LocalManifold<T> local;
    collideHullsOf(placed(recordA, poseA, poseA.x), placed(recordB, poseB, poseA.x), hulls, all.shapeMargins[a] + all.shapeMargins[b], local);
    all.write(i, local);
  }
};

}  // namespace

template <class T> void collideHullPairs(Queue& queue, const PairView& pairs, const HullPairs<T>& shapes, const JoinedPairs& joined,
                                         Manifold<T>* pairManifolds, int* found) {
  const CollidePair<T> all{pairs, shapes.shapes, shapes.poses, shapes.shapeMargins, joined, pairManifolds, found};
  forEach(queue, "narrow_phase/hulls", pairs.pairCount, CollideHullPair<T>{all, shapes.hulls}, kHeavyGrain);
}

#define CAIRN_INSTANTIATE(T) template void collideHullPairs(Queue&, const PairView&, const HullPairs<T>&, const JoinedPairs&, Manifold<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
