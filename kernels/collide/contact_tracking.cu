// Contact tracking: manifolds recognised from step to step by shape pair, their points by feature, or else by their place on the body.
//
// In: this step's manifolds, the last step's memory. Out: warm start impulses.
//
// The memory is kept in the order of the manifolds with offsets by shape A, so a pair is found among the few partners of one shape, or, where they
// are many, by halves: they ascend. A pair with a mesh has a run of manifolds there: of those of both steps the two whose normals are nearest are one
// and the same, then the nearest two of the others, and so on. Friction impulses are carried over as vectors: the tangent frame of the new normal may
// differ from the old one's.
//
// Friction stabilization (Silcowitz, Niebe and Erleben 2010, section 3): a point that sticks has an anchor on each body, the place at which it stuck.
// The paper looks at the slip of the last step; here the anchors stay for as long as the point sticks, so that slips of many steps add up and are
// taken back. A contact that rolls moves away from its anchors, and gets new ones.
//
// Deterministic: one item a manifold, and nothing is hashed; each manifold of a run works out who goes with whom in all of it.
//
// Memory: 136 bytes a manifold in float.
#include "kernels/collide/contact_tracking.hpp"

#include "kernels/collide/tracked_partner.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/state/mesh_view.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// A point whose feature is new takes over the impulse of an old one this close, as a fraction of its distance from A's centre: a corner that begins
// to be clipped by the other face's side is still the same corner.
constexpr double kSamePlace = 0.1;

// A pair with a mesh has at most so many manifolds. Of those of two steps only such are the same whose normals have this cosine at least.
constexpr int kLongestRun = 8;
constexpr double kSameDirection = 0.5;

// A point that is this far from its anchors, as a fraction of its distance from A's centre, has moved over the surfaces: it rolls, or is another one.
constexpr double kAnchored = 0.02;
// A point sticks if its friction is clearly within the cone.
constexpr double kInsideCone = 0.999;

