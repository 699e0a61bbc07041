// The contact of two shapes on their expected way through some time: pure functions.
#pragma once

#include "kernels/collide/pair_manifold.hpp"
#include "kernels/collide/time_of_impact.hpp"

namespace cairn::v0 {

// Met is who is this near, as a fraction of the smaller inner size; and in float, as a fraction of the way.
constexpr double kMetFraction = 0.01, kWayRounding = 2e-6;
constexpr double kRoundedWay = 1.001;  // what adding up may have taken off a way is far less

// A time ahead of bodies, and gravity in it: a body falls share * time^2 * gravity within it.
template <class T> struct TimeAhead {
  T time;  // [s]
  T share;
  Vec3<T> gravity;
};

template <class T> CAIRN_HD inline BodyPath<T> expectedPath(const BodyPose<T>& pose, const BodyVelocity<T>& velocity,
                                                            const BodyConstants<T>& constants, Vec3<T> origin, const TimeAhead<T>& ahead) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  if ((constants.flags & (kBodyDynamic | kBodyKinematic)) == 0) return {pose.x - origin, zero, pose.q, zero};
  Vec3<T> v = velocity.v;
  if ((constants.flags & kBodyDynamic) != 0) v += (ahead.share * ahead.time * constants.gravityScale) * ahead.gravity;
  return {pose.x - origin, ahead.time * v, pose.q, ahead.time * velocity.w};
}

template <class T, class Shapes = PlainShapes> struct SweptPair {
  PairOfShapes<T> pair;
  BodyPath<T> a, b;  // relative to A's centre of mass at the start
  Shapes shapes{};

  // What the two meet on their way, or what they touch. `found`: m holds the contacts that they have at the start, or would have soon. False: none.
  CAIRN_HD bool contact(bool found, Manifold<T>& m) const { return contacts(found ? 1 : 0, m) != 0; }

  // The same for as many manifolds, of which m is the first: how many they are then. Several of a pair with a mesh stay where it touches from the
  // start.
  CAIRN_HD int contacts(int found, Manifold<T>& m) const {
    ImpactRule<T> rule{};
    rule.depth = rule.limit = T(0);
    rule.tolerance = tolerance();
    // Solids that touch already need no search to be known to.
    if (found > 0 && isSolid(pair.recordA) && isSolid(pair.recordB) && touches(m, rule.tolerance)) return found;
    const Impact<T> impact = timeOfImpact(movingShape(pair.recordA, a), movingShape(pair.recordB, b), rule, shapes);
    if (impact.met) writeImpact(impact, m);
    if (impact.met || found == 0) return impact.met ? 1 : 0;
    if (impact.atStart) return found;
    return stopsWhatPasses(m) ? 0 : 1;
  }

  // As contact(), without a search where convex shapes that lie beyond `margin` if none was found come together by `way` at most: who is further
  // apart meets nowhere.
  CAIRN_HD bool contactNearby(bool found, T margin, T way, Manifold<T>& m) const {
    const T reach = T(kRoundedWay) * way + tolerance();
    const bool convex = !isMesh(pair.recordA.type) && !isMesh(pair.recordB.type);
    if (!convex || (found ? touches(m, reach) : margin <= reach)) return contact(found, m);
    return found && !stopsWhatPasses(m);
  }

  CAIRN_HD T tolerance() const {
    return T(kMetFraction) * minOf(innerSize(pair.recordA), innerSize(pair.recordB)) +
           T(kWayRounding) * (length(a.motion) + length(b.motion) + length(b.start));
  }
  CAIRN_HD static bool touches(const Manifold<T>& m, T within) {
    for (int p = 0; p < m.pointCount; ++p) {
      if (m.points[p].separation <= within) return true;
    }
    return false;
  }

  // The place on a body where the contact will be, seen at the start: the surface of a round shape does not turn with it.
  CAIRN_HD static Vec3<T> armAtStart(const BodyPath<T>& path, T time, Vec3<T> arm, Vec3<T> onSurface) {
    return inverseRotate(quatFromRotationVector(time * path.turn), arm - onSurface) + onSurface;
  }
  // How far a point moves along n until then, as rows see it: what turning takes from round surfaces is given back as in LaneMotion
  // (contact_sweep.hpp).
  CAIRN_HD static T movedAlong(Vec3<T> n, const BodyPath<T>& path, T time, Vec3<T> arm, T radius) {
    const Quat<T> dq = quatFromRotationVector(time * path.turn);
    const Vec3<T> half{dq.x, dq.y, dq.z};
    const T along = dot(half, n);
    return dot(n, path.moved(time, arm)) + T(2) * radius * (dot(half, half) - along * along);
  }
  CAIRN_HD T partedAlong(Vec3<T> n, T time, const ManifoldPoint<T>& point) const {
    return movedAlong(n, b, time, point.rB, -shapes.radius(pair.recordB, b.q, n, point.rB)) -
           movedAlong(n, a, time, point.rA, shapes.radius(pair.recordA, a.q, n, point.rA));
  }

  // The rows close when the bodies get there.
  CAIRN_HD void writeImpact(const Impact<T>& impact, Manifold<T>& m) const {
    const Vec3<T> centreA = impact.time * a.motion, centreB = b.start + impact.time * b.motion;
    LocalManifold<T> local = impact.manifold;
    for (int p = 0; p < local.pointCount; ++p) local.points[p].position = local.points[p].position - centreA;
    pair.write(local, centreB - centreA, m);
    const Vec3<T> onA = shapes.radius(pair.recordA, a.at(impact.time).q, m.normal, m.points[0].rA) * m.normal;
    const Vec3<T> onB = -shapes.radius(pair.recordB, b.at(impact.time).q, m.normal, m.points[0].rB) * m.normal;
    for (int p = 0; p < local.pointCount; ++p) {
      ManifoldPoint<T>& point = m.points[p];
      point.rA = armAtStart(a, impact.time, point.rA, onA);
      // All points of a row have the same rB - rA (kToBField).
      point.rB = p == 0 ? armAtStart(b, impact.time, point.rB, onB) : point.rA + (m.points[0].rB - m.points[0].rA);
      point.separation -= partedAlong(m.normal, impact.time, point);
    }
  }

  // None of the points touches, and one would close.
  CAIRN_HD bool stopsWhatPasses(const Manifold<T>& m) const {
    bool closes = false;
    for (int p = 0; p < m.pointCount; ++p) {
      if (!(m.points[p].separation > T(0))) return false;
      closes = closes || m.points[p].separation + partedAlong(m.normal, T(1), m.points[p]) < T(0);
    }
    return closes;
  }
};

}  // namespace cairn::v0
