// Contact graph: colours by rounds, for the device; levels of bodies above the ground.
//
// In: constraints as pairs of bodies, a priority each. Out: a colour each, such that no two of one colour share a dynamic body.
//
// A constraint is coloured in the round in which it has the highest priority among the uncoloured ones at both its bodies (Jones and Plassmann, "A
// parallel graph coloring heuristic", 1993), with the smallest colour free there: exactly what the sequential greedy of
// src/graph/contact_graph_host.cpp gives it, since either way its colour depends on those of higher priority alone. Equal priorities are told apart
// by the index. Constraints that find no colour below the cap are repaired at the end (contact_graph_repair.hpp).
//
// A constraint is left over in the first round in which its bodies have no common free colour, not only when its turn comes: colours once taken are
// not given back, so none would be free at its turn either, and it takes none that others could miss. So a body with d constraints needs rounds for
// its colours, 64 at most, and not d.
//
// Deterministic: atomics are integer maxima and sums, so rounds do not depend on threads.
//
// Memory: 12 bytes a constraint, 20 a body; 16 more a constraint while something is to be repaired.
#include "kernels/graph/contact_graph.hpp"

#include "kernels/graph/contact_graph_repair.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

struct CountDegree {
  const ConstraintBodies* constraints;
  int* degrees;
  CAIRN_HD void operator()(int i) const {
    if (constraints[i].bodyA >= 0) atomicAddInt(degrees + constraints[i].bodyA, 1);
    if (constraints[i].bodyB >= 0) atomicAddInt(degrees + constraints[i].bodyB, 1);
  }
};

struct LargestDegree {
  const int* degrees;
  GraphScalars* scalars;
  CAIRN_HD void operator()(int body) const {
    if (degrees[body] > 0) atomicMaxInt(&scalars->maxDegree, degrees[body]);
  }
};

struct StartColouring {
  int* colours;
  int* active;
  CAIRN_HD void operator()(int i) const {
    colours[i] = kUncoloured;
    active[i] = i;
  }
};

CAIRN_HD inline uint64_t rankOf(const uint32_t* priorities, int i) {
  return (static_cast<uint64_t>(priorities[i]) << 32) | ~static_cast<uint32_t>(i);
}

// Nobody writes colours taken at a body in this launch, so that looking at them is no race.
struct Bid {
  ConstraintGraph graph;
  const int* active;
  ColouringState state;
  uint64_t all;

  CAIRN_HD void operator()(int k) const {
    const int i = active[k];
    if (state.colours[i] != kUncoloured) return;
    const ConstraintBodies& c = graph.constraints[i];
    if (state.freeAt(c, all) == 0) {
      state.colours[i] = kLeftOver;
      return;
    }
    const uint64_t rank = rankOf(graph.priorities, i);
    if (c.bodyA >= 0) atomicMaxUint64(state.best + c.bodyA, rank);
    if (c.bodyB >= 0) atomicMaxUint64(state.best + c.bodyB, rank);
  }
};

struct TakeColour {
  ConstraintGraph graph;
  const int* active;
  ColouringState state;
  uint64_t all;

  CAIRN_HD void operator()(int k) const {
    const int i = active[k];
    if (state.colours[i] != kUncoloured) return;
    const ConstraintBodies& c = graph.constraints[i];
    const int a = c.bodyA, b = c.bodyB;
    const uint64_t rank = rankOf(graph.priorities, i);
    // The constraint is first at both its bodies: no other one reads or writes the bodies' words in this launch. Some colour is free, or it would not
    // have bid.
    if ((a >= 0 && state.best[a] != rank) || (b >= 0 && state.best[b] != rank)) return;
    const uint64_t available = state.freeAt(c, all);
    const uint64_t bit = available & (~available + 1);
    if (a >= 0) state.used[a] |= bit;
    if (b >= 0) state.used[b] |= bit;
    state.colours[i] = lowestSetBit(bit);
  }
};

struct FlagColour {
  const int* colours;
  int* flags;
  int colour;
  CAIRN_HD void operator()(int i) const { flags[i] = colours[i] == colour ? 1 : 0; }
};

struct RuleOut {
  ColouringView view;
  CAIRN_HD void operator()(int i) const {
    if (view.colours[i] == kLeftOver && !view.mayBeRepaired(i)) view.colours[i] = kOverflowColour;
  }
};

struct PriorityKey {
  const uint32_t* priorities;
  const int* list;
  uint32_t* keys;
  CAIRN_HD void operator()(int k) const { keys[k] = ~priorities[list[k]]; }
};

struct IncidentSide {
  const ConstraintBodies* constraints;
  uint32_t* keys;
  int* incident;
  int* offsets;
  int bodySlots;
  CAIRN_HD void operator()(int side) const {
    const ConstraintBodies& c = constraints[side / 2];
    const int body = (side & 1) == 0 ? c.bodyA : c.bodyB;
    keys[side] = static_cast<uint32_t>(body < 0 ? bodySlots : body);
    incident[side] = side / 2;
    if (body >= 0) atomicAddInt(offsets + body, 1);
  }
};

