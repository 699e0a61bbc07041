// All substeps of a step in one launch, on a device, where sweeps and the integration of the bodies are all that they are made of. See substeps.cu.
#pragma once

#include "kernels/solve/sweeps.hpp"

namespace cairn::v0 {

template <class T> struct Substeps {
  int count = 0;
  IntegrateVelocity<T> accelerate;  // of the first substep
  bool carries = false;             // impulses are carried on in those that follow (CarryImpulses::Now)
  IntegratePosition<T> move;
  const BodyMotion<T>* motions = nullptr;
  NormalBias<T> bias;
  ImpulseMomentum<T> momentum;  // from the third substep on
  SolveBlock<T> stabilized, relaxation;
  int iterations = 0, relaxations = 0;        // sweeps of each
  BodyVelocity<T>* freeVelocities = nullptr;  // gets the velocities of the last substep, before its contact impulses
};

// The same as sweepBegin, sweepFirst, sweepSolve and sweepSolve in each substep. False, with nothing done, where there is no launch for it, or it
// would be slower.
template <class T> bool runSubsteps(Queue& queue, const SolveView<T>& view, const Substeps<T>& substeps);

}  // namespace cairn::v0
