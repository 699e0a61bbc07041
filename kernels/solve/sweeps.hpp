// Sweeps over the rows of contacts and joints. See sweeps.cu.
#pragma once

#include "kernels/joints/joint_sweep.hpp"
#include "kernels/rows/overflow.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/solve/conjugate_sweep.hpp"
#include "kernels/solve/rolling_sweep.hpp"
#include "kernels/solve/shock_sweep.hpp"
#include "kernels/solve/stabilization_sweep.hpp"
#include "kernels/solve/sweep_range.hpp"
#include "kernels/state/integrate_body.hpp"

namespace cairn::v0 {

template <class T> struct SolveView {
  RowView<T> rows{};
  RollingView<T> rolling{};
  JointView<T> joints{};
  OverflowView<T> overflow{};
  BodyVelocity<T>* velocities = nullptr;
  const BodyInertia<T>* inertias = nullptr;
  int bodySlots = 0;
};

// Sweeps over all colours and then overflow constraints, in each colour manifolds and joints. In place on velocities and the rows' impulses. `first`
// comes before them: a pass over the bodies that a device does in the same launch.
template <class T> void sweepSolve(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const SolveBlock<T>& operation,
                                   const JointBlock<T>& jointOperation = {}, const IntegratePosition<T>& first = {});
// The first of `sweeps` in a substep, which computes its biases.
template <class T> void sweepFirst(Queue& queue, const SolveView<T>& view, int sweeps, const FirstSolve<T>& operation,
                                   const JointBlock<T>& jointOperation = {}, const IntegrateVelocity<T>& first = {});
// The joints alone.
template <class T> void sweepJoints(Queue& queue, const SolveView<T>& view, int sweeps, const JointBlock<T>& operation);
// The impulses so far, back on the bodies.
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BeginBlock<T>& operation, const IntegrateVelocity<T>& first = {});
template <class T> void sweepConjugate(Queue& queue, const SolveView<T>& view, const FollowDirection<T>& operation);
// The view's velocities are displacements here.
template <class T>
void sweepPositions(Queue& queue, const SolveView<T>& view, int sweeps, const PositionBlock<T>& operation, const JointBlock<T>& jointOperation);
template <class T> void sweepShock(Queue& queue, const SolveView<T>& view, const ShockBlock<T>& operation, const JointShock<T>& jointOperation);
// Levels as numbers of the rows' scalar.
template <class T> void levelsToScalars(Queue& queue, const int* levels, T* scalars, int bodySlots);
// Joints pass an impact on: their relative velocities stay zero.
template <class T> void sweepImpacts(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const ImpactBlock<T>& operation,
                                     const JointBlock<T>& jointOperation = {});
template <class T> void sweepImpacts(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const SummedImpactBlock<T>& operation,
                                     const JointBlock<T>& jointOperation = {});
// Displacements of zero with the velocities' inverse masses.
template <class T> void clearDisplacements(Queue& queue, int bodySlots, const BodyVelocity<T>* velocities, BodyVelocity<T>* displacements);

// The CPU's side, in sweeps_cpu.cpp: packs of lanes, compiled by the host compiler for each CPU level.
// `count` sweeps from `first` on, of so many in `all`.
template <class T, class Operation, class JointOperation> struct ColouredSweeps {
  int first, count, all;
  const ColouredLane<T, Operation>* contact;
  const ColouredJoint<T, JointOperation>* joint;
  void onCpu(const TeamLoop& team) const;
};
template <class T, class Operation, class JointOperation> struct OverflowSweep {
  int sweep, all;
  const OverflowLane<T, Operation>* contact;
  const OverflowJoint<T, JointOperation>* joint;
  void onCpu(const TeamLoop& team) const;
};
template <class Contact, class Joint, class T> using SweepPassesOf = CpuPassList<ColouredSweeps<T, Contact, Joint>, OverflowSweep<T, Contact, Joint>>;
template <class T> using SweepPassesIn =
    typename JoinCpuPasses<SweepPassesOf<SolveBlock<T>, JointBlock<T>, T>, SweepPassesOf<BeginBlock<T>, JointBegin<T>, T>,
                           SweepPassesOf<FirstSolve<T>, JointBlock<T>, T>, SweepPassesOf<RollingBegin<T>, JointBegin<T>, T>,
                           SweepPassesOf<RollingSolve<T, SolveBlock<T>>, JointBlock<T>, T>,
                           SweepPassesOf<RollingSolve<T, FirstSolve<T>>, JointBlock<T>, T>, SweepPassesOf<ImpactBlock<T>, JointBlock<T>, T>,
                           SweepPassesOf<SummedImpactBlock<T>, JointBlock<T>, T>, SweepPassesOf<PositionBlock<T>, JointBlock<T>, T>,
                           SweepPassesOf<ShockBlock<T>, JointShock<T>, T>, SweepPassesOf<FollowDirection<T>, JointIdle<T>, T>>::List;
using SweepPasses = JoinCpuPasses<SweepPassesIn<float>, SweepPassesIn<double>>::List;

}  // namespace cairn::v0
