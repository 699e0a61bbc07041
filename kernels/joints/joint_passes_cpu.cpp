// The passes over joints on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/joints/joint_passes.hpp"
#include "kernels/rows/pack.hpp"
#include "kernels/runtime/tuning.hpp"

namespace cairn::v0 {

namespace {

template <class V, class Body> CAIRN_FLATTEN void runPack(const Body& body, int first) { body.template at<V>(first); }
// Made of parts, of which those for single joints need no packs: what needs them is flat by itself.
template <class V, class T> void runPack(const PrepareJoint<T>& body, int first) { body.template at<V>(first); }
template <class V, class T> void runPack(const RefreshJoint<T>& body, int first) { body.template at<V>(first); }

}  // namespace

template <class T, class Body> void JointPass<T, Body>::onCpu(const TeamLoop& team) const {
  const JointView<T>& view = *joints;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int tile = static_cast<int>(begin); tile < end; ++tile) {
      for (int lane = 0; lane < view.tileLanes[tile]; lane += Pack<T>::kWidth) runPack<Pack<T>>(*body, tile * kTileLanes + lane);
    }
  };
  if (view.tileCount < kSerialTiles) return run(0, view.tileCount);
  team.run(view.tileCount, run);
}

template <class T> void TurnPass<T>::onCpu(const TeamLoop& team) const {
  const auto run = [this](int64_t begin, int64_t end) {
    int i = static_cast<int>(begin);
    for (; i + Pack<T>::kWidth <= end; i += Pack<T>::kWidth) runPack<Pack<T>>(*body, i);
    for (; i < end; ++i) (*body)(i);
  };
  if (count < kLightGrain) return run(0, count);
  team.run(count, run);
}

CpuPass jointPass(int place) { return JointPasses::at(place); }

}  // namespace cairn::v0
