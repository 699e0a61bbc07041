// Sweeps over the rows of contacts and joints. See sweeps.cu.
#pragma once

#include "kernels/joints/joint_sweep.hpp"
#include "kernels/rows/overflow.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/solve/conjugate_sweep.hpp"
#include "kernels/solve/shock_sweep.hpp"
#include "kernels/solve/stabilization_sweep.hpp"
#include "kernels/state/integrate_body.hpp"

namespace cairn {

template <class T> struct SolveView {
  RowView<T> rows{};
  JointView<T> joints{};
  OverflowView<T> overflow{};
  BodyVelocity<T>* velocities = nullptr;
  const BodyInertia<T>* inertias = nullptr;
  int bodySlots = 0;
};

// Sweeps over all colours and then overflow constraints, in each colour manifolds and joints. In place on velocities and the rows' impulses. `first`
// comes before them: a pass over the bodies that a device does in the same launch.
template <class T> void sweepSolve(Queue& queue, const SolveView<T>& view, int sweeps, const SolveBlock<T>& operation,
                                   const JointBlock<T>& jointOperation = {}, const IntegratePosition<T>& first = {});
// The joints alone.
template <class T> void sweepJoints(Queue& queue, const SolveView<T>& view, int sweeps, const JointBlock<T>& operation);
// Biases of the substep and the impulses so far, back on the bodies.
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BodyMotion<T>* motions, const NormalBias<T>& bias,
                                   const IntegrateVelocity<T>& first = {});
template <class T> void sweepConjugate(Queue& queue, const SolveView<T>& view, const FollowDirection<T>& operation);
// The view's velocities are displacements here.
template <class T>
void sweepPositions(Queue& queue, const SolveView<T>& view, int sweeps, const PositionBlock<T>& operation, const JointBlock<T>& jointOperation);
template <class T> void sweepShock(Queue& queue, const SolveView<T>& view, const ShockBlock<T>& operation, const JointShock<T>& jointOperation);
// Levels as numbers of the rows' scalar.
template <class T> void levelsToScalars(Queue& queue, const int* levels, T* scalars, int bodySlots);
// Joints pass an impact on: their relative velocities stay zero.
template <class T>
void sweepImpacts(Queue& queue, const SolveView<T>& view, int sweeps, const ImpactBlock<T>& operation, const JointBlock<T>& jointOperation = {});
// Displacements of zero with the velocities' inverse masses.
template <class T> void clearDisplacements(Queue& queue, int bodySlots, const BodyVelocity<T>* velocities, BodyVelocity<T>* displacements);

// The CPU's side, in sweeps_cpu.cpp: packs of lanes, compiled by the host compiler in every build.
// `count` sweeps from `firstSweep` on, of `sweeps` in all.
template <class T, class Operation, class JointOperation> void sweepColoursOnCpu(ThreadTeam& team, int count, int firstSweep, int sweeps,
                                                                                 const ColouredLane<T, Operation>& body,
                                                                                 const ColouredJoint<T, JointOperation>& joints);
template <class T, class Operation, class JointOperation> void sweepOverflowOnCpu(ThreadTeam& team, int sweep, int sweeps,
                                                                                  const OverflowLane<T, Operation>& body,
                                                                                  const OverflowJoint<T, JointOperation>& joints);

}  // namespace cairn
