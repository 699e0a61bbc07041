// Lanes: one body of a sweep serves a GPU thread (V = float or double, one lane) and a CPU core (V = Pack<T>, kernels/pack.hpp, several lanes).
// What differs is how lanes meet memory: this file has the scalar side.
//
// Rows are stored in tiles of kTileLanes lanes, a tile in strips, a strip field by field: field f of lane l of a strip of s lanes lies at
// strip + f * s + l. On CUDA a tile is one strip: a warp reads a field in one 128-byte access. On the CPU a strip is what a pack of floats holds,
// so that a pack reads memory from end to end: with wider strips it skips every other cache line, which the hardware's prefetcher does not follow.
#pragma once

#include <cairn/math.hpp>

#include "views.hpp"

namespace cairn {

constexpr int kTileLanes = 32;
constexpr int kWidestPack = 8;  // lanes of the widest CPU pack (kernels/pack.hpp)
constexpr int kStripOnCuda = kTileLanes, kStripOnCpu = kWidestPack;

// Body slots of the lanes. Negative, ~slot: the body is read but never written (static, kinematic, or an empty lane).
CAIRN_HD inline int slotOf(int encoded) { return encoded < 0 ? ~encoded : encoded; }

template <class V> struct LaneTraits;

template <class T> struct ScalarLane {
  using Scalar = T;
  static constexpr int kWidth = 1;
  static constexpr int kStrip = kStripOnCuda;  // of the rows that these lanes read

  CAIRN_HD static T load(const T* from) { return *from; }
  CAIRN_HD static void store(T* to, T value) { *to = value; }

  // The eight scalars of one record for each lane's body.
  CAIRN_HD static void gather(const T* records, const int* bodies, T out[8]) {
    const T* record = records + 8 * static_cast<int64_t>(slotOf(*bodies));
    for (int k = 0; k < 8; ++k) out[k] = record[k];
  }
  // Writes them back where the lane's body may be written.
  CAIRN_HD static void scatter(T* records, const int* bodies, const T in[8]) {
    if (*bodies < 0) return;
    T* record = records + 8 * static_cast<int64_t>(*bodies);
    for (int k = 0; k < 8; ++k) record[k] = in[k];
  }
  CAIRN_HD static void gatherOne(const T* values, const int* bodies, T& out) { out = values[slotOf(*bodies)]; }
};

template <> struct LaneTraits<float> : ScalarLane<float> {};
template <> struct LaneTraits<double> : ScalarLane<double> {};

}  // namespace cairn
