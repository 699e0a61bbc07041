#include "tests/device/device_kernels.hpp"

#include <cooperative_groups.h>
#include <nvtx3/nvToolsExt.h>

#include <cmath>
#include <cstdlib>

namespace emulated {
namespace {

int variableOfTheHost = 1;

__device__ int threadInGrid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void writePlaces(int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned place = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[place] = static_cast<int>(place);
}

__global__ void fill(int* array, int count, int value) {
  const int i = threadInGrid();
  if (i < count) array[i] = value;
}

__global__ void fillBytes(unsigned char* array, int count) {
  const int i = threadInGrid();
  if (i < count) array[i] = 1;
}

__global__ void copy(int* to, const int* from, int count) {
  const int i = threadInGrid();
  if (i < count) to[i] = from[i];
}

// Hillis and Steele in one block.
__global__ void prefixSum(int* array, int count, bool barriers) {
  const int i = static_cast<int>(threadIdx.x);
  for (int stride = 1; stride < count; stride *= 2) {
    const int before = i >= stride ? array[i - stride] : 0;
    if (barriers) __syncthreads();
    array[i] += before;
    if (barriers) __syncthreads();
  }
}

// Each item gets its neighbour's value and one more, ten times.
__global__ void rotate(int* array, int count, bool barriers) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int round = 0; round < 10; ++round) {
    const int parity = round % 2;
    for (int i = threadInGrid(); i < count / 2; i += stride) {
      const int a = (2 * i + parity) % count, b = (2 * i + parity + 1) % count;
      const int kept = array[a];
      array[a] = array[b] + 1;
      array[b] = kept + 1;
    }
    if (barriers) grid.sync();
  }
}

__global__ void countAtomically(int* results, int count) {
  const int i = threadInGrid();
  if (i >= count) return;
  atomicAdd(&results[0], 1);
  atomicMax(&results[1], i);
  atomicOr(&results[2], i);
}

__global__ void treeSum(int* arrivals, int* sums, int leaves, bool fences) {
  const int leaf = threadInGrid();
  if (leaf >= leaves) return;
  int node = leaves + leaf;
  sums[node] = leaf;
  while (node > 1) {
    if (fences) __threadfence();
    if (atomicAdd(&arrivals[node / 2], 1) == 0) return;
    if (fences) __threadfence();
    node /= 2;
    sums[node] = sums[2 * node] + sums[2 * node + 1];
  }
}

// state: blocks that are done, the sum.
__global__ void lastBlockSum(int* partial, int* state) {
  partial[threadInGrid()] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const bool last = atomicAdd(&state[0], 1) == static_cast<int>(gridDim.x) - 1;
    if (last) {
      __threadfence();
      int sum = 0;
      for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) sum += partial[i];
      state[1] = sum;
    }
  }
}

__global__ void shuffle(int* out) {
  constexpr unsigned kAll = 0xffffffffu;
  const int i = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  out[i] = __shfl_xor_sync(kAll, i, 1);
  out[threads + i] = __shfl_up_sync(kAll, i, 2);
  out[2 * threads + i] = __shfl_sync(kAll, i, i % 8 / 4 * 4, 8);
  out[3 * threads + i] = static_cast<int>(__ballot_sync(kAll, i % 4 == 0));
  out[4 * threads + i] = __all_sync(kAll, i < 32);
  __syncwarp();
}

__global__ void allWrite(int* array) { array[0] = 5; }

__global__ void plainBesideAtomic(int* results) {
  if (threadIdx.x == 20) {
    results[0] = 1;
  } else {
    atomicAdd(&results[0], 1);
  }
}

__global__ void readVariable(int* out) { *out = variableOfTheHost; }

__global__ void sine(int* array, int count) {
  const int i = threadInGrid();
  if (i < count) array[i] = static_cast<int>(100 * std::sin(static_cast<double>(array[i])));
}

// The address is kept in a volatile, or compilers leave the allocation out.
__global__ void allocate(int* out, HeapCall which) {
  void* volatile address = nullptr;
  switch (which) {
    case HeapCall::Malloc:
      address = std::malloc(16);
      std::free(address);
      break;
    case HeapCall::Calloc:
      address = std::calloc(4, 4);
      std::free(address);
      break;
    case HeapCall::Realloc:
      address = std::realloc(address, 16);
      std::free(address);
      break;
    case HeapCall::New:
      address = ::operator new(16);
      ::operator delete(address);
      break;
    case HeapCall::NewArray:
      address = ::operator new[](16);
      ::operator delete[](address);
      break;
  }
  *out = address != nullptr ? 1 : 0;
}

__global__ void halfBarrier(int* array, bool ofGrid) {
  const unsigned i = threadIdx.x;
  if (i >= blockDim.x / 2) return;
  array[i] = 1;
  if (ofGrid) {
    cooperative_groups::this_grid().sync();
  } else {
    __syncthreads();
  }
}

