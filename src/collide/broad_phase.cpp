#include "src/collide/broad_phase.hpp"

namespace cairn::v0 {

template <class T> PairView BroadPhase<T>::update(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input, StepCounts* stepCounts) {
  StepCounts own;
  StepCounts& counts = countsOr(stepCounts, own);
  const int slots = input.shapeSlots;
  environments_ = input.environments;
  compounds_ = input.compounds;
  reserve(queue, slots);
  if (slots <= kFewShapes) {
    bound(queue, input, nullptr);
    return search(queue, scratch, nullptr, slots, counts);
  }
  // Whether a list still serves is asked of the target: on a device a step would wait for the answer.
  if (keepsNeighbours_ && queue.target == Target::Cpu) {
    if (neighbours_.listed(slots)) {
      bound(queue, input, nullptr);
      if (neighbours_.serves(queue, {bounds_.data(), tags_.data(), slots})) return listedPairs(queue, scratch, slots, counts);
    }
    if (neighbours_.shallBeMade()) {
      listNeighbours(queue, scratch, input, counts);
      return listedPairs(queue, scratch, slots, counts);
    }
  }
  build(queue, scratch, input);
  const TreeView<T> sorted = tree(bounds_.data());
  return search(queue, scratch, &sorted, slots, counts);
}

template <class T> void BroadPhase<T>::listNeighbours(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input, StepCounts& counts) {
  const int slots = input.shapeSlots;
  reserveTree(queue, slots);
  bound(queue, input, compounds_ ? nullptr : partialHeaders_.data());
  const TreeView<T> sorted = tree(neighbours_.widen(queue, input, {bounds_.data(), tags_.data(), slots}, margins_.data()));
  sortShapes(queue, scratch, sorted.bounds, slots);
  const PairView found = search(queue, scratch, &sorted, slots, counts);
  neighbours_.take(queue, offsets_, shapeB_, slots, found.pairCount);
}

template <class T> PairView BroadPhase<T>::listedPairs(Queue& queue, PrimitiveScratch& scratch, int slots, StepCounts& counts) {
  offsets_.resize(queue, size_t(slots) + 1);  // the list may have taken them
  neighbours_.count(queue, {bounds_.data(), tags_.data(), slots}, pairCounts_.data());
  exclusiveScan(queue, scratch, pairCounts_.data(), offsets_.data(), slots);
  const int* pairsFound = offsets_.data() + slots;
  const int pairCount = counts.bound(queue, StepCount::Pairs, pairsFound);
  shapeA_.resize(queue, size_t(pairCount));
  shapeB_.resize(queue, size_t(pairCount));
  neighbours_.write(queue, slots, offsets_.data(), shapeA_.data(), shapeB_.data());
  return {offsets_.data(), shapeA_.data(), shapeB_.data(), pairCount, pairsFound};
}

template <class T> PairView BroadPhase<T>::search(Queue& queue, PrimitiveScratch& scratch, const TreeView<T>* sorted, int slots, StepCounts& counts) {
  const bool few = sorted == nullptr;
  const int capacity = few ? kFewShapes : kPairRowCapacity;
  partners_.resize(queue, size_t(slots) * capacity);
  const PairRows rows{pairCounts_.data(), partners_.data(), capacity};
  int* spilledFound = spillCount_.data();
  spilled_.resize(queue, size_t(counts.room(StepCount::Spilled)));
  const auto find = [&] {
    spillCount_.fillZero(queue);
    if (counts.planned()) fillBytes(queue, spilled_.data(), 0xff, spilled_.size() * sizeof(uint64_t));  // behind all keys
    if (few) {
      findPairsDirectly(queue, bounds_.data(), tags_.data(), slots, rows, environments_);
    } else {
      findPairs(queue, *sorted, tags_.data(), slots, rows, {spilledFound, spilled_.data(), int(spilled_.size())});
    }
  };
  find();
  const int spilled = counts.bound(queue, StepCount::Spilled, spilledFound);
  if (size_t(spilled) > spilled_.size()) {
    // Some were counted only: once more, with room for all of them.
    spilled_.resize(queue, size_t(spilled));
    pairCounts_.fillZero(queue);
    find();
  }
  exclusiveScan(queue, scratch, pairCounts_.data(), offsets_.data(), slots);
  const int* pairsFound = offsets_.data() + slots;
  const int pairCount = counts.bound(queue, StepCount::Pairs, pairsFound);
  sortSpilled(queue, scratch, spilled, slots);
  shapeA_.resize(queue, size_t(pairCount));
  shapeB_.resize(queue, size_t(pairCount));
  writePairs(queue, slots, rows, {spilled_.data(), spilledFound, spilled}, {offsets_.data(), shapeA_.data(), shapeB_.data(), pairCount});
  return {offsets_.data(), shapeA_.data(), shapeB_.data(), pairCount, pairsFound};
}

template <class T> void BroadPhase<T>::sortSpilled(Queue& queue, PrimitiveScratch& scratch, int count, int slots) {
  if (count == 0) return;
  int keyBits = 33;  // and those of a row
  while ((int64_t(slots) << 32) >> keyBits != 0) ++keyBits;
  spillOrder_.resize(queue, size_t(count));  // nobody asks where a key came from, but the sort moves it along
  spillOrder_.fillZero(queue);
  sortByKey(queue, scratch, spilled_.data(), spillOrder_.data(), count, keyBits);
}

template <class T> PairView BroadPhase<T>::none(Queue& queue, int shapeSlots) {
  reserve(queue, shapeSlots);
  offsets_.fillZero(queue);
  return {offsets_.data(), shapeA_.data(), shapeB_.data(), 0};
}

template <class T> TreeView<T> BroadPhase<T>::updateTree(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input) {
  neighbours_.drop();
  environments_ = input.environments;
  compounds_ = input.compounds;
  reserve(queue, input.shapeSlots);
  build(queue, scratch, input);
  return tree(bounds_.data());
}

template <class T> void BroadPhase<T>::reserve(Queue& queue, int shapeSlots) {
  const size_t slots = size_t(shapeSlots);
  margins_.resize(queue, slots);
  bounds_.resize(queue, slots);
  tags_.resize(queue, slots);
  pairCounts_.resize(queue, slots);
  offsets_.resize(queue, slots + 1);
  spillCount_.resize(queue, 1);
  fastCount_.resize(queue, 1);
}

template <class T> void BroadPhase<T>::reserveTree(Queue& queue, int shapeSlots) {
  const size_t slots = size_t(shapeSlots);
  keys_.resize(queue, slots);
  order_.resize(queue, slots);
  nodes_.resize(queue, slots);
  subtrees_.resize(queue, size_t(environments_.count));
  if (compounds_) {
    entries_.resize(queue, slots);
    entryEnds_.resize(queue, slots);
    if (queue.target == Target::Cuda) entryLeaves_.resize(queue, slots);
  }
  if (arrivals_.capacity() < slots) {
    arrivals_.resize(queue, slots);
    fillBytes(queue, arrivals_.data(), 0, arrivals_.capacity() * sizeof(int));  // each build leaves zeros behind
  }
  if (header_.size() == 0) {
    partialHeaders_.upload(queue, std::vector<TreeHeader>(size_t(partialHeaderCount(queue.target)), emptyHeader()));
    header_.resize(queue, 1);  // the last that may fail: it says that both are there
  }
}

template <class T> void BroadPhase<T>::bound(Queue& queue, const BroadPhaseInput<T>& input, TreeHeader* partialHeaders) {
  fastCount_.fillZero(queue);
  boundShapes(queue, input, {bounds_.data(), tags_.data(), margins_.data(), pairCounts_.data(), fastCount_.data(), partialHeaders});
}

template <class T> void BroadPhase<T>::build(Queue& queue, PrimitiveScratch& scratch, const BroadPhaseInput<T>& input) {
  const int slots = input.shapeSlots;
  reserveTree(queue, slots);
  bound(queue, input, compounds_ ? nullptr : partialHeaders_.data());
  sortShapes(queue, scratch, bounds_.data(), slots);
}

template <class T> void BroadPhase<T>::sortShapes(Queue& queue, PrimitiveScratch& scratch, const ShapeBounds<T>* bounds, int slots) {
  TreeArrays<T> out{arrivals_.data(), nodes_.data(), header_.data(), environments_.any() ? subtrees_.data() : nullptr};
  const ShapeBounds<T>* entries = bounds;
  if (compounds_) {
    gatherEntries(queue, bounds, tags_.data(), slots, {entries_.data(), entryEnds_.data()}, partialHeaders_.data());
    entries = entries_.data();
    if (queue.target == Target::Cuda) out.ends = entryEnds_.data(), out.leaves = entryLeaves_.data();
  }
  reduceHeader(queue, partialHeaders_.data(), header_.data());
  makeTreeKeys(queue, entries, slots, header_.data(), keys_.data(), order_.data(), environments_);
  sortByKey(queue, scratch, keys_.data(), order_.data(), slots, environments_.keyBits(slots));
  buildTree(queue, keys_.data(), order_.data(), entries, slots, out, environments_);
}

template <class T> BoundedShapes<T> BroadPhase<T>::boundedShapes(int shapeSlots) const {
  return {shapeSlots <= kFewShapes ? TreeView<T>{} : tree(bounds_.data()), bounds_.data(), tags_.data(), shapeSlots, environments_};
}

template class BroadPhase<float>;
template class BroadPhase<double>;

}  // namespace cairn::v0
