// The launch forms: forEach, and sweepColours over tiles of lanes. Included by kernels/*.cu (nvcc or g++) and by the
// *_cpu.cpp files that g++ compiles in every build.
//
// A body is a struct of views and scalars; its call operator does one item. On the CPU an item range is one OpenMP loop over static chunks,
// on CUDA one grid. No item may depend on another item of the same launch, so neither the number of threads nor the grid shows in the result.
#pragma once

#include "kernels/runtime/platform.hpp"
#include "kernels/runtime/runtime.hpp"

namespace cairn {

// Below this many items a CPU launch stays on the calling thread: waking a team costs as much as about a thousand light items.
// Heavy bodies (narrow phase, tree queries) pass a smaller one.
constexpr int64_t kLightGrain = 2048;
constexpr int64_t kHeavyGrain = 64;

template <class Body> void forEachOnCpu(int threads, int64_t count, int64_t grain, const Body& body) {
  if (threads <= 1 || count < grain) {
    for (int64_t i = 0; i < count; ++i) body(static_cast<int>(i));
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t i = 0; i < count; ++i) body(static_cast<int>(i));
}

[[noreturn]] inline void failLaunch(const Queue& queue, const char* error) {
  throw DeviceError(std::string("CUDA: launch of '") + queue.label + "' failed: " + error);
}

#if CAIRN_WITH_CUDA

constexpr int kBlockSize = 256;

template <class Body> __global__ void forEachKernel(int64_t count, Body body) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) body(static_cast<int>(i));
}

template <class Body> __global__ void forEachCountedKernel(const int* count, Body body) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < *count) body(static_cast<int>(i));
}

inline void checkLaunch(Queue& queue) {
  const cudaError_t status = cudaPeekAtLastError();
  if (status != cudaSuccess) failLaunch(queue, cudaGetErrorString(status));
}

#endif

// body(i) for 0 <= i < count, in any order.
template <class Body> void forEach(Queue& queue, const char* label, int64_t count, const Body& body, int64_t grain = kLightGrain) {
  queue.label = label;
  if (count <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    const int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
    forEachKernel<<<static_cast<unsigned>(blocks), kBlockSize, 0, static_cast<cudaStream_t>(queue.stream)>>>(count, body);
    return checkLaunch(queue);
  }
#endif
  forEachOnCpu(queue.threads, count, grain, body);
}

// The same with the count on the target, at most `capacity`: for counts that the host does not know yet.
template <class Body>
void forEach(Queue& queue, const char* label, const int* count, int64_t capacity, const Body& body, int64_t grain = kLightGrain) {
  queue.label = label;
  if (capacity <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    const int64_t blocks = (capacity + kBlockSize - 1) / kBlockSize;
    forEachCountedKernel<<<static_cast<unsigned>(blocks), kBlockSize, 0, static_cast<cudaStream_t>(queue.stream)>>>(count, body);
    return checkLaunch(queue);
  }
#endif
  forEachOnCpu(queue.threads, *count < capacity ? *count : capacity, grain, body);
}

}  // namespace cairn
