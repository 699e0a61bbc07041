// Tiles of contact rows on the CPU: packs of lanes one after the other, the next one's memory on its way. Read by *_cpu.cpp files alone.
#pragma once

#include "kernels/rows/pack.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/solve/contact_sweep.hpp"

namespace cairn {

// From this many tiles on the bodies are more than the first-level caches hold.
constexpr int kPrefetchTiles = 64;

// Fetches the body records of a later pack while this one computes: in scenes beyond the second-level cache they are what a sweep waits for.
template <class T, class Operation> inline void prefetchBodies(const ColouredLane<T, Operation>& body, int slot) {
  for (int lane = 0; lane < Pack<T>::kWidth; ++lane) {
    for (const int* bodies : {body.rows.bodyA, body.rows.bodyB}) {
      const int64_t record = 8 * static_cast<int64_t>(slotOf(bodies[slot + lane]));
      __builtin_prefetch(body.velocities + record);
      __builtin_prefetch(body.inertias + record);
    }
  }
}
// The start of a later strip: from there the hardware follows by itself.
template <class T> inline void prefetchRows(const RowView<T>& rows, int slot) {
  constexpr int kLines = 12, kLineScalars = 64 / sizeof(T);
  const T* fields = laneFields(rows, slot, kStripOnCpu);
  for (int line = 0; line < kLines; ++line) __builtin_prefetch(fields + line * kLineScalars);
}

// Passes over rows read what lies beside them.
template <class Body> inline void prefetchBodies(const Body&, int) {}

template <class T, class Body> inline void runTile(const RowView<T>& rows, const Body& body, int tile) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int lanes = rows.tileLanes[tile];
  for (int lane = 0; lane < lanes; lane += kWidth) {
    const int slot = tile * kTileLanes + lane;
    // The next pack, in this tile or at the start of the next one.
    const int next = lane + kWidth < lanes ? slot + kWidth : (tile + 1) * kTileLanes;
    if (rows.tileCount >= kPrefetchTiles && next < rows.tileCount * kTileLanes) {
      prefetchRows(rows, next);
      prefetchBodies(body, next);
    }
    body.template at<Pack<T>>(slot);
  }
}

template <class T, class Body> void runTiles(const TeamLoop& team, const RowView<T>& rows, const Body& body, int begin, int end) {
  const auto run = [&](int64_t from, int64_t to) {
    for (int tile = begin + static_cast<int>(from); tile < begin + to; ++tile) runTile(rows, body, tile);
  };
  if (end - begin < kSerialTiles) return run(0, end - begin);
  team.run(end - begin, run);
}

}  // namespace cairn
