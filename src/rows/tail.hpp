// The tail of a step: constraints that no colour holds, contacts first, then joints. The method is described at TailView
// (kernels/rows/body_lanes.hpp).
#pragma once

#include "kernels/rows/tail.hpp"

namespace cairn {

template <class T> class Tail {
 public:
  // The view is empty where every constraint has a colour, and valid until the next build.
  TailView<T> build(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots);

 private:
  Buffer<uint32_t> keys_;
  Buffer<int> sides_, offsets_;
  Buffer<T> partCounts_, changes_;
};

}  // namespace cairn
