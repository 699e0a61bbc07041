#include "src/state/mesh_table.hpp"

#include "src/mesh/solid_mesh.hpp"
#include "src/state/snapshot_bytes.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace cairn::v0 {
namespace {

template <class Item> void addAll(std::vector<Item>& to, const std::vector<Item>& from) { to.insert(to.end(), from.begin(), from.end()); }

template <class Item> std::string_view bytesOf(const std::vector<Item>& items, int first, int count) {
  return {reinterpret_cast<const char*>(items.data() + first), static_cast<size_t>(count) * sizeof(Item)};
}

}  // namespace

int MeshTable::add(const CollisionMesh& made) {
  constexpr auto kMost = static_cast<size_t>(std::numeric_limits<int>::max());
  for (const auto& [there, more] : {std::pair{vertices_.size(), made.vertices.size()},
                                    {triangles_.size(), made.triangles.size()},
                                    {nodes_.size(), made.nodes.size()},
                                    {fans_.size(), made.fans.size()},
                                    {near_.size(), made.near.size()}}) {
    if (more > kMost - there)
      throw InvalidInput("meshes", "a World has room for " + std::to_string(kMost) + " vertices, triangles and edges of them");
  }
  MeshRecord record{};
  record.firstVertex = static_cast<int>(vertices_.size());
  record.vertexCount = static_cast<int>(made.vertices.size());
  record.firstTriangle = static_cast<int>(triangles_.size());
  record.triangleCount = static_cast<int>(made.triangles.size());
  record.firstNode = static_cast<int>(nodes_.size());
  record.nodeCount = static_cast<int>(made.nodes.size());
  record.firstFan = static_cast<int>(fans_.size());
  record.firstNear = static_cast<int>(near_.size());
  record.twoSided = made.twoSided ? 1 : 0;
  record.solid = kNoSolid;
  addAll(vertices_, made.vertices);
  addAll(normals_, made.normals);
  addAll(triangles_, made.triangles);
  addAll(nodes_, made.nodes);
  addAll(fans_, made.fans);
  addAll(near_, made.near);
  outers_.push_back(made.outer);
  records_.push_back(record);
  return count() - 1;
}

uint64_t MeshTable::contentOf(int mesh) const {
  const MeshRecord& r = records_[static_cast<size_t>(mesh)];
  const std::hash<std::string_view> hash;
  return hash(bytesOf(vertices_, r.firstVertex, r.vertexCount)) * 0x9e3779b97f4a7c15ull +
         hash(bytesOf(triangles_, r.firstTriangle, r.triangleCount)) + static_cast<uint64_t>(r.twoSided);
}

// Vertices and triangles in their order make all the rest but solids.
bool MeshTable::same(int first, int second) const {
  const MeshRecord &a = records_[static_cast<size_t>(first)], &b = records_[static_cast<size_t>(second)];
  return a.twoSided == b.twoSided && bytesOf(vertices_, a.firstVertex, a.vertexCount) == bytesOf(vertices_, b.firstVertex, b.vertexCount) &&
         bytesOf(triangles_, a.firstTriangle, a.triangleCount) == bytesOf(triangles_, b.firstTriangle, b.triangleCount);
}

bool MeshTable::hasCells(int mesh, double cell) const {
  const int solid = records_[static_cast<size_t>(mesh)].solid;
  return solid == kNoSolid ? cell == 0 : solids_.spacing(solid) == kSpacingInCells * cell;
}

void MeshTable::cutBack(const Sizes& sizes) {
  records_.resize(sizes.records);
  outers_.resize(sizes.records);
  vertices_.resize(sizes.vertices);
  normals_.resize(sizes.vertices);
  triangles_.resize(sizes.triangles);
  nodes_.resize(sizes.nodes);
  fans_.resize(sizes.fans);
  near_.resize(sizes.near);
  const auto forget = [this](auto& known, const auto& numberIn) {
    for (auto entry = known.begin(); entry != known.end();) entry = numberIn(entry->second) < count() ? std::next(entry) : known.erase(entry);
  };
  if (byContent_.size() > sizes.records) forget(byContent_, [](int number) { return number; });
  const auto numberIn = [](const Asked& asked) { return asked.number; };
  for (auto& [use, known] : meshes_) forget(known, numberIn);
  forget(fields_, numberIn);
  solids_.cutBack(sizes.solids);
  if (uploaded_.records > sizes.records) uploaded_ = sizes;
}

double MeshTable::inner(int type) const {
  const int solid = records_[static_cast<size_t>(meshOf(type))].solid;
  return solid == kNoSolid ? 0 : solids_.inner(solid);
}

template <class Geometry, class Make> int MeshTable::numberAskedFor(AskedFor& known, const std::shared_ptr<const Geometry>& asked, const Make& make) {
  if (const auto there = known.find(asked.get()); there != known.end() && !there->second.owner.expired()) return there->second.number;
  const int number = make(*asked);
  for (auto entry = known.begin(); entry != known.end();) entry = entry->second.owner.expired() ? known.erase(entry) : std::next(entry);
  known.insert_or_assign(asked.get(), Asked{asked, number});
  return number;
}

int MeshTable::typeOf(const std::shared_ptr<const TriangleMesh>& mesh, const MeshUse& use, int threads) {
  return kMesh | numberAskedFor(meshes_[use], mesh, [&](const TriangleMesh& given) { return numberOf(given, use, threads); }) << kMeshShift;
}

int MeshTable::typeOf(const std::shared_ptr<const HeightField>& field) {
  static_assert(2 * kMostHeightFieldCells <= kMaxMeshTriangles, "a field is one mesh");
  return kMesh | numberAskedFor(fields_, field, [&](const HeightField& given) { return numberOf(triangulated(given), {}, 1); }) << kMeshShift;
}

