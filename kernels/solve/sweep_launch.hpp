// sweepColours: colours strictly in sequence, the items of a colour in any order. The CUDA side; the CPU's is sweeps_cpu.cpp.
//
// On CUDA one persistent cooperative kernel walks all colours of all sweeps with a grid barrier between colours: at 12 colours and 20 sweeps
// separate launches would cost half a millisecond. Devices without cooperative launch get one launch a colour.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn {

// `count` sweeps from `first` on, of so many in `all`.
struct SweepRange {
  int first, count, all;
};

// A pass over bodies that a sweep takes along, before it begins: pass(i) for 0 <= i < pass.count. This one is none.
struct NoPass {
  static constexpr int count = 0;
  CAIRN_HD void operator()(int) const {}
};

#if CAIRN_WITH_CUDA

// `body` at each slot of one colour's tiles, of contacts or of joints.
template <class Body> __device__ void sweepTiles(const Body& body, const int* items, int begin, int end, int sweep, int sweeps) {
  const int first = begin * kTileLanes + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int slot = first; slot < end * kTileLanes; slot += stride) {
    if (items[slot] >= 0) body(slot, sweep, sweeps);
  }
}

template <class T, class Body> struct ContactAt {
  Body body;
  __device__ void operator()(int slot, int, int) const { body.template at<T>(slot); }
};
template <class T, class Body> struct JointAt {
  Body body;
  __device__ void operator()(int slot, int sweep, int sweeps) const { body.template at<T>(slot, sweep, sweeps); }
};

// Resident blocks a multiprocessor that registers are kept few for.
template <class T> constexpr int kSweepBlocksWanted = sizeof(T) == sizeof(float) ? kSweepBlocksInFloat : kSweepBlocksInDouble;

template <class T, class Body, class JointBody, class Pass> __global__ void __launch_bounds__(kSweepBlockSize, kSweepBlocksWanted<T>)
    sweepAllKernel(RowView<T> rows, Body body, JointView<T> joints, JointBody jointBody, SweepRange sweeps, Pass pass) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (pass.count > 0) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < pass.count; i += static_cast<int>(gridDim.x * blockDim.x)) pass(i);
    grid.sync();
  }
  const int colours = rows.tileCount > 0 ? rows.counts->colourCount : joints.counts->colourCount;
  for (int sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep) {
    for (int colour = 0; colour < colours; ++colour) {
      if (rows.tileCount > 0) sweepTiles(body, rows.manifold, rows.colourTiles[colour], rows.colourTiles[colour + 1], sweep, sweeps.all);
      if (joints.tileCount > 0) sweepTiles(jointBody, joints.joint, joints.colourTiles[colour], joints.colourTiles[colour + 1], sweep, sweeps.all);
      grid.sync();
    }
  }
}

// The tiles of one colour. A planned step does not know how many colours there are: those beyond are empty.
template <class Body> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepColourKernel(Body body, const int* items, TileView tiles, int colour, int sweep, int sweeps) {
  if (colour >= tiles.counts->colourCount) return;
  sweepTiles(body, items, tiles.colourTiles[colour], tiles.colourTiles[colour + 1], sweep, sweeps);
}

template <class Body> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepOverflowKernel(Body body, const int* items, TileView tiles, int sweep, int sweeps) {
  sweepTiles(body, items, tiles.counts->firstOverflowTile, tiles.counts->tileCount, sweep, sweeps);
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

template <class Body> void sweepOverflowOnCuda(Queue& queue, const Body& body, const int* items, const TileView& tiles, int sweep, int sweeps) {
  if (tiles.overflowTiles == 0) return;
  launchOnCuda(queue, {sweepBlocks(tiles.overflowTiles), kSweepBlockSize}, sweepOverflowKernel<Body>, body, items, tiles, sweep, sweeps);
}

template <class T, class Body, class JointBody, class Pass = NoPass>
void sweepColoursOnCuda(Queue& queue, const RowView<T>& rows, const JointView<T>& joints, SweepRange sweeps, const Body& contact,
                        const JointBody& joint, const Pass& pass = {}) {
  const ContactAt<T, Body> body{contact};
  const JointAt<T, JointBody> jointBody{joint};
  const int colours = rows.tileCount > 0 ? rows.colourCount : joints.colourCount;
  const auto kernel = sweepAllKernel<T, ContactAt<T, Body>, JointAt<T, JointBody>, Pass>;
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

}  // namespace cairn
