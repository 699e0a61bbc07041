// Where two solids touch, are nearest and meet, by the looks that suit what this code runs on: on the CPU several at once, by functions that are
// compiled for each CPU level (solid_packs_cpu.cpp); on a device by the threads of a warp together, or one after the other. The results are the same.
#pragma once

#include "kernels/collide/solid_impact.hpp"
#include "kernels/collide/solid_samples.hpp"
#include "kernels/collide/solid_warps.hpp"
#include "kernels/runtime/cpu_passes.hpp"

CAIRN_CPU_PASSES(solidPass)

namespace cairn::v0 {

namespace solid {

struct MeetPass {
  const Solid& a;
  const Solid& b;
  const hull::Relative& aInB;
  double margin;
  Reduction& out;
  CAIRN_HD void oneByOne() const { meetSolids(a, b, aInB, margin, out); }
  CAIRN_HD void byWarp() const { meetSolids<LooksByWarp>(a, b, aInB, margin, out); }
  void onCpu(const TeamLoop&) const;
};
struct NearestPass {
  const Solid& a;
  const Solid& b;
  const hull::Relative& aInB;
  double limit;
  Nearest& out;
  CAIRN_HD void oneByOne() const { out = nearestOfSolids(a, b, aInB, limit); }
  CAIRN_HD void byWarp() const { out = nearestOfSolids<LooksByWarp>(a, b, aInB, limit); }
  void onCpu(const TeamLoop&) const;
};
struct SearchPass {
  const MovingSolids& solids;
  SearchOnWay& search;
  CAIRN_HD void oneByOne() const { solids.search(search); }
  CAIRN_HD void byWarp() const { solids.search<WaysByWarp>(search); }
  void onCpu(const TeamLoop&) const;
};
using SolidPasses = CpuPassList<MeetPass, NearestPass, SearchPass>;

// Within the thread that calls, or the warp, all of whose threads do.
template <class Pass> CAIRN_HD inline void runHere(const Pass& pass, [[maybe_unused]] bool byWarp) {
#if defined(__CUDA_ARCH__)
  byWarp ? pass.byWarp() : pass.oneByOne();
#else
  const TeamLoop alone{nullptr, 1, nullptr};
  solidPassHere(SolidPasses::placeOf<Pass>())(&pass, &alone);
#endif
}

}  // namespace solid

}  // namespace cairn::v0