struct RepairAll {
  ColouringView view;
  const int* list;
  int count;
  CAIRN_HD void operator()(int) const { repairAll(view, list, count); }
};

struct CountColour {
  const int* colours;
  GraphScalars* scalars;
  CAIRN_HD void operator()(int i) const {
    if (colours[i] == kOverflowColour) {
      atomicAddInt(&scalars->overflowCount, 1);
    } else {
      atomicMaxInt(&scalars->colourCount, colours[i] + 1);
    }
  }
};

struct ClearLevel {
  int* levels;
  CAIRN_HD void operator()(int body) const { levels[body] = -1; }
};

struct FirstLevel {
  const ConstraintBodies* constraints;
  int* levels;
  CAIRN_HD void operator()(int i) const {
    const ConstraintBodies& c = constraints[i];
    if (c.bodyA >= 0 && c.bodyB < 0) atomicMaxInt(levels + c.bodyA, 0);
    if (c.bodyB >= 0 && c.bodyA < 0) atomicMaxInt(levels + c.bodyB, 0);
  }
};

struct NextLevel {
  const ConstraintBodies* constraints;
  int* levels;
  int* changed;
  int level;
  CAIRN_HD void visit(int from, int to) const {
    // All threads that write to a body in this pass write the same: only -1 becomes the next level, never anything else.
    if (levels[from] == level && levels[to] == -1) {
      atomicMaxInt(levels + to, level + 1);
      atomicMaxInt(changed, 1);
    }
  }
  CAIRN_HD void operator()(int i) const {
    const ConstraintBodies& c = constraints[i];
    if (c.bodyA < 0 || c.bodyB < 0) return;
    visit(c.bodyA, c.bodyB);
    visit(c.bodyB, c.bodyA);
  }
};

uint64_t lowBits(int count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

}  // namespace

void countDegrees(Queue& queue, const ConstraintGraph& graph, int* degrees, GraphScalars* scalars) {
  fillBytes(queue, degrees, 0, static_cast<size_t>(graph.bodySlots) * sizeof(int));
  fillBytes(queue, scalars, 0, sizeof *scalars);
  forEach(queue, "contact_graph/degrees", graph.count, CountDegree{graph.constraints, degrees});
  forEach(queue, "contact_graph/max_degree", graph.bodySlots, LargestDegree{degrees, scalars});
}

void startColouring(Queue& queue, int count, int* colours, int* active) {
  forEach(queue, "contact_graph/start", count, StartColouring{colours, active});
}

void colourRound(Queue& queue, const ConstraintGraph& graph, const int* active, int activeCount, int cap, const ColouringState& state) {
  forEach(queue, "contact_graph/bid", activeCount, Bid{graph, active, state, lowBits(cap)});
  forEach(queue, "contact_graph/take", activeCount, TakeColour{graph, active, state, lowBits(cap)});
  fillBytes(queue, state.best, 0, static_cast<size_t>(graph.bodySlots) * sizeof(uint64_t));
}

void flagColour(Queue& queue, const int* colours, int count, int colour, int* flags) {
  forEach(queue, "contact_graph/flag", count, FlagColour{colours, flags, colour});
}

void ruleOut(Queue& queue, const ColouringView& view, int count) { forEach(queue, "contact_graph/rule_out", count, RuleOut{view}); }

void priorityKeys(Queue& queue, const uint32_t* priorities, const int* list, int count, uint32_t* keys) {
  forEach(queue, "contact_graph/keys", count, PriorityKey{priorities, list, keys});
}

void incidentConstraints(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, uint32_t* keys, int* incident, int* offsets) {
  const int sides = graph.count * 2;
  fillBytes(queue, offsets, 0, (static_cast<size_t>(graph.bodySlots) + 1) * sizeof(int));
  forEach(queue, "contact_graph/incident", sides, IncidentSide{graph.constraints, keys, incident, offsets, graph.bodySlots});
  sortByKey(queue, scratch, keys, incident, sides);
  exclusiveScan(queue, scratch, offsets, offsets, graph.bodySlots);
}

void repairLeftOver(Queue& queue, const ColouringView& view, const int* list, int count) {
  forEach(queue, "contact_graph/repair", 1, RepairAll{view, list, count});
}

void countColours(Queue& queue, const int* colours, int count, GraphScalars* scalars) {
  forEach(queue, "contact_graph/count", count, CountColour{colours, scalars});
}

void firstLevels(Queue& queue, const ConstraintBodies* constraints, int count, int bodySlots, int* levels) {
  forEach(queue, "contact_graph/clear_levels", bodySlots, ClearLevel{levels});
  forEach(queue, "contact_graph/first_levels", count, FirstLevel{constraints, levels});
}

void nextLevels(Queue& queue, const ConstraintBodies* constraints, int count, int level, int* levels, int* changed) {
  forEach(queue, "contact_graph/next_levels", count, NextLevel{constraints, levels, changed, level});
}

}  // namespace cairn
