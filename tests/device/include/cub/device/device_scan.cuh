// CUB's exclusive sum of integers, as a stream operation of the emulated device.
#pragma once

#include <cuda_runtime.h>

namespace emulated {
cudaError_t enqueueExclusiveSum(void* scratch, size_t& bytes, const int* in, int* out, int count, cudaStream_t stream);
}

namespace cub {

struct DeviceScan {
  static cudaError_t ExclusiveSum(void* scratch, size_t& bytes, const int* in, int* out, int count, cudaStream_t stream) {
    return emulated::enqueueExclusiveSum(scratch, bytes, in, out, count, stream);
  }
};

}  // namespace cub
