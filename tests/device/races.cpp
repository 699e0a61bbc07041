#include "tests/device/races.hpp"

#include "tests/device/reports.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <vector>

namespace emulated {

uint64_t epochFloor = uint64_t(1) << kSegmentShift;

namespace {

struct Segment {
  unsigned block, phase, warp;
};

// A fence with the atomic after it, and what the thread itself knew by then.
struct Release {
  uint64_t tag;
  int known;
};

// What somebody knows: releases, and what was known before.
struct Knowledge {
  std::vector<int> releases;
  int before, beside;  // -1: nothing
};

// Of the present epoch.
struct Epoch {
  std::vector<Segment> segments;
  std::vector<Release> releases;
  std::vector<Knowledge> knowledge;
  std::unordered_map<const void*, std::vector<int>> releasesAt;
};

Epoch& epoch() {
  static Epoch now;
  return now;
}
uint32_t nextSegment = 1;

const Segment& segmentOf(uint64_t tag) { return epoch().segments[(tag >> kSegmentShift) - (epochFloor >> kSegmentShift)]; }

int learn(std::vector<int> releases, int before, int beside) {
  epoch().knowledge.push_back({std::move(releases), before, beside});
  return static_cast<int>(epoch().knowledge.size()) - 1;
}

// Whether who reads this release knows of the access.
bool covers(const Release& release, uint64_t access) {
  const Segment &by = segmentOf(release.tag), &of = segmentOf(access);
  if (by.block != of.block) return false;
  const bool same = by.warp == of.warp && ((release.tag ^ access) >> kLaneShift & 31) == 0;
  return by.phase > of.phase || (same && fencesOf(release.tag) > fencesOf(access));
}

bool isKnown(uint64_t access, int knowledge) {
  const Epoch& now = epoch();
  std::vector<char> seen(now.knowledge.size(), 0);
  std::vector<int> open{knowledge};
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    if (k < 0 || seen[static_cast<size_t>(k)] != 0) continue;
    seen[static_cast<size_t>(k)] = 1;
    const Knowledge& here = now.knowledge[static_cast<size_t>(k)];
    for (int r : here.releases) {
      const Release& release = now.releases[static_cast<size_t>(r)];
      if (covers(release, access)) return true;
      open.push_back(release.known);
    }
    open.push_back(here.before);
    open.push_back(here.beside);
  }
  return false;
}

}  // namespace

void beginEpoch() {
  Epoch& now = epoch();
  now.segments.clear();
  epochFloor = static_cast<uint64_t>(nextSegment) << kSegmentShift;
  if (now.releases.empty()) return;
  now.releases.clear();
  now.knowledge.clear();
  now.releasesAt.clear();
}

uint64_t newSegment(unsigned block, unsigned phase, unsigned warp) {
  if (nextSegment == UINT32_MAX) {
    complain("more segments than can be told apart in one process");
    std::abort();
  }
  epoch().segments.push_back({block, phase, warp});
  return static_cast<uint64_t>(nextSegment++) << kSegmentShift;
}

bool isOrdered(uint64_t earlier, const DeviceThread& now) {
  const Segment &then = segmentOf(earlier), &here = segmentOf(now.tag);
  if (then.block == here.block) {
    if (then.phase != here.phase) return true;
    if (then.warp == here.warp && earlier >> kSegmentShift != now.tag >> kSegmentShift) return true;
  }
  return now.known >= 0 && isKnown(earlier, now.known);
}

std::string nameOfTag(uint64_t tag) {
  const Segment& segment = segmentOf(tag);
  return "thread " + std::to_string(segment.warp * 32 + (tag >> kLaneShift & 31)) + " of block " + std::to_string(segment.block);
}

void noteFence(DeviceThread& thread) {
  if (fencesOf(thread.tag) < kMostFences) thread.tag += kOneFence;
  if (thread.pending < 0) return;
  const AsHost host;
  thread.known = thread.known < 0 ? thread.pending : learn({}, thread.known, thread.pending);
  thread.pending = -1;
}

void noteAtomic(DeviceThread& thread, const void* address) {
  Epoch& now = epoch();
  const bool releases = fencesOf(thread.tag) > 0;
  if (!releases && now.releases.empty()) return;
  const AsHost host;
  const auto found = now.releasesAt.find(address);
  if (found != now.releasesAt.end()) thread.pending = learn(found->second, thread.pending, -1);
  if (!releases) return;
  now.releases.push_back({thread.tag, thread.known});
  now.releasesAt[address].push_back(static_cast<int>(now.releases.size()) - 1);
}

void joinKnowledge(int& knowledge, const DeviceThread& thread) {
  if (thread.known < 0 || thread.known == knowledge) return;
  knowledge = knowledge < 0 ? thread.known : learn({}, knowledge, thread.known);
}

}  // namespace emulated
