// Packs of CPU lanes: CAIRN_PACK_BYTES of floats or doubles, no more than a strip of either, that behave like a scalar in math.hpp and row_math.hpp,
// lane by lane with the same operations, hence the same bits as the GPU's lanes. Vector extensions of g++ and clang++, which fall back to what the
// machine has; nvcc never reads this file.
#pragma once

#include "kernels/rows/lanes.hpp"

#include <cstdint>
#include <cstring>

namespace cairn::v0 {

// Fewer tiles than this stay on one thread: waking the team costs more than it brings.
constexpr int kSerialTiles = 24;

template <class T> constexpr int kPackBytes = CAIRN_PACK_BYTES < kWidestPack* int(sizeof(T)) ? CAIRN_PACK_BYTES : kWidestPack* int(sizeof(T));
// Lanes of a pack as wide as the machine's, and of the narrowest that there is.
template <class T> constexpr int kPackLanes = kPackBytes<T> / int(sizeof(T));
template <class T> constexpr int kFewestLanes = 16 / int(sizeof(T));

template <class T, int lanes> struct PackTypes;
template <int lanes> struct PackTypes<float, lanes> {
  typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
  typedef int32_t Mask __attribute__((vector_size(lanes * sizeof(float))));
};
template <int lanes> struct PackTypes<double, lanes> {
  typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
  typedef int64_t Mask __attribute__((vector_size(lanes * sizeof(double))));
};

template <class T, int lanes> struct PackMask {
  typename PackTypes<T, lanes>::Mask m;
  friend PackMask operator&(PackMask a, PackMask b) { return {a.m & b.m}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {a.m | b.m}; }
  friend PackMask operator!(PackMask a) { return {~a.m}; }
  friend bool allOf(PackMask a) {
    int64_t words[sizeof a.m / sizeof(int64_t)], all = -1;
    std::memcpy(words, &a.m, sizeof words);
    for (const int64_t word : words) all &= word;
    return all == -1;
  }
};

template <class T, int lanes = kPackLanes<T>> struct Pack {
  using Vector = typename PackTypes<T, lanes>::Vector;
  using Mask = PackMask<T, lanes>;
  static constexpr int kWidth = lanes;

  Vector v;

  Pack() = default;
  Pack(Vector vector) : v(vector) {}
  explicit Pack(T value) : v(value - Vector{}) {}  // value - 0 in each lane

  friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  friend Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
  friend Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
  friend Pack operator-(Pack a) { return {-a.v}; }
  Pack& operator+=(Pack b) { return *this = *this + b; }
  Pack& operator-=(Pack b) { return *this = *this - b; }
  friend Mask operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend Mask operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend Mask operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend Mask operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend Pack select(Mask c, Pack a, Pack b) { return {c.m ? a.v : b.v}; }
  friend Pack powerToUnit(Pack a) {
    Pack out;
    for (int k = 0; k < kWidth; ++k) out.v[k] = powerToUnit(a.v[k]);
    return out;
  }
  friend Pack squareRoot(Pack a) {
    Pack out;
    for (int k = 0; k < kWidth; ++k) out.v[k] = squareRoot(a.v[k]);
    return out;
  }
};

template <class T, int lanes> inline Vec3<Pack<T, lanes>> select(PackMask<T, lanes> c, Vec3<Pack<T, lanes>> a, Vec3<Pack<T, lanes>> b) {
  return {select(c, a.x, b.x), select(c, a.y, b.y), select(c, a.z, b.z)};
}

template <class V, class T> inline Vec3<V> inAllLanes(Vec3<T> v) { return {V(v.x), V(v.y), V(v.z)}; }

template <class T, int lanes> inline Quat<Pack<T, lanes>> rotationOf(Vec3<Pack<T, lanes>> s) {
  Quat<Pack<T, lanes>> q = rotationBySeries(s);
  const Pack<T, lanes> angle2 = dot(s, s);
  if (allOf(angle2 <= Pack<T, lanes>(T(1)))) return q;
  for (int k = 0; k < lanes; ++k) {
    if (angle2.v[k] <= T(1)) continue;
    const Quat<T> exact = quatFromRotationVector(Vec3<T>{s.x.v[k], s.y.v[k], s.z.v[k]});
    q.x.v[k] = exact.x;
    q.y.v[k] = exact.y;
    q.z.v[k] = exact.z;
    q.w.v[k] = exact.w;
  }
  return q;
}

template <class T, int lanes> inline bool anyLane(Pack<T, lanes> value) {
  for (int k = 0; k < lanes; ++k) {
    if (value.v[k] > T(0)) return true;
  }
  return false;
}

// Numbers of a and then b by their places k. Only newer compilers have clang's name for it.
template <int... k, class Vector> inline Vector shuffled(Vector a, Vector b) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, k...);
#else
  using Places = decltype(a < b);
  return __builtin_shuffle(a, b, Places{k...});
