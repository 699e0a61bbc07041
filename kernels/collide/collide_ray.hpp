// A ray against each shape: pure functions.
//
// Each works in the shape's frame and answers with the nearest distance >= 0 at which the ray enters the shape. A ray that starts inside hits at
// distance 0 with a normal against it; one that starts on the surface hits there if it goes inwards and misses if it leaves.
// Bounded shapes are convex: the ray is inside over one interval [near, far], which is measured from the point closest to the shape's centre, so that
// distance does not eat the digits of the hit.
#pragma once

#include "kernels/collide/revolved_solid.hpp"
#include "kernels/state/hull_view.hpp"

namespace cairn::v0 {

template <class T> struct RayImpact {
  bool hit;
  T distance;      // [m]
  Vec3<T> normal;  // unit, outward at the hit; against the ray if it starts inside
};

namespace ray {

// Larger than any distance that counts.
template <class T> CAIRN_HD inline T farAway() { return T(1e30); }

template <class T> struct Interval {
  T near, far;  // empty if near > far
};

template <class T> CAIRN_HD inline Interval<T> nowhere() { return {farAway<T>(), -farAway<T>()}; }

// The interval in which the quadratic a t^2 + 2 b t + c, a > 0, is not positive.
template <class T> CAIRN_HD inline Interval<T> belowZero(T a, T b, T c) {
  const T discriminant = b * b - a * c;
  if (!(discriminant >= T(0))) return nowhere<T>();
  const T root = squareRoot(discriminant);
  // The root of larger magnitude first: the other one then follows without cancellation.
  const T q = b > T(0) ? -b - root : root - b;
  const T first = q / a, second = q != T(0) ? c / q : T(0);
  return {minOf(first, second), maxOf(first, second)};
}

// The interval in which |p + t d| <= radius, d a unit vector.
template <class T> CAIRN_HD inline Interval<T> insideSphere(Vec3<T> p, Vec3<T> d, T radius) {
  return belowZero(T(1), dot(p, d), dot(p, p) - radius * radius);
}

// The interval in which -h <= p + t d <= h.
template <class T> CAIRN_HD inline Interval<T> insideSlab(T p, T d, T h) {
  if (d == T(0)) return absOf(p) <= h ? Interval<T>{-farAway<T>(), farAway<T>()} : nowhere<T>();
  const T a = (-h - p) / d, b = (h - p) / d;
  return {minOf(a, b), maxOf(a, b)};
}

template <class T> CAIRN_HD inline RayImpact<T> missed() { return {false, T(0), {T(0), T(0), T(0)}}; }

}  // namespace ray

// The ray starts at p and goes along the unit vector d, both in the shape's frame; so is the normal.

template <class T> CAIRN_HD inline RayImpact<T> rayAgainstHalfSpace(Vec3<T> p, Vec3<T> d) {
  if (p.y < T(0)) return {true, T(0), -d};
  if (!(d.y < T(0))) return ray::missed<T>();
  return {true, p.y / -d.y, {T(0), T(1), T(0)}};
}

template <class T> CAIRN_HD inline RayImpact<T> rayAgainstSphere(Vec3<T> p, Vec3<T> d, T radius) {
  if (dot(p, p) < radius * radius) return {true, T(0), -d};
  const T closest = -dot(p, d);
  if (!(closest > T(0))) return ray::missed<T>();
  const Vec3<T> c = p + closest * d;
  const ray::Interval<T> inside = ray::insideSphere(c, d, radius);
  if (inside.near > inside.far) return ray::missed<T>();
  return {true, maxOf(closest + inside.near, T(0)), normalizedOr(c + inside.near * d, -d)};
}

// Axis y.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstCapsule(Vec3<T> p, Vec3<T> d, T radius, T halfHeight) {
  const Vec3<T> fromAxis{p.x, p.y - clampTo(p.y, -halfHeight, halfHeight), p.z};
  if (dot(fromAxis, fromAxis) < radius * radius) return {true, T(0), -d};
  const T closest = -dot(p, d);
  const Vec3<T> c = p + closest * d;
  // The capsule is the union of two balls and a cylinder; the hull of their intervals is the ray's interval because it is convex.
  const Vec3<T> up{T(0), halfHeight, T(0)};
  const ray::Interval<T> upper = ray::insideSphere(c - up, d, radius), lower = ray::insideSphere(c + up, d, radius);
  T near = minOf(upper.near, lower.near), far = maxOf(upper.far, lower.far);
  const T across = d.x * d.x + d.z * d.z;
  if (across > T(0)) {
    const ray::Interval<T> side = ray::belowZero(across, c.x * d.x + c.z * d.z, c.x * c.x + c.z * c.z - radius * radius);
    const ray::Interval<T> height = ray::insideSlab(c.y, d.y, halfHeight);
    const T in = maxOf(side.near, height.near), out = minOf(side.far, height.far);
    if (in <= out) {
      near = minOf(near, in);
      far = maxOf(far, out);
    }
  }
  // The ray starts outside, so it is wholly before or wholly behind the capsule, up to rounding: the middle decides.
  if (near > far || !(closest + T(0.5) * (near + far) > T(0))) return ray::missed<T>();
  const Vec3<T> at = c + near * d;
  return {true, maxOf(closest + near, T(0)), normalizedOr(Vec3<T>{at.x, at.y - clampTo(at.y, -halfHeight, halfHeight), at.z}, -d)};
}

