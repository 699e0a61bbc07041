// inSequence: a program of phases, each after the one before it. A phase is over items in any order, or over levels of nodes, ascending or
// descending; between phases the program may ask whether some item is in a state, and go on accordingly.
//
// On CUDA the whole program is one launch, since a launch costs more than most of its phases, and nobody else is asked what it goes on with. One
// block runs it where levels are narrow, a cooperative grid where they are wide, whose barrier costs more (how much more is not measured:
// bench/gpu-questions.md). Of many programs that have nothing to do with each other each gets a block: inBlocksOnCuda.
#pragma once

#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
// Before a template: it is for host and device as far as what it is called with is.
#define CAIRN_HD_AS_CALLED _Pragma("nv_exec_check_disable")
#else
#define CAIRN_HD_AS_CALLED
#endif

namespace cairn::v0 {

enum class LevelOrder { Ascending, Descending };

struct NodeLevels {
  const int* levels;      // [levelCount + 1] first node of each level, on the target
  const int* hostLevels;  // the same on the host
  int levelCount;
};

CAIRN_HD inline int levelAt(LevelOrder order, int k, int levelCount) { return order == LevelOrder::Ascending ? k : levelCount - 1 - k; }

// What a program is called with: on the CPU this, on CUDA a DeviceWalk, which knows no grains.
struct HostWalk {
  Queue& queue;

  // body(i) for 0 <= i < count, in any order.
  template <class Body> void over(int count, int64_t grain, const Body& body) const { forEachOnCpu(queue, count, grain, body); }
  // body(node) for the nodes of a level in any order, level after level.
  template <class Body> void levels(const NodeLevels& of, LevelOrder order, const Body& body) const {
    for (int k = 0; k < of.levelCount; ++k) {
      const int level = levelAt(order, k, of.levelCount), begin = of.hostLevels[level];
      forEachOnCpu(queue, of.hostLevels[level + 1] - begin, kLevelGrain, [&](int i) { body(begin + i); });
    }
  }
  // Whether levels are gone through by one thread, which may as well take their nodes in any order in which each comes after those that it needs.
  bool alone(int widestLevel) const { return widestLevel < kLevelGrain || queue.team->threads() == 1; }
  // Whether holds(i) for some i < count.
  template <class Holds> bool any(int count, const Holds& holds) const {
    for (int i = 0; i < count; ++i) {
      if (holds(i)) return true;
    }
    return false;
  }
};

constexpr int kWalkWords = 3;  // that `any` keeps its answers in, on the target

#if CAIRN_WITH_CUDA

// Threads that go through a program's items, `stride` of them, of which this one is the `first`-th.
template <class Barrier> struct ItemsWalk {
  int first, stride;
  Barrier barrier;

  template <class Body> __device__ void over(int count, int64_t, const Body& body) const {
    for (int i = first; i < count; i += stride) body(i);
    barrier();
  }
  template <class Body> __device__ void levels(const NodeLevels& of, LevelOrder order, const Body& body) const {
    for (int k = 0; k < of.levelCount; ++k) {
      const int level = levelAt(order, k, of.levelCount);
      for (int node = of.levels[level] + first; node < of.levels[level + 1]; node += stride) body(node);
      barrier();
    }
  }
};

template <class Barrier> struct DeviceWalk : ItemsWalk<Barrier> {
  using ItemsWalk<Barrier>::first, ItemsWalk<Barrier>::stride, ItemsWalk<Barrier>::barrier;
  int* words;
  mutable int turn = 0;

  __device__ DeviceWalk(const ItemsWalk<Barrier>& items, int* answers) : ItemsWalk<Barrier>(items), words(answers) {}
  // Words take turns: the next one's is cleared while nobody reads or writes it any more, that of the turn before is still being read.
  template <class Holds> __device__ bool any(int count, const Holds& holds) const {
    bool found = false;
    for (int i = first; i < count && !found; i += stride) found = holds(i);
    const int next = turn + 1 < kWalkWords ? turn + 1 : 0;
    if (first == 0) words[next] = 0;
    if (found) atomicOrInt(words + turn, 1);
    barrier();
    const bool answer = words[turn] != 0;
    turn = next;
    return answer;
  }
};

template <class Program, class Barrier>
__device__ void runProgram(const Program& program, int* words, int first, int stride, const Barrier& barrier) {
  if (first == 0) words[0] = 0;
  barrier();
  program(DeviceWalk<Barrier>({first, stride, barrier}, words));
}

template <class Program> __global__ void __launch_bounds__(kLevelBlockWidth)
    sequenceInBlockKernel(const __grid_constant__ Program program, int* words) {
  runProgram(program, words, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), [] { __syncthreads(); });
}

