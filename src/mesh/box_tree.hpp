// Trees of boxes over the parts of one shape, as kernels walk them (box_node.hpp).
#pragma once

#include "kernels/state/box_node.hpp"

#include <cairn/scene.hpp>

#include <vector>

namespace cairn::v0 {

struct Bounds {
  Vec3d low, high;
};

// Halves by the median of the middles of the bounds along the axis where these are furthest apart, ties by number. The items of a leaf, four at most,
// stand in the order of their numbers. One item at least.
struct BoxTree {
  explicit BoxTree(const std::vector<Bounds>& bounds);

  std::vector<BoxNode> nodes;
  std::vector<int> order;  // of the items, as leaves have them

 private:
  void build(const std::vector<Bounds>& bounds, int begin, int end);
};

}  // namespace cairn::v0
