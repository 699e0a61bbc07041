// Bounds of several lanes that go through the broad phase's tree together: each node is read once and compared with all of them. For *_cpu.cpp files.
//
// Lanes are compared with what they would be compared with by themselves, or with more, and what is found is found by a lane's own comparison: so it
// is what visitOverlaps (broad_phase_walk.hpp) finds for each of them, in another order.
#pragma once

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/rows/pack_instructions.hpp"

#include <algorithm>

namespace cairn::v0 {

using LaneBits = unsigned;  // a bit a lane

template <class Body> inline void forEachLane(LaneBits lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(__builtin_ctz(lanes));
}

template <class T> class BoundsPack {
 public:
  static constexpr int kWidth = Pack<T>::kWidth;

  // boundsOf(lane) for each lane, whether it counts or not.
  template <class Bounds> BoundsPack(const Bounds& boundsOf, LaneBits lanes) : lanes_(lanes) {
    V fields[8];
    RecordLanes<T, kWidth>::load([&](int lane) { return &boundsOf(lane).low.x; }, fields);
    low_ = {fields[0], fields[1], fields[2]};
    high_ = {fields[4], fields[5], fields[6]};
  }

  LaneBits overlapping(const Vec3<T>& low, const Vec3<T>& high) const {
    const auto inX = (low_.x <= V(high.x)) & (V(low.x) <= high_.x), inY = (low_.y <= V(high.y)) & (V(low.y) <= high_.y);
    return bitsOf(inX & inY & (low_.z <= V(high.z)) & (V(low.z) <= high_.z)) & lanes_;
  }

  // leaf(slot, with kFixedBit where it is fixed, place in the sorted order, lanes) for the leaves that lanes overlap: fixed ones, and moving ones
  // behind the place `after`.
  template <class Leaf> void walk(const TreeView<T>& tree, int root, int after, const Leaf& leaf) const {
    if (isLeaf(root) || root == kNoRoot) return;
    int stack[kMaxTreeDepth];
    int depth = 0;
    int entry = root & ~kFixedBit;  // kFixedBit in an entry: only fixed shapes are wanted below
    for (;;) {
      const int index = entry & ~kFixedBit;
      const bool onlyFixed = (entry & kFixedBit) != 0;
      const TreeNode<T>& node = tree.nodes[index];
      const int left = node.left, right = node.right;
      const bool leftOnlyFixed = onlyFixed || index <= after, rightOnlyFixed = onlyFixed || (isLeaf(right) && index + 1 <= after);
      LaneBits inLeft = leftOnlyFixed && !holdsFixed(left) ? 0 : overlapping(node.lowLeft, node.highLeft);
      LaneBits inRight = rightOnlyFixed && !holdsFixed(right) ? 0 : overlapping(node.lowRight, node.highRight);
      if (inLeft != 0 && isLeaf(left)) {
        leaf(~left, index, inLeft);
        inLeft = 0;
      }
      if (inRight != 0 && isLeaf(right)) {
        leaf(~right, index + 1, inRight);
        inRight = 0;
      }
      const int leftEntry = (left & ~kFixedBit) | (leftOnlyFixed ? kFixedBit : 0);
      const int rightEntry = (right & ~kFixedBit) | (rightOnlyFixed ? kFixedBit : 0);
      if (inLeft != 0) {
        if (inRight != 0) stack[depth++] = rightEntry;
        entry = leftEntry;
      } else if (inRight != 0) {
        entry = rightEntry;
      } else {
        if (depth == 0) return;
        entry = stack[--depth];
      }
    }
  }

 private:
  using V = Pack<T>;

  LaneBits lanes_;
  Vec3<V> low_, high_;
};

// Lanes of several environments look for partners in different subtrees: body(lanes) for those of each.
template <class T, class Body> inline void forEachEnvironment(const TreeView<T>& tree, const int* slots, LaneBits lanes, const Body& body) {
  if (tree.subtrees == nullptr) return body(lanes);
  while (lanes != 0) {
    const int environment = tree.environments.of(slots[__builtin_ctz(lanes)]);
    LaneBits same = 0;
    forEachLane(lanes, [&](int lane) { same |= LaneBits(tree.environments.of(slots[lane]) == environment) << lane; });
    body(same);
    lanes &= ~same;
  }
}

}  // namespace cairn::v0
