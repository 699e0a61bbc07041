// Broad phase on the target: bounds, the tree over them, overlapping pairs. The sequence is in src/collide/broad_phase.cpp, the algorithm in
// broad_phase.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/runtime/tuning.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

// Set in the codes of shapes on static and kinematic bodies, and of subtrees that contain one.
constexpr int kFixedBit = 1 << 30;

enum ShapeKind : int { kAbsent, kMoving, kFixed, kUnbounded };  // empty slot or non-finite pose; dynamic body; static or kinematic; half-space

// Axis-aligned, grown by the shape's margin. A half-space keeps its plane here instead: low = unit outward normal, high.x = offset along it,
// grown too. Absent shapes have low > high.
template <class T> struct alignas(8 * sizeof(T)) ShapeBounds {
  Vec3<T> low;
  int kind;
  Vec3<T> high;
  int spare;
};

// What decides whether two shapes may collide.
struct ShapeTag {
  int body;
  uint32_t category, mask;
  int group;
};

// A child code: internal node index, or ~slot of a leaf's shape; kFixedBit is set (before the complement) as said there.
template <class T> struct alignas(16 * sizeof(T)) TreeNode {
  Vec3<T> lowLeft, highLeft, lowRight, highRight;
  int left, right;
};

// Written on the target: the host never needs it.
struct TreeHeader {
  int low[3], high[3];  // of the centres, as ordered integers
  int leafCount;        // bounded shapes: order[0 .. leafCount)
  int unboundedCount;   // half-spaces follow them
  int exponentSum;      // of the leaves' sizes
  int root;             // child code; kNoRoot if there is no leaf
};
constexpr int kNoRoot = 0x7fffffff;
constexpr int kHeaderFields = 9;  // those that are reduced: all but the root

// Internal node i splits the leaves between order[i] and order[i + 1]: its left child covers a range that ends with leaf i, its right child one
// that begins with leaf i + 1.
template <class T> struct TreeView {
  const TreeNode<T>* nodes;
  const ShapeBounds<T>* bounds;  // by shape slot
  const int* order;              // shape slots: leaves along the Morton curve, then half-spaces
  const TreeHeader* header;
};

// A key has 48 bits: sort time grows with them. Two tell size classes apart, the rest is the position on the curve.
constexpr int kTreeKeyBits = 48;
constexpr int kTreeAxisBits = 15;

template <class T> void boundShapes(Queue& queue, const ShapeRecord<T>* shapes, int shapeSlots, const BodyPose<T>* poses,
                                    const BodyVelocity<T>* velocities, const BodyConstants<T>* constants, T dt, T envelope, ShapeBounds<T>* bounds,
                                    ShapeTag* tags, T* margins, int* pairCounts, TreeHeader* partialHeaders);
// boundShapes collects the header in this many copies, so that GPU threads do not queue for one; they must start out as emptyHeader() and
// reduceHeader leaves them so. Without copies (null) no header is made.
int partialHeaderCount(Target target);
TreeHeader emptyHeader();
void reduceHeader(Queue& queue, TreeHeader* partialHeaders, TreeHeader* header);
template <class T>
void makeTreeKeys(Queue& queue, const ShapeBounds<T>* bounds, int shapeSlots, const TreeHeader* header, uint64_t* keys, int* order);
template <class T> void buildTree(Queue& queue, const uint64_t* keys, const int* order, const ShapeBounds<T>* bounds, int shapeSlots, int* arrivals,
                                  TreeNode<T>* nodes, TreeHeader* header);
template <class T> void findPairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, int* pairCounts, int* pairRows);
// The same pairs without a tree, for a handful of shapes: rows must hold rowCapacity >= shapeSlots.
template <class T> void findPairsDirectly(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, int rowCapacity,
                                          int* pairCounts, int* pairRows);
// Rows longer than rowCapacity are found again in the tree.
template <class T> void writePairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const int* offsets,
                                   const int* pairRows, int rowCapacity, int* shapeA, int* shapeB);

}  // namespace cairn
