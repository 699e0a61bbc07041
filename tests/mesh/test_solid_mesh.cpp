// What of a solid's surface is looked at in the fields of others: all that sticks out, and few of it where the surface bends little.
#include "src/mesh/collision_mesh.hpp"
#include "src/mesh/solid_mesh.hpp"
#include "tests/support/meshes.hpp"

#include <cairn/mesh.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cairn {
namespace {

// Vertices among the samples of a tree.
std::set<int> verticesOf(const SolidMesh& solid, const std::vector<BoxNode>& nodes) {
  std::set<int> out;
  for (const BoxNode& node : nodes) {
    const int first = node.items >> 3, end = first + (node.items & 7);
    for (int item = first; item < end; ++item) {
      const SurfaceSample& sample = solid.samples[static_cast<size_t>(item)];
      if (sample.b == kNoVertex) out.insert(sample.a);
    }
  }
  return out;
}

TEST(SolidMesh, HasAllOfItsSamplesAndFewOfThemInItsTrees) {
  const double cell = 0.002;
  const auto mesh = makeCollisionMesh(loadMesh("nut:diameter=0.1,pitch=0.015,flats=0.16,around=72,rows=16,turns=3,clearance=0.001"), false);
  const SolidMesh solid = makeSolid(*mesh, cell);
  const std::set<int> all = verticesOf(solid, solid.nodes), few = verticesOf(solid, solid.fewNodes);
  EXPECT_GT(few.size(), 100u);
  EXPECT_LT(few.size(), all.size() / 3);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), few.begin(), few.end()));
  // What is left out lies in the tangent plane of one that stays, to a tenth of a cell, and near it.
  const auto at = [&](int v) { return mesh->vertices[static_cast<size_t>(v)]; };
  for (const int v : all) {
    const bool stoodFor = std::any_of(few.begin(), few.end(), [&](int stays) {
      const Vec3d way = at(v) - at(stays), normal = normalizedOr(mesh->normals[static_cast<size_t>(stays)], {0, 0, 0});
      return length(way) <= kSpacingInCells * cell && std::abs(dot(normal, way)) <= 0.1 * cell * (1 + 1e-12);
    });
    EXPECT_TRUE(stoodFor) << v;
  }
}

// Nothing is left out of a mesh whose vertices are all corners.
TEST(SolidMesh, KeepsCorners) {
  const auto mesh = makeCollisionMesh(test::boxMesh({0.3, 0.2, 0.5}), false);
  const SolidMesh solid = makeSolid(*mesh, 0.01);
  EXPECT_EQ(verticesOf(solid, solid.fewNodes).size(), 8u);
  const auto torus = makeCollisionMesh(loadMesh("torus:major=0.1,minor=0.025,around=26,tube=16"), false);
  const SolidMesh ring = makeSolid(*torus, 0.002);
  EXPECT_EQ(verticesOf(ring, ring.fewNodes), verticesOf(ring, ring.nodes));
}

}  // namespace
}  // namespace cairn
