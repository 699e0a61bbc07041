// Hulls of points: faces, mass properties against closed forms and sums of tetrahedra, what is refused, and what is simplified.
#include "src/scene/convex_hull.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace cairn {
namespace {

using namespace test;

ConvexHull hullOfPoints(const std::vector<Vec3d>& points, int most = 0) { return *hullOf(ShapeDef::hull(points, most)); }

MassProperties massOf(const ShapeDef& shape) { return massProperties(bodyAt({0, 0, 0}, shape)); }

TEST(ConvexHulls, OfABoxHaveItsFacesAndItsMass) {
  const Vec3d half{0.3, 0.2, 0.7}, middle{0.5, -2, 1};
  std::vector<Vec3d> points = cornersOfBox(half);
  // Inside, on faces and on edges.
  for (const Vec3d p : {Vec3d{0, 0, 0}, Vec3d{0.3, 0.1, 0.2}, Vec3d{0.3, 0.2, 0.1}, Vec3d{-0.3, -0.2, 0.7}}) points.push_back(p);
  for (Vec3d& p : points) p += middle;
  const ConvexHull hull = hullOfPoints(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  ASSERT_EQ(hull.faces.size(), 6u);
  for (const std::vector<int>& face : hull.faces) EXPECT_EQ(face.size(), 4u);
  EXPECT_NEAR(hull.inner, 0.2, 1e-14);
  EXPECT_NEAR(hull.outer, length(half), 1e-14);

  const MassProperties mass = massOf(ShapeDef::hull(points)), box = massOf(ShapeDef::box(half));
  EXPECT_NEAR(mass.mass, box.mass, 1e-12 * box.mass);
  EXPECT_NEAR(length(mass.centre - middle), 0, 1e-14);
  EXPECT_NEAR(mass.inertia.xx, box.inertia.xx, 1e-12 * box.inertia.xx);
  EXPECT_NEAR(mass.inertia.yy, box.inertia.yy, 1e-12 * box.inertia.xx);
  EXPECT_NEAR(mass.inertia.zz, box.inertia.zz, 1e-12 * box.inertia.xx);
  EXPECT_NEAR(std::abs(mass.inertia.xy) + std::abs(mass.inertia.xz) + std::abs(mass.inertia.yz), 0, 1e-12 * box.inertia.xx);
}

// The corners of an octahedron at distance a along the axes: volume 4 a^3 / 3, moments m a^2 / 5.
TEST(ConvexHulls, OfAnOctahedronHaveItsMass) {
  const double a = 0.4;
  const MassProperties mass = massOf(ShapeDef::hull({{a, 0, 0}, {-a, 0, 0}, {0, a, 0}, {0, -a, 0}, {0, 0, a}, {0, 0, -a}}));
  EXPECT_NEAR(mass.mass, 1000 * 4 * a * a * a / 3, 1e-10);
  for (const double moment : {mass.inertia.xx, mass.inertia.yy, mass.inertia.zz}) EXPECT_NEAR(moment, mass.mass * a * a / 5, 1e-12);
}

// The tetrahedron of the origin and the axes: centre a / 4, moments about it 3 m a^2 / 40, products + m a^2 / 80.
TEST(ConvexHulls, OfATetrahedronHaveItsMass) {
  const double a = 0.8;
  const MassProperties mass = massOf(ShapeDef::hull({{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}}));
  EXPECT_NEAR(mass.mass, 1000 * a * a * a / 6, 1e-10);
  EXPECT_NEAR(length(mass.centre - Vec3d{a / 4, a / 4, a / 4}), 0, 1e-14);
  for (const double moment : {mass.inertia.xx, mass.inertia.yy, mass.inertia.zz}) EXPECT_NEAR(moment, 3 * mass.mass * a * a / 40, 1e-12);
  for (const double product : {mass.inertia.xy, mass.inertia.xz, mass.inertia.yz}) EXPECT_NEAR(product, mass.mass * a * a / 80, 1e-12);
}

// Many points inside, weighed one by one.
TEST(ConvexHulls, AtRandomHaveTheMassOfTheirPoints) {
  const std::vector<Vec3d> points = gem(5, 20, {0.5, 0.3, 0.4});
  const ConvexHull hull = hullOfPoints(points);
  constexpr int kCells = 160;
  double volume = 0;
  Vec3d moment{0, 0, 0};
  Sym3<double> second{0, 0, 0, 0, 0, 0};
  const double cell = 1.0 / kCells, part = cell * cell * cell;
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      for (int k = 0; k < kCells; ++k) {
        const Vec3d p{(i + 0.5) * cell - 0.5, (j + 0.5) * cell - 0.5, (k + 0.5) * cell - 0.5};
        bool inside = true;
        for (size_t f = 0; inside && f < hull.faces.size(); ++f) inside = dot(hull.normals[f], p) < hull.offsets[f];
        if (!inside) continue;
        volume += part;
        moment += part * p;
        const Vec3d d = p - hull.centre;
        second =
            second + part * Sym3<double>{d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y, -d.x * d.y, -d.x * d.z, -d.y * d.z};
      }
    }
  }
  EXPECT_NEAR(hull.volume, volume, 2e-3 * volume);
  EXPECT_NEAR(length(hull.centre - (1 / volume) * moment), 0, 1e-3);
  for (const auto& [ours, theirs] : {std::pair{hull.inertia.xx, second.xx},
                                     {hull.inertia.yy, second.yy},
                                     {hull.inertia.zz, second.zz},
                                     {hull.inertia.xy, second.xy},
                                     {hull.inertia.xz, second.xz},
                                     {hull.inertia.yz, second.yz}}) {
    EXPECT_NEAR(ours, theirs, 3e-3 * second.xx);
  }
}

