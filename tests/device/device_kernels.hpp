// Kernels of the emulated device's own tests, right ones and wrong ones.
#pragma once

#include "tests/device/include/cuda_runtime.h"

#include <sys/mman.h>

#include <cstddef>

namespace emulated {

cudaError_t launchPlaces(cudaStream_t stream, dim3 grid, dim3 block, int* out);
cudaError_t launchFill(cudaStream_t stream, int* array, int count, int value);
cudaError_t launchFillBytes(cudaStream_t stream, unsigned char* array, int count);
cudaError_t launchCopy(cudaStream_t stream, int* to, const int* from, int count);
cudaError_t launchPrefixSum(cudaStream_t stream, int* array, int count, bool barriers);
cudaError_t launchRotations(cudaStream_t stream, int* array, int count, int blocks, bool barriers);
cudaError_t launchAtomics(cudaStream_t stream, int* results, int count);
cudaError_t launchTreeSum(cudaStream_t stream, int* arrivals, int* sums, int leaves, bool fences);
cudaError_t launchLastBlockSum(cudaStream_t stream, int* partial, int* state, int blocks);
cudaError_t launchShuffles(cudaStream_t stream, int* out);
cudaError_t launchAllWrite(cudaStream_t stream, int* array, int threads);
cudaError_t launchPlainBesideAtomic(cudaStream_t stream, int* results, int threads);
cudaError_t launchReadVariable(cudaStream_t stream, int* out);
cudaError_t launchSine(cudaStream_t stream, int* array, int count);
enum class HeapCall { Malloc, Calloc, Realloc, New, NewArray };
cudaError_t launchAllocate(cudaStream_t stream, int* out, HeapCall which);  // and gives it back
cudaError_t launchHalfBarrier(cudaStream_t stream, int* array, int threads, bool ofGrid);
cudaError_t launchCountDown(cudaStream_t stream, int* left, int* runs, cudaGraphConditionalHandle handle);

// Memory that is unmapped at the end of a scope.
class PagesOfTheHost {
 public:
  explicit PagesOfTheHost(size_t bytes) : begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {}
  ~PagesOfTheHost() { munmap(begin_, bytes_); }
  PagesOfTheHost(const PagesOfTheHost&) = delete;
  PagesOfTheHost& operator=(const PagesOfTheHost&) = delete;
  void* begin() const { return begin_; }

 private:
  void* begin_;
  size_t bytes_;
};

}  // namespace emulated
