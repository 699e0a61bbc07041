#include "kernels/graph/contact_levels.hpp"

#include "kernels/runtime/round_launch.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// A round takes all bodies that touch those of the round before. Who reaches a body is of no matter: all who do in the same round have the same
// level.
struct LevelRounds {
  static constexpr int kPhasesBefore = 2, kPhases = 2;

  const ConstraintBodies* constraints;
  const int* found;
  int bound, bodySlots;
  LevelArrays out;

  CAIRN_HD int constraintCount() const { return found != nullptr && *found < bound ? *found : bound; }

  CAIRN_HD void before(int phase, int i) const {
    if (phase == 0) {
      if (i < bodySlots) out.levels[i] = out.next[i] = -1;
      return;
    }
    if (i >= constraintCount()) return;
    const ConstraintBodies& c = constraints[i];
    if (c.bodyA >= 0 && c.bodyB < 0) atomicMaxInt(out.levels + c.bodyA, 0);
    if (c.bodyB >= 0 && c.bodyA < 0) atomicMaxInt(out.levels + c.bodyB, 0);
  }

  CAIRN_HD bool operator()(int phase, int i) const {
    if (phase == 0) {
      if (i < constraintCount()) reach(constraints[i]);
      return false;
    }
    if (i >= bodySlots || out.levels[i] >= 0 || out.next[i] < 0) return false;
    out.levels[i] = out.next[i];
    return true;
  }

  CAIRN_HD void after(int i) const {
    if (i < bodySlots) atomicMaxInt(&out.scalars->count, out.levels[i] + 1);
  }

  CAIRN_HD void reach(const ConstraintBodies& c) const {
    if (c.bodyA < 0 || c.bodyB < 0) return;
    const int a = out.levels[c.bodyA], b = out.levels[c.bodyB];
    if (a >= 0 && b < 0) atomicMaxInt(out.next + c.bodyB, a + 1);
    if (b >= 0 && a < 0) atomicMaxInt(out.next + c.bodyA, b + 1);
  }
};

}  // namespace

void findLevels(Queue& queue, const ConstraintBodies* constraints, const int* found, int bound, int bodySlots, const LevelArrays& out) {
  fillBytes(queue, out.scalars, 0, sizeof *out.scalars);
  inRounds(queue, "contact_graph/levels", std::max(bound, bodySlots), out.scalars->left, LevelRounds{constraints, found, bound, bodySlots, out});
}

}  // namespace cairn::v0
