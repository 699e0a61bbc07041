// Spheres, capsules and boxes (A) against half-spaces (B), solid below the plane y = 0 of their frame.
#pragma once

#include "kernels/collide/collide_manifold.hpp"

namespace cairn::v0 {

// Height of the plane's zero and its outward normal.
template <class T> struct Plane {
  Vec3<T> normal;
  Vec3<T> origin;
  CAIRN_HD T height(Vec3<T> a) const { return dot(normal, a - origin); }
};
template <class T> CAIRN_HD inline Plane<T> planeOf(const Pose<T>& pose) { return {rotationMatrix(pose.q).c1, pose.p}; }

template <class T> CAIRN_HD inline void collideSphereHalfSpace(Vec3<T> sizeA, const Pose<T>& a, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Plane<T> plane = planeOf(b);
  out.normal = -plane.normal;
  const T separation = plane.height(a.p) - sizeA.x;
  if (separation <= margin) addPoint(out, a.p + (sizeA.x + T(0.5) * separation) * out.normal, separation, 0u);
}

// Feature: the end, 0 or 1.
template <class T> CAIRN_HD inline void collideCapsuleHalfSpace(Vec3<T> sizeA, const Pose<T>& a, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Plane<T> plane = planeOf(b);
  const Segment<T> core = capsuleCore(sizeA, a);
  out.normal = -plane.normal;
  const T middle = plane.height(core.centre) - sizeA.x;
  const T slope = dot(plane.normal, core.axis);
  for (int end = 0; end < 2; ++end) {
    const T side = end == 0 ? T(-1) : T(1);
    const T separation = middle + side * slope;
    if (separation > margin) continue;
    addPoint(out, core.centre + side * core.axis + (sizeA.x + T(0.5) * separation) * out.normal, separation, uint32_t(end));
  }
}

// The four corners of the face that reaches down furthest. The box's three lowest corners are always among them; the fourth lowest may be the other
// end of the steepest edge from the lowest. Feature: the corner, bit k set where it is at +halfExtents along axis k.
template <class T> CAIRN_HD inline void collideBoxHalfSpace(Vec3<T> sizeA, const Pose<T>& a, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Plane<T> plane = planeOf(b);
  const Vec3<T> n = inverseRotate(a.q, plane.normal);
  const Vec3<T> drop = scale(sizeA, absOf(n));
  const T middle = plane.height(a.p);
  if (middle - (drop.x + drop.y + drop.z) > margin) return;
  out.normal = -plane.normal;
  int axis = 0;
  T largest = drop.x;
  if (drop.y > largest) axis = 1, largest = drop.y;
  if (drop.z > largest) axis = 2, largest = drop.z;
  const T sign = select(component(n, axis) > T(0), T(-1), T(1));
  const Vec3<T> half = toFace(sizeA, axis, T(1));
  const Vec3<T> slope = toFace(n, axis, T(1));
  const int axisU = axis == 2 ? 0 : axis + 1, axisV = axis == 0 ? 2 : axis - 1;
  const uint32_t below = sign > T(0) ? 1u << axis : 0u;
  for (int corner = 0; corner < 4; ++corner) {
    const T u = (corner & 1) != 0 ? half.x : -half.x;
    const T v = (corner & 2) != 0 ? half.y : -half.y;
    const T separation = middle - largest + (u * slope.x + v * slope.y);
    if (separation > margin) continue;
    const Vec3<T> position = a.p + rotate(a.q, fromFace(Vec3<T>{u, v, sign * half.z}, axis, T(1)));
    addPoint(out, position + (T(0.5) * separation) * out.normal, separation, below | uint32_t(corner & 1) << axisU | uint32_t(corner >> 1) << axisV);
  }
}

}  // namespace cairn::v0
