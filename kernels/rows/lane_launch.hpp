// Launches over the lanes of tiles. Included by .cu files.
#pragma once

#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {

// kernel(lane) for every lane of the tiles, empty ones too, in any order.
template <class Kernel> void overLanes(Queue& queue, const char* label, const TileView& tiles, const Kernel& kernel, int64_t grain = kLightGrain) {
  forEach(queue, label, laneCountOf(tiles), static_cast<int64_t>(tiles.tileCount) * kTileLanes, kernel, grain);
}

}  // namespace cairn::v0
