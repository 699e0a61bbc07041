// What inspectMesh says, against closed forms, counts that follow from how a mesh was made, and every pair of triangles tried in rational arithmetic.
#include "src/mesh/exact_orientation.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/meshes.hpp"

#include <cairn/mesh.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace cairn {
namespace {

using test::boxMesh;
using test::messageOf;
using test::together;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(InspectMesh, ABoxHasThePropertiesOfABox) {
  const MeshReport r = inspectMesh(boxMesh({1, 2, 3}));
  EXPECT_TRUE(r.isSolid());
  EXPECT_EQ(r.eulerNumber, 2);
  EXPECT_EQ(r.genus, 0);
  EXPECT_EQ(r.edges, 18);
  EXPECT_EQ(r.parts, 1);
  EXPECT_TRUE(r.holes.empty());
  EXPECT_NEAR(r.volume, 48, 1e-12);
  EXPECT_NEAR(r.area, 8 * (2 + 3 + 6), 1e-12);
  test::expectNear(r.centre, Vec3d{0, 0, 0});
  EXPECT_NEAR(r.inertia.xx, 48.0 / 12 * (16 + 36), 1e-11);
  EXPECT_NEAR(r.inertia.yy, 48.0 / 12 * (4 + 36), 1e-11);
  EXPECT_NEAR(r.inertia.zz, 48.0 / 12 * (4 + 16), 1e-11);
  EXPECT_NEAR(std::abs(r.inertia.xy) + std::abs(r.inertia.xz) + std::abs(r.inertia.yz), 0, 1e-11);
}

TEST(InspectMesh, PropertiesDoNotDependOnWhereTheMeshLies) {
  const MeshReport r = inspectMesh(together({}, boxMesh({1, 2, 3}), {100, -50, 70}));
  EXPECT_NEAR(r.volume, 48, 1e-11);
  EXPECT_NEAR(length(r.centre - Vec3d{100, -50, 70}), 0, 1e-12);
  EXPECT_NEAR(r.inertia.xx, 208, 1e-10);
}

TEST(InspectMesh, ATriangleThatIsMissingIsAHole) {
  TriangleMesh mesh = boxMesh({1, 1, 1});
  mesh.triangles.pop_back();
  const MeshReport r = inspectMesh(mesh);
  EXPECT_FALSE(r.closed);
  EXPECT_EQ(r.genus, -1);
  EXPECT_EQ(r.boundaryEdges, 3);
  ASSERT_EQ(r.holes.size(), 1u);
  EXPECT_EQ(r.holes[0].edges, 3);
  EXPECT_NEAR(r.holes[0].length, 4 + std::sqrt(8), 1e-14);
}

TEST(InspectMesh, HolesAreCountedEachForItself) {
  TriangleMesh mesh = boxMesh({1, 1, 1});
  mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 4);  // the faces at -z and +z
  const MeshReport r = inspectMesh(mesh);
  ASSERT_EQ(r.holes.size(), 2u);
  for (const MeshHole& hole : r.holes) {
    EXPECT_EQ(hole.edges, 4);
    EXPECT_NEAR(hole.length, 8, 1e-14);
  }
}

TEST(InspectMesh, AMeshThatIsInsideOutIsNoSolid) {
  const MeshReport r = inspectMesh(test::turnedOver(boxMesh({1, 1, 1})));
  EXPECT_TRUE(r.closed && r.oriented && r.insideOut);
  EXPECT_FALSE(r.isSolid());
  EXPECT_NEAR(r.volume, -8, 1e-13);
}

TEST(InspectMesh, ACavityIsAPartWithANegativeVolume) {
  const MeshReport r = inspectMesh(together(boxMesh({2, 2, 2}), test::turnedOver(boxMesh({1, 1, 1}))));
  EXPECT_TRUE(r.isSolid());
  EXPECT_EQ(r.parts, 2);
  EXPECT_EQ(r.invertedParts, 1);
  EXPECT_EQ(r.eulerNumber, 4);
  EXPECT_NEAR(r.volume, 56, 1e-12);
}

