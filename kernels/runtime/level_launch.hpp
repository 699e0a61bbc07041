// overLevels: levels of nodes strictly in sequence, ascending or descending, the nodes of a level in any order.
//
// On CUDA one block walks narrow levels, a cooperative grid wide ones, whose barrier costs more (how much more is not measured:
// bench/gpu-questions.md).
#pragma once

#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn {

enum class LevelOrder { Ascending, Descending };

struct NodeLevels {
  const int* levels;      // [levelCount + 1] first node of each level, on the target
  const int* hostLevels;  // the same on the host
  int levelCount, nodeCount, widest;
};

CAIRN_HD inline int levelAt(LevelOrder order, int k, int levelCount) { return order == LevelOrder::Ascending ? k : levelCount - 1 - k; }

#if CAIRN_WITH_CUDA

template <class Body> __device__ void levelNodes(const Body& body, const int* levels, int level, int first, int stride) {
  for (int node = levels[level] + first; node < levels[level + 1]; node += stride) body(node);
}

template <class Body> __global__ void __launch_bounds__(kLevelBlockWidth)
    levelsInBlockKernel(Body body, const int* levels, int count, LevelOrder order) {
  for (int k = 0; k < count; ++k) {
    levelNodes(body, levels, levelAt(order, k, count), static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
    __syncthreads();
  }
}

template <class Body> __global__ void __launch_bounds__(kLevelGridBlockSize)
    levelsInGridKernel(Body body, const int* levels, int count, LevelOrder order) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int k = 0; k < count; ++k) {
    levelNodes(body, levels, levelAt(order, k, count), static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
               static_cast<int>(gridDim.x * blockDim.x));
    grid.sync();
  }
}

template <class Body> void levelsOnCuda(Queue& queue, const NodeLevels& view, const Body& body, LevelOrder order) {
  const int64_t most = mostResidentBlocks(queue, levelsInGridKernel<Body>, kLevelGridBlockSize);
  if (view.widest <= kLevelBlockWidth || most == 0) {
    const int threads = view.widest < kLevelBlockWidth ? (view.widest + 31) / 32 * 32 : kLevelBlockWidth;
    return launchOnCuda(queue, {1, threads}, levelsInBlockKernel<Body>, body, view.levels, view.levelCount, order);
  }
  const int64_t wanted = (view.widest + kLevelGridBlockSize - 1) / kLevelGridBlockSize;
  const LaunchGrid grid{wanted < most ? wanted : most, kLevelGridBlockSize, true};
  launchOnCuda(queue, grid, levelsInGridKernel<Body>, body, view.levels, view.levelCount, order);
}

#endif

template <class Body> void overLevels(Queue& queue, const char* label, const NodeLevels& view, const Body& body, LevelOrder order) {
  queue.label = label;
  if (view.nodeCount == 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return levelsOnCuda(queue, view, body, order);
#endif
  for (int k = 0; k < view.levelCount; ++k) {
    const int level = levelAt(order, k, view.levelCount), begin = view.hostLevels[level];
    forEachOnCpu(queue, view.hostLevels[level + 1] - begin, kLevelGrain, [&](int i) { body(begin + i); });
  }
}

}  // namespace cairn
