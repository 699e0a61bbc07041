// Surfaces for other programs: closed, outside out, and of the shape's size.
#include "src/io/shape_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

const double kPi = std::acos(-1.0);

// As a mesh whose corners in one place are one.
TriangleMesh meshOf(const ShapeSurface& surface) {
  TriangleMesh mesh;
  mesh.vertices = surface.points;
  for (const auto& t : surface.triangles) mesh.triangles.push_back({int32_t(t[0]), int32_t(t[1]), int32_t(t[2])});
  return mesh;
}

void expectSolid(const ShapeDef& shape, double volume, double missing) {
  const ShapeSurface surface = surfaceOf(shape);
  ASSERT_EQ(surface.points.size(), surface.normals.size());
  const MeshReport report = inspectMesh(meshOf(surface), 1e-9);
  EXPECT_TRUE(report.isSolid());
  EXPECT_EQ(report.degenerateTriangles, 0);
  EXPECT_LE(report.volume, volume * (1 + 1e-9));
  EXPECT_GE(report.volume, volume * (1 - missing));
  for (const auto& t : surface.triangles) {
    const Vec3d a = surface.points[t[0]], b = surface.points[t[1]], c = surface.points[t[2]];
    const Vec3d normal = cross(b - a, c - a);
    for (const uint32_t corner : t) {
      EXPECT_NEAR(length(surface.normals[corner]), 1, 1e-12);
      EXPECT_GT(dot(surface.normals[corner], normal), 0.5 * length(normal));
    }
  }
}

TEST(ShapeSurface, IsClosedAndOfTheShapesSize) {
  constexpr double kRound = 0.02;  // what flat pieces leave out
  expectSolid(ShapeDef::sphere(0.5), 4 * kPi / 3 * 0.125, kRound);
  expectSolid(ShapeDef::capsule(0.2, 0.6), kPi * 0.04 * 1.2 + 4 * kPi / 3 * 0.008, kRound);
  expectSolid(ShapeDef::box({0.5, 0.25, 1}), 1, 1e-9);
  expectSolid(ShapeDef::ellipsoid({1, 0.5, 0.25}), 4 * kPi / 3 * 0.125, kRound);
  expectSolid(ShapeDef::cylinder(0.5, 1), kPi * 0.25 * 2, kRound);
  expectSolid(ShapeDef::cone(0.5, 1), kPi * 0.25 * 2 / 3, kRound);
  expectSolid(ShapeDef::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}}), 1.0 / 6, 1e-9);
}

TEST(ShapeSurface, OfTheSameShapesHasOneKey) {
  EXPECT_EQ(surfaceKey(ShapeDef::box({1, 2, 3})), surfaceKey(ShapeDef::box({1, 2, 3})));
  EXPECT_NE(surfaceKey(ShapeDef::box({1, 2, 3})), surfaceKey(ShapeDef::ellipsoid({1, 2, 3})));
  EXPECT_NE(surfaceKey(ShapeDef::cylinder(1, 2)), surfaceKey(ShapeDef::cylinder(2, 1)));
}

}  // namespace
}  // namespace cairn
