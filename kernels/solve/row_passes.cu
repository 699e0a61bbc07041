// Passes over the rows of all contacts that are no sweeps.
//
// A pass reads bodies and writes to the rows of its own lane, so that lanes run in any order on any number of threads, with the same bits. The
// gradient's norm is summed over fixed tiles (primitives.hpp).
#include "kernels/solve/row_passes.hpp"

#include "kernels/rows/lane_launch.hpp"

CAIRN_CPU_PASSES(rowPass)

namespace cairn::v0 {
namespace {

template <class T, class Body> struct EachRow {
  Body body;
  CAIRN_HD void operator()(int slot) const {
    if (body.rows.manifold[slot] >= 0) body.template at<T>(slot);
  }
};

template <class T, class Body> void overRows(Queue& queue, const char* label, const RowView<T>& rows, const Body& body) {
  queue.label = label;
  if (queue.target == Target::Cpu) return runOnCpu<RowPasses>(rowPassHere, *queue.team, RowPass<T, Body>{&rows, &body});
  overLanes(queue, label, rows, EachRow<T, Body>{body});
}

template <class T> struct NextBeta {
  ConjugateState<T>* state;
  CAIRN_HD void operator()(int) const {
    state->beta = conjugateFactor(state->norm, state->previousNorm);
    state->previousNorm = state->norm;
  }
};

}  // namespace

template <class T> void updateBias(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const NormalBias<T>& bias) {
  overRows(queue, "solve/bias", rows, UpdateBias<T>{rows, reinterpret_cast<const T*>(motions), bias});
}
template <class T> void updateSilcowitz(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const BodyVelocity<T>* velocities,
                                        const SilcowitzTarget<T>& target) {
  overRows(queue, "solve/silcowitz", rows,
           UpdateSilcowitz<T>{rows, reinterpret_cast<const T*>(motions), reinterpret_cast<const T*>(velocities), target});
}
template <class T> void rollArms(Queue& queue, const RowView<T>& rows, const RollingBodies<T>& bodies, bool back) {
  overRows(queue, "solve/roll_arms", rows,
           RollArms<T>{rows, reinterpret_cast<const T*>(bodies.motions), reinterpret_cast<const T*>(bodies.velocities),
                       reinterpret_cast<const T*>(bodies.inertias), back});
}
template <class T> void updateSlips(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const SlipTarget<T>& target) {
  overRows(queue, "solve/slips", rows, UpdateSlip<T>{rows, reinterpret_cast<const T*>(motions), target});
}

template <class T> void beginConjugate(Queue& queue, const RowView<T>& rows, const PointArray<T>& directions, ConjugateState<T>* state) {
  fillBytes(queue, state, 0, sizeof(ConjugateState<T>));
  overRows(queue, "solve/conjugate_begin", rows, BeginConjugate<T>{rows, directions});
}
template <class T> void measureGradient(Queue& queue, PrimitiveScratch& scratch, const RowView<T>& rows, const PointArray<T>& directions, T* norms,
                                        ConjugateState<T>* state) {
  overRows(queue, "solve/gradient", rows, GradientNorm<T>{rows, directions, norms});
  reduceSum(queue, scratch, norms, &state->norm, rows.tileCount * kTileLanes);
  forEach(queue, "solve/beta", 1, NextBeta<T>{state});
}

template <class T> void measureGaps(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const GapMeasure<T>& out) {
  MeasureGaps<T> body{};
  body.rows = rows;
  body.motions = reinterpret_cast<const T*>(motions);
  body.gaps = out.gaps;
  body.violations = out.violations;
  body.restingDepth = out.restingDepth;
  body.largestCorrection = out.maxCorrection;
  overRows(queue, "solve/gaps", rows, body);
}
#define CAIRN_INSTANTIATE(T)                                                                                                         \
  template void updateBias(Queue&, const RowView<T>&, const BodyMotion<T>*, const NormalBias<T>&);                                   \
  template void updateSilcowitz(Queue&, const RowView<T>&, const BodyMotion<T>*, const BodyVelocity<T>*, const SilcowitzTarget<T>&); \
  template void updateSlips(Queue&, const RowView<T>&, const BodyMotion<T>*, const SlipTarget<T>&);                                  \
  template void rollArms(Queue&, const RowView<T>&, const RollingBodies<T>&, bool);                                                  \
  template void beginConjugate(Queue&, const RowView<T>&, const PointArray<T>&, ConjugateState<T>*);                                 \
  template void measureGradient(Queue&, PrimitiveScratch&, const RowView<T>&, const PointArray<T>&, T*, ConjugateState<T>*);         \
  template void measureGaps(Queue&, const RowView<T>&, const BodyMotion<T>*, const GapMeasure<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
