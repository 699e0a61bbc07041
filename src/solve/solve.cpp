#include "src/solve/solve.hpp"

#include "kernels/solve/carried_impulses.hpp"
#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/substeps.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/joints/joint_stabilization.hpp"
#include "src/solve/stabilization.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// An impact crosses one body a sweep at worst: enough for a cradle or a break of some dozens in a row.
constexpr int kImpactSweeps = 16;

// Impacts, rolling arms, the reference, conjugate gradients and Silcowitz's targets look at the biases before the sweeps do. Otherwise the first
// sweep computes them as it goes, which spares a pass over the rows.
template <class T> bool biasesComeFirst(const StepContext<T>& step) {
  return step.anyRestitution || step.anyEllipsoid || step.settings.solver == Solver::Lemke || step.settings.solver == Solver::Nncg ||
         step.settings.normalStabilization == NormalStabilization::Silcowitz;
}

// Whether the rows of contacts are what they were, substep after substep, but for those of bodies that turn fast. It must not depend on what there is
// in other environments, and so neither on what touches.
template <class T> bool rowsStay(const StepContext<T>& step) {
  return step.settings.substeps > 1 && step.settings.solver != Solver::Lemke && !step.settings.shockPropagation && !step.anyJoints &&
         !step.anyEllipsoid && !step.geometry.meshes.solids.any();
}

// Whether something changes or looks at velocities between the forces and the impulses so far.
template <class T> bool impulsesComeLater(const StepContext<T>& step) {
  return step.anyDamping || step.anyRestitution || step.settings.normalStabilization == NormalStabilization::Silcowitz;
}

// Not where each solve is exact, or has a search direction of its own.
template <class T> bool hasMomentum(const StepContext<T>& step) {
  const WorldSettings& settings = step.settings;
  return settings.impulseMomentum > 0 && settings.substeps > kSubstepsWithoutMomentum && settings.solver == Solver::Pgs && step.rows.tileCount > 0;
}

template <class T> bool shocksPropagate(const StepContext<T>& step) { return step.settings.shockPropagation && step.rows.tileCount > 0; }

template <class T> void rollArmsOf(StepContext<T>& step, bool back) {
  rollArms(step.queue, step.rows, RollingBodies<T>{step.motions, step.velocities, step.inertias}, back);
}

}  // namespace

template <class T> void Solve<T>::begin(StepContext<T>& step, StepCounts& counts) {
  carries_ = false;
  momentum_ = {};
  sweeps_.begin(step, counts);
  if (step.settings.shockPropagation) shock_.begin(step, counts);
}

template <class T> void Solve<T>::chooseCarrying(StepContext<T>& step) {
  carries_ = rowsStay(step);
  if (!hasMomentum(step)) return;
  lastImpulses_.resize(step.queue, pointArraySize(step.rows, kMomentumFields));
  if (carries_) lastCarried_.resize(step.queue, static_cast<size_t>(step.bodySlots));
  step.lastImpulses = {lastImpulses_.data(), kMomentumFields};
  momentum_ = {step.lastImpulses, T(step.settings.impulseMomentum), true};
}

template <class T> ImpulseMomentum<T> Solve<T>::momentumAt(const StepContext<T>& step, int substep) const {
  if (substep < kSubstepsWithoutMomentum) return {};
  return {momentum_.last, substep > kSubstepsWithoutMomentum ? momentum_.factor : T(0), substep < step.settings.substeps};
}

template <class T> void Solve<T>::leaveTurning(StepContext<T>& step, int substep) {
  if (!carries_ || substep == 1 || step.turning == nullptr) return;
  // The host of a device does not know whether any turn.
  const auto turns = [](int flags) { return flags != 0; };
  if (step.queue.target == Target::Cpu && std::none_of(step.turning, step.turning + step.bodySlots, turns)) return;
  SolveView<T> before = solveView(step);
  before.velocities = sweeps_.freeVelocities();
  sweepBegin(step.queue, before, BeginBlock<T>{step.turning});
}

