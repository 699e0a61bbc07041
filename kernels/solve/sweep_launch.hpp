// sweepColours: colours strictly in sequence, the items of a colour in any order. The CUDA side; the CPU's is sweeps_cpu.cpp.
//
// On CUDA one persistent cooperative kernel walks all colours of all sweeps with a grid barrier between colours (colour_walk.hpp): at 12 colours and
// 20 sweeps separate launches would cost half a millisecond. Devices without cooperative launch get one launch a colour.
#pragma once

#include "kernels/solve/colour_walk.hpp"

namespace cairn::v0 {

// A pass over bodies that a sweep takes along, before it begins: pass(i) for 0 <= i < pass.count. This one is none.
struct NoPass {
  static constexpr int count = 0;
  CAIRN_HD void operator()(int) const {}
};

#if CAIRN_WITH_CUDA

// Resident blocks a multiprocessor that registers are kept few for.
template <class T> constexpr int kSweepBlocksWanted = sizeof(T) == sizeof(float) ? kSweepBlocksInFloat : kSweepBlocksInDouble;

template <class T, class Body, class JointBody, class Pass> __global__ void __launch_bounds__(kSweepBlockSize, kSweepBlocksWanted<T>)
    sweepAllKernel(RowView<T> rows, Body body, JointView<T> joints, JointBody jointBody, SweepRange sweeps, Pass pass) {
  const SweepThreads all = SweepThreads::ofGrid();
  for (int i = all.thread; i < pass.count; i += all.count) pass(i);
  const int colours = rows.tileCount > 0 ? rows.counts->colourCount : joints.counts->colourCount;
  walkColours(colours, rows, body, joints, jointBody, sweeps, pass.count > 0 ? Before::Pass : Before::Nothing);
}

// The tiles of one colour. A planned step does not know how many colours there are: those beyond are empty.
template <class Body> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepColourKernel(Body body, const int* items, TileView tiles, int colour, int sweep, int sweeps) {
  if (colour >= tiles.counts->colourCount) return;
  sweepTiles(body, items, SweepThreads::ofGrid(), {tiles.colourTiles[colour], tiles.colourTiles[colour + 1]}, {sweep, 1, sweeps});
}

template <class Body> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepOverflowKernel(Body body, const int* items, TileView tiles, int sweep, int sweeps) {
  sweepTiles(body, items, SweepThreads::ofGrid(), {tiles.counts->firstOverflowTile, tiles.counts->tileCount}, {sweep, 1, sweeps});
}

inline int64_t sweepBlocks(int tiles) {
  const int64_t lanes = static_cast<int64_t>(tiles > 0 ? tiles : 1) * kTileLanes;
  return (lanes + kSweepBlockSize - 1) / kSweepBlockSize;
}

template <class Body>
void sweepColourOnCuda(Queue& queue, const Body& body, const int* items, const TileView& tiles, int colour, int sweep, int sweeps) {
  if (tiles.tileCount == 0) return;
  launchOnCuda(queue, {sweepBlocks(tiles.widestColour), kSweepBlockSize}, sweepColourKernel<Body>, body, items, tiles, colour, sweep, sweeps);
}

inline void sweepColourOnCuda(Queue&, NoRows, const int*, const TileView&, int, int, int) {}

template <class Body> void sweepOverflowOnCuda(Queue& queue, const Body& body, const int* items, const TileView& tiles, int sweep, int sweeps) {
  if (tiles.overflowTiles == 0) return;
  launchOnCuda(queue, {sweepBlocks(tiles.overflowTiles), kSweepBlockSize}, sweepOverflowKernel<Body>, body, items, tiles, sweep, sweeps);
}

// ContactAt or NoRows, and JointAt or NoRows.
template <class T, class Body, class JointBody, class Pass = NoPass>
void sweepColoursOnCuda(Queue& queue, const RowView<T>& rows, const JointView<T>& joints, SweepRange sweeps, const Body& body,
                        const JointBody& jointBody, const Pass& pass = {}) {
  const int colours = rows.tileCount > 0 ? rows.colourCount : joints.colourCount;
  const auto kernel = sweepAllKernel<T, Body, JointBody, Pass>;
  const int64_t most = mostResidentBlocks(queue, kernel, kSweepBlockSize);
  const bool nothing = sweeps.count == 0 || colours == 0;
  if (nothing || most == 0) forEach(queue, queue.label, pass.count, pass);
  if (nothing) return;
  if (most == 0) {
    for (int sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep) {
      for (int c = 0; c < colours; ++c) {
        sweepColourOnCuda(queue, body, rows.manifold, rows, c, sweep, sweeps.all);
        sweepColourOnCuda(queue, jointBody, joints.joint, joints, c, sweep, sweeps.all);
      }
    }
    return;
  }
  if (queue.log != nullptr) ++queue.log->now().sweeps;
  const int64_t tiles = rows.widestColour > joints.widestColour ? rows.widestColour : joints.widestColour;
  const int64_t lanes = tiles * kTileLanes > pass.count ? tiles * kTileLanes : pass.count;
  const int64_t wanted = (lanes + kSweepBlockSize - 1) / kSweepBlockSize;
  const int64_t blocks = wanted < 1 ? 1 : wanted < most ? wanted : most;
  launchOnCuda(queue, {blocks, kSweepBlockSize, true}, kernel, rows, body, joints, jointBody, sweeps, pass);
}

#else

// Builds without CUDA have no queue that gets here.
template <class T, class Body, class JointBody, class Pass = NoPass>
void sweepColoursOnCuda(Queue&, const RowView<T>&, const JointView<T>&, SweepRange, const Body&, const JointBody&, const Pass& = {}) {}

#endif

}  // namespace cairn::v0
