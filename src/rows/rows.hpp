// Rows: this step's manifolds as tiles of rows by colour. The algorithm is described in kernels/rows/rows.cu.
#pragma once

#include "kernels/rows/rows.hpp"
#include "src/graph/contact_graph.hpp"
#include "src/rows/tile_layout.hpp"

namespace cairn {

template <class T> class Rows {
 public:
  // Layout only; prepareRows fills the fields. Waits for the numbers of tiles and fields. The strip is the target's, or the one given.
  RowView<T> build(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& manifolds, const ConstraintBodies* constraints,
                   const GraphView& graph, int strip = 0);

 private:
  TileLayout layout_;
  Buffer<int> manifoldOfSlot_, tilePoints_;
  Buffer<T> fields_;
};

}  // namespace cairn
