// CUB's algorithms as operations of a stream, in plain C++.
#include "tests/device/arena.hpp"
#include "tests/device/errors.hpp"
#include "tests/device/include/cub/device/device_radix_sort.cuh"
#include "tests/device/include/cub/device/device_scan.cuh"
#include "tests/device/include/cub/device/device_select.cuh"
#include "tests/device/reports.hpp"
#include "tests/device/settings.hpp"
#include "tests/device/streams.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace emulated {
namespace {

// What an algorithm reads has to be there and written, what it writes has to be there.
bool readable(const void* address, size_t bytes, const char* what) {
  if (deviceOf(address, bytes) < 0) {
    report(Finding::OutOfBounds, std::string(what) + " reads " + std::to_string(bytes) + " bytes at " + describe(address), nullptr);
    return false;
  }
  const size_t first = settings().checkUnwritten ? firstUnwritten(address, bytes) : bytes;
  if (first < bytes) report(Finding::UnwrittenRead, std::string(what) + " reads " + describe(static_cast<const char*>(address) + first), nullptr);
  return true;
}
bool writable(void* address, size_t bytes, const char* what) {
  if (deviceOf(address, bytes) >= 0) return true;
  report(Finding::OutOfBounds, std::string(what) + " writes " + std::to_string(bytes) + " bytes at " + describe(address), nullptr);
  return false;
}
size_t bytesOf(int count, size_t each) { return static_cast<size_t>(count) * each; }

// What an algorithm leaves there means nothing to anybody.
void spoil(void* address, size_t bytes) {
  std::memset(address, 0x5a, bytes);
  markUnwritten(address, bytes);
}

// First the size of the scratch memory is asked for, with a null address; the real call writes into it.
template <class Run>
cudaError_t enqueueWithScratch(void* scratch, size_t& bytes, size_t needed, cudaStream_t stream, const Run& run, const char* what) {
  const ApiCall call;
  if (call.error != cudaSuccess) return call.error;
  if (scratch == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return fail(cudaErrorInvalidValue);
  return enqueue(stream, {labelOf(what), [scratch, needed, run, what] {
                            if (!writable(scratch, needed, what)) return cudaErrorIllegalAddress;
                            spoil(scratch, needed);
                            return run();
                          }});
}

template <class Key> void sortPairs(const SortArrays& arrays, int count, int beginBit, int endBit) {
  const int bits = endBit - beginBit, width = static_cast<int>(8 * sizeof(Key));
  const Key mask = bits >= width ? ~Key(0) : static_cast<Key>(((Key(1) << bits) - 1) << beginBit);
  const Key* const keys = static_cast<const Key*>(arrays.keys[arrays.from]);
  const int* const values = arrays.values[arrays.from];
  std::vector<std::pair<Key, int>> pairs;
  for (int i = 0; i < count; ++i) pairs.emplace_back(keys[i], values[i]);
  std::stable_sort(pairs.begin(), pairs.end(), [mask](const auto& a, const auto& b) { return (a.first & mask) < (b.first & mask); });
  // The arrays that do not hold the result are used on the way.
  spoil(arrays.keys[arrays.to ^ 1], bytesOf(count, sizeof(Key)));
  spoil(arrays.values[arrays.to ^ 1], bytesOf(count, sizeof(int)));
  for (int i = 0; i < count; ++i) {
    static_cast<Key*>(arrays.keys[arrays.to])[i] = pairs[static_cast<size_t>(i)].first;
    arrays.values[arrays.to][i] = pairs[static_cast<size_t>(i)].second;
  }
}

}  // namespace

int nextSortOutput() {
  static int sorts = 0;
  return ++sorts % 2;
}

cudaError_t enqueueSort(void* scratch, size_t& bytes, const SortArrays& arrays, int count, int beginBit, int endBit, cudaStream_t stream) {
  constexpr const char* kName = "cub::DeviceRadixSort::SortPairs";
  const auto run = [arrays, count, beginBit, endBit] {
    const size_t keyBytes = bytesOf(count, arrays.keyBytes), valueBytes = bytesOf(count, sizeof(int));
    if (!readable(arrays.keys[arrays.from], keyBytes, kName) || !readable(arrays.values[arrays.from], valueBytes, kName))
      return cudaErrorIllegalAddress;
    for (int side = 0; side < 2; ++side) {
      if (!writable(arrays.keys[side], keyBytes, kName) || !writable(arrays.values[side], valueBytes, kName)) return cudaErrorIllegalAddress;
    }
    markWritten(arrays.keys[arrays.to], keyBytes);
    markWritten(arrays.values[arrays.to], valueBytes);
    arrays.keyBytes == 4 ? sortPairs<uint32_t>(arrays, count, beginBit, endBit) : sortPairs<uint64_t>(arrays, count, beginBit, endBit);
    return cudaSuccess;
  };
  return enqueueWithScratch(scratch, bytes, 1024 + 4 * static_cast<size_t>(count), stream, run, kName);
}

cudaError_t enqueueExclusiveSum(void* scratch, size_t& bytes, const int* in, int* out, int count, cudaStream_t stream) {
  constexpr const char* kName = "cub::DeviceScan::ExclusiveSum";
  const auto run = [in, out, count] {
    if (!readable(in, bytesOf(count, sizeof(int)), kName) || !writable(out, bytesOf(count, sizeof(int)), kName)) return cudaErrorIllegalAddress;
    unsigned total = 0;
    for (int i = 0; i < count; ++i) {
      const unsigned here = static_cast<unsigned>(in[i]);
      out[i] = static_cast<int>(total);
      total += here;
    }
    markWritten(out, bytesOf(count, sizeof(int)));
    return cudaSuccess;
  };
  return enqueueWithScratch(scratch, bytes, 768, stream, run, kName);
}

cudaError_t enqueueSelection(void* scratch, size_t& bytes, const Selection& selection, cudaStream_t stream) {
  constexpr const char* kName = "cub::DeviceSelect::Flagged";
  const auto run = [selection] {
    const size_t arrayBytes = bytesOf(selection.count, sizeof(int));
    if (!readable(selection.flags, arrayBytes, kName) || !writable(selection.outCount, sizeof(int), kName)) return cudaErrorIllegalAddress;
    int found = 0;
    for (int i = 0; i < selection.count; ++i) found += selection.flags[i] != 0 ? 1 : 0;
    if (!writable(selection.out, bytesOf(found, sizeof(int)), kName)) return cudaErrorIllegalAddress;
    int* out = selection.out;
    for (int i = 0; i < selection.count; ++i) {
      if (selection.flags[i] != 0) *out++ = selection.first + i;
    }
    *selection.outCount = found;
    markWritten(selection.out, bytesOf(found, sizeof(int)));
    markWritten(selection.outCount, sizeof(int));
    return cudaSuccess;
  };
  return enqueueWithScratch(scratch, bytes, 512, stream, run, kName);
}

}  // namespace emulated
