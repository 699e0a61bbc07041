// Signed distance fields as kernels read them: flat arrays on the queue's target, shared by all shapes that are the same body.
//
// A grid of large blocks, each of which is a block of 8 x 8 x 8 cells or is divided into eight of half its size, as often as the surface asks for:
// where it bends little, large cells are as good as small ones. 9 x 9 x 9 samples a block, on its corners and borders too, so that a look at one
// place reads one block. Samples are whole numbers of a unit of their block. No texture units: the bits are the same everywhere.
#pragma once

#include "kernels/state/views.hpp"

namespace cairn::v0 {

constexpr int kFieldCells = 8, kFieldSamples = (kFieldCells + 1) * (kFieldCells + 1) * (kFieldCells + 1);

struct FieldRecord {
  Vec3<double> low;  // the grid's corner [m]
  double block;      // side of a large block [m]
  int grid[3];       // large blocks along each axis, x fastest
  int firstPlace;    // of the grid's places, then eight for each divided block, x fastest
  int firstBlock;    // of their units; its samples are kFieldSamples each, x fastest
  int spare;
  double tolerance;  // [m]: how far it may be off near the surface; further away an eighth of the distance
};

// One field of a table, with its own.
struct FieldShape : FieldRecord {
  const int* places;   // >= 0: a block's number; else ~ the place of the first of eight parts
  const float* units;  // by block [m]
  const int16_t* samples;
};

struct FieldView {
  const FieldRecord* fields = nullptr;
  const int* places = nullptr;
  const float* units = nullptr;
  const int16_t* samples = nullptr;
  int count = 0;

  CAIRN_HD bool any() const { return count > 0; }
  CAIRN_HD FieldShape at(int field) const {
    const FieldRecord& r = fields[field];
    return {r, places + r.firstPlace, units + r.firstBlock, samples + int64_t(r.firstBlock) * kFieldSamples};
  }
};

}  // namespace cairn::v0