#endif
}

// Rows to columns, in registers.
template <class Vector> inline void transpose(Vector (&r)[8]) {
  Vector a[8], b[8];
  for (int k = 0; k < 4; ++k) {
    a[2 * k] = shuffled<0, 8, 1, 9, 4, 12, 5, 13>(r[2 * k], r[2 * k + 1]);
    a[2 * k + 1] = shuffled<2, 10, 3, 11, 6, 14, 7, 15>(r[2 * k], r[2 * k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    b[4 * k] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a[4 * k], a[4 * k + 2]);
    b[4 * k + 1] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a[4 * k], a[4 * k + 2]);
    b[4 * k + 2] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a[4 * k + 1], a[4 * k + 3]);
    b[4 * k + 3] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a[4 * k + 1], a[4 * k + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    r[k] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(b[k], b[k + 4]);
    r[k + 4] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(b[k], b[k + 4]);
  }
}

template <class Vector> inline void transpose(Vector (&r)[4]) {
  const auto a0 = shuffled<0, 4, 2, 6>(r[0], r[1]), a1 = shuffled<1, 5, 3, 7>(r[0], r[1]);
  const auto a2 = shuffled<0, 4, 2, 6>(r[2], r[3]), a3 = shuffled<1, 5, 3, 7>(r[2], r[3]);
  r[0] = shuffled<0, 1, 4, 5>(a0, a2);
  r[1] = shuffled<0, 1, 4, 5>(a1, a3);
  r[2] = shuffled<2, 3, 6, 7>(a0, a2);
  r[3] = shuffled<2, 3, 6, 7>(a1, a3);
}

template <class Vector> inline void transpose(Vector (&r)[2]) {
  const Vector first = r[0];
  r[0] = shuffled<0, 2>(first, r[1]);
  r[1] = shuffled<1, 3>(first, r[1]);
}

