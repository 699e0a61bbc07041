// The result of the collide_* functions: contacts of one pair of shapes.
//
// A contact's separation is measured along the manifold's normal and is never below the true one: a row may see less penetration than
// there is at a point, not more. Features number what touches what on the two shapes, so that a point keeps its feature while the contact does.
#pragma once

#include "kernels/state/views.hpp"

namespace cairn::v0 {

template <class T> struct LocalPoint {
  Vec3<T> position;  // midway between the surfaces [m]
  T separation;      // along the normal [m], negative is penetration
  uint32_t feature;
};

template <class T> struct LocalManifold {
  Vec3<T> normal;  // unit, from A to B
  int pointCount;  // 0: the gap is larger than the margin
  LocalPoint<T> points[kMaxManifoldPoints];
};

template <class T> CAIRN_HD inline void addPoint(LocalManifold<T>& out, Vec3<T> position, T separation, uint32_t feature) {
  LocalPoint<T>& point = out.points[out.pointCount++];
  point.position = position;
  point.separation = separation;
  point.feature = feature;
}

// Smallest separation; for a manifold without points a number larger than any separation.
template <class T> CAIRN_HD inline T deepestOf(const LocalManifold<T>& m) {
  T smallest = T(1e30);
  for (int i = 0; i < m.pointCount; ++i) smallest = minOf(smallest, m.points[i].separation);
  return smallest;
}

// A segment from centre - axis to centre + axis.
template <class T> struct Segment {
  Vec3<T> centre, axis;  // [m]
};

// A box or a half-space keeps its pose; a capsule is a segment with a radius: half height along the shape's y.
template <class T> CAIRN_HD inline Segment<T> capsuleCore(Vec3<T> size, const Pose<T>& pose) { return {pose.p, size.y * rotationMatrix(pose.q).c1}; }

template <class T> CAIRN_HD inline Vec3<T> clampTo(Vec3<T> a, Vec3<T> half) {
  return {clampTo(a.x, -half.x, half.x), clampTo(a.y, -half.y, half.y), clampTo(a.z, -half.z, half.z)};
}

// Coordinates of a box's face across `axis`: (u, v, w) are those along the next axis, the one after it, and outward; and back.
template <class T> CAIRN_HD inline Vec3<T> toFace(Vec3<T> a, int axis, T sign) {
  if (axis == 0) return {a.y, a.z, sign * a.x};
  if (axis == 1) return {a.z, a.x, sign * a.y};
  return {a.x, a.y, sign * a.z};
}
template <class T> CAIRN_HD inline Vec3<T> fromFace(Vec3<T> a, int axis, T sign) {
  if (axis == 0) return {sign * a.z, a.x, a.y};
  if (axis == 1) return {a.y, sign * a.z, a.x};
  return {a.x, a.y, sign * a.z};
}

// 1 / a, huge where a is nearly zero: for slabs along directions that a segment hardly moves in.
template <class T> CAIRN_HD inline T safeInverse(T a) { return T(1) / select(absOf(a) < T(1e-18), T(1e-18), a); }

}  // namespace cairn::v0
