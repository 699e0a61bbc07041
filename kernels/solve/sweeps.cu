// Sweeps: projected Gauss-Seidel by colours, and mass-split Jacobi for what no colour holds.
//
// In: rows in tiles by colour, velocities after the forces. Out: velocities and impulses. Colours run strictly one after another and share no
// dynamic body within themselves, so every sweep is the same sequence of operations on any target and number of threads. The changes of overflow
// constraints are added to each body in the order of their slots.
#include "kernels/solve/sweeps.hpp"

#include "kernels/solve/sweep_launch.hpp"

CAIRN_CPU_PASSES(sweepPass)

namespace cairn::v0 {
namespace {

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

// The operations of every step: they have a kernel without the joints' code as well, for scenes without joints. A step along the conjugate direction
// leaves joints as they are, and has no other.
template <class Operation> constexpr bool kWithoutJoints = false;
template <class T> constexpr bool kWithoutJoints<SolveBlock<T>> = true;
template <class T> constexpr bool kWithoutJoints<FirstSolve<T>> = true;
template <class T> constexpr bool kWithoutJoints<BeginBlock<T>> = true;
template <class Operation> constexpr bool kWithJoints = true;
template <class T> constexpr bool kWithJoints<FollowDirection<T>> = false;

// The coloured sweeps of a device.
template <class T, class Operation, class JointOperation, class Pass>
void sweepRows(Queue& queue, const SolveView<T>& view, SweepRange range, const ColouredLane<T, Operation>& lane,
               const ColouredJoint<T, JointOperation>& jointLane, const Pass& pass) {
  const ContactAt<T, ColouredLane<T, Operation>> contact{lane};
  const JointAt<T, ColouredJoint<T, JointOperation>> joint{jointLane};
  if constexpr (kWithoutJoints<Operation> || !kWithJoints<Operation>) {
    if (view.joints.tileCount == 0 || !kWithJoints<Operation>)
      return sweepColoursOnCuda(queue, view.rows, view.joints, range, contact, NoRows{}, pass);
  }
  if constexpr (kWithJoints<Operation>) sweepColoursOnCuda(queue, view.rows, view.joints, range, contact, joint, pass);
}

// The pass before the sweeps is taken along by the first launch that can.
template <class T, class Operation, class JointOperation, class Pass = NoPass>
void sweep(Queue& queue, const char* label, const SolveView<T>& view, SweepRange sweeps, const Operation& operation,
           const JointOperation& jointOperation, const Pass& pass = {}) {
  queue.label = label;
  const RowView<T>& rows = view.rows;
  const JointView<T>& joints = view.joints;
  const bool overflows = rows.overflowTiles > 0 || joints.overflowTiles > 0, empty = rows.tileCount == 0 && joints.tileCount == 0;
  const bool taken = queue.target == Target::Cuda && !overflows && !empty;
  if (!taken) forEach(queue, label, pass.count, pass);
  if (empty) return;
  T* velocities = reinterpret_cast<T*>(view.velocities);
  const T* inertias = reinterpret_cast<const T*>(view.inertias);
  const ColouredLane<T, Operation> coloured{rows, velocities, inertias, operation};
  const ColouredJoint<T, JointOperation> colouredJoint{joints, velocities, inertias, jointOperation};
  if (taken) return sweepRows(queue, view, sweeps, coloured, colouredJoint, pass);
  const auto colours = [&](int firstSweep, int count) {
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) return sweepRows(queue, view, {firstSweep, count, sweeps.all}, coloured, colouredJoint, Pass{});
#endif
    runOnCpu<SweepPasses>(sweepPassHere, *queue.team,
                          ColouredSweeps<T, Operation, JointOperation>{firstSweep, count, sweeps.all, &coloured, &colouredJoint});
  };
  if (!overflows) return colours(sweeps.first, sweeps.count);
  const OverflowLane<T, Operation> overflow{rows, velocities, inertias, view.overflow, operation};
  OverflowJoint<T, JointOperation> overflowJoint{};
  overflowJoint.joints = joints;
  overflowJoint.velocities = velocities;
  overflowJoint.inertias = inertias;
  overflowJoint.overflow = view.overflow;
  overflowJoint.firstPlace = rows.overflowTiles * kTileLanes;
  overflowJoint.operation = jointOperation;
  for (int s = sweeps.first; s < sweeps.first + sweeps.count; ++s) {
    colours(s, 1);
    queue.label = label;
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) {
      sweepOverflowOnCuda(queue, ContactAt<T, OverflowLane<T, Operation>>{overflow}, rows.manifold, rows, s, sweeps.all);
      sweepOverflowOnCuda(queue, JointAt<T, OverflowJoint<T, JointOperation>>{overflowJoint}, joints.joint, joints, s, sweeps.all);
    } else
#endif
      runOnCpu<SweepPasses>(sweepPassHere, *queue.team, OverflowSweep<T, Operation, JointOperation>{s, sweeps.all, &overflow, &overflowJoint});
    gatherOverflow(queue, view.overflow, view.bodySlots, view.velocities);
  }
}

}  // namespace

