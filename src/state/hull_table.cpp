#include "src/state/hull_table.hpp"

#include "src/state/snapshot_bytes.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

namespace cairn::v0 {
namespace {

// What boxes are stretched from, and the first of every table that holds a hull.
const ConvexHull& unitCube() {
  static const ConvexHull cube = [] {
    ConvexHull made;
    for (int k = 0; k < 8; ++k) made.vertices.push_back({(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0});
    made.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    made.normals = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    made.offsets = {1, 1, 1, 1, 1, 1};
    made.inner = 1;
    made.outer = std::sqrt(3.0);
    return made;
  }();
  return cube;
}

}  // namespace

int HullTable::add(const ConvexHull& hull) {
  HullRecord record{};
  record.firstVertex = static_cast<int>(vertices_.size());
  record.vertexCount = static_cast<int>(hull.vertices.size());
  record.firstFace = static_cast<int>(faces_.size());
  record.faceCount = static_cast<int>(hull.faces.size());
  record.firstSide = static_cast<int>(sides_.size());
  record.firstEdge = static_cast<int>(edges_.size());
  record.inner = hull.inner;
  record.outer = hull.outer;
  for (const Vec3d& v : hull.vertices) vertices_.push_back(v - hull.centre);
  std::map<std::pair<int, int>, int> edges;
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    const std::vector<int>& face = hull.faces[f];
    faces_.push_back({hull.normals[f], hull.offsets[f] - dot(hull.normals[f], hull.centre), static_cast<int>(sides_.size()) - record.firstSide,
                      static_cast<int>(face.size())});
    for (size_t k = 0; k < face.size(); ++k) {
      const int from = face[k], to = face[(k + 1) % face.size()];
      const auto [edge, fresh] = edges.try_emplace({std::min(from, to), std::max(from, to)}, static_cast<int>(edges_.size()) - record.firstEdge);
      if (fresh) {
        edges_.push_back({static_cast<uint8_t>(from), static_cast<uint8_t>(to), static_cast<uint8_t>(f), 0});
      } else {
        edges_[static_cast<size_t>(record.firstEdge + edge->second)].right = static_cast<uint8_t>(f);
      }
      sides_.push_back({static_cast<uint8_t>(from), static_cast<uint8_t>(edge->second)});
    }
  }
  record.edgeCount = static_cast<int>(edges_.size()) - record.firstEdge;
  addColumns(record);
  records_.push_back(record);
  return count() - 1;
}

void HullTable::addColumns(HullRecord& record) {
  record.firstBlock = static_cast<int>(columns_.size() / kHullBlock);
  const auto column = [this](int count, const auto& wordOf) {
    for (int k = 0; k < kHullBlock * hullBlocksOf(count); ++k) columns_.push_back(wordOf(std::min(k, count - 1)));
  };
  const auto number = [](double value) {
    HullWord word;
    word.number = value;
    return word;
  };
  const auto bits = [](uint64_t value) {
    HullWord word;
    word.bits = value;
    return word;
  };
  const Vec3d* const corners = vertices_.data() + record.firstVertex;
  const HullFace* const faces = faces_.data() + record.firstFace;
  const HullEdge* const edges = edges_.data() + record.firstEdge;
  for (const auto axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z}) column(record.vertexCount, [&](int k) { return number(corners[k].*axis); });
  for (const auto axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z}) column(record.faceCount, [&](int k) { return number(faces[k].normal.*axis); });
  column(record.faceCount, [&](int k) { return number(faces[k].offset); });
  const auto bit = [](int place, int word) { return place / 64 == word ? uint64_t(1) << place % 64 : 0; };
  column(record.edgeCount, [&](int k) { return bits(bit(edges[k].from, 0) | bit(edges[k].to, 0)); });
  column(record.edgeCount, [&](int k) { return bits(bit(edges[k].left, 0) | bit(edges[k].right, 0)); });
  column(record.edgeCount, [&](int k) {
    const bool wide = isWideEdge(faces[edges[k].left].normal, faces[edges[k].right].normal);
    return bits(bit(edges[k].left, 1) | bit(edges[k].right, 1) | (wide ? kWideEdgeBit : 0));
  });
}

uint64_t HullTable::contentOf(int hull) const {
  const HullRecord& r = records_[static_cast<size_t>(hull)];
  const char* const bytes = reinterpret_cast<const char*>(vertices_.data() + r.firstVertex);
  return std::hash<std::string_view>{}({bytes, static_cast<size_t>(r.vertexCount) * sizeof(Vec3d)});
}

// The corners in their order make all the rest.
bool HullTable::same(int first, int second) const {
  const HullRecord &a = records_[static_cast<size_t>(first)], &b = records_[static_cast<size_t>(second)];
  return a.vertexCount == b.vertexCount && a.faceCount == b.faceCount &&
         std::memcmp(vertices_.data() + a.firstVertex, vertices_.data() + b.firstVertex, static_cast<size_t>(a.vertexCount) * sizeof(Vec3d)) == 0;
}

