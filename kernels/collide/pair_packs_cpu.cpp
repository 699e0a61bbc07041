// Candidate pairs on the CPU, a pack of leaves at a time: those that are neighbours along the curve meet the same nodes. Where shapes share leaves,
// the shapes of a leaf that is met are compared a pack at a time with each of those that met it.
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
  bool anyShared = false;  // whether any of the leaves has several shapes

  LeafPack(const PairsInPacks<T>& of, int firstLeaf) : pass(of), first(firstLeaf) {}

  void find(int leafCount) {
    const TreeView<T>& tree = pass.tree;
    const int last = leafCount - 1;
    LaneBits moving = 0;
    for (int lane = 0; lane < kWidth; ++lane) {
      slots[lane] = tree.order[std::min(first + lane, last)];
      if (first + lane > last || tree.entryOf(slots[lane]).kind != kMoving) continue;
      moving |= LaneBits(1) << lane;
      tags[lane] = pass.to.tags[slots[lane]];
      anyShared = anyShared || tree.endOf(slots[lane]) > slots[lane] + 1;
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
        for (int member = slots[lane]; member < tree.endOf(slots[lane]); ++member) {
          if (reaches(tree.bounds[member], tree.bounds[plane])) pass.to.take(member, pass.to.tags[member], plane | kFixedBit);
        }
      });
    }
    const BoundsPack<T> pack([&](int lane) -> const ShapeBounds<T>& { return tree.entryOf(slots[lane]); }, lanes);
    pack.walk(tree, around.root, first, [this](int code, int place, LaneBits meeting) {
      if ((code & kFixedBit) == 0) meeting &= before(place);
      const int slot = code & ~kFixedBit, end = pass.tree.endOf(slot);
      if (end == slot + 1 && !anyShared) {
        forEachLane(meeting, [&](int lane) { pass.to.take(slots[lane], tags[lane], code); });
      } else {
        for (int member = slot; member < end; member += kWidth) takeMembers(member, end, code & kFixedBit, meeting);
      }
    });
  }
  // The shapes begin .. end of a leaf, a pack of them, against those of the lanes.
  void takeMembers(int begin, int end, int fixedBit, LaneBits meeting) const {
    const TreeView<T>& tree = pass.tree;
    const int count = std::min(end - begin, kWidth);
    const LaneBits all = (LaneBits(2) << (count - 1)) - 1;
    const BoundsPack<T> others([&](int k) -> const ShapeBounds<T>& { return tree.bounds[begin + std::min(k, count - 1)]; }, all);
    forEachLane(meeting, [&](int lane) {
      const int slot = slots[lane];
      const ShapeBounds<T>& entry = tree.entryOf(slot);
      if (others.overlapping(entry.low, entry.high) == 0) return;
      for (int member = slot; member < tree.endOf(slot); ++member) {
        const ShapeBounds<T>& own = tree.bounds[member];
        // Filters may be a shape's own.
        forEachLane(others.overlapping(own.low, own.high), [&](int k) { pass.to.take(member, pass.to.tags[member], (begin + k) | fixedBit); });
      }
    });
  }
  // The lanes whose leaves come before the one at this place in the sorted order.
  LaneBits before(int place) const {
    const int count = place - first;
    return count >= kWidth ? ~LaneBits(0) : (LaneBits(1) << std::max(count, 0)) - 1;
  }
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
