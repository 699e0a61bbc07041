// forEach, the plain launch form. Included by kernels/*/*.cu (nvcc or g++) and by the *_cpu.cpp files that g++ compiles in every build.
//
// A kernel is a struct of views and scalars; its call operator does one item. On the CPU the items are one OpenMP loop over static chunks,
// on CUDA one grid. No item may depend on another item of the same launch, so neither the number of threads nor the grid shows in the result.
#pragma once

#include "kernels/runtime/platform.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn {

template <class Kernel> void forEachOnCpu(int threads, int64_t count, int64_t grain, const Kernel& kernel) {
  if (threads <= 1 || count < grain) {
    for (int64_t i = 0; i < count; ++i) kernel(static_cast<int>(i));
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t i = 0; i < count; ++i) kernel(static_cast<int>(i));
}

[[noreturn]] inline void failLaunch(const Queue& queue, const char* error) {
  throw DeviceError(std::string("CUDA: launch of '") + queue.label + "' failed: " + error);
}

#if CAIRN_WITH_CUDA

template <class Kernel> __global__ void forEachInGrid(int64_t count, Kernel kernel) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) kernel(static_cast<int>(i));
}

template <class Kernel> __global__ void forEachCountedInGrid(const int* count, Kernel kernel) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < *count) kernel(static_cast<int>(i));
}

inline void checkLaunch(Queue& queue) {
  const cudaError_t status = cudaPeekAtLastError();
  if (status != cudaSuccess) failLaunch(queue, cudaGetErrorString(status));
}

#endif

// kernel(i) for 0 <= i < count, in any order.
template <class Kernel> void forEach(Queue& queue, const char* label, int64_t count, const Kernel& kernel, int64_t grain = kLightGrain) {
  queue.label = label;
  if (count <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    const int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
    forEachInGrid<<<static_cast<unsigned>(blocks), kBlockSize, 0, static_cast<cudaStream_t>(queue.stream)>>>(count, kernel);
    return checkLaunch(queue);
  }
#endif
  forEachOnCpu(queue.threads, count, grain, kernel);
}

// The same with the count on the target, at most `capacity`: for counts that the host does not know yet.
template <class Kernel>
void forEach(Queue& queue, const char* label, const int* count, int64_t capacity, const Kernel& kernel, int64_t grain = kLightGrain) {
  queue.label = label;
  if (capacity <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    const int64_t blocks = (capacity + kBlockSize - 1) / kBlockSize;
    forEachCountedInGrid<<<static_cast<unsigned>(blocks), kBlockSize, 0, static_cast<cudaStream_t>(queue.stream)>>>(count, kernel);
    return checkLaunch(queue);
  }
#endif
  forEachOnCpu(queue.threads, *count < capacity ? *count : capacity, grain, kernel);
}

}  // namespace cairn
