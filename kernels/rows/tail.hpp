// The tail: constraints that no colour holds, solved by mass splitting. See tail.cu.
#pragma once

#include "kernels/rows/body_lanes.hpp"
#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn {

// The tail's bodies: two sides a place, sorted by body. Places are the tail's slots of contacts, then those of joints.
template <class T> struct TailArrays {
  uint32_t* keys;  // [2 places]
  int* sides;      // [2 places]
  int* offsets;    // [bodySlots + 1] CSR over sides
  T* partCounts;   // [bodySlots]
};
template <class T>
void buildTail(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots, const TailArrays<T>& out);

// Adds the changes of a sweep over the tail to the bodies.
template <class T> void gatherTail(Queue& queue, const TailView<T>& tail, int bodySlots, BodyVelocity<T>* velocities);

}  // namespace cairn
