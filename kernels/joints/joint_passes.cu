// Passes over the rows of all joints that are no sweeps.
//
// A pass reads bodies and writes to the rows of its own lane, so that lanes run in any order; components are marked by atomic or. Far joints change
// velocities: they go colour by colour, and overflow constraints, which share bodies, are left as they are. A CPU takes packs of lanes, except for
// far joints: the work of each is its own.
#include "kernels/joints/joint_passes.hpp"

#include "kernels/rows/lane_launch.hpp"
#include "kernels/solve/contact_sweep.hpp"
#include "kernels/solve/sweep_launch.hpp"

CAIRN_CPU_PASSES(jointPass)

namespace cairn {
namespace {

template <class T> struct RefreshJointAt {
  RefreshJoint<T> body;
  CAIRN_HD void operator()(int lane) const {
    if (body.prepare.view.joint[lane] >= 0) body.template at<T>(lane);
  }
};

template <class T> struct LargeRotationAt {
  ColouredJoint<T, LargeRotation<T>> body;
  int firstLane;
  CAIRN_HD void operator()(int i) const { body.template at<T>(firstLane + i, 0, 1); }
};

}  // namespace

template <class T> void refreshJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias,
                                      const BodyMotion<T>* motions, int* dirty) {
  const RefreshJoint<T> body{PrepareJoint<T>{view, in, bias, false}, reinterpret_cast<const T*>(motions), dirty};
  queue.label = "joints/refresh";
  if (queue.target == Target::Cpu) return runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, RefreshJoint<T>>{&view, &body});
  overLanes(queue, "joints/refresh", view, RefreshJointAt<T>{body});
}

template <class T> void flagOffTarget(Queue& queue, const FlagComponents<T>& flag) {
  queue.label = "joints/flag";
  runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, FlagComponents<T>>{&flag.view, &flag});
}

template <class T> void solveLargeRotations(Queue& queue, const SystemBodies<T>& bodies, T h, T tolerance) {
  const JointView<T>& joints = bodies.joints;
  if (joints.tileCount == 0) return;
  const ColouredJoint<T, LargeRotation<T>> body{joints, reinterpret_cast<T*>(bodies.velocities), reinterpret_cast<const T*>(bodies.inertias),
                                                LargeRotation<T>{joints, bodies.records, h, tolerance}};
  if (queue.target == Target::Cuda) {
    queue.label = "joints/large_rotations";
    return sweepColoursOnCuda(queue, RowView<T>{}, joints, {0, 1, 1}, NoRows{}, JointAt<T, ColouredJoint<T, LargeRotation<T>>>{body});
  }
  for (int colour = 0; colour < joints.colourCount; ++colour) {
    const int first = joints.hostColourTiles[colour] * kTileLanes, count = joints.hostColourTiles[colour + 1] * kTileLanes - first;
    forEach(queue, "joints/large_rotations", count, LargeRotationAt<T>{body, first}, kHeavyGrain);
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                                        \
  template void refreshJoints(Queue&, const JointView<T>&, const JointInputs<T>&, const JointBias<T>&, const BodyMotion<T>*, int*); \
  template void flagOffTarget(Queue&, const FlagComponents<T>&);                                                                    \
  template void solveLargeRotations(Queue&, const SystemBodies<T>&, T, T);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
