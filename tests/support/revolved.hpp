// Cylinders and cones as the collide functions have them.
#pragma once

#include "tests/collide/collide_oracle.hpp"

#include <cmath>

namespace cairn::test {

// With the radius of the largest ball in it, which other types' sizes do not have.
inline Shape withInnerBall(Shape shape) {
  const double r = shape.size.x, h = shape.size.y;
  if (shape.type == kCylinder) shape.size.z = std::min(r, h);
  if (shape.type == kCone) shape.size.z = 2 * h * r / (r + std::sqrt(r * r + 4 * h * h));
  return shape;
}

inline Shape cylinderAt(double radius, double halfHeight, Vec p = {0, 0, 0}, Quat<double> q = identityQuat<double>()) {
  return withInnerBall({kCylinder, {radius, halfHeight, 0}, {p, normalized(q)}});
}
inline Shape coneAt(double radius, double halfHeight, Vec p = {0, 0, 0}, Quat<double> q = identityQuat<double>()) {
  return withInnerBall({kCone, {radius, halfHeight, 0}, {p, normalized(q)}});
}

}  // namespace cairn::test
