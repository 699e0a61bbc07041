// A ray against a triangle mesh: a pure function.
//
// Each triangle is asked on which side of its three edges the ray passes. Neighbours work out the same number for their common edge but for its sign,
// so that no ray slips through between them. The tree is walked in its order, and what begins behind the best hit so far is passed over.
#pragma once

#include "kernels/collide/collide_ray.hpp"
#include "kernels/state/mesh_view.hpp"

namespace cairn::v0 {

namespace ray {

// A ray in a mesh's frame. How far away its nearest hit is so far, and the triangle.
struct MeshRay {
  Vec3<double> start, direction, inverse;
  double nearest;
  int triangle;

  // Whether it meets the bounds before its nearest hit. A ray in the plane of a side gives 0 times infinity there, which says nothing.
  CAIRN_HD bool meets(const BoxNode& node) const {
    double near = 0, far = nearest;
    for (int axis = 0; axis < 3; ++axis) {
      const double o = component(start, axis), i = component(inverse, axis), low = double(node.low[axis]), high = double(node.high[axis]);
      if (component(direction, axis) == 0) {
        if (o < low || o > high) return false;
        continue;
      }
      const double a = (low - o) * i, b = (high - o) * i;
      near = maxOf(near, minOf(a, b));
      far = minOf(far, maxOf(a, b));
    }
    // By more than the rounding of both: a hit on the border of the bounds is one.
    return near <= far + 1e-14 * (absOf(near) + absOf(far));
  }

  CAIRN_HD void test(const MeshShape& shape, int number) {
    const Vec3<double> a = shape.corner(number, 0) - start, b = shape.corner(number, 1) - start, c = shape.corner(number, 2) - start;
    const double ab = dot(direction, cross(a, b)), bc = dot(direction, cross(b, c)), ca = dot(direction, cross(c, a));
    // From outside the corners go round against the clock: all of them negative, or zero.
    const bool fromOutside = ab <= 0 && bc <= 0 && ca <= 0, fromBehind = ab >= 0 && bc >= 0 && ca >= 0;
    if (!(fromOutside || (fromBehind && shape.twoSided != 0))) return;
    const double sum = ab + bc + ca;
    if (sum == 0) return;  // along its plane
    // The corners' weights are those of the edges opposite.
    const Vec3<double> at = (bc / sum) * a + (ca / sum) * b + (ab / sum) * c;
    const double distance = dot(direction, at), level = 1e-14 * (lengthOf(start) + lengthOf(at));
    if (!(distance >= -level) || !(distance < nearest)) return;
    nearest = distance;
    triangle = number;
  }
  CAIRN_HD static double lengthOf(Vec3<double> v) { return absOf(v.x) + absOf(v.y) + absOf(v.z); }
};

}  // namespace ray

// The first triangle that the ray meets within `reach` [m], in double; from outside, or of a two-sided mesh from either side. The normal is the
// triangle's, against the ray. A mesh has no inside: a ray that starts behind a triangle does not meet it.
template <class T>
CAIRN_HD inline RayImpact<T> rayAgainstMesh(Vec3<T> start, Vec3<T> direction, const MeshShape& shape, T reach = ray::farAway<T>()) {
  const Vec3<double> d = normalizedOr(convert<double>(direction), Vec3<double>{0, 1, 0});
  ray::MeshRay ray{convert<double>(start), d, {1 / d.x, 1 / d.y, 1 / d.z}, double(reach), -1};
  for (int i = 0; i < shape.nodeCount;) {
    const BoxNode& node = shape.nodes[i];
    if (!ray.meets(node)) {
      i = node.next;
      continue;
    }
    const int first = node.items >> 3, end = first + (node.items & 7);
    for (int t = first; t < end; ++t) ray.test(shape, t);
    ++i;
  }
  if (ray.triangle < 0) return ray::missed<T>();
  const Vec3<double> a = shape.corner(ray.triangle, 0);
  const Vec3<double> normal = normalizedOr(cross(shape.corner(ray.triangle, 1) - a, shape.corner(ray.triangle, 2) - a), -d);
  return {true, T(maxOf(ray.nearest, 0.0)), convert<T>(dot(normal, d) > 0 ? -normal : normal)};
}

}  // namespace cairn::v0
