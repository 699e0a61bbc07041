// Tile layout: from the colours of constraints to tiles of lanes.
//
// In: a colour and a class for each constraint. Out: TileView. Constraints are sorted by colour (overflow last), within it by class; each colour
// begins with a fresh tile, so that a sweep runs over whole tiles of one colour after another. The sort is stable: within a class constraints stay in
// their order, and the result does not depend on threads. Memory: 16 bytes a constraint, and 8 a lane besides what its kind stores for it.
#include "kernels/rows/tile_layout.hpp"

#include "kernels/runtime/round_launch.hpp"
#include "kernels/runtime/search.hpp"

namespace cairn::v0 {
namespace {

// First where each colour starts, then its tiles.
struct LayOutColours {
  static constexpr int kPhases = 2;
  SortedKeys sorted;
  int* starts;
  int* tiles;
  TileCounts* counts;

  CAIRN_HD void operator()(int phase, int i) const {
    if (phase == 0) starts[i] = startOf(i);
    if (phase == 1 && i == 0) countTiles();
  }

  // The first position with a colour of at least c. Behind the last colour there is overflow, and then what gets no lane.
  CAIRN_HD int startOf(int c) const {
    const int count = sorted.range.size();
    const uint32_t wanted = static_cast<uint32_t>((c > *sorted.colourCount ? kMaxColours + 1 : c) * kClassesInColour);
    return firstNotBelow(0, count, [&](int k) { return sorted.keys[k] < wanted; });
  }

  CAIRN_HD void countTiles() const {
    const int colours = *sorted.colourCount;
    int tile = 0, own = 0, widest = 0;
    for (int c = 0; c <= colours; ++c) {
      tiles[c] = tile;
      own = (starts[c + 1] - starts[c] + kTileLanes - 1) / kTileLanes;
      if (c < colours && own > widest) widest = own;
      tile += own;
    }
    tiles[colours + 1] = tile;
    *counts = {colours, tile - own, tile, tile * kTileLanes, own, widest};
  }
};

struct DropUnlessItFits {
  const int* fieldCount;
  int room;
  int* tiles;
  TileCounts* counts;

  CAIRN_HD void operator()(int) const {
    if (*fieldCount <= room) return;
    for (int c = 0; c <= counts->colourCount + 1; ++c) tiles[c] = 0;
    *counts = {counts->colourCount, 0, 0, 0, 0, 0};
  }
};

}  // namespace

void layOutColours(Queue& queue, const SortedKeys& sorted, int* starts, int* tiles, TileCounts* counts) {
  inPhases(queue, "rows/colours", kTileColours, LayOutColours{sorted, starts, tiles, counts});
}

void dropUnlessItFits(Queue& queue, const int* fieldCount, int room, int* tiles, TileCounts* counts) {
  forEach(queue, "rows/fits", 1, DropUnlessItFits{fieldCount, room, tiles, counts});
}

}  // namespace cairn::v0
