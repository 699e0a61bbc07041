// Broad phase, first part: each shape's bounds and its key on the Morton curve. See broad_phase_bounds.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

enum ShapeKind : int {
  kAbsent,
  kMoving,
  kFixed,
  kUnbounded,
  kMember
};  // empty slot, sensor or non-finite pose; dynamic body; static or kinematic; half-space; in an entry of the tree that another slot begins

// Axis-aligned, grown by the shape's margin. A half-space keeps its plane here instead: low = unit outward normal, high.x = offset along it,
// grown too. Absent shapes have low > high.
template <class T> struct alignas(8 * sizeof(T)) ShapeBounds {
  Vec3<T> low;
  Beside<T, int> kind;
  Vec3<T> high;
  Beside<T, int> fast;  // 1: it moves further within the step than its margin covers
};

// The body and the filter of a shape: two shapes may collide or not by these alone.
struct ShapeTag {
  int body;
  uint32_t category, mask;
  int group;
};

// Written on the target: the host never needs it.
struct TreeHeader {
  int low[3], high[3];  // of the centres, as ordered integers
  int leafCount;        // bounded shapes: order[0 .. leafCount)
  int unboundedCount;   // half-spaces follow them
  // The exponents of the leaves' sizes, 0..255, summed up: their low four bits and the rest apart, which 32 bits hold for a hundred million leaves.
  int lowExponentSum, highExponentSum;
  int root;  // child code (broad_phase_tree.hpp); kNoRoot if there is no leaf
};
constexpr int kNoRoot = 0x7fffffff;
constexpr int kHeaderFields = 10;  // those that are reduced: all but the root

// Two bits of a key tell size classes apart, the rest is the position on the curve. Sort time grows with the bits: a thousand cells along each axis
// do until there are many shapes. Pairs do not depend on it, only how good the tree is.
inline int treeAxisBits(int shapeSlots) { return shapeSlots <= 1 << 17 ? 10 : 15; }
inline int treeKeyBits(int shapeSlots) { return 3 * treeAxisBits(shapeSlots) + 2; }
constexpr int kMaxTreeKeyBits = 48, kMaxEnvironmentBits = 31;

// Environments (kernels/state/environments.hpp) by shape slot. Their number stands in front of the keys, so that the leaves of each are a subtree of
// their own, in which its shapes look for partners: how many others lie at the same place costs nothing.
struct ShapeEnvironments {
  int count = 0;   // 0: all shapes are of one
  int shapes = 1;  // of an environment

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD int of(int slot) const { return slot / shapes; }
  CAIRN_HD bool apart(int slotA, int slotB) const { return any() && of(slotA) != of(slotB); }
  int axisBits(int shapeSlots) const { return treeAxisBits(any() ? shapes : shapeSlots); }
  int shift(int shapeSlots) const { return 3 * axisBits(shapeSlots) + 2; }
  // Beside the environments' numbers there are two more: of half-spaces and of what is absent.
  int keyBits(int shapeSlots) const {
    int bits = 0;
    while (any() && (count + 1) >> bits != 0) ++bits;
    return shift(shapeSlots) + bits;
  }
};

// On the queue's target. Shape slots with body -1 are empty.
template <class T> struct BroadPhaseInput {
  const ShapeRecord<T>* shapes;
  int shapeSlots;
  const BodyPose<T>* poses;  // these three by body slot
  const BodyVelocity<T>* velocities;
  const BodyConstants<T>* constants;
  T dt;        // margins cover this much motion [s], but at most half the shape's smallest extent; bounds cover all of it
  T envelope;  // largest gap between shapes at rest that still makes a pair [m]
  ShapeEnvironments environments{};
  GeometryView geometry{};
  bool compounds = false;  // whether the shapes of a dynamic body share an entry of the tree (broad_phase_entries.hpp): the pairs are the same
};

// By shape slot.
template <class T> struct BoundsOutput {
  ShapeBounds<T>* bounds;
  ShapeTag* tags;
  T* margins;                  // [m]
  int* pairCounts;             // set to 0
  int* fastCount;              // one more for each fast shape
  TreeHeader* partialHeaders;  // partialHeaderCount() copies, each emptyHeader(); null: no header is made
};

template <class T> void boundShapes(Queue& queue, const BroadPhaseInput<T>& in, const BoundsOutput<T>& out);

// boundShapes collects the header in this many copies, so that GPU threads do not wait for one another. They must start out as emptyHeader(), and
// reduceHeader leaves them so.
int partialHeaderCount(Target target);
TreeHeader emptyHeader();
void reduceHeader(Queue& queue, TreeHeader* partialHeaders, TreeHeader* header);

// keys[slot], and order[slot] = slot for the sort that follows. Half-spaces sort behind all bounded shapes, members of entries behind those, in the
// order of their slots, and absent ones last.
template <class T> void makeTreeKeys(Queue& queue, const ShapeBounds<T>* bounds, int shapeSlots, const TreeHeader* header, uint64_t* keys, int* order,
                                     const ShapeEnvironments& environments = {});

}  // namespace cairn::v0
