// Broad phase, third part: pairs of shapes whose bounds overlap. See broad_phase_pairs.cu.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn {

// The counting pass keeps, by shape slot A, the number of its partners and the first `capacity` of them, in the order of arrival. A partner is
// a shape slot, with kFixedBit where it is fixed.
struct PairRows {
  int* counts;
  int* partners;  // [shapeSlots * capacity]
  int capacity;
};

// Counts must be zero before. The rows' capacity is kPairRowCapacity.
template <class T> void findPairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const PairRows& rows);
// The same pairs without a tree, for a handful of shapes: the rows' capacity must be at least shapeSlots.
template <class T> void findPairsDirectly(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, const PairRows& rows);
// Rows copied out in ascending order to their offsets; those that are longer than the capacity are found again in the tree.
template <class T> void writePairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const PairRows& rows,
                                   const int* offsets, int* shapeA, int* shapeB);

}  // namespace cairn
