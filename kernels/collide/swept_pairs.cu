// Contacts of fast pairs: what two shapes meet on their way through the step.
//
// In: candidate pairs with their manifolds from the narrow phase, velocities. Out: for each fast pair the manifold at its time of impact, or none.
//
// A pair is fast if its bodies can come closer within the step by more than the margins of its shapes hold beside the envelope. Its shapes are moved
// along as their velocities and gravity would take them (time_of_impact.hpp). Where they meet, the contact there becomes the pair's rows: with the
// arms that it has at the impact, and with gaps such that the rows close when the bodies arrive, in whichever substep that is. Where they touch from
// the start, the narrow phase's contacts stay. Where they do not meet, contacts that would stop them all the same, as the plane of a corner ahead
// stops what flies past it, are taken out.
//
// Deterministic: the list's order is that of arrival, but each item writes to its own pair alone.
//
// Memory: 4 bytes a fast pair.
#include "kernels/collide/swept_pairs.hpp"

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/mesh_shapes.hpp"
#include "kernels/collide/swept_contact.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct FindFastPair {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  SweptBodies<T> bodies;
  FastList fast;

  CAIRN_HD void operator()(int i) const {
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    if (a == b || !isFastPair(bodies, shapes, a, b)) return;
    const int at = atomicAddInt(fast.count, 1);
    if (at < fast.capacity) fast.items[at] = i;
  }
};

template <class T, class Shapes> struct SweepFastPair {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  SweptBodies<T> bodies;
  FastList fast;
  SweptContacts<T> out;
  Shapes kinds;

  CAIRN_HD BodyPath<T> pathOf(int body, Vec3<T> origin) const {
    return expectedPath(poses[body], bodies.velocities[body], bodies.constants[body], origin, stepAhead(bodies, body));
  }

  // Two solids are gone through by all threads of a warp; one of them writes.
  using ByWarp = std::is_same<Shapes, MeshShapes>;
  CAIRN_HD bool wantsWarps() const { return hasSolids(kinds); }
  CAIRN_HD void inWarp(int k) const {
    SweepFastPair own = *this;
    own.kinds = byWarp(kinds);
    const int i = fast.items[k];
    int found = out.found[i];
    Manifold<T> manifold;
    if (found > 0) manifold = out.pairManifolds[i];
    own.sweep(i, found, manifold);
    Warp::where(true);  // none reads any more
    if (Warp::lane() != 0) return;
    out.found[i] = found;
    if (found > 0) out.pairManifolds[i] = manifold;
  }
  CAIRN_HD void operator()(int k) const {
    const int i = fast.items[k];
    sweep(i, out.found[i], out.pairManifolds[i]);
  }

 private:
  CAIRN_HD void sweep(int i, int& found, Manifold<T>& manifold) const {
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    const PairOfShapes<T> pair{a, b, shapes[a], shapes[b]};
    const int bodyA = pair.recordA.body, bodyB = pair.recordB.body;
    if (out.joined.count > 0 && isJoined(out.joined, bodyA, bodyB)) return;
    const SweptPair<T, Shapes> swept{pair, pathOf(bodyA, poses[bodyA].x), pathOf(bodyB, poses[bodyA].x), kinds};
    found = swept.contacts(found, manifold);
  }
};

}  // namespace

template <class T>
void findFastPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, const FastList& fast) {
  forEach(queue, "narrow_phase/fast_pairs", pairs.pairsFound, pairs.pairCount, FindFastPair<T>{pairs, shapes, bodies, fast});
}

template <class T> void sweepFastPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                       const SweptBodies<T>& bodies, const FastList& fast, const SweptContacts<T>& contacts) {
  withShapes(bodies.geometry, [&](const auto& kinds) {
    using Shapes = std::decay_t<decltype(kinds)>;
    const SweepFastPair<T, Shapes> item{pairs, shapes, poses, bodies, fast, contacts, kinds};
    forEachHeavy(queue, "narrow_phase/sweep", fast.count, fast.capacity, item, kHeavyGrain / 8);
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                                               \
  template void findFastPairs(Queue&, const PairView&, const ShapeRecord<T>*, const SweptBodies<T>&, const FastList&);                     \
  template void sweepFastPairs(Queue&, const PairView&, const ShapeRecord<T>*, const BodyPose<T>*, const SweptBodies<T>&, const FastList&, \
                               const SweptContacts<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
