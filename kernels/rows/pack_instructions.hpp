// What packs ask of a machine that vector extensions have no words for: which lanes of a comparison hold, and of doubles, words from several places.
// With the instructions that a level has, and without. For *_cpu.cpp files.
#pragma once

#include "kernels/rows/pack.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace cairn::v0 {

using Several = Pack<double>;
constexpr int kSeveral = Several::kWidth;
// A whole number a lane.
typedef int32_t Wholes __attribute__((vector_size(sizeof(int32_t) * kSeveral)));

// One bit a lane, the first the lowest.
#if defined(__AVX512DQ__) && CAIRN_PACK_BYTES == 64
inline unsigned bitsOf(Several::Mask mask) {
  typedef long long Words __attribute__((vector_size(64)));
  return __builtin_ia32_cvtq2mask512(reinterpret_cast<Words>(mask.m));
}
inline unsigned bitsOf(Pack<float>::Mask mask) { return __builtin_ia32_cvtd2mask512(mask.m); }
#elif defined(__AVX__) && CAIRN_PACK_BYTES == 32
inline unsigned bitsOf(Several::Mask mask) { return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask.m))); }
inline unsigned bitsOf(Pack<float>::Mask mask) { return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask.m))); }
#elif defined(__SSE2__) && CAIRN_PACK_BYTES == 16
inline unsigned bitsOf(Several::Mask mask) { return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(mask.m))); }
inline unsigned bitsOf(Pack<float>::Mask mask) { return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask.m))); }
#else
template <class Mask> inline unsigned bitsOf(Mask mask) {
  constexpr int kLanes = sizeof(mask.m) / sizeof(mask.m[0]);
  typedef int8_t Bytes __attribute__((vector_size(kLanes)));
  const Bytes bytes = __builtin_convertvector(mask.m, Bytes);
  uint64_t words[(kLanes + 7) / 8] = {};
  std::memcpy(words, &bytes, sizeof bytes);
  unsigned bits = 0;
  // Bit k of byte k of a word, and then all its bytes added up in the last.
  for (int k = 0; k < kLanes; k += 8) bits |= static_cast<unsigned>((words[k / 8] & 0x8040201008040201u) * 0x0101010101010101u >> 56) << k;
  return bits;
}
#endif

// The words of four bytes that lie `bytes` times a lane's number behind an address.
template <int bytes> inline Wholes wordsAt(const void* from, Wholes numbers) {
#if defined(__AVX2__) && CAIRN_PACK_BYTES == 64
  return (Wholes)_mm256_i32gather_epi32(static_cast<const int*>(from), (__m256i)numbers, bytes);
#elif defined(__AVX2__) && CAIRN_PACK_BYTES == 32
  return (Wholes)_mm_i32gather_epi32(static_cast<const int*>(from), (__m128i)numbers, bytes);
#else
  int32_t words[kSeveral];
  for (int k = 0; k < kSeveral; ++k) std::memcpy(&words[k], static_cast<const char*>(from) + int64_t(bytes) * numbers[k], sizeof words[k]);
  Wholes out;
  std::memcpy(&out, words, sizeof out);
  return out;
#endif
}

}  // namespace cairn::v0
