// Integration on the CPU: packs of bodies side by side, narrower ones for the last of a thread's share, and the last few one by one.
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/fetch.hpp"
#include "kernels/runtime/tuning.hpp"
#include "kernels/state/integrate_body.hpp"

namespace cairn::v0 {
namespace {

// Bodies with forces are taken one by one: the pass's own function has what they need.
template <class V, class T> CAIRN_FLATTEN void integratePack(const IntegrateVelocity<T>& pass, int first) {
  if (pass.bodies.forces == nullptr) return pass.template at<V>(first);
  for (int i = first; i < first + V::kWidth; ++i) pass(i);
}
template <class V, class T> CAIRN_FLATTEN void integratePack(const IntegratePosition<T>& pass, int first) { pass.template at<V>(first); }

// Bodies are fetched while a pack computes: those of the pack after the next.
constexpr int kPacksAhead = 2;

template <class T> CAIRN_FETCH void fetchBodies(const IntegrateVelocity<T>& pass, int first, size_t count) {
  fetch(pass.bodies.velocities + first, count);
  fetch(pass.bodies.motions + first, count);
  fetch(pass.bodies.inertias + first, count);
  if (pass.kept != nullptr) fetch(pass.kept + first, count);
  if (pass.last != nullptr) fetch(pass.last + first, count);
}
template <class T> CAIRN_FETCH void fetchBodies(const IntegratePosition<T>& pass, int first, size_t count) {
  fetch(pass.bodies.velocities + first, count);
  fetch(pass.bodies.poses + first, count);
  fetch(pass.bodies.motions + first, count);
}

// Whole packs of bodies from `first` on, wide ones first; where the rest begins.
template <class T, int lanes, class Pass> int integratePacks(const Pass& pass, int first, int end) {
  for (; first + lanes <= end; first += lanes) {
    const int ahead = first + kPacksAhead * lanes;
    if (pass.count >= kFetchedBodies && ahead + lanes <= end) fetchBodies(pass, ahead, lanes);
    integratePack<Pack<T, lanes>>(pass, first);
  }
  if constexpr (lanes > kFewestLanes<T>) return integratePacks<T, lanes / 2>(pass, first, end);
  return first;
}

}  // namespace

template <class T, class Pass> void BodyPass<T, Pass>::onCpu(const TeamLoop& team) const {
  const auto run = [this](int64_t begin, int64_t end) {
    const int last = static_cast<int>(end);
    for (int i = integratePacks<T, kPackLanes<T>>(*pass, static_cast<int>(begin), last); i < last; ++i) (*pass)(i);
  };
  if (pass->count < kBodyGrain) return run(0, pass->count);
  team.run(pass->count, run);
}

CpuPass bodyPass(int place) { return BodyPasses::at(place); }

}  // namespace cairn::v0
