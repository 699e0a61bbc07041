// The emulated device by itself: what it runs comes out right, and what is wrong in a kernel is found. The kernels are in device_kernels.cu.
#include "tests/device/device.hpp"
#include "tests/device/device_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace emulated {
namespace {

constexpr int kCount = 1000;

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = settings();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    cudaStreamDestroy(stream);
    resetDevices();
    settings() = saved_;
  }

  int* newArray(int count) {
    void* address = nullptr;
    EXPECT_EQ(cudaMalloc(&address, static_cast<size_t>(count) * sizeof(int)), cudaSuccess);
    return static_cast<int*>(address);
  }
  int* newArrayOf(const std::vector<int>& values) {
    int* const array = newArray(static_cast<int>(values.size()));
    EXPECT_EQ(cudaMemcpyAsync(array, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return array;
  }
  std::vector<int> valuesOf(const int* array, int count) {
    std::vector<int> values(static_cast<size_t>(count));
    EXPECT_EQ(cudaMemcpyAsync(values.data(), array, values.size() * sizeof(int), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return values;
  }
  cudaError_t finish() { return cudaStreamSynchronize(stream); }

  cudaStream_t stream = nullptr;

 private:
  Settings saved_;
};

// Just one kind of finding, and at least one of it.
void expectFound(Finding finding, const std::string& text) {
  const std::vector<Report> reports = takeReports();
  EXPECT_FALSE(reports.empty()) << "nothing was found";
  for (const Report& each : reports) {
    EXPECT_EQ(each.finding, finding) << each.text;
    EXPECT_NE(each.text.find(text), std::string::npos) << each.text;
  }
}

std::vector<int> counting(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// --- what runs right -------------------------------------------------------------------------------------------

TEST_F(DeviceTest, ThreadsKnowTheirPlace) {
  int* const out = newArray(24 * 20);
  ASSERT_EQ(launchPlaces(stream, dim3(2, 3, 4), dim3(5, 2, 2), out), cudaSuccess);
  EXPECT_EQ(valuesOf(out, 24 * 20), counting(24 * 20));
}

class OrderTest : public DeviceTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    settings().order = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, OrderTest, ::testing::Values(0u, 1u, 7u, 8u));

TEST_P(OrderTest, BlockBarriersSeparate) {
  int* const array = newArrayOf(std::vector<int>(256, 1));
  ASSERT_EQ(launchPrefixSum(stream, array, 256, true), cudaSuccess);
  const std::vector<int> sums = valuesOf(array, 256);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(sums[static_cast<size_t>(i)], i + 1);
}

TEST_P(OrderTest, GridBarriersSeparate) {
  for (const int multiprocessors : {1, 3, 20}) {
    settings().multiprocessors = multiprocessors;
    settings().residentBlocks = 2;
    int* const array = newArrayOf(std::vector<int>(kCount, 1));
    ASSERT_EQ(launchRotations(stream, array, kCount, 2 * multiprocessors, true), cudaSuccess);
    const std::vector<int> rotated = valuesOf(array, kCount);
    EXPECT_EQ(std::accumulate(rotated.begin(), rotated.end(), 0), kCount * 11);
  }
}

TEST_P(OrderTest, AtomicsOfManyThreadsAddUp) {
  int* const results = newArrayOf(std::vector<int>(4, 0));
  ASSERT_EQ(launchAtomics(stream, results, kCount), cudaSuccess);
  EXPECT_EQ(valuesOf(results, 3), (std::vector<int>{kCount, kCount - 1, 1023}));
}

// Each leaf of a tree goes up; of two that meet the second goes on, with what the first has left there.
TEST_P(OrderTest, FencesAndAtomicsHandOver) {
  constexpr int kLeaves = 512;
  int* const arrivals = newArrayOf(std::vector<int>(kLeaves, 0));
  int* const sums = newArray(2 * kLeaves);
  ASSERT_EQ(launchTreeSum(stream, arrivals, sums, kLeaves, true), cudaSuccess);
  EXPECT_EQ(valuesOf(sums + 1, 1)[0], kLeaves * (kLeaves - 1) / 2);
}

// The last block to finish adds up what all blocks have left: a barrier before the fence and one after.
TEST_P(OrderTest, FencesHandOverForTheWholeBlock) {
  int* const partial = newArray(8 * 64);
  int* const state = newArrayOf({0, 0});
  ASSERT_EQ(launchLastBlockSum(stream, partial, state, 8), cudaSuccess);
  EXPECT_EQ(valuesOf(state + 1, 1)[0], 8 * 64);
}

TEST_P(OrderTest, ShufflesAndVotes) {
  int* const out = newArray(5 * 96);
  ASSERT_EQ(launchShuffles(stream, out), cudaSuccess);
  const std::vector<int> values = valuesOf(out, 5 * 96);
  for (size_t i = 0; i < 96; ++i) {
    const int lane = static_cast<int>(i % 32), warp = static_cast<int>(i / 32) * 32;
    EXPECT_EQ(values[i], warp + (lane ^ 1));
    EXPECT_EQ(values[96 + i], lane >= 2 ? warp + lane - 2 : warp + lane);
    EXPECT_EQ(values[2 * 96 + i], warp + lane % 8 / 4 * 4 + lane / 8 * 8);
    EXPECT_EQ(static_cast<unsigned>(values[3 * 96 + i]), 0x11111111u);
    EXPECT_EQ(values[4 * 96 + i], warp == 0 ? 1 : 0);
  }
}

TEST_F(DeviceTest, PinnedMemoryIsTheKernelsToo) {
  void* address = nullptr;
  ASSERT_EQ(cudaHostAlloc(&address, 16, cudaHostAllocMapped), cudaSuccess);
  int* const pinned = static_cast<int*>(address);
  *pinned = 0;
  void* onDevice = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&onDevice, pinned, 0), cudaSuccess);
  ASSERT_EQ(launchFill(stream, static_cast<int*>(onDevice), 1, 7), cudaSuccess);
  EXPECT_EQ(*pinned, 0) << "work runs when somebody waits";
  ASSERT_EQ(finish(), cudaSuccess);
  EXPECT_EQ(*pinned, 7);
  EXPECT_EQ(cudaFreeHost(address), cudaSuccess);
}

TEST_F(DeviceTest, StreamsWaitForEventsAlone) {
  cudaStream_t other;
  cudaEvent_t event;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  int* const array = newArray(1);
  int seen[2] = {0, 0};
  launchFill(stream, array, 1, 3);
  cudaEventRecord(event, stream);
  launchFill(stream, array, 1, 4);
  ASSERT_EQ(cudaStreamWaitEvent(other, event), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(&seen[0], array, sizeof(int), cudaMemcpyDeviceToHost, other), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(seen[0], 3) << "as late as it may be, and not later than the event";
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess) << "who asks again gets an answer";
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}

TEST_F(DeviceTest, TheLegacyStreamWaitsForBlockingOnes) {
  cudaStream_t blocking;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  int* const array = newArray(2);
  launchFill(blocking, array, 1, 1);
  launchFill(stream, array + 1, 1, 1);
  int seen = 0;
  ASSERT_EQ(cudaMemcpy(&seen, array, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(cudaStreamQuery(blocking), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "a stream that is not blocking is nobody's to wait for";
  cudaStreamDestroy(blocking);
}

// --- what is found ---------------------------------------------------------------------------------------------

TEST_F(DeviceTest, FindsAMissingBlockBarrier) {
  int* const array = newArrayOf(std::vector<int>(256, 1));
  ASSERT_EQ(launchPrefixSum(stream, array, 256, false), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Race, "'test/prefix_sum'");
}

TEST_F(DeviceTest, FindsAMissingGridBarrier) {
  int* const array = newArrayOf(std::vector<int>(kCount, 1));
  ASSERT_EQ(launchRotations(stream, array, kCount, 6, false), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Race, "with no barrier between");
}

TEST_F(DeviceTest, FindsAMissingFence) {
  int* const arrivals = newArrayOf(std::vector<int>(64, 0));
  int* const sums = newArray(128);
  ASSERT_EQ(launchTreeSum(stream, arrivals, sums, 64, false), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Race, "thread");
}

TEST_F(DeviceTest, FindsARaceOfEqualValues) {
  int* const array = newArray(1);
  ASSERT_EQ(launchAllWrite(stream, array, 64), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Race, "writes 4 bytes");
}

TEST_F(DeviceTest, FindsAPlainWriteBesideAtomics) {
  int* const results = newArrayOf(std::vector<int>(4, 0));
  ASSERT_EQ(launchPlainBesideAtomic(stream, results, 64), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Race, "thread");
}

TEST_F(DeviceTest, NamesLabelKernelThreadAndLine) {
  int* const array = newArray(1);
  ASSERT_EQ(launchAllWrite(stream, array, 64), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  const std::vector<Report> reports = takeReports();
  ASSERT_EQ(reports.size(), 1u) << "each once";
  for (const char* part : {"'test/all_write'", "kernel", "allWrite", "thread 1 of block 0", "device_kernels.cu:"}) {
    EXPECT_NE(reports[0].text.find(part), std::string::npos) << part << " in " << reports[0].text;
  }
}

TEST_F(DeviceTest, FindsReadsOfWhatWasNeverWritten) {
  int* const array = newArray(kCount);
  ASSERT_EQ(launchCopy(stream, newArray(kCount), array, kCount), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::UnwrittenRead, "'test/copy'");
}

TEST_F(DeviceTest, FindsUnwrittenMemoryBehindCopies) {
  int *const array = newArray(4), *const copy = newArray(4);
  launchFill(stream, array, 3, 1);
  ASSERT_EQ(cudaMemcpyAsync(copy, array, 16, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
  int onHost[4];
  ASSERT_EQ(cudaMemcpyAsync(onHost, copy, 12, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  EXPECT_TRUE(takeReports().empty());
  ASSERT_EQ(cudaMemcpyAsync(onHost, copy, 16, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::UnwrittenRead, "byte 12");
}

// A fault ends the launch, and every later call says so.
void expectFault(cudaStream_t stream, Finding finding, const std::string& text) {
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  void* address = nullptr;
  EXPECT_EQ(cudaMalloc(&address, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress) << "such an error stays";
  expectFound(finding, text);
}

TEST_F(DeviceTest, FindsAccessesOutOfBounds) {
  int* const array = newArray(kCount);
  ASSERT_EQ(launchFill(stream, array, kCount + 1, 1), cudaSuccess);
  expectFault(stream, Finding::OutOfBounds, "byte 4000");
}

TEST_F(DeviceTest, BoundsHoldToTheByte) {
  void* address = nullptr;
  ASSERT_EQ(cudaMalloc(&address, 6), cudaSuccess);
  ASSERT_EQ(launchFillBytes(stream, static_cast<unsigned char*>(address), 6), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  ASSERT_EQ(launchFillBytes(stream, static_cast<unsigned char*>(address), 7), cudaSuccess);
  expectFault(stream, Finding::OutOfBounds, "byte 6");
}

TEST_F(DeviceTest, FindsAccessesToFreedMemory) {
  int* const array = newArray(kCount);
  ASSERT_EQ(cudaFree(array), cudaSuccess);
  ASSERT_EQ(launchFill(stream, array, 1, 1), cudaSuccess);
  expectFault(stream, Finding::UseAfterFree, "freed allocation");
}

TEST_F(DeviceTest, FindsHostPointers) {
  std::vector<int> onHost(kCount, 1);
  int* const array = newArray(kCount);
  ASSERT_EQ(launchCopy(stream, array, onHost.data(), kCount), cudaSuccess);
  expectFault(stream, Finding::HostMemory, "of parameter 1");
}

TEST_F(DeviceTest, FindsVariablesOfTheHost) {
  ASSERT_EQ(launchReadVariable(stream, newArray(1)), cudaSuccess);
  expectFault(stream, Finding::HostMemory, "'test/read_variable'");
}

TEST_F(DeviceTest, FindsMemoryOfAnotherDevice) {
  settings().devices = 2;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  int* const elsewhere = newArray(1);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(launchFill(stream, elsewhere, 1, 1), cudaSuccess);
  expectFault(stream, Finding::OutOfBounds, "another device");
}

TEST_F(DeviceTest, FindsCallsOfTheHostsFunctions) {
  int* const array = newArrayOf({1, 2, 3});
  ASSERT_EQ(launchSine(stream, array, 3), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::HostFunction, "calls sin");
}

TEST_F(DeviceTest, FindsAllocationsOfKernels) {
  const auto textsOf = [this](HeapCall which) {
    EXPECT_EQ(launchAllocate(stream, newArray(1), which), cudaSuccess);
    EXPECT_EQ(finish(), cudaSuccess);
    std::string texts;
    for (const Report& each : takeReports()) {
      EXPECT_EQ(each.finding, Finding::HostFunction) << each.text;
      texts += each.text;
    }
    return texts;
  };
  const auto expectNamed = [](const std::string& texts, const char* allocation, const char* release) {
    EXPECT_NE(texts.find(std::string("calls ") + allocation), std::string::npos) << texts;
    EXPECT_NE(texts.find(std::string("calls ") + release), std::string::npos) << texts;
  };
  expectNamed(textsOf(HeapCall::Malloc), "malloc", "free");
  expectNamed(textsOf(HeapCall::Calloc), "calloc", "free");
  expectNamed(textsOf(HeapCall::Realloc), "realloc", "free");
  expectNamed(textsOf(HeapCall::New), "operator new", "operator delete");
  expectNamed(textsOf(HeapCall::NewArray), "operator new[]", "operator delete[]");
}

TEST_F(DeviceTest, FindsABlockBarrierThatSomeDoNotReach) {
  int* const array = newArrayOf(std::vector<int>(64, 0));
  ASSERT_EQ(launchHalfBarrier(stream, array, 64, false), cudaSuccess);
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::Barrier, "32 threads");
}

TEST_F(DeviceTest, FindsAGridBarrierThatSomeDoNotReach) {
  int* const array = newArrayOf(std::vector<int>(64, 0));
  ASSERT_EQ(launchHalfBarrier(stream, array, 64, true), cudaSuccess);
  EXPECT_EQ(finish(), cudaErrorLaunchTimeout);
  expectFound(Finding::Barrier, "32 for the grid");
}

TEST_F(DeviceTest, FindsSourcesThatChangeBeforeTheCopy) {
  int* const array = newArray(1);
  int source = 1;
  ASSERT_EQ(cudaMemcpyAsync(array, &source, sizeof source, cudaMemcpyHostToDevice, stream), cudaSuccess);
  source = 2;
  ASSERT_EQ(finish(), cudaSuccess);
  expectFound(Finding::LateCopy, "4 bytes");
}

// --- what is refused -------------------------------------------------------------------------------------------

TEST_F(DeviceTest, RefusesLaunchesBeyondTheLimits) {
  int* const out = newArray(1);
  EXPECT_EQ(launchPlaces(stream, dim3(1), dim3(1025), out), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launchPlaces(stream, dim3(0), dim3(1), out), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launchPlaces(stream, dim3(1, 65536), dim3(1), out), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launchPlaces(stream, dim3(1u << 31), dim3(1), out), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "such an error is told once";
  EXPECT_EQ(finish(), cudaSuccess);
}

TEST_F(DeviceTest, RefusesCooperativeGridsThatDoNotFit) {
  int* const array = newArrayOf(std::vector<int>(kCount, 1));
  EXPECT_EQ(launchRotations(stream, array, kCount, 7, true), cudaErrorCooperativeLaunchTooLarge);
  settings().cooperative = false;
  EXPECT_EQ(launchRotations(stream, array, kCount, 1, true), cudaErrorNotSupported);
}

TEST_F(DeviceTest, RefusesOldDevicesAndMissingOnes) {
  settings().capability = 75;
  EXPECT_EQ(launchFill(stream, newArray(1), 1, 1), cudaErrorNoKernelImageForDevice);
  settings().devices = 0;
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
}

TEST_F(DeviceTest, RefusesMemoryThatIsNotThere) {
  void* address = nullptr;
  settings().memory = 1 << 20;
  EXPECT_EQ(cudaMalloc(&address, (1 << 20) + 1), cudaErrorMemoryAllocation);
  settings().failAllocation = 2;
  EXPECT_EQ(cudaMalloc(&address, 4), cudaSuccess);
  void* second = nullptr;
  EXPECT_EQ(cudaMalloc(&second, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&second, 4), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(address, second, 8, cudaMemcpyDeviceToDevice, stream), cudaErrorInvalidValue);
  int onHost = 0;
  EXPECT_EQ(cudaMemcpyAsync(address, &onHost, 4, cudaMemcpyDeviceToHost, stream), cudaErrorInvalidValue);
}

TEST_F(DeviceTest, RefusesWhateverIsRequestedNext) {
  void* address = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  const auto refused = [](auto&& request) {
    settings().failRequest = 1;
    const bool first = request() == cudaErrorMemoryAllocation;
    return first && request() == cudaSuccess;
  };
  EXPECT_TRUE(refused([&] { return cudaMalloc(&address, 4); }));
  EXPECT_TRUE(refused([&] { return cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking); }));
  EXPECT_TRUE(refused([&] { return cudaEventCreate(&event); }));
  EXPECT_TRUE(refused([&] { return cudaMallocHost(&address, 4); }));
  cudaGetLastError();
  cudaFreeHost(address);
  cudaEventDestroy(event);
  cudaStreamDestroy(other);
}

// --- what ends the process -------------------------------------------------------------------------------------

using DeviceDeathTest = DeviceTest;

TEST_F(DeviceDeathTest, TheHostMayNotTouchDeviceMemory) {
  int* const array = newArray(4);
  launchFill(stream, array, 4, 1);
  EXPECT_EXIT(std::exit(array[2]), ::testing::ExitedWithCode(kReportedStatus), "host accessed device memory at .* after 'test/fill'");
  ASSERT_EQ(finish(), cudaSuccess);
  EXPECT_EXIT(array[2] = 1, ::testing::ExitedWithCode(kReportedStatus), "host accessed device memory");
}

TEST_F(DeviceDeathTest, SourcesOfCopiesHaveToStay) {
  const auto copyFromFreedPages = [this] {
    const PagesOfTheHost pages(4096);
    int* const array = newArray(4);
    cudaMemcpyAsync(array, pages.begin(), 16, cudaMemcpyHostToDevice, stream);
  };
  EXPECT_EXIT((copyFromFreedPages(), finish()), ::testing::ExitedWithCode(kReportedStatus), "not mapped any more");
}

TEST_F(DeviceDeathTest, ReportsThatNobodyTakesEndTheProcess) {
  const auto race = [this] {
    launchAllWrite(stream, newArray(1), 64);
    finish();
    std::exit(0);
  };
  EXPECT_EXIT(race(), ::testing::ExitedWithCode(kReportedStatus), "race in 'test/all_write'");
}

}  // namespace
}  // namespace emulated
