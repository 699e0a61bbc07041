// How a persistent cooperative kernel walks through the colours of sweeps, with a barrier of the grid between two of them.
//
// What a colour costs, however few its manifolds, is a chain of waits: for its tiles, for a lane's addresses, its row, its bodies' velocities, and
// for all other blocks. Of these only the velocities depend on what the colour before has done. So a thread reads the row of its next slot between
// its arrival at the barrier and its wait. That slot's impulses it must have written itself, the last time: in every sweep a slot s belongs to thread
// s modulo their number. With this order of threads, neighbouring colours have different ones as long as they are few, so that some read while others
// still compute. Colours that one block does at once are all the first block's: its own barrier stands between them, and the others wait where such a
// run ends.
//
// A manifold has one thread or, without joints, one for each of its points (spread_contact.hpp).
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/solve/spread_contact.hpp"
#include "kernels/solve/sweep_range.hpp"

#if CAIRN_WITH_CUDA
#include <cooperative_groups.h>
#endif

namespace cairn::v0 {

// In place of rows of a kind that a scene has none of: their code would cost the others registers.
struct NoRows {};

// A lane of contacts or of joints with a thread of its own, and a lane of contacts with one for each point.
template <class T, class Body> struct ContactAt {
  Body body;
  CAIRN_HD void operator()(int slot, int, int) const { body.template at<T>(slot); }
};
template <class T, class Body> struct JointAt {
  Body body;
  CAIRN_HD void operator()(int slot, int sweep, int sweeps) const { body.template at<T>(slot, sweep, sweeps); }
};
template <class T, class Body> struct SpreadAt { Body body; };

#if CAIRN_WITH_CUDA

// Threads of a lane.
template <class Body> constexpr int kThreadsOf = 1;
template <class T, class Body> constexpr int kThreadsOf<SpreadAt<T, Body>> = kSpreadThreads;

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
  // Whether one block does them at once. `threads`: of a contact.
  __device__ bool narrow(int threads) const {
    const int lanes = static_cast<int>(blockDim.x);
    return (contacts.end - contacts.begin) * kTileLanes * threads <= lanes && (joints.end - joints.begin) * kTileLanes <= lanes;
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
  // Where so many neighbours have a slot together.
  __device__ SweepThreads together(int threads) const { return {thread / threads, count / threads, taken}; }
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

// A thread's way through the contacts of colours. The row of its next slot is there before it is its turn.
template <class T, class Body, class Contact> struct RowWalk {
  const Body& body;
  Contact contact;
  int slot = 0, end = 0, stride = 0;
  bool there = false;

  __device__ explicit RowWalk(const Body& of) : body(of) {}
  __device__ void enter(const SweepThreads& threads, TileSpan span) {
    slot = threads.firstSlot(span);
    end = span.end * kTileLanes;
    stride = threads.count;
  }
  __device__ void read() {
    Contact next{};  // not the one before, which registers would have to keep
    there = false;
    if (slot < end) {
      next.place(body.rows, slot);
      there = LaneTraits<T>::areThere(next.slotsA, next.slotsB);
      if (there) {
        next.read();
        prepareLane<T>(body.operation, next);
      }
    }
    contact = next;
  }
  // The slot whose row has been read. True if the colour has another for this thread.
  __device__ bool run() {
    if (there) body.template run<T>(contact);
    if (slot < end) slot += stride;
    return slot < end;
  }
};
template <class Body> struct ContactWalk;
template <class T, class Body> struct ContactWalk<ContactAt<T, Body>> : RowWalk<T, Body, typename Body::template Contact<T>> {
  __device__ explicit ContactWalk(const ContactAt<T, Body>& at) : RowWalk<T, Body, typename Body::template Contact<T>>(at.body) {}
};
template <class T, class Body> struct ContactWalk<SpreadAt<T, Body>> : RowWalk<T, Body, typename Body::template Spread<T>> {
  __device__ explicit ContactWalk(const SpreadAt<T, Body>& at) : RowWalk<T, Body, typename Body::template Spread<T>>(at.body) {}
};
template <> struct ContactWalk<NoRows> {
  __device__ explicit ContactWalk(NoRows) {}
  __device__ void enter(const SweepThreads&, TileSpan) {}
  __device__ void read() {}
  __device__ bool run() { return false; }
};

// What a colour or a pass over the bodies comes after.
enum class Before { Nothing, Pass, NarrowColour, WideColour };

// The barrier before a pass over the bodies.
__device__ inline void waitFor(Before before) {
  if (before == Before::Nothing) return;
  if (gridDim.x == 1) return __syncthreads();
  cooperative_groups::this_grid().sync();
}

// The sweeps over all `colours`, after `before`. Returns what comes after them.
template <class T, class Body, class JointBody> __device__ Before walkColours(int colours, const RowView<T>& rows, const Body& body,
                                                                              const JointView<T>& joints, const JointBody& jointBody,
                                                                              SweepRange sweeps, Before before) {
  if (colours == 0) return before;
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const SweepThreads all = SweepThreads::ofGrid();
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
      if (++colour == colours) {
        colour = 0;
        if (++sweep == sweeps.first + sweeps.count) return before;
      }
      const bool narrow = next.narrow(kThreadsOf<Body>);
      inBlock = before != Before::Nothing && (gridDim.x == 1 || (before == Before::NarrowColour && narrow));
      inGrid = !inBlock && before != Before::Nothing;
      if (inGrid) arrival = grid.barrier_arrive();
      before = narrow ? Before::NarrowColour : Before::WideColour;
      spans = next;
      next = spansOf(colour + 1 < colours ? colour + 1 : 0);
      threads = narrow ? SweepThreads::ofFirstBlock() : all;
      contacts.enter(threads.together(kThreadsOf<Body>), spans.contacts);
    }
    contacts.read();
    if (inGrid) grid.barrier_wait(static_cast<unsigned&&>(arrival));
    if (inBlock && blockIdx.x == 0) __syncthreads();
  }
}

#endif

}  // namespace cairn::v0
