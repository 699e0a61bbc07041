// Sort, scan, compact and reduce. The only file that includes CUB or Thrust.
//
// On CUDA: CUB's radix sort (stable), scan and select. On the CPU: an insertion sort for a handful of keys and a least-significant-digit radix sort
// for the rest, stable for any number of threads. Floating-point sums run over fixed tiles on both targets, first within a tile in the order of the
// indices, then over the tiles' sums.
#include "kernels/runtime/primitives.hpp"

#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#endif

#include <algorithm>

namespace cairn::v0 {
namespace {

// --- sort on the CPU -------------------------------------------------------------------------------------------

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

template <class Key> void insertionSort(Key* keys, int* values, int count) {
  for (int i = 1; i < count; ++i) {
    const Key key = keys[i];
    const int value = values[i];
    int j = i;
    for (; j > 0 && keys[j - 1] > key; --j) {
      keys[j] = keys[j - 1];
      values[j] = values[j - 1];
    }
    keys[j] = key;
    values[j] = value;
  }
}

template <class Body> void forEachChunk(ThreadTeam& team, int chunks, const Body& body) {
  const auto some = [&body](int64_t begin, int64_t end) {
    for (int chunk = static_cast<int>(begin); chunk < end; ++chunk) body(chunk);
  };
  if (chunks == 1) return some(0, 1);
  team.run(chunks, some);
}

template <class Key> struct KeyedValues {
  Key* keys;
  int* values;
};

// One stable pass over a digit: chunks of the input in order, so that the result does not depend on how many there are.
template <class Key>
bool radixPass(ThreadTeam& team, int chunks, const KeyedValues<Key>& in, const KeyedValues<Key>& out, int count, int shift, int* histograms) {
  std::fill(histograms, histograms + static_cast<ptrdiff_t>(chunks) * kDigits, 0);
  const auto digit = [shift](Key key) { return static_cast<int>((key >> shift) & (kDigits - 1)); };
  const auto begin = [&](int chunk) { return static_cast<int>(static_cast<int64_t>(count) * chunk / chunks); };
  const auto countChunk = [&](int chunk) {
    int* histogram = histograms + static_cast<ptrdiff_t>(chunk) * kDigits;
    for (int i = begin(chunk); i < begin(chunk + 1); ++i) ++histogram[digit(in.keys[i])];
  };
  forEachChunk(team, chunks, countChunk);
  int total = 0;
  for (int d = 0; d < kDigits; ++d) {
    int inDigit = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      int& place = histograms[static_cast<ptrdiff_t>(chunk) * kDigits + d];
      const int here = place;
      place = total + inDigit;
      inDigit += here;
    }
    if (inDigit == count) return false;  // all keys share the digit: nothing to do
    total += inDigit;
  }
  const auto moveChunk = [&](int chunk) {
    int* places = histograms + static_cast<ptrdiff_t>(chunk) * kDigits;
    for (int i = begin(chunk); i < begin(chunk + 1); ++i) {
      const int place = places[digit(in.keys[i])]++;
      out.keys[place] = in.keys[i];
      out.values[place] = in.values[i];
    }
  };
  forEachChunk(team, chunks, moveChunk);
  return true;
}

template <class Key> void sortOnCpu(Queue& queue, PrimitiveScratch& scratch, Key* keys, int* values, int count, int keyBits) {
  if (count <= kInsertionSortCount) return insertionSort(keys, values, count);
  const int chunks = count >= kParallelSortCount ? queue.team->threads() : 1;
  const size_t keyBytes = static_cast<size_t>(count) * sizeof(Key);
  scratch.bytes.resize(queue, keyBytes + static_cast<size_t>(count) * sizeof(int));
  scratch.moreBytes.resize(queue, static_cast<size_t>(chunks) * kDigits * sizeof(int));
  KeyedValues<Key> from{keys, values}, to{reinterpret_cast<Key*>(scratch.bytes.data()), reinterpret_cast<int*>(scratch.bytes.data() + keyBytes)};
  int* histograms = reinterpret_cast<int*>(scratch.moreBytes.data());
  for (int shift = 0; shift < keyBits; shift += kDigitBits) {
    if (radixPass(*queue.team, chunks, from, to, count, shift, histograms)) std::swap(from, to);
  }
  if (from.keys != keys) {
    std::copy(from.keys, from.keys + count, keys);
    std::copy(from.values, from.values + count, values);
  }
}

#if CAIRN_WITH_CUDA

void check(Queue& queue, cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  failLaunch(queue, cudaGetErrorString(status));
}

// Runs a CUB algorithm: once for its scratch size, once for real. `kernels`: that it launches, for the log.
template <class Algorithm> void runCub(Queue& queue, Buffer<unsigned char>& scratch, int kernels, const Algorithm& algorithm) {
  size_t bytes = 0;
  check(queue, algorithm(nullptr, bytes));
  scratch.resize(queue, bytes > 0 ? bytes : 1);
  if (queue.measures()) return;
  if (queue.log != nullptr) queue.log->now().launches += kernels;
  check(queue, algorithm(scratch.data(), bytes));
}

cudaStream_t streamOf(Queue& queue) { return static_cast<cudaStream_t>(queue.stream); }

template <class Key> void sortOnCuda(Queue& queue, PrimitiveScratch& scratch, Key* keys, int* values, int count, int keyBits) {
  const size_t keyBytes = (static_cast<size_t>(count) * sizeof(Key) + 255) / 256 * 256;
  scratch.moreBytes.resize(queue, keyBytes + static_cast<size_t>(count) * sizeof(int));
  cub::DoubleBuffer<Key> keyBuffers(keys, reinterpret_cast<Key*>(scratch.moreBytes.data()));
  cub::DoubleBuffer<int> valueBuffers(values, reinterpret_cast<int*>(scratch.moreBytes.data() + keyBytes));
  // One for what a block can sort; else a histogram, a scan over it, and one for each digit of eight bits.
  constexpr int kSortedByOneBlock = 4096;
  const int kernels = count <= kSortedByOneBlock ? 1 : 2 + (keyBits + 7) / 8;
  runCub(queue, scratch.bytes, kernels, [&](void* address, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(address, bytes, keyBuffers, valueBuffers, count, 0, keyBits, streamOf(queue));
  });
  if (keyBuffers.Current() != keys) copyBytes(queue, keys, keyBuffers.Current(), static_cast<size_t>(count) * sizeof(Key));
  if (valueBuffers.Current() != values) copyBytes(queue, values, valueBuffers.Current(), static_cast<size_t>(count) * sizeof(int));
}

#endif

template <class Key> void sort(Queue& queue, PrimitiveScratch& scratch, Key* keys, int* values, int count, int keyBits) {
  queue.label = "primitives/sort";
  if (count <= 1) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return sortOnCuda(queue, scratch, keys, values, count, keyBits);
#endif
  sortOnCpu(queue, scratch, keys, values, count, keyBits);
}

// --- reductions over fixed tiles -------------------------------------------------------------------------------

template <class T> struct SumTile {
  const T* values;
  T* sums;
  int count;

  CAIRN_HD void operator()(int tile) const {
    const int64_t begin = static_cast<int64_t>(tile) * kReductionTile;
    const int64_t end = begin + kReductionTile < count ? begin + kReductionTile : count;
    T sum = T(0);
    for (int64_t i = begin; i < end; ++i) sum += values[i];
    sums[tile] = sum;
  }
};

template <class T> struct IndexedValue {
  const T* values;
  CAIRN_HD MaxAt<T> operator()(int64_t i) const { return {values[i], static_cast<int>(i)}; }
};
template <class T> struct TileMaximum {
  const MaxAt<T>* maxima;
  CAIRN_HD MaxAt<T> operator()(int64_t i) const { return maxima[i]; }
};

template <class T, class Source> struct MaxTile {
  Source source;
  MaxAt<T>* maxima;
  int count;

  CAIRN_HD void operator()(int tile) const {
    const int64_t begin = static_cast<int64_t>(tile) * kReductionTile;
    const int64_t end = begin + kReductionTile < count ? begin + kReductionTile : count;
    MaxAt<T> best = source(begin);
    for (int64_t i = begin + 1; i < end; ++i) {
      const MaxAt<T> other = source(i);
      if (other.value > best.value) best = other;
    }
    maxima[tile] = best;
  }
};

int tileCountOf(int count) { return (count + kReductionTile - 1) / kReductionTile; }

// The tiles' results lie one level after the other in the scratch, the last level in the result.
template <class T> void sum(Queue& queue, PrimitiveScratch& scratch, const T* values, T* result, int count) {
  if (count == 0) return fillBytes(queue, result, 0, sizeof(T));
  scratch.bytes.resize(queue, 2 * static_cast<size_t>(tileCountOf(count)) * sizeof(T));
  T* level = reinterpret_cast<T*>(scratch.bytes.data());
  for (;;) {
    const int tiles = tileCountOf(count);
    T* out = tiles == 1 ? result : level;
    forEach(queue, "primitives/sum", tiles, SumTile<T>{values, out, count}, kHeavyGrain);
    if (tiles == 1) return;
    values = out;
    level += tiles;
    count = tiles;
  }
}

template <class T> void maximum(Queue& queue, PrimitiveScratch& scratch, const T* values, MaxAt<T>* result, int count) {
  if (count == 0) {
    const MaxAt<T> none{T(0), -1};
    return uploadBytes(queue, result, &none, sizeof none);
  }
  int tiles = tileCountOf(count);
  scratch.bytes.resize(queue, 2 * static_cast<size_t>(tiles) * sizeof(MaxAt<T>));
  MaxAt<T>* level = reinterpret_cast<MaxAt<T>*>(scratch.bytes.data());
  MaxAt<T>* out = tiles == 1 ? result : level;
  forEach(queue, "primitives/max", tiles, MaxTile<T, IndexedValue<T>>{{values}, out, count}, kHeavyGrain);
  while (tiles > 1) {
    const MaxAt<T>* from = out;
    count = tiles;
    tiles = tileCountOf(count);
    level += count;
    out = tiles == 1 ? result : level;
    forEach(queue, "primitives/max", tiles, MaxTile<T, TileMaximum<T>>{{from}, out, count}, kHeavyGrain);
  }
}

}  // namespace