// A walk through one of many programs, by a block of its own. Items go round its warps, so that those of a narrow level, each of which goes its own
// way through switches and loops, do not wait for each other's.
template <class Barrier> struct BlockWalk : ItemsWalk<Barrier> {
  __device__ explicit BlockWalk(const ItemsWalk<Barrier>& items) : ItemsWalk<Barrier>(items) {}
  // The same for all threads, each of which looks by itself; before anyone goes on.
  __device__ bool agreed(bool holds) const {
    this->barrier();
    return holds;
  }
};

template <class Program> __global__ void __launch_bounds__(kLevelBlockWidth) sequencesInBlocksKernel(const __grid_constant__ Program program) {
  const auto barrier = [] { __syncthreads(); };
  const int threads = static_cast<int>(blockDim.x), warps = threads / kWarp;
  const int first = static_cast<int>(threadIdx.x) / kWarp + static_cast<int>(threadIdx.x) % kWarp * warps;
  program(BlockWalk<decltype(barrier)>({first, threads, barrier}), static_cast<int>(blockIdx.x));
}

template <class Program> __global__ void __launch_bounds__(kLevelGridBlockSize)
    sequenceInGridKernel(const __grid_constant__ Program program, int* words) {
  runProgram(program, words, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), static_cast<int>(gridDim.x * blockDim.x),
             [] { cooperative_groups::this_grid().sync(); });
}

template <class Program> void sequenceOnCuda(Queue& queue, int widest, int* words, const Program& program) {
  const int64_t most = widest <= kLevelBlockWidth ? 0 : mostResidentBlocks(queue, sequenceInGridKernel<Program>, kLevelGridBlockSize);
  if (most == 0) {
    const int threads = widest < kLevelBlockWidth ? (widest + 31) / 32 * 32 : kLevelBlockWidth;
    return launchOnCuda(queue, {1, threads}, sequenceInBlockKernel<Program>, program, words);
  }
  const int64_t wanted = (widest + kLevelGridBlockSize - 1) / kLevelGridBlockSize;
  const LaunchGrid grid{wanted < most ? wanted : most, kLevelGridBlockSize, true};
  launchOnCuda(queue, grid, sequenceInGridKernel<Program>, program, words);
}

// program(walk, k) for 0 <= k < count, in any order: programs that have nothing to do with each other. `most`: items of the largest, of which each
// has a warp while there are few, and a thread as far as a block has so many.
template <class Program> void inBlocksOnCuda(Queue& queue, const char* label, int count, int most, const Program& program) {
  queue.label = label;
  const int rounded = (most + kWarp - 1) / kWarp * kWarp, spread = most * kWarp < kBlockSize ? most * kWarp : kBlockSize;
  const int threads = rounded > kLevelBlockWidth ? kLevelBlockWidth : rounded > spread ? rounded : spread;
  launchOnCuda(queue, {count, threads}, sequencesInBlocksKernel<Program>, program);
}

#else

template <class Program> void inBlocksOnCuda(Queue&, const char*, int, int, const Program&) {}

#endif

// program(walk), whose call operator is a template on the walk, marked CAIRN_HD_AS_CALLED. `widest`: items of the widest level, or as many as are
// worth a thread each. `words`: kWalkWords of them, on the target.
template <class Program> void inSequence(Queue& queue, const char* label, int widest, [[maybe_unused]] int* words, const Program& program) {
  queue.label = label;
  if (widest <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return sequenceOnCuda(queue, widest, words, program);
#endif
  program(HostWalk{queue});
}

}  // namespace cairn::v0
