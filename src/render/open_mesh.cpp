#include "src/render/open_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace cairn::v0 {
namespace {

constexpr double kSteep = 0.5;   // of a unit normal along the vertical, at most
constexpr double kAround = 0.8;  // of the bodies' extent: how far from their middle walls stand at least

using Edge = std::array<int32_t, 2>;

std::array<Edge, 3> edgesOf(const std::array<int32_t, 3>& triangle) {
  std::array<Edge, 3> edges;
  for (size_t k = 0; k < 3; ++k) {
    const int32_t a = triangle[k], b = triangle[(k + 1) % 3];
    edges[k] = {std::min(a, b), std::max(a, b)};
  }
  return edges;
}

double reachAlong(const MeshView& view, Vec3d direction) {
  double reach = 0;
  for (const Vec3d& axis : view.extent) reach += std::abs(dot(axis, direction));
  return reach;
}

// Whether it has something on each side of the bodies.
bool standsAround(const TriangleMesh& mesh, const MeshView& view) {
  Vec3d east, north;
  tangentFrame(view.vertical, east, north);
  for (const Vec3d& side : {east, -east, north, -north}) {
    double furthest = -1e300;
    for (const Vec3d& p : mesh.vertices) furthest = std::max(furthest, dot(p - view.centre, side));
    if (furthest < kAround * reachAlong(view, side)) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> hidingTriangles(const TriangleMesh& mesh, const MeshView& view) {
  std::vector<bool> hides(mesh.triangles.size(), false);
  if (!standsAround(mesh, view)) return hides;
  std::set<Edge> tops;  // edges of the walls that hide
  std::vector<size_t> level;
  for (size_t i = 0; i < hides.size(); ++i) {
    const auto& corners = mesh.triangles[i];
    const Vec3d a = mesh.vertices[static_cast<size_t>(corners[0])], b = mesh.vertices[static_cast<size_t>(corners[1])],
                c = mesh.vertices[static_cast<size_t>(corners[2])];
    const double height = std::max({dot(a, view.vertical), dot(b, view.vertical), dot(c, view.vertical)});
    if (height <= view.low) continue;
    Vec3d outward = normalizedOr(cross(b - a, c - a), view.vertical);  // what has no area counts as level
    if (std::abs(dot(outward, view.vertical)) > kSteep) {
      level.push_back(i);
      continue;
    }
    double bodies = dot(a - view.centre, outward);
    if (bodies < 0) {
      outward = -outward;
      bodies = -bodies;
    }
    hides[i] = bodies > kAround * reachAlong(view, outward) && dot(view.eye - a, outward) > 0;
    if (!hides[i]) continue;
    for (const Edge& edge : edgesOf(corners)) tops.insert(edge);
  }
  for (const size_t i : level) {
    const auto edges = edgesOf(mesh.triangles[i]);
    // The floor within a wall is level too, and lies lower.
    double lowest = 1e300;
    for (const int32_t corner : mesh.triangles[i]) lowest = std::min(lowest, dot(mesh.vertices[static_cast<size_t>(corner)], view.vertical));
    hides[i] = lowest > view.low && std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return tops.count(edge) > 0; });
  }
  return hides;
}

TriangleMesh withoutTriangles(const TriangleMesh& mesh, const std::vector<bool>& left) {
  TriangleMesh rest;
  rest.vertices = mesh.vertices;
  for (size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (!left[i]) rest.triangles.push_back(mesh.triangles[i]);
  }
  return rest;
}

}  // namespace cairn::v0
