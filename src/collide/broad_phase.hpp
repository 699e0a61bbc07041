// Which shapes may touch: margins, bounds, the tree over them, candidate pairs. The algorithm is described in kernels/collide/broad_phase.cu.
#pragma once

#include "kernels/collide/broad_phase.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn {

// On the queue's target. Shape slots with body -1 are empty.
template <class T> struct BroadPhaseInput {
  const ShapeRecord<T>* shapes;
  int shapeSlots;
  const BodyPose<T>* poses;  // these three by body slot
  const BodyVelocity<T>* velocities;
  const BodyConstants<T>* constants;
  T dt;        // margins cover this much motion [s]
  T envelope;  // largest gap between shapes at rest that still makes a pair [m]
};

template <class T> class BroadPhase {
 public:
  // All pairs of shapes that are closer than the sum of their margins (and some more: bounds are boxes), except those of one body, those that filters
  // exclude, and those without a dynamic body. Waits once, for their number. A body whose pose is not finite has no pairs.
  PairView update(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input);

  // No pairs, for scenes where no filter lets anything collide.
  PairView none(Queue& queue, int shapeSlots);

  // Bounds and tree alone, for ray casts between steps. Ends the validity of the last update's margins.
  TreeView<T> updateTree(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input);

  // Of the last update, by shape slot [m]: half the envelope and what the shape can move within dt, the latter at most half its smallest extent.
  const T* shapeMargins() const { return margins_.data(); }

 private:
  void reserve(Queue& queue, int shapeSlots);
  void reserveTree(Queue& queue, int shapeSlots);
  void bound(Queue& queue, const BroadPhaseInput<T>& input, TreeHeader* partialHeaders);
  void build(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input);
  TreeView<T> tree() const { return {nodes_.data(), bounds_.data(), order_.data(), header_.data()}; }

  Buffer<T> margins_;
  Buffer<ShapeBounds<T>> bounds_;
  Buffer<ShapeTag> tags_;
  Buffer<TreeHeader> header_, partialHeaders_;
  Buffer<uint64_t> keys_;
  Buffer<int> order_, arrivals_;
  Buffer<TreeNode<T>> nodes_;
  Buffer<int> pairCounts_, pairRows_, offsets_, shapeA_, shapeB_;
};

}  // namespace cairn
