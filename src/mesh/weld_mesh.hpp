// Vertices of a mesh that lie in one place.
#pragma once

#include <cairn/mesh.hpp>

#include <vector>

namespace cairn::v0 {

// For each vertex the first one that it is the same as: itself, or an earlier one within the tolerance. Throws InvalidInput for a tolerance that is
// negative or not finite.
std::vector<int32_t> firstInPlace(const std::vector<Vec3d>& vertices, double tolerance);

}  // namespace cairn::v0
