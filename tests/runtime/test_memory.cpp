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

}  // namespace
}  // namespace cairn
