// Solve: projected Gauss-Seidel by colours, and mass-split Jacobi for what no colour holds.
//
// In: rows in tiles by colour, velocities after the forces. Out: velocities and impulses. Colours run strictly one after another and share no
// dynamic body within themselves, so every sweep is the same sequence of operations on any target and number of threads. The tail's changes
// are added to each body in the order of their slots.
#include "solve.hpp"

#include "sweep_launch.hpp"

namespace cairn {
namespace {

struct TailSide {
  const int* bodyA;
  const int* bodyB;
  uint32_t* keys;
  int* sides;
  int* counts;
  int firstSlot, bodySlots;

  CAIRN_HD void operator()(int side) const {
    const int slot = firstSlot + side / 2;
    const int body = (side & 1) == 0 ? bodyA[slot] : bodyB[slot];
    keys[side] = static_cast<uint32_t>(body < 0 ? bodySlots : body);  // what is never written goes last
    sides[side] = side;
    if (body >= 0) atomicAddInt(counts + body, 1);
  }
};

template <class T> struct PartCount {
  const int* offsets;
  T* partCounts;
  CAIRN_HD void operator()(int body) const {
    const int k = offsets[body + 1] - offsets[body];
    partCounts[body] = T(k > 1 ? k : 1);
  }
};

template <class T> struct GatherTail {
  TailView<T> tail;
  BodyVelocity<T>* velocities;

  CAIRN_HD void operator()(int body) const {
    const int begin = tail.offsets[body], end = tail.offsets[body + 1];
    if (begin == end) return;
    BodyVelocity<T> velocity = velocities[body];
    for (int i = begin; i < end; ++i) {
      const int64_t slot = tail.sides[i] / 2, side = tail.sides[i] & 1;
      const T* from = tail.changes + 6 * side * tail.slotCount + slot;
      const int64_t n = tail.slotCount;
      velocity.v += Vec3<T>{from[0], from[n], from[2 * n]};
      velocity.w += Vec3<T>{from[3 * n], from[4 * n], from[5 * n]};
    }
    velocities[body] = velocity;
  }
};

#if CAIRN_WITH_CUDA
template <class T> struct AllTiles {
  UpdateBias<T> bias;
  CAIRN_HD void operator()(int slot) const {
    if (bias.rows.manifold[slot] >= 0) bias.template at<T>(slot);
  }
};
#endif

template <class T, class Operation> void sweep(Queue& queue, const char* label, const SolveView<T>& view, int sweeps, const Operation& operation) {
  queue.label = label;
  const RowView<T>& rows = view.rows;
  if (rows.tileCount == 0) return;
  T* velocities = reinterpret_cast<T*>(view.velocities);
  const T* inertias = reinterpret_cast<const T*>(view.inertias);
  const ColouredLane<T, Operation> coloured{rows, velocities, inertias, operation};
  const TailLane<T, Operation> tail{rows, velocities, inertias, view.tail, operation};
  const auto colours = [&](int count) {
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) return sweepColoursOnCuda(queue, rows, count, coloured);
#endif
    sweepColoursOnCpu(queue.threads, rows, count, coloured);
  };
  if (rows.tailTiles == 0) return colours(sweeps);
  for (int s = 0; s < sweeps; ++s) {
    colours(1);
    queue.label = label;
#if CAIRN_WITH_CUDA
    if (queue.target == Target::Cuda) {
      sweepRangeOnCuda(queue, rows, tail, rows.tileCount - rows.tailTiles, rows.tileCount);
    } else
#endif
      sweepTailOnCpu(queue.threads, rows, tail);
    forEach(queue, "solve/tail_gather", view.bodySlots, GatherTail<T>{view.tail, view.velocities});
  }
}

}  // namespace

template <class T> void sweepSolve(Queue& queue, const SolveView<T>& view, int sweeps, const SolveBlock<T>& operation) {
  sweep(queue, "solve/sweep", view, sweeps, operation);
}
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BodyMotion<T>* motions, const NormalBias<T>& bias) {
  sweep(queue, "solve/begin", view, 1, BeginBlock<T>{reinterpret_cast<const T*>(motions), bias});
}
template <class T> void sweepImpacts(Queue& queue, const SolveView<T>& view, int sweeps, const ImpactBlock<T>& operation) {
  sweep(queue, "solve/impacts", view, sweeps, operation);
}

template <class T> void updateBias(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const NormalBias<T>& bias) {
  const UpdateBias<T> body{rows, reinterpret_cast<const T*>(motions), bias};
  queue.label = "solve/bias";
#if CAIRN_WITH_CUDA
  if (queue.target == Target::Cuda) return forEach(queue, "solve/bias", static_cast<int64_t>(rows.tileCount) * kTileLanes, AllTiles<T>{body});
#endif
  updateBiasOnCpu(queue.threads, rows, body);
}

template <class T> void buildTail(Queue& queue, PrimitiveScratch& scratch, const RowView<T>& rows, int bodySlots, uint32_t* keys, int* sides,
                                  int* offsets, T* partCounts) {
  const int sideCount = rows.tailTiles * kTileLanes * 2;
  fillBytes(queue, offsets, 0, (static_cast<size_t>(bodySlots) + 1) * sizeof(int));
  forEach(queue, "solve/tail_sides", sideCount,
          TailSide{rows.bodyA, rows.bodyB, keys, sides, offsets, (rows.tileCount - rows.tailTiles) * kTileLanes, bodySlots});
  sortByKey(queue, scratch, keys, sides, sideCount);
  exclusiveScan(queue, scratch, offsets, offsets, bodySlots);
  forEach(queue, "solve/tail_parts", bodySlots, PartCount<T>{offsets, partCounts});
}

#define CAIRN_INSTANTIATE(T)                                                                         \
  template void sweepSolve(Queue&, const SolveView<T>&, int, const SolveBlock<T>&);                  \
  template void sweepBegin(Queue&, const SolveView<T>&, const BodyMotion<T>*, const NormalBias<T>&); \
  template void sweepImpacts(Queue&, const SolveView<T>&, int, const ImpactBlock<T>&);               \
  template void updateBias(Queue&, const RowView<T>&, const BodyMotion<T>*, const NormalBias<T>&);   \
  template void buildTail(Queue&, PrimitiveScratch&, const RowView<T>&, int, uint32_t*, int*, int*, T*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
