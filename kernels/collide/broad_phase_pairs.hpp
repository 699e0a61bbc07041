// Broad phase, fourth part: pairs of shapes whose bounds overlap. See broad_phase_pairs.cu.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn::v0 {

// The counting pass keeps, by shape slot A, the number of its partners and the first `capacity` of them, in the order of arrival. A partner is
// a shape slot, with kFixedBit where it is fixed.
struct PairRows {
  int* counts;
  int* partners;  // [shapeSlots * capacity]
  int capacity;
};

// Partners beyond the capacity of their rows, in the order of arrival: row << 32 | partner. All are counted, the first `capacity` are kept.
struct SpillList {
  int* count;
  uint64_t* keys;
  int capacity;
};
// The same once the list is complete and sorted.
struct SpilledView {
  const uint64_t* keys;
  const int* found;  // how many have spilled, on the target
  int count;         // how many of them the list can have kept
  CAIRN_HD bool complete() const { return *found <= count; }
  CAIRN_HD int size() const { return complete() ? *found : count; }
};

// Where the pairs go: CSR by shape A. Offsets may lead beyond the room in a planned step.
struct PairOutput {
  const int* offsets;  // [shapeSlots + 1]
  int* shapeA;         // [room]
  int* shapeB;
  int room;
};

// Counts must be zero before, that of the list too. The rows' capacity is kPairRowCapacity.
template <class T>
void findPairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const PairRows& rows, const SpillList& spill);
// The same pairs without a tree, for a handful of shapes: the rows' capacity must be at least shapeSlots, so that nothing spills.
template <class T> void findPairsDirectly(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, const PairRows& rows,
                                          const ShapeEnvironments& environments = {});
// Rows copied out in ascending order to their offsets, with what has spilled. Where that does not fit, pairs of a shape with itself take the places:
// no contact, but safe to look at.
void writePairs(Queue& queue, int shapeSlots, const PairRows& rows, const SpilledView& spilled, const PairOutput& out);

}  // namespace cairn::v0
