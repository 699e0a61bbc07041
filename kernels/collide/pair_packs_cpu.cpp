// Candidate pairs on the CPU, a pack of leaves at a time: those that are neighbours along the curve meet the same nodes.
#include "kernels/collide/pair_packs.hpp"

#include "kernels/collide/bounds_packs.hpp"

namespace cairn::v0 {
namespace {

constexpr int kFewPacks = 8;  // fewer stay on one thread

// Leaves that lie one after the other in the sorted order.
template <class T> struct LeafPack {
  static constexpr int kWidth = Pack<T>::kWidth;

  const PairsInPacks<T>& pass;
  int first;
  int slots[kWidth];
  ShapeTag tags[kWidth];

  LeafPack(const PairsInPacks<T>& of, int firstLeaf) : pass(of), first(firstLeaf) {}

  void find(int leafCount) {
    const TreeView<T>& tree = pass.tree;
    const int last = leafCount - 1;
    LaneBits moving = 0;
    for (int lane = 0; lane < kWidth; ++lane) {
      slots[lane] = tree.order[std::min(first + lane, last)];
      if (first + lane > last || tree.bounds[slots[lane]].kind != kMoving) continue;
      moving |= LaneBits(1) << lane;
      tags[lane] = pass.to.tags[slots[lane]];
    }
    forEachEnvironment(tree, slots, moving, [this](LaneBits lanes) { findTogether(lanes); });
  }
  void findTogether(LaneBits lanes) {
    if (lanes == 0) return;
    const TreeView<T>& tree = pass.tree;
    const Subtree around = tree.around(slots[__builtin_ctz(lanes)]);
    for (int k = around.firstHalfSpace; k < around.endOfHalfSpaces; ++k) {
      const int plane = tree.order[k];
      forEachLane(lanes, [&](int lane) {
        if (reaches(tree.bounds[slots[lane]], tree.bounds[plane])) take(lane, plane | kFixedBit);
      });
    }
    const BoundsPack<T> pack([&](int lane) -> const ShapeBounds<T>& { return tree.bounds[slots[lane]]; }, lanes);
    pack.walk(tree, around.root, first, [this](int code, int place, LaneBits meeting) {
      if ((code & kFixedBit) == 0) meeting &= before(place);
      forEachLane(meeting, [&](int lane) { take(lane, code); });
    });
  }
  // The lanes whose leaves come before the one at this place in the sorted order.
  LaneBits before(int place) const {
    const int count = place - first;
    return count >= kWidth ? ~LaneBits(0) : (LaneBits(1) << std::max(count, 0)) - 1;
  }
  void take(int lane, int code) const { pass.to.take(slots[lane], tags[lane], code); }
};

}  // namespace

template <class T> void PairsInPacks<T>::onCpu(const TeamLoop& team) const {
  constexpr int kWidth = Pack<T>::kWidth;
  const int leafCount = tree.header->leafCount, packs = (leafCount + kWidth - 1) / kWidth;
  const auto run = [this, leafCount](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) LeafPack<T>(*this, static_cast<int>(i) * kWidth).find(leafCount);
  };
  if (packs < kFewPacks) return run(0, packs);
  team.run(packs, run);
}

CpuPass pairPass(int place) { return PairPasses::at(place); }

}  // namespace cairn::v0
