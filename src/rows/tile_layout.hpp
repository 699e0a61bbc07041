// Tile layout: constraints of one kind, contacts or joints, in tiles by colour. The algorithm is described in kernels/rows/tile_layout.cu.
#pragma once

#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/primitives.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/state/step_counts.hpp"

#include <vector>

namespace cairn::v0 {

// The numbers that a layout finds are those of contacts or of joints.
struct LayoutCounts {
  StepCount overflow, widest;
};
constexpr LayoutCounts kContactLayout{StepCount::ContactOverflow, StepCount::ContactWidest};
constexpr LayoutCounts kJointLayout{StepCount::JointOverflow, StepCount::JointWidest};

// Used in this order: begin, the kind's kernel writes the keys, sort, the kind's kernel fills the lanes, end. Without constraints `begin` alone.
class TileLayout {
 public:
  // A new layout, empty so far. The strip is the target's, or the one given.
  TileKeys begin(Queue& queue, const GraphView& graph, const TileRange& range, int strip = 0);
  // Waits for the number of tiles unless it is planned.
  TileFill sort(Queue& queue, PrimitiveScratch& scratch, const ConstraintBodies* constraints, const LayoutCounts& which, StepCounts& counts);
  // Returns the number of scalars that the fields of all tiles take, and waits for it. Planned contacts get the bound that the plan has for them, and
  // if they need more no lanes at all; planned joints, which are found by other ways as well, get `maxFields` a lane.
  size_t endContacts(Queue& queue, PrimitiveScratch& scratch, StepCounts& counts);
  size_t endJoints(Queue& queue, PrimitiveScratch& scratch, StepCounts& counts, int maxFields);

  const TileView& view() const { return view_; }
  size_t laneCount() const { return static_cast<size_t>(view_.tileCount) * kTileLanes; }

 private:
  void readColours(Queue& queue, const LayoutCounts& which, StepCounts& counts);
  void boundColours(const LayoutCounts& which, StepCounts& counts);

  Buffer<uint32_t> keys_;
  Buffer<int> order_, starts_, colourTiles_;
  Buffer<TileCounts> counts_;
  Buffer<int> bodyA_, bodyB_, tileLanes_, tileOffsets_;
  std::vector<int> hostColourTiles_;
  TileView view_{};
  TileRange range_{};
  const int* colourCount_ = nullptr;
};

}  // namespace cairn::v0
