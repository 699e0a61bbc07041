// Narrow phase, pairs with a hull, and pairs with a cylinder or a cone: kernels of their own, each launched only where there are such shapes, so that
// the one for all other pairs (narrow_phase.cu) needs no more registers for them.
//
// In and out: as for narrow_phase.cu. One item a pair, worked out in double by collide_hull.hpp or collide_revolved.hpp. Deterministic: a pair writes
// to a place of its own.
#include "kernels/collide/convex_pairs.hpp"

#include "kernels/collide/collide_revolved.hpp"
#include "kernels/collide/narrow_phase.hpp"
#include "kernels/runtime/launch.hpp"

CAIRN_CPU_PASSES(hullPass)

namespace cairn::v0 {
namespace {

struct WithRevolved {
  CAIRN_HD static bool takes(int typeA, int typeB) { return (isRevolved(typeA) || isRevolved(typeB)) && !isMesh(typeA) && !isMesh(typeB); }
  template <class T>
  CAIRN_HD static void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
    collideRevolvedOf(a, b, hulls, margin, out);
  }
};

template <class T> void meetOneByOne(const void* pairs, int64_t begin, int64_t end) {
  runItems(*static_cast<const CollideConvexPair<T, WithHull>*>(pairs), begin, end);
}

template <class T> void collideHullPairs(Queue& queue, const CollideConvexPair<T, WithHull>& pairs) {
  if (queue.target == Target::Cpu && pairs.all.pairs.pairCount > 0) {
    queue.label = "narrow_phase/hulls";
    return runOnCpu<HullPasses>(hullPassHere, *queue.team, HullPairsInPacks<T>{pairs, meetOneByOne<T>});
  }
  forEachHeavy(queue, "narrow_phase/hulls", nullptr, pairs.all.pairs.pairCount, pairs);
}

}  // namespace

template <class T> void collideConvexPairs(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined,
                                           Manifold<T>* pairManifolds, int* found) {
  const CollidePair<T> all{pairs, shapes.shapes, shapes.poses, shapes.shapeMargins, joined, pairManifolds, found};
  const HullView& hulls = shapes.geometry.hulls;
  if (hulls.any()) collideHullPairs(queue, CollideConvexPair<T, WithHull>{all, hulls});
  if (shapes.geometry.revolved)
    forEachHeavy(queue, "narrow_phase/revolved", nullptr, pairs.pairCount, CollideConvexPair<T, WithRevolved>{all, hulls});
}

#define CAIRN_INSTANTIATE(T) template void collideConvexPairs(Queue&, const PairView&, const ConvexPairs<T>&, const JoinedPairs&, Manifold<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
