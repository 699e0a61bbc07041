// Flat meshes, and bodies on them.
#pragma once

#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

#include <random>

namespace cairn::test {

// A square patch of the plane y = 0, so many cells along a side of two triangles each, which are cut one way or the other; vertices are moved within
// the plane by up to a part of a cell, those of the rim along it.
inline TriangleMesh flatPatch(double size, int cells, double shaken = 0.3, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  TriangleMesh mesh;
  const double cell = size / cells;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      const double aside = uniform(random), along = uniform(random);
      const double x = i == 0 || i == cells ? 0 : shaken * cell * aside, z = j == 0 || j == cells ? 0 : shaken * cell * along;
      mesh.vertices.push_back({cell * i - 0.5 * size + x, 0, cell * j - 0.5 * size + z});
    }
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int32_t a = i * (cells + 1) + j, b = a + 1, c = b + cells + 1, d = a + cells + 1;
      if (random() % 2 == 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
      }
    }
  }
  return mesh;
}

inline BodyDef meshBody(TriangleMesh mesh, Material material = {}, bool twoSided = false, BodyType type = BodyType::Static) {
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::mesh(std::move(mesh), twoSided));
  body.name = "ground";
  body.type = type;
  body.shapes[0].material = material;
  return body;
}

}  // namespace cairn::test
