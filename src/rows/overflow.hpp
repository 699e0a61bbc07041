// Overflow constraints of a step: those that no colour holds, contacts first, then joints. The method is described at OverflowView
// (kernels/rows/body_lanes.hpp).
#pragma once

#include "kernels/rows/overflow.hpp"

namespace cairn::v0 {

template <class T> class Overflow {
 public:
  // The view is empty where every constraint has a colour, and valid until the next build.
  OverflowView<T> build(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots);

 private:
  Buffer<uint32_t> keys_;
  Buffer<int> sides_, offsets_;
  Buffer<T> partCounts_, changes_;
};

}  // namespace cairn::v0
