// NNCG around the sweeps of a substep; the algorithm and its source are in kernels/solve/conjugate_sweep.hpp.
//
// Stand-alone problems have the same loop in src/problems/impulse_sweeps.cpp. Only the factor (kernels/problems/conjugate_factor.hpp) is shared:
// there the host reads the norm after each sweep, which waits for the device, and the step along the direction is a launch over plain arrays. Here
// the norm and the factor stay on the target, and change, direction and step are one pass over the lanes, which moves the bodies too: with the other
// loop every sweep of a step would wait once and launch twice more.
#pragma once

#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/sweeps.hpp"

namespace cairn::v0 {

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
  // Starts from the impulses in the rows. They follow the direction between two sweeps; after the last sweep they stay.
  void sweep(Queue& queue, PrimitiveScratch& scratch, const SolveView<T>& view, int sweeps, const SolveBlock<T>& block, const JointBlock<T>& joints) {
    if (view.rows.tileCount == 0) return sweepJoints(queue, view, sweeps, joints);
    const PointArray<T> directions{values_.data(), kConjugateFields};
    beginConjugate(queue, view.rows, directions, state_.data());
    for (int k = 0; k < sweeps; ++k) {
      sweepSolve(queue, view, allSweeps(1), block, joints);
      if (k + 1 == sweeps) return;
      measureGradient(queue, scratch, view.rows, directions, norms_.data(), state_.data());
      sweepConjugate(queue, view, FollowDirection<T>{directions, state_.data()});
    }
  }

 private:
  Buffer<T> values_, norms_;
  Buffer<ConjugateState<T>> state_;
};

}  // namespace cairn::v0
