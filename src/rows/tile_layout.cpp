#include "src/rows/tile_layout.hpp"

namespace cairn {

TileKeys TileLayout::begin(Queue& queue, const int* colours, int colourCount, int count, int strip) {
  count_ = count;
  const size_t ends = static_cast<size_t>(colourCount) + 2;
  hostColourTiles_.assign(ends, 0);
  view_ = TileView{};
  view_.strip = strip != 0 ? strip : queue.target == Target::Cuda ? kStripOnCuda : kStripOnCpu;
  view_.hostColourTiles = hostColourTiles_.data();
  view_.colourCount = colourCount;
  TileKeys keys{};
  if (count == 0) return keys;
  keys_.resize(queue, static_cast<size_t>(count));
  order_.resize(queue, static_cast<size_t>(count));
  starts_.resize(queue, ends);
  colourTiles_.resize(queue, ends);
  keys.colours = colours;
  keys.keys = keys_.data();
  keys.order = order_.data();
  keys.colourCount = colourCount;
  return keys;
}

TileFill TileLayout::sort(Queue& queue, PrimitiveScratch& scratch, const ConstraintBodies* constraints) {
  sortByKey(queue, scratch, keys_.data(), order_.data(), count_, kTileKeyBits);
  colourStarts(queue, keys_.data(), count_, view_.colourCount, starts_.data());
  colourTileOffsets(queue, starts_.data(), view_.colourCount, colourTiles_.data());
  downloadBytes(queue, hostColourTiles_.data(), colourTiles_.data(), hostColourTiles_.size() * sizeof(int));
  view_.tileCount = hostColourTiles_.back();
  view_.overflowTiles = view_.tileCount - hostColourTiles_[static_cast<size_t>(view_.colourCount)];
  const auto tiles = static_cast<size_t>(view_.tileCount);
  bodyA_.resize(queue, laneCount());
  bodyB_.resize(queue, laneCount());
  tileLanes_.resize(queue, tiles);
  tileOffsets_.resize(queue, tiles + 1);
  view_.tileOffsets = tileOffsets_.data();
  view_.tileLanes = tileLanes_.data();
  view_.bodyA = bodyA_.data();
  view_.bodyB = bodyB_.data();
  view_.colourTiles = colourTiles_.data();

  TileFill fill{};
  fill.constraints = constraints;
  fill.order = order_.data();
  fill.starts = starts_.data();
  fill.colourTiles = colourTiles_.data();
  fill.bodyA = bodyA_.data();
  fill.bodyB = bodyB_.data();
  fill.tileLanes = tileLanes_.data();
  fill.tileSizes = tileOffsets_.data();
  fill.colourCount = view_.colourCount;
  fill.tileCount = view_.tileCount;
  return fill;
}

size_t TileLayout::end(Queue& queue, PrimitiveScratch& scratch) {
  exclusiveScan(queue, scratch, tileOffsets_.data(), tileOffsets_.data(), view_.tileCount);
  return static_cast<size_t>(tileOffsets_.read(queue, static_cast<size_t>(view_.tileCount))) * kTileLanes;
}

}  // namespace cairn
