#include "src/mesh/mesh_topology.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cairn::v0 {
namespace {

// Sets that grow together; the smallest number stands for a set.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int32_t find(int32_t i) {
    while (parent_[static_cast<size_t>(i)] != i) {
      int32_t& above = parent_[static_cast<size_t>(i)];
      above = parent_[static_cast<size_t>(above)];
      i = above;
    }
    return i;
  }
  void unite(int32_t a, int32_t b) {
    a = find(a);
    b = find(b);
    parent_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int32_t> parent_;
};

std::vector<EdgeSide> sidesOf(const std::vector<std::array<int32_t, 3>>& corners, const std::vector<int32_t>& list) {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * list.size());
  for (size_t t = 0; t < list.size(); ++t) {
    const auto& c = corners[static_cast<size_t>(list[t])];
    for (size_t k = 0; k < 3; ++k) {
      const int32_t from = c[k], to = c[(k + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int32_t>(t), from < to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const EdgeSide& a, const EdgeSide& b) { return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle); });
  return sides;
}

// Which corner of its triangle a vertex is, as a number of its own.
int32_t cornerNumber(const std::vector<std::array<int32_t, 3>>& corners, const std::vector<int32_t>& list, int32_t triangle, int32_t vertex) {
  const auto& c = corners[static_cast<size_t>(list[static_cast<size_t>(triangle)])];
  return 3 * triangle + (c[0] == vertex ? 0 : c[1] == vertex ? 1 : 2);
}

int countPinched(size_t vertexCount, const std::vector<std::array<int32_t, 3>>& corners, const std::vector<int32_t>& list, Sets& fans) {
  std::vector<int32_t> fanOf(vertexCount, -1);
  std::vector<bool> pinched(vertexCount, false);
  for (size_t t = 0; t < list.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const size_t vertex = static_cast<size_t>(corners[static_cast<size_t>(list[t])][k]);
      const int32_t fan = fans.find(static_cast<int32_t>(3 * t + k));
      if (fanOf[vertex] < 0) fanOf[vertex] = fan;
      if (fanOf[vertex] != fan) pinched[vertex] = true;
    }
  }
  return static_cast<int>(std::count(pinched.begin(), pinched.end(), true));
}

}  // namespace

MeshTopology topologyOf(size_t vertexCount, const std::vector<std::array<int32_t, 3>>& corners, const std::vector<int32_t>& list) {
  MeshTopology out;
  const std::vector<EdgeSide> sides = sidesOf(corners, list);
  Sets parts(list.size()), fans(3 * list.size());
  std::vector<bool> isOpen(list.size(), false);
  for (size_t begin = 0, end; begin < sides.size(); begin = end) {
    const EdgeSide& first = sides[begin];
    for (end = begin + 1; end < sides.size() && sides[end].low == first.low && sides[end].high == first.high;) ++end;
    ++out.edges;
    const bool twisted = end - begin == 2 && sides[begin].forward == sides[begin + 1].forward;
    if (end - begin == 1) out.boundary.push_back(first);
    if (end - begin > 2) ++out.crowdedEdges;
    if (twisted) ++out.twistedEdges;
    for (size_t s = begin; s < end; ++s) {
      if (twisted || end - begin != 2) isOpen[static_cast<size_t>(sides[s].triangle)] = true;
      parts.unite(first.triangle, sides[s].triangle);
      for (const int32_t vertex : {first.low, first.high})
        fans.unite(cornerNumber(corners, list, first.triangle, vertex), cornerNumber(corners, list, sides[s].triangle, vertex));
    }
  }
  std::vector<int32_t> number(list.size(), -1);
  for (size_t t = 0; t < list.size(); ++t) {
    int32_t& part = number[static_cast<size_t>(parts.find(static_cast<int32_t>(t)))];
    if (part < 0) {
      part = out.parts++;
      out.partIsClosed.push_back(true);
    }
    out.part.push_back(part);
    if (isOpen[t]) out.partIsClosed[static_cast<size_t>(part)] = false;
  }
  std::vector<bool> used(vertexCount, false);
  for (const int32_t t : list) {
    for (const int32_t c : corners[static_cast<size_t>(t)]) used[static_cast<size_t>(c)] = true;
  }
  out.usedVertices = static_cast<int>(std::count(used.begin(), used.end(), true));
  out.pinchedVertices = countPinched(vertexCount, corners, list, fans);
  return out;
}

std::vector<MeshHole> holesOf(const std::vector<Vec3d>& vertices, const std::vector<EdgeSide>& boundary) {
  // Edges by each of their ends.
  std::vector<std::pair<int32_t, size_t>> ends;
  for (size_t e = 0; e < boundary.size(); ++e) {
    ends.emplace_back(boundary[e].low, e);
    ends.emplace_back(boundary[e].high, e);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<bool> passed(boundary.size(), false);
  std::vector<size_t> next(ends.size());  // by the place of a vertex's first end: the first of its ends that may not be passed yet
  std::iota(next.begin(), next.end(), size_t(0));
  const auto unpassedAt = [&](int32_t vertex) {
    const size_t begin = static_cast<size_t>(std::lower_bound(ends.begin(), ends.end(), std::pair(vertex, size_t(0))) - ends.begin());
    size_t& at = next[begin];
    while (at < ends.size() && ends[at].first == vertex && passed[ends[at].second]) ++at;
    return at < ends.size() && ends[at].first == vertex ? ends[at].second : boundary.size();
  };
  std::vector<MeshHole> holes;
  for (size_t e = 0; e < boundary.size(); ++e) {
    if (passed[e]) continue;
    MeshHole hole;
    const int32_t start = boundary[e].low;
    int32_t at = start;
    for (size_t edge = e; edge < boundary.size(); edge = at == start ? boundary.size() : unpassedAt(at)) {
      passed[edge] = true;
      const EdgeSide& side = boundary[edge];
      ++hole.edges;
      hole.length += length(vertices[static_cast<size_t>(side.high)] - vertices[static_cast<size_t>(side.low)]);
      at = side.low == at ? side.high : side.low;
    }
    holes.push_back(hole);
  }
  return holes;
}

std::vector<Vec3d> usedVertices(const TriangleMesh& mesh) {
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const auto& triangle : mesh.triangles) {
    for (const int32_t corner : triangle) used[static_cast<size_t>(corner)] = true;
  }
  std::vector<Vec3d> points;
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) points.push_back(mesh.vertices[i]);
  }
  return points;
}

}  // namespace cairn::v0
