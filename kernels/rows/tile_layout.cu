// Tile layout: from the colours of constraints to tiles of lanes.
//
// In: a colour and a class for each constraint. Out: TileView. Constraints are sorted by colour (overflow last), within it by class; each colour
// begins with a fresh tile, so that a sweep runs over whole tiles of one colour after another. The sort is stable: within a class constraints stay in
// their order, and the result does not depend on threads. Memory: 16 bytes a constraint, and 8 a lane besides what its kind stores for it.
#include "kernels/rows/tile_layout.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

struct ColourStart {
  const uint32_t* keys;
  int* starts;
  int count;

  // The first position with a colour of at least c.
  CAIRN_HD void operator()(int c) const {
    const uint32_t wanted = static_cast<uint32_t>(c * kClassesInColour);
    int low = 0, high = count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (keys[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    starts[c] = low;
  }
};

struct ColourTiles {
  const int* starts;
  int* tiles;
  int colourCount;

  CAIRN_HD void operator()(int) const {
    int tile = 0;
    for (int c = 0; c <= colourCount; ++c) {
      tiles[c] = tile;
      tile += (starts[c + 1] - starts[c] + kTileLanes - 1) / kTileLanes;
    }
    tiles[colourCount + 1] = tile;
  }
};

}  // namespace

void colourStarts(Queue& queue, const uint32_t* sortedKeys, int count, int colourCount, int* starts) {
  forEach(queue, "rows/colour_starts", colourCount + 2, ColourStart{sortedKeys, starts, count});
}

void colourTileOffsets(Queue& queue, const int* starts, int colourCount, int* tiles) {
  forEach(queue, "rows/colour_tiles", 1, ColourTiles{starts, tiles, colourCount});
}

}  // namespace cairn