// Sixteen numbers are two rows: those of the lower halves become the lower halves of the columns.
template <class Vector> inline void transposeHalves(Vector (&r)[8]) {
  Vector a[8], b[8];
  for (int k = 0; k < 4; ++k) {
    a[2 * k] = shuffled<0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29>(r[2 * k], r[2 * k + 1]);
    a[2 * k + 1] = shuffled<2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31>(r[2 * k], r[2 * k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    b[4 * k] = shuffled<0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29>(a[4 * k], a[4 * k + 2]);
    b[4 * k + 1] = shuffled<2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31>(a[4 * k], a[4 * k + 2]);
    b[4 * k + 2] = shuffled<0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29>(a[4 * k + 1], a[4 * k + 3]);
    b[4 * k + 3] = shuffled<2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31>(a[4 * k + 1], a[4 * k + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    r[k] = shuffled<0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27>(b[k], b[k + 4]);
    r[k + 4] = shuffled<4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31>(b[k], b[k + 4]);
  }
}

// The eight numbers of a record for each lane, between records in memory and one vector a number. `record`: where that of a lane begins, null:
// nowhere.
template <class T, int kWidth> struct RecordLanes {
  using Vector = typename Pack<T, kWidth>::Vector;
  static constexpr int kParts = 8 / kWidth;  // vectors to a record

  template <class Record> static void load(const Record& record, Pack<T, kWidth> (&out)[8]) {
    Vector rows[kParts][kWidth];
#pragma GCC unroll 8
    for (int lane = 0; lane < kWidth; ++lane) {
      for (int part = 0; part < kParts; ++part) std::memcpy(&rows[part][lane], record(lane) + part * kWidth, sizeof(Vector));
    }
    for (int part = 0; part < kParts; ++part) {
      transpose(rows[part]);
      for (int k = 0; k < kWidth; ++k) out[part * kWidth + k].v = rows[part][k];
    }
  }
  template <class Record> static void store(const Record& record, const Pack<T, kWidth> (&in)[8]) {
    Vector rows[kParts][kWidth];
    for (int part = 0; part < kParts; ++part) {
      for (int k = 0; k < kWidth; ++k) rows[part][k] = in[part * kWidth + k].v;
      transpose(rows[part]);
    }
    for (int lane = 0; lane < kWidth; ++lane) {
      T* const to = record(lane);
      for (int part = 0; to != nullptr && part < kParts; ++part) std::memcpy(to + part * kWidth, &rows[part][lane], sizeof(Vector));
    }
  }
};

// A vector holds two records: those of lanes k and k + 8.
template <class T> struct RecordLanes<T, 16> {
  using Vector = typename Pack<T, 16>::Vector;
  typedef T Half __attribute__((vector_size(8 * sizeof(T))));

  template <class Record> static void load(const Record& record, Pack<T, 16> (&out)[8]) {
    Vector rows[8];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      Half lower, upper;
      std::memcpy(&lower, record(k), sizeof lower);
      std::memcpy(&upper, record(k + 8), sizeof upper);
      rows[k] = __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    transposeHalves(rows);
    for (int k = 0; k < 8; ++k) out[k].v = rows[k];
  }
  template <class Record> static void store(const Record& record, const Pack<T, 16> (&in)[8]) {
    Vector rows[8];
    for (int k = 0; k < 8; ++k) rows[k] = in[k].v;
    transposeHalves(rows);
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const Half lower = __builtin_shufflevector(rows[k], rows[k], 0, 1, 2, 3, 4, 5, 6, 7);
      const Half upper = __builtin_shufflevector(rows[k], rows[k], 8, 9, 10, 11, 12, 13, 14, 15);
      if (T* const to = record(k)) std::memcpy(to, &lower, sizeof lower);
      if (T* const to = record(k + 8)) std::memcpy(to, &upper, sizeof upper);
    }
  }
};

template <class T, int lanes> struct LaneTraits<Pack<T, lanes>> {
  using Scalar = T;
  static constexpr int kWidth = lanes;
  static constexpr int kStrip = kStripOnCpu;
  using Slots = const int*;

  static Pack<T, lanes> load(const T* from) {
    Pack<T, lanes> out;
    std::memcpy(&out.v, from, sizeof out.v);
    return out;
  }
  static void store(T* to, Pack<T, lanes> value) { std::memcpy(to, &value.v, sizeof value.v); }

  static void gather(const T* records, const int* bodies, Pack<T, lanes> (&out)[8]) {
    RecordLanes<T, kWidth>::load([=](int lane) { return records + 8 * static_cast<int64_t>(slotOf(bodies[lane])); }, out);
  }
  static void scatter(T* records, const int* bodies, const Pack<T, lanes> (&in)[8]) {
    RecordLanes<T, kWidth>::store([=](int lane) { return bodies[lane] < 0 ? nullptr : records + 8 * static_cast<int64_t>(bodies[lane]); }, in);
  }
  static void gatherOne(const T* values, const int* bodies, Pack<T, lanes>& out) {
    for (int lane = 0; lane < kWidth; ++lane) out.v[lane] = values[slotOf(bodies[lane])];
  }
  static void loadRecords(const T* first, Pack<T, lanes> (&out)[8]) {
    RecordLanes<T, kWidth>::load([=](int lane) { return first + 8 * lane; }, out);
  }
  static void storeRecords(T* first, const Pack<T, lanes> (&in)[8]) {
    RecordLanes<T, kWidth>::store([=](int lane) { return first + 8 * lane; }, in);
  }
  template <class First> static void eightOf(const First& first, Pack<T, lanes> (&out)[8]) { RecordLanes<T, kWidth>::load(first, out); }
  template <class Number> static Pack<T, lanes> fromLanes(const Number& number) {
    Pack<T, lanes> out;
    for (int lane = 0; lane < kWidth; ++lane) out.v[lane] = number(lane);
    return out;
  }
};

}  // namespace cairn::v0
