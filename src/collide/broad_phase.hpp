// Which shapes may touch: margins, bounds, the tree over them, candidate pairs. The algorithms are described in
// kernels/collide/broad_phase_*.cu. On the CPU pairs come from a list of neighbours while nobody has moved far, and from a walk through the tree
// otherwise; they are the same.
#pragma once

#include "kernels/collide/broad_phase_pairs.hpp"
#include "kernels/runtime/primitives.hpp"
#include "src/collide/neighbour_list.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

template <class T> class BroadPhase {
 public:
  // Keeping neighbours pays for those who update again and again.
  explicit BroadPhase(bool keepsNeighbours = false) : keepsNeighbours_(keepsNeighbours) {}

  // All pairs of shapes that are closer than the sum of their margins (and some more: bounds are boxes), except those of one body, those that filters
  // exclude, and those without a dynamic body. A body whose pose is not finite has no pairs. Waits for their number unless it is planned.
  PairView update(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input, StepCounts* counts = nullptr);

  // No pairs, for scenes where no filter lets anything collide.
  PairView none(Queue& queue, int shapeSlots);

  // Bounds and tree alone, for ray casts between steps. Ends the validity of the last update's margins.
  TreeView<T> updateTree(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input);

  // The margins of the last update, by shape slot [m]: half the envelope and what the shape can move within dt, the latter at most half its smallest
  // extent.
  const T* shapeMargins() const { return margins_.data(); }
  // Bounds of the last update, by shape slot, and how many shapes are fast: they move further than their margins cover.
  const ShapeBounds<T>* bounds() const { return bounds_.data(); }
  const int* fastShapes() const { return fastCount_.data(); }
  // How many updates the last list of neighbours has served, the one that made it included.
  int updatesListed() const { return neighbours_.stepsServed(); }
  // The tree may be one of wider bounds, from the step that listed the neighbours.
  BoundedShapes<T> boundedShapes(int shapeSlots) const;

 private:
  void reserve(Queue& queue, int shapeSlots);
  void reserveTree(Queue& queue, int shapeSlots);
  void bound(Queue& queue, const BroadPhaseInput<T>& input, TreeHeader* partialHeaders);
  void build(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input);
  void sortShapes(Queue& queue, PrimitiveScratch& scratch, const ShapeBounds<T>* bounds, int slots);
  void listNeighbours(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input, StepCounts& counts);
  PairView listedPairs(Queue& queue, PrimitiveScratch& scratch, int slots, StepCounts& counts);
  // Without a tree: all against all.
  PairView search(Queue& queue, PrimitiveScratch& scratch, const TreeView<T>* sorted, int slots, StepCounts& counts);
  void sortSpilled(Queue& queue, PrimitiveScratch& scratch, int count, int slots);
  // Of the shapes with these bounds.
  TreeView<T> tree(const ShapeBounds<T>* bounds) const {
    TreeView<T> view{nodes_.data(), bounds, order_.data(), header_.data(), environments_.any() ? subtrees_.data() : nullptr, environments_};
    if (compounds_) view.entries = entries_.data(), view.ends = entryEnds_.data(), view.leaves = entryLeaves_.data();
    return view;
  }

  Buffer<T> margins_;
  Buffer<ShapeBounds<T>> bounds_;
  Buffer<ShapeTag> tags_;
  Buffer<TreeHeader> header_, partialHeaders_;
  Buffer<uint64_t> keys_;
  Buffer<int> order_, arrivals_;
  Buffer<TreeNode<T>> nodes_;
  ShapeEnvironments environments_;  // of the last update
  bool compounds_ = false;          // likewise
  // Where bodies have several shapes; the leaves on a device alone, where shapes look for partners one by one.
  Buffer<ShapeBounds<T>> entries_;
  Buffer<int> entryEnds_, entryLeaves_;
  Buffer<Subtree> subtrees_;
  Buffer<int> pairCounts_, partners_, offsets_, shapeA_, shapeB_, spillOrder_, spillCount_, fastCount_;
  Buffer<uint64_t> spilled_;  // partners beyond the capacity of their rows
  bool keepsNeighbours_;
  NeighbourList<T> neighbours_;
};

}  // namespace cairn::v0