template <class T> CAIRN_HD inline RayImpact<T> rayAgainstBox(Vec3<T> p, Vec3<T> d, Vec3<T> halfExtents) {
  if (absOf(p.x) < halfExtents.x && absOf(p.y) < halfExtents.y && absOf(p.z) < halfExtents.z) return {true, T(0), -d};
  const T closest = -dot(p, d);
  const Vec3<T> c = p + closest * d;
  const ray::Interval<T> x = ray::insideSlab(c.x, d.x, halfExtents.x), y = ray::insideSlab(c.y, d.y, halfExtents.y),
                         z = ray::insideSlab(c.z, d.z, halfExtents.z);
  const T near = maxOf(x.near, maxOf(y.near, z.near)), far = minOf(x.far, minOf(y.far, z.far));
  if (near > far || !(closest + T(0.5) * (near + far) > T(0))) return ray::missed<T>();
  Vec3<T> normal{T(0), T(0), T(0)};
  if (near == x.near) {
    normal.x = d.x > T(0) ? T(-1) : T(1);
  } else if (near == y.near) {
    normal.y = d.y > T(0) ? T(-1) : T(1);
  } else {
    normal.z = d.z > T(0) ? T(-1) : T(1);
  }
  return {true, maxOf(closest + near, T(0)), normal};
}

// The unit ball's ray in units of the semi-axes.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstEllipsoid(Vec3<T> p, Vec3<T> d, Vec3<T> axes) {
  const Vec3<T> inverse{T(1) / axes.x, T(1) / axes.y, T(1) / axes.z};
  const Vec3<T> scaled = scale(inverse, d);
  const T speed = length(scaled);
  RayImpact<T> impact = rayAgainstSphere(scale(inverse, p), (T(1) / speed) * scaled, T(1));
  if (!impact.hit) return impact;
  if (impact.distance == T(0)) return {true, T(0), -d};
  impact.distance = impact.distance / speed;
  impact.normal = normalizedOr(scale(inverse, impact.normal), -d);
  return impact;
}

// In double: between the planes of all faces.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstHull(Vec3<T> start, Vec3<T> direction, const HullShape& hull) {
  const Vec3<double> p = convert<double>(start), d = normalizedOr(convert<double>(direction), Vec3<double>{0, 1, 0});
  double near = -ray::farAway<double>(), far = ray::farAway<double>();
  int entered = -1;
  bool inside = true;
  for (int f = 0; f < hull.faceCount; ++f) {
    const double height = dot(hull.faces[f].normal, p) - hull.faces[f].offset, speed = dot(hull.faces[f].normal, d);
    inside = inside && height < 0;
    if (speed < 0 && height / -speed > near) near = height / -speed, entered = f;
    if (speed > 0) far = minOf(far, -height / speed);
    if (speed == 0 && height > 0) return ray::missed<T>();
  }
  if (inside) return {true, T(0), -direction};
  if (near > far || entered < 0 || !(near + far > 0)) return ray::missed<T>();
  return {true, T(maxOf(near, 0.0)), convert<T>(hull.faces[entered].normal)};
}

