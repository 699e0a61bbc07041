#include "src/mesh/box_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cairn::v0 {
namespace {

constexpr int kLeaf = 4;

// The largest float that is not above, the smallest that is not below.
float roundedDown(double value) {
  const float near = static_cast<float>(value);
  return double(near) > value ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}
float roundedUp(double value) { return -roundedDown(-value); }

Vec3d twiceMiddle(const Bounds& bounds) { return bounds.low + bounds.high; }

}  // namespace

BoxTree::BoxTree(const std::vector<Bounds>& bounds) : order(bounds.size()) {
  std::iota(order.begin(), order.end(), 0);
  build(bounds, 0, static_cast<int>(order.size()));
}

void BoxTree::build(const std::vector<Bounds>& bounds, int begin, int end) {
  const auto at = [&](int place) -> const Bounds& { return bounds[static_cast<size_t>(order[static_cast<size_t>(place)])]; };
  Vec3d low = at(begin).low, high = at(begin).high, first = twiceMiddle(at(begin)), last = first;
  for (int p = begin + 1; p < end; ++p) {
    const Vec3d m = twiceMiddle(at(p));
    low = minOf(low, at(p).low);
    high = maxOf(high, at(p).high);
    first = minOf(first, m);
    last = maxOf(last, m);
  }
  const size_t node = nodes.size();
  nodes.push_back({{roundedDown(low.x), roundedDown(low.y), roundedDown(low.z)}, {roundedUp(high.x), roundedUp(high.y), roundedUp(high.z)}, 0, 0});
  if (end - begin <= kLeaf) {
    std::sort(order.begin() + begin, order.begin() + end);
    nodes[node].items = begin << 3 | (end - begin);
  } else {
    const Vec3d spread = last - first;
    const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2, half = (begin + end) / 2;
    const auto key = [&](int i) { return std::pair(component(twiceMiddle(bounds[static_cast<size_t>(i)]), axis), i); };
    std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end, [&](int i, int j) { return key(i) < key(j); });
    build(bounds, begin, half);
    build(bounds, half, end);
  }
  nodes[node].next = static_cast<int>(nodes.size());
}

}  // namespace cairn::v0
