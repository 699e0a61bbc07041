#include "src/rows/tile_layout.hpp"

#include <algorithm>

namespace cairn::v0 {

TileKeys TileLayout::begin(Queue& queue, const GraphView& graph, const TileRange& range, int strip) {
  range_ = range;
  colourCount_ = &graph.scalars->colourCount;
  hostColourTiles_.assign(static_cast<size_t>(graph.colourCount) + 2, 0);
  view_ = TileView{};
  view_.strip = strip != 0 ? strip : queue.target == Target::Cuda ? kStripOnCuda : kStripOnCpu;
  view_.hostColourTiles = hostColourTiles_.data();
  view_.colourCount = graph.colourCount;
  TileKeys keys{};
  if (range.bound == 0) return keys;
  keys_.resize(queue, static_cast<size_t>(range.bound));
  order_.resize(queue, static_cast<size_t>(range.bound));
  starts_.resize(queue, kTileColours);
  colourTiles_.resize(queue, kTileColours);
  counts_.resize(queue, 1);
  keys.colours = graph.colours;
  keys.range = range;
  keys.keys = keys_.data();
  keys.order = order_.data();
  return keys;
}

void TileLayout::readColours(Queue& queue, const LayoutCounts& which, StepCounts& counts) {
  downloadBytes(queue, hostColourTiles_.data(), colourTiles_.data(), hostColourTiles_.size() * sizeof(int));
  view_.tileCount = hostColourTiles_.back();
  view_.overflowTiles = view_.tileCount - hostColourTiles_[static_cast<size_t>(view_.colourCount)];
  for (int c = 0; c < view_.colourCount; ++c) {
    const auto colour = static_cast<size_t>(c);
    view_.widestColour = std::max(view_.widestColour, hostColourTiles_[colour + 1] - hostColourTiles_[colour]);
  }
  counts.know(which.overflow, view_.overflowTiles);
  counts.know(which.widest, view_.widestColour);
}

// Each colour, and the overflow, may leave a tile that is not full.
void TileLayout::boundColours(const LayoutCounts& which, StepCounts& counts) {
  view_.hostColourTiles = nullptr;
  view_.tileCount = (range_.bound + kTileLanes - 1) / kTileLanes + view_.colourCount + 1;
  view_.overflowTiles = counts.room(which.overflow) > 0 ? view_.tileCount : 0;
  view_.widestColour = counts.room(which.widest);
  counts.expect(which.overflow, &counts_.data()->overflowTiles, 0, view_.overflowTiles);
  counts.expect(which.widest, &counts_.data()->widestColour, 0, view_.tileCount);
}

TileFill TileLayout::sort(Queue& queue, PrimitiveScratch& scratch, const ConstraintBodies* constraints, const LayoutCounts& which,
                          StepCounts& counts) {
  sortByKey(queue, scratch, keys_.data(), order_.data(), range_.bound, kTileKeyBits);
  layOutColours(queue, {keys_.data(), range_, colourCount_}, starts_.data(), colourTiles_.data(), counts_.data());
  if (counts.planned()) {
    boundColours(which, counts);
  } else {
    readColours(queue, which, counts);
  }
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
  view_.counts = counts_.data();

  TileFill fill{};
  fill.constraints = constraints;
  fill.range = range_;
  fill.order = order_.data();
  fill.starts = starts_.data();
  fill.colourTiles = colourTiles_.data();
  fill.counts = counts_.data();
  fill.bodyA = bodyA_.data();
  fill.bodyB = bodyB_.data();
  fill.tileLanes = tileLanes_.data();
  fill.tileSizes = tileOffsets_.data();
  fill.tileCount = view_.tileCount;
  return fill;
}

size_t TileLayout::endContacts(Queue& queue, PrimitiveScratch& scratch, StepCounts& counts) {
  exclusiveScan(queue, scratch, tileOffsets_.data(), tileOffsets_.data(), view_.tileCount);
  const int* found = tileOffsets_.data() + view_.tileCount;
  const int fields = counts.bound(queue, StepCount::ContactFields, found);
  if (counts.planned()) dropUnlessItFits(queue, found, fields, colourTiles_.data(), counts_.data());
  return static_cast<size_t>(fields) * kTileLanes;
}

size_t TileLayout::endJoints(Queue& queue, PrimitiveScratch& scratch, StepCounts& counts, int maxFields) {
  exclusiveScan(queue, scratch, tileOffsets_.data(), tileOffsets_.data(), view_.tileCount);
  if (counts.planned()) return laneCount() * static_cast<size_t>(maxFields);
  int fields = 0;
  downloadBytes(queue, &fields, tileOffsets_.data() + view_.tileCount, sizeof fields);
  return static_cast<size_t>(fields) * kTileLanes;
}

}  // namespace cairn::v0
