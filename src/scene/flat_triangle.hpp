// When a triangle counts as one without area.
#pragma once

#include <cairn/scene.hpp>

#include <algorithm>

namespace cairn::v0 {

constexpr double kLineHeight = 1e-12;  // height over the longest edge up to which a triangle is a line

// Height over the longest edge. Scaled first, so that the squares of no size are lost.
inline double flatness(Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d ab = b - a, bc = c - b, ca = a - c;
  double largest = 0;
  for (const Vec3d& edge : {absOf(ab), absOf(bc), absOf(ca)}) largest = std::max({largest, edge.x, edge.y, edge.z});
  if (!(largest > 0)) return 0;
  const Vec3d u{ab.x / largest, ab.y / largest, ab.z / largest}, v{bc.x / largest, bc.y / largest, bc.z / largest},
      w{ca.x / largest, ca.y / largest, ca.z / largest};
  return length(cross(u, v)) / std::max({lengthSquared(u), lengthSquared(v), lengthSquared(w)});
}

}  // namespace cairn::v0
