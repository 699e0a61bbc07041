#include "src/mesh/mesh_topology.hpp"
#include "src/mesh/self_intersections.hpp"
#include "src/mesh/weld_mesh.hpp"
#include "src/scene/convex_hull.hpp"
#include "src/scene/flat_triangle.hpp"
#include "src/scene/text.hpp"
#include "src/scene/volume_integrals.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <numeric>

namespace cairn::v0 {
namespace {

using Corners = std::array<int32_t, 3>;

constexpr double kSliver = 1e-3;  // height over the longest edge of a sliver

// The mesh with the first of each place in the place of its vertices.
struct Inspected {
  const std::vector<Vec3d>& vertices;
  std::vector<Corners> corners;
  std::vector<int32_t> joined, solid;  // triangles that count for edges; those of them that are no lines

  Vec3d corner(int32_t triangle, size_t k) const { return vertices[static_cast<size_t>(corners[static_cast<size_t>(triangle)][k])]; }
};

bool isCollapsed(const Corners& c) { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0]; }

void sortOut(Inspected& mesh, MeshReport& report) {
  std::vector<std::pair<Corners, int32_t>> keys;
  for (size_t t = 0; t < mesh.corners.size(); ++t) {
    if (isCollapsed(mesh.corners[t])) {
      ++report.degenerateTriangles;
      continue;
    }
    Corners sorted = mesh.corners[t];
    std::sort(sorted.begin(), sorted.end());
    keys.emplace_back(sorted, static_cast<int32_t>(t));
  }
  std::sort(keys.begin(), keys.end());
  for (size_t k = 0; k < keys.size(); ++k) {
    if (k > 0 && keys[k].first == keys[k - 1].first) {
      ++report.duplicateTriangles;
    } else {
      mesh.joined.push_back(keys[k].second);
    }
  }
  std::sort(mesh.joined.begin(), mesh.joined.end());
  for (const int32_t t : mesh.joined) {
    const double flat = flatness(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
    if (!(flat > kLineHeight)) {
      ++report.degenerateTriangles;
    } else {
      mesh.solid.push_back(t);
      if (flat < kSliver) ++report.slivers;
    }
  }
}

void measure(const Inspected& mesh, const MeshTopology& topology, MeshReport& report) {
  const int32_t first = mesh.joined.empty() ? 0 : mesh.joined.front();
  report.low = report.high = mesh.corner(first, 0);
  for (size_t t = 0; t < mesh.corners.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const Vec3d p = mesh.corner(static_cast<int32_t>(t), k);
      report.low = minOf(report.low, p);
      report.high = maxOf(report.high, p);
    }
  }
  const Vec3d middle = 0.5 * report.low + 0.5 * report.high;
  VolumeIntegrals whole(middle);
  std::vector<VolumeIntegrals> parts(static_cast<size_t>(topology.parts), VolumeIntegrals(middle));
  for (size_t k = 0; k < mesh.joined.size(); ++k) {
    const int32_t t = mesh.joined[k];
    const Vec3d a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
    report.area += 0.5 * length(cross(b - a, c - a));
    whole.add(a, b, c);
    parts[static_cast<size_t>(topology.part[k])].add(a, b, c);
  }
  report.volume = whole.volume();
  report.centre = whole.centre();
  report.inertia = whole.inertia();
  for (size_t p = 0; p < parts.size(); ++p) report.invertedParts += topology.partIsClosed[p] && parts[p].volume() < 0 ? 1 : 0;
}

}  // namespace

void validate(const TriangleMesh& mesh, const std::string& place) {
  const auto refuse = [&](const char* field, const std::string& reason) { throw InvalidInput(place + "/" + field, reason); };
  constexpr size_t kMost = 2147483647 / 3;
  if (mesh.triangles.empty()) refuse("triangles", "must be one at least, are none");
  if (mesh.triangles.size() > kMost) refuse("triangles", text("must be at most {}, are {}", kMost, mesh.triangles.size()));
  if (mesh.vertices.size() > kMost) refuse("vertices", text("must be at most {}, are {}", kMost, mesh.vertices.size()));
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3d p = mesh.vertices[i], size = absOf(p);
    const bool fits = size.x <= kLargestMagnitude && size.y <= kLargestMagnitude && size.z <= kLargestMagnitude;
    if (!fits) refuse("vertices", text("must be finite and at most {} in size, number {} is [{}, {}, {}]", kLargestMagnitude, i, p.x, p.y, p.z));
  }
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const int32_t corner : mesh.triangles[t]) {
      if (corner < 0 || static_cast<size_t>(corner) >= mesh.vertices.size())
        refuse("triangles", text("must have corners from 0 to {}, number {} has {}", static_cast<long>(mesh.vertices.size()) - 1, t, corner));
    }
  }
}

MeshReport inspectMesh(const TriangleMesh& mesh, double weldTolerance) {
  validate(mesh, "mesh");
  const std::vector<int32_t> first = firstInPlace(mesh.vertices, weldTolerance);
  Inspected inspected{mesh.vertices, mesh.triangles, {}, {}};
  std::vector<bool> used(mesh.vertices.size(), false), place(mesh.vertices.size(), false);
  for (Corners& triangle : inspected.corners) {
    for (int32_t& corner : triangle) {
      used[static_cast<size_t>(corner)] = true;
      corner = first[static_cast<size_t>(corner)];
      place[static_cast<size_t>(corner)] = true;
    }
  }
  MeshReport report;
  report.vertices = static_cast<int>(mesh.vertices.size());
  report.triangles = static_cast<int>(mesh.triangles.size());
  report.weldedVertices = static_cast<int>(std::count(place.begin(), place.end(), true));
  report.unusedVertices = static_cast<int>(std::count(used.begin(), used.end(), false));
  sortOut(inspected, report);
  const MeshTopology topology = topologyOf(mesh.vertices.size(), inspected.corners, inspected.joined);
  report.edges = topology.edges;
  report.boundaryEdges = static_cast<int>(topology.boundary.size());
  report.crowdedEdges = topology.crowdedEdges;
  report.twistedEdges = topology.twistedEdges;
  report.pinchedVertices = topology.pinchedVertices;
  report.parts = topology.parts;
  report.eulerNumber = topology.usedVertices - topology.edges + static_cast<int>(inspected.joined.size());
  report.closed = !inspected.joined.empty() && report.boundaryEdges == 0 && report.crowdedEdges == 0;
  report.manifold = report.crowdedEdges == 0 && report.pinchedVertices == 0;
  report.oriented = report.twistedEdges == 0;
  if (report.closed && report.manifold && report.oriented) report.genus = report.parts - report.eulerNumber / 2;
  report.holes = holesOf(mesh.vertices, topology.boundary);
  for (const EdgeSide& side : topology.boundary) report.boundaryVertices.push_back({side.low, side.high});
  measure(inspected, topology, report);
  report.insideOut = report.closed && report.oriented && report.volume < 0;
  SelfIntersections meeting = selfIntersections(mesh.vertices, inspected.corners, inspected.solid);
  report.intersectingPairs = meeting.pairs;
  report.intersectingTriangles = std::move(meeting.triangles);
  return report;
}

MeshHull meshHull(const TriangleMesh& mesh, int maxVertices) {
  validate(mesh, "mesh");
  if (maxVertices < 4 || maxVertices > kMostHullVertices)
    throw InvalidInput("max_vertices", text("must be a whole number from 4 to {}, is {}", kMostHullVertices, maxVertices));
  const auto hull = makeHull(usedVertices(mesh), maxVertices);
  return {hull->vertices, hull->volume, hull->wholeVolume};
}

}  // namespace cairn::v0
