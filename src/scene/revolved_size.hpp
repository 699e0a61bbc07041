// Size of a cylinder or cone as the records of shapes have it (kernels/state/views.hpp).
#pragma once

#include <cairn/scene.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {

inline Vec3d sizeOfRevolved(const ShapeDef& shape) {
  const double r = shape.radius, h = shape.halfHeight;
  return {r, h, shape.type == ShapeType::Cylinder ? std::min(r, h) : 2 * h * r / (r + std::sqrt(r * r + 4 * h * h))};
}

}  // namespace cairn::v0
