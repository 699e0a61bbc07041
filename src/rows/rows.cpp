#include "src/rows/rows.hpp"

namespace cairn {

template <class T> RowView<T> Rows<T>::build(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& manifolds,
                                             const ConstraintBodies* constraints, const GraphView& graph, int strip) {
  const TileKeys keys = layout_.begin(queue, graph.colours, graph.colourCount, manifolds.count, strip);
  RowView<T> rows{};
  if (manifolds.count > 0) {
    rowKeys(queue, manifolds.manifolds, manifolds.count, keys);
    const TileFill tiles = layout_.sort(queue, scratch, constraints);
    manifoldOfSlot_.resize(queue, layout_.laneCount());
    tilePoints_.resize(queue, static_cast<size_t>(tiles.tileCount));
    fillTiles(queue, manifolds.manifolds, tiles, manifoldOfSlot_.data(), tilePoints_.data());
    fields_.resize(queue, layout_.end(queue, scratch));
    rows.fields = fields_.data();
    rows.tilePoints = tilePoints_.data();
    rows.manifold = manifoldOfSlot_.data();
  }
  static_cast<TileView&>(rows) = layout_.view();
  return rows;
}

template class Rows<float>;
template class Rows<double>;

}  // namespace cairn
