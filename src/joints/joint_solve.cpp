#include "src/joints/joint_solve.hpp"

#include "src/rows/stabilization.hpp"

#include <algorithm>

namespace cairn {
namespace {

constexpr int kMostSolves = 4;

template <class T> bool besideContacts(const StepContext<T>& step) { return step.manifolds.count > 0; }

}  // namespace

template <class T> JointInputs<T> JointSolve<T>::inputs(StepContext<T>& step) const {
  JointInputs<T> in = step.joints->inputs();
  in.poses = step.poses;
  in.velocities = step.velocities;
  in.inertias = step.inertias;
  in.partCounts = partCounts_;
  return in;
}

template <class T> SystemBodies<T> JointSolve<T>::systemBodies(StepContext<T>& step, BodyVelocity<T>* velocities) const {
  return {step.joints->records(), step.joints->inputs().axisRows, step.joints->slotOfJoint(), step.jointRows, step.poses, velocities, step.inertias};
}

template <class T> void JointSolve<T>::prepare(StepContext<T>& step, double h) {
  prepareJoints(step.queue, step.jointRows, inputs(step), jointBias<T>(step.settings, h));
  staleAll(step.queue, step.joints->system());
}

template <class T> void JointSolve<T>::begin(StepContext<T>& step, const T* partCounts) {
  if (step.joints == nullptr) return;
  partCounts_ = partCounts;
  step.joints->beginStep();
  findTouching(step.queue, step.joints->system(), step.manifolds.manifolds, step.manifolds.count);
  if (step.joints->rowsPrepared()) return;
  const double h = step.settings.dt / step.settings.substeps;
  stiffenBodies(step.queue, step.bodySlots, step.joints->ofBodies(), inputs(step), T(h), false, step.inertias, step.velocities);
  if (!step.settings.warmStart) step.joints->forgetImpulses();
  prepare(step, h);
}

template <class T> void JointSolve<T>::predict(StepContext<T>& step, double h) {
  if (step.joints == nullptr || !step.joints->anyBlackBox()) return;
  step.joints->predict(T(h));
  prepareJoints(step.queue, step.jointRows, inputs(step), jointBias<T>(step.settings, h));
}

template <class T> void JointSolve<T>::solveSystem(StepContext<T>& step, BodyVelocity<T>* velocities, const JointBlock<T>& block) {
  if (step.joints == nullptr) return;
  const SystemView system = step.joints->system();
  if (system.nodeCount == 0) return;
  wantAll(step.queue, system);
  solveJointSystem(step.queue, system, systemBodies(step, velocities), block);
}

template <class T> void JointSolve<T>::solveUntouched(StepContext<T>& step, const JointBlock<T>& block) {
  if (step.joints == nullptr) return;
  const SystemView system = step.joints->system();
  if (system.nodeCount == 0) return;
  wantUntouched(step.queue, system);
  solveJointSystem(step.queue, system, systemBodies(step, step.velocities), block);
}

// Which components are off. On the CPU: whether any is; nobody waits for a device to say.
template <class T> bool JointSolve<T>::flag(StepContext<T>& step, const SolveView<T>& view, const JointBlock<T>& block) {
  const SystemView system = step.joints->system();
  if (system.nodeCount == 0) return false;
  flagComponents(step.queue, view, step.joints->records(), block, system.wanted, system.componentCount);
  return step.queue.target != Target::Cpu ||
         std::find(system.wanted, system.wanted + system.componentCount, 1) != system.wanted + system.componentCount;
}

template <class T> void JointSolve<T>::aimJoints(StepContext<T>& step, const SolveView<T>& view, const JointBlock<T>& block) {
  if (step.joints == nullptr) return;
  solveSystem(step, step.velocities, block);
  if (block.error != JointError::Predicted) return;
  // Each solve starts where the last one would have brought the bodies. The number is fixed, since nobody waits for the device to say: a component
  // that has arrived passes the rest by.
  const int most = std::max(kMostSolves, step.settings.iterations);
  for (int done = 1; done < most && flag(step, view, block); ++done) {
    solveJointSystem(step.queue, step.joints->system(), systemBodies(step, step.velocities), block);
  }
  sweepFarJoints(step.queue, view, step.joints->records(), block.h, OffTarget<T>::value);
}

template <class T> bool JointSolve<T>::sweepsMatter(const StepContext<T>& step) const {
  return step.settings.jointSolver == JointSolver::Sweeps || step.rows.tileCount > 0 || step.joints->anyRows() || step.joints->anySwept() ||
         step.joints->anyBlackBox();
}

template <class T> void JointSolve<T>::collect(StepContext<T>& step, double h, bool sum) {
  if (step.joints == nullptr) return;
  collectJoints(step.queue, step.jointRows, inputs(step), sum ? step.joints->reactions() : nullptr, T(h));
}

template <class T> void JointSolve<T>::moved(StepContext<T>& step, double h, bool last) {
  if (step.joints == nullptr) return;
  // Arms and inertias turn with the bodies: velocities are put right where these are, not where they were.
  refreshInertias(step.queue, step.bodySlots, step.poses, step.constants, step.inertias);
  stiffenBodies(step.queue, step.bodySlots, step.joints->ofBodies(), inputs(step), T(h), true, step.inertias, step.velocities);
  // Beside contacts, whose rows do not turn within a step either, most joints can wait. By themselves they stay exact, and their energy with them.
  if (besideContacts(step)) {
    return refreshJoints(step.queue, step.jointRows, inputs(step), jointBias<T>(step.settings, h), step.motions, step.joints->system().stale);
  }
  prepare(step, h);
  if (last && step.settings.warmStart) step.joints->rowsArePrepared();  // the next step may keep them
}

template <class T> void JointSolve<T>::measure(StepContext<T>& step, T* violations, T most) {
  if (step.joints == nullptr) return;
  step.joints->rowsAreStale();
  measureJoints(step.queue, step.jointRows, inputs(step), most, violations);
  staleAll(step.queue, step.joints->system());
}

template class JointSolve<float>;
template class JointSolve<double>;

}  // namespace cairn
