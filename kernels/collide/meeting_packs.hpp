// The ways of fast shapes in packs of CPU lanes. See meeting_packs_cpu.cpp.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

// Fewer fast shapes go alone: each may have much to do, which threads then share better.
constexpr int kFewWays = 128;
constexpr int kVisitBytes = 256;  // that what looks at a way needs at most

// Shapes that lie one after the other in the list go through the tree together.
template <class T> struct MeetingsInPacks {
  BoundedShapes<T> bounded;
  const int* items;  // shape slots
  int count;
  // As continuous_collision.cu has it: what looks at the way of an item, made in place, and that way's bounds (ShapeBounds<T>* way), false if it is
  // not looked at; and what it does with a shape whose bounds the way overlaps.
  const void* find;
  bool (*prepare)(const void* find, int item, void* visit, void* way);
  void (*meet)(void* visit, int code);
  void onCpu(const TeamLoop& team) const;
};
using MeetingPasses = CpuPassList<MeetingsInPacks<float>, MeetingsInPacks<double>>;

}  // namespace cairn::v0