// Runs: pairs may have several manifolds, which takes registers that no other World needs.
template <class T, bool Runs> struct MatchContact {
  using ForAvx2 = void;

  ManifoldView<T> view;
  const ShapeRecord<T>* shapes;
  TrackedView<T> tracked;
  AnchorViews<T> anchors;
  MatchedContacts<T> found;
  int step;

  // A slot that was given to a new shape since the last step has no history.
  CAIRN_HD bool remembered(int shape) const { return shape < tracked.shapeSlots && shapes[shape].birthStep < step; }

  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = view.manifolds[i];
    ManifoldImpulse<T> impulse;
    int from[kMaxManifoldPoints];  // index of the old point that each one was, or -1
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      impulse.points[p] = {T(0), T(0), T(0)};
      from[p] = -1;
    }
    int old = -1;
    if (remembered(m.shapeA) && remembered(m.shapeB)) {
      old = findPartner(tracked, m.shapeA, m.shapeB);
      if constexpr (Runs) {
        if (old >= 0 && (isMesh(shapes[m.shapeA].type) || isMesh(shapes[m.shapeB].type))) old = findInRun(i, old);
      }
      if (old >= 0) carryOver(tracked.manifolds[old], m, impulse, from);
    }
    found.warmStart[i] = impulse;
    // Environments that were reset have manifolds without points.
    if (found.predecessors != nullptr) found.predecessors[i] = old >= 0 && tracked.manifolds[old].pointCount > 0 ? old : -1;
    if (anchors.now != nullptr) carryAnchors(old < 0 ? nullptr : anchors.before + old, m, from, impulse, anchors.now[i]);
  }

  // Of a pair with several manifolds, now or before: which of its old ones, the first of which is given, manifold i was; -1: none. The nearest two
  // of all are matched first.
  CAIRN_HD int findInRun(int i, int firstOld) const {
    const Manifold<T>& m = view.manifolds[i];
    const int rowBegin = view.offsets[m.shapeA], rowEnd = minOf(view.offsets[m.shapeA + 1], view.count);
    int begin = i, end = i + 1, endOld = firstOld + 1;
    while (begin > rowBegin && view.manifolds[begin - 1].shapeB == m.shapeB) --begin;
    while (end < rowEnd && end - begin < kLongestRun && view.manifolds[end].shapeB == m.shapeB) ++end;
    const int rowEndOld = tracked.offsets[m.shapeA + 1], partner = tracked.manifolds[firstOld].partner;
    while (endOld < rowEndOld && endOld - firstOld < kLongestRun && tracked.manifolds[endOld].partner == partner) ++endOld;
    const int now = end - begin, old = endOld - firstOld, own = i - begin;
    T likenesses[kLongestRun][kLongestRun];
    for (int k = 0; k < now; ++k) {
      for (int j = 0; j < old; ++j) likenesses[k][j] = likeness(tracked.manifolds[firstOld + j], view.manifolds[begin + k]);
    }
    for (;;) {
      int bestNow = -1, bestOld = -1;
      T best = T(kSameDirection);
      for (int k = 0; k < now; ++k) {
        for (int j = 0; j < old; ++j) {
          if (!(likenesses[k][j] > best)) continue;
          best = likenesses[k][j];
          bestNow = k;
          bestOld = j;
        }
      }
      if (bestNow < 0) return -1;
      if (bestNow == own) return firstOld + bestOld;
      for (int j = 0; j < old; ++j) likenesses[bestNow][j] = T(-1);
      for (int k = 0; k < now; ++k) likenesses[k][bestOld] = T(-1);
    }
  }

  // Points that are the same decide between normals that hardly differ.
  CAIRN_HD static T likeness(const TrackedManifold<T>& old, const Manifold<T>& m) {
    constexpr double kOfAPoint = 1e-3;
    int same = 0;
    for (int p = 0; p < m.pointCount; ++p) {
      for (int k = 0; k < old.pointCount; ++k) same += old.features[k] == m.points[p].feature ? 1 : 0;
    }
    return dot(old.normal, m.normal) + T(kOfAPoint) * T(same);
  }

  CAIRN_HD void carryAnchors(const ContactAnchors<T>* old, const Manifold<T>& m, const int* from, const ManifoldImpulse<T>& impulse,
                             ContactAnchors<T>& out) const {
    const BodyPose<T> a = anchors.poses[m.bodyA], b = anchors.poses[m.bodyB];
    out.held = out.stuck = 0;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      const Vec3<T> zero{T(0), T(0), T(0)};
      const Vec3<T> rA = p < m.pointCount ? m.points[p].rA : zero, rB = p < m.pointCount ? m.points[p].rB : zero;
      out.slip[p] = zero;
      out.normalImpulse[p] = impulse.points[p].x;
      out.onA[p] = inverseRotate(a.q, rA);
      out.onB[p] = inverseRotate(b.q, rB);
      if (old == nullptr || from[p] < 0 || (old->stuck >> from[p] & 1) == 0) continue;
      const Vec3<T> keptA = old->onA[from[p]], keptB = old->onB[from[p]];
      const Vec3<T> onA = rotate(a.q, keptA) - rA, onB = rotate(b.q, keptB) - rB;  // both from the contact point
      const Vec3<T> middle = T(0.5) * (onA + onB), apart = onA - onB;
      const Vec3<T> across = middle - dot(m.normal, middle) * m.normal;
      if (lengthSquared(across) > T(kAnchored * kAnchored) * lengthSquared(rA)) continue;
      out.onA[p] = keptA;
      out.onB[p] = keptB;
      out.slip[p] = apart - dot(m.normal, apart) * m.normal;
      out.held |= 1 << p;
    }
  }

  CAIRN_HD static void carryOver(const TrackedManifold<T>& old, const Manifold<T>& m, ManifoldImpulse<T>& impulse, int* from) {
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
      from[p] = k;
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

// Item i is a manifold, and an offset.
template <class T> struct RememberContact {
  ManifoldView<T> manifolds;
  const BodyConstants<T>* constants;
  const ManifoldImpulse<T>* impulses;
  TrackedArrays<T> out;
  const StepStatus* status;
  int offsetCount;

  CAIRN_HD void operator()(int i) const {
    if (status != nullptr && status->failed != 0) return;
    if (i < offsetCount) out.offsets[i] = manifolds.offsets[i];
    if (i < (manifolds.found != nullptr ? *manifolds.found : manifolds.count)) remember(i);
  }

  CAIRN_HD void remember(int i) const {
    const Manifold<T>& m = manifolds.manifolds[i];
    TrackedManifold<T> t;
    t.partner = (constants[m.bodyB].flags & kBodyDynamic) != 0 ? m.shapeB : m.shapeB | kFixedBit;
    t.pointCount = m.pointCount;
    t.normal = m.normal;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      const uint32_t feature = m.points[p].feature;
      t.features[p] = p < m.pointCount ? feature : 0u;
      t.rA[p] = m.points[p].rA;
    }
    t.impulses = impulses[i];
    out.manifolds[i] = t;
  }
};

