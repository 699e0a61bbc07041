// Who accessed a word last, and whether that was before what happens now.
//
// Threads of a launch run one after another here, so that a race never happens by itself: it is found by asking what orders two accesses. A *segment*
// is what the threads of a warp do between two barriers that concern them. Segments are numbered in the order in which they begin. An *epoch* is what
// the grid does between two of its barriers; all segments of earlier epochs have numbers below the first of this one.
//
// Two accesses of different threads in one epoch are ordered if a barrier of their block or warp is between them, or a chain of fence, atomic,
// atomic, fence: what a thread did before its fence is known to whom reads its atomic and fences in turn. Otherwise they are a race if one of them is
// a plain write.
#pragma once

#include "tests/device/threads.hpp"

#include <cstdint>
#include <string>

namespace emulated {

// A tag: segment (32 bits), lane (5), fences of the thread so far (13), atomic (1), bytes of the word (4).
constexpr unsigned kSegmentShift = 32, kLaneShift = 27, kFenceShift = 14, kByteShift = 9;
constexpr uint64_t kAtomicTag = uint64_t(1) << 13, kAllBytes = uint64_t(0xf) << kByteShift, kOneFence = uint64_t(1) << kFenceShift;
constexpr unsigned kMostFences = (1u << (kLaneShift - kFenceShift)) - 1;

inline bool sameThread(uint64_t tag, uint64_t other) { return (tag ^ other) >> kLaneShift == 0; }
inline unsigned fencesOf(uint64_t tag) { return static_cast<unsigned>(tag >> kFenceShift) & kMostFences; }

extern uint64_t epochFloor;  // tags below are of earlier epochs; nothing has the tag 0

void beginEpoch();
// The tag of the first lane of a warp in a new segment. `phase`: how many barriers the block has had.
uint64_t newSegment(unsigned block, unsigned phase, unsigned warp);
bool isOrdered(uint64_t earlier, const DeviceThread& now);
std::string nameOfTag(uint64_t tag);

void noteFence(DeviceThread& thread);
void noteAtomic(DeviceThread& thread, const void* address);
// After a barrier of the block every thread knows what one of them did. `knowledge` is joined into.
void joinKnowledge(int& knowledge, const DeviceThread& thread);

}  // namespace emulated
