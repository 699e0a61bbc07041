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

template <class T> struct AllSubsteps {
  using Solve = SpreadAt<T, ColouredLane<T, SolveBlock<T>>>;

  RowView<T> rows;
  Substeps<T> substeps;
  SpreadAt<T, ColouredLane<T, BeginBlock<T>>> begin;
  Solve solve[2];  // the stabilized sweeps, and the relaxation
  int sweeps[2];

  __device__ void operator()() const {
    const SweepThreads all = SweepThreads::ofGrid();
    const int colours = rows.counts->colourCount;
    const IntegrateVelocity<T>& accelerate = substeps.accelerate;
    Before before = Before::Nothing;
    for (int substep = 1; substep <= substeps.count; ++substep) {
      waitFor(before);
      for (int i = all.thread; i < accelerate.count; i += all.count) {
        accelerate(i);
        // Not the pass's own `kept`, which would be asked for in each substep.
        if (substep == substeps.count) substeps.freeVelocities[i] = accelerate.bodies.velocities[i];
      }
      before = walkColours(colours, rows, begin, JointView<T>{}, NoRows{}, {0, 1, 1}, Before::Pass);
      // One piece of code for both: two would be twice as much for an instruction cache, and take more registers.
      for (int part = 0; part < 2; ++part) {
        if (part == 1) {
          waitFor(before);
          for (int i = all.thread; i < substeps.move.count; i += all.count) substeps.move(i);
          before = Before::Pass;
        }
        before = walkColours(colours, rows, solve[part], JointView<T>{}, NoRows{}, {0, sweeps[part], sweeps[part]}, before);
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
  const auto solve = [&](const SolveBlock<T>& block) { return typename AllSubsteps<T>::Solve{{view.rows, velocities, inertias, block}}; };
  const BeginBlock<T> begin{reinterpret_cast<const T*>(substeps.motions), substeps.bias};
  const AllSubsteps<T> work{view.rows,
                            substeps,
                            {{view.rows, velocities, inertias, begin}},
                            {solve(substeps.stabilized), solve(substeps.relaxation)},
                            {substeps.iterations, substeps.relaxations}};
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
