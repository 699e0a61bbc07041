#include "src/joints/joint_solve.hpp"

#include "kernels/joints/joint_islands.hpp"
#include "kernels/joints/joint_passes.hpp"
#include "src/joints/joint_stabilization.hpp"

#include <algorithm>
#include <type_traits>

namespace cairn::v0 {
namespace {

constexpr int kMinSolves = 4;

template <class T> JointInputs<T> inputsOf(const StepContext<T>& step) {
  JointInputs<T> in = jointInputs(step.joints, step.poses, step.velocities, step.inertias, step.overflow.partCounts);
  in.asleep = step.asleep;
  return in;
}

template <class T> SystemBodies<T> systemBodies(const StepContext<T>& step, BodyVelocity<T>* velocities) {
  SystemBodies<T> bodies{};
  bodies.records = step.joints.records;
  bodies.axisRows = step.joints.axisRows;
  bodies.laneOfJoint = step.joints.laneOfJoint;
  bodies.joints = step.joints.rows;
  bodies.poses = step.poses;
  bodies.velocities = velocities;
  bodies.inertias = step.inertias;
  return bodies;
}

// Where no joint has limits a factor serves all of a step in which bodies hardly turn: each substep looks, before bodies move, whether the answer is
// good enough. Other stabilizations do not look, and double is asked for to be exact.
template <class T> bool keepsFactors(const StepContext<T>& step) {
  return std::is_same_v<T, float> && !step.joints.system.limited && step.settings.jointStabilization == JointStabilization::Pre;
}

// Nothing but the direct solve acts on the joints, which are by themselves.
template <class T> bool solvedAlone(const StepContext<T>& step) {
  return step.jointsAlone() && !needsSweeps(step) && step.settings.solver != Solver::Lemke;
}
template <class T> JointBlock<T> summing(const StepContext<T>& step, JointBlock<T> block, JointSums sums) {
  if (step.joints.atOnce) block.sums = sums;
  return block;
}

template <class T> void prepareRows(StepContext<T>& step, double h) {
  prepareJoints(step.queue, step.joints.rows, inputsOf(step), jointBias<T>(step.settings, h), step.joints.atOnce);
}

template <class T> void forgetImpulses(StepContext<T>& step) {
  fillBytes(step.queue, step.joints.impulses, 0, static_cast<size_t>(step.joints.slotCount) * sizeof(JointImpulse<T>));
  fillBytes(step.queue, step.joints.rowImpulses, 0, static_cast<size_t>(step.joints.axisRowCount) * sizeof(T));
}

}  // namespace

template <class T> void beginJoints(StepContext<T>& step) {
  const JointStepView<T>& joints = step.joints;
  if (joints.count == 0) return;
  step.joints.atOnce = solvedAlone(step);
  fillBytes(step.queue, joints.reactions, 0, static_cast<size_t>(joints.slotCount) * sizeof(JointReaction<T>));
  findInContact(step.queue, joints.system, step.manifolds);
  if (step.asleep != nullptr) markAsleep(step.queue, joints.system, step.asleep);
  if (joints.rowsCurrent) {
    if (keepsFactors(step)) markOlderDirty(step.queue, joints.system);
    return;
  }
  const double h = step.settings.dt / step.settings.substeps;
  findLeans(step.queue, joints.records, joints.liveOnTarget, joints.count, step.constants, joints.leans);
  if (!joints.inertiasCurrent) stiffenBodies(step.queue, step.bodySlots, joints.ofBodies, inputsOf(step), T(h), step.inertias);
  if (!step.settings.warmStart) forgetImpulses(step);
  prepareRows(step, h);
  markAllDirty(step.queue, joints.system);
}

template <class T> void predictJoints(StepContext<T>& step, double h) {
  if (step.joints.boxes.count == 0) return;
  predictBlackBoxes(step.queue, step.joints.boxes, step.joints.records, step.poses, step.velocities, T(h));
  prepareRows(step, h);
}

template <class T> void solveJoints(StepContext<T>& step, BodyVelocity<T>* velocities, const JointBlock<T>& block) {
  solveJointSystem(step.queue, step.joints.system, systemBodies(step, velocities), block, SystemPart::All);
}

template <class T> void solveJointsOutOfContact(StepContext<T>& step, const JointBlock<T>& block) {
  solveJointSystem(step.queue, step.joints.system, systemBodies(step, step.velocities), block, SystemPart::OutOfContact);
}

template <class T> void putVelocitiesRight(StepContext<T>& step, const JointBlock<T>& block, bool last) {
  const SystemPart part = last || !keepsFactors(step) ? SystemPart::All : SystemPart::Delicate;
  solveJointSystem(step.queue, step.joints.system, systemBodies(step, step.velocities), summing(step, block, JointSums::Add), part);
}

template <class T> void solveJointsToTarget(StepContext<T>& step, const JointBlock<T>& asked, int substep) {
  if (step.joints.count == 0) return;
  const JointBlock<T> block = summing(step, asked, substep == 1 ? JointSums::Begin : JointSums::Substep);
  if (block.error != JointError::Predicted) return solveJoints(step, step.velocities, block);
  // Each solve starts where the last one would have brought the bodies. The most of them is fixed: a component that has arrived passes the rest by.
  const SystemBodies<T> bodies = systemBodies(step, step.velocities);
  solveJointSystem(step.queue, step.joints.system, bodies, block, SystemPart::All, std::max(kMinSolves, step.settings.iterations));
  solveLargeRotations(step.queue, bodies, block.h, OffTarget<T>::value * block.lever, block.sums);
}

template <class T> bool needsSweeps(const StepContext<T>& step) {
  const JointStepView<T>& joints = step.joints;
  return step.settings.jointSolver == JointSolver::Sweeps || step.rows.tileCount > 0 || step.environments.any() || joints.axisRowCount > 0 ||
         joints.anySwept || joints.boxes.count > 0;
}

template <class T> void collectJointImpulses(StepContext<T>& step, double h) {
  if (step.joints.count == 0) return;
  const JointStepView<T>& joints = step.joints;
  if (!joints.atOnce) return collectJoints(step.queue, joints.rows, inputsOf(step), static_cast<JointReaction<T>*>(nullptr), T(h));
  turnImpulses(step.queue, joints.rows, inputsOf(step), T(h));
}

template <class T> void collectJointReactions(StepContext<T>& step, double h, bool last) {
  const JointStepView<T>& joints = step.joints;
  if (joints.count == 0) return;
  if (!joints.atOnce) return collectJoints(step.queue, joints.rows, inputsOf(step), joints.reactions, T(h));
  if (last) collectStep(step.queue, joints.rows, inputsOf(step), joints.reactions, step.settings.substeps);
}

template <class T> void followBodies(StepContext<T>& step, double h, int substep) {
  const JointStepView<T>& joints = step.joints;
  if (joints.count == 0) return;
  // Arms and inertias turn with the bodies: velocities are corrected at the new poses, not at the old ones.
  JointsOfBodies ofBodies = joints.ofBodies;
  if (joints.system.componentCount > 0) ofBodies.components = {joints.system.componentOfBody, joints.system.found};
  JointInputs<T> in = inputsOf(step);
  if (joints.atOnce) {
    in.lanes = joints.rows;
    in.laneOfJoint = joints.laneOfJoint;
  }
  followTurns(step.queue, step.bodySlots, ofBodies, in, T(h), step.constants, step.inertias, step.velocities);
  // Beside contacts, whose rows do not turn within a step either, most joints can wait. By themselves they stay exact, and their energy with them.
  if (!step.jointsAlone()) {
    return refreshJoints(step.queue, joints.rows, inputsOf(step), jointBias<T>(step.settings, h), step.motions, joints.system.dirty);
  }
  if (joints.atOnce) {
    prepareJointsAnew(step.queue, joints.rows, inputsOf(step), jointBias<T>(step.settings, h));
  } else {
    prepareRows(step, h);
  }
  if (keepsFactors(step)) {
    markMoved(step.queue, joints.system, step.bodySlots, step.motions, substep);
  } else {
    markAllDirty(step.queue, joints.system);
  }
  if (substep == step.settings.substeps && step.settings.warmStart) step.joints.rowsCurrent = true;  // the next step may start from them
}

template <class T> void measureJointErrors(StepContext<T>& step, T* violations, T maxError) {
  if (step.joints.count == 0) return;
  step.joints.rowsCurrent = false;
  const T lever = jointBias<T>(step.settings, step.settings.dt).lever;
  measureJoints(step.queue, step.joints.rows, inputsOf(step), maxError, lever, violations);
  markAllDirty(step.queue, step.joints.system);
}

#define CAIRN_INSTANTIATE(T)                                                          \
  template void beginJoints(StepContext<T>&);                                         \
  template void predictJoints(StepContext<T>&, double);                               \
  template void solveJoints(StepContext<T>&, BodyVelocity<T>*, const JointBlock<T>&); \
  template void solveJointsOutOfContact(StepContext<T>&, const JointBlock<T>&);       \
  template void putVelocitiesRight(StepContext<T>&, const JointBlock<T>&, bool);      \
  template void solveJointsToTarget(StepContext<T>&, const JointBlock<T>&, int);      \
  template bool needsSweeps(const StepContext<T>&);                                   \
  template void collectJointImpulses(StepContext<T>&, double);                        \
  template void collectJointReactions(StepContext<T>&, double, bool);                 \
  template void followBodies(StepContext<T>&, double, int);                           \
  template void measureJointErrors(StepContext<T>&, T*, T);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
