// Contact events: the pairs of shapes that touch in a step, against those that touched in the step before.
//
// In: manifolds, their points' normal impulses summed up over the substeps, the last step's pairs. Out: a list of events, one for each pair that
// touches or has touched until now, and the pairs for the next step.
//
// A pair touches if a point of it carried an impulse in the step, or did not gap when the step began. A pair with a mesh may have several manifolds,
// which lie behind one another: the first stands for all of them. Pairs are sorted twice, by shapes and then, stably, by bodies. What has begun and
// what has ended is found by binary search in the other list; a scan over what has ended gives each pair its place among all events, so that the two
// lists become one that is sorted without another sort.
//
// Deterministic: one item a pair, and a pair is there once.
//
// Memory: 36 bytes a pair that touches, 56 an event, 32 a manifold in float; 16 a lane of rows for the sums.
#include "kernels/solve/contact_events.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/runtime/search.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

template <class T> CAIRN_HD TouchingPair pairOf(const Manifold<T>& m) {
  if (m.bodyA < m.bodyB) return {m.bodyA, m.bodyB, m.shapeA, m.shapeB};
  return {m.bodyB, m.bodyA, m.shapeB, m.shapeA};
}

template <class T> CAIRN_HD bool isSamePair(const Manifold<T>& a, const Manifold<T>& b) { return a.shapeA == b.shapeA && a.shapeB == b.shapeB; }

template <class T> CAIRN_HD int countOf(const ManifoldView<T>& manifolds) {
  return manifolds.found == nullptr ? manifolds.count : minOf(*manifolds.found, manifolds.count);
}

template <class T> struct FindTouching {
  ManifoldView<T> manifolds;
  const ManifoldNumbers<T>* impulses;
  int* touching;

  CAIRN_HD void operator()(int i) const {
    const int count = countOf(manifolds);
    touching[i] = 0;
    if (i >= count || (i > 0 && isSamePair(manifolds.manifolds[i - 1], manifolds.manifolds[i]))) return;
    for (int k = i; k < count && isSamePair(manifolds.manifolds[k], manifolds.manifolds[i]); ++k) {
      if (touches(manifolds.manifolds[k], impulses[k])) touching[i] = 1;
    }
  }
  CAIRN_HD static bool touches(const Manifold<T>& m, const ManifoldNumbers<T>& impulse) {
    bool touch = false;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      touch = touch || impulse.points[p] > T(0) || (p < m.pointCount && m.points[p].separation <= T(0));
    }
    return touch;
  }
};

template <class T> struct ShapeKey {
  const Manifold<T>* manifolds;
  TouchingKeys to;

  CAIRN_HD void operator()(int i) const {
    TouchingPair pair{0, 0, to.slots, 0};
    if (i < *to.count) {
      pair = pairOf(manifolds[to.list[i]]);
    } else {
      to.list[i] = -1;
    }
    to.keys[i] = static_cast<uint64_t>(pair.shapeA) << to.bits | static_cast<uint64_t>(pair.shapeB);
  }
};

template <class T> struct BodyKey {
  const Manifold<T>* manifolds;
  TouchingKeys to;

  CAIRN_HD void operator()(int i) const {
    TouchingPair pair{to.slots, 0, 0, 0};
    if (to.list[i] >= 0) pair = pairOf(manifolds[to.list[i]]);
    to.keys[i] = static_cast<uint64_t>(pair.bodyA) << to.bits | static_cast<uint64_t>(pair.bodyB);
  }
};

template <class T> struct ListTouching {
  const Manifold<T>* manifolds;
  const int* list;
  TouchingPair* pairs;

  CAIRN_HD void operator()(int i) const { pairs[i] = pairOf(manifolds[list[i]]); }
};

// Place of a pair in a list, or of the first one behind it.
CAIRN_HD inline int placeIn(const TouchingPair* pairs, int count, const TouchingPair& pair) {
  return firstNotBelow(0, count, [&](int k) { return pairs[k] < pair; });
}
CAIRN_HD inline int placeIn(const RememberedPair* pairs, int count, const TouchingPair& pair) {
  return firstNotBelow(0, count, [&](int k) { return pairs[k].pair < pair; });
}
CAIRN_HD inline bool same(const TouchingPair& a, const TouchingPair& b) { return !(a < b) && !(b < a); }

