// A ray against each shape: pure functions.
//
// Each works in the shape's frame and answers with the nearest distance >= 0 at which the ray enters the shape. A ray that starts inside hits at
// distance 0 with a normal against it; one that starts on the surface hits there if it goes inwards and misses if it leaves.
// Bounded shapes are convex: the ray is inside over one interval [near, far], which is measured from the point closest to the shape's centre, so that
// distance does not eat the digits of the hit.
//
// V is a scalar, or for the plain shapes a pack of CPU lanes (rows/pack.hpp): several rays against one shape.
#pragma once

#include "kernels/collide/collide_box_pair.hpp"
#include "kernels/collide/revolved_solid.hpp"
#include "kernels/rows/lanes.hpp"
#include "kernels/state/hull_view.hpp"

namespace cairn::v0 {

using collide_detail::MaskOf;

template <class V> struct RayImpact {
  MaskOf<V> hit;
  V distance;      // [m]
  Vec3<V> normal;  // unit, outward at the hit; against the ray if it starts inside
};

namespace ray {

// Larger than any distance that counts.
template <class V> CAIRN_HD inline V farAway() { return V(1e30); }

template <class V> struct Interval {
  V near, far;  // empty if near > far
};

template <class V> CAIRN_HD inline Interval<V> nowhere() { return {farAway<V>(), -farAway<V>()}; }

template <class V> CAIRN_HD inline MaskOf<V> isZero(V a) { return (a >= V(0)) & (a <= V(0)); }
template <class V> CAIRN_HD inline MaskOf<V> areSame(V a, V b) { return (a >= b) & (a <= b); }

// As normalizedOr, in all lanes.
template <class V> CAIRN_HD inline Vec3<V> unitOr(Vec3<V> a, Vec3<V> fallback) {
  using T = typename LaneTraits<V>::Scalar;
  const V l2 = dot(a, a);
  const MaskOf<V> usable = l2 > V(T(1e-30));
  const V inv = V(1) / squareRoot(select(usable, l2, V(1)));
  return select(usable, inv * a, fallback);
}

// The interval in which the quadratic a t^2 + 2 b t + c, a > 0, is not positive.
template <class V> CAIRN_HD inline Interval<V> belowZero(V a, V b, V c) {
  const V discriminant = b * b - a * c;
  const MaskOf<V> some = discriminant >= V(0);
  const V root = squareRoot(select(some, discriminant, V(0)));
  // The root of larger magnitude first: the other one then follows without cancellation.
  const V q = select(b > V(0), -b - root, root - b);
  const MaskOf<V> zero = isZero(q);
  const V first = q / a, second = select(zero, V(0), c / select(zero, V(1), q));
  return {select(some, minOf(first, second), farAway<V>()), select(some, maxOf(first, second), -farAway<V>())};
}

// The interval in which |p + t d| <= radius, d a unit vector.
template <class V> CAIRN_HD inline Interval<V> insideSphere(Vec3<V> p, Vec3<V> d, V radius) {
  return belowZero(V(1), dot(p, d), dot(p, p) - radius * radius);
}

// The interval in which -h <= p + t d <= h.
template <class V> CAIRN_HD inline Interval<V> insideSlab(V p, V d, V h) {
  const MaskOf<V> along = isZero(d), within = absOf(p) <= h;
  const V speed = select(along, V(1), d), a = (-h - p) / speed, b = (h - p) / speed, most = farAway<V>();
  return {select(along, select(within, -most, most), minOf(a, b)), select(along, select(within, most, -most), maxOf(a, b))};
}

template <class V> CAIRN_HD inline RayImpact<V> missed() { return {V(1) < V(0), V(0), {V(0), V(0), V(0)}}; }

}  // namespace ray

// The ray starts at p and goes along the unit vector d, both in the shape's frame; so is the normal.

template <class V> CAIRN_HD inline RayImpact<V> rayAgainstHalfSpace(Vec3<V> p, Vec3<V> d) {
  const MaskOf<V> inside = p.y < V(0), hit = inside | (d.y < V(0));
  const V distance = select(inside, V(0), p.y / -select(hit, d.y, V(1)));
  return {hit, distance, select(inside, -d, Vec3<V>{V(0), V(1), V(0)})};
}

template <class V> CAIRN_HD inline RayImpact<V> rayAgainstSphere(Vec3<V> p, Vec3<V> d, V radius) {
  const MaskOf<V> inside = dot(p, p) < radius * radius;
  const V closest = -dot(p, d);
  const Vec3<V> c = p + closest * d;
  const ray::Interval<V> in = ray::insideSphere(c, d, radius);
  const MaskOf<V> hit = inside | ((closest > V(0)) & (in.near <= in.far));
  if (allOf(!hit)) return ray::missed<V>();
  const Vec3<V> normal = ray::unitOr(c + in.near * d, -d);
  return {hit, select(inside, V(0), maxOf(closest + in.near, V(0))), select(inside, -d, normal)};
}

// Axis y.
template <class V> CAIRN_HD inline RayImpact<V> rayAgainstCapsule(Vec3<V> p, Vec3<V> d, V radius, V halfHeight) {
  const Vec3<V> fromAxis{p.x, p.y - clampTo(p.y, -halfHeight, halfHeight), p.z};
  const MaskOf<V> inside = dot(fromAxis, fromAxis) < radius * radius;
  const V closest = -dot(p, d);
  const Vec3<V> c = p + closest * d;
  // The capsule is the union of two balls and a cylinder; the hull of their intervals is the ray's interval because it is convex.
  const Vec3<V> up{V(0), halfHeight, V(0)};
  const ray::Interval<V> upper = ray::insideSphere(c - up, d, radius), lower = ray::insideSphere(c + up, d, radius);
  const V across = d.x * d.x + d.z * d.z;
  const MaskOf<V> crosses = across > V(0);
  const ray::Interval<V> side = ray::belowZero(select(crosses, across, V(1)), c.x * d.x + c.z * d.z, c.x * c.x + c.z * c.z - radius * radius);
  const ray::Interval<V> height = ray::insideSlab(c.y, d.y, halfHeight);
  const V in = maxOf(side.near, height.near), out = minOf(side.far, height.far);
  const MaskOf<V> counts = crosses & (in <= out);
  V near = minOf(upper.near, lower.near), far = maxOf(upper.far, lower.far);
  near = select(counts, minOf(near, in), near);
  far = select(counts, maxOf(far, out), far);
  // The ray starts outside, so it is wholly before or wholly behind the capsule, up to rounding: the middle decides.
  const MaskOf<V> hit = inside | ((near <= far) & (closest + V(0.5F) * (near + far) > V(0)));
  if (allOf(!hit)) return ray::missed<V>();
  const Vec3<V> at = c + near * d;
  const Vec3<V> normal = ray::unitOr(Vec3<V>{at.x, at.y - clampTo(at.y, -halfHeight, halfHeight), at.z}, -d);
  return {hit, select(inside, V(0), maxOf(closest + near, V(0))), select(inside, -d, normal)};
}

template <class V> CAIRN_HD inline RayImpact<V> rayAgainstBox(Vec3<V> p, Vec3<V> d, Vec3<V> halfExtents) {
  const MaskOf<V> withinX = absOf(p.x) < halfExtents.x, withinY = absOf(p.y) < halfExtents.y, withinZ = absOf(p.z) < halfExtents.z;
  const MaskOf<V> inside = withinX & withinY & withinZ;
  const V closest = -dot(p, d);
  const Vec3<V> c = p + closest * d;
  const ray::Interval<V> x = ray::insideSlab(c.x, d.x, halfExtents.x), y = ray::insideSlab(c.y, d.y, halfExtents.y),
                         z = ray::insideSlab(c.z, d.z, halfExtents.z);
  const V near = maxOf(x.near, maxOf(y.near, z.near)), far = minOf(x.far, minOf(y.far, z.far));
  const MaskOf<V> hit = inside | ((near <= far) & (closest + V(0.5F) * (near + far) > V(0)));
  if (allOf(!hit)) return ray::missed<V>();
  const MaskOf<V> byX = ray::areSame(near, x.near), alsoY = ray::areSame(near, y.near), byY = (!byX) & alsoY;
  const auto against = [](V speed) { return select(speed > V(0), V(-1), V(1)); };
  const Vec3<V> normal{select(byX, against(d.x), V(0)), select(byY, against(d.y), V(0)), select(byX | byY, V(0), against(d.z))};
  return {hit, select(inside, V(0), maxOf(closest + near, V(0))), select(inside, -d, normal)};
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

// Shapes that packs of rays meet as well.
CAIRN_HD inline bool isPlain(int type) { return type == kSphere || type == kCapsule || type == kBox || type == kHalfSpace; }

template <class V> CAIRN_HD inline RayImpact<V> rayAgainstPlain(Vec3<V> p, Vec3<V> d, int type, Vec3<V> size) {
  if (type == kSphere) return rayAgainstSphere(p, d, size.x);
  if (type == kCapsule) return rayAgainstCapsule(p, d, size.x, size.y);
  if (type == kBox) return rayAgainstBox(p, d, size);
  return rayAgainstHalfSpace(p, d);
}

// The normal of an impact in the frame of a shape that is turned like this, in the world. A ray that starts inside is answered by itself, to the bit,
// rather than by its image there and back.
template <class V> CAIRN_HD inline Vec3<V> normalInWorld(const RayImpact<V>& impact, Vec3<V> d, Vec3<V> direction, Quat<V> turn) {
  const MaskOf<V> atOnce = ray::isZero(impact.distance), againstX = ray::areSame(impact.normal.x, -d.x),
                  againstY = ray::areSame(impact.normal.y, -d.y), againstZ = ray::areSame(impact.normal.z, -d.z);
  const MaskOf<V> inside = atOnce & againstX & againstY & againstZ;
  return select(inside, -direction, rotate(turn, impact.normal));
}

// In the world; the direction is a unit vector.
template <class T> CAIRN_HD inline RayImpact<T> rayAgainstShape(Vec3<T> origin, Vec3<T> direction, const ShapeRecord<T>& shape, const Pose<T>& pose,
                                                                const HullView& hulls = {}) {
  const Vec3<T> p = inverseTransform(pose, origin), d = inverseRotate(pose.q, direction);
  RayImpact<T> impact = ray::missed<T>();
  if (isPlain(shape.type)) {
    impact = rayAgainstPlain(p, d, shape.type, shape.size);
  } else if (shape.type == kEllipsoid) {
    impact = rayAgainstEllipsoid(p, d, shape.size);
  } else if (isHull(shape.type)) {
    impact = rayAgainstHull(p, d, hulls.of(shape.type));
  } else {
    impact = rayAgainstRevolved(p, d, revolvedSolid(shape.type, convert<double>(shape.size)));
  }
  if (impact.hit) impact.normal = normalInWorld(impact, d, direction, pose.q);
  return impact;
}

}  // namespace cairn::v0
