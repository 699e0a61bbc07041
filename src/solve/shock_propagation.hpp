// Shock propagation: kernels/solve/shock_sweep.hpp. Before the bodies move they get velocities that carry stacks from the ground up. A last sweep
// over the joints alone counts for positions only: afterwards velocities are those from before it.
#pragma once

#include "kernels/solve/sweeps.hpp"
#include "src/graph/contact_levels.hpp"
#include "src/joints/joint_solve.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

template <class T> class ShockPropagation {
 public:
  // Levels of this step's contact graph.
  void begin(StepContext<T>& step, StepCounts& counts);
  void run(StepContext<T>& step, const SolveView<T>& view);
  void restore(StepContext<T>& step);

 private:
  ContactLevels levels_;
  Buffer<T> scalars_;
  Buffer<BodyVelocity<T>> saved_;
  int levelCount_ = 0;  // of a planned step a bound: no contact is of the levels beyond
};

}  // namespace cairn::v0
