// What meshes that collide are made of, against counts of simple solids and brute force over all triangles.
#include "src/mesh/collision_mesh.hpp"
#include "tests/support/collision_meshes.hpp"
#include "tests/support/meshes.hpp"

#include <cairn/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace cairn::test {
namespace {

// With vertices of its own for each triangle, as STL has it.
TriangleMesh looseCube() { return exploded(boxMesh({1, 1, 1})); }

TEST(CollisionMesh, WeldsWhatLiesInOnePlace) {
  const auto made = makeCollisionMesh(looseCube(), false);
  EXPECT_EQ(made->vertices.size(), 8u);
  EXPECT_EQ(made->triangles.size(), 12u);
  EXPECT_EQ(made->near.size(), 36u);  // 18 edges, each from both ends
  EXPECT_EQ(made->degenerateTriangles, 0);
  EXPECT_DOUBLE_EQ(made->outer, std::sqrt(3.0));
  EXPECT_EQ(made->low.x, -1);
  EXPECT_EQ(made->high.z, 1);
  for (const MeshTriangle& t : made->triangles) {
    for (const int across : t.across) EXPECT_GE(across, 0);
  }
}

TEST(CollisionMesh, KnowsWhatLiesAcrossEachEdge) {
  const TriangleMesh given = patch(9, 2, 5, [](double x, double z) { return 0.3 * x * z; });
  const auto made = makeCollisionMesh(given, false);
  ASSERT_EQ(made->triangles.size(), given.triangles.size());
  std::map<std::pair<int, int>, int> third;  // by directed edge
  for (const MeshTriangle& t : made->triangles) {
    for (int k = 0; k < 3; ++k) third[{t.corners[k], t.corners[(k + 1) % 3]}] = t.corners[(k + 2) % 3];
  }
  int borders = 0;
  for (const MeshTriangle& t : made->triangles) {
    for (int k = 0; k < 3; ++k) {
      const auto beyond = third.find({t.corners[(k + 1) % 3], t.corners[k]});
      EXPECT_EQ(t.across[k], beyond == third.end() ? kBorder : beyond->second);
      borders += beyond == third.end() ? 1 : 0;
    }
  }
  EXPECT_EQ(borders, 4 * 9);
  for (size_t v = 0; v < made->vertices.size(); ++v) {
    std::set<int> expected;
    for (const auto& [edge, corner] : third) {
      if (edge.first == int(v)) expected.insert(edge.second);
      if (edge.second == int(v)) expected.insert(edge.first);
    }
    EXPECT_EQ(std::set<int>(made->near.begin() + made->fans[v], made->near.begin() + made->fans[v + 1]), expected);
  }
}

TEST(CollisionMesh, GoesOnAcrossEdgesOfPlatesWithTwoFaces) {
  TriangleMesh plate = flatPatch(3, 1, 2);
  const size_t count = plate.triangles.size();
  for (size_t t = 0; t < count; ++t) plate.triangles.push_back({plate.triangles[t][0], plate.triangles[t][2], plate.triangles[t][1]});
  const auto oneSided = makeCollisionMesh(plate, false), twoSided = makeCollisionMesh(plate, true);
  EXPECT_EQ(oneSided->triangles.size(), 2 * count);
  EXPECT_EQ(twoSided->triangles.size(), count);
  for (const auto& made : {oneSided, twoSided}) {
    long borders = 0;
    for (const MeshTriangle& t : made->triangles) borders += std::count(t.across, t.across + 3, kBorder);
    EXPECT_EQ(borders, made == oneSided ? 24 : 12);
  }
}

TEST(CollisionMesh, LeavesOutWhatHasNoArea) {
  TriangleMesh mesh = looseCube();
  const auto n = static_cast<int32_t>(mesh.vertices.size());
  for (const double x : {3.0, 4.0, 5.0}) mesh.vertices.push_back({x, 0, 0});
  mesh.triangles.insert(mesh.triangles.begin(), {{0, 0, 1}, {n, n + 1, n + 2}});
  mesh.triangles.push_back({1, 2, 0});  // the first of the cube's once more
  const auto made = makeCollisionMesh(mesh, false);
  EXPECT_EQ(made->degenerateTriangles, inspectMesh(mesh).degenerateTriangles);
  EXPECT_EQ(made->degenerateTriangles, 2);
  EXPECT_EQ(made->triangles.size(), 12u);
  EXPECT_EQ(made->vertices.size(), 8u) << "those of triangles that are left out are not there";
  std::vector<int> given = made->given;
  std::sort(given.begin(), given.end());
  for (int k = 0; k < 12; ++k) EXPECT_EQ(given[static_cast<size_t>(k)], k + 2);

  mesh.triangles = {{0, 0, 1}, {n, n + 1, n + 2}};
  try {
    makeCollisionMesh(mesh, false);
    FAIL();
  } catch (const InvalidInput& refused) {
    EXPECT_STREQ(refused.what(), "mesh/triangles: must have one at least that has an area, have none");
  }
  mesh.triangles = {{0, 1, 1000}};
  EXPECT_THROW(makeCollisionMesh(mesh, false), InvalidInput);
}

TEST(CollisionMesh, TreeHoldsEachTriangleOnceWithinItsBounds) {
  for (const int cells : {1, 2, 7, 40}) {
    const TriangleMesh given = patch(cells, 3, 8, [](double x, double z) { return std::sin(x) + z / 3; });
    const auto made = makeCollisionMesh(given, true);
    std::vector<int> seen(made->triangles.size(), 0);
    const auto count = static_cast<int>(made->nodes.size());
    EXPECT_EQ(made->nodes[0].next, count);
    for (int i = 0; i < count; ++i) {
      const BoxNode& node = made->nodes[static_cast<size_t>(i)];
      ASSERT_GT(node.next, i);
      const int triangles = node.items & 7, first = node.items >> 3;
      EXPECT_EQ(triangles > 0, node.next == i + 1);
      for (int t = first; t < first + triangles; ++t) {
        ++seen[static_cast<size_t>(t)];
        const MeshTriangle& triangle = made->triangles[static_cast<size_t>(t)];
        const auto& numbers = given.triangles[static_cast<size_t>(made->given[static_cast<size_t>(t)])];
        for (size_t k = 0; k < 3; ++k) {
          const Vec3d v = made->vertices[static_cast<size_t>(triangle.corners[k])], from = given.vertices[static_cast<size_t>(numbers[k])];
          EXPECT_EQ(length(v - from), 0);
          EXPECT_TRUE(node.low[0] <= v.x && v.x <= node.high[0] && node.low[1] <= v.y && v.y <= node.high[1] && node.low[2] <= v.z &&
                      v.z <= node.high[2]);
        }
      }
      // What is below a node lies within it.
      for (int below = i + 1; below < node.next; ++below) {
        const BoxNode& inner = made->nodes[static_cast<size_t>(below)];
        ASSERT_LE(inner.next, node.next);
        for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(inner.low[axis] >= node.low[axis] && inner.high[axis] <= node.high[axis]);
      }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), long(seen.size()));
  }
}

