// Passes over the rows of all contacts that are no sweeps: what the rows ask for in a substep, conjugate directions, gaps. See row_passes.cu.
#pragma once

#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/solve/conjugate_sweep.hpp"
#include "kernels/solve/stabilization_sweep.hpp"

namespace cairn::v0 {

// Biases of the substep, for what looks at them before the first sweep does.
template <class T> void updateBias(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const NormalBias<T>& bias);
template <class T> void updateSilcowitz(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const BodyVelocity<T>* velocities,
                                        const SilcowitzTarget<T>& target);
template <class T> void updateSlips(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const SlipTarget<T>& target);
// Arms of ellipsoids: forward with the motion since the collision pass, or back.
template <class T> struct RollingBodies {
  const BodyMotion<T>* motions;
  const BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
};
template <class T> void rollArms(Queue& queue, const RowView<T>& rows, const RollingBodies<T>& bodies, bool back);

// Conjugate gradients: *state is on the target. `norms` holds a number a slot, zero where no pack reaches.
template <class T> void beginConjugate(Queue& queue, const RowView<T>& rows, const PointArray<T>& directions, ConjugateState<T>* state);
template <class T> void measureGradient(Queue& queue, PrimitiveScratch& scratch, const RowView<T>& rows, const PointArray<T>& directions, T* norms,
                                        ConjugateState<T>* state);

// Positions: violations[slot] is the largest of a lane's; zero where no pack reaches.
template <class T> struct GapMeasure {
  PointArray<T> gaps;
  T* violations;
  T restingDepth, maxCorrection;  // [m]
};
template <class T> void measureGaps(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const GapMeasure<T>& out);

// The CPU's side, in row_passes_cpu.cpp: packs of lanes, compiled by the host compiler for each CPU level.
template <class T, class Body> struct RowPass {
  const RowView<T>* rows;
  const Body* body;
  void onCpu(const TeamLoop& team) const;
};
template <class T> using RowPassesIn =
    CpuPassList<RowPass<T, UpdateBias<T>>, RowPass<T, UpdateSilcowitz<T>>, RowPass<T, RollArms<T>>, RowPass<T, UpdateSlip<T>>,
                RowPass<T, MeasureGaps<T>>, RowPass<T, BeginConjugate<T>>, RowPass<T, GradientNorm<T>>>;
using RowPasses = JoinCpuPasses<RowPassesIn<float>, RowPassesIn<double>>::List;

}  // namespace cairn::v0
