// Spheres and capsules against each other, boxes and half-spaces. Capsules that lie along each other, on a face or on the ground rest on two points.
#pragma once

#include "collide.hpp"

namespace cairn {

template <class T> CAIRN_HD inline void collideSphereSphere(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  collideBalls(a.p, a.size.x, b.p, b.size.x, margin, 0u, m);
}

// A ball around a point against a box: from outside along the shortest way, from inside out through the nearest face. The normal points from ball to
// box.
template <class T>
CAIRN_HD inline void collideBallBox(Vec3<T> centre, T radius, const Geometry<T>& box, T margin, uint32_t feature, LocalManifold<T>& m) {
  const Vec3<T> local = transposeTimes(box.r, centre - box.p);
  const Vec3<T> nearest = clampTo(local, box.size);
  const Vec3<T> d = local - nearest;
  const T distance2 = dot(d, d);
  Vec3<T> outward;  // of the box, local
  T distance;
  if (distance2 > T(1e-12) * (T(1) + dot(local, local))) {
    distance = squareRoot(distance2);
    outward = (T(1) / distance) * d;
  } else {
    const Vec3<T> depth = box.size - absOf(local);
    const bool x = depth.x <= depth.y && depth.x <= depth.z, y = !x && depth.y <= depth.z;
    outward = {x ? signOf(local.x) : T(0), y ? signOf(local.y) : T(0), x || y ? T(0) : signOf(local.z)};
    distance = -(x ? depth.x : (y ? depth.y : depth.z));
  }
  const T separation = distance - radius;
  if (!(separation <= margin)) return;
  m.normal = -(box.r * outward);
  addPoint(m, centre + (radius + T(0.5) * separation) * m.normal, separation, feature);
}

template <class T> CAIRN_HD inline void collideSphereBox(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  collideBallBox(a.p, a.size.x, b, margin, 0u, m);
}

template <class T> CAIRN_HD inline void collideSphereHalfSpace(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const Vec3<T> up = b.r.c1;
  const T separation = dot(up, a.p - b.p) - a.size.x;
  if (!(separation <= margin)) return;
  m.normal = -up;
  addPoint(m, a.p - (a.size.x + T(0.5) * separation) * up, separation, 0u);
}

// Half the segment, from its centre to its +y end.
template <class T> CAIRN_HD inline Vec3<T> halfSegment(const Geometry<T>& capsule) { return capsule.size.y * capsule.r.c1; }

template <class T> CAIRN_HD inline void collideSphereCapsule(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const T along = clampTo(dot(a.p - b.p, b.r.c1), -b.size.y, b.size.y);
  collideBalls(a.p, a.size.x, b.p + along * b.r.c1, b.size.x, margin, 0u, m);
}

template <class T> CAIRN_HD inline void collideCapsuleHalfSpace(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const Vec3<T> up = b.r.c1, half = halfSegment(a);
  m.normal = -up;
  for (int end = 0; end < 2; ++end) {
    const Vec3<T> p = end == 0 ? a.p - half : a.p + half;
    const T separation = dot(up, p - b.p) - a.size.x;
    if (separation <= margin) addPoint(m, p - (a.size.x + T(0.5) * separation) * up, separation, static_cast<uint32_t>(end));
  }
}

// Closest points of two segments p +- d: Ericson, "Real-Time Collision Detection", 2005, section 5.1.9, centred.
template <class T> CAIRN_HD inline void collideCapsuleCapsule(const Geometry<T>& a, const Geometry<T>& b, T margin, LocalManifold<T>& m) {
  const Vec3<T> u = a.r.c1, v = b.r.c1, w = a.p - b.p;
  const T uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const T sine2 = T(1) - uv * uv;
  if (sine2 < T(1e-4)) {
    // Along each other: the ends of the stretch that both cover, in A's coordinate.
    const T centre = -uw, reach = b.size.y * absOf(uv);
    const T low = maxOf(-a.size.y, centre - reach), high = minOf(a.size.y, centre + reach);
    if (high - low > T(1e-2) * minOf(a.size.y, b.size.y)) {
      const Vec3<T> middleA = a.p + (T(0.5) * (low + high)) * u;
      const Vec3<T> middleB = b.p + clampTo(dot(middleA - b.p, v), -b.size.y, b.size.y) * v;
      Vec3<T> d = middleB - middleA;
      d -= dot(d, u) * u;
      Vec3<T> t1, t2;
      tangentFrame(u, t1, t2);
      m.normal = normalizedOr(d, t1);
      for (int end = 0; end < 2; ++end) {
        const Vec3<T> onA = a.p + (end == 0 ? low : high) * u;
        const Vec3<T> onB = b.p + clampTo(dot(onA - b.p, v), -b.size.y, b.size.y) * v;
        const T separation = dot(m.normal, onB - onA) - a.size.x - b.size.x;
        if (separation <= margin) addPoint(m, onA + (a.size.x + T(0.5) * separation) * m.normal, separation, static_cast<uint32_t>(end));
      }
      return;
    }
  }
  T s = clampTo((uv * vw - uw) / maxOf(sine2, T(1e-6)), -a.size.y, a.size.y);
  const T t = clampTo(s * uv + vw, -b.size.y, b.size.y);
  s = clampTo(t * uv - uw, -a.size.y, a.size.y);
  collideBalls(a.p + s * u, a.size.x, b.p + t * v, b.size.x, margin, 2u, m);
}

// The part of the segment c + t d, |t| <= 1, within |coordinate| <= half along one axis.
template <class T> CAIRN_HD inline void clipSegment(T c, T d, T half, T& low, T& high) {
  if (absOf(d) < T(1e-9)) {
    if (absOf(c) > half) high = low - T(1);  // nothing is left
    return;
  }
  const T inverse = T(1) / d;
  const T t0 = (-half - c) * inverse, t1 = (half - c) * inverse;
  low = maxOf(low, minOf(t0, t1));
  high = minOf(high, maxOf(t0, t1));
}

// In the box's frame. Separated: the point of the segment nearest to the box, by bisection of the distance's monotone derivative. The segment in
// the box: the axis of least penetration among the faces and the cross products. A normal along a face gives the two ends of the segment over that
// face.
template <class T> CAIRN_HD inline void collideCapsuleBox(const Geometry<T>& a, const Geometry<T>& box, T margin, LocalManifold<T>& m) {
  const Vec3<T> c = transposeTimes(box.r, a.p - box.p), d = transposeTimes(box.r, halfSegment(a)), half = box.size;
  const T radius = a.size.x;
  const auto slope = [&](T t) {
    const Vec3<T> p = c + t * d;
    return dot(d, p - clampTo(p, half));
  };
  T low = T(-1), high = T(1);
  if (slope(low) >= T(0)) {
    high = low;
  } else if (slope(high) <= T(0)) {
    low = high;
  }
  for (int k = 0; k < 30 && high > low; ++k) {
    const T middle = T(0.5) * (low + high);
    if (slope(middle) < T(0)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const T nearest = T(0.5) * (low + high);
  const Vec3<T> p = c + nearest * d;
  const Vec3<T> away = p - clampTo(p, half);
  const T distance = length(away);

  Vec3<T> outward;
  int face = -1;
  T separation;
  const T scale = half.x + half.y + half.z;
  if (distance > T(1e-5) * scale) {
    separation = distance - radius;
    if (!(separation <= margin)) return;
    outward = (T(1) / distance) * away;
    for (int i = 0; i < 3; ++i) {
      if (absOf(component(outward, i)) > T(0.9995)) face = i;
    }
  } else {
    T depth = T(0);
    for (int i = 0; i < 6; ++i) {
      Vec3<T> axis{i == 0 ? T(1) : T(0), i == 1 ? T(1) : T(0), i == 2 ? T(1) : T(0)};
      if (i >= 3) {
        const Vec3<T> unit{i == 3 ? T(1) : T(0), i == 4 ? T(1) : T(0), i == 5 ? T(1) : T(0)};
        axis = cross(unit, d);
        const T l2 = dot(axis, axis);
        if (l2 < T(1e-8) * dot(d, d)) continue;
        axis = (T(1) / squareRoot(l2)) * axis;
      }
      const T overlap = dot(half, absOf(axis)) + absOf(dot(axis, d)) - absOf(dot(axis, c));
      // Faces first: an edge must be better by a little, so that resting capsules do not change their mind.
      if (i == 0 || overlap < depth * (i >= 3 ? T(0.98) : T(1))) {
        depth = overlap;
        outward = signOf(dot(axis, c)) * axis;
        face = i < 3 ? i : -1;
      }
    }
    separation = -depth - radius;
  }
  m.normal = -(box.r * outward);
  if (face >= 0) {
    const T sign = signOf(component(outward, face));
    T t0 = T(-1), t1 = T(1);
    for (int i = 0; i < 3; ++i) {
      if (i != face) clipSegment(component(c, i), component(d, i), component(half, i), t0, t1);
    }
    if (t1 >= t0) {
      const Vec3<T> normal{face == 0 ? sign : T(0), face == 1 ? sign : T(0), face == 2 ? sign : T(0)};
      m.normal = -(box.r * normal);
      for (int end = 0; end < 2; ++end) {
        if (end == 1 && t1 - t0 < T(1e-3)) break;
        const Vec3<T> onAxis = c + (end == 0 ? t0 : t1) * d;
        const T gap = dot(normal, onAxis) - component(half, face) - radius;
        if (gap <= margin) addPoint(m, box.p + box.r * (onAxis - (radius + T(0.5) * gap) * normal), gap, static_cast<uint32_t>(end));
      }
      if (m.count > 0) return;
      m.normal = -(box.r * outward);
    }
  }
  if (distance > T(1e-5) * scale) {
    addPoint(m, box.p + box.r * (p - (radius + T(0.5) * separation) * outward), separation, 2u);
    return;
  }
  // Through the box by an edge axis: the segment's point that lies deepest along it.
  const T along = absOf(dot(outward, d)) < T(1e-6) * scale ? nearest : -signOf(dot(outward, d));
  const Vec3<T> deepest = c + along * d;
  addPoint(m, box.p + box.r * (deepest - (radius + T(0.5) * separation) * outward), separation, 3u);
}

}  // namespace cairn
