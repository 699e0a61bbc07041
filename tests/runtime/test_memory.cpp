#include "kernels/runtime/owned_queue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace cairn {
namespace {

template <class T> T unwritten() {
  const uint32_t words[2] = {kUnwritten, kUnwritten};
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

TEST(Memory, UnwrittenNumbersAreNone) {
  EXPECT_TRUE(std::isnan(unwritten<float>()));
  EXPECT_TRUE(std::isnan(unwritten<double>()));
  EXPECT_LT(unwritten<int32_t>(), 0);
}

TEST(Memory, FreshArraysAreUnwrittenInBuildsForDebugging) {
#ifdef NDEBUG
  GTEST_SKIP() << "this build has NDEBUG";
#else
  OwnedQueue owned(Target::Cpu, 1, kCurrentDevice);
  for (const size_t count : {size_t(1), size_t(3), size_t(1000)}) {
    Buffer<uint32_t> words;
    words.resize(owned.queue, count);
    for (size_t k = 0; k < count; ++k) ASSERT_EQ(words.data()[k], kUnwritten) << k;
  }
#endif
}

// A large array, and resizes that need next to nothing of it.
class RoomyArray : public ::testing::Test {
 protected:
  static constexpr size_t kMany = kLargeArray / sizeof(int), kFew = 100;

  void SetUp() override {
    items_.resize(owned_.queue, kMany);
    for (size_t k = 0; k < kMany; ++k) items_.data()[k] = int(k);
  }
  void resizeToFew(int times) {
    for (int k = 0; k < times; ++k) items_.resize(owned_.queue, kFew);
  }

  OwnedQueue owned_{Target::Cpu, 1};
  Buffer<int> items_;
};

TEST_F(RoomyArray, GivesBackWhatHasLongNotBeenNeeded) {
  resizeToFew(kRoomyResizes - 1);
  EXPECT_EQ(items_.capacity(), kMany);
  resizeToFew(1);
  EXPECT_LT(items_.capacity(), 2 * kFew);
  EXPECT_EQ(items_.size(), kFew);
  for (size_t k = 0; k < kFew; ++k) ASSERT_EQ(items_.data()[k], int(k));
  EXPECT_EQ(owned_.memory.current, items_.capacity() * sizeof(int));
}

TEST_F(RoomyArray, KeepsWhatIsNeededNowAndThen) {
  for (int round = 0; round < 3; ++round) {
    resizeToFew(kRoomyResizes - 1);
    items_.resize(owned_.queue, kMany);
  }
  EXPECT_EQ(items_.capacity(), kMany);
}

TEST_F(RoomyArray, StaysWhereThereIsNoRoomToMoveTo) {
  resizeToFew(kRoomyResizes - 1);
  failAllocation(1);
  EXPECT_NO_THROW(resizeToFew(1));
  failAllocation(0);
  EXPECT_EQ(items_.capacity(), kMany);
  EXPECT_EQ(items_.data()[kFew - 1], int(kFew - 1));
}

TEST(Memory, TheMeterHasEachArrayWithTheStageThatAskedForIt) {
  OwnedQueue owned(Target::Cpu, 1);
  Buffer<double> numbers;
  Buffer<int> indices;
  numbers.resize(owned.queue, 10);
  owned.memory.mark("first");
  indices.resize(owned.queue, 7);
  owned.memory.mark("second");
  ASSERT_EQ(owned.memory.shares().size(), 2u);
  EXPECT_STREQ(owned.memory.shares()[0].stage, "first");
  EXPECT_EQ(owned.memory.shares()[0].bytes(), 80u);
  EXPECT_STREQ(owned.memory.shares()[1].stage, "second");
  numbers.resize(owned.queue, 100);
  EXPECT_EQ(owned.memory.current, 828u);
  EXPECT_EQ(owned.memory.peak, 908u) << "both arrays are there while one moves";
  EXPECT_EQ(owned.memory.shares().size(), 2u);
}

}  // namespace
}  // namespace cairn