__global__ void countDown(int* left, int* runs, cudaGraphConditionalHandle handle) {
  ++*runs;
  if (--*left == 0) cudaGraphSetConditional(handle, 0);
}

struct Layout {
  dim3 grid, block;
  bool cooperative = false;
};
constexpr unsigned kBlock = 128;
Layout over(int count) { return {dim3((static_cast<unsigned>(count) + kBlock - 1) / kBlock), dim3(kBlock)}; }

template <class T> struct ArgumentOf { using Type = T; };

template <class... Parameters> cudaError_t launch(const char* label, cudaStream_t stream, const Layout& layout, void (*kernel)(Parameters...),
                                                  typename ArgumentOf<Parameters>::Type... arguments) {
  void* addresses[] = {&arguments...};
  nvtxRangePushA(label);
  const cudaError_t status = layout.cooperative ? cudaLaunchCooperativeKernel(kernel, layout.grid, layout.block, addresses, 0, stream)
                                                : cudaLaunchKernel(kernel, layout.grid, layout.block, addresses, 0, stream);
  nvtxRangePop();
  return status;
}

}  // namespace

cudaError_t launchPlaces(cudaStream_t stream, dim3 grid, dim3 block, int* out) {
  return launch("test/places", stream, {grid, block}, writePlaces, out);
}
cudaError_t launchFill(cudaStream_t stream, int* array, int count, int value) {
  return launch("test/fill", stream, over(count), fill, array, count, value);
}
cudaError_t launchFillBytes(cudaStream_t stream, unsigned char* array, int count) {
  return launch("test/fill_bytes", stream, over(count), fillBytes, array, count);
}
cudaError_t launchCopy(cudaStream_t stream, int* to, const int* from, int count) {
  return launch("test/copy", stream, over(count), copy, to, from, count);
}
cudaError_t launchPrefixSum(cudaStream_t stream, int* array, int count, bool barriers) {
  return launch("test/prefix_sum", stream, {dim3(1), dim3(static_cast<unsigned>(count))}, prefixSum, array, count, barriers);
}
cudaError_t launchRotations(cudaStream_t stream, int* array, int count, int blocks, bool barriers) {
  return launch("test/rotations", stream, {dim3(static_cast<unsigned>(blocks)), dim3(kBlock), true}, rotate, array, count, barriers);
}
cudaError_t launchAtomics(cudaStream_t stream, int* results, int count) {
  return launch("test/atomics", stream, over(count), countAtomically, results, count);
}
cudaError_t launchTreeSum(cudaStream_t stream, int* arrivals, int* sums, int leaves, bool fences) {
  return launch("test/tree_sum", stream, over(leaves), treeSum, arrivals, sums, leaves, fences);
}
cudaError_t launchLastBlockSum(cudaStream_t stream, int* partial, int* state, int blocks) {
  return launch("test/last_block_sum", stream, {dim3(static_cast<unsigned>(blocks)), dim3(64)}, lastBlockSum, partial, state);
}
cudaError_t launchShuffles(cudaStream_t stream, int* out) { return launch("test/shuffles", stream, {dim3(1), dim3(96)}, shuffle, out); }
cudaError_t launchAllWrite(cudaStream_t stream, int* array, int threads) {
  return launch("test/all_write", stream, {dim3(1), dim3(static_cast<unsigned>(threads))}, allWrite, array);
}
cudaError_t launchPlainBesideAtomic(cudaStream_t stream, int* results, int threads) {
  return launch("test/plain_beside_atomic", stream, {dim3(1), dim3(static_cast<unsigned>(threads))}, plainBesideAtomic, results);
}
cudaError_t launchReadVariable(cudaStream_t stream, int* out) {
  variableOfTheHost = 2;
  return launch("test/read_variable", stream, {dim3(1), dim3(1)}, readVariable, out);
}
cudaError_t launchSine(cudaStream_t stream, int* array, int count) { return launch("test/sine", stream, over(count), sine, array, count); }
cudaError_t launchAllocate(cudaStream_t stream, int* out, HeapCall which) {
  return launch("test/allocate", stream, {dim3(1), dim3(1)}, allocate, out, which);
}
cudaError_t launchHalfBarrier(cudaStream_t stream, int* array, int threads, bool ofGrid) {
  return launch("test/half_barrier", stream, {dim3(1), dim3(static_cast<unsigned>(threads)), ofGrid}, halfBarrier, array, ofGrid);
}
cudaError_t launchCountDown(cudaStream_t stream, int* left, int* runs, cudaGraphConditionalHandle handle) {
  return launch("test/count_down", stream, {dim3(1), dim3(1)}, countDown, left, runs, handle);
}

}  // namespace emulated
