// Who lies near bounds: a walk through the tree for one item, and the rules that say whether two shapes may collide.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/search.hpp"

namespace cairn::v0 {

template <class T> CAIRN_HD inline bool overlap(Vec3<T> lowA, Vec3<T> highA, Vec3<T> lowB, Vec3<T> highB) {
  return (int(lowA.x <= highB.x) & int(lowB.x <= highA.x) & int(lowA.y <= highB.y) & int(lowB.y <= highA.y) & int(lowA.z <= highB.z) &
          int(lowB.z <= highA.z)) != 0;
}

// True if the bounds' deepest corner is below the half-space's plane.
template <class T> CAIRN_HD inline bool reaches(const ShapeBounds<T>& own, const ShapeBounds<T>& halfSpace) {
  const Vec3<T> n = halfSpace.low;
  const Vec3<T> deepest{n.x > T(0) ? own.low.x : own.high.x, n.y > T(0) ? own.low.y : own.high.y, n.z > T(0) ? own.low.z : own.high.z};
  return dot(n, deepest) <= halfSpace.high.x;
}

// The rule of CollisionFilter.
CAIRN_HD inline bool mayCollide(const ShapeTag& a, const ShapeTag& b) {
  if (a.body == b.body) return false;
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// visitor(slot, with kFixedBit where the shape is fixed) for leaves whose bounds overlap `own`: fixed ones, and moving ones behind the leaf `after`
// in the sorted order; below the root given.
template <class T, class Visitor>
CAIRN_HD inline void visitOverlaps(const TreeView<T>& tree, int root, const ShapeBounds<T>& own, int after, Visitor& visitor) {
  int stack[kMaxTreeDepth];
  int depth = 0;
  int entry = root;                               // kFixedBit in an entry: only fixed shapes are wanted below
  if (isLeaf(entry) || entry == kNoRoot) return;  // a single leaf has no partner
  entry &= ~kFixedBit;
  for (;;) {
    const int index = entry & ~kFixedBit;
    const bool onlyFixed = (entry & kFixedBit) != 0;
    const TreeNode<T>& node = tree.nodes[index];
    const int left = node.left, right = node.right;
    // All leaves of the left child come before or at `after` if its last one, which has the node's index, does.
    const bool leftOnlyFixed = onlyFixed || index <= after;
    const bool rightOnlyFixed = onlyFixed || (isLeaf(right) && index + 1 <= after);
    bool enterLeft = overlap(own.low, own.high, node.lowLeft, node.highLeft) && (!leftOnlyFixed || holdsFixed(left));
    bool enterRight = overlap(own.low, own.high, node.lowRight, node.highRight) && (!rightOnlyFixed || holdsFixed(right));
    if (enterLeft && isLeaf(left)) {
      visitor(~left);
      enterLeft = false;
    }
    if (enterRight && isLeaf(right)) {
      visitor(~right);
      enterRight = false;
    }
    const int leftEntry = (left & ~kFixedBit) | (leftOnlyFixed ? kFixedBit : 0);
    const int rightEntry = (right & ~kFixedBit) | (rightOnlyFixed ? kFixedBit : 0);
    if (enterLeft) {
      if (enterRight) stack[depth++] = rightEntry;
      entry = leftEntry;
    } else if (enterRight) {
      entry = rightEntry;
    } else {
      if (depth == 0) return;
      entry = stack[--depth];
    }
  }
}

// Passes on which shapes under a leaf overlap.
template <class T, class Visitor> struct VisitMembers {
  const TreeView<T>& tree;
  const ShapeBounds<T>& own;
  Visitor& visitor;

  CAIRN_HD void operator()(int code) const {
    if (tree.ends == nullptr) return visitor(code);
    const int slot = code & ~kFixedBit, end = tree.ends[slot];
    if (end == slot + 1) return visitor(code);
    for (int member = slot; member < end; ++member) {
      if (overlap(own.low, own.high, tree.bounds[member].low, tree.bounds[member].high)) visitor(member);  // none is fixed
    }
  }
};

// All that `own`, the bounds of a slot, overlaps: half-spaces, then what lies under leaves of the tree as visitOverlaps finds them.
template <class T, class Visitor>
CAIRN_HD inline void visitPartners(const TreeView<T>& tree, int slot, const ShapeBounds<T>& own, int after, Visitor& visitor) {
  const Subtree around = tree.around(slot);
  for (int i = around.firstHalfSpace; i < around.endOfHalfSpaces; ++i) {
    if (reaches(own, tree.bounds[tree.order[i]])) visitor(tree.order[i] | kFixedBit);
  }
  VisitMembers<T, Visitor> visitMembers{tree, own, visitor};
  visitOverlaps(tree, around.root, own, after, visitMembers);
}

// Passes on what overlaps by the step's own bounds.
template <class T, class Visitor> struct OverlapsNow {
  const ShapeBounds<T>* bounds;
  const ShapeBounds<T>& own;
  Visitor& visitor;

  CAIRN_HD void operator()(int code) const {
    const ShapeBounds<T>& other = bounds[code & ~kFixedBit];
    if (other.kind == kUnbounded || overlap(own.low, own.high, other.low, other.high)) visitor(code);
  }
};

// visitor(slot, with kFixedBit where the shape is fixed) for all shapes whose bounds overlap `own`, those of a slot, itself among them.
template <class T, class Visitor>
CAIRN_HD inline void visitAll(const BoundedShapes<T>& shapes, int ownSlot, const ShapeBounds<T>& own, Visitor& visitor) {
  if (shapes.tree.nodes != nullptr) {
    OverlapsNow<T, Visitor> visitNow{shapes.bounds, own, visitor};
    return visitPartners(shapes.tree, ownSlot, own, -1, visitNow);
  }
  for (int slot = 0; slot < shapes.shapeSlots; ++slot) {
    const ShapeBounds<T>& other = shapes.bounds[slot];
    if (other.kind == kAbsent || shapes.environments.apart(ownSlot, slot)) continue;
    if (!(other.kind == kUnbounded ? reaches(own, other) : overlap(own.low, own.high, other.low, other.high))) continue;
    visitor(other.kind == kMoving ? slot : slot | kFixedBit);
  }
}

CAIRN_HD inline bool isJoined(const JoinedPairs& joined, int a, int b) {
  const uint64_t key = a < b ? static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b) : static_cast<uint64_t>(b) << 32 | static_cast<uint32_t>(a);
  const int at = firstNotBelow(0, joined.count, [&](int k) { return joined.keys[k] < key; });
  return at < joined.count && joined.keys[at] == key;
}

}  // namespace cairn::v0
