// What a kernel of the emulated device may call: its place in the grid, barriers, shuffles, atomics, bits.
#pragma once

#include <cstdint>
#include <cstring>

namespace emulated {

uint3 threadIndex();
uint3 blockIndex();
dim3 blockExtent();
dim3 gridExtent();
void blockBarrier();
void gridBarrier();
void fence();
bool inKernel();

// Waits for the threads of the warp that are in the mask. Then, until the next one: what a thread gave (0 if it is not in the mask), and who gave another
// value than 0.
void warpBarrier(unsigned mask, uint64_t value);
uint64_t warpValue(unsigned lane);
unsigned warpBallot();
unsigned laneIndex();

template <class T> uint64_t bitsOf(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are for words of 4 or 8 bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> T fromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
// `source` outside of the lane's segment of `width` lanes: its own value.
template <class T> T shuffled(unsigned mask, T value, int source, int width) {
  warpBarrier(mask, bitsOf(value));
  const int first = static_cast<int>(laneIndex()) / width * width;
  return source < first || source >= first + width ? value : fromBits<T>(warpValue(static_cast<unsigned>(source)));
}

}  // namespace emulated

#define threadIdx (::emulated::threadIndex())
#define blockIdx (::emulated::blockIndex())
#define blockDim (::emulated::blockExtent())
#define gridDim (::emulated::gridExtent())
constexpr int warpSize = 32;

inline void __syncthreads() { ::emulated::blockBarrier(); }
inline void __threadfence() { ::emulated::fence(); }
inline void __threadfence_block() { ::emulated::fence(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { ::emulated::warpBarrier(mask, 0); }

template <class T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int first = static_cast<int>(emulated::laneIndex()) / width * width;
  return emulated::shuffled(mask, value, first + lane % width, width);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return emulated::shuffled(mask, value, static_cast<int>(emulated::laneIndex()) - static_cast<int>(delta), width);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return emulated::shuffled(mask, value, static_cast<int>(emulated::laneIndex() + delta), width);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  return emulated::shuffled(mask, value, static_cast<int>(emulated::laneIndex()) ^ lanes, width);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  emulated::warpBarrier(mask, predicate != 0 ? 1 : 0);
  return emulated::warpBallot();
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }

// --- atomics: each returns the value from before ---------------------------------------------------------------

namespace emulated {

template <class T, class Change> T changeAtomically(T* address, const Change& change) {
  T seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &seen, change(seen), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}

template <class T> struct Same { using Type = T; };

}  // namespace emulated

template <class T> T atomicAdd(T* address, typename emulated::Same<T>::Type value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicSub(T* address, typename emulated::Same<T>::Type value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicAnd(T* address, typename emulated::Same<T>::Type value) { return __atomic_fetch_and(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicOr(T* address, typename emulated::Same<T>::Type value) { return __atomic_fetch_or(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicXor(T* address, typename emulated::Same<T>::Type value) { return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicExch(T* address, typename emulated::Same<T>::Type value) { return __atomic_exchange_n(address, value, __ATOMIC_RELAXED); }
template <class T> T atomicMin(T* address, typename emulated::Same<T>::Type value) {
  return emulated::changeAtomically(address, [value](T seen) { return value < seen ? value : seen; });
}
template <class T> T atomicMax(T* address, typename emulated::Same<T>::Type value) {
  return emulated::changeAtomically(address, [value](T seen) { return value > seen ? value : seen; });
}
template <class T> T atomicCAS(T* address, typename emulated::Same<T>::Type expected, typename emulated::Same<T>::Type value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

// --- bits ------------------------------------------------------------------------------------------------------

inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value)); }
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
