// NNCG around the sweeps of a substep: kernels/solve/conjugate_sweep.hpp.
#pragma once

#include "kernels/solve/solve.hpp"

namespace cairn {

template <class T> class ConjugateGradients {
 public:
  // Room for a step's rows.
  void prepare(Queue& queue, const RowView<T>& rows) {
    const size_t slots = static_cast<size_t>(rows.tileCount) * kTileLanes;
    values_.resize(queue, pointArraySize(rows, kConjugateFields));
    norms_.resize(queue, slots);
    norms_.fillZero(queue);
    state_.resize(queue, 1);
  }
  // From the impulses as they are. Between two sweeps the impulses follow the direction; after the last one they stay.
  void sweep(Queue& queue, PrimitiveScratch& scratch, const SolveView<T>& view, int sweeps, const SolveBlock<T>& block, const JointBlock<T>& joints) {
    if (view.rows.tileCount == 0) return sweepJoints(queue, view, sweeps, joints);
    const PointArray<T> directions{values_.data(), kConjugateFields};
    beginConjugate(queue, view.rows, directions, state_.data());
    for (int k = 0; k < sweeps; ++k) {
      sweepSolve(queue, view, 1, block, joints);
      if (k + 1 == sweeps) return;
      measureGradient(queue, scratch, view.rows, directions, norms_.data(), state_.data());
      sweepConjugate(queue, view, FollowDirection<T>{directions, state_.data()});
    }
  }

 private:
  Buffer<T> values_, norms_;
  Buffer<ConjugateState<T>> state_;
};

}  // namespace cairn
