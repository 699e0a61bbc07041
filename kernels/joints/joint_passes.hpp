// Passes over the rows of all joints that are no sweeps: moving them along with the bodies, asking who is off target, and solving ball joints that
// rotate far. See joint_passes.cu.
#pragma once

#include "kernels/joints/joint_convergence.hpp"
#include "kernels/joints/joint_refresh.hpp"
#include "kernels/joints/joint_system.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn {

// The rows after the bodies have moved within the step, where it suffices without making all anew; dirty[component] says where it does not.
template <class T> void refreshJoints(Queue& queue, const JointView<T>& view, const JointInputs<T>& in, const JointBias<T>& bias,
                                      const BodyMotion<T>* motions, int* dirty);
// The active components are those in which a joint would be off by more than OffTarget after block.h, as `block` counts it.
template <class T> void activateOffTarget(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block);
// Ball joints whose bodies rotate too far within h for anything else, each by itself, in colours.
template <class T> void solveLargeRotations(Queue& queue, const SystemBodies<T>& bodies, T h, T tolerance);

// The CPU's side, in joint_passes_cpu.cpp: packs of lanes, compiled by the host compiler for each CPU level.
template <class T, class Body> struct JointPass {
  const JointView<T>* joints;
  const Body* body;
  void onCpu(const TeamLoop& team) const;
};
template <class T> using JointPassesIn = CpuPassList<JointPass<T, RefreshJoint<T>>, JointPass<T, FlagComponents<T>>>;
using JointPasses = JoinCpuPasses<JointPassesIn<float>, JointPassesIn<double>>::List;

}  // namespace cairn
