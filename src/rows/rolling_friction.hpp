// Torsional and rolling friction of a step's contacts: their rows beside the others, and what the next step goes on from. How they act:
// kernels/solve/rolling_sweep.hpp.
#pragma once

#include "kernels/rows/rolling_rows.hpp"
#include "src/state/step_context.hpp"

#include <utility>

namespace cairn::v0 {

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
    next_.resize(step.queue, manifolds);
    values_.resize(step.queue, static_cast<size_t>(step.rows.tileCount) * kRollingFields * kTileLanes);
    if (step.rows.tileCount == 0) return;
    step.rolling = {values_.data()};
    prepareRolling(step.queue, step.rows, step.rolling, step.manifolds.manifolds, materials, memoryFor(step));
  }
  // After the solve; the status of a planned step.
  void remember(const StepContext<T>& step, const StepStatus* status) {
    collectRolling(step.queue, step.rows, step.rolling, step.manifolds, memoryFor(step), next_.data());
    keeps_ = true;
    if (status == nullptr) return std::swap(next_, kept_);
    kept_.resize(step.queue, static_cast<size_t>(step.manifolds.count));
    keepRolling(step.queue, step.manifolds, next_.data(), status, kept_.data());
  }
  void forget() { keeps_ = false; }  // a step without such friction

  // For snapshots. `contacts`: how many are remembered.
  template <class Archive> void archive(Archive& a, Queue& queue, size_t contacts) {
    a(keeps_);
    if (keeps_) a.records(queue, kept_, contacts);
  }

 private:
  RollingMemory<T> memoryFor(const StepContext<T>& step) const {
    RollingMemory<T> memory;
    if (keeps_ && step.warmStart != nullptr) memory = {before_.data(), kept_.data()};
    return memory;
  }

  Buffer<T> values_;
  Buffer<int> before_;
  Buffer<Vec3<T>> next_, kept_;
  bool keeps_ = false;
};

}  // namespace cairn::v0
