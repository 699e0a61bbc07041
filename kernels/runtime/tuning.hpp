// Launch tuning: block sizes, grains and thresholds for each target, in one place. None of them shows in a result, only in the time.
//
// Most of the GPU's values are choices by argument: of the sweeps' blocks others have been measured (bench/gpu-questions.md lists the questions).
// Sizes that do show in results are no tuning and stand elsewhere: kReductionTile in primitives.hpp.
#pragma once

#include <cairn/export.hpp>

#include <cstdint>

namespace cairn::v0 {

// --- CPU -------------------------------------------------------------------------------------------------------

// A launch of fewer items stays on the calling thread: waking a team costs as much as about a thousand light items.
constexpr int64_t kLightGrain = 2048;              // an item is a few loads and stores
constexpr int64_t kBodyGrain = kLightGrain / 4;    // an item is a body that moves, half of them left in each cache by the sweeps
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

// --- GPU, few of it compared ----------------------------------------------------------------------------------

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
// All substeps at once (kernels/solve/substeps.cu): threads of a block, blocks on a multiprocessor, and the part of the resident threads that colours
// take on average, at most, in percent.
constexpr int kSubstepBlockSize = 256;
constexpr int kSubstepBlocksInFloat = 2, kSubstepBlocksInDouble = 1;
constexpr int kMostSubstepThreads = 55;
// Levels of nodes: up to this width one block walks all of them, so that its barrier can stand for the grid's, which costs some twenty times more.
constexpr int kLevelBlockWidth = 512;
// Threads of a block where the whole grid walks wider levels.
constexpr int kLevelGridBlockSize = 128;

// Bounds: a warp adds what its shapes have in common to one of a few copies of the header, so that a thirty-second of the warps meet at one address.
constexpr int kHeaderCopiesOnGpu = 32;
// Threads that copy a manifold together: a sector at a time.
constexpr int kManifoldCopiers = 8;
// Threads of a block that does rounds over light items, with a barrier of the grid after each phase.
constexpr int kRoundBlockSize = 256;
// Partners kept per shape by the counting pass; longer rows are found again when they are written.
// On both targets.
constexpr int kPairRowCapacity = 32;

}  // namespace cairn::v0
