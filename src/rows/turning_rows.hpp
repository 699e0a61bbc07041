// Rows of bodies that turn fast, made anew in each substep. The algorithm is described in kernels/rows/turning_rows.cu.
#pragma once

#include "kernels/rows/turning_rows.hpp"
#include "src/state/step_context.hpp"

namespace cairn::v0 {

template <class T> class TurningRows {
 public:
  // Which bodies turn fast in this step. Without fast shapes, or rows, there is nothing to do in its substeps.
  void begin(StepContext<T>& step, const SweptBodies<T>& bodies, bool anyFast);
  // At the beginning of each substep: rows without impulses from before, but of bodies that joints hold; from the second one on they and the inertia
  // are those of the poses as they are now.
  void update(StepContext<T>& step, bool first, Manifold<T>* manifolds);
  // After the inertia of bodies that joints hold has been made anew within a substep.
  void follow(StepContext<T>& step, const Manifold<T>* manifolds);
  // After the last substep.
  void end(StepContext<T>& step);
  // By body slot; null: none turns fast in this step. Their angular velocities get the gyroscopic term here.
  const int* turning() const { return any_ ? turning_.data() : nullptr; }

 private:
  TurningBodies<T> bodies(const StepContext<T>& step) const;

  bool any_ = false;
  Buffer<int> turning_, mostPoints_;
  Buffer<Quat<T>> kept_;
};

}  // namespace cairn::v0
