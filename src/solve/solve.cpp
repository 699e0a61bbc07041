#include "src/solve/solve.hpp"

#include "src/rows/stabilization.hpp"

#include <algorithm>

namespace cairn {
namespace {

// A blow crosses one body a sweep at worst: enough for a cradle or a break of some dozens in a row.
constexpr int kImpactSweeps = 16;

// How often a tolerance looks at the residual.
constexpr int kSweepsBetweenChecks = 10;

// Else the first sweep finds the biases by itself.
template <class T> bool biasesComeFirst(const StepContext<T>& step) {
  return step.anyRestitution || step.anyEllipsoid || step.settings.solver == Solver::Lemke ||
         step.settings.normalStabilization == NormalStabilization::Silcowitz;
}

}  // namespace

template <class T> void Solve<T>::prepare(StepContext<T>& step) {
  Queue& queue = step.queue;
  const auto bodies = static_cast<size_t>(step.bodySlots);
  freeVelocities_.resize(queue, bodies);
  impulses_.resize(queue, static_cast<size_t>(step.manifolds.count));
  view_ = {step.rows, step.velocities, step.inertias, {}, step.bodySlots, step.joints.rows};
  if (step.rows.tailTiles + step.joints.rows.tailTiles > 0) {
    const int slots = (step.rows.tailTiles + step.joints.rows.tailTiles) * kTileLanes;
    tailKeys_.resize(queue, static_cast<size_t>(slots) * 2);
    tailSides_.resize(queue, static_cast<size_t>(slots) * 2);
    tailOffsets_.resize(queue, bodies + 1);
    partCounts_.resize(queue, bodies);
    tailChanges_.resize(queue, static_cast<size_t>(slots) * 12);
    buildTail(queue, step.scratch, step.rows, step.joints.rows, step.bodySlots, tailKeys_.data(), tailSides_.data(), tailOffsets_.data(),
              partCounts_.data());
    step.tailPartCounts = partCounts_.data();
    view_.tail = {step.tailPartCounts, tailChanges_.data(), (step.rows.tileCount - step.rows.tailTiles) * kTileLanes, slots,
                  tailOffsets_.data(), tailSides_.data()};
  }
  if (step.anchors != nullptr) {
    slips_.resize(queue, pointArraySize(step.rows, kSlipFields));
    step.rows.slips = view_.rows.slips = {slips_.data(), kSlipFields};
    prepareSlips(queue, step.rows, step.manifolds.manifolds, step.anchors);
  }
  if (step.anyRound && step.rows.tileCount > 0) {
    const int fields = step.anyEllipsoid ? kRoundFields : kRadiusFields;
    rounds_.resize(queue, static_cast<size_t>(step.rows.tileCount * fields) * kTileLanes);
    step.rows.roundFields = view_.rows.roundFields = fields;
    step.rows.rounds = view_.rows.rounds = rounds_.data();
    prepareRounds(queue, step.rows, step.manifolds.manifolds, step.shapes, step.poses);
  }
  if (step.settings.solver == Solver::Nncg) conjugate_.prepare(queue, step.rows);
  prepareRows(queue, step.rows, step.manifolds.manifolds, step.warmStart, step.velocities, step.inertias, step.tailPartCounts);
  step.clock.mark(queue, "rows");
  beginJoints(step);
  if (step.joints.count > 0) step.clock.mark(queue, "joints");
}

template <class T> void Solve<T>::sweep(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps) {
  sweeps_ += sweeps;
  if (step.settings.solver == Solver::Nncg) return conjugate_.sweep(step.queue, step.scratch, view_, sweeps, block, joints);
  sweepSolve(step.queue, view_, sweeps, block, joints);
}

// A fixed number of sweeps, and with a tolerance as many more as it takes.
template <class T> void Solve<T>::sweepTo(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps) {
  sweep(step, block, joints, sweeps);
  if (!(step.settings.tolerance > 0) || step.rows.tileCount == 0) return;
  SolvedRows<T> solved;
  solved.rows = step.rows;
  solved.manifolds = step.manifolds;
  solved.freeVelocities = freeVelocities_.data();
  solved.solvedVelocities = step.velocities;
  solved.inertias = step.inertias;
  solved.biased = block.biased;
  solved.restSpeed = block.restSpeed;
  for (int done = sweeps; done < step.settings.maxIterations;) {
    // The count of points only scales the means, which are not looked at here.
    const ResidualSummary summary = residual_.measure(step.queue, step.scratch, solved, step.manifolds.count);
    if (summary.max <= step.settings.tolerance) return;
    const int more = std::min(kSweepsBetweenChecks, step.settings.maxIterations - done);
    sweep(step, block, joints, more);
    done += more;
  }
}

template <class T> void Solve<T>::substep(StepContext<T>& step, double h, bool last) {
  Queue& queue = step.queue;
  const WorldSettings& settings = step.settings;
  integrateVelocities(queue, step.bodySlots, {step.poses, step.constants, step.inertias, step.forces, step.velocities}, T(h), step.gravity);
  step.clock.mark(queue, "integration");

  const NormalBias<T> bias = normalBias<T>(settings, h);
  updateTargets(step, h, bias);
  if (step.anyRestitution) {
    const JointBlock<T> joints = jointBlock<T>(settings, h, false, false);
    sweepImpacts(queue, view_, kImpactSweeps, ImpactBlock<T>{T(settings.restitutionThreshold), bias.restSpeed}, joints);
    solveJoints(step, step.velocities, joints);
  }
  predictJoints(step, h);
  // Only residuals look at these.
  if (last || settings.tolerance > 0) {
    copyBytes(queue, freeVelocities_.data(), step.velocities, static_cast<size_t>(step.bodySlots) * sizeof(BodyVelocity<T>));
  }
  solveBiased(step, h, bias);
  collectJointImpulses(step, h, false);
  const bool shocks = settings.shockPropagation && step.rows.tileCount > 0;
  if (shocks) shock_.run(step, view_, h);
  step.clock.mark(queue, "solve");

  const SpeedLimits<T> limits{T(settings.maxLinearSpeed), T(settings.maxAngularSpeed)};
  integratePositions(queue, step.bodySlots, {step.constants, step.velocities, step.poses, step.motions}, T(h), limits);
  if (shocks) shock_.restore(step);
  step.clock.mark(queue, "integration");

  followBodies(step, h, last);
  if (step.joints.count > 0) step.clock.mark(queue, "joints");
  relax(step, h, bias, last);
  collectJointImpulses(step, h, true);
  step.clock.mark(queue, "solve");
}

// What the rows ask for in this substep, where the first sweep does not find it by itself.
template <class T> void Solve<T>::updateTargets(StepContext<T>& step, double h, const NormalBias<T>& bias) {
  if (step.rows.tileCount == 0) return;
  const bool rolls = step.anyEllipsoid && step.settings.substeps > 1;
  if (rolls) rollArms(step.queue, step.rows, step.motions, true);
  if (step.rows.slips.values != nullptr) updateSlips(step.queue, step.rows, step.motions, slipTarget<T>(step.settings, h));
  if (step.settings.normalStabilization == NormalStabilization::Silcowitz) {
    updateSilcowitz(step.queue, step.rows, step.motions, step.velocities, silcowitzTarget<T>(step.settings, h));
  } else if (biasesComeFirst(step)) {
    updateBias(step.queue, step.rows, step.motions, bias);
  }
  if (rolls) rollArms(step.queue, step.rows, step.motions, false);
}

template <class T> void Solve<T>::solveBiased(StepContext<T>& step, double h, const NormalBias<T>& bias) {
  const JointBlock<T> joints = jointBlock<T>(step.settings, h, true);
  if (step.settings.solver == Solver::Lemke) {
    reference_.begin(step);
    return reference_.solve(step, true, bias.restSpeed, joints);
  }
  sweepBegin(step.queue, view_, biasesComeFirst(step) ? nullptr : step.motions, bias);
  // Without anything that sweeps could change the direct solve's answer is the answer.
  if (step.joints.count > 0 && !needsSweeps(step)) return solveJointsToTarget(step, joints);
  sweepTo(step, solveBlock<T>(step.settings, h, true), joints, step.settings.iterations);
  if (step.joints.count == 0) return;
  sweepJoints(step.queue, view_, step.settings.jointSweeps, joints);
  // The direct solve has the last word before bodies move: what contacts then lack is taken up by the next substep's gaps.
  solveJointsToTarget(step, joints);
}

// Velocities without what only served to correct positions (of joints: Weinstein, Teran and Fedkiw 2006, section V).
template <class T> void Solve<T>::relax(StepContext<T>& step, double h, const NormalBias<T>& bias, bool last) {
  const int sweeps = step.settings.relaxations;
  const JointBlock<T> joints = jointBlock<T>(step.settings, h, false);
  if (step.settings.solver == Solver::Lemke) {
    if (sweeps > 0) reference_.solve(step, false, bias.restSpeed, joints);
    return;
  }
  const bool matter = step.joints.count == 0 || needsSweeps(step);
  if (sweeps > 0 && matter) sweepTo(step, solveBlock<T>(step.settings, h, false), joints, sweeps);
  if (step.joints.count == 0 || (sweeps == 0 && step.settings.jointStabilization != JointStabilization::Pre)) return;
  if (sweeps == 0 && matter) sweepJoints(step.queue, view_, step.settings.iterations, joints);
  // Beside contacts the sweeps suffice between substeps. What the step leaves behind has joints' velocities right, except where that would have
  // bodies move into what they touch.
  if (!matter) {
    solveJoints(step, step.velocities, joints);
  } else if (last) {
    solveJointsOutOfContact(step, joints);
  }
}

template <class T> void Solve<T>::run(StepContext<T>& step) {
  sweeps_ = 0;
  const bool kept = step.joints.rowsCurrent;
  beginStep(step.queue, step.bodySlots, step.poses, step.constants, kept ? nullptr : step.inertias, step.motions);
  prepare(step);
  if (step.settings.shockPropagation) shock_.begin(step);
  const double h = step.settings.dt / step.settings.substeps;
  for (int k = 0; k < step.settings.substeps; ++k) substep(step, h, k + 1 == step.settings.substeps);
  const bool correctsPositions =
      step.settings.positionCorrections > 0 || (step.joints.count > 0 && step.settings.jointStabilization == JointStabilization::Post);
  if (correctsPositions && step.anyEllipsoid && step.rows.tileCount > 0) rollArms(step.queue, step.rows, step.motions, true);
  if (correctsPositions) positions_.run(step, view_, reference_);
  collectImpulses(step.queue, step.rows, impulses_.data());
  step.clock.mark(step.queue, "solve");
}

template class Solve<float>;
template class Solve<double>;

}  // namespace cairn
