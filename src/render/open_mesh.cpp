#include "src/render/open_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace cairn::v0 {
namespace {

constexpr double kSteep = 0.5;    // of a unit normal along the vertical, at most
constexpr double kAround = 0.8;   // of the bodies' extent: how far from their middle a container reaches at least
constexpr double kBefore = 0.55;  // of an ellipsoid in the box around the bodies: how far from their middle walls stand at least
constexpr double kUp = 0.02;      // of a unit normal along the vertical, at least: ground
constexpr double kDeeper = 0.02;  // of the ground's width: how far its sides go on below it

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

// A box's corners would count too much: round containers touch its sides, and so do the walls of turned ones.
double roundReachAlong(const MeshView& view, Vec3d direction) {
  double sum = 0;
  for (const Vec3d& axis : view.extent) sum += dot(axis, direction) * dot(axis, direction);
  return std::sqrt(sum);
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
    hides[i] = bodies > kBefore * roundReachAlong(view, outward) && dot(view.eye - a, outward) > 0;
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

TriangleMesh withSides(const TriangleMesh& mesh, Vec3d vertical) {
  const auto vertex = [&](int32_t corner) { return mesh.vertices[static_cast<size_t>(corner)]; };
  // Corners in one place are one corner, as files have them that know no corners of their own.
  std::map<std::array<double, 3>, int32_t> places;
  std::vector<int32_t> same;
  double low = 1e300, least[3] = {1e300, 1e300, 1e300}, most[3] = {-1e300, -1e300, -1e300};
  for (const Vec3d& p : mesh.vertices) {
    same.push_back(places.try_emplace({p.x, p.y, p.z}, static_cast<int32_t>(same.size())).first->second);
    low = std::min(low, dot(p, vertical));
    for (int axis = 0; axis < 3; ++axis) {
      least[axis] = std::min(least[axis], component(p, axis));
      most[axis] = std::max(most[axis], component(p, axis));
    }
  }
  std::set<Edge> edges;  // along the triangles they are of
  for (const std::array<int32_t, 3>& t : mesh.triangles) {
    const Vec3d normal = normalizedOr(cross(vertex(t[1]) - vertex(t[0]), vertex(t[2]) - vertex(t[0])), vertical);
    if (dot(normal, vertical) < kUp) return mesh;
    for (size_t k = 0; k < 3; ++k) edges.insert({same[static_cast<size_t>(t[k])], same[static_cast<size_t>(t[(k + 1) % 3])]});
  }
  TriangleMesh solid = mesh;
  const double foot = low - kDeeper * length(Vec3d{most[0] - least[0], most[1] - least[1], most[2] - least[2]});
  for (const Edge& edge : edges) {
    if (edges.count({edge[1], edge[0]}) != 0) continue;
    const auto first = static_cast<int32_t>(solid.vertices.size());
    for (const int32_t corner : edge) solid.vertices.push_back(vertex(corner) - (dot(vertex(corner), vertical) - foot) * vertical);
    solid.triangles.push_back({edge[1], edge[0], first});
    solid.triangles.push_back({edge[1], first, first + 1});
  }
  return solid;
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
