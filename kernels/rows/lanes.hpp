// Lanes: one body of a sweep serves a GPU thread (V = float or double, one lane) and a CPU core (V = Pack<T>, kernels/rows/pack.hpp, several lanes).
// Only loads and stores differ between the two: this file has the scalar side.
//
// Rows are stored in tiles of kTileLanes lanes, a tile in strips, a strip field by field: field f of lane l of a strip of s lanes lies at
// strip + f * s + l. On CUDA a tile is one strip: a warp reads a field in one 128-byte access. On the CPU a strip is what a pack of floats holds,
// so that a pack reads memory from end to end: with wider strips it skips every other cache line, which the hardware's prefetcher does not follow.
#pragma once

#include <cairn/math.hpp>

#include "kernels/state/views.hpp"

namespace cairn::v0 {

constexpr int kTileLanes = 32;
constexpr int kWidestPack = 16;  // lanes of the widest CPU pack (kernels/rows/pack.hpp)
constexpr int kStripOnCuda = kTileLanes, kStripOnCpu = kWidestPack;

// Body slots of the lanes. Negative, ~slot: the body is read but never written (static, kinematic, or an empty lane).
CAIRN_HD inline int slotOf(int encoded) { return encoded < 0 ? ~encoded : encoded; }

template <class V> struct LaneTraits;

// Record `index` of 8 scalars each. They are aligned to their size (kernels/state/views.hpp), which the compiler of a device has to hear: it then
// moves 16 bytes at a time, and a store is a whole sector instead of eight parts of one.
template <class T> CAIRN_HD inline T* recordAt(T* records, int64_t index) {
  return static_cast<T*>(__builtin_assume_aligned(records + 8 * index, 8 * sizeof(T)));
}

template <class T> struct ScalarLane {
  using Scalar = T;
  static constexpr int kWidth = 1;
  static constexpr int kStrip = kStripOnCuda;  // of the rows that these lanes read

  // The body slots of the lanes, from the first lane's on: a single one is read once, when a lane begins.
  struct Slots {
    int body;
    Slots() = default;
    CAIRN_HD Slots(const int* bodies) : body(*bodies) {}
    CAIRN_HD operator const int*() const { return &body; }
  };

  CAIRN_HD static T load(const T* from) { return *from; }
  CAIRN_HD static void store(T* to, T value) { *to = value; }

  // False for an empty lane: a constraint has a body that it may write.
  CAIRN_HD static bool areThere(Slots a, Slots b) { return a.body >= 0 || b.body >= 0; }

  // The eight scalars of one record for each lane's body.
  CAIRN_HD static void gather(const T* records, const int* bodies, T out[8]) {
    const T* record = recordAt(records, slotOf(*bodies));
    for (int k = 0; k < 8; ++k) out[k] = record[k];
  }
  // Writes them back where the lane's body may be written.
  CAIRN_HD static void scatter(T* records, const int* bodies, const T in[8]) {
    if (*bodies < 0) return;
    T* record = recordAt(records, *bodies);
    for (int k = 0; k < 8; ++k) record[k] = in[k];
  }
  CAIRN_HD static void gatherOne(const T* values, const int* bodies, T& out) { out = values[slotOf(*bodies)]; }

  // The same for records side by side, from the first lane's on.
  CAIRN_HD static void loadRecords(const T* first, T out[8]) {
    const T* record = recordAt(first, 0);
    for (int k = 0; k < 8; ++k) out[k] = record[k];
  }
  CAIRN_HD static void storeRecords(T* first, const T in[8]) {
    T* record = recordAt(first, 0);
    for (int k = 0; k < 8; ++k) record[k] = in[k];
  }
  // Eight scalars of each lane that lie side by side, from first(lane) on.
  template <class First> CAIRN_HD static void eightOf(const First& first, T out[8]) {
    const T* const from = first(0);
    for (int k = 0; k < 8; ++k) out[k] = from[k];
  }
  // number(lane) in each lane.
  template <class Number> CAIRN_HD static T fromLanes(const Number& number) { return number(0); }
};

// True if some lane holds more than zero.
CAIRN_HD inline bool anyLane(float value) { return value > 0; }
CAIRN_HD inline bool anyLane(double value) { return value > 0; }

// The rotation by the vector s: by its series up to a radian, which a pack does for all its lanes at once, beyond it by quatFromRotationVector.
template <class V> CAIRN_HD inline Quat<V> rotationBySeries(Vec3<V> s) {
  using T = typename LaneTraits<V>::Scalar;
  const auto over = [](double divisor) { return V(T(1 / divisor)); };
  const V q2 = V(0.25f) * dot(s, s);
  // sin(|s|/2)/|s| and cos(|s|/2): of the denominators each is a factorial, the former's twice that.
  const V f = over(2) - q2 * (over(12) - q2 * (over(240) - q2 * (over(10080) - q2 * (over(725760) - q2 * over(79833600)))));
  const V c = V(1) - q2 * (over(2) - q2 * (over(24) - q2 * (over(720) - q2 * (over(40320) - q2 * (over(3628800) - q2 * over(479001600))))));
  return {f * s.x, f * s.y, f * s.z, c};
}
CAIRN_HD inline Quat<float> rotationOf(Vec3<float> s) { return dot(s, s) <= 1.0f ? rotationBySeries(s) : quatFromRotationVector(s); }
CAIRN_HD inline Quat<double> rotationOf(Vec3<double> s) { return dot(s, s) <= 1.0 ? rotationBySeries(s) : quatFromRotationVector(s); }

template <> struct LaneTraits<float> : ScalarLane<float> {};
template <> struct LaneTraits<double> : ScalarLane<double> {};

}  // namespace cairn::v0
