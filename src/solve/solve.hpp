// Solve: what a substep does between its forces and its motion, and what ends a step. The list of it is SimulationOf::runStages. The sweeps are
// described in kernels/solve/sweeps.cu, what they do to a contact in kernels/solve/contact_sweep.hpp.
#pragma once

#include "src/solve/position_correction.hpp"
#include "src/solve/reference_substep.hpp"
#include "src/solve/shock_propagation.hpp"
#include "src/solve/sweeps.hpp"

namespace cairn::v0 {

template <class T> class Solve {
 public:
  // Room for a step's rows, and what of them all substeps have in common.
  void begin(StepContext<T>& step, StepCounts& counts);
  // For steps that integrate: how the substeps hand impulses on.
  void chooseCarrying(StepContext<T>& step);
  // Before the rows of bodies that turn fast lose their impulses.
  void leaveTurning(StepContext<T>& step, int substep);

  // Whether the sweeps of this step take the integration of the bodies along: on a device, where nothing looks at the bodies in between. Then `first`
  // of solveBiased and relax is that integration.
  bool integratesBodies(const StepContext<T>& step) const;

  // The integration of a substep, with what belongs to impulses that are carried on from the one before (carried_impulses.hpp).
  IntegrateVelocity<T> carrying(const StepContext<T>& step, int substep, IntegrateVelocity<T> accelerate);
  IntegratePosition<T> carrying(IntegratePosition<T> move);

  // All substeps of a step whose sweeps integrate the bodies, where nothing is made anew between substeps either. False, with nothing done, where
  // they are to be gone through one by one.
  bool runAtOnce(StepContext<T>& step, const IntegrateVelocity<T>& accelerate, const IntegratePosition<T>& move);

  // In each substep, in this order. The speeds that the rows ask for, where the first sweep does not find them by itself.
  void updateTargets(StepContext<T>& step);
  // Approach speeds above the threshold are reflected; joints pass the impacts on.
  void reflectImpacts(StepContext<T>& step);
  // Impulses with the stabilization's speed. `substep`: 1 and on.
  void solveBiased(StepContext<T>& step, int substep, IntegrateVelocity<T> first = {});
  // Velocities that carry stacks from the ground up, for the motion alone: endShocks puts back those that the joints had before.
  void propagateShocks(StepContext<T>& step);
  void endShocks(StepContext<T>& step);
  // Once the bodies have moved: velocities without what only served to correct positions.
  void relax(StepContext<T>& step, bool last, const IntegratePosition<T>& first = {});

  // After the substeps.
  void correctPositions(StepContext<T>& step);
  void collectContactImpulses(StepContext<T>& step);

  // Results of the last step, valid until the next begins.
  const BodyVelocity<T>* freeVelocities() const { return sweeps_.freeVelocities(); }  // of the last substep, before its contact impulses
  int sweeps() const { return sweeps_.count(); }                                      // over all substeps: Sweeps::count

 private:
  void applyImpulses(StepContext<T>& step, int substep, IntegrateVelocity<T>& first);
  ImpulseMomentum<T> momentumAt(const StepContext<T>& step, int substep) const;

  bool carries_ = false;           // impulses are carried on in this step
  ImpulseMomentum<T> momentum_{};  // of this step's warm starts
  Buffer<T> lastImpulses_;
  Buffer<BodyVelocity<T>> lastCarried_;
  Sweeps<T> sweeps_;
  ReferenceSubstep<T> reference_;
  PositionCorrection<T> positions_;
  ShockPropagation<T> shock_;
};

}  // namespace cairn::v0