namespace ray {

// The interval of a line within an infinite cylinder, or within a double cone, of which the slab from `along` keeps one half: a t^2 + 2 b t + c <= 0,
// where a is not positive for lines that run steeper than the cone's side and leave it through infinity.
CAIRN_HD inline Interval<double> insideSide(double a, double b, double c, Interval<double> along) {
  if (a > 0) {
    const Interval<double> side = belowZero(a, b, c);
    return {maxOf(side.near, along.near), minOf(side.far, along.far)};
  }
  if (a == 0) {
    if (b == 0) return c <= 0 ? along : nowhere<double>();
    const double t = -0.5 * c / b;
    return b > 0 ? Interval<double>{along.near, minOf(along.far, t)} : Interval<double>{maxOf(along.near, t), along.far};
  }
  // Inside before the first root and behind the second: on one of both sides within the slab.
  const double discriminant = b * b - a * c;
  if (!(discriminant >= 0)) return along;
  const double root = squareRoot(discriminant), q = b > 0 ? -b - root : root - b;
  const double one = q / a, other = q != 0 ? c / q : 0.0, first = minOf(one, other), second = maxOf(one, other);
  const Interval<double> before{along.near, minOf(along.far, first)}, behind{maxOf(along.near, second), along.far};
  return before.far - before.near >= behind.far - behind.near ? before : behind;
}

}  // namespace ray

// In double.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstRevolved(Vec3<T> start, Vec3<T> direction, const RevolvedSolid& solid) {
  const Vec3<double> p = convert<double>(start), d = normalizedOr(convert<double>(direction), Vec3<double>{0, 1, 0});
  const double half = solid.half, perHeight = (solid.bottom - solid.top) / (2 * half), middle = 0.5 * (solid.bottom + solid.top);
  const auto radiusAt = [&](double y) { return middle - perHeight * y; };
  const double own = radiusAt(p.y);
  if (absOf(p.y) < half && p.x * p.x + p.z * p.z < own * own) return {true, T(0), -direction};
  const double closest = -dot(p, d);
  const Vec3<double> c = p + closest * d;
  const ray::Interval<double> slab = ray::insideSlab(c.y, d.y, half);
  if (slab.near > slab.far) return ray::missed<T>();
  const double radius = radiusAt(c.y), change = perHeight * d.y;
  const double a = d.x * d.x + d.z * d.z - change * change, b = c.x * d.x + c.z * d.z + change * radius;
  const ray::Interval<double> in = ray::insideSide(a, b, c.x * c.x + c.z * c.z - radius * radius, slab);
  if (in.near > in.far || !(closest + 0.5 * (in.near + in.far) > 0)) return ray::missed<T>();
  const Vec3<double> at = c + in.near * d;
  Vec3<double> normal{0, d.y > 0 ? -1.0 : 1.0, 0};
  if (in.near > slab.near) {
    const Vec3<double> radial = normalizedOr(Vec3<double>{at.x, 0, at.z}, Vec3<double>{0, 0, 0});
    normal = normalizedOr(Vec3<double>{solid.cosine * radial.x, solid.sine, solid.cosine * radial.z}, -d);
  }
  return {true, T(maxOf(closest + in.near, 0.0)), convert<T>(normal)};
}

// In the world; the direction is a unit vector.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstShape(Vec3<T> origin, Vec3<T> direction, const ShapeRecord<T>& shape, const Pose<T>& pose,
                                                                const HullView& hulls = {}) {
  const Vec3<T> p = inverseTransform(pose, origin), d = inverseRotate(pose.q, direction);
  RayImpact<T> impact = ray::missed<T>();
  if (shape.type == kSphere) {
    impact = rayAgainstSphere(p, d, shape.size.x);
  } else if (shape.type == kCapsule) {
    impact = rayAgainstCapsule(p, d, shape.size.x, shape.size.y);
  } else if (shape.type == kBox) {
    impact = rayAgainstBox(p, d, shape.size);
  } else if (shape.type == kEllipsoid) {
    impact = rayAgainstEllipsoid(p, d, shape.size);
  } else if (isHull(shape.type)) {
    impact = rayAgainstHull(p, d, hulls.of(shape.type));
  } else if (isRevolved(shape.type)) {
    impact = rayAgainstRevolved(p, d, revolvedSolid(shape.type, convert<double>(shape.size)));
  } else {
    impact = rayAgainstHalfSpace(p, d);
  }
  if (!impact.hit) return impact;
  // A ray that starts inside is answered by itself, to the bit, rather than by its image there and back.
  const bool inside = impact.distance == T(0) && impact.normal.x == -d.x && impact.normal.y == -d.y && impact.normal.z == -d.z;
  impact.normal = inside ? -direction : rotate(pose.q, impact.normal);
  return impact;
}

}  // namespace cairn::v0
