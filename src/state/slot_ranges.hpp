// Slot ranges: runs of slots that are taken and given back together, as the shapes of a body are.
#pragma once

#include "src/state/slot_table.hpp"

#include <iterator>
#include <limits>

namespace cairn::v0 {

class SlotRanges {
 public:
  // Slots are numbers below `most`.
  explicit SlotRanges(int most = std::numeric_limits<int>::max()) : most_(most) {}

  int slots() const { return slots_; }
  // Throws InvalidInput if so many at the end would be too many.
  void requireSlots(size_t count) const {
    const size_t room = static_cast<size_t>(most_ - slots_);
    if (count <= room) return;
    throw InvalidInput("shapes",
                       "must be at most " + std::to_string(most_) + " in a World, would be " + std::to_string(count + static_cast<size_t>(slots_)));
  }

  // First slot of the range that `take` will choose for so many: in the first free run that is long enough, else at the end.
  int find(int count) const {
    if (count == 0) return 0;
    const auto run = firstFit(count);
    return run == free_.end() ? slots_ : run->first;
  }
  // Room for so many ranges, without which `take` and `give` must not be called.
  void reserve(size_t ranges) { makeRoom(free_, ranges + 2); }
  void take(int count) noexcept {
    if (count == 0) return;
    const auto run = free_.begin() + (firstFit(count) - free_.begin());
    if (run == free_.end()) {
      slots_ += count;
    } else if (run->count == count) {
      free_.erase(run);
    } else {
      run->first += count;
      run->count -= count;
    }
  }
  void give(int first, int count) noexcept {
    if (count == 0) return;
    auto run = std::lower_bound(free_.begin(), free_.end(), first, [](const Run& r, int slot) { return r.first < slot; });
    run = free_.insert(run, {first, count});
    const auto next = std::next(run);
    if (next != free_.end() && run->first + run->count == next->first) {
      run->count += next->count;
      free_.erase(next);
    }
    if (run == free_.begin()) return;
    const auto previous = std::prev(run);
    if (previous->first + previous->count != run->first) return;
    previous->count += run->count;
    free_.erase(run);
  }

  // For snapshots. Reads into an empty one.
  template <class Archive> void archive(Archive& a) {
    a(slots_);
    a.records(free_);
  }
  // Whether the free runs ascend, lie within the slots, and have something taken between them.
  bool sound() const {
    int end = -1;  // of the run before
    for (const Run& run : free_) {
      if (run.first <= end || run.count < 1 || run.count > slots_ - run.first) return false;
      end = run.first + run.count;
    }
    return slots_ >= 0;
  }
  // Calls `act` with each slot that is free.
  template <class Act> void forFree(const Act& act) const {
    for (const Run& run : free_) {
      for (int slot = run.first; slot < run.first + run.count; ++slot) act(slot);
    }
  }

 private:
  struct Run {
    int first, count;
  };
  std::vector<Run>::const_iterator firstFit(int count) const {
    return std::find_if(free_.begin(), free_.end(), [count](const Run& run) { return run.count >= count; });
  }

  int most_;
  int slots_ = 0;
  std::vector<Run> free_;  // ascending; between two of them lies a range that is taken, so that there are at most ranges + 1
};

}  // namespace cairn::v0
