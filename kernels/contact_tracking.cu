// Track: manifolds recognised from step to step by shape pair, their points by feature, or else by their place on the body.
//
// In: this step's manifolds, last step's memory. Out: warm start impulses. The memory is kept in the order of the manifolds with offsets by shape A,
// so a pair is found by looking through the few partners of one shape; nothing is hashed and nothing depends on threads.
// Friction impulses are carried over as vectors: the tangent frame of the new normal may differ from the old one's.
// Memory: 136 bytes a manifold in float.
#include "contact_tracking.hpp"

#include "launch.hpp"

namespace cairn {
namespace {

// A point whose feature is new takes over from an old one this close, as a fraction of its distance from A's centre: a corner that begins to be
// clipped by the other face's side is still the same corner.
constexpr double kSamePlace = 0.1;

template <class T> struct MatchContact {
  const Manifold<T>* manifolds;
  const ShapeRecord<T>* shapes;
  const TrackedManifold<T>* tracked;
  const int* trackedOffsets;
  ManifoldImpulse<T>* warmStart;
  int trackedShapeSlots, step;

  // A slot that was given to a new shape since the last step has no history.
  CAIRN_HD bool remembered(int shape) const { return shape < trackedShapeSlots && shapes[shape].birthStep < step; }

  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = manifolds[i];
    ManifoldImpulse<T> impulse;
    for (int p = 0; p < kMaxManifoldPoints; ++p) impulse.points[p] = {T(0), T(0), T(0)};
    if (remembered(m.shapeA) && remembered(m.shapeB)) {
      const int end = trackedOffsets[m.shapeA + 1];
      for (int k = trackedOffsets[m.shapeA]; k < end; ++k) {
        if (tracked[k].shapeB == m.shapeB) {
          carryOver(tracked[k], m, impulse);
          break;
        }
      }
    }
    warmStart[i] = impulse;
  }

  CAIRN_HD static void carryOver(const TrackedManifold<T>& old, const Manifold<T>& m, ManifoldImpulse<T>& impulse) {
    Vec3<T> old1, old2, new1, new2;
    tangentFrame(old.normal, old1, old2);
    tangentFrame(m.normal, new1, new2);
    bool taken[kMaxManifoldPoints], matched[kMaxManifoldPoints];
    for (int k = 0; k < kMaxManifoldPoints; ++k) taken[k] = matched[k] = false;
    const auto take = [&](int p, int k) {
      const Vec3<T> lambda = old.impulses.points[k];
      const Vec3<T> friction = lambda.y * old1 + lambda.z * old2;
      impulse.points[p] = {lambda.x, dot(friction, new1), dot(friction, new2)};
      taken[k] = matched[p] = true;
    };
    for (int p = 0; p < m.pointCount; ++p) {
      for (int k = 0; k < old.pointCount && !matched[p]; ++k) {
        if (!taken[k] && old.features[k] == m.points[p].feature) take(p, k);
      }
    }
    for (int p = 0; p < m.pointCount; ++p) {
      if (matched[p]) continue;
      int nearest = -1;
      T nearestDistance = T(kSamePlace * kSamePlace) * lengthSquared(m.points[p].rA);
      for (int k = 0; k < old.pointCount; ++k) {
        const T distance = lengthSquared(old.rA[k] - m.points[p].rA);
        if (taken[k] || !(distance < nearestDistance)) continue;
        nearest = k;
        nearestDistance = distance;
      }
      if (nearest >= 0) take(p, nearest);
    }
  }
};

template <class T> struct RememberContact {
  const Manifold<T>* manifolds;
  const ManifoldImpulse<T>* impulses;
  TrackedManifold<T>* tracked;

  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = manifolds[i];
    TrackedManifold<T> t;
    t.shapeB = m.shapeB;
    t.pointCount = m.pointCount;
    t.normal = m.normal;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      t.features[p] = p < m.pointCount ? m.points[p].feature : 0u;
      t.rA[p] = m.points[p].rA;
    }
    t.impulses = impulses[i];
    tracked[i] = t;
  }
};

}  // namespace

template <class T> void matchContacts(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, const TrackedManifold<T>* tracked,
                                      const int* trackedOffsets, int trackedShapeSlots, int step, ManifoldImpulse<T>* warmStart) {
  forEach(queue, "contact_tracking/match", manifolds.count,
          MatchContact<T>{manifolds.manifolds, shapes, tracked, trackedOffsets, warmStart, trackedShapeSlots, step}, kLightGrain / 8);
}

template <class T>
void rememberContacts(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, TrackedManifold<T>* tracked) {
  forEach(queue, "contact_tracking/remember", manifolds.count, RememberContact<T>{manifolds.manifolds, impulses, tracked}, kLightGrain / 8);
}

#define CAIRN_INSTANTIATE(T)                                                                                                          \
  template void matchContacts(Queue&, const ManifoldView<T>&, const ShapeRecord<T>*, const TrackedManifold<T>*, const int*, int, int, \
                              ManifoldImpulse<T>*);                                                                                   \
  template void rememberContacts(Queue&, const ManifoldView<T>&, const ManifoldImpulse<T>*, TrackedManifold<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