// Every point is below every face, every face is flat and anticlockwise, and Euler's formula holds: for clouds, prisms of many sides, and corners
// that are rounded or nearly in one place.
TEST(ConvexHulls, HoldAllTheirPoints) {
  std::mt19937 random(77);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::vector<Vec3d> points;
    if (round % 3 == 0) {
      points = gem(static_cast<unsigned>(round), 4 + round % 60, {1, 0.6, 0.3 + 0.002 * round});
    } else if (round % 3 == 1) {
      const int sides = 3 + round % 29;
      for (int k = 0; k < 2 * sides; ++k) {
        const double angle = 2 * 3.14159265358979 * (k / 2) / sides;
        points.push_back({std::cos(angle), k % 2 == 0 ? -0.5 : 0.5, std::sin(angle)});
      }
    } else {
      for (int k = 0; k < 40; ++k)
        points.push_back({double(float(uniform(random) > 0 ? 0.1 : -0.3)), std::round(3 * uniform(random)), uniform(random)});
    }
    if (round % 2 == 1) {
      for (Vec3d& p : points) p += 1e-9 * Vec3d{uniform(random), uniform(random), uniform(random)};
    }
    const ShapeDef shape = ShapeDef::hull(points, 64);
    const ConvexHull hull = *hullOf(shape);
    size_t sides = 0;
    for (size_t f = 0; f < hull.faces.size(); ++f) {
      sides += hull.faces[f].size();
      for (const Vec3d& p : hull.vertices) EXPECT_LE(dot(hull.normals[f], p), hull.offsets[f] + 3e-5 * hull.outer);
      if (hull.vertices.size() < 64) {
        for (const Vec3d& p : points) EXPECT_LE(dot(hull.normals[f], p), hull.offsets[f] + 3e-5 * hull.outer);
      }
    }
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), sides / 2 + 2);
    if (HasFailure()) return;
  }
}

TEST(ConvexHulls, AreSimplifiedOnRequest) {
  const std::vector<Vec3d> points = gem(9, 200, {1, 1, 1});
  EXPECT_EQ(messageOf([&] {
              validate(bodyAt({0, 0, 0}, ShapeDef::hull(points)), "rock");
            }),
            "rock: /shapes/0/points: their hull must have at most 64 corners, has 200: max_vertices simplifies it");
  double last = 4.0 / 3 * 3.14159265358979;
  for (const int most : {64, 32, 16, 8, 4}) {
    const ConvexHull hull = hullOfPoints(points, most);
    EXPECT_EQ(hull.vertices.size(), static_cast<size_t>(most));
    EXPECT_LT(hull.volume, last);
    last = hull.volume;
    if (most >= 32) {
      EXPECT_GT(hull.volume, 0.75 * 4.0 / 3 * 3.14159265358979);
    }
  }
  // A hull that has no more than that stays as it is.
  EXPECT_EQ(hullOfPoints(cornersOfBox({1, 1, 1}), 8).vertices.size(), 8u);
}

TEST(ConvexHulls, ThatAreNoneAreRefused) {
  const auto refusalOf = [](const std::vector<Vec3d>& points, int most = 0) {
    return messageOf([&] { validate(bodyAt({0, 0, 0}, ShapeDef::hull(points, most)), "scene"); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<Vec3d> box = cornersOfBox({1, 1, 1});
  EXPECT_EQ(refusalOf({}), "scene: /shapes/0/points: must be four at least, are 0");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "scene: /shapes/0/points: must be four at least, are 3");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}), "scene: /shapes/0/points: must be finite, number 2 is [0, nan, 0]");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, infinity}}), "scene: /shapes/0/points: must be finite, number 3 is [0, 0, inf]");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e16}}),
            "scene: /shapes/0/points: must be at most 1000000000000000 in size, number 3 is [0, 0, 1e+16]");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.2, 0}}),
            "scene: /shapes/0/points: must not lie in one plane, or nearly so: the 5 have no hull");
  EXPECT_EQ(refusalOf({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}),
            "scene: /shapes/0/points: must not lie in one plane, or nearly so: the 4 have no hull");
  EXPECT_EQ(refusalOf({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), "scene: /shapes/0/points: must not lie in one place, all 4 do");
  EXPECT_NE(refusalOf(cornersOfBox({1, 4e-5, 1})).find("must not be so flat: half its thickness is"), std::string::npos)
      << refusalOf(cornersOfBox({1, 4e-5, 1}));
  EXPECT_EQ(refusalOf(box, 3), "scene: /shapes/0/max_vertices: must be 0 or a whole number from 4 to 64, is 3");
  EXPECT_EQ(refusalOf(box, 65), "scene: /shapes/0/max_vertices: must be 0 or a whole number from 4 to 64, is 65");
  EXPECT_EQ(refusalOf(box), "accepted");
  // Thin, but a plate; small, and large.
  EXPECT_EQ(refusalOf(cornersOfBox({1, 1e-3, 1})), "accepted");
  EXPECT_EQ(refusalOf(cornersOfBox({1e-9, 1e-9, 1e-9})), "accepted");
  EXPECT_EQ(refusalOf(cornersOfBox({1e4, 1e4, 1e4})), "accepted");
}

TEST(ConvexHulls, FollowPointsThatAreChanged) {
  ShapeDef shape = ShapeDef::hull(cornersOfBox({1, 1, 1}));
  EXPECT_NEAR(massOf(shape).mass, 8000, 1e-9);
  for (Vec3d& p : shape.points) p = 2.0 * p;
  EXPECT_NEAR(massOf(shape).mass, 64000, 1e-8);
}

}  // namespace
}  // namespace cairn
