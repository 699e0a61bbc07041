#include "src/mesh/triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cairn::v0 {
namespace {

constexpr int kLeaf = 4;

// Where along the ray the box begins; infinite where the ray misses it.
double entry(const Bounds& box, Vec3d origin, Vec3d inverse) {
  double near = 0, far = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double o = component(origin, axis), i = component(inverse, axis);
    const double a = (component(box.low, axis) - o) * i, b = (component(box.high, axis) - o) * i;
    // A ray in the plane of a side gives 0 times infinity, which says nothing.
    if (std::isnan(a) || std::isnan(b)) continue;
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
  }
  return near <= far ? near : std::numeric_limits<double>::infinity();
}

// Möller and Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", 1997.
bool meets(const Triangle& t, Vec3d origin, Vec3d direction, TriangleHit& hit) {
  const Vec3d e1 = t[1] - t[0], e2 = t[2] - t[0], p = cross(direction, e2);
  const double determinant = dot(e1, p);
  if (determinant == 0) return false;
  const Vec3d s = origin - t[0], q = cross(s, e1);
  hit.second = dot(s, p) / determinant;
  hit.third = dot(direction, q) / determinant;
  hit.distance = dot(e2, q) / determinant;
  return hit.second >= 0 && hit.third >= 0 && hit.second + hit.third <= 1;
}

}  // namespace

Bounds boundsOf(const Triangle& t) { return {minOf(minOf(t[0], t[1]), t[2]), maxOf(maxOf(t[0], t[1]), t[2])}; }
Bounds unionOf(const Bounds& a, const Bounds& b) { return {minOf(a.low, b.low), maxOf(a.high, b.high)}; }

TriangleTree::TriangleTree(std::vector<Triangle> triangles) : triangles_(std::move(triangles)), order_(triangles_.size()) {
  if (triangles_.empty()) return;
  bounds_.reserve(triangles_.size());
  for (const Triangle& t : triangles_) bounds_.push_back(boundsOf(t));
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.emplace_back();
  build(0, 0, static_cast<int>(order_.size()));
}

void TriangleTree::build(int node, int begin, int end) {
  Bounds bounds = boundsAt(begin), middles{bounds.low + bounds.high, bounds.low + bounds.high};
  for (int p = begin + 1; p < end; ++p) {
    const Bounds& b = boundsAt(p);
    bounds = unionOf(bounds, b);
    middles = unionOf(middles, {b.low + b.high, b.low + b.high});
  }
  Node& own = nodes_[static_cast<size_t>(node)];
  own.bounds = bounds;
  own.size = end - begin;
  if (end - begin <= kLeaf) {
    own.begin = begin;
    own.count = end - begin;
    return;
  }
  const Vec3d spread = middles.high - middles.low;
  const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2, half = (begin + end) / 2;
  const auto key = [&](int i) {
    const Bounds& b = bounds_[static_cast<size_t>(i)];
    return std::pair(component(b.low, axis) + component(b.high, axis), i);
  };
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end, [&](int i, int j) { return key(i) < key(j); });
  const int left = static_cast<int>(nodes_.size());
  own.left = left;
  nodes_.resize(nodes_.size() + 2);
  build(left, begin, half);
  build(left + 1, half, end);
}

TriangleHit TriangleTree::cast(Vec3d origin, Vec3d direction, double least) const {
  TriangleHit best;
  best.distance = std::numeric_limits<double>::infinity();
  if (nodes_.empty()) return best;
  const Vec3d inverse{1 / direction.x, 1 / direction.y, 1 / direction.z};
  int open[128], count = 0;  // deeper than any tree of halves
  open[count++] = 0;
  while (count > 0) {
    const Node& node = nodes_[static_cast<size_t>(open[--count])];
    if (!(entry(node.bounds, origin, inverse) < best.distance)) continue;
    if (node.count == 0) {
      const double ofLeft = entry(nodes_[static_cast<size_t>(node.left)].bounds, origin, inverse);
      const double ofRight = entry(nodes_[static_cast<size_t>(node.left) + 1].bounds, origin, inverse);
      const int nearer = ofLeft <= ofRight ? 0 : 1;
      open[count++] = node.left + 1 - nearer;
      open[count++] = node.left + nearer;
      continue;
    }
    for (int p = node.begin; p < node.begin + node.count; ++p) {
      const int i = order_[static_cast<size_t>(p)];
      TriangleHit hit;
      if (!meets(triangles_[static_cast<size_t>(i)], origin, direction, hit) || !(hit.distance > least) || !(hit.distance < best.distance)) continue;
      hit.triangle = i;
      best = hit;
    }
  }
  return best;
}

}  // namespace cairn::v0
