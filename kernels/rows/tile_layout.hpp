// The tiles that contacts and joints lie in: constraints of one kind, sorted by colour, kTileLanes of them to a tile. See tile_layout.cu.
#pragma once

#include "kernels/graph/contact_graph.hpp"
#include "kernels/rows/lanes.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

// A key is colour * kClassesInColour + class: constraints of one colour are sorted by class, so that the lanes of a tile are as alike as possible.
constexpr int kClassesInColour = 4;
constexpr int kTileKeyBits = 9;  // at most 65 colours, overflow included
static_assert((kMaxColours + 1) * kClassesInColour <= 1 << kTileKeyBits, "a key would be cut off");

// Tiles with their lanes. RowView and JointView add the fields of their kind.
struct TileView {
  int strip;                   // lanes whose fields lie side by side: kStripOnCuda or kStripOnCpu
  const int* tileOffsets;      // [tileCount + 1] in fields of kTileLanes scalars
  const int* tileLanes;        // [tileCount] lanes in use
  const int* bodyA;            // [tileCount * kTileLanes] encoded as in ConstraintBodies; ~0 in empty lanes
  const int* bodyB;            // [tileCount * kTileLanes]
  const int* colourTiles;      // [colourCount + 2] on the target: first tile of each colour, of overflow, and the end
  const int* hostColourTiles;  // the same on the host
  int colourCount;
  int tileCount;
  int overflowTiles;  // the last tiles: constraints that no colour holds
};

// Index of a lane's field 0 in the fields of all tiles; field f lies f * strip further on. `tileFields`: fields of a lane of its tile.
CAIRN_HD inline int64_t laneStart(const TileView& tiles, int slot, int strip, int tileFields) {
  const int tile = slot / kTileLanes, lane = slot % kTileLanes, within = lane / strip;
  const int64_t tileStart = static_cast<int64_t>(tiles.tileOffsets[tile]) * kTileLanes;
  return tileStart + within * strip * tileFields + lane % strip;
}

// --- what the kernels of a kind use to lay it out ----------------------------------------------------------------

CAIRN_HD inline uint32_t mixBits(uint32_t x) {  // finalizer with full avalanche (Steele et al., "Fast Splittable PRNGs", 2014, 32-bit variant)
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
// As ConstraintBodies has it.
template <class T> CAIRN_HD inline int encodedBody(const BodyConstants<T>* constants, int body) {
  return (constants[body].flags & kBodyDynamic) != 0 ? body : ~body;
}

// Sort keys of the constraints, to be written by the kernels that know what a constraint is.
struct TileKeys {
  const int* colours;  // [count] of the constraints
  uint32_t* keys;      // [count]
  int* order;          // [count] constraints by position, once they are sorted
  int colourCount;

  CAIRN_HD void put(int constraint, int classInColour) const {
    const int colour = colours[constraint] == kOverflowColour ? colourCount : colours[constraint];
    keys[constraint] = static_cast<uint32_t>(colour * kClassesInColour + classInColour);
    order[constraint] = constraint;
  }
};

// The sorted constraints, and their lanes to be filled: a kernel calls `begin` for its tile, then `fill` for each of the tile's lanes, and writes
// tileSizes[tile], the number of fields of a lane.
struct TileFill {
  const ConstraintBodies* constraints;
  const int* order;
  const int* starts;  // [colourCount + 2] positions in `order`
  const int* colourTiles;
  int* bodyA;
  int* bodyB;
  int* tileLanes;
  int* tileSizes;
  int colourCount, tileCount;

  // Returns where the tile begins in the sorted order, and writes its number of lanes.
  CAIRN_HD int begin(int tile) const {
    int colour = 0;
    while (colour < colourCount && tile >= colourTiles[colour + 1]) ++colour;
    const int first = starts[colour] + (tile - colourTiles[colour]) * kTileLanes, left = starts[colour + 1] - first;
    tileLanes[tile] = left < kTileLanes ? left : kTileLanes;
    return first;
  }
  // Writes the bodies of the lane and returns its constraint, or -1 for an empty lane.
  CAIRN_HD int fill(int tile, int first, int lane) const {
    const int slot = tile * kTileLanes + lane;
    const int constraint = lane < tileLanes[tile] ? order[first + lane] : -1;
    bodyA[slot] = constraint < 0 ? ~0 : constraints[constraint].bodyA;
    bodyB[slot] = constraint < 0 ? ~0 : constraints[constraint].bodyB;
    return constraint;
  }
};

// --- launches ----------------------------------------------------------------------------------------------------

// First position of each colour in the sorted order: starts[c] for 0 <= c <= colourCount + 1.
void colourStarts(Queue& queue, const uint32_t* sortedKeys, int count, int colourCount, int* starts);

// tiles[c] for 0 <= c <= colourCount + 1 from the starts (a colour begins with a fresh tile).
void colourTileOffsets(Queue& queue, const int* starts, int colourCount, int* tiles);

}  // namespace cairn
