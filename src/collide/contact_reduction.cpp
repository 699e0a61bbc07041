#include "src/collide/contact_reduction.hpp"

#include "kernels/runtime/key_bits.hpp"

namespace cairn::v0 {

template <class T> ManifoldView<T> ContactReduction<T>::update(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all,
                                                               const PlacedShapes<T>& shapes, StepCounts& counts) {
  numbers_.resize(queue, 2);  // of the list, and of pairs that were reduced
  numbers_.fillZero(queue);
  reduce(queue, scratch, all, shapes, counts);
  // On a device they lie in one place whether a step is planned or not: who was told where they are may go on looking there.
  reduced_ = queue.target == Target::Cuda || numbers_.read(queue, 1) > 0;
  if (reduced_) return gather(queue, scratch, all, shapes.slots, counts);
  counts.know(StepCount::Manifolds, all.count);
  return all;
}

template <class T> void ContactReduction<T>::reduce(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all,
                                                    const PlacedShapes<T>& shapes, StepCounts& counts) {
  const auto manifolds = static_cast<size_t>(all.count), bodies = static_cast<size_t>(shapes.bodySlots);
  compounds_.resize(queue, 2 * bodies);
  compounds_.fillZero(queue);
  const CompoundBodies compounds{compounds_.data(), compounds_.data() + bodies};
  markCompounds(queue, shapes.records, shapes.slots, compounds);
  listed_.resize(queue, manifolds);
  masks_.resize(queue, manifolds);
  list_.resize(queue, manifolds);
  listCompoundContacts(queue, AllManifolds<T>{all.manifolds, all.found, all.count}, compounds, listed_.data(), masks_.data());
  compactIndices(queue, scratch, listed_.data(), list_.data(), numbers_.data(), all.count);
  CompoundList list{list_.data(), numbers_.data(), 0, nullptr, shapes.bodySlots, bitsFor(shapes.bodySlots)};
  list.capacity = counts.bound(queue, StepCount::CompoundContacts, list.count);
  keys_.resize(queue, static_cast<size_t>(list.capacity));
  groups_.resize(queue, static_cast<size_t>(list.capacity));
  list.keys = keys_.data();
  pairKeys(queue, all.manifolds, list);
  sortByKey(queue, scratch, keys_.data(), list_.data(), list.capacity, 2 * list.bits);
  const ReducedPairs<T> reduced{shapes.records, shapes.poses, shapes.tracked, shapes.stepsDone, groups_.data(), masks_.data(), numbers_.data() + 1};
  reducePairs(queue, all.manifolds, list, reduced);
}

template <class T>
ManifoldView<T> ContactReduction<T>::gather(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all, int shapeSlots, StepCounts& counts) {
  places_.resize(queue, static_cast<size_t>(all.count) + 1);
  offsets_.resize(queue, static_cast<size_t>(shapeSlots) + 1);
  markKept(queue, masks_.data(), all.count, places_.data());
  exclusiveScan(queue, scratch, places_.data(), places_.data(), all.count);
  const int* const found = places_.data() + all.count;
  const int count = counts.bound(queue, StepCount::Manifolds, found);
  kept_.resize(queue, static_cast<size_t>(count));
  const KeptManifolds<T> kept{masks_.data(), places_.data(), all.offsets, shapeSlots, kept_.data(), count, offsets_.data()};
  gatherKept(queue, AllManifolds<T>{all.manifolds, all.found, all.count}, kept);
  return {kept_.data(), offsets_.data(), count, found, all.runs};
}

template class ContactReduction<float>;
template class ContactReduction<double>;

}  // namespace cairn::v0
