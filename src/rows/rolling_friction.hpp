// Torsional and rolling friction of a step's contacts: their rows beside the others, and what the next step goes on from. How they act:
// kernels/solve/rolling_sweep.hpp.
#pragma once

#include "kernels/rows/rolling_rows.hpp"
#include "src/state/step_context.hpp"

namespace cairn {

template <class T> class RollingFriction {
 public:
  // Room for so many manifolds, and where their predecessors go, by manifold. Null where there are none to go on from.
  int* predecessors(Queue& queue, int manifoldCount) {
    before_.resize(queue, static_cast<size_t>(manifoldCount));
    return keeps_ ? before_.data() : nullptr;
  }
  // step.rolling, for rows whose layout is there. The room that remember() needs is made here.
  void fill(StepContext<T>& step, const RollingMaterial<T>* materials) {
    const auto manifolds = static_cast<size_t>(step.manifolds.count);
    kept_.reserve(step.queue, manifolds);
    values_.resize(step.queue, static_cast<size_t>(step.rows.tileCount) * kRollingFields * kTileLanes);
    if (step.rows.tileCount == 0) return;
    step.rolling = {values_.data()};
    RollingMemory<T> memory;
    if (keeps_ && step.warmStart != nullptr) memory = {before_.data(), kept_.data()};
    prepareRolling(step.queue, step.rows, step.rolling, step.manifolds.manifolds, materials, memory);
  }
  // After the solve; the status of a planned step.
  void remember(const StepContext<T>& step, const StepStatus* status) {
    kept_.resize(step.queue, static_cast<size_t>(step.manifolds.count));
    if (step.rolling.values != nullptr) collectRolling(step.queue, step.rows, step.rolling, status, kept_.data());
    keeps_ = true;
  }
  void forget() { keeps_ = false; }  // a step without such friction

  // For snapshots. `contacts`: how many are remembered.
  template <class Archive> void archive(Archive& a, Queue& queue, size_t contacts) {
    a(keeps_);
    if (keeps_) a.records(queue, kept_, contacts);
  }

 private:
  Buffer<T> values_;
  Buffer<int> before_;
  Buffer<Vec3<T>> kept_;
  bool keeps_ = false;
};

}  // namespace cairn
