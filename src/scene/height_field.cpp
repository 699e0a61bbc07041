// Height fields: the rules that they keep, and their triangles.
#include "src/scene/flat_triangle.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/height_field.hpp>

#include <cmath>

namespace cairn::v0 {
namespace {

// Calls `work` with row and column of each cell, and with its samples: at it, at the next row, at both next, at the next column.
template <class Work> void forEachCell(const HeightField& field, const Work& work) {
  for (int row = 0; row + 1 < field.rows; ++row) {
    for (int column = 0; column + 1 < field.columns; ++column) {
      const int32_t a = row * field.columns + column, b = a + field.columns;
      work(row, column, std::array<int32_t, 4>{a, b, b + 1, a + 1});
    }
  }
}

}  // namespace

void validate(const HeightField& field, const std::string& place) {
  const auto refuse = [&](const char* name, const std::string& reason) { throw InvalidInput(place + "/" + name, reason); };
  const int rows = field.rows, columns = field.columns;
  if (rows < 2 || columns < 2) refuse("heights", text("must be two rows and two columns at least, are {} and {}", rows, columns));
  const int64_t cells = int64_t(rows - 1) * (columns - 1), count = int64_t(rows) * columns;
  if (cells > kMostHeightFieldCells)
    refuse("heights", text("must have at most {} cells, {} rows and {} columns have {}", kMostHeightFieldCells, rows, columns, cells));
  if (field.heights.size() != static_cast<size_t>(count))
    refuse("heights", text("must be {} of {} rows and {} columns, are {}", count, rows, columns, field.heights.size()));
  const auto [dx, dz] = field.spacing;
  if (!(std::isfinite(dx) && std::isfinite(dz) && dx > 0 && dz > 0)) refuse("spacing", text("must be two finite numbers > 0, is [{}, {}]", dx, dz));
  if (0.5 * (columns - 1) * dx > kLargestMagnitude || 0.5 * (rows - 1) * dz > kLargestMagnitude)
    refuse("spacing", text("must leave all samples within {} of the middle, is [{}, {}]", kLargestMagnitude, dx, dz));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double y = field.sample(row, column).y;
      if (!(std::abs(y) <= kLargestMagnitude))
        refuse("heights", text("must be finite and at most {} in size, that of row {} and column {} is {}", kLargestMagnitude, row, column, y));
    }
  }
  forEachCell(field, [&](int row, int column, const std::array<int32_t, 4>&) {
    const Vec3d a = field.sample(row, column), c = field.sample(row + 1, column + 1);
    for (const Vec3d& other : {field.sample(row + 1, column), field.sample(row, column + 1)}) {
      if (flatness(a, other, c) > kLineHeight) continue;
      refuse("heights", text("must leave each triangle an area, the cell from row {} and column {} on is too steep for its spacing", row, column));
    }
  });
}

TriangleMesh triangulated(const HeightField& field) {
  validate(field, "height field");
  TriangleMesh mesh;
  mesh.vertices.reserve(field.heights.size());
  for (int row = 0; row < field.rows; ++row) {
    for (int column = 0; column < field.columns; ++column) mesh.vertices.push_back(field.sample(row, column));
  }
  mesh.triangles.reserve(2 * static_cast<size_t>(field.rows - 1) * static_cast<size_t>(field.columns - 1));
  forEachCell(field, [&](int, int, const std::array<int32_t, 4>& at) {
    mesh.triangles.push_back({at[0], at[1], at[2]});
    mesh.triangles.push_back({at[0], at[2], at[3]});
  });
  return mesh;
}

}  // namespace cairn::v0
