// When two moving shapes touch: conservative advancement, for any two shapes, with rotation.
//
// A body's path over a step is a straight line and a turn about one axis, both at constant speed. At each time looked at, the contact functions give
// the direction n in which the shapes are closest. The gap along n, worked out from how far the shapes reach along it, never exceeds their distance,
// and can only shrink as fast as the bodies approach along n and as their turns sweep them along it (|n x turn| times the arm): so long the shapes
// cannot meet, and that far time goes on. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, section 2.3.
//
// The number of looks is fixed. Where it does not do (thin things that turn closely beside each other) the answer is the time reached so far: too
// early, never too late.
#pragma once

#include "kernels/collide/collide.hpp"
#include "kernels/state/mesh_view.hpp"

namespace cairn::v0 {

// From time 0 to time 1.
template <class T> struct BodyPath {
  Vec3<T> start, motion;  // of the centre of mass [m]
  Quat<T> q;              // at the start
  Vec3<T> turn;           // [rad]
  CAIRN_HD Pose<T> at(T time) const { return {start + time * motion, quatFromRotationVector(time * turn) * q}; }
  // How far a point of the body has come that was at `arm` from its centre of mass, without cancellation.
  CAIRN_HD Vec3<T> moved(T time, Vec3<T> arm) const {
    const Quat<T> dq = quatFromRotationVector(time * turn);
    const Vec3<T> axis{dq.x, dq.y, dq.z}, twice = T(2) * cross(axis, arm);
    return time * motion + dq.w * twice + cross(axis, twice);
  }
};

template <class T> struct MovingShape {
  int type;
  Vec3<T> size;
  Pose<T> localPose;
  T arm;  // what a turn takes along is at most this far from the centre of mass; surfaces of spheres about their own centres do not count [m]
  BodyPath<T> path;
  CAIRN_HD PlacedShape<T> at(T time) const { return {type, size, path.at(time) * localPose}; }
};

template <class T> CAIRN_HD inline T armOf(const ShapeRecord<T>& shape) {
  return shape.type == kSphere || shape.type == kCapsule ? maxOf(shape.boundingRadius - shape.size.x, T(0)) : shape.boundingRadius;
}

// How far inside a shape is at most: its smallest half extent or radius. Surfaces have no end.
template <class T> CAIRN_HD inline T innerSize(const ShapeRecord<T>& shape) {
  if (isSurface(shape)) return T(1e15);
  return shape.type == kBox || shape.type == kEllipsoid || isRevolved(shape.type) ? minOf(shape.size.x, minOf(shape.size.y, shape.size.z))
                                                                                  : shape.size.x;
}

template <class T> CAIRN_HD inline MovingShape<T> movingShape(const ShapeRecord<T>& shape, const BodyPath<T>& path) {
  return {shape.type, shape.size, shape.localPose, armOf(shape), path};
}

// How far a shape reaches from its centre along the unit vector n.
template <class T> CAIRN_HD inline T reachAlong(const PlacedShape<T>& shape, Vec3<T> n) {
  if (shape.type == kSphere) return shape.size.x;
  const Vec3<T> local = inverseRotate(shape.pose.q, n);
  if (shape.type == kCapsule) return shape.size.x + shape.size.y * absOf(local.y);
  if (shape.type == kBox) return dot(shape.size, absOf(local));
  return shape.type == kEllipsoid ? length(scale(shape.size, local)) : T(0);
}

// What the search asks of shapes. Worlds with more than plain ones have MeshShapes (mesh_shapes.hpp), which asks AllShapes (collide_revolved.hpp) of
// what is no mesh, and that ShapesWithHulls (collide_hull.hpp).
struct PlainShapes {
  // One body a kernel for all that comes here, or compilers take minutes.
  template <class T>
  [[gnu::noinline]] CAIRN_HD static void meetPlain(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) {
    collide(a, b, margin, out);
  }
  template <class T> CAIRN_HD void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) const {
    meetPlain(a, b, margin, out);
  }
  template <class T> CAIRN_HD T reach(const PlacedShape<T>& shape, Vec3<T> n) const { return reachAlong(shape, n); }
  // Of a ball that lies at the contact as the shape does while it rolls; the arm from the body's centre of mass.
  template <class T> CAIRN_HD T radius(const ShapeRecord<T>& shape, Quat<T> /*body*/, Vec3<T> /*normal*/, Vec3<T> /*arm*/) const {
    return shape.type == kSphere || shape.type == kCapsule ? shape.size.x : T(0);
  }
};

// How far two shapes are apart along the unit vector n from A to B; B is no half-space. `way` is how far they may still come towards each other.
template <class T, class Shapes>
CAIRN_HD inline T gapAlong(const Shapes& shapes, const PlacedShape<T>& a, const PlacedShape<T>& b, Vec3<T> n, T /*way*/) {
  return dot(n, b.pose.p - a.pose.p) - shapes.reach(a, n) - shapes.reach(b, -n);
}

// For how long two shapes cannot meet whatever lies further away, if more is known of that than gapAlong() says of the whole way; 0 for convex
// shapes.
template <class T> struct Approach {
  Vec3<T> n;
  T goal, closing, speed, way;  // gap to stop at [m]; along n, and of anything in any direction [m] a time of 1; what is left of it [m]
};
template <class T, class Shapes>
CAIRN_HD inline T timeNearby(const Shapes& /*shapes*/, const PlacedShape<T>& /*a*/, const PlacedShape<T>& /*b*/, const Approach<T>& /*approach*/) {
  return T(0);
}