struct FindEnded {
  RememberedPairs before;
  const TouchingPair* now;
  const int* nowCount;
  int* ended;

  CAIRN_HD void operator()(int j) const {
    ended[j] = 0;
    if (j >= *before.count || before.pairs[j].forgotten != 0) return;
    const TouchingPair pair = before.pairs[j].pair;
    const int place = placeIn(now, *nowCount, pair);
    ended[j] = place < *nowCount && same(now[place], pair) ? 0 : 1;
  }
};

template <class T> struct WriteTouching {
  EventSources<T> from;
  ContactEventRecord<T>* events;

  CAIRN_HD void operator()(int i) const {
    const TouchingPair pair = from.now[i];
    const int old = placeIn(from.before.pairs, *from.before.count, pair);
    const bool known = old < *from.before.count && same(from.before.pairs[old].pair, pair) && from.before.pairs[old].forgotten == 0;
    ContactEventRecord<T> event{};
    event.pair = pair;
    event.phase = known ? kContactPersists : kContactBegins;
    describe(from.list[i], event);
    event.hit = event.impulse > from.hitThreshold ? 1 : 0;
    events[i + from.endedBefore[old]] = event;
  }

  // Impulse, speed and place of a pair whose first manifold this is. Points count by their impulses; where none has any, those that are deepest
  // alone. The normal is that of the manifold with the largest impulse.
  CAIRN_HD void describe(int first, ContactEventRecord<T>& event) const {
    const int count = countOf(from.manifolds);
    const Manifold<T>& pair = from.manifolds.manifolds[first];
    int end = first + 1, strongest = first;
    while (end < count && isSamePair(from.manifolds.manifolds[end], pair)) ++end;
    T deepest = T(1e30), most = T(0);
    for (int k = first; k < end; ++k) {
      const Manifold<T>& m = from.manifolds.manifolds[k];
      T own = T(0);
      for (int p = 0; p < kMaxManifoldPoints; ++p) own += from.impulses[k].points[p];
      for (int p = 0; p < m.pointCount; ++p) deepest = minOf(deepest, m.points[p].separation);
      event.impulse += own;
      if (own > most) strongest = k;
      most = maxOf(most, own);
    }
    Vec3<T> place{T(0), T(0), T(0)};
    T weights = T(0);
    for (int k = first; k < end; ++k) addPoints(from.manifolds.manifolds[k], from.impulses[k], deepest, event, place, weights);
    if (weights > T(0)) place = (T(1) / weights) * place;
    event.point = from.poses[pair.bodyB].x + place;
    const Vec3<T> normal = from.manifolds.manifolds[strongest].normal;
    event.normal = pair.bodyA < pair.bodyB ? normal : -normal;
  }

  CAIRN_HD void addPoints(const Manifold<T>& m, const ManifoldNumbers<T>& impulse, T deepest, ContactEventRecord<T>& event, Vec3<T>& place,
                          T& weights) const {
    const BodyPose<T> startA = from.posesBefore[m.bodyA], startB = from.posesBefore[m.bodyB];
    const BodyVelocity<T> a = from.velocitiesBefore[m.bodyA], b = from.velocitiesBefore[m.bodyB];
    for (int p = 0; p < m.pointCount; ++p) {
      const ManifoldPoint<T>& point = m.points[p];
      const Vec3<T> apart = (startB.x - startA.x) + (point.rB - point.rA);
      const T u = dot(m.normal, (b.v - a.v) + cross(b.w, point.rB) - cross(a.w, point.rA));
      event.approachSpeed = maxOf(event.approachSpeed, -u);
      const T weight = event.impulse > T(0) ? impulse.points[p] : (point.separation <= deepest ? T(1) : T(0));
      // From the middle of the gap to B's surface; arms of contacts that are still to come (swept_contact.hpp) lead there already.
      const T rest = isGone(m) ? T(0) : point.separation - dot(m.normal, apart);
      place += weight * (point.rB + (T(0.5) * rest) * m.normal);
      weights += weight;
    }
  }
};