TEST(InspectMesh, OneTriangleTurnedOverTwistsItsThreeEdges) {
  TriangleMesh mesh = boxMesh({1, 1, 1});
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  const MeshReport r = inspectMesh(mesh);
  EXPECT_EQ(r.twistedEdges, 3);
  EXPECT_TRUE(r.closed && r.manifold);
  EXPECT_FALSE(r.oriented);
}

TEST(InspectMesh, TwoBoxesOnOneEdgeOrCornerAreNoManifold) {
  const MeshReport onEdge = inspectMesh(together(boxMesh({1, 1, 1}), boxMesh({1, 1, 1}), {2, 2, 0}));
  EXPECT_EQ(onEdge.crowdedEdges, 1);
  EXPECT_FALSE(onEdge.closed || onEdge.manifold);
  const MeshReport onCorner = inspectMesh(together(boxMesh({1, 1, 1}), boxMesh({1, 1, 1}), {2, 2, 2}));
  EXPECT_EQ(onCorner.pinchedVertices, 1);
  EXPECT_EQ(onCorner.parts, 2);
  EXPECT_TRUE(onCorner.closed);
  EXPECT_FALSE(onCorner.manifold);
}

TEST(InspectMesh, VerticesOfTheirOwnAreWelded) {
  const TriangleMesh whole = boxMesh({1, 1, 1}), apart = test::exploded(whole);
  const MeshReport r = inspectMesh(apart);
  EXPECT_EQ(r.vertices, 36);
  EXPECT_EQ(r.weldedVertices, 8);
  EXPECT_TRUE(r.isSolid());
  EXPECT_EQ(welded(apart).vertices.size(), 8u);
  EXPECT_EQ(inspectMesh(welded(apart)).edges, 18);
}

TEST(InspectMesh, AToleranceClosesWhatRoundingOpened) {
  TriangleMesh mesh = test::exploded(boxMesh({1, 1, 1}));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-1e-7, 1e-7);
  for (Vec3d& p : mesh.vertices) p += Vec3d{noise(random), noise(random), noise(random)};
  EXPECT_FALSE(inspectMesh(mesh).closed);
  const MeshReport r = inspectMesh(mesh, 1e-6);
  EXPECT_EQ(r.weldedVertices, 8);
  EXPECT_TRUE(r.isSolid());
  EXPECT_NEAR(r.volume, 8, 1e-5);
}

TEST(InspectMesh, ZerosOfEitherSignAreOnePlace) {
  TriangleMesh mesh;
  mesh.vertices = {{0.0, 0, 0}, {-0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 2, 3}};
  EXPECT_EQ(welded(mesh).vertices.size(), 3u);
}

TEST(InspectMesh, DegenerateAndDoubledTrianglesAreReported) {
  TriangleMesh mesh = boxMesh({1, 1, 1});
  mesh.triangles.push_back({0, 0, 1});  // two corners in one place
  mesh.triangles.push_back({1, 5, 0});  // the fifth, turned on
  mesh.triangles.push_back({5, 1, 0});  // and turned over
  mesh.vertices.insert(mesh.vertices.end(), {{9, 9, 9}, {10, 10, 10}, {11, 11, 11}, {20, 20, 20}});
  mesh.triangles.push_back({8, 9, 10});  // in a line
  const MeshReport r = inspectMesh(mesh);
  EXPECT_EQ(r.degenerateTriangles, 2);
  EXPECT_EQ(r.duplicateTriangles, 2);
  EXPECT_EQ(r.unusedVertices, 1);
}

TEST(InspectMesh, SliversAreReported) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, 5e-4, 0}, {0.5, -0.1, 0}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
  const MeshReport r = inspectMesh(mesh);
  EXPECT_EQ(r.slivers, 1);
  EXPECT_EQ(r.degenerateTriangles, 0);
}

