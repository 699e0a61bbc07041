// Phases over the same items, each after the one before it. inRounds: rounds of phases until one says that nothing is left, with phases before and
// after them. inPhases: a few phases over a handful of items.
//
// On CUDA one cooperative kernel does all rounds, so that nobody asks between them: a question to the host costs more than a round. Where a device
// has no cooperative launch, one block does.
#pragma once

#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn::v0 {

#if CAIRN_WITH_CUDA

// The word of the next round is cleared in a phase that begins after all have read it and ends before anyone writes to it: so there are two words,
// and two phases at least.
template <class Body, class Barrier> __device__ void roundsOf(const Body& body, int count, int* left, int first, int stride, const Barrier& barrier) {
  static_assert(Body::kPhases >= 2, "the word of the next round is cleared in the second phase");
  for (int phase = 0; phase < Body::kPhasesBefore; ++phase) {
    for (int i = first; i < count; i += stride) body.before(phase, i);
    barrier();
  }
  for (int round = 0;; ++round) {
    bool again = false;
    for (int phase = 0; phase < Body::kPhases; ++phase) {
      if (phase == 1 && first == 0) left[(round + 1) % 2] = 0;
      for (int i = first; i < count; i += stride) again = body(phase, i) || again;
      if (phase + 1 == Body::kPhases && again) atomicOrInt(left + round % 2, 1);
      barrier();
    }
    if (left[round % 2] == 0) break;
  }
  for (int i = first; i < count; i += stride) body.after(i);
}

template <class Body> __global__ void __launch_bounds__(kRoundBlockSize) roundsInGridKernel(Body body, int count, int* left) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  roundsOf(body, count, left, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), static_cast<int>(gridDim.x * blockDim.x),
           [&] { grid.sync(); });
}

template <class Body> __global__ void __launch_bounds__(kRoundBlockSize) roundsInBlockKernel(Body body, int count, int* left) {
  roundsOf(body, count, left, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), [] { __syncthreads(); });
}

template <class Body> void roundsOnCuda(Queue& queue, int count, int* left, const Body& body) {
  const int64_t wanted = (count + kRoundBlockSize - 1) / kRoundBlockSize, most = mostResidentBlocks(queue, roundsInGridKernel<Body>, kRoundBlockSize);
  if (wanted == 1 || most == 0) return launchOnCuda(queue, {1, kRoundBlockSize}, roundsInBlockKernel<Body>, body, count, left);
  launchOnCuda(queue, {wanted < most ? wanted : most, kRoundBlockSize, true}, roundsInGridKernel<Body>, body, count, left);
}

template <class Body> __global__ void __launch_bounds__(kRoundBlockSize) phasesInBlockKernel(Body body, int count) {
  for (int phase = 0; phase < Body::kPhases; ++phase) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) body(phase, i);
    __syncthreads();
  }
}

#endif

// For each item i < count, in any order within a phase: body.before(phase, i) for its kPhasesBefore phases; body(phase, i) for the kPhases phases of
// each round, of which there is one at least, and another whenever some call of the last one returned that it wants one; body.after(i).
// `left`: two words on the target, zero before.
template <class Body> void inRounds(Queue& queue, const char* label, int count, int* left, const Body& body) {
  queue.label = label;
  if (count <= 0) return;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return roundsOnCuda(queue, count, left, body);
#endif
  for (int phase = 0; phase < Body::kPhasesBefore; ++phase) {
    forEachOnCpu(queue, count, kLightGrain, [&](int i) { body.before(phase, i); });
  }
  for (bool again = true; again;) {
    again = false;
    for (int phase = 0; phase < Body::kPhases; ++phase) {
      *left = 0;
      forEachOnCpu(queue, count, kLightGrain, [&](int i) {
        if (body(phase, i)) atomicOrInt(left, 1);
      });
      again = again || *left != 0;
    }
  }
  forEachOnCpu(queue, count, kLightGrain, [&](int i) { body.after(i); });
}

// body(phase, i) for its kPhases phases, over so few items that one block of a device does them.
template <class Body> void inPhases(Queue& queue, const char* label, int count, const Body& body) {
  queue.label = label;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return launchOnCuda(queue, {1, kRoundBlockSize}, phasesInBlockKernel<Body>, body, count);
#endif
  for (int phase = 0; phase < Body::kPhases; ++phase) {
    for (int i = 0; i < count; ++i) body(phase, i);
  }
}

}  // namespace cairn::v0
