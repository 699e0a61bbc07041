// Contact graph: colours by rounds, for the device.
//
// In: constraints as pairs of bodies, a priority each. Out: a colour each, such that no two of one colour share a dynamic body.
//
// A constraint is coloured in the round in which it has the highest priority among the uncoloured ones at both its bodies (Jones and Plassmann, "A
// parallel graph coloring heuristic", 1993), with the smallest colour free there: exactly what the sequential greedy of
// src/graph/contact_graph_host.cpp gives it, since either way its colour depends on those of higher priority alone. Equal priorities are told apart
// by the index. Constraints that find no colour below the cap are repaired at the end (contact_graph_repair.hpp).
//
// A constraint is left over once it sees that its bodies have no common free colour, which is not only when its turn comes: colours once taken are
// not given back, so none would be free at its turn either, and it takes none that others could miss. So a body with d constraints needs rounds for
// its colours, 64 at most, and not d.
//
// Deterministic: atomics are integer maxima and sums, so rounds do not depend on threads.
//
// Memory: 4 bytes a constraint, 36 a body; while something is to be repaired 8 more a constraint, 12 a body, 16 a constraint that is left over,
// and 170 KB.
#include "kernels/graph/contact_graph.hpp"

#include "kernels/graph/contact_graph_repair.hpp"
#include "kernels/graph/contact_graph_speculation.hpp"
#include "kernels/runtime/round_launch.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

CAIRN_HD inline uint64_t rankOf(const uint32_t* priorities, int i) {
  return (static_cast<uint64_t>(priorities[i]) << 32) | ~static_cast<uint32_t>(i);
}

// What a constraint's colour adds to the numbers of the whole. Left-over constraints that none can place overflow.
struct FinishColour {
  ConstraintGraph graph;
  ColouringView view;
  GraphScalars* scalars;
  CAIRN_HD void operator()(int i) const {
    if (i >= graph.size()) return;
    int colour = view.colours[i];
    if (colour == kLeftOver && !mayBeRepaired(view.around(i), i)) view.colours[i] = colour = kOverflowColour;
    if (colour == kLeftOver) {
      atomicAddInt(&scalars->leftOver, 1);
    } else if (colour == kOverflowColour) {
      atomicAddInt(&scalars->overflowCount, 1);
    } else {
      atomicMaxInt(&scalars->colourCount, colour + 1);
    }
  }
};

// A word of colours to which another constraint may be adding its own meanwhile: with or without it.
CAIRN_HD inline uint64_t glanceAt(const uint64_t* word) { return *const_cast<const volatile uint64_t*>(word); }

// Before the rounds: nothing coloured, degrees, the largest, the first bids. A round is one phase: who is first at both its bodies, by the bids of
// the round before, takes a colour; all others bid for the next round, in an array of their own; and a third one is cleared. After the rounds: the
// numbers.
//
// Whether a body has colours left is looked at while others take some: who sees too few of them taken bids once more, and is left over a round later.
struct ColourRounds {
  static constexpr int kPhasesBefore = 3, kPhases = kBidArrays;
  ConstraintGraph graph;
  ColouringState state;
  FinishColour finish;
  GraphScalars* scalars;
  int maxColours;

  CAIRN_HD void before(int phase, int i) const {
    if (phase == 0) {
      if (i < graph.count) state.colours[i] = kUncoloured;
      if (i < graph.bodySlots) {
        for (int turn = 0; turn < kBidArrays; ++turn) bidsOf(turn)[i] = 0;
        state.used[i] = 0;
        state.degrees[i] = 0;
      }
      if (i < graph.parts()) state.maxDegrees[i] = 0;
    } else if (phase == 1) {
      if (i >= graph.size()) return;
      const ConstraintBodies& c = graph.constraints[i];
      if (c.bodyA >= 0) atomicAddInt(state.degrees + c.bodyA, 1);
      if (c.bodyB >= 0) atomicAddInt(state.degrees + c.bodyB, 1);
      bid(bidsOf(0), i);
    } else if (i < graph.bodySlots && state.degrees[i] > 0) {
      atomicMaxInt(state.maxDegrees + graph.partOf(i), state.degrees[i]);
      if (graph.bodiesEach != 0) atomicMaxInt(&scalars->maxDegree, state.degrees[i]);
    }
  }
  CAIRN_HD void after(int i) const { finish(i); }

  CAIRN_HD uint64_t* bidsOf(int turn) const { return state.best + static_cast<int64_t>(turn % kBidArrays) * graph.bodySlots; }

  // Returns whether the constraint has to wait for more than these rounds.
  CAIRN_HD bool operator()(int phase, int i) const {
    if (i < graph.bodySlots) bidsOf(phase + 2)[i] = 0;
    if (i >= graph.size() || state.colours[i] != kUncoloured) return false;
    if (isFirst(bidsOf(phase), i)) {
      take(i);
      return false;
    }
    if (freeColours(i) == 0) {
      state.colours[i] = kLeftOver;
      return false;
    }
    bid(bidsOf(phase + 1), i);
    return phase + 1 == kPhases;
  }

