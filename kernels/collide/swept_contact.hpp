// The contact of two shapes on their expected way through some time: pure functions.
#pragma once

#include "kernels/collide/pair_manifold.hpp"
#include "kernels/collide/swept_pairs.hpp"
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

// Over a whole step of several substeps a body falls a little more than half dt^2 times gravity: not enough to matter here.
template <class T> CAIRN_HD inline TimeAhead<T> stepAhead(const SweptBodies<T>& bodies, int body) {
  return {bodies.dt, T(0.5), bodies.gravity.of(body)};
}

// What two shapes come closer at most on these paths.
template <class T>
CAIRN_HD inline T wayTogether(const ShapeRecord<T>& shapeA, const BodyPath<T>& a, const ShapeRecord<T>& shapeB, const BodyPath<T>& b) {
  return length(a.motion - b.motion) + armOf(shapeA) * length(a.turn) + armOf(shapeB) * length(b.turn);
}
// Within the step.
template <class T> CAIRN_HD inline T wayTogether(const SweptBodies<T>& bodies, const ShapeRecord<T>& a, const ShapeRecord<T>& b) {
  const auto pathOf = [&](int body) {
    const BodyPose<T> anywhere{{T(0), T(0), T(0)}, T(0), identityQuat<T>()};
    return expectedPath(anywhere, bodies.velocities[body], bodies.constants[body], anywhere.x, stepAhead(bodies, body));
  };
  return wayTogether(a, pathOf(a.body), b, pathOf(b.body));
}

// Whether the two can come closer within the step than the narrow phase sees ahead.
template <class T> CAIRN_HD inline bool isFastPair(const SweptBodies<T>& bodies, const ShapeRecord<T>* shapes, int a, int b) {
  if ((bodies.bounds[a].fast | bodies.bounds[b].fast) == 0) return false;
  return wayTogether(bodies, shapes[a], shapes[b]) > bodies.margins[a] + bodies.margins[b] - bodies.envelope;
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
    // Who touches already needs no search to be known to.
    if (found > 0 && touches(m, rule.tolerance)) return found;
    const Impact<T> impact = timeOfImpact(movingShape(pair.recordA, a), movingShape(pair.recordB, b), rule, shapes);
    if (impact.met) writeImpact(impact, m);
    if (impact.met || found == 0) return impact.met ? 1 : 0;
    if (impact.atStart) return found;
    return stopsWhatPasses(m) ? 0 : 1;
  }

  // As contact() of two of which `nearest` is their deepest contact's separation, or less: without a search where they are further apart than both
  // come, by `way` at most, or touch already. Of solids fields know better.
  CAIRN_HD bool contactNearby(bool found, T nearest, T way, Manifold<T>& m) const {
    if (isSolid(pair.recordA) || isSolid(pair.recordB)) return contact(found, m);
    if (nearest > T(kRoundedWay) * way + tolerance()) return found && !stopsWhatPasses(m);
    return nearest > tolerance() ? contact(found, m) : found;
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