template <class T> void sweepSolve(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const SolveBlock<T>& operation,
                                   const JointBlock<T>& jointOperation, const IntegratePosition<T>& first) {
  if (view.rolling.values != nullptr) {
    return sweep(queue, "solve/sweep", view, sweeps, RollingSolve<T, SolveBlock<T>>{operation, view.rolling}, jointOperation, first);
  }
  sweep(queue, "solve/sweep", view, sweeps, operation, jointOperation, first);
}
template <class T> void sweepFirst(Queue& queue, const SolveView<T>& view, int sweeps, const FirstSolve<T>& operation,
                                   const JointBlock<T>& jointOperation, const IntegrateVelocity<T>& first) {
  const SweepRange one{0, 1, sweeps};
  if (view.rolling.values != nullptr) {
    return sweep(queue, "solve/first", view, one, RollingSolve<T, FirstSolve<T>>{operation, view.rolling}, jointOperation, first);
  }
  sweep(queue, "solve/first", view, one, operation, jointOperation, first);
}
template <class T> void sweepJoints(Queue& queue, const SolveView<T>& view, int sweeps, const JointBlock<T>& operation) {
  // Nothing of the contacts' rows but their number of colours.
  SolveView<T> joints = view;
  joints.rows = RowView<T>{};
  joints.rows.strip = view.rows.strip;
  joints.rows.hostColourTiles = view.rows.hostColourTiles;
  sweep(queue, "solve/joints", joints, allSweeps(sweeps), SolveBlock<T>{}, operation);
}
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BeginBlock<T>& operation, const IntegrateVelocity<T>& first) {
  if (view.rolling.values != nullptr) {
    return sweep(queue, "solve/begin", view, allSweeps(1), RollingBegin<T>{operation, view.rolling}, JointBegin<T>{}, first);
  }
  sweep(queue, "solve/begin", view, allSweeps(1), operation, JointBegin<T>{}, first);
}
template <class T>
void sweepImpacts(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const ImpactBlock<T>& operation, const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/impacts", view, sweeps, operation, jointOperation);
}
template <class T> void sweepImpacts(Queue& queue, const SolveView<T>& view, SweepRange sweeps, const SummedImpactBlock<T>& operation,
                                     const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/impacts", view, sweeps, operation, jointOperation);
}

template <class T> void sweepConjugate(Queue& queue, const SolveView<T>& view, const FollowDirection<T>& operation) {
  sweep(queue, "solve/conjugate", view, allSweeps(1), operation, JointIdle<T>{});
}
template <class T>
void sweepPositions(Queue& queue, const SolveView<T>& view, int sweeps, const PositionBlock<T>& operation, const JointBlock<T>& jointOperation) {
  sweep(queue, "solve/positions", view, allSweeps(sweeps), operation, jointOperation);
}

template <class T> void sweepShock(Queue& queue, const SolveView<T>& view, const ShockBlock<T>& operation, const JointShock<T>& jointOperation) {
  sweep(queue, "solve/shock", view, allSweeps(1), operation, jointOperation);
}
template <class T> void levelsToScalars(Queue& queue, const int* levels, T* scalars, int bodySlots) {
  forEach(queue, "solve/levels", bodySlots, LevelToScalar<T>{levels, scalars});
}

template <class T> void clearDisplacements(Queue& queue, int bodySlots, const BodyVelocity<T>* velocities, BodyVelocity<T>* displacements) {
  forEach(queue, "solve/clear_displacements", bodySlots, ClearDisplacement<T>{velocities, displacements});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                  \
  template void sweepSolve(Queue&, const SolveView<T>&, SweepRange, const SolveBlock<T>&, const JointBlock<T>&, const IntegratePosition<T>&); \
  template void sweepFirst(Queue&, const SolveView<T>&, int, const FirstSolve<T>&, const JointBlock<T>&, const IntegrateVelocity<T>&);        \
  template void sweepJoints(Queue&, const SolveView<T>&, int, const JointBlock<T>&);                                                          \
  template void sweepBegin(Queue&, const SolveView<T>&, const BeginBlock<T>&, const IntegrateVelocity<T>&);                                   \
  template void sweepImpacts(Queue&, const SolveView<T>&, SweepRange, const SummedImpactBlock<T>&, const JointBlock<T>&);                     \
  template void sweepImpacts(Queue&, const SolveView<T>&, SweepRange, const ImpactBlock<T>&, const JointBlock<T>&);                           \
  template void sweepConjugate(Queue&, const SolveView<T>&, const FollowDirection<T>&);                                                       \
  template void sweepPositions(Queue&, const SolveView<T>&, int, const PositionBlock<T>&, const JointBlock<T>&);                              \
  template void sweepShock(Queue&, const SolveView<T>&, const ShockBlock<T>&, const JointShock<T>&);                                          \
  template void levelsToScalars(Queue&, const int*, T*, int);                                                                                 \
  template void clearDisplacements(Queue&, int, const BodyVelocity<T>*, BodyVelocity<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