template <class T> void Solve<T>::updateTargets(StepContext<T>& step) {
  if (step.rows.tileCount == 0) return;
  const bool rolls = step.anyEllipsoid && step.settings.substeps > 1;
  if (rolls) rollArmsOf(step, true);
  if (step.rows.slips.values != nullptr) updateSlips(step.queue, step.rows, step.motions, slipTarget<T>(step.settings, step.h));
  if (step.settings.normalStabilization == NormalStabilization::Silcowitz) {
    updateSilcowitz(step.queue, step.rows, step.motions, step.velocities, silcowitzTarget<T>(step.settings, step.h));
  } else if (biasesComeFirst(step)) {
    updateBias(step.queue, step.rows, step.motions, normalBias<T>(step.settings, step.h));
  }
  if (rolls) rollArmsOf(step, false);
}

template <class T> void Solve<T>::reflectImpacts(StepContext<T>& step) {
  // Joints by themselves meet nothing that they could bounce off.
  if (!step.anyRestitution || step.jointsAlone()) return;
  const JointBlock<T> joints = jointBlock<T>(step.settings, step.h, false, false);
  const ImpactBlock<T> impact{T(step.settings.restitutionThreshold), normalBias<T>(step.settings, step.h).restSpeed};
  sweeps_.reflect(step, impact, joints, kImpactSweeps);
  solveJoints(step, step.velocities, joints);
}

template <class T> bool Solve<T>::integratesBodies(const StepContext<T>& step) const {
  const WorldSettings& settings = step.settings;
  return step.queue.target == Target::Cuda && step.rows.tileCount > 0 && step.joints.count == 0 && step.relaxations > 0 &&
         settings.solver == Solver::Pgs && settings.tolerance == 0 && !settings.shockPropagation && !biasesComeFirst(step);
}

template <class T> IntegrateVelocity<T> Solve<T>::carrying(const StepContext<T>& step, int substep, IntegrateVelocity<T> accelerate) {
  if (!carries_) return accelerate;
  accelerate.kept = sweeps_.freeVelocities();
  if (substep > 1) accelerate.carry = impulsesComeLater(step) ? CarryImpulses::Later : CarryImpulses::Now;
  if (momentum_.last.values != nullptr) {
    accelerate.last = lastCarried_.data();
    accelerate.momentum = momentumAt(step, substep).factor;
  }
  return accelerate;
}
template <class T> IntegratePosition<T> Solve<T>::carrying(IntegratePosition<T> move) {
  if (carries_) move.kept = sweeps_.freeVelocities();
  return move;
}

template <class T> bool Solve<T>::runAtOnce(StepContext<T>& step, const IntegrateVelocity<T>& accelerate, const IntegratePosition<T>& move) {
  if (step.rows.overflowTiles > 0 || step.rows.slips.values != nullptr || step.rolling.values != nullptr) return false;
  if (momentum_.last.values != nullptr && !carries_) return false;
  const WorldSettings& settings = step.settings;
  Substeps<T> substeps;
  substeps.count = settings.substeps;
  substeps.accelerate = carrying(step, 1, accelerate);
  substeps.accelerate.momentum = momentum_.factor;
  substeps.momentum = momentum_;
  substeps.carries = carries_;
  substeps.move = move;
  substeps.motions = step.motions;
  substeps.bias = normalBias<T>(settings, step.h);
  substeps.stabilized = solveBlock<T>(settings, step.h, true);
  substeps.relaxation = solveBlock<T>(settings, step.h, false);
  substeps.iterations = settings.iterations;
  substeps.relaxations = step.relaxations;
  substeps.freeVelocities = sweeps_.freeVelocities();
  if (!runSubsteps(step.queue, solveView(step), substeps)) return false;
  sweeps_.add(settings.substeps * (settings.iterations + step.relaxations));
  return true;
}

// Those that are carried on are there, or come now.
template <class T> void Solve<T>::applyImpulses(StepContext<T>& step, int substep, IntegrateVelocity<T>& first) {
  const bool later = impulsesComeLater(step);
  if (carries_ && substep > 1) {
    if (later) carryImpulses(step.queue, step.bodySlots, CarriedBodies<T>{step.constants, step.turning, step.velocities, sweeps_.freeVelocities()});
    return;
  }
  if (carries_) {
    if (later) sweeps_.keepFreeVelocities(step);
  } else {
    // Only residuals look at these.
    const bool last = substep == step.settings.substeps;
    if (last && first.count > 0) first.kept = sweeps_.freeVelocities();
    if ((last && first.count == 0) || step.settings.tolerance > 0) sweeps_.keepFreeVelocities(step);
  }
  if (step.settings.solver == Solver::Lemke) return;
  BeginBlock<T> begin{};
  if (!carries_) begin.momentum = momentumAt(step, substep);
  sweepBegin(step.queue, solveView(step), begin, first);
  first.count = 0;
}

