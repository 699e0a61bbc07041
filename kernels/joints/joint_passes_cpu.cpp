// The passes over joints on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/joints/joint_passes.hpp"
#include "kernels/rows/pack.hpp"

namespace cairn {

template <class T, class Body> void overJointsOnCpu(int threads, const JointView<T>& joints, const Body& body) {
  const auto run = [&](int tile) {
    for (int lane = 0; lane < joints.tileLanes[tile]; lane += Pack<T>::kWidth) body.template at<Pack<T>>(tile * kTileLanes + lane);
  };
  if (threads <= 1 || joints.tileCount < kSerialTiles) {
    for (int tile = 0; tile < joints.tileCount; ++tile) run(tile);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int tile = 0; tile < joints.tileCount; ++tile) run(tile);
}

template void overJointsOnCpu(int, const JointView<float>&, const RefreshJoint<float>&);
template void overJointsOnCpu(int, const JointView<double>&, const RefreshJoint<double>&);
template void overJointsOnCpu(int, const JointView<float>&, const FlagComponents<float>&);
template void overJointsOnCpu(int, const JointView<double>&, const FlagComponents<double>&);

}  // namespace cairn
