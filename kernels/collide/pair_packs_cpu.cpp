// Candidate pairs on the CPU, a pack of leaves at a time: leaves that are neighbours along the curve meet the same nodes, each of which is read once and
// compared with the bounds of all of them.
//
// A leaf is compared with what it would be compared with by itself, or with more, and a pair is one by its own comparison: so the pairs are those of
// leaves that go alone (broad_phase_walk.hpp, visitOverlaps), and their order is made afterwards.
#include "kernels/collide/pair_packs.hpp"

#include "kernels/rows/pack_instructions.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

constexpr int kFewPacks = 8;  // fewer stay on one thread

template <class T> class PairPack {
 public:
  static constexpr int kWidth = Pack<T>::kWidth;

  explicit PairPack(const PairsInPacks<T>& pass) : pass_(pass) {}

  void find(int first, int leafCount) {
    const TreeView<T>& tree = pass_.tree;
    first_ = first;
    const int lanes = std::min(kWidth, leafCount - first);
    // Leaves of several environments meet in a pack where these are small, and look for partners in different subtrees.
    for (int lane = 0; lane < lanes;) {
      int end = lanes;
      if (tree.subtrees != nullptr) {
        const int environment = tree.environments.of(tree.order[first + lane]);
        for (end = lane + 1; end < lanes && tree.environments.of(tree.order[first + end]) == environment;) ++end;
      }
      findTogether(lane, end);
      lane = end;
    }
  }

 private:
  using V = Pack<T>;
  using Bits = unsigned;  // a bit a lane

  // The lanes from begin to end, all of one environment.
  void findTogether(int begin, int end) {
    const TreeView<T>& tree = pass_.tree;
    moving_ = 0;
    for (int lane = begin; lane < end; ++lane) {
      slots_[lane] = tree.order[first_ + lane];
      if (tree.bounds[slots_[lane]].kind != kMoving) continue;
      moving_ |= Bits(1) << lane;
      tags_[lane] = pass_.to.tags[slots_[lane]];
    }
    if (moving_ == 0) return;
    V fields[8];  // of lanes that do not look for partners whatever there is
    RecordLanes<T, kWidth>::load([&](int lane) { return &tree.bounds[slots_[std::min(std::max(lane, begin), end - 1)]].low.x; }, fields);
    low_ = {fields[0], fields[1], fields[2]};
    high_ = {fields[4], fields[5], fields[6]};
    const Subtree around = tree.around(slots_[begin]);
    for (int k = around.firstHalfSpace; k < around.endOfHalfSpaces; ++k) {
      const int slot = tree.order[k];
      forEachLane(moving_, [&](int lane) {
        if (reaches(tree.bounds[slots_[lane]], tree.bounds[slot])) take(lane, slot | kFixedBit);
      });
    }
    walk(around.root);
  }

  Bits overlapping(const Vec3<T>& low, const Vec3<T>& high) const {
    return bitsOf((low_.x <= V(high.x)) & (V(low.x) <= high_.x) & (low_.y <= V(high.y)) & (V(low.y) <= high_.y) & (low_.z <= V(high.z)) &
                  (V(low.z) <= high_.z));
  }
  // The lanes whose leaves come before the one at this place in the sorted order.
  Bits before(int place) const { return place <= first_ ? 0 : place - first_ >= kWidth ? ~Bits(0) : (Bits(1) << (place - first_)) - 1; }

  template <class Body> static void forEachLane(Bits lanes, const Body& body) {
    for (; lanes != 0; lanes &= lanes - 1) body(__builtin_ctz(lanes));
  }
  void take(int lane, int code) { pass_.to.take(slots_[lane], tags_[lane], code); }

  // A child that is a leaf, at this place in the sorted order.
  void meet(int child, int place, Bits lanes) {
    const int code = ~child;
    if ((code & kFixedBit) == 0) lanes &= before(place);
    forEachLane(lanes, [&](int lane) { take(lane, code); });
  }

  // As visitOverlaps; lanes in a stack would save comparisons at no leaf.
  void walk(int root) {
    if (isLeaf(root) || root == kNoRoot) return;
    const TreeNode<T>* const nodes = pass_.tree.nodes;
    int stack[kMaxTreeDepth];
    int depth = 0;
    int entry = root & ~kFixedBit;
    for (;;) {
      const int index = entry & ~kFixedBit;
      const bool onlyFixed = (entry & kFixedBit) != 0;
      const TreeNode<T>& node = nodes[index];
      const int left = node.left, right = node.right;
      const bool leftOnlyFixed = onlyFixed || index <= first_;
      const bool rightOnlyFixed = onlyFixed || (isLeaf(right) && index + 1 <= first_);
      Bits enterLeft = leftOnlyFixed && !holdsFixed(left) ? 0 : overlapping(node.lowLeft, node.highLeft) & moving_;
      Bits enterRight = rightOnlyFixed && !holdsFixed(right) ? 0 : overlapping(node.lowRight, node.highRight) & moving_;
      if (enterLeft != 0 && isLeaf(left)) {
        meet(left, index, enterLeft);
        enterLeft = 0;
      }
      if (enterRight != 0 && isLeaf(right)) {
        meet(right, index + 1, enterRight);
        enterRight = 0;
      }
      const int leftEntry = (left & ~kFixedBit) | (leftOnlyFixed ? kFixedBit : 0);
      const int rightEntry = (right & ~kFixedBit) | (rightOnlyFixed ? kFixedBit : 0);
      if (enterLeft != 0) {
        if (enterRight != 0) stack[depth++] = rightEntry;
        entry = leftEntry;
      } else if (enterRight != 0) {
        entry = rightEntry;
      } else {
        if (depth == 0) return;
        entry = stack[--depth];
      }
    }
  }

  const PairsInPacks<T>& pass_;
  int first_ = 0;
  Bits moving_ = 0;
  int slots_[kWidth] = {};
  ShapeTag tags_[kWidth] = {};
  Vec3<V> low_, high_;
};

}  // namespace

template <class T> void PairsInPacks<T>::onCpu(const TeamLoop& team) const {
  constexpr int kWidth = PairPack<T>::kWidth;
  const int leafCount = tree.header->leafCount, packs = (leafCount + kWidth - 1) / kWidth;
  const auto run = [this, leafCount](int64_t begin, int64_t end) {
    PairPack<T> pack(*this);
    for (int64_t i = begin; i < end; ++i) pack.find(static_cast<int>(i) * kWidth, leafCount);
  };
  if (packs < kFewPacks) return run(0, packs);
  team.run(packs, run);
}

CpuPass pairPass(int place) { return PairPasses::at(place); }

}  // namespace cairn::v0
