// Solve: projected Gauss-Seidel by colours, and mass-split Jacobi for what no colour holds.
//
// In: rows in tiles by colour, velocities after the forces. Out: velocities and impulses. Colours run strictly one after another and share no
// dynamic body within themselves, so every sweep is the same sequence of operations on any target and number of threads. The tail's changes
// are added to each body in the order of their slots.
#include "kernels/solve/solve.hpp"

#include "kernels/solve/sweep_launch.hpp"

namespace cairn {
namespace {

#if CAIRN_WITH_CUDA
template <class T, class Body> struct EachSlot {
  Body body;
  CAIRN_HD void operator()(int slot) const {
    if (body.rows.manifold[slot] >= 0) body.template at<T>(slot);
  }
};
#endif

// What needs no colours, since it writes to its own rows alone.
template <class T, class Body> void overRows(Queue& queue, const char* label, const RowView<T>& rows, const Body& body) {
  queue.label = label;
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return forEach(queue, label, static_cast<int64_t>(rows.tileCount) * kTileLanes, EachSlot<T, Body>{body});
#endif
  overRowsOnCpu(queue.threads, rows, body);
}

template <class T> struct NextBeta {
  ConjugateState<T>* state;
  CAIRN_HD void operator()(int) const {
    state->beta = conjugateFactor(state->norm, state->previousNorm);
    state->previousNorm = state->norm;
  }
};

template <class T> struct LevelToScalar {
  const int* levels;
  T* scalars;
  CAIRN_HD void operator()(int body) const { scalars[body] = T(levels[body]); }
};

template <class T> struct ClearDisplacement {
  const BodyVelocity<T>* velocities;
  BodyVelocity<T>* displacements;
  CAIRN_HD void operator()(int body) const {
    const Vec3<T> none{T(0), T(0), T(0)};
    displacements[body] = {none, velocities[body].invMassX, none, velocities[body].invMassY};
  }
};

template <class T, class Operation, class JointOperation>
void sweep(Queue& queue, const char* label, const SolveView<T>& view, int sweeps, const Operation& operation, const JointOperation& jointOperation) {
  queue.label = label;
  const RowView<T>& rows = view.rows;
  const JointView<T>& joints = view.joints;
  if (rows.tileCount == 0 && joints.tileCount == 0) return;
  T* velocities = reinterpret_cast<T*>(view.velocities);
  const T* inertias = reinterpret_cast<const T*>(view.inertias);
  const ColouredLane<T, Operation> coloured{rows, velocities, inertias, operation};
  const ColouredJoint<T, JointOperation> colouredJoint{joints, velocities, inertias, jointOperation};
  const auto colours = [&](int firstSweep, int count) {
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) return sweepColoursOnCuda(queue, rows, joints, count, firstSweep, sweeps, coloured, colouredJoint);
#endif
    sweepColoursOnCpu(queue.threads, count, firstSweep, sweeps, coloured, colouredJoint);
  };
  if (rows.tailTiles == 0 && joints.tailTiles == 0) return colours(0, sweeps);
  const TailLane<T, Operation> tail{rows, velocities, inertias, view.tail, operation};
  const TailJoint<T, JointOperation> tailJoint{
      joints, velocities, inertias, view.tail, (joints.tileCount - joints.tailTiles) * kTileLanes, rows.tailTiles * kTileLanes, jointOperation};
  for (int s = 0; s < sweeps; ++s) {
    colours(s, 1);
    queue.label = label;
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) {
      sweepRangeOnCuda(queue, ContactAt<T, TailLane<T, Operation>>{tail}, rows.manifold, rows.tileCount - rows.tailTiles, rows.tileCount, s, sweeps);
      sweepRangeOnCuda(queue, JointAt<T, TailJoint<T, JointOperation>>{tailJoint}, joints.joint, joints.tileCount - joints.tailTiles,
                       joints.tileCount, s, sweeps);
    } else
#endif
      sweepTailOnCpu(queue.threads, s, sweeps, tail, tailJoint);
    gatherTail(queue, view.tail, view.bodySlots, view.velocities);
  }
}

}  // namespace

template <class T>
void sweepSolve(Queue& queue, const SolveView<T>& view, int sweeps, const SolveBlock<T>& operation, const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/sweep", view, sweeps, operation, jointOperation);
}
template <class T> void sweepJoints(Queue& queue, const SolveView<T>& view, int sweeps, const JointBlock<T>& operation) {
  // Of the rows their number of colours alone.
  SolveView<T> joints = view;
  joints.rows = RowView<T>{};
  joints.rows.strip = view.rows.strip;
  joints.rows.hostColourTiles = view.rows.hostColourTiles;
  sweep(queue, "solve/joints", joints, sweeps, SolveBlock<T>{}, operation);
}
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BodyMotion<T>* motions, const NormalBias<T>& bias) {
  sweep(queue, "solve/begin", view, 1, BeginBlock<T>{reinterpret_cast<const T*>(motions), bias}, JointBegin<T>{});
}
template <class T>
void sweepImpacts(Queue& queue, const SolveView<T>& view, int sweeps, const ImpactBlock<T>& operation, const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/impacts", view, sweeps, operation, jointOperation);
}

