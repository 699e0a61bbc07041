// Queues, buffers and clocks on a device that refuses, fails, or is used by others too.
#include "kernels/runtime/async_copy.hpp"
#include "kernels/runtime/runtime.hpp"
#include "tests/device/arena.hpp"
#include "tests/device/emulated_devices.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/runtime_kernels.hpp"

#include <algorithm>
#include <vector>

namespace cairn {
namespace {

using emulated::failForGood;
using emulated::messageOf;
using emulated::settings;

class RuntimeOnADevice : public emulated::EmulatedDevices {
 protected:
  void SetUp() override {
    EmulatedDevices::SetUp();
    queue = makeCudaQueue();
  }
  void TearDown() override {
    releaseQueue(queue);
    EmulatedDevices::TearDown();
  }

  Queue queue;
};

// --- errors ----------------------------------------------------------------------------------------------------

TEST_F(RuntimeOnADevice, AFailedLaunchIsReportedOnce) {
  Buffer<int> array;
  array.resize(queue, 4);
  EXPECT_EQ(messageOf<DeviceError>([&] { launchTooManyThreads(queue, array.data()); }),
            "CUDA: launch of 'test/too_many' failed: invalid configuration argument");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_NO_THROW(synchronize(queue));
  launchFillWith(queue, array.data(), 4, 7);
  EXPECT_EQ(array.download(queue), std::vector<int>(4, 7));
}

TEST_F(RuntimeOnADevice, ErrorsOfOthersAreNotThoseOfALaunch) {
  Buffer<int> array;
  array.resize(queue, 4);
  ASSERT_EQ(cudaSetDevice(17), cudaErrorInvalidDevice);
  EXPECT_NO_THROW(launchFillWith(queue, array.data(), 4, 7));
  EXPECT_NO_THROW(synchronize(queue));
}

TEST_F(RuntimeOnADevice, MemoryThatIsNotThereIsACapacityError) {
  settings().memory = 1 << 20;
  Buffer<char> array;
  EXPECT_THROW(array.resize(queue, 4 << 20), CapacityError);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_NO_THROW(array.resize(queue, 1 << 10));
}

TEST_F(RuntimeOnADevice, ABrokenDeviceIsNotReportedAsMissingMemory) {
  Buffer<int> first, second;
  first.resize(queue, 4);
  launchFillWith(queue, first.data(), 4, 7);
  failForGood(cudaErrorIllegalAddress);
  EXPECT_EQ(messageOf<DeviceError>([&] { second.resize(queue, 4); }),
            "CUDA: allocation failed after 'test/fill': an illegal memory access was encountered");
}

TEST_F(RuntimeOnADevice, AMarkThatFailsSpoilsTheTimesAndNothingElse) {
  StageClock clock;
  clock.begin(queue);
  failForGood(cudaErrorLaunchFailure);
  EXPECT_NO_THROW(clock.mark(queue, "stage"));
  EXPECT_THROW(clock.read(queue), DeviceError);
}

// --- memory ----------------------------------------------------------------------------------------------------

// While a stream is captured, nobody may wait for it: the copy into the larger array cannot be finished.
TEST_F(RuntimeOnADevice, AnArrayThatCouldNotGrowKeepsNoSecondOne) {
  Buffer<int> array;
  array.resize(queue, 4);
  const size_t before = emulated::bytesInUse(0);
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_THROW(array.resizeKeep(queue, 400), DeviceError);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  EXPECT_EQ(emulated::bytesInUse(0), before);
  EXPECT_EQ(array.size(), 4u);
}

// Pinned memory of a copy for which no event could be had, and a queue that was refused something: neither leaves anything behind.
TEST_F(RuntimeOnADevice, RefusedRequestsLeaveNoPinnedMemory) {
  Buffer<int> array;
  array.resize(queue, 1);
  launchFillWith(queue, array.data(), 1, 7);
  const size_t before = emulated::pinnedInUse();
  for (const int n : {1, 2}) {
    AsyncCopy copy(sizeof(int));
    settings().failRequest = n;
    EXPECT_THROW(copy.take(queue, array.data()), DeviceError);
    EXPECT_EQ(emulated::pinnedInUse(), before) << "request " << n;
    EXPECT_FALSE(copy.taken());
    copy.take(queue, array.data());
    EXPECT_EQ(*static_cast<const int*>(copy.wait(queue)), 7);
  }
  EXPECT_EQ(emulated::pinnedInUse(), before);
  for (int n = 1;; ++n) {
    settings().failRequest = n;
    try {
      Queue other = makeCudaQueue();
      releaseQueue(other);
    } catch (const DeviceError&) {
      EXPECT_EQ(emulated::pinnedInUse(), before) << "request " << n;
    }
    if (settings().failRequest != 0) break;
  }
  settings().failRequest = 0;
}

// --- questions to the device -----------------------------------------------------------------------------------

TEST_F(RuntimeOnADevice, AsksOnceHowManyBlocksAreResident) {
  settings().multiprocessors = 3;
  settings().residentBlocks = 2;
  Queue first = makeCudaQueue();
  EXPECT_EQ(residentBlocksOfFill(first, 128), 6);
  settings().residentBlocks = 4;
  EXPECT_EQ(residentBlocksOfFill(first, 128), 6);
  EXPECT_EQ(residentBlocksOfFill(first, 1024), 6) << "another size of blocks is another question";
  Queue second = makeCudaQueue();
  EXPECT_EQ(residentBlocksOfFill(second, 128), 12);
  settings().cooperative = false;
  Queue third = makeCudaQueue();
  EXPECT_EQ(residentBlocksOfFill(third, 128), 0);
  for (Queue* each : {&first, &second, &third}) releaseQueue(*each);
}

// Four multiprocessors with two blocks of 64 threads each: 512 threads are resident.
TEST_F(RuntimeOnADevice, HeavyItemsAreSpreadWhileThereIsRoom) {
  settings().multiprocessors = 4;
  settings().residentBlocks = 2;
  const struct { int items, spread; } cases[] = {{1, 32}, {16, 32}, {17, 16}, {100, 4}, {256, 2}, {257, 1}, {3000, 1}};
  for (const bool cooperative : {true, false}) {
    settings().cooperative = cooperative;
    Queue other = makeCudaQueue();
    for (const auto& each : cases) {
      EXPECT_EQ(spreadOfCountEach(other, each.items), cooperative ? each.spread : 1) << each.items;
      const size_t items = static_cast<size_t>(each.items);
      Buffer<int> array, count;
      array.upload(other, std::vector<int>(items + 1, 0));
      launchCountEach(other, nullptr, each.items, array.data());
      std::vector<int> expected(items + 1, 1);
      expected[items] = 0;
      EXPECT_EQ(array.download(other), expected) << each.items;
      // Of more items than there is room for, and of fewer.
      for (const int counted : {each.items + 5, each.items / 2}) {
        count.upload(other, {counted});
        array.upload(other, std::vector<int>(items + 1, 0));
        launchCountEach(other, count.data(), each.items, array.data());
        std::fill(expected.begin(), expected.end(), 0);
        std::fill_n(expected.begin(), std::min(counted, each.items), 1);
        EXPECT_EQ(array.download(other), expected) << counted << " of " << each.items;
      }
    }
    releaseQueue(other);
  }
}

TEST_F(RuntimeOnADevice, AQueryThatTheDeviceRefusesIsNamed) {
  EXPECT_EQ(messageOf<DeviceError>([&] { residentBlocksOfFill(queue, -1); }), "CUDA: occupancy query failed after '': invalid argument");
}

}  // namespace
}  // namespace cairn
