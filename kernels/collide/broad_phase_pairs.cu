// Broad phase, fourth part: candidate pairs, from a walk through the tree for each moving entry.
//
// In: the tree, what decides whether two shapes may collide. Out: pairs in CSR form by shape A.
//
// Each leaf looks only for partners behind it in the sorted order, and for fixed ones everywhere, so every pair is met once. The pair goes to the row
// of the shape that is A by its slot: an atomic counter gives its place there, and the first kPairRowCapacity are kept. Those beyond (a body that
// carries hundreds of others) spill into one list for all shapes, which is sorted by row and partner. Once the counts are scanned, each partner goes
// to the place that is the number of smaller ones in its row. Overlap of boxes by the separating axes that both share; the walk keeps a stack of the
// children that are still to be entered. On the CPU several leaves go at once: pair_packs_cpu.cpp. On a device the shapes of an entry go side by
// side, each with a thread of its own, so that a body of many shapes keeps nobody waiting.
//
// Deterministic: which pairs there are follows from bounds and filters alone, and the order of a row is that of its sorted contents, so neither the
// shape of the tree nor the threads show in the pairs; nor does it show which partners were kept and which spilled.
//
// Memory: 128 bytes of rows a shape, 4 of counts, 8 bytes a pair; 12 more a pair that spills.
#include "kernels/collide/broad_phase_pairs.hpp"

#include "kernels/collide/pair_packs.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/runtime/search.hpp"

CAIRN_CPU_PASSES(pairPass)

namespace cairn::v0 {
namespace {

template <class T> struct FindPairs {
  TreeView<T> tree;
  PairCollector to;

  struct Collect {
    const PairCollector& to;
    ShapeTag tag;
    int slot;
    CAIRN_HD void operator()(int code) { to.take(slot, tag, code); }
  };

  // Leaves; where shapes share them also what lies behind the half-spaces.
  CAIRN_HD void operator()(int place) const {
    const int slot = tree.order[place];
    const ShapeBounds<T> own = tree.bounds[slot];
    if (own.kind != kMoving) return;
    Collect collect{to, to.tags[slot], slot};
    visitPartners(tree, slot, own, tree.leaves != nullptr ? tree.leaves[slot] : place, collect);
  }
};

template <class T> struct FindPairsDirectly {
  const ShapeBounds<T>* bounds;
  const ShapeTag* tags;
  PairRows rows;
  int shapeSlots;
  ShapeEnvironments environments;

  CAIRN_HD void operator()(int slot) const {
    const ShapeBounds<T> own = bounds[slot];
    if (own.kind != kMoving) return;
    const ShapeTag tag = tags[slot];
    int count = 0;
    for (int partner = 0; partner < shapeSlots; ++partner) {
      const ShapeBounds<T>& other = bounds[partner];
      if (other.kind == kAbsent || (other.kind == kMoving && partner <= slot) || environments.apart(slot, partner)) continue;
      if (!(other.kind == kUnbounded ? reaches(own, other) : overlap(own.low, own.high, other.low, other.high))) continue;
      if (!mayCollide(tag, tags[partner])) continue;
      rows.partners[int64_t(slot) * rows.capacity + count++] = other.kind == kMoving ? partner : partner | kFixedBit;
    }
    rows.counts[slot] = count;
  }
};

// How many spilled partners, of all rows, come before this key.
CAIRN_HD inline int spilledBefore(const SpilledView& spilled, uint64_t key) {
  return firstNotBelow(0, spilled.size(), [&](int k) { return spilled.keys[k] < key; });
}

// Codes of a row are all different: each one's place is the number of smaller ones.
CAIRN_HD inline int smallerAmong(const int* codes, int count, int code) {
  int smaller = 0;
  for (int k = 0; k < count; ++k) smaller += int(codes[k] < code);
  return smaller;
}

struct WriteKept {
  PairRows rows;
  SpilledView spilled;
  PairOutput out;

  CAIRN_HD void operator()(int slot) const {
    const int begin = out.offsets[slot], end = out.offsets[slot + 1], count = end - begin;
    const bool spills = count > rows.capacity;
    if (end > out.room || (spills && !spilled.complete())) return leaveOut(slot, begin, end < out.room ? end : out.room);
    const int kept = spills ? rows.capacity : count;
    const int* row = rows.partners + int64_t(slot) * rows.capacity;
    const int first = spills ? spilledBefore(spilled, spillKey(slot, 0)) : 0;
    for (int k = 0; k < kept; ++k) {
      const int code = row[k];
      int place = begin + smallerAmong(row, kept, code);
      if (spills) place += spilledBefore(spilled, spillKey(slot, code)) - first;
      out.shapeA[place] = slot;
      out.shapeB[place] = code & ~kFixedBit;
    }
  }

  CAIRN_HD void leaveOut(int slot, int begin, int end) const {
    for (int k = begin; k < end; ++k) out.shapeA[k] = out.shapeB[k] = slot;
  }
};

struct WriteSpilled {
  PairRows rows;
  SpilledView spilled;
  PairOutput out;

  CAIRN_HD void operator()(int i) const {
    if (!spilled.complete()) return;
    const int slot = int(spilled.keys[i] >> 32), code = int(spilled.keys[i] & 0xffffffffu);
    if (out.offsets[slot + 1] > out.room) return;
    const int before = i - spilledBefore(spilled, spillKey(slot, 0));
    const int place = out.offsets[slot] + before + smallerAmong(rows.partners + int64_t(slot) * rows.capacity, rows.capacity, code);
    out.shapeA[place] = slot;
    out.shapeB[place] = code & ~kFixedBit;
  }
};

}  // namespace

template <class T>
void findPairs(Queue& queue, const TreeView<T>& tree, const ShapeTag* tags, int shapeSlots, const PairRows& rows, const SpillList& spill) {
  const PairCollector to{tags, rows, spill};
  if (queue.target == Target::Cpu) {
    queue.label = "broad_phase/pairs";
    return runOnCpu<PairPasses>(pairPassHere, *queue.team, PairsInPacks<T>{tree, to});
  }
  const FindPairs<T> find{tree, to};
  if (tree.leaves != nullptr) return forEach(queue, "broad_phase/pairs", shapeSlots, find, kHeavyGrain);
  forEach(queue, "broad_phase/pairs", &tree.header->leafCount, shapeSlots, find, kHeavyGrain);
}

template <class T> void findPairsDirectly(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, const PairRows& rows,
                                          const ShapeEnvironments& environments) {
  forEach(queue, "broad_phase/few_pairs", shapeSlots, FindPairsDirectly<T>{bounds, tags, rows, shapeSlots, environments});
}

void writePairs(Queue& queue, int shapeSlots, const PairRows& rows, const SpilledView& spilled, const PairOutput& out) {
  forEach(queue, "broad_phase/rows", shapeSlots, WriteKept{rows, spilled, out});
  forEach(queue, "broad_phase/spilled", spilled.found, spilled.count, WriteSpilled{rows, spilled, out});
}

#define CAIRN_INSTANTIATE(T)                                                                                    \
  template void findPairs(Queue&, const TreeView<T>&, const ShapeTag*, int, const PairRows&, const SpillList&); \
  template void findPairsDirectly(Queue&, const ShapeBounds<T>*, const ShapeTag*, int, const PairRows&, const ShapeEnvironments&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
