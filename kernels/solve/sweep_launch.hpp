// sweepColours: colours strictly in sequence, the items of a colour in any order. The CUDA side; the CPU's is sweeps_cpu.cpp.
//
// On CUDA one persistent cooperative kernel walks all colours of all sweeps with a grid barrier between colours: at 12 colours and 20 sweeps
// separate launches would cost half a millisecond. Devices without cooperative launch get one launch a colour.
//
// What a colour costs, however few its manifolds, is a chain of waits: for its tiles, for a lane's addresses, its row, its bodies' velocities, and
// for all other blocks. Of these only the velocities depend on what the colour before has done. So a thread reads the row of its next slot between
// its arrival at the barrier and its wait. That slot's impulses it must have written itself, the last time: in every sweep a slot s belongs to thread
// s modulo their number. With this order of threads, neighbouring colours have different ones as long as they are few, so that some read while others
// still compute. Colours that one block does at once are all the first block's: its own barrier stands between them, and the others wait where such a
// run ends.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/runtime/launch.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn::v0 {

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

// In place of rows of a kind that a scene has none of: their code would cost the others registers.
struct NoRows {};

// A colour's tiles of one kind.
struct TileSpan {
  int begin = 0, end = 0;
};
template <class Body> __device__ TileSpan spanOf(const Body&, const TileView& tiles, int colour) {
  if (tiles.tileCount == 0) return {};
  return {tiles.colourTiles[colour], tiles.colourTiles[colour + 1]};
}
__device__ inline TileSpan spanOf(NoRows, const TileView&, int) { return {}; }

// Of both kinds.
struct ColourSpan {
  TileSpan contacts, joints;
  __device__ bool narrow() const {
    constexpr int kTiles = kSweepBlockSize / kTileLanes;
    return contacts.end - contacts.begin <= kTiles && joints.end - joints.begin <= kTiles;
  }
};

// The threads that do a colour: those of the grid, or of the first block.
struct SweepThreads {
  int thread = 0, count = 1;
  bool taken = false;  // this thread is one of them

  __device__ static SweepThreads ofGrid() {
    return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), static_cast<int>(gridDim.x * blockDim.x), true};
  }
  __device__ static SweepThreads ofFirstBlock() { return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), blockIdx.x == 0}; }
  // The first of this thread's slots; the end of the span if it has none.
  __device__ int firstSlot(TileSpan span) const {
    const int begin = span.begin * kTileLanes, end = span.end * kTileLanes, before = begin % count;
    const int slot = begin - before + thread + (thread < before ? count : 0);
    return taken && slot < end ? slot : end;
  }
};

// `body` at each slot of one colour's tiles, of contacts or of joints.
template <class Body> __device__ void sweepTiles(const Body& body, const int* items, const SweepThreads& threads, TileSpan span, SweepRange sweep) {
  for (int slot = threads.firstSlot(span); slot < span.end * kTileLanes; slot += threads.count) {
    if (items[slot] >= 0) body(slot, sweep.first, sweep.all);
  }
}
__device__ inline void sweepTiles(NoRows, const int*, const SweepThreads&, TileSpan, SweepRange) {}

template <class T, class Body> struct ContactAt {
  Body body;
  __device__ void operator()(int slot, int, int) const { body.template at<T>(slot); }
};
template <class T, class Body> struct JointAt {
  Body body;
  __device__ void operator()(int slot, int sweep, int sweeps) const { body.template at<T>(slot, sweep, sweeps); }
};

// A thread's way through the contacts of colours. The row of its next slot is there before it is its turn.
template <class Body> struct ContactWalk;
template <class T, class Body> struct ContactWalk<ContactAt<T, Body>> {
  using Contact = typename Body::template Contact<T>;

  const ContactAt<T, Body>& at;
  Contact contact;
  int slot = 0, end = 0, stride = 0;
  bool there = false;

  __device__ explicit ContactWalk(const ContactAt<T, Body>& body) : at(body) {}
  __device__ void enter(const SweepThreads& threads, TileSpan span) {
    slot = threads.firstSlot(span);
    end = span.end * kTileLanes;
    stride = threads.count;
  }
  __device__ void read() {
    Contact next{};  // not the one before, which registers would have to keep
    there = false;
    if (slot < end) {
      next.place(at.body.rows, slot);
      there = LaneTraits<T>::areThere(next.slotsA, next.slotsB);
      if (there) next.read();
    }
    contact = next;
  }
  // The slot whose row has been read. True if the colour has another for this thread.
  __device__ bool run() {
    if (there) at.body.template run<T>(contact);
    if (slot < end) slot += stride;
    return slot < end;
  }
};
template <> struct ContactWalk<NoRows> {
  __device__ explicit ContactWalk(NoRows) {}
  __device__ void enter(const SweepThreads&, TileSpan) {}
  __device__ void read() {}
  __device__ bool run() { return false; }
};

// Resident blocks a multiprocessor that registers are kept few for.
template <class T> constexpr int kSweepBlocksWanted = sizeof(T) == sizeof(float) ? kSweepBlocksInFloat : kSweepBlocksInDouble;

template <class T, class Body, class JointBody, class Pass> __global__ void __launch_bounds__(kSweepBlockSize, kSweepBlocksWanted<T>)
    sweepAllKernel(RowView<T> rows, Body body, JointView<T> joints, JointBody jointBody, SweepRange sweeps, Pass pass) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const SweepThreads all = SweepThreads::ofGrid();
  for (int i = all.thread; i < pass.count; i += all.count) pass(i);
  const int colours = rows.tileCount > 0 ? rows.counts->colourCount : joints.counts->colourCount;
  if (colours == 0) return;
  const auto spansOf = [&](int colour) { return ColourSpan{spanOf(body, rows, colour), spanOf(jointBody, joints, colour)}; };
  ContactWalk<Body> contacts(body);
  SweepThreads threads;
  ColourSpan spans, next = spansOf(0);
  int sweep = sweeps.first, colour = -1;
  for (;;) {
    const bool turns = !contacts.run();
    bool inBlock = false, inGrid = false;  // the barrier before the next colour
    unsigned arrival = 0;
    if (turns) {
      sweepTiles(jointBody, joints.joint, threads, spans.joints, {sweep, 1, sweeps.all});
      inBlock = colour >= 0 && spans.narrow() && next.narrow();
      inGrid = !inBlock && (colour >= 0 || pass.count > 0);
      if (++colour == colours) {
        colour = 0;
        if (++sweep == sweeps.first + sweeps.count) return;
      }
      if (inGrid) arrival = grid.barrier_arrive();
      spans = next;
      next = spansOf(colour + 1 < colours ? colour + 1 : 0);
      threads = spans.narrow() ? SweepThreads::ofFirstBlock() : all;
      contacts.enter(threads, spans.contacts);
    }
    contacts.read();
    if (inGrid) grid.barrier_wait(static_cast<unsigned&&>(arrival));
    if (inBlock && blockIdx.x == 0) __syncthreads();
  }
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
struct NoRows {};
template <class T, class Body> struct ContactAt { Body body; };
template <class T, class Body> struct JointAt { Body body; };
template <class T, class Body, class JointBody, class Pass = NoPass>
void sweepColoursOnCuda(Queue&, const RowView<T>&, const JointView<T>&, SweepRange, const Body&, const JointBody&, const Pass& = {}) {}

#endif

}  // namespace cairn::v0
