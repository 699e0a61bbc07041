// CUB's stable radix sort of pairs, as stream operations of the emulated device.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

namespace emulated {

// Which of two arrays a radix sort ends in is CUB's business: here it changes from sort to sort.
struct SortArrays {
  void* keys[2];
  int* values[2];
  size_t keyBytes;
  int from, to;  // index of the arrays that hold the input, that get the output
};
int nextSortOutput();
cudaError_t enqueueSort(void* scratch, size_t& bytes, const SortArrays& arrays, int count, int beginBit, int endBit, cudaStream_t stream);

}  // namespace emulated

namespace cub {

template <class T> struct DoubleBuffer {
  DoubleBuffer(T* current, T* other) : d_buffers{current, other}, selector(0) {}
  T* Current() const { return d_buffers[selector]; }
  T* Alternate() const { return d_buffers[selector ^ 1]; }
  T* d_buffers[2];
  int selector;
};

struct DeviceRadixSort {
  template <class Key> static cudaError_t SortPairs(void* scratch, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<int>& values, int count, int beginBit,
                                                    int endBit, cudaStream_t stream) {
    static_assert(std::is_unsigned<Key>::value && (sizeof(Key) == 4 || sizeof(Key) == 8), "keys are unsigned words of 4 or 8 bytes");
    emulated::SortArrays arrays{{keys.Current(), keys.Alternate()}, {values.Current(), values.Alternate()}, sizeof(Key), 0, 0};
    if (scratch != nullptr) arrays.to = emulated::nextSortOutput();
    const cudaError_t status = emulated::enqueueSort(scratch, bytes, arrays, count, beginBit, endBit, stream);
    if (scratch != nullptr && arrays.to == 1) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }
};

}  // namespace cub
