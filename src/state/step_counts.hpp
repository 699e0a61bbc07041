// The numbers that a step finds on its way, such as that of its contacts, and what the host does about not knowing them.
//
// The stages make room for what they find, and launch so many items. On the CPU the host reads each number. On a device that would mean to wait,
// stage after stage; so a step there is *planned*: each number gets a bound, somewhat more than the last one known, the kernels look at the number
// itself, which stays on the device, and one kernel at the end checks what the plan took for granted (kernels/state/step_check.hpp). A step that does
// not keep to its plan is undone and done again with numbers that are read.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/step_check.hpp"

#include <algorithm>
#include <array>

namespace cairn::v0 {

// Manifolds: those that stay where AllContacts have been reduced, of which CompoundContacts were looked at.
// Widest: tiles of the largest colour. It sizes grids and nothing else. Polls, Sweeps: with a tolerance (kernels/solve/sweep_watch.hpp).
enum class StepCount {
  Pairs,
  Spilled,
  FastShapes,
  FastPairs,
  Manifolds,
  LeftOver,
  ContactFields,
  ContactOverflow,
  ContactWidest,
  JointOverflow,
  JointWidest,
  ShockLevels,
  FastMotions,
  Polls,
  Sweeps,
  MeshPairs,
  AllContacts,
  CompoundContacts
};
constexpr size_t kStepCounts = 18;

class StepCounts {
 public:
  // Numbers are read from now on: what a stage outside of a World's step asks for, too.
  void beginRead() { planned_ = false; }
  // Numbers are bounded by the plan from now on.
  void beginPlanned() {
    planned_ = true;
    assumptions_.count = 0;
  }
  // The same with bounds that are given, and not learnt from steps.
  void beginBounded(const std::array<int, kStepCounts>& rooms) {
    rooms_ = rooms;
    beginPlanned();
  }
  bool planned() const { return planned_; }

  // How many there are, if it is read; a bound, if it is planned.
  int bound(Queue& queue, StepCount which, const int* onTarget);
  // A planned step is undone unless low <= *onTarget <= high in the end.
  void expect(StepExpectation what, const int* onTarget, int low, int high) {
    if (planned_) assume(onTarget, low, high, what);
  }
  void expect(StepCount which, const int* onTarget, int low, int high) {
    if (planned_) assume(onTarget, low, high, static_cast<int>(which));
  }
  // Bounds that no plan goes below.
  void reserve(StepCount which, int items) { least_[static_cast<size_t>(which)] = std::max(least_[static_cast<size_t>(which)], items); }
  // What the plan has, without a number to be held against it.
  int room(StepCount which) const { return rooms_[static_cast<size_t>(which)]; }
  const std::array<int, kStepCounts>& rooms() const { return rooms_; }
  void know(StepCount which, int value) { known_[static_cast<size_t>(which)] = value; }

  // The plan after a step whose numbers were read. `jointed`: joints go other ways without contacts; where there were none there is no room for
  // any then, whatever is reserved.
  void plan(bool jointed);
  const StepAssumptions& assumptions() const { return assumptions_; }

  // What planned steps have found, as their status says: bounds that have nearly been reached grow, and those that many steps in a row have stayed
  // far below shrink.
  void learn(const StepStatus& status);
  // Of the last step.
  int known(StepCount which) const { return known_[static_cast<size_t>(which)]; }

 private:
  bool planned_ = false;
  std::array<int, kStepCounts> known_{}, rooms_{}, least_{};
  std::array<int, kStepCounts> most_{};  // found since the bounds were last looked through
  int learned_ = 0;                      // so often since then
  void tighten();
  void assume(const int* onTarget, int low, int high, int kept);

  StepAssumptions assumptions_{};
};

// What there was no room for, in words.
const char* nameOf(StepCount which);

// For stages by themselves: `counts` if there are any, else `own`, which reads.
inline StepCounts& countsOr(StepCounts* counts, StepCounts& own) { return counts != nullptr ? *counts : own; }

}  // namespace cairn::v0
