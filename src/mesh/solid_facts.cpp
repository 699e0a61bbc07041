#include "src/mesh/mesh_topology.hpp"
#include "src/mesh/solid_mesh.hpp"
#include "src/mesh/weld_mesh.hpp"
#include "src/scene/text.hpp"
#include "src/scene/volume_integrals.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace cairn::v0 {
namespace {

using Corners = std::array<int32_t, 3>;

// As triangles with their corners welded; those of which two corners are one are left out.
std::vector<Corners> weldedTriangles(const TriangleMesh& mesh) {
  const std::vector<int32_t> first = firstInPlace(mesh.vertices, 0);
  std::vector<Corners> out;
  for (Corners c : mesh.triangles) {
    for (int32_t& corner : c) corner = first[static_cast<size_t>(corner)];
    if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) out.push_back(c);
  }
  return out;
}

SolidFacts factsOf(const TriangleMesh& mesh) {
  SolidFacts facts;
  const std::vector<Corners> triangles = weldedTriangles(mesh);
  if (triangles.empty()) {
    facts.flaw = "has no triangles with an area";
    return facts;
  }
  std::vector<int32_t> all(triangles.size());
  std::iota(all.begin(), all.end(), 0);
  const MeshTopology topology = topologyOf(mesh.vertices.size(), triangles, all);
  Vec3d low = mesh.vertices[static_cast<size_t>(triangles[0][0])], high = low;
  for (const Corners& c : triangles) {
    for (const int32_t corner : c) {
      low = minOf(low, mesh.vertices[static_cast<size_t>(corner)]);
      high = maxOf(high, mesh.vertices[static_cast<size_t>(corner)]);
    }
  }
  VolumeIntegrals integrals(0.5 * low + 0.5 * high);
  for (const Corners& c : triangles)
    integrals.add(mesh.vertices[static_cast<size_t>(c[0])], mesh.vertices[static_cast<size_t>(c[1])], mesh.vertices[static_cast<size_t>(c[2])]);
  facts.volume = integrals.volume();
  facts.centre = integrals.centre();
  facts.inertia = integrals.inertia();
  const Vec3d size = high - low;
  facts.longest = std::max({size.x, size.y, size.z});
  if (!topology.boundary.empty()) {
    facts.flaw = text("is open: {} of its edges have one triangle", topology.boundary.size());
  } else if (topology.crowdedEdges > 0) {
    facts.flaw = text("has {} edges with more than two triangles", topology.crowdedEdges);
  } else if (topology.twistedEdges > 0) {
    facts.flaw = text("is not oriented: triangles at {} edges disagree on what is outside", topology.twistedEdges);
  } else if (!(facts.volume > 0)) {
    facts.flaw = "is inside out: its triangles must run anticlockwise seen from outside";
  }
  return facts;
}

}  // namespace

std::shared_ptr<const SolidFacts> solidFacts(const std::shared_ptr<const TriangleMesh>& mesh) {
  // By address, which nothing else has as long as its owner is there.
  struct Known {
    std::weak_ptr<const TriangleMesh> mesh;
    std::shared_ptr<const SolidFacts> facts;
  };
  static std::mutex mutex;
  static std::unordered_map<const TriangleMesh*, Known> known;
  {
    const std::lock_guard lock(mutex);
    const auto entry = known.find(mesh.get());
    if (entry != known.end() && !entry->second.mesh.expired()) return entry->second.facts;
  }
  auto facts = std::make_shared<const SolidFacts>(factsOf(*mesh));
  const std::lock_guard lock(mutex);
  for (auto entry = known.begin(); entry != known.end();) entry = entry->second.mesh.expired() ? known.erase(entry) : std::next(entry);
  known.insert_or_assign(mesh.get(), Known{mesh, facts});
  return facts;
}

}  // namespace cairn::v0
