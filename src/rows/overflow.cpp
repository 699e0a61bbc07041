#include "src/rows/overflow.hpp"

namespace cairn::v0 {

template <class T>
OverflowView<T> Overflow<T>::build(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots) {
  OverflowView<T> view{};
  view.slotCount = (contacts.overflowTiles + joints.overflowTiles) * kTileLanes;
  if (view.slotCount == 0) return view;
  const auto slots = static_cast<size_t>(view.slotCount), bodies = static_cast<size_t>(bodySlots);
  keys_.resize(queue, 2 * slots);
  sides_.resize(queue, 2 * slots);
  offsets_.resize(queue, bodies + 1);
  partCounts_.resize(queue, bodies);
  changes_.resize(queue, 12 * slots);
  buildOverflow(queue, scratch, contacts, joints, bodySlots, OverflowArrays<T>{keys_.data(), sides_.data(), offsets_.data(), partCounts_.data()});
  view.partCounts = partCounts_.data();
  view.changes = changes_.data();
  view.offsets = offsets_.data();
  view.sides = sides_.data();
  return view;
}

template class Overflow<float>;
template class Overflow<double>;

}  // namespace cairn::v0
