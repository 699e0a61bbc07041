// Candidate pairs in packs of CPU lanes. See pair_packs_cpu.cpp.
#pragma once

#include "kernels/collide/broad_phase_pairs.hpp"
#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

// Rows and partners in one key; codes are not negative.
CAIRN_HD inline uint64_t spillKey(int row, int code) { return static_cast<uint64_t>(row) << 32 | static_cast<uint32_t>(code); }

// Where a partner of a shape goes: to the row of the one that is A by its slot.
struct PairCollector {
  const ShapeTag* tags;
  PairRows rows;
  SpillList spill;

  // `code`: the partner's slot, with kFixedBit where it is fixed.
  CAIRN_HD void take(int slot, const ShapeTag& tag, int code) const {
    const int partner = code & ~kFixedBit;
    if (!mayCollide(tag, tags[partner])) return;
    const bool swapped = code < slot;  // never for fixed ones: slots are below the bit
    const int row = swapped ? partner : slot;
    const int place = atomicAddInt(&rows.counts[row], 1);
    const int entry = swapped ? slot : code;
    if (place < kPairRowCapacity) {
      rows.partners[int64_t(row) * kPairRowCapacity + place] = entry;
    } else {
      const int at = atomicAddInt(spill.count, 1);
      if (at < spill.capacity) spill.keys[at] = spillKey(row, entry);
    }
  }
};

// Leaves that lie one after the other go through the tree together.
template <class T> struct PairsInPacks {
  TreeView<T> tree;
  PairCollector to;
  void onCpu(const TeamLoop& team) const;
};
using PairPasses = CpuPassList<PairsInPacks<float>, PairsInPacks<double>>;

}  // namespace cairn::v0
