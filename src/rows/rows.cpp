#include "src/rows/rows.hpp"

namespace cairn {

template <class T> RowView<T> Rows<T>::build(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& manifolds,
                                             const ConstraintBodies* constraints, const GraphView& graph, int strip) {
  const int count = manifolds.count, colours = graph.colourCount;
  hostColourTiles_.assign(static_cast<size_t>(colours) + 2, 0);
  if (strip == 0) strip = queue.target == Target::Cuda ? kStripOnCuda : kStripOnCpu;
  if (count == 0)
    return {nullptr, strip, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, hostColourTiles_.data(), colours, 0, 0, {}, nullptr, 0};

  const auto size = static_cast<size_t>(count);
  keys_.resize(queue, size);
  order_.resize(queue, size);
  starts_.resize(queue, static_cast<size_t>(colours) + 2);
  colourTiles_.resize(queue, static_cast<size_t>(colours) + 2);
  rowKeys(queue, manifolds.manifolds, graph.colours, kTailColour, colours, count, keys_.data(), order_.data());
  sortByKey(queue, scratch, keys_.data(), order_.data(), count, 9);  // at most 65 colours with the tail, times 4
  colourStarts(queue, keys_.data(), count, colours, starts_.data());
  colourTileOffsets(queue, starts_.data(), colours, colourTiles_.data());
  downloadBytes(queue, hostColourTiles_.data(), colourTiles_.data(), hostColourTiles_.size() * sizeof(int));

  const int tiles = hostColourTiles_.back();
  const auto tileCount = static_cast<size_t>(tiles), slotCount = tileCount * kTileLanes;
  manifoldOfSlot_.resize(queue, slotCount);
  bodyA_.resize(queue, slotCount);
  bodyB_.resize(queue, slotCount);
  tilePoints_.resize(queue, tileCount);
  tileLanes_.resize(queue, tileCount);
  tileOffsets_.resize(queue, tileCount + 1);
  fillTiles(queue, manifolds.manifolds, constraints, order_.data(), starts_.data(), colourTiles_.data(), colours, tiles, manifoldOfSlot_.data(),
            bodyA_.data(), bodyB_.data(), tilePoints_.data(), tileLanes_.data(), tileOffsets_.data());
  exclusiveScan(queue, scratch, tileOffsets_.data(), tileOffsets_.data(), tiles);
  fields_.resize(queue, static_cast<size_t>(tileOffsets_.read(queue, tileCount)) * kTileLanes);
  return {fields_.data(),
          strip,
          tileOffsets_.data(),
          tilePoints_.data(),
          tileLanes_.data(),
          bodyA_.data(),
          bodyB_.data(),
          manifoldOfSlot_.data(),
          colourTiles_.data(),
          hostColourTiles_.data(),
          colours,
          tiles,
          tiles - hostColourTiles_[static_cast<size_t>(colours)],
          {},
          nullptr,
          0};
}

template class Rows<float>;
template class Rows<double>;

}  // namespace cairn
