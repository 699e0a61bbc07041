// Height fields: a surface as heights over an even grid.
#pragma once

#include <cairn/mesh.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

constexpr int64_t kMostHeightFieldCells = int64_t(1) << 26;

// Samples over the plane y = 0, about its origin: the middle of the grid is at x = z = 0, columns follow each other along +x and rows along +z. Each
// cell between four samples is two triangles, divided by the diagonal from its sample of the lowest row and column to that of the highest.
struct HeightField {
  int columns = 0, rows = 0;            // of samples, 2 at least; cells, (columns - 1) (rows - 1), are kMostHeightFieldCells at most
  std::array<double, 2> spacing{1, 1};  // of neighbours along x and along z [m], > 0
  // y of the samples, row by row: columns times rows of them [m], finite. There are no holes. No triangle is so steep that it is no higher than 1e-12
  // of its longest edge.
  std::vector<double> heights;

  // Where the sample of this row and column is [m]. Both are in their range.
  Vec3d sample(int row, int column) const {
    const size_t place = static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column);
    return {(column - 0.5 * (columns - 1)) * spacing[0], heights[place], (row - 0.5 * (rows - 1)) * spacing[1]};
  }
};

// Throws InvalidInput, with "place/heights" or "place/spacing" as its place, for whatever is not as HeightField says. Coordinates are at most
// kLargestMagnitude.
CAIRN_API void validate(const HeightField& field, const std::string& place);

// The surface as it collides, outside up: vertices are the samples in their order; of each cell, row by row, the triangle at its higher row comes
// before that at its higher column. Throws InvalidInput for a field that is not valid.
CAIRN_API TriangleMesh triangulated(const HeightField& field);

}  // namespace v0
}  // namespace cairn
