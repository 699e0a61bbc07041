// Solve: sweeps over the rows. See solve.cu.
#pragma once

#include "contact_sweep.hpp"
#include "primitives.hpp"

namespace cairn {

// Pose records of 8 scalars: the motion since the collision pass (dp, -, dq).
template <class T> struct alignas(8 * sizeof(T)) BodyMotion {
  Vec3<T> dp;
  T spare;
  Quat<T> dq;
};

template <class T> struct SolveView {
  RowView<T> rows;
  BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
  TailView<T> tail;
  int bodySlots;
};

// Sweeps over all colours and then the tail. In place on velocities and the rows' impulses.
template <class T> void sweepSolve(Queue& queue, const SolveView<T>& view, int sweeps, const SolveBlock<T>& operation);
// Biases of the substep and the impulses so far, back on the bodies.
template <class T> void sweepBegin(Queue& queue, const SolveView<T>& view, const BodyMotion<T>* motions, const NormalBias<T>& bias);
template <class T> void sweepImpacts(Queue& queue, const SolveView<T>& view, int sweeps, const ImpactBlock<T>& operation);
template <class T> void updateBias(Queue& queue, const RowView<T>& rows, const BodyMotion<T>* motions, const NormalBias<T>& bias);

// The tail's bodies: sides sorted by body, their CSR offsets and counts. keys and sides hold 2 slotCount items, counts bodySlots, offsets bodySlots
// + 1.
template <class T> void buildTail(Queue& queue, PrimitiveScratch& scratch, const RowView<T>& rows, int bodySlots, uint32_t* keys, int* sides,
                                  int* offsets, T* partCounts);

// The CPU's side, in solve_cpu.cpp: packs of lanes, compiled by the host compiler in every build.
template <class T, class Operation> void sweepColoursOnCpu(int threads, const RowView<T>& rows, int sweeps, const ColouredLane<T, Operation>& body);
template <class T, class Operation> void sweepTailOnCpu(int threads, const RowView<T>& rows, const TailLane<T, Operation>& body);
template <class T> void updateBiasOnCpu(int threads, const RowView<T>& rows, const UpdateBias<T>& body);

}  // namespace cairn