  CAIRN_HD uint64_t freeColours(int i) const {
    const ConstraintBodies& c = graph.constraints[i];
    const uint64_t taken = (c.bodyA >= 0 ? glanceAt(state.used + c.bodyA) : 0) | (c.bodyB >= 0 ? glanceAt(state.used + c.bodyB) : 0);
    return coloursBelow(graph.greedyColours(state.maxDegrees[graph.partOf(c)], maxColours)) & ~taken;
  }
  CAIRN_HD void bid(uint64_t* bids, int i) const {
    const ConstraintBodies& c = graph.constraints[i];
    const uint64_t rank = rankOf(graph.priorities, i);
    if (c.bodyA >= 0) atomicMaxUint64(bids + c.bodyA, rank);
    if (c.bodyB >= 0) atomicMaxUint64(bids + c.bodyB, rank);
  }
  CAIRN_HD bool isFirst(const uint64_t* bids, int i) const {
    const ConstraintBodies& c = graph.constraints[i];
    const uint64_t rank = rankOf(graph.priorities, i);
    return (c.bodyA < 0 || bids[c.bodyA] == rank) && (c.bodyB < 0 || bids[c.bodyB] == rank);
  }
  // No other one takes a colour at these bodies in this round; a word with one more bit is a larger number.
  CAIRN_HD void take(int i) const {
    const ConstraintBodies& c = graph.constraints[i];
    const uint64_t available = freeColours(i), bit = available & (~available + 1);
    state.colours[i] = available == 0 ? kLeftOver : lowestSetBit(bit);
    if (c.bodyA >= 0) atomicMaxUint64(state.used + c.bodyA, state.used[c.bodyA] | bit);
    if (c.bodyB >= 0) atomicMaxUint64(state.used + c.bodyB, state.used[c.bodyB] | bit);
  }
};

struct IncidentSide {
  ConstraintGraph graph;
  uint32_t* keys;
  int* incident;
  int* offsets;
  CAIRN_HD void operator()(int side) const {
    int body = -1;
    if (side / 2 < graph.size()) body = (side & 1) == 0 ? graph.constraints[side / 2].bodyA : graph.constraints[side / 2].bodyB;
    keys[side] = static_cast<uint32_t>(body < 0 ? graph.bodySlots : body);
    incident[side] = side / 2;
    if (body >= 0) atomicAddInt(offsets + body, 1);
  }
};

// What greedy has left over, in one go: listed in any order, then by falling rank; the constraints of each body behind one another; the repair,
// window after window; the numbers of the whole anew.
struct RepairRounds {
  static constexpr int kPhasesBefore = 3, kPhases = RepairInWindows::kPhases;
  ConstraintGraph graph;
  RepairArrays arrays;
  FinishColour finish;
  GraphScalars* scalars;
  RepairInWindows windows;

  CAIRN_HD const ColouringView& view() const { return finish.view; }

  CAIRN_HD void before(int phase, int i) const {
    if (phase == 0) {
      if (i == 0) {
        scalars->colourCount = scalars->overflowCount = 0;
        windows.begin();
      }
      if (i < graph.bodySlots) {
        windows.claims[i] = 0;
        arrays.ends[i] = arrays.begins[i] = atomicAddInt(&arrays.scalars->sides, arrays.degrees[i]);
      }
      if (i < graph.size() && view().colours[i] == kLeftOver && !view().around(i).ofPaths()) list(i);
    } else if (phase == 1) {
      if (i >= graph.size()) return;
      const ConstraintBodies& c = graph.constraints[i];
      if (c.bodyA >= 0) arrays.incident[atomicAddInt(arrays.ends + c.bodyA, 1)] = i;
      if (c.bodyB >= 0) arrays.incident[atomicAddInt(arrays.ends + c.bodyB, 1)] = i;
    } else {
      if (i < graph.parts()) repairPaths(i);
      if (i < listed()) arrays.sorted[placeOf(i)] = arrays.list[i];
    }
  }
  // Of a part of paths and rings: what is left over, by falling rank, by one thread.
  CAIRN_HD void repairPaths(int part) const {
    const ColouringView own = view().ofPart(part);
    if (!own.ofPaths()) return;
    int found[kPathBodies], count = 0;
    for (int body = part * graph.bodiesOfPart(); body < (part + 1) * graph.bodiesOfPart(); ++body) {
      for (int k = own.begins[body]; k < own.ends[body]; ++k) {
        const int constraint = own.incident[k];
        if (own.colours[constraint] == kLeftOver && own.constraints[constraint].bodyA == body && count < kPathBodies) found[count++] = constraint;
      }
    }
    for (int done = 0; done < count; ++done) {
      int next = done;
      for (int k = done + 1; k < count; ++k) {
        if (rankOf(graph.priorities, found[k]) > rankOf(graph.priorities, found[next])) next = k;
      }
      if (!repairOnPath(own, found[next])) repairOrOverflow(own, found[next]);
      found[next] = found[done];
    }
  }
  CAIRN_HD bool operator()(int phase, int i) const { return i < kRepairWindow && windows(phase, i); }
  CAIRN_HD void after(int i) const { finish(i); }

