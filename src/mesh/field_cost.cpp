// Blocks that a surface passes: each triangle goes down through boxes of blocks, halved along their longest side for as long as it
// passes them (Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001: separating axes).
#include "src/mesh/triangle_tree.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <algorithm>
#include <cmath>

namespace cairn::v0 {
namespace {

constexpr int kCells = 8, kSamples = (kCells + 1) * (kCells + 1) * (kCells + 1);
constexpr double kMostBlocks = 2e7, kMostAlongAxis = 1048576;

// Corners relative to the box's middle, closed sets.
bool overlap(const Triangle& t, Vec3d half) {
  const Vec3d low = minOf(minOf(t[0], t[1]), t[2]), high = maxOf(maxOf(t[0], t[1]), t[2]);
  if (low.x > half.x || high.x < -half.x || low.y > half.y || high.y < -half.y || low.z > half.z || high.z < -half.z) return false;
  const auto parted = [&](Vec3d axis) {
    const double a = dot(axis, t[0]), b = dot(axis, t[1]), c = dot(axis, t[2]), reach = dot(absOf(axis), half);
    return std::min({a, b, c}) > reach || std::max({a, b, c}) < -reach;
  };
  const Vec3d edges[3] = {t[1] - t[0], t[2] - t[1], t[0] - t[2]};
  if (parted(cross(edges[0], edges[1]))) return false;
  for (const Vec3d& e : edges) {
    if (parted({0, -e.z, e.y}) || parted({e.z, 0, -e.x}) || parted({-e.y, e.x, 0})) return false;
  }
  return true;
}

// Corners are in blocks from here on.
class BlockCounter {
 public:
  void add(const Triangle& t) {
    triangle_ = t;
    const Bounds b = boundsOf(t);
    const auto first = [](double v) { return static_cast<int>(std::floor(v)); };
    divide({first(b.low.x), first(b.low.y), first(b.low.z)}, {first(b.high.x) + 1, first(b.high.y) + 1, first(b.high.z) + 1});
  }
  double count() {
    compact();
    return static_cast<double>(blocks_.size());
  }

 private:
  using Place = std::array<int, 3>;

  void divide(const Place& begin, const Place& end) {
    Vec3d low{double(begin[0]), double(begin[1]), double(begin[2])}, high{double(end[0]), double(end[1]), double(end[2])};
    const Vec3d middle = 0.5 * (low + high);
    if (!overlap({triangle_[0] - middle, triangle_[1] - middle, triangle_[2] - middle}, 0.5 * (high - low))) return;
    size_t axis = 0;
    for (size_t k = 1; k < 3; ++k) {
      if (end[k] - begin[k] > end[axis] - begin[axis]) axis = k;
    }
    if (end[axis] - begin[axis] == 1) {
      blocks_.push_back((static_cast<uint64_t>(begin[0]) << 42) | (static_cast<uint64_t>(begin[1]) << 21) | static_cast<uint64_t>(begin[2]));
      if (blocks_.size() >= room_) compact();
      return;
    }
    Place split = end, from = begin;
    split[axis] = from[axis] = (begin[axis] + end[axis]) / 2;
    divide(begin, split);
    divide(from, end);
  }
  void compact() {
    std::sort(blocks_.begin(), blocks_.end());
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
    if (static_cast<double>(blocks_.size()) > kMostBlocks)
      throw InvalidInput("cell", text("must be larger: the surface passes more than {} blocks", kMostBlocks));
    room_ = std::max(size_t(1) << 20, 2 * blocks_.size());
  }

  Triangle triangle_{};
  std::vector<uint64_t> blocks_;
  size_t room_ = size_t(1) << 20;
};

}  // namespace

FieldCost fieldCost(const TriangleMesh& mesh, double cell) {
  validate(mesh, "mesh");
  if (!(cell > 0 && cell <= kLargestMagnitude))
    throw InvalidInput("cell", text("must be a number > 0 and at most {} m, is {}", kLargestMagnitude, cell));
  const auto corner = [&](const std::array<int32_t, 3>& t, size_t k) { return mesh.vertices[static_cast<size_t>(t[k])]; };
  Vec3d low = corner(mesh.triangles[0], 0), high = low;
  for (const auto& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) low = minOf(low, corner(t, k)), high = maxOf(high, corner(t, k));
  }
  const double block = kCells * cell;
  const Vec3d size = high - low;
  FieldCost cost;
  cost.cell = cell;
  cost.gridBlocks = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double along = std::floor(component(size, axis) / block) + 1;
    if (!(along <= kMostAlongAxis)) {
      throw InvalidInput("cell", text("must be larger: {} m along an axis are {} blocks of {} cells, must be at most {}", component(size, axis),
                                      along, kCells, kMostAlongAxis));
    }
    cost.gridBlocks *= along;
  }
  BlockCounter counter;
  for (const auto& t : mesh.triangles) {
    Triangle inBlocks;
    for (size_t k = 0; k < 3; ++k) {
      const Vec3d p = corner(t, k) - low;
      inBlocks[k] = {p.x / block, p.y / block, p.z / block};
    }
    counter.add(inBlocks);
  }
  cost.blocks = counter.count();
  cost.bytes = 4 * (kSamples * cost.blocks + cost.gridBlocks);
  return cost;
}

}  // namespace cairn::v0
