// Overflow constraints: those that no colour holds, solved by mass splitting. See overflow.cu.
#pragma once

#include "kernels/rows/body_lanes.hpp"
#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn::v0 {

// Their bodies: two sides a place, sorted by body. Places are the overflow slots of contacts, then those of joints.
template <class T> struct OverflowArrays {
  uint32_t* keys;  // [2 places]
  int* sides;      // [2 places]
  int* offsets;    // [bodySlots + 1] CSR over sides
  T* partCounts;   // [bodySlots]
};
template <class T> void buildOverflow(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots,
                                      const OverflowArrays<T>& out);

// Adds the changes of a sweep over overflow constraints to the bodies.
template <class T> void gatherOverflow(Queue& queue, const OverflowView<T>& overflow, int bodySlots, BodyVelocity<T>* velocities);

}  // namespace cairn::v0
