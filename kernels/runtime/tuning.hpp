// Launch tuning: block sizes, grains and thresholds for each target, in one place. None of them shows in a result, only in the time.
//
// The GPU's values are choices by argument: no other ones have been measured yet (bench/gpu-questions.md lists the questions). Sizes that do show in
// results are no tuning and stand elsewhere: kReductionTile in primitives.hpp.
#pragma once

#include <cairn/export.hpp>

#include <cstdint>

namespace cairn::v0 {

// --- CPU -------------------------------------------------------------------------------------------------------

// A launch of fewer items stays on the calling thread: waking a team costs as much as about a thousand light items.
constexpr int64_t kLightGrain = 2048;              // an item is a few loads and stores
constexpr int64_t kMediumGrain = kLightGrain / 8;  // an item is a manifold or a joint
constexpr int64_t kHeavyGrain = 64;                // an item is a pair's narrow phase or a walk through a tree
constexpr int64_t kLevelGrain = 256;               // an item is a node of a level, with its blocks

// Up to this many keys an insertion sort beats the histograms of a radix sort.
constexpr int kInsertionSortCount = 48;
// A radix sort of fewer keys is faster with one thread than with two.
constexpr int kParallelSortCount = 1 << 16;

// Up to this many shapes testing all against all is cheaper than sorting and building a tree.
constexpr int kFewShapes = 32;
// Shapes that one item bounds before it adds to the header that all items share.
constexpr int kBoundsRunOnCpu = 256;

// --- GPU, none of it compared ----------------------------------------------------------------------------------

// Threads of a block of forEach: eight warps, a usual choice for kernels without shared memory.
constexpr int kBlockSize = 256;
constexpr int kWarp = 32;
// Of heavy items, which take so many registers that few threads are resident: small blocks get all multiprocessors to work.
constexpr int kHeavyBlockSize = 64;
// Items that a whole warp works on: up to so many times as many as are resident at a time. Beyond that a thread each.
constexpr int64_t kMostWarpWaves = 16;
// The persistent sweep: its registers leave room for few warps, and small blocks fill a multiprocessor better. A colour of one block's lanes or fewer
// needs no barrier of the grid.
constexpr int kSweepBlockSize = 128;
// So many of them at a time on a multiprocessor: a whole manifold fits into the registers that are left for each, and so few warps still have more
// on its way from memory, 57 numbers a lane, than the memory's latency takes.
constexpr int kSweepBlocksInFloat = 4, kSweepBlocksInDouble = 2;
// Levels of nodes: up to this width one block walks all of them, so that its barrier can stand for the grid's, which costs some twenty times more.
constexpr int kLevelBlockWidth = 512;
// Threads of a block where the whole grid walks wider levels.
constexpr int kLevelGridBlockSize = 128;

// Bounds: the lanes of a warp read neighbouring shapes, a thread bounds a run of them, and the threads share a few copies of the header. So where
// there are many shapes one atomic comes from sixteen of them, and a thirty-second of all of those meet at one address.
constexpr int kBoundsLanesOnGpu = 32;
constexpr int kBoundsRunOnGpu = 16;
constexpr int kHeaderCopiesOnGpu = 32;
// Threads of a block that does rounds over light items, with a barrier of the grid after each phase.
constexpr int kRoundBlockSize = 256;
// Partners kept per shape by the counting pass; longer rows are found again when they are written.
// On both targets.
constexpr int kPairRowCapacity = 32;

}  // namespace cairn::v0
