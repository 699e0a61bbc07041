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

namespace cairn::v0 {
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

// The error of the locked translations, for a correction of positions that has just been tried.
template <class T> struct MeasureJoint {
  JointView<T> view;
  JointInputs<T> in;
  T* violations;

  CAIRN_HD void operator()(int slot) const {
    const int index = view.joint[slot];
    violations[slot] = T(0);
    if (index < 0) return;
    const JointRecord<T>& j = in.records[index];
    const joint::Frames<T> f = joint::framesOf(j, in.poses[j.bodyA], in.poses[j.bodyB]);
    const Vec3<T> x = inverseRotate(f.qA, f.offset);
    const Vec3<T> locked{(j.lockedLinear & 1) != 0 ? x.x : T(0), (j.lockedLinear & 2) != 0 ? x.y : T(0), (j.lockedLinear & 4) != 0 ? x.z : T(0)};
    violations[slot] = length(locked);
  }
};

template <class T> void prepare(Queue& queue, const char* label, const PrepareJoint<T>& body) {
  queue.label = label;
  if (queue.target == Target::Cpu) return runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, PrepareJoint<T>>{&body.view, &body});
  overLanes(queue, label, body.view, body);
}

}  // namespace

template <class T> void prepareJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias, bool direct) {
  prepare(queue, "joints/prepare", PrepareJoint<T>{view, in, bias, true, false, direct});
}

template <class T> void prepareJointsAnew(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias) {
  prepare(queue, "joints/prepare", PrepareJoint<T>{view, in, bias, true, false, true, true});
}

template <class T> void measureJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, T maxError, T lever, T* violations) {
  JointBias<T> bias{};  // displacements: the whole error, within a step of 1
  bias.h = bias.rate = bias.errorFraction = T(1);
  bias.maxSpeed = maxError;
  bias.maxTurnSpeed = maxError / lever;
  bias.lever = lever;
  prepare(queue, "joints/prepare_positions", PrepareJoint<T>{view, in, bias, true, true});
  overLanes(queue, "joints/measure", view, MeasureJoint<T>{view, in, violations}, kLightGrain / 8);
}

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

template <class T> void rightHandSide(Queue& queue, const RightHandSide<T>& of) {
  queue.label = "joint_system/right_hand_side";
  runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, RightHandSide<T>>{&of.bodies.joints, &of});
}

template <class T> void makeRows(Queue& queue, const MakeRows<T>& of) {
  queue.label = "joint_system/rows";
  runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, MakeRows<T>>{&of.bodies.joints, &of});
}

template <class T> void storeImpulses(Queue& queue, const StoreImpulses<T>& of) {
  queue.label = "joint_system/store";
  runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, StoreImpulses<T>>{&of.bodies.joints, &of});
}

template <class T> void solveLargeRotations(Queue& queue, const SystemBodies<T>& bodies, T h, T tolerance, JointSums sums) {
  const JointView<T>& joints = bodies.joints;
  if (joints.tileCount == 0) return;
  const ColouredJoint<T, LargeRotation<T>> body{joints, reinterpret_cast<T*>(bodies.velocities), reinterpret_cast<const T*>(bodies.inertias),
                                                LargeRotation<T>{joints, bodies.records, h, tolerance, sums}};
  if (queue.target == Target::Cuda) {
    queue.label = "joints/large_rotations";
    return sweepColoursOnCuda(queue, RowView<T>{}, joints, {0, 1, 1}, NoRows{}, JointAt<T, ColouredJoint<T, LargeRotation<T>>>{body});
  }
  int found = 0;
  const FindLargeRotation<T> find{body.velocities, T(kLargeRotation * kLargeRotation) / (h * h), joints, &found};
  queue.label = "joints/large_rotations";
  runOnCpu<JointPasses>(jointPassHere, *queue.team, JointPass<T, FindLargeRotation<T>>{&joints, &find});
  if (found == 0) return;
  for (int colour = 0; colour < joints.colourCount; ++colour) {
    const int first = joints.hostColourTiles[colour] * kTileLanes, count = joints.hostColourTiles[colour + 1] * kTileLanes - first;
    forEach(queue, "joints/large_rotations", count, LargeRotationAt<T>{body, first}, kHeavyGrain);
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                                        \
  template void prepareJoints(Queue&, const JointView<T>&, const JointInputs<T>&, const JointBias<T>&, bool);                       \
  template void prepareJointsAnew(Queue&, const JointView<T>&, const JointInputs<T>&, const JointBias<T>&);                         \
  template void measureJoints(Queue&, const JointView<T>&, const JointInputs<T>&, T, T, T*);                                        \
  template void refreshJoints(Queue&, const JointView<T>&, const JointInputs<T>&, const JointBias<T>&, const BodyMotion<T>*, int*); \
  template void flagOffTarget(Queue&, const FlagComponents<T>&);                                                                    \
  template void rightHandSide(Queue&, const RightHandSide<T>&);                                                                     \
  template void makeRows(Queue&, const MakeRows<T>&);                                                                               \
  template void storeImpulses(Queue&, const StoreImpulses<T>&);                                                                     \
  template void solveLargeRotations(Queue&, const SystemBodies<T>&, T, T, JointSums);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
