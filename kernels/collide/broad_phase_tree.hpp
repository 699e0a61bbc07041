// Broad phase, third part: the tree over the bounds. See broad_phase_tree.cu.
#pragma once

#include "kernels/collide/broad_phase_entries.hpp"

namespace cairn::v0 {

// A child code: the index of an internal node, or the complement of a leaf's shape slot. kFixedBit belongs to index and slot, of leaves that are
// fixed and of subtrees that contain one: a leaf's is set before the complement.
template <class T> struct alignas(16 * sizeof(T)) TreeNode {
  Vec3<T> lowLeft, highLeft, lowRight, highRight;
  int left, right;
  int spare[sizeof(T) - 2];
};
CAIRN_HD inline bool isLeaf(int code) { return code < 0; }
CAIRN_HD inline bool holdsFixed(int code) { return ((isLeaf(code) ? ~code : code) & kFixedBit) != 0; }

// The part of the tree that is an environment's: its subtree, and its half-spaces, order[firstHalfSpace .. endOfHalfSpaces).
struct Subtree {
  int root;  // child code; kNoRoot if there is no bounded shape
  int firstHalfSpace, endOfHalfSpaces;
};
// Internal node i splits the leaves between order[i] and order[i + 1]: its left child covers a range that ends with leaf i, its right child one
// that begins with leaf i + 1.
template <class T> struct TreeView {
  const TreeNode<T>* nodes;
  const ShapeBounds<T>* bounds;  // by shape slot
  const int* order;              // shape slots: leaves along the Morton curve, then half-spaces, then what lies under leaves of other slots
  const TreeHeader* header;
  const Subtree* subtrees = nullptr;  // by environment; null: the tree is one
  ShapeEnvironments environments{};
  // What shares a leaf: EntryArrays, and by shape slot the place of its leaf, on a device. Null: each shape has a leaf of its own.
  const ShapeBounds<T>* entries = nullptr;
  const int* ends = nullptr;
  const int* leaves = nullptr;

  CAIRN_HD Subtree all() const { return {header->root, header->leafCount, header->leafCount + header->unboundedCount}; }
  // Under the leaf of a slot lie the shapes slot .. endOf(slot).
  CAIRN_HD int endOf(int slot) const { return ends != nullptr ? ends[slot] : slot + 1; }
  CAIRN_HD const ShapeBounds<T>& entryOf(int slot) const { return entries != nullptr ? entries[slot] : bounds[slot]; }
  // Where a shape looks for partners.
  CAIRN_HD Subtree around(int slot) const { return subtrees != nullptr ? subtrees[environments.of(slot)] : all(); }
};

// All shapes where a walk looks for them: the tree, whose nodes may be wider than the bounds, or without one (null nodes) the bounds one after the
// other.
template <class T> struct BoundedShapes {
  TreeView<T> tree;
  const ShapeBounds<T>* bounds;  // by shape slot
  const ShapeTag* tags;
  int shapeSlots;
  ShapeEnvironments environments{};
};

// No path from the root is longer: each level consumes one bit of key and place at least.
constexpr int kMaxTreeDepth = kMaxTreeKeyBits + 32;

// arrivals[shapeSlots] is scratch, zero before and after. Written are the nodes, the header's root, and unless they are null the subtrees and, by
// shape slot, the leaf that a shape of an entry lies under.
template <class T> struct TreeArrays {
  int* arrivals;
  TreeNode<T>* nodes;
  TreeHeader* header;
  Subtree* subtrees = nullptr;
  const int* ends = nullptr;  // of entries; null: leaves are not written
  int* leaves = nullptr;
};
// `keys` and `order` are sorted by key; `bounds` are those of entries.
template <class T> void buildTree(Queue& queue, const uint64_t* keys, const int* order, const ShapeBounds<T>* bounds, int shapeSlots,
                                  const TreeArrays<T>& out, const ShapeEnvironments& environments = {});

}  // namespace cairn::v0
