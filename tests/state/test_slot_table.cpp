// Slots, generations and names: what bodies and joints are known by between steps.
#include "src/state/slot_ranges.hpp"
#include "src/state/slot_table.hpp"

#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cairn {
namespace {

template <class Action> std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SlotTable, FreedSlotsAreTakenAgainSmallestFirstWithTheNextGeneration) {
  SlotTable<BodyId> table("body");
  for (int k = 0; k < 4; ++k) EXPECT_EQ(table.claim(""), k);
  const BodyId old = table.idOf(1);
  table.release(3);
  table.release(1);
  EXPECT_EQ(table.count(), 2);
  EXPECT_EQ(table.next(), 1);
  EXPECT_EQ(table.claim("again"), 1);
  EXPECT_EQ(table.claim(""), 3);
  EXPECT_EQ(table.claim(""), 4);
  EXPECT_EQ(table.idOf(1).generation, old.generation + 1);
  EXPECT_EQ(refusal([&] { table.slotOf(old); }), "body id 1.0: no such body: it was removed, or belongs to another World");
  EXPECT_EQ(table.ids().size(), 5u);
}

TEST(SlotTable, NamesAreTakenOnceAndFreeAgainAfterwards) {
  SlotTable<JointId> table("joint");
  table.claim("");
  const int hinge = table.claim("hinge");
  EXPECT_EQ(table.find("hinge").index, hinge);
  EXPECT_EQ(table.find("joint-0").index, 0);
  EXPECT_EQ(refusal([&] { table.claim("hinge"); }), "joint 'hinge': there is a joint of this name already");
  EXPECT_EQ(table.slots(), 2) << "a refused claim takes no slot";
  EXPECT_EQ(refusal([&] { table.find("joint-1"); }), "joint 'joint-1': there is no joint of this name");
  table.release(hinge);
  EXPECT_EQ(refusal([&] { table.find("hinge"); }), "joint 'hinge': there is no joint of this name");
  EXPECT_EQ(table.claim("hinge"), hinge);
}

// Against a set of single slots.
TEST(SlotRanges, RefusesMoreSlotsThanHaveNumbers) {
  SlotRanges ranges(100);
  ranges.reserve(2);
  ranges.requireSlots(100);
  ranges.take(60);
  ranges.requireSlots(40);
  EXPECT_THROW(ranges.requireSlots(41), InvalidInput);
  EXPECT_THROW(ranges.requireSlots(std::numeric_limits<size_t>::max() / 2), InvalidInput);
}

TEST(SlotRanges, RangesNeverOverlapAndTheFirstFitIsTaken) {
  std::mt19937 random(7);
  SlotRanges ranges;
  std::set<int> used;
  std::vector<std::pair<int, int>> taken;
  for (int round = 0; round < 2000; ++round) {
    if (taken.empty() || random() % 2 == 0) {
      const int count = 1 + static_cast<int>(random() % 5);
      int expected = 0;
      const auto fits = [&](int first) {
        for (int k = 0; k < count; ++k) {
          if (first + k >= ranges.slots() || used.count(first + k) != 0) return false;
        }
        return true;
      };
      while (expected < ranges.slots() && !fits(expected)) ++expected;
      ranges.reserve(taken.size() + 1);
      const int first = ranges.find(count);
      ASSERT_EQ(first, expected);
      ranges.take(count);
      for (int k = 0; k < count; ++k) ASSERT_TRUE(used.insert(first + k).second);
      taken.emplace_back(first, count);
    } else {
      const size_t which = random() % taken.size();
      ranges.give(taken[which].first, taken[which].second);
      for (int k = 0; k < taken[which].second; ++k) used.erase(taken[which].first + k);
      taken.erase(taken.begin() + static_cast<long>(which));
    }
  }
}

}  // namespace
}  // namespace cairn
