// Welding, what lies across edges and around vertices, and the tree.
//
// A leaf's triangles stand in the order of the given mesh. Everything follows from sorted lists, so that the parts depend on the mesh alone.
#include "src/mesh/collision_mesh.hpp"

#include "src/mesh/box_tree.hpp"
#include "src/mesh/weld_mesh.hpp"
#include "src/scene/flat_triangle.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

namespace cairn::v0 {
namespace {

using Corners = std::array<int32_t, 3>;

Corners sortedCorners(Corners c) {
  std::sort(c.begin(), c.end());
  return c;
}

// The same corners the same way round, begun with the smallest.
Corners turnedToFirst(Corners c) {
  std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
  return c;
}

// The triangles that have an area, in their order, each once: of those with the same corners the same way round the first stays, and of a two-sided
// mesh that of either way.
std::vector<int32_t> triangleNumbers(const std::vector<Vec3d>& vertices, const std::vector<Corners>& triangles, bool twoSided, int& degenerate) {
  std::vector<std::pair<Corners, int32_t>> keys;
  keys.reserve(triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Corners& c = triangles[t];
    const auto at = [&](size_t k) { return vertices[static_cast<size_t>(c[k])]; };
    const bool collapsed = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
    if (collapsed || !(flatness(at(0), at(1), at(2)) > kLineHeight)) {
      ++degenerate;
    } else {
      keys.emplace_back(twoSided ? sortedCorners(c) : turnedToFirst(c), static_cast<int32_t>(t));
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int32_t> numbers;
  for (size_t k = 0; k < keys.size(); ++k) {
    if (k == 0 || keys[k].first != keys[k - 1].first) numbers.push_back(keys[k].second);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// One triangle's part of an edge, from a lower to a higher vertex.
struct Side {
  int32_t low, high;
  int32_t triangle;
  int k;
  bool forward;  // the triangle runs from low to high
};

std::vector<Side> sidesOf(const std::vector<MeshTriangle>& triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int32_t from = triangles[t].corners[k], to = triangles[t].corners[k == 2 ? 0 : k + 1];
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int32_t>(t), k, from < to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return std::tie(a.low, a.high, a.triangle, a.k) < std::tie(b.low, b.high, b.triangle, b.k); });
  return sides;
}

int32_t cornerBeyond(const std::vector<MeshTriangle>& triangles, const Side& side) {
  return triangles[static_cast<size_t>(side.triangle)].corners[side.k == 0 ? 2 : side.k - 1];
}

// The one triangle that goes on where `own` ends: it runs the other way along the edge, and is not the same triangle seen from behind. Of a two-sided
// mesh which way it runs does not matter where there is only one.
int32_t acrossEdge(const std::vector<MeshTriangle>& triangles, const Side* begin, const Side* end, const Side& own, bool twoSided) {
  int32_t opposite = kBorder, any = kBorder;
  int opposites = 0, others = 0;
  const int32_t beyondOwn = cornerBeyond(triangles, own);
  for (const Side* other = begin; other != end; ++other) {
    const int32_t beyond = cornerBeyond(triangles, *other);
    if (other->triangle == own.triangle || beyond == beyondOwn) continue;
    ++others;
    any = beyond;
    if (other->forward == own.forward) continue;
    ++opposites;
    opposite = beyond;
  }
  if (opposites == 1) return opposite;
  return twoSided && others == 1 ? any : kBorder;
}

void findNeighbours(CollisionMesh& mesh) {
  const std::vector<Side> sides = sidesOf(mesh.triangles);
  mesh.fans.assign(mesh.vertices.size() + 1, 0);
  std::vector<std::array<int32_t, 2>> edges;
  const Side* const all = sides.data();
  for (size_t begin = 0, end; begin < sides.size(); begin = end) {
    for (end = begin + 1; end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high;) ++end;
    edges.push_back({sides[begin].low, sides[begin].high});
    for (size_t s = begin; s < end; ++s) {
      MeshTriangle& triangle = mesh.triangles[static_cast<size_t>(sides[s].triangle)];
      triangle.across[sides[s].k] = acrossEdge(mesh.triangles, all + begin, all + end, sides[s], mesh.twoSided);
    }
  }
  for (const auto& [low, high] : edges) {
    ++mesh.fans[static_cast<size_t>(low) + 1];
    ++mesh.fans[static_cast<size_t>(high) + 1];
  }
  std::partial_sum(mesh.fans.begin(), mesh.fans.end(), mesh.fans.begin());
  mesh.near.resize(2 * edges.size());
  std::vector<int> next(mesh.fans.begin(), mesh.fans.end() - 1);
  for (const auto& [low, high] : edges) {
    mesh.near[static_cast<size_t>(next[static_cast<size_t>(low)]++)] = high;
    mesh.near[static_cast<size_t>(next[static_cast<size_t>(high)]++)] = low;
  }
}

std::vector<Bounds> boundsOf(const std::vector<Vec3d>& vertices, const std::vector<Corners>& triangles) {
  std::vector<Bounds> bounds;
  bounds.reserve(triangles.size());
  for (const Corners& c : triangles) {
    const Vec3d p = vertices[static_cast<size_t>(c[0])], q = vertices[static_cast<size_t>(c[1])], r = vertices[static_cast<size_t>(c[2])];
    bounds.push_back({minOf(minOf(p, q), r), maxOf(maxOf(p, q), r)});
  }
  return bounds;
}

// Weighted by angles: Baerentzen and Aanaes, "Signed Distance Computation Using the Angle Weighted Pseudonormal", 2005.
void findNormals(CollisionMesh& mesh) {
  mesh.normals.assign(mesh.vertices.size(), {0, 0, 0});
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto at = [&](int k) { return mesh.vertices[static_cast<size_t>(triangle.corners[k % 3])]; };
    const Vec3d normal = normalizedOr(cross(at(1) - at(0), at(2) - at(0)), {0, 0, 0});
    for (int k = 0; k < 3; ++k) {
      const Vec3d u = at(k + 1) - at(k), v = at(k + 2) - at(k);
      mesh.normals[static_cast<size_t>(triangle.corners[k])] += arcTangent(length(cross(u, v)), dot(u, v)) * normal;
    }
  }
}

// Vertices that triangles refer to, in their order, and the triangles with their new numbers.
void takeVertices(const std::vector<Vec3d>& vertices, std::vector<Corners>& triangles, CollisionMesh& out) {
  std::vector<int32_t> number(vertices.size(), -1);
  for (const Corners& c : triangles) {
    for (const int32_t corner : c) number[static_cast<size_t>(corner)] = 0;
  }
  for (size_t i = 0; i < vertices.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int32_t>(out.vertices.size());
    out.vertices.push_back(vertices[i]);
  }
  for (Corners& c : triangles) {
    for (int32_t& corner : c) corner = number[static_cast<size_t>(corner)];
  }
}

}  // namespace

std::shared_ptr<const CollisionMesh> makeCollisionMesh(const TriangleMesh& mesh, bool twoSided) {
  validate(mesh, "mesh");
  const std::vector<int32_t> first = firstInPlace(mesh.vertices, 0);
  std::vector<Corners> welded = mesh.triangles;
  for (Corners& c : welded) {
    for (int32_t& corner : c) corner = first[static_cast<size_t>(corner)];
  }
  auto out = std::make_shared<CollisionMesh>();
  out->twoSided = twoSided;
  const std::vector<int32_t> numbers = triangleNumbers(mesh.vertices, welded, twoSided, out->degenerateTriangles);
  if (numbers.empty()) throw InvalidInput("mesh/triangles", "must have one at least that has an area, have none");
  if (numbers.size() > kMaxMeshTriangles)
    throw InvalidInput("mesh/triangles",
                       "must be at most " + std::to_string(kMaxMeshTriangles) + " of a mesh that collides, are " + std::to_string(numbers.size()));
  std::vector<Corners> triangles;
  triangles.reserve(numbers.size());
  for (const int32_t t : numbers) triangles.push_back(welded[static_cast<size_t>(t)]);
  takeVertices(mesh.vertices, triangles, *out);

  BoxTree tree(boundsOf(out->vertices, triangles));
  out->nodes = std::move(tree.nodes);
  for (const int place : tree.order) {
    const Corners& c = triangles[static_cast<size_t>(place)];
    out->triangles.push_back({{c[0], c[1], c[2]}, {kBorder, kBorder, kBorder}});
    out->given.push_back(numbers[static_cast<size_t>(place)]);
  }
  findNeighbours(*out);
  findNormals(*out);
  out->low = out->high = out->vertices.front();
  for (const Vec3d& v : out->vertices) {
    out->low = minOf(out->low, v);
    out->high = maxOf(out->high, v);
    out->outer = std::max(out->outer, length(v));
  }
  return out;
}

}  // namespace cairn::v0
