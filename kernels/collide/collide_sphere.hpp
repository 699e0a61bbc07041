// Spheres against spheres, capsules and boxes. One point each, feature 0.
#pragma once

#include "kernels/collide/collide_manifold.hpp"

namespace cairn::v0 {

// Two points with radii around them, gap at most the margin. If the points nearly coincide, their direction is mostly rounding: the normal is then
// `fallback` or its opposite.
template <class T>
CAIRN_HD inline void collideRounded(Vec3<T> a, T radiusA, Vec3<T> b, T radiusB, T margin, Vec3<T> fallback, uint32_t feature, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Vec3<T> d = b - a;
  const T reach = radiusA + radiusB + margin;
  const T distance2 = dot(d, d);
  if (!(distance2 <= reach * reach)) return;
  const T distance = squareRoot(distance2);
  if (distance > T(1e-3) * minOf(radiusA, radiusB)) {
    out.normal = (T(1) / distance) * d;
  } else {
    out.normal = dot(d, fallback) < T(0) ? -fallback : fallback;
  }
  const T separation = dot(out.normal, d) - (radiusA + radiusB);
  addPoint(out, a + (radiusA + T(0.5) * separation) * out.normal, separation, feature);
}

template <class T>
CAIRN_HD inline void collideSphereSphere(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  collideRounded(a.p, sizeA.x, b.p, sizeB.x, margin, Vec3<T>{T(0), T(1), T(0)}, 0u, out);
}

template <class T>
CAIRN_HD inline void collideSphereCapsule(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Vec3<T> axis = rotationMatrix(b.q).c1;
  const T along = clampTo(dot(a.p - b.p, axis), -sizeB.y, sizeB.y);
  Vec3<T> sideways, other;  // out of the capsule by the shortest way from a point of its core
  tangentFrame(axis, sideways, other);
  collideRounded(a.p, sizeA.x, b.p + along * axis, sizeB.x, margin, sideways, 0u, out);
}

template <class T>
CAIRN_HD inline void collideSphereBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const T radius = sizeA.x;
  const Vec3<T> c = inverseRotate(b.q, a.p - b.p);
  const Vec3<T> surface = clampTo(c, sizeB);
  const Vec3<T> d = surface - c;
  const T distance2 = dot(d, d);
  const T reach = radius + margin;
  if (!(distance2 <= reach * reach)) return;
  // Closer than this the direction is mostly rounding: a face's normal is as good then.
  const T close = T(1e-3) * radius;
  if (distance2 > close * close) {
    const T distance = squareRoot(distance2);
    const T separation = distance - radius;
    const Vec3<T> n = (T(1) / distance) * d;
    out.normal = rotate(b.q, n);
    addPoint(out, a.p + (radius + T(0.5) * separation) * out.normal, separation, 0u);
    return;
  }
  // Out through the nearest face.
  const Vec3<T> depth = sizeB - absOf(c);
  int axis = 0;
  T smallest = depth.x;
  if (depth.y < smallest) axis = 1, smallest = depth.y;
  if (depth.z < smallest) axis = 2, smallest = depth.z;
  const T sign = select(component(c, axis) < T(0), T(-1), T(1));
  const T separation = -smallest - radius;
  out.normal = rotate(b.q, fromFace(Vec3<T>{T(0), T(0), T(-1)}, axis, sign));
  addPoint(out, a.p + (radius + T(0.5) * separation) * out.normal, separation, 0u);
}

}  // namespace cairn::v0
