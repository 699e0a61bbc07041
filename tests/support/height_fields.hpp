// Height fields that tests begin with.
#pragma once

#include "tests/support/scenes.hpp"

#include <cairn/height_field.hpp>

#include <array>
#include <random>
#include <utility>

namespace cairn::test {

// So many samples, the height a function of x and z.
template <class Height> HeightField fieldOf(int rows, int columns, std::array<double, 2> spacing, const Height& height) {
  HeightField field;
  field.rows = rows;
  field.columns = columns;
  field.spacing = spacing;
  field.heights.assign(static_cast<size_t>(rows) * static_cast<size_t>(columns), 0);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Vec3d at = field.sample(row, column);
      field.heights[static_cast<size_t>(row * columns + column)] = height(at.x, at.z);
    }
  }
  return field;
}

inline HeightField randomField(int rows, int columns, std::array<double, 2> spacing, double height, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, height);
  return fieldOf(rows, columns, spacing, [&](double, double) { return uniform(random); });
}

inline BodyDef fieldBody(HeightField field, Material material = {}, BodyType type = BodyType::Static) {
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::heightField(std::move(field)));
  body.name = "ground";
  body.type = type;
  body.shapes[0].material = material;
  return body;
}

}  // namespace cairn::test
