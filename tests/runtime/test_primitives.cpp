#include "kernels/runtime/primitives.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace cairn {
namespace {

using test::OnEachTarget;

class PrimitivesTest : public OnEachTarget {
 protected:
  template <class Key> void checkSort(int count, int keyBits, uint64_t seed) {
    std::mt19937_64 random(seed);
    const uint64_t mask = keyBits >= 64 ? ~uint64_t(0) : (uint64_t(1) << keyBits) - 1;
    std::vector<Key> keys;
    std::vector<int> values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    for (int i = 0; i < count; ++i) keys.push_back(static_cast<Key>(random() & mask & (i % 3 == 0 ? 0xff : ~uint64_t(0))));  // many alike
    std::vector<int> expected = values;
    std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
    Buffer<Key> deviceKeys;
    Buffer<int> deviceValues;
    deviceKeys.upload(queue, keys);
    deviceValues.upload(queue, values);
    sortByKey(queue, scratch_, deviceKeys.data(), deviceValues.data(), count, keyBits);
    EXPECT_EQ(deviceValues.download(queue), expected) << count << " keys of " << keyBits << " bits";
    std::vector<Key> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(deviceKeys.download(queue), sorted);
  }
  PrimitiveScratch scratch_;
};

TEST_P(PrimitivesTest, SortsAreStableForAllSizes) {
  for (const int count : {0, 1, 2, 47, 48, 49, 1000, 70001}) {
    checkSort<uint32_t>(count, 32, 3);
    checkSort<uint32_t>(count, 9, 4);
    checkSort<uint64_t>(count, 64, 5);
    checkSort<uint64_t>(count, 48, 6);
  }
}

TEST_P(PrimitivesTest, ScansGiveOffsetsAndTheTotal) {
  for (const int count : {0, 1, 1000, 100000}) {
    std::mt19937 random(static_cast<uint32_t>(count));
    std::vector<int> in, expected{0};
    for (int i = 0; i < count; ++i) {
      in.push_back(static_cast<int>(random() % 7));
      expected.push_back(expected.back() + in.back());
    }
    Buffer<int> source, out;
    source.upload(queue, in);
    out.resize(queue, in.size() + 1);
    exclusiveScan(queue, scratch_, source.data(), out.data(), count);
    EXPECT_EQ(out.download(queue), expected);
    in.push_back(-1);  // in place: whatever lies in the last item does not matter
    Buffer<int> both;
    both.upload(queue, in);
    exclusiveScan(queue, scratch_, both.data(), both.data(), count);
    EXPECT_EQ(both.download(queue), expected);
  }
}

TEST_P(PrimitivesTest, CompactionKeepsTheOrder) {
  std::vector<int> flags, expected;
  for (int i = 0; i < 5000; ++i) {
    flags.push_back(i % 7 == 2 || i % 11 == 0 ? 1 : 0);
    if (flags.back() != 0) expected.push_back(i);
  }
  Buffer<int> deviceFlags, out, count;
  deviceFlags.upload(queue, flags);
  out.resize(queue, flags.size());
  count.resize(queue, 1);
  compactIndices(queue, scratch_, deviceFlags.data(), out.data(), count.data(), static_cast<int>(flags.size()));
  ASSERT_EQ(count.read(queue, 0), static_cast<int>(expected.size()));
  std::vector<int> found(expected.size());
  downloadBytes(queue, found.data(), out.data(), found.size() * sizeof(int));
  EXPECT_EQ(found, expected);
}

TEST_P(PrimitivesTest, SumsHaveTheSameBitsOnEveryTarget) {
  for (const int count : {0, 1, 1024, 1025, 3000000}) {
    std::mt19937 random(17);
    std::normal_distribution<float> normal(0, 1000);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = normal(random);
    const auto sumOn = [&](Queue& on) {
      PrimitiveScratch scratch;
      Buffer<float> device, result;
      device.upload(on, values);
      result.resize(on, 1);
      reduceSum(on, scratch, device.data(), result.data(), count);
      return result.read(on, 0);
    };
    Queue reference = makeCpuQueue(1);
    EXPECT_EQ(sumOn(queue), sumOn(reference)) << count;
    EXPECT_NEAR(sumOn(queue), std::accumulate(values.begin(), values.end(), 0.0), 1e-6 * 1000 * count + 1e-9);
  }
}

TEST_P(PrimitivesTest, TheMaximumHasTheSmallestIndex) {
  for (const int count : {1, 5, 1024, 1030, 2100000}) {
    std::vector<double> values(static_cast<size_t>(count), -5.0);
    const auto first = static_cast<size_t>(count / 2);
    values[first] = 7;
    values.back() = 7;
    Buffer<double> device;
    Buffer<MaxAt<double>> result;
    device.upload(queue, values);
    result.resize(queue, 1);
    reduceMax(queue, scratch_, device.data(), result.data(), count);
    EXPECT_EQ(result.read(queue, 0).value, 7);
    EXPECT_EQ(result.read(queue, 0).index, static_cast<int>(first));
  }
  Buffer<MaxAt<double>> result;
  result.resize(queue, 1);
  reduceMax(queue, scratch_, static_cast<const double*>(nullptr), result.data(), 0);
  EXPECT_EQ(result.read(queue, 0).index, -1);
}

CAIRN_INSTANTIATE_TARGETS(PrimitivesTest);

}  // namespace
}  // namespace cairn