  CAIRN_HD int listed() const { return minOf(arrays.scalars->listed, arrays.room); }
  CAIRN_HD void list(int i) const {
    const int place = atomicAddInt(&arrays.scalars->listed, 1);
    if (place < arrays.room) {
      arrays.list[place] = i;
    } else {
      view().colours[i] = kOverflowColour;  // the plan had fewer: the step will be undone
    }
  }
  CAIRN_HD int placeOf(int k) const {
    const uint64_t rank = rankOf(graph.priorities, arrays.list[k]);
    int before = 0;
    for (int other = 0; other < listed(); ++other) before += rankOf(graph.priorities, arrays.list[other]) > rank ? 1 : 0;
    return before;
  }
};

// What is listed, in its order. Room that is not needed comes last.
struct OrderKey {
  ConstraintGraph graph;
  RepairArrays arrays;
  uint64_t* keys;
  CAIRN_HD void operator()(int k) const {
    const bool listed = k < arrays.scalars->listed;
    keys[k] = listed ? ~rankOf(graph.priorities, arrays.list[k]) : ~uint64_t(0);
    arrays.sorted[k] = listed ? arrays.list[k] : -1;
  }
};
struct ListLeftOver {
  RepairRounds rounds;
  int phase;
  CAIRN_HD void operator()(int i) const { rounds.before(phase, i); }
};
struct RepairPaths {
  RepairRounds rounds;
  CAIRN_HD void operator()(int part) const { rounds.repairPaths(part); }
};

ColouringView viewOf(const ColouringView& view, const RepairArrays& arrays) {
  ColouringView repaired = view;
  repaired.begins = arrays.begins;
  repaired.ends = arrays.ends;
  repaired.incident = arrays.incident;
  return repaired;
}

}  // namespace

void colourInRounds(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, const ColouringState& state, GraphScalars* scalars) {
  fillBytes(queue, scalars, 0, sizeof *scalars);
  inRounds(queue, "contact_graph/rounds", std::max(graph.count, graph.bodySlots), scalars->left,
           ColourRounds{graph, state, {graph, view, scalars}, scalars, view.maxColours});
}

void incidentConstraints(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, uint32_t* keys, int* incident, int* offsets) {
  const int sides = graph.count * 2;
  fillBytes(queue, offsets, 0, (static_cast<size_t>(graph.bodySlots) + 1) * sizeof(int));
  forEach(queue, "contact_graph/incident", sides, IncidentSide{graph, keys, incident, offsets});
  sortByKey(queue, scratch, keys, incident, sides);
  exclusiveScan(queue, scratch, offsets, offsets, graph.bodySlots);
}

void repairLeftOver(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, const ColouringView& view, const RepairArrays& arrays,
                    GraphScalars* scalars) {
  const ColouringView repaired = viewOf(view, arrays);
  const int* listed = &arrays.scalars->listed;
  const RepairInWindows windows{repaired, arrays.sorted, listed, arrays.room, arrays.logs, arrays.claims, arrays.window};
  const RepairRounds rounds{graph, arrays, {graph, repaired, scalars}, scalars, windows};
  const int items = std::max(graph.count, graph.bodySlots);
  fillBytes(queue, arrays.scalars, 0, sizeof *arrays.scalars);
  if (arrays.keys == nullptr) return inRounds(queue, "contact_graph/repair", items, arrays.scalars->left, rounds);
  forEach(queue, "contact_graph/left_over", items, ListLeftOver{rounds, 0});
  forEach(queue, "contact_graph/sides", graph.count, ListLeftOver{rounds, 1});
  forEach(queue, "contact_graph/paths", graph.parts(), RepairPaths{rounds});
  forEach(queue, "contact_graph/order", arrays.room, OrderKey{graph, arrays, arrays.keys});
  sortByKey(queue, scratch, arrays.keys, arrays.sorted, arrays.room);
  inRounds(queue, "contact_graph/windows", kRepairWindow, arrays.scalars->left, windows);
  finishColouring(queue, graph, repaired, scalars);
}

void finishColouring(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, GraphScalars* scalars) {
  forEach(queue, "contact_graph/finish", graph.count, FinishColour{graph, view, scalars});
}

}  // namespace cairn::v0
