// The ways of fast shapes on the CPU, a pack of them at a time through the tree: of a cloud that falls or a drum that is full neighbours meet the
// same nodes. What is done with what a way may meet is code for every processor; the earliest meeting wins, whatever the order.
#include "kernels/collide/meeting_packs.hpp"

#include "kernels/collide/bounds_packs.hpp"

#include <cstddef>

namespace cairn::v0 {
namespace {

template <class T> struct WayPack {
  static constexpr int kWidth = Pack<T>::kWidth;

  const MeetingsInPacks<T>& pass;
  int slots[kWidth];
  ShapeBounds<T> ways[kWidth];
  alignas(std::max_align_t) unsigned char visits[kWidth][kVisitBytes];

  explicit WayPack(const MeetingsInPacks<T>& of) : pass(of) {}

  void find(int first) {
    LaneBits looking = 0;
    for (int lane = 0; lane < kWidth; ++lane) {
      const int item = first + lane;
      ways[lane] = {};
      if (item >= pass.count) continue;
      slots[lane] = pass.items[item];
      if (pass.prepare(pass.find, item, visits[lane], &ways[lane])) looking |= LaneBits(1) << lane;
    }
    forEachEnvironment(pass.bounded.tree, slots, looking, [this](LaneBits lanes) { findTogether(lanes); });
  }
  // As visitAll.
  void findTogether(LaneBits lanes) {
    if (lanes == 0) return;
    const TreeView<T>& tree = pass.bounded.tree;
    const ShapeBounds<T>* const bounds = pass.bounded.bounds;
    const Subtree around = tree.around(slots[__builtin_ctz(lanes)]);
    for (int k = around.firstHalfSpace; k < around.endOfHalfSpaces; ++k) {
      const int plane = tree.order[k];
      forEachLane(lanes, [&](int lane) {
        if (reaches(ways[lane], tree.bounds[plane])) pass.meet(visits[lane], plane | kFixedBit);
      });
    }
    const BoundsPack<T> pack([this](int lane) -> const ShapeBounds<T>& { return ways[lane]; }, lanes);
    pack.walk(tree, around.root, -1, [&](int code, int /*place*/, LaneBits meeting) {
      const int slot = code & ~kFixedBit;
      for (int member = slot; member < tree.endOf(slot); ++member) {
        const ShapeBounds<T>& now = bounds[member];  // the tree's may be wider
        const int memberCode = member | (code & kFixedBit);
        forEachLane(meeting & pack.overlapping(now.low, now.high), [&](int lane) { pass.meet(visits[lane], memberCode); });
      }
    });
  }
};

}  // namespace

template <class T> void MeetingsInPacks<T>::onCpu(const TeamLoop& team) const {
  constexpr int kWidth = WayPack<T>::kWidth;
  const auto run = [this](int64_t begin, int64_t end) {
    WayPack<T> pack(*this);
    for (int64_t i = begin; i < end; ++i) pack.find(static_cast<int>(i) * kWidth);
  };
  team.run((count + kWidth - 1) / kWidth, run);
}

CpuPass meetingPass(int place) { return MeetingPasses::at(place); }

}  // namespace cairn::v0
