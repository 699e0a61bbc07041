// Cylinders and cones in their own frame: what lies between two rims about the y axis.
#pragma once

#include "kernels/state/views.hpp"

namespace cairn::v0 {

struct RevolvedSolid {
  double bottom, top;   // radii of the rims at y = -half and y = half; a cone's top is its apex [m]
  double half;          // [m]
  double cosine, sine;  // of the side's normal: along the radius, and along y

  CAIRN_HD double radiusAt(int end) const { return end == 0 ? bottom : top; }
  // The point that lies furthest in a direction; of an end the middle, where the direction is its normal.
  CAIRN_HD Vec3<double> support(Vec3<double> direction) const {
    const double across = squareRoot(direction.x * direction.x + direction.z * direction.z);
    const bool up = 2 * half * direction.y + (top - bottom) * across >= 0;
    const double perAcross = across > 0 ? (up ? top : bottom) / across : 0.0;
    return {perAcross * direction.x, up ? half : -half, perAcross * direction.z};
  }
};

// By the type and size of a shape's record.
CAIRN_HD inline RevolvedSolid revolvedSolid(int type, Vec3<double> size) {
  if (type == kCylinder) return {size.x, size.x, size.y, 1, 0};
  const double slant = squareRoot(size.x * size.x + 4 * size.y * size.y);
  return {size.x, 0, size.y, 2 * size.y / slant, size.x / slant};
}

// Sine of the angle between axis and normal from which on it rolls rather than tips.
constexpr double kLies = 0.7;

// A cylinder or cone that turns about its axis stays where it is, as the ball about a point of the axis does that touches at the same place: its
// radius, or 0 where the shape rather stands than lies, since there is no such ball for one that tips. The arm leads from the body's centre of mass.
template <class T> CAIRN_HD inline T rollingRadius(const ShapeRecord<T>& shape, Quat<T> body, Vec3<T> normal, Vec3<T> arm) {
  const Vec3<T> axis = rotationMatrix(body * shape.localPose.q).c1;
  const T sine = length(cross(axis, normal));
  if (!(sine > T(kLies))) return T(0);
  return length(cross(axis, arm - rotate(body, shape.localPose.p))) / sine;
}

}  // namespace cairn::v0
