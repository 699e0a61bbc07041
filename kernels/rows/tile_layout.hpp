// The tiles that contacts and joints lie in: constraints of one kind, sorted by colour, kTileLanes of them to a tile. See tile_layout.cu.
#pragma once

#include "kernels/graph/contact_graph.hpp"
#include "kernels/rows/lanes.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// A key is colour * kClassesInColour + class: constraints of one colour are sorted by class, so that the lanes of a tile are as alike as possible.
constexpr int kClassesInColour = 4;
constexpr int kTileColours = kMaxColours + 2;  // with overflow, and the end
constexpr int kTileKeyBits = 9;                // at most 65 colours, overflow included
static_assert((kMaxColours + 1) * kClassesInColour < 1 << kTileKeyBits, "a key would be cut off");

// Tiles with their lanes. RowView and JointView add the fields of their kind.
// Numbers of a layout, on the target. The host has them too unless the step is planned.
struct TileCounts {
  int colourCount;
  int firstOverflowTile;
  int tileCount;
  int laneCount;  // tileCount * kTileLanes
  int overflowTiles, widestColour;
};

struct TileView {
  int strip;                 // lanes whose fields lie side by side: kStripOnCuda or kStripOnCpu
  const int* tileOffsets;    // [tileCount + 1] in fields of kTileLanes scalars
  const int* tileLanes;      // [tileCount] lanes in use
  const int* bodyA;          // [tileCount * kTileLanes] encoded as in ConstraintBodies; ~0 in empty lanes
  const int* bodyB;          // [tileCount * kTileLanes]
  const int* colourTiles;    // [colourCount + 2] on the target: first tile of each colour, of overflow, and the end
  const TileCounts* counts;  // on the target; null without constraints
  // On the host. In a planned step colours are null there, and the numbers are bounds.
  const int* hostColourTiles;
  int colourCount;
  int tileCount;
  int overflowTiles;  // the last tiles: constraints that no colour holds
  int widestColour;   // tiles of the largest colour; in a planned step those of an earlier one: it decides about grids alone
};

// The number of lanes for launches that are counted on the target.
inline const int* laneCountOf(const TileView& tiles) { return tiles.counts == nullptr ? nullptr : &tiles.counts->laneCount; }

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

// Where the constraints of one kind begin, behind others. Of a planned step there may be more of those than there is room for: `most`.
struct FirstPlace {
  const int* at;  // on the target; null: 0
  int most;
  FirstPlace(const int* place = nullptr, int atMost = 0x7fffffff) : at(place), most(atMost) {}
};

// The constraints of one kind, as places in the lists of all: they begin at `first`, and there are `count` of them.
struct TileRange {
  const int* first;  // on the target; null: 0
  const int* count;  // on the target; null: the bound itself
  int bound;
  int mostFirst = 0x7fffffff;  // as in FirstPlace
  CAIRN_HD int begin() const { return first == nullptr ? 0 : (*first < mostFirst ? *first : mostFirst); }
  CAIRN_HD int size() const { return count == nullptr || *count > bound ? bound : *count; }
};

// Sort keys of the constraints, to be written by the kernels that know what a constraint is: one item for each place up to the bound.
struct TileKeys {
  const int* colours;  // of all constraints
  TileRange range;
  uint32_t* keys;  // [bound]
  int* order;      // [bound] constraints by position, once they are sorted

  // False for a place beyond the count: it goes last.
  CAIRN_HD bool holds(int constraint) const {
    if (constraint < range.size()) return true;
    skip(constraint);
    return false;
  }
  // It gets no lane.
  CAIRN_HD void skip(int constraint) const {
    keys[constraint] = (1u << kTileKeyBits) - 1;
    order[constraint] = constraint;
  }
  CAIRN_HD void put(int constraint, int classInColour) const {
    const int own = colours[range.begin() + constraint], colour = own == kOverflowColour ? kMaxColours : own;
    keys[constraint] = static_cast<uint32_t>(colour * kClassesInColour + classInColour);
    order[constraint] = constraint;
  }
};

// The sorted constraints, and their lanes to be filled, by one item for each tile up to the bound: it asks whether the layout `holds` its tile, calls
// `begin`, then `fill` for each of the tile's lanes, and gives `end` the number of fields of a lane.
// Where a tile begins in the sorted order, and how many of its lanes are taken.
struct TilePlace {
  int first, lanes;
};

struct TileFill {
  const ConstraintBodies* constraints;  // of all kinds
  TileRange range;
  const int* order;
  const int* starts;  // [colourCount + 2] positions in `order`
  const int* colourTiles;
  const TileCounts* counts;
  int* bodyA;
  int* bodyB;
  int* tileLanes;
  int* tileSizes;
  int tileCount;  // the bound

  CAIRN_HD bool holds(int tile) const { return tile < counts->tileCount; }
  CAIRN_HD TilePlace placeOf(int tile) const {
    int colour = 0;
    while (colour < counts->colourCount && tile >= colourTiles[colour + 1]) ++colour;
    const int first = starts[colour] + (tile - colourTiles[colour]) * kTileLanes, left = starts[colour + 1] - first;
    return {first, left < kTileLanes ? left : kTileLanes};
  }
  // Writes the bodies of the slot and returns its constraint, or -1 for an empty lane.
  CAIRN_HD int fill(TilePlace place, int slot) const {
    const int lane = slot % kTileLanes, constraint = lane < place.lanes ? order[place.first + lane] : -1;
    bodyA[slot] = constraint < 0 ? ~0 : constraints[range.begin() + constraint].bodyA;
    bodyB[slot] = constraint < 0 ? ~0 : constraints[range.begin() + constraint].bodyB;
    return constraint;
  }
  // Once for each tile; of one that there is not, its size alone.
  CAIRN_HD void end(int tile, TilePlace place, int fields) const {
    tileLanes[tile] = place.lanes;
    tileSizes[tile] = fields;
  }
  CAIRN_HD void leaveOut(int tile) const { tileSizes[tile] = 0; }
};

// --- launches ----------------------------------------------------------------------------------------------------

// What the constraints of a kind are laid out from: their keys, sorted, and the number of colours.
struct SortedKeys {
  const uint32_t* keys;
  TileRange range;
  const int* colourCount;  // on the target
};

// starts[c]: first position of each colour in the sorted order. tiles[c]: its first tile (a colour begins with a fresh one). Both for
// 0 <= c <= colourCount + 1, in arrays of kTileColours.
void layOutColours(Queue& queue, const SortedKeys& sorted, int* starts, int* tiles, TileCounts* counts);

// Empties a layout whose fields (of kTileLanes scalars) are more than there is room for.
void dropUnlessItFits(Queue& queue, const int* fieldCount, int room, int* tiles, TileCounts* counts);

}  // namespace cairn::v0
