// The sweeps on the CPU: packs of lanes within a tile, tiles of a colour over the threads, colours in sequence.
//
// One parallel region holds all colours and sweeps; its barriers are what a colour costs beyond its work. Below kSerialTiles tiles waking
// the team costs more than it brings.
#include "pack.hpp"
#include "solve.hpp"

namespace cairn {
namespace {

constexpr int kSerialTiles = 24;
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

template <class T, class Body> void runTiles(int threads, const RowView<T>& rows, const Body& body, int begin, int end) {
  if (threads <= 1 || end - begin < kSerialTiles) {
    for (int tile = begin; tile < end; ++tile) runTile(rows, body, tile);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int tile = begin; tile < end; ++tile) runTile(rows, body, tile);
}

}  // namespace

template <class T, class Operation> void sweepColoursOnCpu(int threads, const RowView<T>& rows, int sweeps, const ColouredLane<T, Operation>& body) {
  const int* tiles = rows.hostColourTiles;
  if (threads <= 1 || tiles[rows.colourCount] < kSerialTiles) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int tile = 0; tile < tiles[rows.colourCount]; ++tile) runTile(rows, body, tile);
    }
    return;
  }
#pragma omp parallel num_threads(threads)
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int colour = 0; colour < rows.colourCount; ++colour) {
#pragma omp for schedule(static)
      for (int tile = tiles[colour]; tile < tiles[colour + 1]; ++tile) runTile(rows, body, tile);
    }
  }
}

template <class T, class Operation> void sweepTailOnCpu(int threads, const RowView<T>& rows, const TailLane<T, Operation>& body) {
  runTiles(threads, rows, body, rows.tileCount - rows.tailTiles, rows.tileCount);
}

template <class T, class Body> void overRowsOnCpu(int threads, const RowView<T>& rows, const Body& body) {
  runTiles(threads, rows, body, 0, rows.tileCount);
}

#define CAIRN_INSTANTIATE(T, Operation)                                                               \
  template void sweepColoursOnCpu(int, const RowView<T>&, int, const ColouredLane<T, Operation<T>>&); \
  template void sweepTailOnCpu(int, const RowView<T>&, const TailLane<T, Operation<T>>&);
#define CAIRN_INSTANTIATE_ALL(T)      \
  CAIRN_INSTANTIATE(T, SolveBlock)    \
  CAIRN_INSTANTIATE(T, BeginBlock)    \
  CAIRN_INSTANTIATE(T, ImpactBlock)   \
  CAIRN_INSTANTIATE(T, PositionBlock) \
  CAIRN_INSTANTIATE(T, FollowDirection)
CAIRN_INSTANTIATE_ALL(float)
CAIRN_INSTANTIATE_ALL(double)
#undef CAIRN_INSTANTIATE_ALL
#undef CAIRN_INSTANTIATE

#define CAIRN_INSTANTIATE_ROWS(T, Body) template void overRowsOnCpu(int, const RowView<T>&, const Body<T>&);
#define CAIRN_INSTANTIATE_ALL(T)             \
  CAIRN_INSTANTIATE_ROWS(T, UpdateBias)      \
  CAIRN_INSTANTIATE_ROWS(T, UpdateSilcowitz) \
  CAIRN_INSTANTIATE_ROWS(T, RollArms)        \
  CAIRN_INSTANTIATE_ROWS(T, UpdateSlip)      \
  CAIRN_INSTANTIATE_ROWS(T, MeasureGaps)     \
  CAIRN_INSTANTIATE_ROWS(T, BeginConjugate)  \
  CAIRN_INSTANTIATE_ROWS(T, GradientNorm)
CAIRN_INSTANTIATE_ALL(float)
CAIRN_INSTANTIATE_ALL(double)
#undef CAIRN_INSTANTIATE_ALL
#undef CAIRN_INSTANTIATE_ROWS

}  // namespace cairn