template <class T> struct MarkSticking {
  const Manifold<T>* manifolds;
  const ManifoldImpulse<T>* impulses;
  const StepStatus* status;
  ContactAnchors<T>* anchors;

  CAIRN_HD void operator()(int i) const {
    if (status != nullptr && status->failed != 0) return;  // of contacts that found no room there are no impulses
    int stuck = 0;
    for (int p = 0; p < manifolds[i].pointCount; ++p) {
      const Vec3<T> lambda = impulses[i].points[p];
      const T bound = T(kInsideCone) * manifolds[i].friction * lambda.x;
      if (lambda.x > T(0) && lambda.y * lambda.y + lambda.z * lambda.z < bound * bound) stuck |= 1 << p;
    }
    anchors[i].stuck = stuck;
  }
};

template <class T> struct KeepAnchors {
  const ContactAnchors<T>* anchors;
  const StepStatus* status;
  ContactAnchors<T>* kept;

  CAIRN_HD void operator()(int i) const {
    if (status->failed == 0) kept[i] = anchors[i];
  }
};

// Item i is a shape slot: the contacts of a shape A are forgotten by having no points.
template <class T> struct ForgetContacts {
  TrackedArrays<T> tracked;
  EnvironmentMask mask;
  int shapesEach;

  CAIRN_HD void operator()(int shape) const {
    if (mask[shape / shapesEach] == 0) return;
    for (int k = tracked.offsets[shape]; k < tracked.offsets[shape + 1]; ++k) tracked.manifolds[k].pointCount = 0;
  }
};

}  // namespace

template <class T> void matchContacts(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step,
                                      const TrackedView<T>& tracked, const AnchorViews<T>& anchors, const MatchedContacts<T>& out) {
  const auto match = [&](const auto& item) { forEach(queue, "contact_tracking/match", manifolds.found, manifolds.count, item, kMediumGrain); };
  if (manifolds.runs) {
    match(MatchContact<T, true>{manifolds, shapes, tracked, anchors, out, step});
  } else {
    match(MatchContact<T, false>{manifolds, shapes, tracked, anchors, out, step});
  }
}

template <class T> void markSticking(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, const StepStatus* status,
                                     ContactAnchors<T>* anchors) {
  forEach(queue, "contact_tracking/sticking", manifolds.found, manifolds.count, MarkSticking<T>{manifolds.manifolds, impulses, status, anchors},
          kMediumGrain);
}

template <class T> void keepAnchors(Queue& queue, const ManifoldView<T>& manifolds, const ContactAnchors<T>* anchors, const StepStatus* status,
                                    ContactAnchors<T>* kept) {
  forEach(queue, "contact_tracking/keep", manifolds.found, manifolds.count, KeepAnchors<T>{anchors, status, kept}, kMediumGrain);
}

template <class T> void rememberContacts(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants,
                                         const ManifoldImpulse<T>* impulses, int shapeSlots, const TrackedArrays<T>& out, const StepStatus* status) {
  const int offsets = shapeSlots + 1;
  forEach(queue, "contact_tracking/remember", std::max(manifolds.count, offsets),
          RememberContact<T>{manifolds, constants, impulses, out, status, offsets}, kMediumGrain);
}

template <class T> void forgetContacts(Queue& queue, const TrackedArrays<T>& tracked, int shapeSlots, EnvironmentMask mask, int shapesEach) {
  forEach(queue, "contact_tracking/forget", shapeSlots, ForgetContacts<T>{tracked, mask, shapesEach});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                       \
  template void matchContacts(Queue&, const ManifoldView<T>&, const ShapeRecord<T>*, int, const TrackedView<T>&, const AnchorViews<T>&,            \
                              const MatchedContacts<T>&);                                                                                          \
  template void forgetContacts(Queue&, const TrackedArrays<T>&, int, EnvironmentMask, int);                                                        \
  template void keepAnchors(Queue&, const ManifoldView<T>&, const ContactAnchors<T>*, const StepStatus*, ContactAnchors<T>*);                      \
  template void markSticking(Queue&, const ManifoldView<T>&, const ManifoldImpulse<T>*, const StepStatus*, ContactAnchors<T>*);                    \
  template void rememberContacts(Queue&, const ManifoldView<T>&, const BodyConstants<T>*, const ManifoldImpulse<T>*, int, const TrackedArrays<T>&, \
                                 const StepStatus*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
