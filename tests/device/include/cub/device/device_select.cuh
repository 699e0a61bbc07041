// CUB's selection of flagged items, for items that are their own indices, as a stream operation of the emulated device.
#pragma once

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

namespace emulated {

struct Selection {
  int first;  // the item at index 0
  const int* flags;
  int* out;
  int* outCount;
  int count;
};
cudaError_t enqueueSelection(void* scratch, size_t& bytes, const Selection& selection, cudaStream_t stream);

}  // namespace emulated

namespace cub {

struct DeviceSelect {
  static cudaError_t Flagged(void* scratch, size_t& bytes, thrust::counting_iterator<int> items, const int* flags, int* out, int* outCount, int count,
                             cudaStream_t stream) {
    return emulated::enqueueSelection(scratch, bytes, {items.first, flags, out, outCount, count}, stream);
  }
};

}  // namespace cub