void HullTable::cutBack(const Sizes& sizes) {
  records_.resize(sizes.records);
  vertices_.resize(sizes.vertices);
  faces_.resize(sizes.faces);
  sides_.resize(sizes.sides);
  edges_.resize(sizes.edges);
  columns_.resize(sizes.columns);
  if (byContent_.size() >= std::max<size_t>(sizes.records, 1)) {  // all but the first are known by their content
    for (auto known = byContent_.begin(); known != byContent_.end();) known = known->second < count() ? std::next(known) : byContent_.erase(known);
  }
  if (uploaded_.records > sizes.records) uploaded_ = sizes;
}

int HullTable::typeOf(const ConvexHull& hull) {
  if (records_.empty()) add(unitCube());
  const Sizes before = sizes();
  const int added = add(hull);
  const uint64_t content = contentOf(added);
  const auto [first, last] = byContent_.equal_range(content);
  for (auto known = first; known != last; ++known) {
    if (!same(known->second, added)) continue;
    cutBack(before);
    return kHull | known->second << kHullShift;
  }
  if (added >= kMaxHulls) {
    cutBack(before);
    throw InvalidInput("hulls", "a World has room for " + std::to_string(kMaxHulls - 1) + " different ones, this would be one more");
  }
  byContent_.emplace(content, added);
  return kHull | added << kHullShift;
}

void HullTable::upload(Queue& queue) {
  if (uploaded_.records == records_.size()) return;
  append(queue, vertices_, uploaded_.vertices, verticesThere_);
  append(queue, faces_, uploaded_.faces, facesThere_);
  append(queue, sides_, uploaded_.sides, sidesThere_);
  append(queue, edges_, uploaded_.edges, edgesThere_);
  if (queue.target == Target::Cpu) append(queue, columns_, uploaded_.columns, columnsThere_);
  append(queue, records_, uploaded_.records, recordsThere_);
  uploaded_ = sizes();
}

HullView HullTable::view() const {
  return {recordsThere_.data(), verticesThere_.data(), facesThere_.data(),
          sidesThere_.data(),   edgesThere_.data(),    static_cast<int>(uploaded_.records),
          columnsThere_.data()};
}

// --- snapshots -----------------------------------------------------------------------------------------------------

// All that kernels follow leads to what is there, and all they divide by is a number.
bool HullTable::sound(int hull) const {
  const HullRecord& r = records_[static_cast<size_t>(hull)];
  const auto finite = [](Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); };
  if (!(r.vertexCount >= 4 && r.vertexCount <= kMaxHullVertices && r.faceCount >= 4 && r.faceCount <= 2 * kMaxHullVertices && r.edgeCount >= 6 &&
        r.edgeCount <= 3 * kMaxHullVertices))
    return false;
  if (!holdsRange(r.firstVertex, r.vertexCount, vertices_.size()) || !holdsRange(r.firstFace, r.faceCount, faces_.size()) ||
      !holdsRange(r.firstSide, 2 * r.edgeCount, sides_.size()) || !holdsRange(r.firstEdge, r.edgeCount, edges_.size()))
    return false;
  if (!(r.inner > 0 && r.outer >= r.inner && r.outer <= 2 * kLargestMagnitude)) return false;
  for (int k = 0; k < r.vertexCount; ++k) {
    if (!finite(vertices_[static_cast<size_t>(r.firstVertex + k)])) return false;
  }
  for (int e = 0; e < r.edgeCount; ++e) {
    const HullEdge& edge = edges_[static_cast<size_t>(r.firstEdge + e)];
    if (std::max(edge.from, edge.to) >= r.vertexCount || std::max(edge.left, edge.right) >= r.faceCount || edge.from == edge.to) return false;
  }
  int sides = 0;
  for (int f = 0; f < r.faceCount; ++f) {
    const HullFace& face = faces_[static_cast<size_t>(r.firstFace + f)];
    if (!finite(face.normal) || std::abs(lengthSquared(face.normal) - 1) > 1e-6 || !std::isfinite(face.offset)) return false;
    if (face.firstSide != sides || face.sideCount < 3 || face.sideCount > 2 * r.edgeCount - sides) return false;
    sides += face.sideCount;
  }
  if (sides != 2 * r.edgeCount) return false;
  for (int k = 0; k < sides; ++k) {
    const HullSide& side = sides_[static_cast<size_t>(r.firstSide + k)];
    if (side.corner >= r.vertexCount || side.edge >= r.edgeCount) return false;
  }
  return true;
}

template <class Archive> void HullTable::archive(Archive& a) {
  a.records(records_);
  a.records(vertices_);
  a.records(faces_);
  a.records(sides_);
  a.records(edges_);
  if constexpr (Archive::kReads) {
    bool all = records_.size() <= static_cast<size_t>(kMaxHulls) && records_.size() != 1;
    for (int hull = 0; all && hull < count(); ++hull) {
      all = sound(hull);
      if (!all) break;
      addColumns(records_[static_cast<size_t>(hull)]);
      if (hull > 0) byContent_.emplace(contentOf(hull), hull);
    }
    a.require(all, "has hulls that are none");
  }
}

template void HullTable::archive(SnapshotWriter&);
template void HullTable::archive(SnapshotReader&);

}  // namespace cairn::v0
