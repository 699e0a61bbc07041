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

template <class T, class Body, class JointBody> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepAllKernel(RowView<T> rows, Body body, JointView<T> joints, JointBody jointBody, int colours, int sweeps) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int colour = 0; colour < colours; ++colour) {
      if (rows.tileCount > 0) sweepTiles(body, rows.manifold, rows.colourTiles[colour], rows.colourTiles[colour + 1], sweep, sweeps);
      if (joints.tileCount > 0) sweepTiles(jointBody, joints.joint, joints.colourTiles[colour], joints.colourTiles[colour + 1], sweep, sweeps);
      grid.sync();
    }
  }
}

template <class Body> __global__ void __launch_bounds__(kSweepBlockSize)
    sweepRangeKernel(Body body, const int* items, int begin, int end, int sweep, int sweeps) {
  sweepTiles(body, items, begin, end, sweep, sweeps);
}

inline int64_t sweepBlocks(int tiles) { return (static_cast<int64_t>(tiles) * kTileLanes + kSweepBlockSize - 1) / kSweepBlockSize; }

template <class Body> void sweepRangeOnCuda(Queue& queue, const Body& body, const int* items, int begin, int end, int sweep, int sweeps) {
  if (end <= begin) return;
  launchOnCuda(queue, {sweepBlocks(end - begin), kSweepBlockSize}, sweepRangeKernel<Body>, body, items, begin, end, sweep, sweeps);
}

// `firstSweep` of `sweeps` in all, `count` of them now.
template <class T, class Body, class JointBody> void sweepColoursOnCuda(Queue& queue, const RowView<T>& rows, const JointView<T>& joints, int count,
                                                                        int firstSweep, int sweeps, const Body& contact, const JointBody& joint) {
  const ContactAt<T, Body> body{contact};
  const JointAt<T, JointBody> jointBody{joint};
  const auto tilesOf = [](const int* starts, int colour) { return starts[colour + 1] - starts[colour]; };
  const int colours = rows.tileCount > 0 ? rows.colourCount : joints.colourCount;
  int largest = 0;
  for (int c = 0; c < colours; ++c) {
    if (rows.tileCount > 0) largest = largest > tilesOf(rows.hostColourTiles, c) ? largest : tilesOf(rows.hostColourTiles, c);
    if (joints.tileCount > 0) largest = largest > tilesOf(joints.hostColourTiles, c) ? largest : tilesOf(joints.hostColourTiles, c);
  }
  if (largest == 0 || count == 0) return;
  const auto kernel = sweepAllKernel<T, ContactAt<T, Body>, JointAt<T, JointBody>>;
  const int64_t most = mostResidentBlocks(queue, kernel, kSweepBlockSize), wanted = sweepBlocks(largest);
  if (most == 0 || count < sweeps) {
    for (int sweep = firstSweep; sweep < firstSweep + count; ++sweep) {
      for (int c = 0; c < colours; ++c) {
        if (rows.tileCount > 0) sweepRangeOnCuda(queue, body, rows.manifold, rows.hostColourTiles[c], rows.hostColourTiles[c + 1], sweep, sweeps);
        if (joints.tileCount > 0) {
          sweepRangeOnCuda(queue, jointBody, joints.joint, joints.hostColourTiles[c], joints.hostColourTiles[c + 1], sweep, sweeps);
        }
      }
    }
    return;
  }
  const LaunchGrid grid{wanted < most ? wanted : most, kSweepBlockSize, true};
  launchOnCuda(queue, grid, kernel, rows, body, joints, jointBody, colours, sweeps);
}

#else

// Builds without CUDA have no queue that gets here.
template <class T, class Body, class JointBody>
void sweepColoursOnCuda(Queue&, const RowView<T>&, const JointView<T>&, int, int, int, const Body&, const JointBody&) {}

#endif

}  // namespace cairn
