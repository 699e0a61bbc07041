#include "src/state/solid_table.hpp"

#include "src/mesh/solid_mesh.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::v0 {
namespace {

template <class Item> void addAll(std::vector<Item>& to, const std::vector<Item>& from) { to.insert(to.end(), from.begin(), from.end()); }

bool finite(Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

}  // namespace

int SolidTable::add(const SolidMesh& solid) {
  const DistanceField& field = solid.field;
  constexpr auto kMost = static_cast<size_t>(std::numeric_limits<int>::max());
  for (const auto& [there, more] : {std::pair{places_.size(), field.places.size()},
                                    {units_.size(), field.units.size()},
                                    {samples_.size(), solid.samples.size()},
                                    {nodes_.size(), solid.nodes.size() + solid.fewNodes.size()}}) {
    if (more > kMost - there) throw InvalidInput("meshes", "a World has room for " + std::to_string(kMost) + " blocks and samples of solids");
  }
  SolidRecord record{};
  record.field = field.record;
  record.field.firstPlace = static_cast<int>(places_.size());
  record.field.firstBlock = static_cast<int>(units_.size());
  record.inner = solid.inner;
  record.spacing = solid.spacing;
  record.firstSample = static_cast<int>(samples_.size());
  record.sampleCount = static_cast<int>(solid.samples.size());
  record.firstNode = static_cast<int>(nodes_.size());
  record.nodeCount = static_cast<int>(solid.nodes.size());
  record.firstFewNode = record.firstNode + record.nodeCount;
  record.fewNodeCount = static_cast<int>(solid.fewNodes.size());
  addAll(places_, field.places);
  addAll(units_, field.units);
  addAll(values_, field.samples);
  addAll(samples_, solid.samples);
  addAll(nodes_, solid.nodes);
  addAll(nodes_, solid.fewNodes);
  records_.push_back(record);
  return count() - 1;
}

void SolidTable::cutBack(const Sizes& sizes) {
  records_.resize(sizes.records);
  places_.resize(sizes.places);
  units_.resize(sizes.units);
  values_.resize(sizes.values);
  samples_.resize(sizes.samples);
  nodes_.resize(sizes.nodes);
  if (uploaded_.records > sizes.records) uploaded_ = sizes;
}

void SolidTable::upload(Queue& queue) {
  if (uploaded_.records == records_.size()) return;
  append(queue, places_, uploaded_.places, placesThere_);
  append(queue, units_, uploaded_.units, unitsThere_);
  append(queue, values_, uploaded_.values, valuesThere_);
  append(queue, samples_, uploaded_.samples, samplesThere_);
  append(queue, nodes_, uploaded_.nodes, nodesThere_);
  append(queue, records_, uploaded_.records, recordsThere_);
  uploaded_ = sizes();
}

SolidView SolidTable::view() const {
  return {recordsThere_.data(),
          placesThere_.data(),
          unitsThere_.data(),
          valuesThere_.data(),
          samplesThere_.data(),
          nodesThere_.data(),
          static_cast<int>(uploaded_.records)};
}

// --- snapshots -----------------------------------------------------------------------------------------------------

bool soundTree(const BoxNode* nodes, int nodeCount, int itemCount) {
  for (int n = 0; n < nodeCount; ++n) {
    const BoxNode& node = nodes[n];
    for (int axis = 0; axis < 3; ++axis) {
      if (!std::isfinite(node.low[axis]) || !std::isfinite(node.high[axis]) || !(node.low[axis] <= node.high[axis])) return false;
    }
    if (node.next <= n || node.next > nodeCount || node.items < 0) return false;
    if (node.items == 0 ? node.next == n + 1 : !holdsRange(node.items >> 3, node.items & 7, static_cast<size_t>(itemCount))) return false;
  }
  return nodeCount > 0;
}

// Places lead to later places or to blocks, so that every look ends.
bool SolidTable::soundField(const FieldRecord& f) const {
  const double size = f.block * std::max({f.grid[0], f.grid[1], f.grid[2]});
  if (!finite(f.low) || !(f.block > 0) || !(size <= 4 * kLargestMagnitude) || !(f.tolerance >= 0 && f.tolerance <= size) || f.spare != 0)
    return false;
  double large = 1;
  for (const int along : f.grid) {
    if (along < 1) return false;
    large *= along;
  }
  const bool last =
      f.firstPlace < 0 || f.firstBlock < 0 || static_cast<size_t>(f.firstPlace) > places_.size() || static_cast<size_t>(f.firstBlock) > units_.size();
  if (last || !(large <= double(places_.size() - static_cast<size_t>(f.firstPlace)))) return false;
  const size_t blocks = units_.size() - static_cast<size_t>(f.firstBlock);
  const auto places = static_cast<int>(places_.size() - static_cast<size_t>(f.firstPlace));
  // Those of the grid, and the parts of each that is divided: all that can be reached from the first ones.
  int reached = static_cast<int>(large);
  for (int place = 0; place < reached; ++place) {
    const int code = places_[static_cast<size_t>(f.firstPlace + place)];
    if (code >= 0) {
      if (static_cast<size_t>(code) >= blocks) return false;
      const float unit = units_[static_cast<size_t>(f.firstBlock + code)];
      if (!(unit >= 0 && double(unit) * 32768 <= 8 * kLargestMagnitude)) return false;
      continue;
    }
    const int part = ~code;
    if (part <= place || part > places - 8) return false;
    reached = std::max(reached, part + 8);
  }
  return true;
}

bool SolidTable::soundSamples(const SolidRecord& r, int vertexCount) const {
  const bool held = holdsRange(r.firstSample, r.sampleCount, samples_.size()) && holdsRange(r.firstNode, r.nodeCount, nodes_.size()) &&
                    holdsRange(r.firstFewNode, r.fewNodeCount, nodes_.size());
  if (!held || r.sampleCount < 1) return false;
  const auto isVertex = [&](int v) { return v >= 0 && v < vertexCount; };
  for (int k = 0; k < r.sampleCount; ++k) {
    const SurfaceSample& sample = samples_[static_cast<size_t>(r.firstSample + k)];
    if (!finite(sample.p) || !isVertex(sample.a) || (sample.b != kNoVertex && !isVertex(sample.b))) return false;
  }
  return soundTree(nodes_.data() + r.firstNode, r.nodeCount, r.sampleCount) &&
         soundTree(nodes_.data() + r.firstFewNode, r.fewNodeCount, r.sampleCount);
}

bool SolidTable::sound(int solid, int vertexCount) const {
  if (solid < 0 || solid >= count() || values_.size() != units_.size() * kFieldSamples) return false;
  const SolidRecord& record = records_[static_cast<size_t>(solid)];
  const bool sized = record.inner > 0 && record.inner <= 2 * kLargestMagnitude && record.spacing > 0 && record.spacing <= 2 * kLargestMagnitude;
  return sized && soundField(record.field) && soundSamples(record, vertexCount);
}

}  // namespace cairn::v0
