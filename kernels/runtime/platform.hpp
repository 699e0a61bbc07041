// Which compiler reads this file, and whether it may launch on CUDA. One of the few files that may ask (scripts/check-platform counts).
#pragma once

#include <cairn/math.hpp>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#define CAIRN_WITH_CUDA 1
#define CAIRN_FLATTEN
#else
#define CAIRN_WITH_CUDA 0
#define CAIRN_FLATTEN __attribute__((flatten))
#endif

// CAIRN_FLATTEN: all that a function calls becomes a part of it. Packs stay in registers so, which at a call go through memory.

// A function for processors with AVX2, and all that it calls and that can be a part of it. Vectors stay as they are compiled for every processor:
// code with packs has files of its own (cpu_passes.hpp).
#if defined(__x86_64__)
#define CAIRN_FOR_AVX2 __attribute__((target("avx2"), flatten))
#else
#define CAIRN_FOR_AVX2
#endif

#include <atomic>

namespace cairn::v0 {

// Atomics whose outcome does not depend on the order of the callers (or is sorted out afterwards). No floating-point sums.
// Each returns the value from before.
CAIRN_HD inline int atomicAddInt(int* address, int value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(address, value);
#else
  return __atomic_fetch_add(address, value, __ATOMIC_ACQ_REL);
#endif
}

CAIRN_HD inline void atomicMaxInt(int* address, int value) {
#if defined(__CUDA_ARCH__)
  atomicMax(address, value);
#else
  int seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen < value && !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
#endif
}

CAIRN_HD inline void atomicMaxUint64(uint64_t* address, uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
#else
  uint64_t seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen < value && !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
#endif
}

CAIRN_HD inline void atomicMinInt(int* address, int value) {
#if defined(__CUDA_ARCH__)
  atomicMin(address, value);
#else
  int seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen > value && !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
#endif
}

CAIRN_HD inline void atomicOrInt(int* address, int value) {
#if defined(__CUDA_ARCH__)
  atomicOr(address, value);
#else
  // Many say the same, and a look is cheaper than an exchange.
  if ((__atomic_load_n(address, __ATOMIC_ACQUIRE) & value) == value) return;
  __atomic_fetch_or(address, value, __ATOMIC_ACQ_REL);
#endif
}

// Puts `value` there if it is `expected`. Returns what was there before.
CAIRN_HD inline int atomicCasInt(int* address, int expected, int value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(address, expected, value);
#else
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  return expected;
#endif
}
// What lies where others write by atomics, or what lay there a while ago: never what this thread has read before.
CAIRN_HD inline int loadRelaxed(const int* address) {
#if defined(__CUDA_ARCH__)
  return *const_cast<const volatile int*>(address);
#else
  return __atomic_load_n(address, __ATOMIC_RELAXED);
#endif
}

// Orders this thread's earlier writes before its later atomics, for values that other threads read after seeing the atomic.
CAIRN_HD inline void memoryFence() {
#if defined(__CUDA_ARCH__) && defined(__NVCC__)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");  // __threadfence() is one order of all fences of all threads besides
#elif defined(__CUDA_ARCH__)
  __threadfence();
#else
  std::atomic_thread_fence(std::memory_order_acq_rel);
#endif
}

CAIRN_HD inline int countLeadingZeros(uint64_t value) {  // 64 for 0
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(value));
#else
  return value == 0 ? 64 : __builtin_clzll(value);
#endif
}

CAIRN_HD inline int lowestSetBit(uint64_t value) {  // 64 for 0
#if defined(__CUDA_ARCH__)
  return value == 0 ? 64 : __ffsll(static_cast<long long>(value)) - 1;
#else
  return value == 0 ? 64 : __builtin_ctzll(value);
#endif
}

// The 32 threads of a device's warp, where all of them come to the same call.
struct Warp {
#if defined(__CUDA_ARCH__)
  CAIRN_HD static int lane() { return static_cast<int>(threadIdx.x) % warpSize; }
  // Bit k: whether it holds for the lane k.
  CAIRN_HD static unsigned where(bool holds) { return __ballot_sync(0xffffffffu, holds ? 1 : 0); }
  CAIRN_HD static double of(int lane, double value) { return __shfl_sync(0xffffffffu, value, lane); }
  CAIRN_HD static int of(int lane, int value) { return __shfl_sync(0xffffffffu, value, lane); }
  // Of all lanes' values, for each of them.
  CAIRN_HD static int lowest(int value) {
    for (int apart = warpSize / 2; apart > 0; apart /= 2) {
      const int other = __shfl_xor_sync(0xffffffffu, value, apart);
      value = other < value ? other : value;
    }
    return value;
  }
  CAIRN_HD static int sum(int value) {
    for (int apart = warpSize / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffffu, value, apart);
    return value;
  }
  // Of so many neighbours' values that of one, where all of these come to the same call.
  template <int count, class V> CAIRN_HD static V ofNeighbour(int rank, V value) {
    return __shfl_sync(((1u << count) - 1) << threadIdx.x % warpSize / count * count, value, rank, count);
  }
#else
  // Nobody calls these.
  CAIRN_HD static int lane() { return 0; }
  CAIRN_HD static unsigned where(bool holds) { return holds ? 1u : 0u; }
  CAIRN_HD static double of(int, double value) { return value; }
  CAIRN_HD static int of(int, int value) { return value; }
  CAIRN_HD static int lowest(int value) { return value; }
  CAIRN_HD static int sum(int value) { return value; }
  template <int, class V> CAIRN_HD static V ofNeighbour(int, V value) { return value; }
#endif
};

// Each `count` neighbouring threads of a warp, of which those that have nothing to do may be elsewhere.
template <int count> struct NeighboursInWarp {
  static_assert(count < 32, "fewer than a warp");
  CAIRN_HD static int rank() { return Warp::lane() % count; }
  template <class V> CAIRN_HD static V of(int rank, V value) { return Warp::ofNeighbour<count>(rank, value); }
};

}  // namespace cairn::v0
