// sweepColours: colours strictly in sequence, the items of a colour in any order. The CUDA side; the CPU's is solve_cpu.cpp.
//
// On CUDA one persistent cooperative kernel walks all colours of all sweeps with a grid barrier between colours: at 12 colours and 20 sweeps
// separate launches would cost half a millisecond. Devices without cooperative launch get one launch a colour.
#pragma once

#include "launch.hpp"
#include "rows.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn {

#if CAIRN_WITH_CUDA

constexpr int kSweepBlockSize = 128;

template <class T, class Body> __device__ void sweepColour(const RowView<T>& rows, const Body& body, int begin, int end) {
  const int first = begin * kTileLanes + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int slot = first; slot < end * kTileLanes; slot += stride) {
    if (rows.manifold[slot] >= 0) body.template at<T>(slot);
  }
}

template <class T, class Body> __global__ void __launch_bounds__(kSweepBlockSize) sweepAllKernel(RowView<T> rows, Body body, int sweeps) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int colour = 0; colour < rows.colourCount; ++colour) {
      sweepColour(rows, body, rows.colourTiles[colour], rows.colourTiles[colour + 1]);
      grid.sync();
    }
  }
}

template <class T, class Body> __global__ void __launch_bounds__(kSweepBlockSize) sweepRangeKernel(RowView<T> rows, Body body, int begin, int end) {
  sweepColour(rows, body, begin, end);
}

inline unsigned sweepBlocks(int tiles) {
  const int64_t lanes = static_cast<int64_t>(tiles) * kTileLanes;
  return static_cast<unsigned>((lanes + kSweepBlockSize - 1) / kSweepBlockSize);
}

template <class T, class Body> void sweepRangeOnCuda(Queue& queue, const RowView<T>& rows, const Body& body, int begin, int end) {
  if (end <= begin) return;
  sweepRangeKernel<T, Body><<<sweepBlocks(end - begin), kSweepBlockSize, 0, static_cast<cudaStream_t>(queue.stream)>>>(rows, body, begin, end);
  checkLaunch(queue);
}

template <class T, class Body> void sweepColoursOnCuda(Queue& queue, const RowView<T>& rows, int sweeps, const Body& body) {
  int largest = 0;
  for (int c = 0; c < rows.colourCount; ++c) {
    const int tiles = rows.hostColourTiles[c + 1] - rows.hostColourTiles[c];
    largest = tiles > largest ? tiles : largest;
  }
  if (largest == 0 || sweeps == 0) return;
  int resident = 0, device = 0, cooperative = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sweepAllKernel<T, Body>, kSweepBlockSize, 0);
  if (cooperative == 0 || resident == 0) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int c = 0; c < rows.colourCount; ++c) sweepRangeOnCuda(queue, rows, body, rows.hostColourTiles[c], rows.hostColourTiles[c + 1]);
    }
    return;
  }
  const unsigned most = static_cast<unsigned>(resident * queue.multiprocessors);
  const unsigned wanted = sweepBlocks(largest);
  RowView<T> rowsCopy = rows;
  Body bodyCopy = body;
  void* arguments[] = {&rowsCopy, &bodyCopy, &sweeps};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&sweepAllKernel<T, Body>), dim3(wanted < most ? wanted : most), dim3(kSweepBlockSize),
                              arguments, 0, static_cast<cudaStream_t>(queue.stream));
  checkLaunch(queue);
}

#endif

}  // namespace cairn
