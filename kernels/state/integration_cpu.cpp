// Integration on the CPU: packs of bodies side by side, the last few of a thread's share one by one.
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/tuning.hpp"
#include "kernels/state/integrate_body.hpp"

namespace cairn::v0 {
namespace {

// Bodies that turn are taken one by one: the pass's own function has what they need.
template <class T> CAIRN_FLATTEN void integratePack(const IntegrateVelocity<T>& pass, int first) {
  if (pass.template byGravity<Pack<T>>(first)) return;
  for (int i = first; i < first + Pack<T>::kWidth; ++i) pass(i);
}
template <class T> CAIRN_FLATTEN void integratePack(const IntegratePosition<T>& pass, int first) { pass.template at<Pack<T>>(first); }

}  // namespace

template <class T, class Pass> void BodyPass<T, Pass>::onCpu(const TeamLoop& team) const {
  const auto run = [this](int64_t begin, int64_t end) {
    int i = static_cast<int>(begin);
    for (; i + Pack<T>::kWidth <= end; i += Pack<T>::kWidth) integratePack(*pass, i);
    for (; i < end; ++i) (*pass)(i);
  };
  if (pass->count < kLightGrain) return run(0, pass->count);
  team.run(pass->count, run);
}

CpuPass bodyPass(int place) { return BodyPasses::at(place); }

}  // namespace cairn::v0