template <class T> struct WriteEnded {
  EventSources<T> from;
  ContactEventRecord<T>* events;
  int* count;

  // One item more than pairs: the number of all events.
  CAIRN_HD void operator()(int j) const {
    if (j == from.before.room) {
      *count = *from.nowCount + from.endedBefore[j];
      return;
    }
    if (from.endedBefore[j + 1] == from.endedBefore[j]) return;
    ContactEventRecord<T> event{};
    event.pair = from.before.pairs[j].pair;
    event.phase = kContactEnds;
    events[from.endedBefore[j] + placeIn(from.now, *from.nowCount, event.pair)] = event;
  }
};

struct RememberPair {
  const TouchingPair* now;
  const int* nowCount;
  const StepStatus* status;
  RememberedPairs out;

  // One item more than pairs: their number.
  CAIRN_HD void operator()(int i) const {
    if (status != nullptr && status->failed != 0) return;
    if (i == out.room) {
      *out.count = *nowCount;
    } else if (i < *nowCount) {
      out.pairs[i] = {now[i], 0};
    }
  }
};

struct ForgetPair {
  RememberedPairs remembered;
  EnvironmentMask mask;
  int bodiesEach;

  CAIRN_HD void operator()(int i) const {
    if (mask[remembered.pairs[i].pair.bodyA / bodiesEach] != 0) remembered.pairs[i].forgotten = 1;
  }
};

}  // namespace

template <class T> void findTouching(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldNumbers<T>* impulses, int* touching) {
  forEach(queue, "contact_events/touching", manifolds.count, FindTouching<T>{manifolds, impulses, touching});
}

template <class T> void shapeKeys(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& to) {
  forEach(queue, "contact_events/shapes", to.room, ShapeKey<T>{manifolds, to});
}
template <class T> void bodyKeys(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& to) {
  forEach(queue, "contact_events/bodies", to.room, BodyKey<T>{manifolds, to});
}
template <class T> void listTouching(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& from, TouchingPair* pairs) {
  forEach(queue, "contact_events/list", from.count, from.room, ListTouching<T>{manifolds, from.list, pairs});
}

void findEnded(Queue& queue, const RememberedPairs& before, const TouchingPair* now, const int* nowCount, int* ended) {
  forEach(queue, "contact_events/ended", before.room, FindEnded{before, now, nowCount, ended}, kMediumGrain);
}

template <class T> void writeEvents(Queue& queue, const EventSources<T>& from, ContactEventRecord<T>* events, int* count) {
  forEach(queue, "contact_events/write", from.nowCount, from.room, WriteTouching<T>{from, events}, kMediumGrain);
  forEach(queue, "contact_events/write_ended", from.before.room + 1, WriteEnded<T>{from, events, count}, kMediumGrain);
}

void rememberPairs(Queue& queue, const TouchingPair* now, const int* nowCount, const StepStatus* status, const RememberedPairs& out) {
  forEach(queue, "contact_events/remember", out.room + 1, RememberPair{now, nowCount, status, out});
}

void forgetPairs(Queue& queue, const RememberedPairs& remembered, EnvironmentMask mask, int bodiesEach) {
  forEach(queue, "contact_events/forget", remembered.count, remembered.room, ForgetPair{remembered, mask, bodiesEach});
}

#define CAIRN_INSTANTIATE(T)                                                                   \
  template void findTouching(Queue&, const ManifoldView<T>&, const ManifoldNumbers<T>*, int*); \
  template void shapeKeys(Queue&, const Manifold<T>*, const TouchingKeys&);                    \
  template void bodyKeys(Queue&, const Manifold<T>*, const TouchingKeys&);                     \
  template void listTouching(Queue&, const Manifold<T>*, const TouchingKeys&, TouchingPair*);  \
  template void writeEvents(Queue&, const EventSources<T>&, ContactEventRecord<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
