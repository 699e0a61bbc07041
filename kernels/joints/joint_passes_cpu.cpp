// The passes over joints on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/joints/joint_passes.hpp"
#include "kernels/rows/pack.hpp"

namespace cairn {

template <class T, class Body> void overJointsOnCpu(ThreadTeam& team, const JointView<T>& joints, const Body& body) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int tile = static_cast<int>(begin); tile < end; ++tile) {
      for (int lane = 0; lane < joints.tileLanes[tile]; lane += Pack<T>::kWidth) body.template at<Pack<T>>(tile * kTileLanes + lane);
    }
  };
  if (joints.tileCount < kSerialTiles) return run(0, joints.tileCount);
  team.run(joints.tileCount, run);
}

template void overJointsOnCpu(ThreadTeam&, const JointView<float>&, const RefreshJoint<float>&);
template void overJointsOnCpu(ThreadTeam&, const JointView<double>&, const RefreshJoint<double>&);
template void overJointsOnCpu(ThreadTeam&, const JointView<float>&, const FlagComponents<float>&);
template void overJointsOnCpu(ThreadTeam&, const JointView<double>&, const FlagComponents<double>&);

}  // namespace cairn
