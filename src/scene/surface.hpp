// Shapes that are a surface of triangles: they have no inside and no mass.
#pragma once

#include <cairn/scene.hpp>

namespace cairn::v0 {

inline bool isSurface(const ShapeDef& shape) { return shape.type == ShapeType::Mesh || shape.type == ShapeType::HeightField; }

}  // namespace cairn::v0
