// Levels of bodies in the contact graph: kernels/graph/contact_levels.hpp.
#pragma once

#include "kernels/graph/contact_levels.hpp"

namespace cairn::v0 {

class ContactLevels {
 public:
  // Of constraints as findLevels has them. Valid until the next update.
  void update(Queue& queue, const ConstraintBodies* constraints, const int* found, int bound, int bodySlots) {
    levels_.resize(queue, static_cast<size_t>(bodySlots));
    next_.resize(queue, static_cast<size_t>(bodySlots));
    scalars_.resize(queue, 1);
    findLevels(queue, constraints, found, bound, bodySlots, {levels_.data(), next_.data(), scalars_.data()});
  }

  const int* levels() const { return levels_.data(); }                               // [bodySlots], on the target
  const int* count() const { return &scalars_.data()->count; }                       // on the target
  std::vector<int> download(Queue& queue) const { return levels_.download(queue); }  // by body slot

 private:
  Buffer<int> levels_, next_;
  Buffer<LevelScalars> scalars_;
};

}  // namespace cairn::v0
