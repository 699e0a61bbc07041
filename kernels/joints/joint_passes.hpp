// Passes over the rows of all joints that are no sweeps: making them anew, moving them along with the bodies, asking who is off target, and solving
// ball joints that rotate far. See joint_passes.cu.
#pragma once

#include "kernels/joints/joint_collect.hpp"
#include "kernels/joints/joint_convergence.hpp"
#include "kernels/joints/joint_refresh.hpp"
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/joints/joint_turns.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

// Geometry, effective masses, errors and impulses of every lane, at the bodies' poses. `direct`: nothing but the direct solve acts on them, which
// needs no masses where points are held.
template <class T>
void prepareJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias, bool direct = false);
// The same within a step for joints on which nothing else acts, but for their impulses.
template <class T> void prepareJointsAnew(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias);
// Rows at the poses for displacements instead of velocities: errors up to `maxError` [m], turns up to that by the lever; violations[slot]: a joint's
// offset [m].
template <class T> void measureJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, T maxError, T lever, T* violations);
// The rows after the bodies have moved within the step, where it suffices without making all anew; dirty[component] says where it does not.
template <class T> void refreshJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias,
                                      const BodyMotion<T>* motions, int* dirty);
// flag.active[component] := 1 where a joint would be off by more than OffTarget after block.h, as the block counts it. For CPU threads: on CUDA it is
// a part of the launch that solves (joint_system).
template <class T> void flagOffTarget(Queue& queue, const FlagComponents<T>& flag);
// The rows of the direct solve, its right-hand side, and what it has found; likewise.
template <class T> void makeRows(Queue& queue, const MakeRows<T>& of);
template <class T> void rightHandSide(Queue& queue, const RightHandSide<T>& of);
template <class T> void storeImpulses(Queue& queue, const StoreImpulses<T>& of);
// Ball joints whose bodies rotate too far within h for anything else, each by itself, in colours.
template <class T> void solveLargeRotations(Queue& queue, const SystemBodies<T>& bodies, T h, T tolerance, JointSums sums);

// The CPU's side, in joint_passes_cpu.cpp: packs of lanes, compiled by the host compiler for each CPU level.
template <class T, class Body> struct JointPass {
  const JointView<T>* joints;
  const Body* body;
  void onCpu(const TeamLoop& team) const;
};
// Bodies side by side.
template <class T> struct TurnPass {
  int count;
  const FollowTurn<T>* body;
  void onCpu(const TeamLoop& team) const;
};
template <class T> using JointPassesIn =
    CpuPassList<JointPass<T, PrepareJoint<T>>, JointPass<T, RefreshJoint<T>>, JointPass<T, FlagComponents<T>>, JointPass<T, RightHandSide<T>>,
                JointPass<T, MakeRows<T>>, JointPass<T, StoreImpulses<T>>, JointPass<T, FindLargeRotation<T>>, JointPass<T, CollectJoint<T>>,
                JointPass<T, CollectStep<T>>, JointPass<T, TurnImpulses<T>>, TurnPass<T>>;
using JointPasses = JoinCpuPasses<JointPassesIn<float>, JointPassesIn<double>>::List;

}  // namespace cairn::v0
