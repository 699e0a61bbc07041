// Tiles of contact rows on the CPU: packs of lanes one after the other, the next one's memory on its way. Read by *_cpu.cpp files alone.
#pragma once

#include "kernels/joints/joint_sweep.hpp"
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/runtime/fetch.hpp"
#include "kernels/solve/contact_sweep.hpp"

namespace cairn::v0 {

// Records of 8 scalars that an operation reads by body, beside velocities and inertias.
template <class T, class Operation> CAIRN_FETCH const T* recordsBeside(const ColouredLane<T, Operation>&) { return nullptr; }
template <class T> CAIRN_FETCH const T* recordsBeside(const ColouredLane<T, FirstSolve<T>>& body) { return body.operation.motions; }

// Fetches the body records of a later pack while this one computes: in scenes beyond the second-level cache they are what a sweep waits for.
template <class T, class Operation> CAIRN_FETCH void prefetchBodies(const ColouredLane<T, Operation>& body, int slot) {
  const T* const beside = recordsBeside(body);
  for (int lane = 0; lane < Pack<T>::kWidth; ++lane) {
    for (const int* bodies : {body.rows.bodyA, body.rows.bodyB}) {
      const int64_t record = 8 * static_cast<int64_t>(slotOf(bodies[slot + lane]));
      fetchLine(body.velocities + record);
      fetchLine(body.inertias + record);
      if (beside != nullptr) fetchLine(beside + record);
    }
  }
}

// Sweeps but for the first of a substep read no more than the fields that are for sweeps.
template <class Body> constexpr bool kReadsAllFields = true;
template <class T> constexpr bool kReadsAllFields<ColouredLane<T, SolveBlock<T>>> = false;
template <class T> constexpr bool kReadsAllFields<ColouredLane<T, BeginBlock<T>>> = false;

// What is read of the strip behind this pack's, shared out among the packs of a strip: the hardware's prefetcher stops at the end of each page of
// 4 KB, which is about what a strip takes, and would have to start anew with each. All at once: bit by bit between a pack's operations they come too
// late.
template <bool all, class T> CAIRN_FETCH void prefetchStrip(const RowView<T>& rows, int slot, int end) {
  constexpr int kPacks = kStripOnCpu / Pack<T>::kWidth, kLineScalars = kLineBytes / sizeof(T), kFieldLines = kStripOnCpu / kLineScalars;
  const int place = slot % kStripOnCpu, pack = place / Pack<T>::kWidth, behind = slot - place + kStripOnCpu;
  const int strip = behind < end ? behind : (slot / kTileLanes + 1) * kTileLanes;
  if (strip >= rows.tileCount * kTileLanes) return;
  const int points = rows.tilePoints[strip / kTileLanes], lines = (all ? tileFields(points) : sweptFields(points)) * kFieldLines;
  const int first = pack * lines / kPacks, last = (pack + 1) * lines / kPacks;
  fetch(laneFields(rows, strip, kStripOnCpu) + first * kLineScalars, size_t(last - first) * kLineScalars);
}

// Passes over rows read what lies beside them.
template <class Body> CAIRN_FETCH void prefetchBodies(const Body&, int) {}

// The operations of every step have code for narrower packs too, for the last lanes of a colour: a pack fetches and transposes the records of lanes
// that are empty like all others, and small scenes have little else than last lanes. What an operation does in a lane is the same in packs of any
// width.
template <class Body> constexpr bool kInNarrowPacks = false;
template <class T> constexpr bool kInNarrowPacks<ColouredLane<T, SolveBlock<T>>> = true;
template <class T> constexpr bool kInNarrowPacks<ColouredLane<T, FirstSolve<T>>> = true;
template <class T> constexpr bool kInNarrowPacks<ColouredLane<T, BeginBlock<T>>> = true;
template <class T> constexpr bool kInNarrowPacks<ColouredJoint<T, JointBlock<T>>> = true;
template <class T> constexpr bool kInNarrowPacks<ColouredJoint<T, JointBegin<T>>> = true;

// run(OfPack<V>) with the narrowest pack that holds so many lanes, or with the widest one, which need not hold all.
template <class V> struct OfPack { using Type = V; };
template <bool narrow, class T, int lanes = kPackLanes<T>, class Run> inline void withPackFor(int left, const Run& run) {
  if constexpr (narrow && lanes > kFewestLanes<T>) {
    if (left <= lanes / 2) return withPackFor<narrow, T, lanes / 2>(left, run);
  }
  run(OfPack<Pack<T, lanes>>{});
}

template <class T, class Body> inline void runTile(const RowView<T>& rows, const Body& body, int tile) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int lanes = rows.tileLanes[tile];
  for (int lane = 0; lane < lanes; lane += kWidth) {
    const int slot = tile * kTileLanes + lane;
    // The next pack, in this tile or at the start of the next one.
    const int next = lane + kWidth < lanes ? slot + kWidth : (tile + 1) * kTileLanes;
    if (rows.tileCount >= kFetchedTiles && next < rows.tileCount * kTileLanes) {
      prefetchStrip<kReadsAllFields<Body>>(rows, slot, tile * kTileLanes + lanes);
      prefetchBodies(body, next);
    }
    withPackFor<kInNarrowPacks<Body>, T>(lanes - lane, [&body, slot](auto of) { body.template at<typename decltype(of)::Type>(slot); });
  }
}

template <class T, class Body> void runTiles(const TeamLoop& team, const RowView<T>& rows, const Body& body, int begin, int end) {
  const auto run = [&](int64_t from, int64_t to) {
    for (int tile = begin + static_cast<int>(from); tile < begin + to; ++tile) runTile(rows, body, tile);
  };
  if (end - begin < kSerialTiles) return run(0, end - begin);
  team.run(end - begin, run);
}

}  // namespace cairn::v0