TEST(InspectMesh, BoxesThatCrossMeetInTheirTriangles) {
  const TriangleMesh box = boxMesh({1, 1, 1});
  EXPECT_EQ(inspectMesh(together(box, box, {2.5, 0, 0})).intersectingPairs, 0);
  const MeshReport r = inspectMesh(together(box, box, {0.7, 0.6, 0.5}));
  EXPECT_GT(r.intersectingPairs, 0);
  EXPECT_FALSE(r.isSolid());
  EXPECT_GT(inspectMesh(together(box, boxMesh({0.5, 0.5, 0.5}), {0, 1.5, 0})).intersectingPairs, 0) << "faces that lie on each other touch";
}

TEST(InspectMesh, AFoldedPairOfTrianglesMeetsAndAFlatOneDoesNot) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.5, 0}, {1, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}};
  EXPECT_EQ(inspectMesh(mesh).intersectingPairs, 1) << "both on one side of their edge";
  mesh.triangles = {{0, 1, 2}, {1, 4, 2}};
  EXPECT_EQ(inspectMesh(mesh).intersectingPairs, 0);
}

// Whole numbers below 2^20: determinants of them are exact in 128 bits.
using Whole = __int128;
struct WholePoint {
  Whole x, y, z;
};
WholePoint whole(Vec3d p) { return {Whole(p.x), Whole(p.y), Whole(p.z)}; }
int side(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const WholePoint o = whole(a), p = whole(b), q = whole(c), r = whole(d);
  const WholePoint u{p.x - o.x, p.y - o.y, p.z - o.z}, v{q.x - o.x, q.y - o.y, q.z - o.z}, w{r.x - o.x, r.y - o.y, r.z - o.z};
  const Whole value = u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z) + u.z * (v.x * w.y - v.y * w.x);
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

TEST(ExactOrientation, IsThatOfWholeNumbersAlsoNearZero) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> far(-500000, 500000), near(-1, 1), weight(-40, 40);
  int zeros = 0;
  for (int k = 0; k < 20000; ++k) {
    const auto point = [&] { return Vec3d{double(far(random)), double(far(random)), double(far(random))}; };
    const Vec3d a = point(), u{double(weight(random)), double(weight(random)), double(weight(random))}, v{1, double(near(random)), 2};
    const Vec3d b = a + 1000.0 * u, c = a + 3000.0 * v, d = a + 7.0 * u + 11.0 * v + Vec3d{0, 0, double(near(random))};
    const int expected = side(a, b, c, d);
    zeros += expected == 0 ? 1 : 0;
    // A tiny scale and a huge offset leave the sign to the exact sum.
    ASSERT_EQ(orientation(std::ldexp(1, -40) * a, std::ldexp(1, -40) * b, std::ldexp(1, -40) * c, std::ldexp(1, -40) * d), expected) << k;
  }
  EXPECT_GT(zeros, 1000);
}

// Two triangles without a common corner meet where an edge of one passes the other: tried pair by pair, with whole numbers in general position.
bool crosses(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
  for (size_t k = 0; k < 3; ++k) {
    const Vec3d p = a[k], q = a[(k + 1) % 3];
    if (side(b[0], b[1], b[2], p) * side(b[0], b[1], b[2], q) >= 0) continue;
    const int first = side(p, q, b[0], b[1]), second = side(p, q, b[1], b[2]), third = side(p, q, b[2], b[0]);
    if (first == second && second == third) return true;
  }
  return false;
}

TEST(InspectMesh, IntersectionsAreThoseOfAllPairs) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> place(-400000, 400000), extent(-90000, 90000);
  TriangleMesh mesh;
  for (int t = 0; t < 400; ++t) {
    const Vec3d middle{double(place(random)), double(place(random)), double(place(random))};
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(middle + Vec3d{double(extent(random)), double(extent(random)), double(extent(random))});
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  long pairs = 0;
  std::set<int32_t> meeting;
  const auto corners = [&](size_t t) { return std::array<Vec3d, 3>{mesh.vertices[3 * t], mesh.vertices[3 * t + 1], mesh.vertices[3 * t + 2]}; };
  for (size_t i = 0; i < 400; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!crosses(corners(i), corners(j)) && !crosses(corners(j), corners(i))) continue;
      ++pairs;
      meeting.insert({int32_t(i), int32_t(j)});
    }
  }
  const MeshReport r = inspectMesh(mesh);
  EXPECT_GT(pairs, 20);
  EXPECT_EQ(r.intersectingPairs, pairs);
  EXPECT_EQ(r.intersectingTriangles, std::vector<int32_t>(meeting.begin(), meeting.end()));
}

