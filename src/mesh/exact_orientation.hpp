// On which side of a plane or a line a point lies, decided without rounding.
//
// The determinant is computed in double with a bound of its error (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", 1997, section 4.3); where the bound leaves the sign open, it is summed exactly, as a sum of products of coordinates. Coordinates must
// be such that products of three neither overflow nor lose digits below the smallest double: of size one, say.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

// The sign of (b - a) x (c - a) . (d - a): 1 where d is on the side of the plane that sees a, b, c anticlockwise, 0 in the plane.
int orientation(Vec3d a, Vec3d b, Vec3d c, Vec3d d);

struct Vec2d {
  double x, y;
};
// The sign of (b - a) x (c - a): 1 where a, b, c turn anticlockwise.
int orientation(Vec2d a, Vec2d b, Vec2d c);

}  // namespace cairn::v0
