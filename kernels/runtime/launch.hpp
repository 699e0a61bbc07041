// forEach, the plain launch form. Included by kernels/*/*.cu (nvcc or g++) and by the *_cpu.cpp files that g++ compiles in every build.
//
// A kernel is a struct of views and scalars; its call operator does one item. On the CPU the items are one loop of the queue's threads
// (thread_team.hpp), on CUDA one grid. No item may depend on another item of the same launch, so neither the number of threads nor the grid shows in
// the result.
#pragma once

#include "kernels/runtime/cpu_level.hpp"
#include "kernels/runtime/platform.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/runtime/tuning.hpp"

#include <type_traits>

namespace cairn::v0 {

// A kernel that says `using ForAvx2 = void` is compiled for processors with AVX2 too, for the CPU: worth it where a step would be slower by more than
// a hundredth, since everything that the kernel calls becomes one function.
template <class Kernel, class = void> constexpr bool kForAvx2 = false;
template <class Kernel> constexpr bool kForAvx2<Kernel, typename Kernel::ForAvx2> = true;

// A kernel that says `using ByWarp = std::true_type` may have all threads of a warp work on one item, on a device where it wants them: wantsWarps(),
// and then inWarp(i), which all of them call.
template <class Kernel, class = void> constexpr bool kByWarp = false;
template <class Kernel> constexpr bool kByWarp<Kernel, std::void_t<typename Kernel::ByWarp>> = Kernel::ByWarp::value;

template <class Kernel> void runItems(const Kernel& kernel, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) kernel(static_cast<int>(i));
}
template <class Kernel> CAIRN_FOR_AVX2 void runItemsForAvx2(const Kernel& kernel, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) kernel(static_cast<int>(i));
}

template <class Kernel> void forEachOnCpu(Queue& queue, int64_t count, int64_t grain, const Kernel& kernel) {
  auto items = runItems<Kernel>;
  if constexpr (kForAvx2<Kernel>) {
    if (cpuLevel() != CpuLevel::Baseline) items = runItemsForAvx2<Kernel>;
  }
  const auto piece = [&kernel, items](int64_t begin, int64_t end) { items(kernel, begin, end); };
  if (count < grain) return piece(0, count);
  queue.team->run(count, piece);
}

[[noreturn]] inline void failLaunch(const Queue& queue, const char* error) {
  throw DeviceError(std::string("CUDA: launch of '") + queue.label + "' failed: " + error);
}

#if CAIRN_WITH_CUDA

// Takes the error out of the runtime's memory and throws DeviceError.
[[noreturn]] void failOnDevice(int error, const char* what, const char* label);
// Of a call of the runtime: `what` it was, and the label of the last launch before it.
inline void checkCuda(cudaError_t status, const char* what, const char* label) {
  if (status != cudaSuccess) failOnDevice(status, what, label);
}

template <class Kernel> __global__ void forEachInGrid(int64_t count, Kernel kernel) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) kernel(static_cast<int>(i));
}

template <class Kernel> __global__ void forEachCountedInGrid(const int* count, int64_t capacity, Kernel kernel) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < capacity && i < *count) kernel(static_cast<int>(i));
}

// Of `spread` threads the first one works. Without launch bounds: told of small blocks, ptxas spills registers to get more of them onto a
// multiprocessor, which waits for memory as it is.
template <class Kernel> __global__ void forEachSpreadInGrid(const int* count, int64_t capacity, int spread, Kernel kernel) {
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, i = thread / spread;
  if constexpr (kByWarp<Kernel>) {
    if (spread == kWarp && kernel.wantsWarps()) {
      if (i < capacity && (count == nullptr || i < *count)) kernel.inWarp(static_cast<int>(i));
      return;
    }
  }
  if (i * spread == thread && i < capacity && (count == nullptr || i < *count)) kernel(static_cast<int>(i));
}

// The blocks of a resident grid all run at the same time, so that they can wait for each other.
struct LaunchGrid {
  int64_t blocks;
  int threads;  // a block
  bool resident = false;
};

template <class T> struct ArgumentOf { using Type = T; };  // a parameter that takes no part in finding out the template's arguments

// Every kernel of this library is launched here. Profilers get the queue's label as the name of a range around the launch.
template <class... Parameters>
void launchOnCuda(Queue& queue, const LaunchGrid& grid, void (*kernel)(Parameters...), typename ArgumentOf<Parameters>::Type... arguments) {
  if (queue.measures()) return;
  void* addresses[] = {&arguments...};
  const dim3 blocks(static_cast<unsigned>(grid.blocks)), threads(static_cast<unsigned>(grid.threads));
  const auto stream = static_cast<cudaStream_t>(queue.stream);
  if (queue.log != nullptr) ++queue.log->now().launches;
  nvtxRangePushA(queue.label);
  const cudaError_t status = grid.resident ? cudaLaunchCooperativeKernel(kernel, blocks, threads, addresses, 0, stream)
                                           : cudaLaunchKernel(kernel, blocks, threads, addresses, 0, stream);
  nvtxRangePop();
  if (status == cudaSuccess) return;
  cudaGetLastError();  // told once: neither the next launch nor other code of the process shall find it
  failLaunch(queue, cudaGetErrorString(status));
}