void sortByKey(Queue& queue, PrimitiveScratch& scratch, uint32_t* keys, int* values, int count, int keyBits) {
  sort(queue, scratch, keys, values, count, keyBits);
}
void sortByKey(Queue& queue, PrimitiveScratch& scratch, uint64_t* keys, int* values, int count, int keyBits) {
  sort(queue, scratch, keys, values, count, keyBits);
}

void exclusiveScan(Queue& queue, PrimitiveScratch& scratch, const int* in, int* out, int count) {
  queue.label = "primitives/scan";
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    // The scan runs over count + 1 items for the total. The last one's value is of no matter, but it is read: so it must have been written, and the
    // input, which may end before it, is copied first.
    if (in != out) copyBytes(queue, out, in, static_cast<size_t>(count) * sizeof(int));
    fillBytes(queue, out + count, 0, sizeof(int));
    runCub(queue, scratch.bytes, 2,
           [&](void* address, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(address, bytes, out, out, count + 1, streamOf(queue)); });
    return;
  }
#endif
  (void)scratch;
  int total = 0;
  for (int i = 0; i < count; ++i) {
    const int here = in[i];
    out[i] = total;
    total += here;
  }
  out[count] = total;
}

void compactIndices(Queue& queue, PrimitiveScratch& scratch, const int* flags, int* out, int* outCount, int count) {
  queue.label = "primitives/compact";
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) {
    if (count == 0) return fillBytes(queue, outCount, 0, sizeof(int));
    runCub(queue, scratch.bytes, 2, [&](void* address, size_t& bytes) {
      return cub::DeviceSelect::Flagged(address, bytes, thrust::counting_iterator<int>(0), flags, out, outCount, count, streamOf(queue));
    });
    return;
  }
#endif
  (void)scratch;
  int found = 0;
  for (int i = 0; i < count; ++i) {
    if (flags[i] != 0) out[found++] = i;
  }
  *outCount = found;
}

void reduceSum(Queue& queue, PrimitiveScratch& scratch, const float* values, float* result, int count) { sum(queue, scratch, values, result, count); }
void reduceSum(Queue& queue, PrimitiveScratch& scratch, const double* values, double* result, int count) {
  sum(queue, scratch, values, result, count);
}
void reduceSum(Queue& queue, PrimitiveScratch& scratch, const int* values, int* result, int count) { sum(queue, scratch, values, result, count); }
void reduceMax(Queue& queue, PrimitiveScratch& scratch, const float* values, MaxAt<float>* result, int count) {
  maximum(queue, scratch, values, result, count);
}
void reduceMax(Queue& queue, PrimitiveScratch& scratch, const double* values, MaxAt<double>* result, int count) {
  maximum(queue, scratch, values, result, count);
}

}  // namespace cairn::v0