TEST(InspectMesh, SaysWhatIsWrongBeforeAnything) {
  TriangleMesh mesh = boxMesh({1, 1, 1});
  mesh.vertices[3].y = kNan;
  EXPECT_EQ(messageOf([&] { inspectMesh(mesh); }).substr(0, 70), "mesh/vertices: must be finite and at most 1000000000000000 in size, nu");
  mesh = boxMesh({1, 1, 1});
  mesh.triangles[2][1] = 8;
  EXPECT_EQ(messageOf([&] { inspectMesh(mesh); }), "mesh/triangles: must have corners from 0 to 7, number 2 has 8");
  mesh.triangles[2][1] = -1;
  EXPECT_EQ(messageOf([&] { inspectMesh(mesh); }), "mesh/triangles: must have corners from 0 to 7, number 2 has -1");
  EXPECT_EQ(messageOf([&] { inspectMesh({}); }), "mesh/triangles: must be one at least, are none");
  EXPECT_EQ(messageOf([&] { inspectMesh(boxMesh({1, 1, 1}), -1); }), "weld tolerance: must be a number from 0 to 1000000000000000, is -1");
  EXPECT_EQ(messageOf([&] { fieldCost(boxMesh({1, 1, 1}), 0); }), "cell: must be a number > 0 and at most 1000000000000000 m, is 0");
  EXPECT_NE(messageOf([&] { fieldCost(boxMesh({1, 1, 1}), 1e-9); }), "accepted");
  EXPECT_EQ(messageOf([&] { meshHull(boxMesh({1, 1, 1}), 3); }), "max_vertices: must be a whole number from 4 to 64, is 3");
}

TEST(FieldCost, CountsTheBlocksThatTheSurfacePasses) {
  // 10 blocks a side, and the upper faces stand within the last ones.
  const FieldCost cost = fieldCost(boxMesh({4.99, 4.99, 4.99}), 0.125);
  EXPECT_EQ(cost.gridBlocks, 1000);
  EXPECT_EQ(cost.blocks, 1000 - 512);
  EXPECT_EQ(cost.bytes, 4 * (729 * cost.blocks + cost.gridBlocks));
}

TEST(FieldCost, ASlantedPlaneDoesNotTakeTheBlocksOfItsBounds) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {100, 0, 100}, {100, 100, 100}, {0, 100, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  const FieldCost cost = fieldCost(mesh, 0.125);
  EXPECT_GE(cost.blocks, 100 * 100);
  EXPECT_LE(cost.blocks, 3.1 * 101 * 101);
}

TEST(MeshHull, IsThatOfTheVertices) {
  const MeshHull whole = meshHull(boxMesh({1, 2, 3}));
  EXPECT_EQ(whole.points.size(), 8u);
  EXPECT_NEAR(whole.volume, 48, 1e-12);
  TriangleMesh fan;
  fan.vertices = test::gem(4, 300, {1, 1, 1});
  for (int32_t k = 0; k + 2 < 300; ++k) fan.triangles.push_back({0, k + 1, k + 2});
  const MeshHull fewer = meshHull(fan, 32), more = meshHull(fan, 64);
  EXPECT_EQ(fewer.points.size(), 32u);
  EXPECT_LT(fewer.volume, more.volume);
  EXPECT_LT(more.volume, more.wholeVolume);
  EXPECT_NEAR(fewer.wholeVolume, more.wholeVolume, 1e-12);
  EXPECT_GT(more.wholeVolume, 0.9 * 4 * kPi / 3);
}

}  // namespace
}  // namespace cairn
