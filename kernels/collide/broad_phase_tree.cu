// Broad phase, third part: a binary tree over the sorted entries.
//
// In: entries in the order of their keys, bounds. Out: nodes with the bounds of both children, and the root.
//
// The hierarchy is a linear BVH (Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012): leaves are sorted
// along a Morton curve and inner nodes follow from the keys' common prefixes. Nodes are made bottom-up in the same pass that fits the bounds
// (Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014), which gives the same hierarchy with one launch and no searches. Equal keys
// are told apart by their place in the sorted order.
//
// Deterministic: one thread a leaf climbs, and of two that meet at a node the second goes on with the bounds of both. Which of them that is does not
// show in the node.
//
// Environments are told apart by the first bits of the keys, so that the leaves of each hang under one node, which is noted on the way up.
//
// Memory: 64 bytes a shape in float, and 4 of scratch; 12 bytes an environment.
#include "kernels/collide/broad_phase_tree.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/runtime/search.hpp"

namespace cairn::v0 {
namespace {

template <class T> CAIRN_HD inline int leafCode(int slot, const ShapeBounds<T>& bounds) { return ~(bounds.kind == kFixed ? slot | kFixedBit : slot); }

template <class T> struct BuildTree {
  const uint64_t* keys;
  const int* order;
  const ShapeBounds<T>* bounds;
  TreeArrays<T> out;  // arrivals: of the first child, one more than the far end of its range; 0 before
  int shift;          // of the environments in the keys

  CAIRN_HD uint64_t environmentOf(int leaf) const { return keys[leaf] >> shift; }
  // Leaves begin .. end hang under the code: all of their environment, maybe.
  CAIRN_HD void noteSubtree(int begin, int end, int last, int code) const {
    const uint64_t own = environmentOf(begin);
    if (environmentOf(end) != own || (begin > 0 && environmentOf(begin - 1) == own) || (end < last && environmentOf(end + 1) == own)) return;
    out.subtrees[own].root = code;
  }

  // Distance between the sorted neighbours i and i + 1: the larger it is, the higher in the tree they part.
  CAIRN_HD uint64_t gapAfter(int i) const {
    const uint64_t difference = keys[i] ^ keys[i + 1];
    return difference != 0 ? difference + (uint64_t(1) << 32) : static_cast<uint64_t>(static_cast<uint32_t>(i) ^ static_cast<uint32_t>(i + 1));
  }

  CAIRN_HD void operator()(int leaf) const {
    const int last = out.header->leafCount - 1;
    const int slot = order[leaf];
    Vec3<T> low = bounds[slot].low, high = bounds[slot].high;
    int code = leafCode(slot, bounds[slot]);
    int begin = leaf, end = leaf;  // leaves under this node, both included
    if (out.subtrees != nullptr) noteSubtree(begin, end, last, code);
    if (out.ends != nullptr) {
      for (int member = slot; member < out.ends[slot]; ++member) out.leaves[member] = leaf;
    }
    while (begin > 0 || end < last) {
      const bool goesLeft = begin == 0 || (end < last && gapAfter(end) < gapAfter(begin - 1));
      const int parent = goesLeft ? end : begin - 1;
      TreeNode<T>& node = out.nodes[parent];
      if (goesLeft) {
        node.lowLeft = low;
        node.highLeft = high;
        node.left = code;
      } else {
        node.lowRight = low;
        node.highRight = high;
        node.right = code;
      }
      memoryFence();
      const int other = atomicAddInt(&out.arrivals[parent], (goesLeft ? begin : end) + 1);
      if (other == 0) return;  // the sibling, when it comes, goes on
      memoryFence();
      out.arrivals[parent] = 0;
      const int siblingCode = goesLeft ? node.right : node.left;
      if (goesLeft) {
        low = minOf(low, node.lowRight);
        high = maxOf(high, node.highRight);
        end = other - 1;
      } else {
        low = minOf(low, node.lowLeft);
        high = maxOf(high, node.highLeft);
        begin = other - 1;
      }
      for (int& spare : node.spare) spare = 0;
      code = holdsFixed(code) || holdsFixed(siblingCode) ? parent | kFixedBit : parent;
      if (out.subtrees != nullptr) noteSubtree(begin, end, last, code);
    }
    out.header->root = code;
  }
};

// Half-spaces lie behind the leaves, by environment.
struct FindHalfSpaces {
  const uint64_t* keys;
  const TreeHeader* header;
  Subtree* subtrees;
  uint64_t first;  // their key in the first environment

  CAIRN_HD void operator()(int environment) const {
    const int begin = header->leafCount, end = begin + header->unboundedCount;
    const auto from = [&](uint64_t key) { return firstNotBelow(begin, end, [&](int k) { return keys[k] < key; }); };
    const uint64_t own = first + static_cast<uint64_t>(environment);
    subtrees[environment] = {kNoRoot, from(own), from(own + 1)};
  }
};

}  // namespace

template <class T> void buildTree(Queue& queue, const uint64_t* keys, const int* order, const ShapeBounds<T>* bounds, int shapeSlots,
                                  const TreeArrays<T>& out, const ShapeEnvironments& environments) {
  const int shift = environments.shift(shapeSlots);
  if (out.subtrees != nullptr) {
    const uint64_t first = static_cast<uint64_t>(environments.count) << shift;
    forEach(queue, "broad_phase/subtrees", environments.count, FindHalfSpaces{keys, out.header, out.subtrees, first});
  }
  forEach(queue, "broad_phase/tree", &out.header->leafCount, shapeSlots, BuildTree<T>{keys, order, bounds, out, shift});
}

#define CAIRN_INSTANTIATE(T) \
  template void buildTree(Queue&, const uint64_t*, const int*, const ShapeBounds<T>*, int, const TreeArrays<T>&, const ShapeEnvironments&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
