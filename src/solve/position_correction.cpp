#include "src/solve/position_correction.hpp"

#include "kernels/state/integration.hpp"

#include <algorithm>
#include <limits>

namespace cairn::v0 {
namespace {

constexpr double kMaxRotation = 0.1;  // a body's in one repeat [rad]: beyond it linearised gaps mean little

}  // namespace

template <class T> void PositionCorrection<T>::run(StepContext<T>& step, const SolveView<T>& view, ReferenceSubstep<T>& reference) {
  const RowView<T>& rows = step.rows;
  if (rows.tileCount == 0 && step.joints.count == 0) return;
  Queue& queue = step.queue;
  const WorldSettings& settings = step.settings;
  const int contactSlots = rows.tileCount * kTileLanes, jointSlots = step.joints.rows.tileCount * kTileLanes;
  const size_t slots = static_cast<size_t>(contactSlots + jointSlots), bodies = static_cast<size_t>(step.bodySlots);
  gaps_.resize(queue, pointArraySize(rows, kGapFields));
  violations_.resize(queue, slots);
  violations_.fillZero(queue);
  displacements_.resize(queue, bodies);
  poses_.resize(queue, bodies);
  motions_.resize(queue, bodies);
  worst_.resize(queue, 2);
  const PointArray<T> gaps{gaps_.data(), kGapFields};
  const T maxCorrection = T(settings.maxPositionCorrection);
  const GapMeasure<T> contactGaps{gaps, violations_.data(), T(settings.slop), maxCorrection};
  SolveView<T> positions = view;
  positions.velocities = displacements_.data();
  // A correction is judged by the worst of penetrations and joints' errors, both in metres.
  const auto measure = [&](MaxAt<T>* worst) {
    if (rows.tileCount > 0) measureGaps(queue, rows, step.motions, contactGaps);
    measureJointErrors(step, violations_.data() + contactSlots, maxCorrection);
    reduceMax(queue, step.scratch, violations_.data(), worst, contactSlots + jointSlots);
  };
  JointBlock<T> jointBlock{};
  jointBlock.error = JointError::Linear;
  jointBlock.rate = T(1);
  jointBlock.biased = true;
  jointBlock.store = false;
  const int repeats = std::max(settings.positionCorrections, 1);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    measure(worst_.data());
    clearDisplacements(queue, step.bodySlots, step.velocities, displacements_.data());
    if (settings.solver == Solver::Lemke) {
      reference.solvePositions(step, gaps, displacements_.data());
    } else {
      solveJoints(step, displacements_.data(), jointBlock);
      sweepPositions(queue, positions, settings.positionSweeps, PositionBlock<T>{gaps}, jointBlock);
      if (step.joints.count > 0 && needsSweeps(step)) solveJoints(step, displacements_.data(), jointBlock);
    }
    copyBytes(queue, poses_.data(), step.poses, bodies * sizeof(BodyPose<T>));
    copyBytes(queue, motions_.data(), step.motions, bodies * sizeof(BodyMotion<T>));
    const SpeedLimits<T> limits{std::numeric_limits<T>::infinity(), T(kMaxRotation)};
    integratePositions(queue, step.bodySlots, {displacements_.data(), step.poses, step.motions}, T(1), limits);
    measure(worst_.data() + 1);
    undoIfWorse(queue, step.bodySlots, worst_.data(), poses_.data(), motions_.data(), step.poses, step.motions);
  }
}

template class PositionCorrection<float>;
template class PositionCorrection<double>;

}  // namespace cairn::v0
