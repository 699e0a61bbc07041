// Numbers of columns or bodies side by side, on a CPU: from where each has its own to one vector a number, and back.
#pragma once

#include "kernels/joints/column_packs.hpp"
#include "kernels/rows/pack.hpp"

namespace cairn::v0::beside {

#define CAIRN_INLINE __attribute__((always_inline)) inline

using V = Pack<double, kPackLanes<double>>;
using Vector = V::Vector;
constexpr int kWidth = V::kWidth;
static_assert(kPackColumns % kWidth == 0);

CAIRN_INLINE V loadAt(const double* from) {
  V out;
  std::memcpy(&out.v, from, sizeof out.v);
  return out;
}
CAIRN_INLINE void storeAt(double* to, V value) { std::memcpy(to, &value.v, sizeof value.v); }

// `count` numbers of each lane, which lie one after the other from from(lane) on, as one vector a number.
template <int count, class From> CAIRN_INLINE void gather(const From& from, V* out) {
  constexpr int whole = count / kWidth * kWidth;
  for (int first = 0; first < whole; first += kWidth) {
    Vector rows[kWidth];
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) std::memcpy(&rows[lane], from(lane) + first, sizeof(Vector));
    transpose(rows);
    for (int k = 0; k < kWidth; ++k) out[first + k].v = rows[k];
  }
  for (int k = whole; k < count; ++k) out[k] = LaneTraits<V>::fromLanes([&from, k](int lane) { return from(lane)[k]; });
}
// And back.
template <int count, class To> CAIRN_INLINE void scatter(const To& to, const V* in) {
  constexpr int whole = count / kWidth * kWidth;
  for (int first = 0; first < whole; first += kWidth) {
    Vector rows[kWidth];
    for (int k = 0; k < kWidth; ++k) rows[k] = in[first + k].v;
    transpose(rows);
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) std::memcpy(to(lane) + first, &rows[lane], sizeof(Vector));
  }
  for (int k = whole; k < count; ++k) {
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) to(lane)[k] = in[k].v[lane];
  }
}

CAIRN_INLINE V numbersOf(const int* from) {
  typedef int Whole __attribute__((vector_size(kWidth * sizeof(int))));
  Whole whole;
  std::memcpy(&whole, from, sizeof whole);
  return __builtin_convertvector(whole, Vector);
}

// Three numbers are read as four where vectors have four: there is room behind the last ones (kSystemSpare).
constexpr int kReadOfThree = kWidth == 4 ? 4 : 3;
// Three numbers that lie in arms or in the vector.
template <class From> CAIRN_INLINE Vec3<V> gatherVector(const From& from) {
  V numbers[kReadOfThree];
  gather<kReadOfThree>(from, numbers);
  return {numbers[0], numbers[1], numbers[2]};
}

// What is read of sources, row after row: the part of a row that `first` and the lanes after it have.
struct SourceReader {
  const int* next;
  int first;

  CAIRN_INLINE const int* row() {
    const int* const at = next + first;
    next += kPackColumns;
    return at;
  }
  CAIRN_INLINE int count() { return *next++; }
};

// Of bodies: numbers of T as doubles, and back.
template <class T> CAIRN_INLINE V widened(Pack<T, kWidth> of) { return V(__builtin_convertvector(of.v, Vector)); }
template <class T> CAIRN_INLINE Pack<T, kWidth> rounded(V of) {
  return Pack<T, kWidth>(__builtin_convertvector(of.v, typename Pack<T, kWidth>::Vector));
}
// xx, yy, zz, xy, xz, yz, the mass along z.
template <class T> CAIRN_INLINE Sym3<V> inertiaOf(const Pack<T, kWidth> (&numbers)[8]) {
  return {widened<T>(numbers[0]), widened<T>(numbers[1]), widened<T>(numbers[2]),
          widened<T>(numbers[3]), widened<T>(numbers[4]), widened<T>(numbers[5])};
}

}  // namespace cairn::v0::beside