// What counts as a meeting: shapes that are `depth` deep. Those that are deeper at time 0 meet half way between there and the depth `limit`, so that
// they are kept from going through each other and otherwise left alone. Those that are too deep for that meet at time 0 if they would change sides.
// Without a larger limit shapes that are near at time 0 meet nowhere.
template <class T> struct ImpactRule {
  T depth, limit;          // [m] >= 0
  T tolerance;             // met is who is nearer than this [m], > 0
  bool timeAlone = false;  // of solids no contacts are wanted
};

template <class T> struct Impact {
  bool met;
  bool atStart;               // they were as near as that at time 0
  T time;                     // 0..1; 1 if they do not meet
  LocalManifold<T> manifold;  // at that time; at time 1 none
};

constexpr int kImpactLooks = 40;

template <class T> CAIRN_HD inline T turnSpeedAlong(const MovingShape<T>& shape, Vec3<T> n, T arm) { return arm * length(cross(n, shape.path.turn)); }

// Shapes deep in each other: whether they would part towards the other side at the end of their ways.
template <class T, class Shapes>
CAIRN_HD inline bool changesSides(const MovingShape<T>& a, const MovingShape<T>& b, T speed, const LocalManifold<T>& start, const Shapes& shapes) {
  LocalManifold<T> end;
  shapes.meet(a.at(T(1)), b.at(T(1)), T(2) * speed, end);
  return end.pointCount > 0 && dot(end.normal, start.normal) < T(0);
}

// Whether the shapes know a better way to find that out, and have: true of two solids.
template <class T, class Shapes> CAIRN_HD inline bool knowsImpact(const Shapes& /*shapes*/, const MovingShape<T>& /*a*/, const MovingShape<T>& /*b*/,
                                                                  const ImpactRule<T>& /*rule*/, Impact<T>& /*impact*/) {
  return false;
}

// Positions of both paths are relative to a point near them.
template <class T, class Shapes = PlainShapes>
CAIRN_HD inline Impact<T> timeOfImpact(const MovingShape<T>& a, const MovingShape<T>& b, const ImpactRule<T>& rule, const Shapes& shapes = Shapes{}) {
  Impact<T> impact;
  impact.met = impact.atStart = false;
  impact.time = T(0);
  impact.manifold.pointCount = 0;
  if (isMesh(a.type) && isMesh(b.type) && knowsImpact(shapes, a, b, rule, impact)) return impact;
  const Vec3<T> approach = a.path.motion - b.path.motion;
  // A surface turns about its body's centre: what of it is met is as far away as the other shape is.
  const T armB =
      isSurface(b.type, b.size) ? length(a.path.start - b.path.start) + length(approach) + a.arm + length(b.localPose.p) + length(a.size) : b.arm;
  const T speed = length(approach) + a.arm * length(a.path.turn) + armB * length(b.path.turn);
  T goal = -rule.depth;
  for (int look = 0; look < kImpactLooks; ++look) {
    const T left = T(1) - impact.time;
    const PlacedShape<T> placedA = a.at(impact.time), placedB = b.at(impact.time);
    shapes.meet(placedA, placedB, maxOf(speed * left + rule.tolerance, rule.tolerance), impact.manifold);
    if (impact.manifold.pointCount == 0) break;
    const T separation = deepestOf(impact.manifold);
    if (look == 0 && separation <= goal + rule.tolerance) {
      impact.atStart = true;
      if (!(rule.limit > rule.depth)) break;
      goal = minOf(goal, T(0.5) * (separation - rule.limit)) - rule.tolerance;
      if (separation <= goal) {
        impact.met = changesSides(a, b, speed, impact.manifold, shapes);
        if (impact.met) return impact;
        break;
      }
    }
    if (separation <= goal + rule.tolerance) {
      impact.met = true;
      return impact;
    }
    const Vec3<T> n = impact.manifold.normal;
    T gap = separation;
    if (b.type != kHalfSpace) gap = minOf(gap, gapAlong(shapes, placedA, placedB, n, speed * left + rule.tolerance));
    const T closing = dot(n, approach) + turnSpeedAlong(a, n, a.arm) + turnSpeedAlong(b, n, armB);
    const T along = gap - goal, room = separation - goal;
    if (along > T(0) && closing * left < along) break;
    // Where the direction is no good (a corner beside a face) the distance itself still shrinks no faster than everything moves.
    T advance = along > T(0) ? along / closing : T(0);
    if (along < T(0.5) * room) advance = maxOf(advance, room / speed);
    if (isMesh(a.type) || isMesh(b.type)) {
      advance = maxOf(advance, timeNearby(shapes, placedA, placedB, Approach<T>{n, goal, closing, speed, speed * left + rule.tolerance}));
    }
    impact.time += advance;
    if (!(impact.time < T(1))) break;
    if (look == kImpactLooks - 1) {
      impact.met = true;
      return impact;
    }
  }
  impact.time = T(1);
  impact.manifold.pointCount = 0;
  return impact;
}

}  // namespace cairn::v0