template <class T> void sweepConjugate(Queue& queue, const SolveView<T>& view, const FollowDirection<T>& operation) {
  sweep(queue, "solve/conjugate", view, 1, operation, JointIdle<T>{});
}
template <class T>
void sweepPositions(Queue& queue, const SolveView<T>& view, int sweeps, const PositionBlock<T>& operation, const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/positions", view, sweeps, operation, jointOperation);
}

template <class T> void sweepShock(Queue& queue, const SolveView<T>& view, const ShockBlock<T>& operation, const JointShock<T>& jointOperation) {
  sweep(queue, "solve/shock", view, 1, operation, jointOperation);
}
template <class T> void levelsToScalars(Queue& queue, const int* levels, T* scalars, int bodySlots) {
  forEach(queue, "solve/levels", bodySlots, LevelToScalar<T>{levels, scalars});
}

template <class T> void updateBias(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const NormalBias<T>& bias) {
  overRows(queue, "solve/bias", rows, UpdateBias<T>{rows, reinterpret_cast<const T*>(motions), bias});
}
template <class T> void updateSilcowitz(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const BodyVelocity<T>* velocities,
                                        const SilcowitzTarget<T>& target) {
  overRows(queue, "solve/silcowitz", rows,
           UpdateSilcowitz<T>{rows, reinterpret_cast<const T*>(motions), reinterpret_cast<const T*>(velocities), target});
}
template <class T> void rollArms(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, bool back) {
  overRows(queue, "solve/roll_arms", rows, RollArms<T>{rows, reinterpret_cast<const T*>(motions), back});
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

template <class T> void measureGaps(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const PointArray<T>& gaps, T* violations,
                                    T restingDepth, T largestCorrection) {
  overRows(queue, "solve/gaps", rows, MeasureGaps<T>{rows, reinterpret_cast<const T*>(motions), gaps, violations, restingDepth, largestCorrection});
}
template <class T> void clearDisplacements(Queue& queue, int bodySlots, const BodyVelocity<T>* velocities, BodyVelocity<T>* displacements) {
  forEach(queue, "solve/clear_displacements", bodySlots, ClearDisplacement<T>{velocities, displacements});
}

#define CAIRN_INSTANTIATE(T)                                                                                                         \
  template void sweepSolve(Queue&, const SolveView<T>&, int, const SolveBlock<T>&, const JointBlock<T>&);                            \
  template void sweepJoints(Queue&, const SolveView<T>&, int, const JointBlock<T>&);                                                 \
  template void sweepBegin(Queue&, const SolveView<T>&, const BodyMotion<T>*, const NormalBias<T>&);                                 \
  template void sweepImpacts(Queue&, const SolveView<T>&, int, const ImpactBlock<T>&, const JointBlock<T>&);                         \
  template void sweepConjugate(Queue&, const SolveView<T>&, const FollowDirection<T>&);                                              \
  template void sweepPositions(Queue&, const SolveView<T>&, int, const PositionBlock<T>&, const JointBlock<T>&);                     \
  template void sweepShock(Queue&, const SolveView<T>&, const ShockBlock<T>&, const JointShock<T>&);                                 \
  template void levelsToScalars(Queue&, const int*, T*, int);                                                                        \
  template void updateBias(Queue&, const RowView<T>&, const BodyMotion<T>*, const NormalBias<T>&);                                   \
  template void updateSilcowitz(Queue&, const RowView<T>&, const BodyMotion<T>*, const BodyVelocity<T>*, const SilcowitzTarget<T>&); \
  template void rollArms(Queue&, const RowView<T>&, const BodyMotion<T>*, bool);                                                     \
  template void updateSlips(Queue&, const RowView<T>&, const BodyMotion<T>*, const SlipTarget<T>&);                                  \
  template void beginConjugate(Queue&, const RowView<T>&, const PointArray<T>&, ConjugateState<T>*);                                 \
  template void measureGradient(Queue&, PrimitiveScratch&, const RowView<T>&, const PointArray<T>&, T*, ConjugateState<T>*);         \
  template void measureGaps(Queue&, const RowView<T>&, const BodyMotion<T>*, const PointArray<T>&, T*, T, T);                        \
  template void clearDisplacements(Queue&, int, const BodyVelocity<T>*, BodyVelocity<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