constexpr int64_t kNotAsked = -1;
// Where the queue keeps what mostResidentBlocks has found out; kNotAsked at first.
int64_t* knownResidentBlocks(const Queue& queue, const void* kernel, int threads);

// The most blocks that a resident grid of this kernel can have; 0 on devices that know no such grids.
template <class... Parameters> int64_t mostResidentBlocks(const Queue& queue, void (*kernel)(Parameters...), int threads) {
  if (!queue.cooperative) return 0;
  int64_t* const most = knownResidentBlocks(queue, reinterpret_cast<const void*>(kernel), threads);
  if (*most == kNotAsked) {
    int blocks = 0;
    checkCuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), "occupancy query", queue.label);
    *most = static_cast<int64_t>(blocks) * queue.multiprocessors;
  }
  return *most;
}

template <class Kernel> void forEachOnCuda(Queue& queue, int64_t count, const Kernel& kernel) {
  launchOnCuda(queue, {(count + kBlockSize - 1) / kBlockSize, kBlockSize}, forEachInGrid<Kernel>, count, kernel);
}
template <class Kernel> void forEachCountedOnCuda(Queue& queue, const int* count, int64_t capacity, const Kernel& kernel) {
  launchOnCuda(queue, {(capacity + kBlockSize - 1) / kBlockSize, kBlockSize}, forEachCountedInGrid<Kernel>, count, capacity, kernel);
}

// How many threads there are for each item, a power of two up to a warp: no more than are resident at a time.
template <class Kernel> int spreadOf(const Queue& queue, int64_t items) {
  const int64_t resident = mostResidentBlocks(queue, forEachSpreadInGrid<Kernel>, kHeavyBlockSize) * kHeavyBlockSize;
  int spread = 1;
  while (spread < kWarp && 2 * spread * items <= resident) spread *= 2;
  return spread;
}

// Whether it is worth it that all threads of a warp work on one item: as long as not too many items wait for others then.
template <class Kernel> bool takesWarps([[maybe_unused]] const Queue& queue, [[maybe_unused]] int64_t items, [[maybe_unused]] const Kernel& kernel) {
  if constexpr (kByWarp<Kernel>) {
    const int64_t resident = mostResidentBlocks(queue, forEachSpreadInGrid<Kernel>, kHeavyBlockSize) * kHeavyBlockSize;
    return kernel.wantsWarps() && kWarp * items <= kMostWarpWaves * resident;
  }
  return false;
}

template <class Kernel> void forEachHeavyOnCuda(Queue& queue, const int* count, int64_t capacity, const Kernel& kernel) {
  const int spread = takesWarps(queue, capacity, kernel) ? kWarp : spreadOf<Kernel>(queue, capacity);
  const LaunchGrid grid{(capacity * spread + kHeavyBlockSize - 1) / kHeavyBlockSize, kHeavyBlockSize};
  launchOnCuda(queue, grid, forEachSpreadInGrid<Kernel>, count, capacity, spread, kernel);
}

#else

// Nobody has a queue for CUDA here.
template <class Kernel> void forEachOnCuda(Queue&, int64_t, const Kernel&) {}
template <class Kernel> void forEachCountedOnCuda(Queue&, const int*, int64_t, const Kernel&) {}
template <class Kernel> void forEachHeavyOnCuda(Queue&, const int*, int64_t, const Kernel&) {}

#endif

// kernel(i) for 0 <= i < count, in any order.
template <class Kernel> void forEach(Queue& queue, const char* label, int64_t count, const Kernel& kernel, int64_t grain = kLightGrain) {
  queue.label = label;
  if (count <= 0) return;
  if (queue.target == Target::Cuda) return forEachOnCuda(queue, count, kernel);
  forEachOnCpu(queue, count, grain, kernel);
}

// The same with the count on the target, at most `capacity`: for counts that the host does not know yet. Without a count it is the capacity.
template <class Kernel>
void forEach(Queue& queue, const char* label, const int* count, int64_t capacity, const Kernel& kernel, int64_t grain = kLightGrain) {
  if (count == nullptr) return forEach(queue, label, capacity, kernel, grain);
  queue.label = label;
  if (capacity <= 0) return;
  if (queue.target == Target::Cuda) return forEachCountedOnCuda(queue, count, capacity, kernel);
  forEachOnCpu(queue, *count < capacity ? *count : capacity, grain, kernel);
}

// Likewise, for items that take long and go different ways. The threads of a warp wait for each other's ways, and blocks of many items leave most of
// a device idle where items are few: these are spread over warps of their own while there is room. With a count and without one kernel does: a
// device's compiler goes through all that a kernel calls anew for each, which takes minutes where that is much.
template <class Kernel>
void forEachHeavy(Queue& queue, const char* label, const int* count, int64_t capacity, const Kernel& kernel, int64_t grain = kHeavyGrain) {
  queue.label = label;
  if (capacity <= 0) return;
  if (queue.target == Target::Cuda) return forEachHeavyOnCuda(queue, count, capacity, kernel);
  forEachOnCpu(queue, count != nullptr && *count < capacity ? *count : capacity, grain, kernel);
}

}  // namespace cairn::v0