TEST(CollisionMesh, WalkFindsWhatBruteForceFinds) {
  const OneMesh mesh(patch(30, 3, 8, [](double x, double z) { return std::sin(3 * x) * std::cos(2 * z); }));
  const MeshShape shape = mesh.view().of(kMesh);
  ShapeSource source(4);
  for (int i = 0; i < 200; ++i) {
    const Vec at{source.uniform(-3, 3), source.uniform(-1, 1), source.uniform(-3, 3)}, half = source.uniform(0.01, 1) * Vec{1, 1, 1};
    const mesh::Box box{at - half, at + half};
    std::set<int> found;
    mesh::forTrianglesIn(shape, box, [&](int t) { EXPECT_TRUE(found.insert(t).second); });
    for (int t = 0; t < shape.triangleCount; ++t) {
      mesh::Facet facet;
      const bool seen = mesh::facetOf(shape, t, {0, 100, 0}, facet);
      ASSERT_TRUE(seen);
      EXPECT_TRUE(found.count(t) == 1 || !mesh::overlaps(facet, box));
    }
  }
}

TEST(CollisionMesh, IsTheSameForTheSameMesh) {
  const TriangleMesh given = patch(20, 3, 8, [](double x, double z) { return x * z; });
  const auto first = makeCollisionMesh(given, false), second = makeCollisionMesh(given, false);
  EXPECT_EQ(first->given, second->given);
  EXPECT_EQ(first->near, second->near);
  ASSERT_EQ(first->nodes.size(), second->nodes.size());
  for (size_t i = 0; i < first->nodes.size(); ++i) {
    EXPECT_TRUE(std::equal(first->nodes[i].low, first->nodes[i].low + 3, second->nodes[i].low));
    EXPECT_EQ(first->nodes[i].items, second->nodes[i].items);
  }
}

// Bounds in float hold what lies between two floats, and far out.
TEST(CollisionMesh, RoundsBoundsOutward) {
  TriangleMesh mesh;
  mesh.vertices = {{1e15, 0.1, -0.1}, {1e15 - 1, 0.7, 1e15}, {-1e15, -0.7, -1.0 / 3}};
  mesh.triangles = {{0, 1, 2}};
  const auto made = makeCollisionMesh(mesh, false);
  const BoxNode& node = made->nodes[0];
  EXPECT_LE(double(node.low[1]), -0.7);
  EXPECT_GE(double(node.high[1]), 0.7);
  EXPECT_LE(double(node.low[2]), -1.0 / 3);
  EXPECT_GE(double(node.high[2]), 1e15);
  EXPECT_GE(double(node.high[0]), 1e15);
}

}  // namespace
}  // namespace cairn::test
