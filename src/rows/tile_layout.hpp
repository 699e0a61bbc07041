// Tile layout: constraints of one kind, contacts or joints, in tiles by colour. The algorithm is described in kernels/rows/tile_layout.cu.
#pragma once

#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/primitives.hpp"

#include <vector>

namespace cairn {

// Used in this order: begin, the kind's kernel writes the keys, sort, the kind's kernel fills the lanes, end. Without constraints `begin` alone.
class TileLayout {
 public:
  // A new layout, empty so far. The strip is the target's, or the one given.
  TileKeys begin(Queue& queue, const int* colours, int colourCount, int count, int strip = 0);
  // Waits for the number of tiles.
  TileFill sort(Queue& queue, PrimitiveScratch& scratch, const ConstraintBodies* constraints);
  // Returns the number of scalars that the fields of all tiles take; waits for it.
  size_t end(Queue& queue, PrimitiveScratch& scratch);

  const TileView& view() const { return view_; }
  size_t laneCount() const { return static_cast<size_t>(view_.tileCount) * kTileLanes; }

 private:
  Buffer<uint32_t> keys_;
  Buffer<int> order_, starts_, colourTiles_;
  Buffer<int> bodyA_, bodyB_, tileLanes_, tileOffsets_;
  std::vector<int> hostColourTiles_;
  TileView view_{};
  int count_ = 0;
};

}  // namespace cairn
