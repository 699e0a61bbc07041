// Solve: the substeps, from rows to velocities and poses. The sweeps are described in kernels/solve/solve.cu, their bodies in
// kernels/solve/contact_sweep.hpp.
#pragma once

#include "kernels/solve/solve.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/solve/conjugate_gradients.hpp"
#include "src/solve/position_correction.hpp"
#include "src/solve/reference_substep.hpp"
#include "src/solve/residual.hpp"
#include "src/solve/shock_propagation.hpp"
#include "src/state/step_context.hpp"

namespace cairn {

template <class T> class Solve {
 public:
  // Prepares the rows and runs all substeps.
  void run(StepContext<T>& step);

  const ManifoldImpulse<T>* impulses() const { return impulses_.data(); }           // by manifold, of the last substep
  const BodyVelocity<T>* freeVelocities() const { return freeVelocities_.data(); }  // of the last substep, before its contact impulses
  int sweeps() const { return sweeps_; }                                            // of the last run, over all substeps

 private:
  void prepare(StepContext<T>& step);
  void substep(StepContext<T>& step, double h, bool last);
  void solveBiased(StepContext<T>& step, double h, const NormalBias<T>& bias);
  void relax(StepContext<T>& step, double h, const NormalBias<T>& bias, bool last);
  void updateTargets(StepContext<T>& step, double h, const NormalBias<T>& bias);
  void sweep(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps);
  void sweepTo(StepContext<T>& step, const SolveBlock<T>& block, const JointBlock<T>& joints, int sweeps);

  SolveView<T> view_;
  Buffer<BodyVelocity<T>> freeVelocities_;
  Buffer<ManifoldImpulse<T>> impulses_;
  Buffer<uint32_t> tailKeys_;
  Buffer<int> tailSides_, tailOffsets_;
  Buffer<T> partCounts_, tailChanges_;
  Residual<T> residual_;
  ReferenceSubstep<T> reference_;
  ConjugateGradients<T> conjugate_;
  PositionCorrection<T> positions_;
  ShockPropagation<T> shock_;
  Buffer<T> slips_, rounds_;
  int sweeps_ = 0;
};

}  // namespace cairn