template <class T> void Solve<T>::solveBiased(StepContext<T>& step, int substep, IntegrateVelocity<T> first) {
  const WorldSettings& settings = step.settings;
  applyImpulses(step, substep, first);
  const JointBlock<T> joints = jointBlock<T>(settings, step.h, true);
  const NormalBias<T> bias = normalBias<T>(settings, step.h);
  if (settings.solver == Solver::Lemke) {
    reference_.begin(step);
    return reference_.solve(step, true, bias.restSpeed, joints);
  }
  // Without anything that sweeps could change the direct solve's answer is the answer.
  if (step.joints.count > 0 && !needsSweeps(step)) return solveJointsToTarget(step, joints, substep);
  FirstSweep<T> start;
  start.accelerate = first;
  if (step.rows.tileCount > 0 && !biasesComeFirst(step)) start.motions = step.motions;
  start.bias = bias;
  if (carries_) start.momentum = momentumAt(step, substep);
  sweeps_.run(step, solveBlock<T>(settings, step.h, true), joints, settings.iterations, start);
  if (step.joints.count == 0) return;
  sweepJoints(step.queue, solveView(step), settings.jointSweeps, joints);
  // The direct solve has the last word before bodies move: what contacts then lack is taken up by the next substep's gaps.
  solveJointsToTarget(step, joints, substep);
}

template <class T> void Solve<T>::propagateShocks(StepContext<T>& step) {
  if (shocksPropagate(step)) shock_.run(step, solveView(step));
}

template <class T> void Solve<T>::endShocks(StepContext<T>& step) {
  if (shocksPropagate(step)) shock_.restore(step);
}

// The joints' part is post-stabilization of velocities (Weinstein, Teran and Fedkiw 2006, section V).
template <class T> void Solve<T>::relax(StepContext<T>& step, bool last, const IntegratePosition<T>& first) {
  const WorldSettings& settings = step.settings;
  const int sweeps = step.relaxations;
  const JointBlock<T> joints = jointBlock<T>(settings, step.h, false);
  if (settings.solver == Solver::Lemke) {
    if (sweeps > 0) reference_.solve(step, false, normalBias<T>(settings, step.h).restSpeed, joints);
    return;
  }
  const bool sweepable = step.joints.count == 0 || needsSweeps(step);
  if (sweeps > 0 && sweepable) sweeps_.run(step, solveBlock<T>(settings, step.h, false), joints, sweeps, FirstSweep<T>{{}, first});
  if (step.joints.count == 0 || (sweeps == 0 && settings.jointStabilization != JointStabilization::Pre)) return;
  if (sweeps == 0 && sweepable) sweepJoints(step.queue, solveView(step), settings.iterations, joints);
  // Beside contacts the sweeps suffice between substeps. What the step leaves behind has joints' velocities right, except where that would have
  // bodies move into what they touch.
  if (!sweepable) {
    putVelocitiesRight(step, joints, last);
  } else if (last) {
    solveJointsOutOfContact(step, joints);
  }
}

template <class T> void Solve<T>::correctPositions(StepContext<T>& step) {
  const bool joints = step.joints.count > 0 && step.settings.jointStabilization == JointStabilization::Post;
  if (step.settings.positionCorrections == 0 && !joints) return;
  if (step.anyEllipsoid && step.rows.tileCount > 0) rollArmsOf(step, true);
  positions_.run(step, solveView(step), reference_);
}

template <class T> void Solve<T>::collectContactImpulses(StepContext<T>& step) {
  sweeps_.end(step);
  collectImpulses(step.queue, step.rows, step.impulses);
}

template class Solve<float>;
template class Solve<double>;

}  // namespace cairn::v0
