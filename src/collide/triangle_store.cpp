#include "src/collide/triangle_store.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// What pairs have on average at most, and what there is beside that: of few pairs one may have many triangles.
constexpr int kRunsOfPair = 3, kSpareRuns = 256;
constexpr int kTouchesOfPair = 32, kSpareTouches = 8192;
// So many pairs keep a device busy by themselves, and those beyond them need no room.
constexpr int kMostPairs = 1 << 17;

}  // namespace

MeshTriangles TriangleStore::ready(Queue& queue, int pairs) {
  const size_t count = size_t(pairs), roomy = size_t(std::min(pairs, kMostPairs));
  const size_t runs = roomy * kRunsOfPair + kSpareRuns, touches = roomy * kTouchesOfPair + kSpareTouches;
  pairs_.resize(queue, count);
  firstRun_.resize(queue, count);
  spilled_.resize(queue, count);
  counts_.resize(queue, 2);
  counts_.fillZero(queue);
  runs_.resize(queue, runs);
  triangles_.resize(queue, runs * kTrianglesOfRun);
  spans_.resize(queue, runs * kTrianglesOfRun);
  touches_.resize(queue, touches);
  MeshTriangles out{};
  out.pairs = pairs_.data();
  out.firstRun = firstRun_.data();
  out.spilled = spilled_.data();
  out.counts = counts_.data();
  out.runs = runs_.data();
  out.triangles = triangles_.data();
  out.spans = spans_.data();
  out.touches = touches_.data();
  out.runRoom = static_cast<int>(runs);
  out.touchRoom = static_cast<int>(touches);
  return out;
}

}  // namespace cairn::v0
