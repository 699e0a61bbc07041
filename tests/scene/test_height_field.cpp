// Height fields as they are described: where samples lie, the triangles between them, and what is refused.
#include "tests/support/expect.hpp"
#include "tests/support/height_fields.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace cairn {
namespace {

using namespace test;

HeightField twoByThree() { return {3, 2, {0.5, 2}, {1, 2, 3, 4, 5, 6}}; }

TEST(HeightField, SamplesLieAboutTheOriginColumnsAlongXAndRowsAlongZ) {
  const HeightField field = twoByThree();
  expectNear(field.sample(0, 0), {-0.5, 1, -1});
  expectNear(field.sample(0, 2), {0.5, 3, -1});
  expectNear(field.sample(1, 0), {-0.5, 4, 1});
  expectNear(field.sample(1, 1), {0, 5, 1});
}

TEST(HeightField, EachCellIsTwoTrianglesThatLookUpAlongOneDiagonal) {
  const TriangleMesh mesh = triangulated(twoByThree());
  const std::vector<std::array<int32_t, 3>> expected{{0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}};
  EXPECT_EQ(mesh.triangles, expected);
  ASSERT_EQ(mesh.vertices.size(), 6u);
  for (int k = 0; k < 6; ++k) EXPECT_TRUE(sameBits(mesh.vertices[static_cast<size_t>(k)], twoByThree().sample(k / 3, k % 3))) << k;
}

// What inspectMesh, which knows nothing of fields, says of one.
TEST(HeightField, TrianglesAreOneOpenSurfaceOverTheWholeGrid) {
  const HeightField field = randomField(17, 12, {0.3, 0.7}, 1, 5);
  const TriangleMesh mesh = triangulated(field);
  const MeshReport report = inspectMesh(mesh);
  EXPECT_EQ(report.triangles, 2 * 16 * 11);
  EXPECT_EQ(report.parts, 1);
  EXPECT_EQ(report.boundaryEdges, 2 * (16 + 11));
  EXPECT_EQ(report.holes.size(), 1u);
  EXPECT_EQ(report.eulerNumber, 1);
  EXPECT_TRUE(report.manifold && report.oriented && !report.closed);
  EXPECT_EQ(report.intersectingPairs, 0);
  double shadow = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3d a = mesh.vertices[static_cast<size_t>(t[0])], b = mesh.vertices[static_cast<size_t>(t[1])],
                c = mesh.vertices[static_cast<size_t>(t[2])];
    const double own = 0.5 * cross(b - a, c - a).y;
    EXPECT_GT(own, 0);
    shadow += own;
  }
  EXPECT_NEAR(shadow, 16 * 0.7 * 11 * 0.3, 1e-12);
}

TEST(HeightField, WhatIsWrongIsSaidWithItsPlace) {
  const auto refused = [](const std::string& message, const auto& change) {
    HeightField field = twoByThree();
    EXPECT_EQ(messageOf([&] { validate(field, "field"); }), "accepted");
    change(field);
    EXPECT_EQ(messageOf([&] { validate(field, "field"); }), message);
    EXPECT_EQ(messageOf([&] { triangulated(field); }) == "accepted", message == "accepted");
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  refused("field/heights: must be two rows and two columns at least, are 1 and 3", [](HeightField& f) { f.rows = 1; });
  refused("field/heights: must be two rows and two columns at least, are 2 and -4", [](HeightField& f) { f.columns = -4; });
  refused("field/heights: must be 6 of 2 rows and 3 columns, are 5", [](HeightField& f) { f.heights.pop_back(); });
  refused("field/heights: must have at most 67108864 cells, 8194 rows and 8193 columns have 67117056", [](HeightField& f) {
    f.rows = 8194;
    f.columns = 8193;
  });
  refused("field/heights: must have at most 67108864 cells, 2147483647 rows and 2147483647 columns have 4611686009837453316",
          [](HeightField& f) { f.rows = f.columns = std::numeric_limits<int>::max(); });
  refused("field/heights: must be finite and at most 1000000000000000 in size, that of row 1 and column 1 is nan",
          [=](HeightField& f) { f.heights[4] = kNan; });
  refused("field/heights: must be finite and at most 1000000000000000 in size, that of row 0 and column 2 is -inf",
          [=](HeightField& f) { f.heights[2] = -kInfinity; });
  refused("field/heights: must be finite and at most 1000000000000000 in size, that of row 0 and column 0 is 2000000000000000",
          [](HeightField& f) { f.heights[0] = 2e15; });
  refused("field/spacing: must be two finite numbers > 0, is [0, 2]", [](HeightField& f) { f.spacing[0] = 0; });
  refused("field/spacing: must be two finite numbers > 0, is [0.5, -2]", [](HeightField& f) { f.spacing[1] = -2; });
  refused("field/spacing: must be two finite numbers > 0, is [0.5, nan]", [=](HeightField& f) { f.spacing[1] = kNan; });
  refused("field/spacing: must leave all samples within 1000000000000000 of the middle, is [2000000000000000, 2]",
          [](HeightField& f) { f.spacing[0] = 2e15; });
  // A wall of 1e14 m over half a metre: its triangles would be left out as lines are, and the field would have a hole.
  refused("field/heights: must leave each triangle an area, the cell from row 0 and column 1 on is too steep for its spacing",
          [](HeightField& f) { f.heights[2] = f.heights[5] = 1e14; });
  refused("accepted", [](HeightField& f) { f.heights[2] = f.heights[5] = 1e9; });
}

TEST(HeightField, ShapesOfBodiesAreChecked) {
  Scene scene;
  scene.add(fieldBody(twoByThree()));
  expectRefused(scene, "scene: /bodies/0/shapes/0/type: height_field must be on a static or kinematic body, is on a dynamic one (body 'ground')",
                [](Scene& s) { s.bodies[0].type = BodyType::Dynamic; });
  expectRefused(scene, "scene: /bodies/0/shapes/0/sensor: must be false of a height_field (body 'ground')",
                [](Scene& s) { s.bodies[0].shapes[0].sensor = true; });
  expectRefused(scene, "scene: /bodies/0/shapes/0/heights: must be two rows and two columns at least, there is no field (body 'ground')",
                [](Scene& s) { s.bodies[0].shapes[0].heights = nullptr; });
  expectRefused(scene, "scene: /bodies/0/shapes/0/spacing: must be two finite numbers > 0, is [1, 0] (body 'ground')", [](Scene& s) {
    s.bodies[0].shapes[0] = ShapeDef::heightField(HeightField{2, 2, {1, 0}, {0, 0, 0, 0}});
  });
  expectRefused(scene, "scene: /bodies/0/shapes/0/material/friction: must be a finite number >= 0, is -1 (body 'ground')",
                [](Scene& s) { s.bodies[0].shapes[0].material.friction = -1; });
}

TEST(HeightField, HasNoMass) {
  const MassProperties mass = massProperties(fieldBody(twoByThree()));
  EXPECT_EQ(mass.mass, 0);
}

}  // namespace
}  // namespace cairn
