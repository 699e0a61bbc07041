// Substeps: forces, the impulses so far, stabilized sweeps, motion, relaxation, and so on, `count` times.
//
// In: rows in tiles by colour, none of which overflows; bodies. Out: velocities, poses, motions, impulses. The order of operations is that of
// separate launches, and so are the bits.
//
// For scenes that a device waits in: one launch instead of three a substep, between which it is idle for some microseconds, and a thread for each
// point of a manifold: with one a manifold all parts of a substep in one kernel would need more registers than there are. Where colours fill the
// device, its threads work instead of waiting, and those of a manifold do four times what belongs to its bodies.
#include "kernels/solve/substeps.hpp"

#include "kernels/solve/colour_walk.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

#if CAIRN_WITH_CUDA

// The sweeps of a substep, by what they ask for: the first one looks at gaps, then stabilized ones, then the relaxation. Of the first one there is
// another form for substeps before which there is nothing that could have momentum.
constexpr int kFirst = 0, kStabilized = 1, kRelaxation = 2, kParts = 3, kForms = 4;
constexpr int kFirstOfStep = 3;

template <class T> struct AllSubsteps {
  // Of one type: a piece of code for each part would be three times as much for an instruction cache, and take more registers.
  using Solve = SpreadAt<T, ColouredLane<T, FirstSolve<T>>>;

  RowView<T> rows;
  Substeps<T> substeps;
  SpreadAt<T, ColouredLane<T, BeginBlock<T>>> begin;
  Solve solve[kForms];
  SweepRange sweeps[kParts];

  __device__ void operator()() const {
    const SweepThreads all = SweepThreads::ofGrid();
    const int colours = rows.counts->colourCount;
    const IntegrateVelocity<T>& accelerate = substeps.accelerate;
    Before before = Before::Nothing;
    for (int substep = 1; substep <= substeps.count; ++substep) {
      const bool carried = substeps.carries && substep > 1, withMomentum = substep > kSubstepsWithoutMomentum;
      waitFor(before);
      for (int i = all.thread; i < accelerate.count; i += all.count) {
        accelerate.run(i, carried ? CarryImpulses::Now : CarryImpulses::No, withMomentum ? accelerate.momentum : T(0));
        // Not the pass's own `kept`, which would be asked for in each substep.
        if (!substeps.carries && substep == substeps.count) substeps.freeVelocities[i] = accelerate.bodies.velocities[i];
      }
      before = Before::Pass;
      if (!carried) before = walkColours(colours, rows, begin, JointView<T>{}, NoRows{}, {0, 1, 1}, before);
      for (int part = 0; part < kParts; ++part) {
        if (part == kRelaxation) {
          waitFor(before);
          for (int i = all.thread; i < substeps.move.count; i += all.count) substeps.move(i);
          before = Before::Pass;
        }
        if (sweeps[part].count > 0) {
          const int form = part == kFirst && !withMomentum ? kFirstOfStep : part;
          before = walkColours(colours, rows, solve[form], JointView<T>{}, NoRows{}, sweeps[part], before);
        }
      }
    }
  }
};

template <class T> constexpr int kSubstepBlocks = sizeof(T) == sizeof(float) ? kSubstepBlocksInFloat : kSubstepBlocksInDouble;

template <class T> __global__ void __launch_bounds__(kSubstepBlockSize, kSubstepBlocks<T>)
    substepsKernel(const __grid_constant__ AllSubsteps<T> work) {
  work();
}

template <class T> bool launchSubsteps(Queue& queue, const SolveView<T>& view, const Substeps<T>& substeps) {
  const auto kernel = substepsKernel<T>;
  const int64_t most = mostResidentBlocks(queue, kernel, kSubstepBlockSize);
  constexpr int64_t kTileThreads = kTileLanes * kSpreadThreads;
  const int64_t colours = std::max(view.rows.colourCount, 1), average = view.rows.tileCount * kTileThreads / colours;
  if (most == 0 || average > most * kSubstepBlockSize * kMostSubstepThreads / 100) return false;
  T* const velocities = reinterpret_cast<T*>(view.velocities);
  const T* const inertias = reinterpret_cast<const T*>(view.inertias);
  const auto solve = [&](const SolveBlock<T>& block, const BodyMotion<T>* motions, const ImpulseMomentum<T>& momentum = {}) {
    const FirstSolve<T> operation{block, reinterpret_cast<const T*>(motions), substeps.bias, momentum};
    return typename AllSubsteps<T>::Solve{{view.rows, velocities, inertias, operation}};
  };
  const int iterations = substeps.iterations;
  AllSubsteps<T> work{view.rows, substeps, {{view.rows, velocities, inertias, BeginBlock<T>{}}}, {}, {}};
  work.solve[kFirst] = solve(substeps.stabilized, substeps.motions, substeps.momentum);
  work.solve[kFirstOfStep] = solve(substeps.stabilized, substeps.motions, {substeps.momentum.last, T(0), substeps.momentum.noted});
  work.sweeps[kFirst] = {0, 1, iterations};
  work.solve[kStabilized] = solve(substeps.stabilized, nullptr);
  work.sweeps[kStabilized] = {1, iterations - 1, iterations};
  work.solve[kRelaxation] = solve(substeps.relaxation, nullptr);
  work.sweeps[kRelaxation] = allSweeps(substeps.relaxations);
  const int64_t threads = std::max<int64_t>(view.rows.widestColour * kTileThreads, substeps.move.count);
  const int64_t wanted = (threads + kSubstepBlockSize - 1) / kSubstepBlockSize;
  if (queue.log != nullptr) ++queue.log->now().sweeps;
  launchOnCuda(queue, {std::clamp<int64_t>(wanted, 1, most), kSubstepBlockSize, true}, kernel, work);
  return true;
}

#endif

}  // namespace

template <class T> bool runSubsteps(Queue& queue, [[maybe_unused]] const SolveView<T>& view, [[maybe_unused]] const Substeps<T>& substeps) {
  queue.label = "solve/substeps";
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return launchSubsteps(queue, view, substeps);
#endif
  return false;
}

template bool runSubsteps(Queue&, const SolveView<float>&, const Substeps<float>&);
template bool runSubsteps(Queue&, const SolveView<double>&, const Substeps<double>&);

}  // namespace cairn::v0
