#include "src/state/step_counts.hpp"

#include <algorithm>
#include <cassert>

namespace cairn::v0 {
namespace {

constexpr int kSpareItems = 256;  // beside a quarter of what there was: a scene that begins to touch goes through small numbers quickly

constexpr int kLooksAtBounds = 60;  // between two times that bounds may shrink

constexpr int kSpareLaunches = 4;  // of what is a launch each, or several

int roomFor(StepCount which, int known) {
  const bool launches = which == StepCount::ShockLevels || which == StepCount::Polls;
  return known + known / 4 + (launches ? kSpareLaunches : kSpareItems);
}

// Whether the stages that are for these are left out where there are none.
bool isLeftOut(StepCount which) {
  switch (which) {
    case StepCount::Spilled:
    case StepCount::FastShapes:
    case StepCount::FastPairs:
    case StepCount::LeftOver:
    case StepCount::ContactOverflow:
    case StepCount::JointOverflow:
    case StepCount::FastMotions:
    case StepCount::MeshPairs:
    case StepCount::AllContacts:
    case StepCount::CompoundContacts:
    case StepCount::Manifolds:
      return true;
    default:
      return false;
  }
}

}  // namespace

const char* nameOf(StepCount which) {
  switch (which) {
    case StepCount::Pairs:
    case StepCount::Spilled:
      return "pairs of shapes near each other";
    case StepCount::FastShapes:
      return "fast shapes";
    case StepCount::FastPairs:
      return "pairs with a fast shape";
    case StepCount::Manifolds:
    case StepCount::AllContacts:
    case StepCount::CompoundContacts:
      return "pairs of shapes in contact";
    case StepCount::LeftOver:
      return "constraints that the first rounds leave without a colour";
    case StepCount::ContactOverflow:
    case StepCount::JointOverflow:
      return "constraints without a colour";
    case StepCount::MeshPairs:
      return "shapes near a mesh";
    case StepCount::FastMotions:
      return "fast bodies";
    case StepCount::ShockLevels:
      return "levels of the contact graph";
    case StepCount::Polls:
    case StepCount::Sweeps:
      return "sweeps to the tolerance";
    default:
      return "tiles of contacts";
  }
}

static_assert(kStepCounts <= kKeptValues, "the status has a place for each");

void StepCounts::assume(const int* onTarget, int low, int high, int kept) {
  assert(assumptions_.count < kMaxAssumptions);
  assumptions_.items[assumptions_.count++] = {onTarget, low, high, kept};
}

int StepCounts::bound(Queue& queue, StepCount which, const int* onTarget) {
  const auto index = static_cast<size_t>(which);
  if (planned_) {
    assume(onTarget, 0, rooms_[index], static_cast<int>(which));
    return rooms_[index];
  }
  int value = 0;
  downloadBytes(queue, &value, onTarget, sizeof value);
  known_[index] = value;
  return value;
}

void StepCounts::plan(bool jointed) {
  for (size_t k = 0; k < kStepCounts; ++k) {
    const auto which = static_cast<StepCount>(k);
    rooms_[k] = known_[k] == 0 && isLeftOut(which) ? 0 : roomFor(which, known_[k]);
  }
  for (size_t k = 0; k < kStepCounts; ++k) {
    if (!jointed || known_[k] > 0 || k != static_cast<size_t>(StepCount::Manifolds)) rooms_[k] = std::max(rooms_[k], least_[k]);
  }
  most_.fill(0);
  learned_ = 0;
}

void StepCounts::learn(const StepStatus& status) {
  if (status.done == 0) return;
  for (size_t k = 0; k < kStepCounts; ++k) {
    known_[k] = status.values[k];
    most_[k] = std::max(most_[k], known_[k]);
    if (known_[k] > rooms_[k] - rooms_[k] / 8) rooms_[k] = std::max(rooms_[k], roomFor(static_cast<StepCount>(k), known_[k]));
  }
  if (++learned_ >= kLooksAtBounds) tighten();
}

// A number that comes back costs a step that is done again, as any that goes beyond its bound. A pile that has come down has nothing fast any more:
// without this it would launch all that looks for where it went through something for ever. That there are no contacts is for plan() to say.
void StepCounts::tighten() {
  for (size_t k = 0; k < kStepCounts; ++k) {
    const auto which = static_cast<StepCount>(k);
    const bool none = most_[k] == 0 && isLeftOut(which) && which != StepCount::Manifolds;
    const int enough = std::max(none ? 0 : roomFor(which, most_[k]), least_[k]);
    if (enough < rooms_[k] / 2) rooms_[k] = enough;
  }
  most_.fill(0);
  learned_ = 0;
}

}  // namespace cairn::v0