// That of the mesh with these triangles that is there already, or a new one.
int MeshTable::numberOf(const TriangleMesh& mesh, const MeshUse& use, int threads) {
  const Sizes before = sizes();
  const std::shared_ptr<const CollisionMesh> made = makeCollisionMesh(mesh, use.twoSided);
  int number = add(*made);
  const uint64_t content = contentOf(number);
  const auto [first, last] = byContent_.equal_range(content);
  const auto known = std::find_if(first, last, [&](const auto& entry) { return hasCells(entry.second, use.cell) && same(entry.second, number); });
  if (known != last) {
    number = known->second;
    cutBack(before);
  } else if (number >= kMaxMeshes) {
    cutBack(before);
    throw InvalidInput("meshes", "a World has room for " + std::to_string(kMaxMeshes) + " different ones, this would be one more");
  } else {
    if (use.cell > 0) records_.back().solid = solids_.add(makeSolid(*made, use.cell, threads));
    byContent_.emplace(content, number);
  }
  return number;
}

void MeshTable::upload(Queue& queue) {
  if (uploaded_.records == records_.size()) return;
  append(queue, vertices_, uploaded_.vertices, verticesThere_);
  append(queue, normals_, uploaded_.vertices, normalsThere_);
  append(queue, triangles_, uploaded_.triangles, trianglesThere_);
  append(queue, nodes_, uploaded_.nodes, nodesThere_);
  append(queue, fans_, uploaded_.fans, fansThere_);
  append(queue, near_, uploaded_.near, nearThere_);
  append(queue, records_, uploaded_.records, recordsThere_);
  solids_.upload(queue);
  uploaded_ = sizes();
}

MeshView MeshTable::view() const {
  MeshView view;
  view.meshes = recordsThere_.data();
  view.vertices = verticesThere_.data();
  view.normals = normalsThere_.data();
  view.triangles = trianglesThere_.data();
  view.nodes = nodesThere_.data();
  view.fans = fansThere_.data();
  view.near = nearThere_.data();
  view.solids = solids_.view();
  view.count = static_cast<int>(uploaded_.records);
  return view;
}

// --- snapshots -----------------------------------------------------------------------------------------------------

// All that kernels follow leads to what is there, and all they divide by is a number.
bool MeshTable::sound(int mesh) const {
  const MeshRecord& r = records_[static_cast<size_t>(mesh)];
  const auto finite = [](Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); };
  const double outer = outers_[static_cast<size_t>(mesh)];
  if (!(r.vertexCount >= 3 && r.triangleCount >= 1 && r.nodeCount >= 1 && (r.twoSided == 0 || r.twoSided == 1))) return false;
  if (!(outer > 0 && outer <= 2 * kLargestMagnitude)) return false;
  if (!holdsRange(r.firstVertex, r.vertexCount, vertices_.size()) || !holdsRange(r.firstTriangle, r.triangleCount, triangles_.size()) ||
      !holdsRange(r.firstNode, r.nodeCount, nodes_.size()) || r.vertexCount == std::numeric_limits<int>::max() ||
      !holdsRange(r.firstFan, r.vertexCount + 1, fans_.size()) || r.firstNear < 0 || static_cast<size_t>(r.firstNear) > near_.size())
    return false;
  for (int v = 0; v < r.vertexCount; ++v) {
    if (!finite(vertices_[static_cast<size_t>(r.firstVertex + v)]) || !finite(normals_[static_cast<size_t>(r.firstVertex + v)])) return false;
  }
  const auto isVertex = [&](int v) { return v >= 0 && v < r.vertexCount; };
  for (int t = 0; t < r.triangleCount; ++t) {
    const MeshTriangle& triangle = triangles_[static_cast<size_t>(r.firstTriangle + t)];
    if (!std::all_of(std::begin(triangle.corners), std::end(triangle.corners), isVertex)) return false;
    if (!std::all_of(std::begin(triangle.across), std::end(triangle.across), [&](int v) { return v == kBorder || isVertex(v); })) return false;
  }
  int before = 0;
  for (int v = 0; v <= r.vertexCount; ++v) {
    const int fan = fans_[static_cast<size_t>(r.firstFan + v)];
    if (v == 0 ? fan != 0 : fan < before) return false;
    before = fan;
  }
  if (!holdsRange(r.firstNear, before, near_.size())) return false;
  for (int k = 0; k < before; ++k) {
    if (!isVertex(near_[static_cast<size_t>(r.firstNear + k)])) return false;
  }
  if (r.solid != kNoSolid && !solids_.sound(r.solid, r.vertexCount)) return false;
  return soundTree(nodes_.data() + r.firstNode, r.nodeCount, r.triangleCount);
}

template <class Archive> void MeshTable::archive(Archive& a) {
  a.records(records_);
  a.records(outers_);
  a.records(vertices_);
  a.records(normals_);
  a.records(triangles_);
  a.records(nodes_);
  a.records(fans_);
  a.records(near_);
  solids_.archive(a);
  if constexpr (Archive::kReads) {
    bool all = records_.size() <= static_cast<size_t>(kMaxMeshes) && outers_.size() == records_.size() && normals_.size() == vertices_.size();
    for (int mesh = 0; all && mesh < count(); ++mesh) {
      all = sound(mesh);
      if (all) byContent_.emplace(contentOf(mesh), mesh);
    }
    a.require(all, "has meshes that are none");
  }
}

template void MeshTable::archive(SnapshotWriter&);
template void MeshTable::archive(SnapshotReader&);

}  // namespace cairn::v0
