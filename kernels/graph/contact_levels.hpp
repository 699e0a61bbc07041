// Levels of bodies in the contact graph: how many bodies lie between them and one that takes no impulses.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// Scalars of a search on the target.
struct LevelScalars {
  int count;    // of levels
  int left[2];  // of inRounds
};

// The arrays that a search writes. levels[body]: 0 for one that touches a body that takes no impulses, 1 for one that touches a level 0, ...; -1
// where none can be reached. `next` is scratch of the same size.
struct LevelArrays {
  int *levels, *next;
  LevelScalars* scalars;
};

// Breadth-first, in one launch. The constraints are the first *found, on the target, at most `bound`; without `found` as many as the bound.
void findLevels(Queue& queue, const ConstraintBodies* constraints, const int* found, int bound, int bodySlots, const LevelArrays& out);

}  // namespace cairn::v0
