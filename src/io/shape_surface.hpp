// Surfaces of shapes as triangles to look at, with normals: what files of other programs hold. Nothing collides with them.
#pragma once

#include <cairn/mesh.hpp>
#include <cairn/scene.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn::v0 {

struct ShapeSurface {
  std::vector<Vec3d> points, normals;              // as many [m]; unit, outward
  std::vector<std::array<uint32_t, 3>> triangles;  // anticlockwise seen from outside
};

// In the shape's frame. Round shapes have kRoundSegments segments around and smooth normals; others have edges. A half-space is the square from -1 to
// 1 of its plane, to be scaled. Throws InvalidInput for points that have no hull.
constexpr int kRoundSegments = 32;
ShapeSurface surfaceOf(const ShapeDef& shape);

// The same text for shapes that have the same surface, and for no others.
std::string surfaceKey(const ShapeDef& shape);

}  // namespace cairn::v0
