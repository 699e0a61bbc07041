// Contact graph: colours of constraints. See contact_graph.cu and contact_graph_repair.hpp.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

constexpr int kOverflowColour = -1;  // held by no colour: solved by mass splitting
constexpr int kUncoloured = -2;
constexpr int kLeftOver = -3;    // greedy found no colour; repaired, or made an overflow constraint, before anyone sees it
constexpr int kMaxColours = 64;  // colours taken at a body are the bits of one word

// Scalars of a colouring on the target.
struct GraphScalars {
  int maxDegree, colourCount, overflowCount, leftOver;
  int left[2];  // of inRounds
};

// The graph that is coloured, on the queue's target: its edges are constraints with a priority each.
struct ConstraintGraph {
  const ConstraintBodies* constraints;
  const uint32_t* priorities;
  int count, bodySlots;            // of a planned step: a bound
  const int* manifolds = nullptr;  // how many of the constraints are manifolds, on the target; null: `count` is exact
  int joints = 0;                  // the others

  CAIRN_HD int size() const {
    if (manifolds == nullptr) return count;
    return *manifolds < count - joints ? *manifolds + joints : count;
  }
};

// The arrays that the rounds of a colouring read and write.
struct ColouringState {
  uint64_t* best;  // by body: highest rank that bid for it in this round, 0 between rounds
  uint64_t* used;  // by body: bit c is set if a constraint of colour c touches it
  int* degrees;    // by body
  int* colours;    // by constraint

  // Of the colours `all`, those that are free at both bodies; a body that takes no impulse has no part in it.
  CAIRN_HD uint64_t freeAt(const ConstraintBodies& c, uint64_t all) const {
    return all & ~((c.bodyA >= 0 ? used[c.bodyA] : 0) | (c.bodyB >= 0 ? used[c.bodyB] : 0));
  }
};

struct ColouringView;  // contact_graph_repair.hpp

// Degrees, and the largest in scalars->maxDegree. Then rounds until no constraint is uncoloured: each one that comes first at both its bodies takes
// the smallest colour that is free at both, below the view's maxColours and one more than the largest degree. Those for which no colour is free any
// more are left over. Then finishColouring.
void colourInRounds(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, const ColouringState& state, GraphScalars* scalars);

// colourCount and overflowCount of the colours, and leftOver: what a repair may place. Left-over constraints that none can place, those at a body
// that has all colours, overflow. Looks at neither incident constraints nor offsets of the view.
void finishColouring(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, GraphScalars* scalars);

// flags[i] = 1 for those that are left over, else 0.
void flagLeftOver(Queue& queue, const ConstraintGraph& graph, const int* colours, int* flags);

// Sort keys by falling priority for the listed constraints, *count of them; places from there to the bound sort behind them.
void priorityKeys(Queue& queue, const uint32_t* priorities, int* list, const int* count, int bound, uint32_t* keys);

// CSR body -> constraints, those of a body in ascending order. `keys` (scratch) and `incident` hold 2 count items, `offsets` bodySlots + 1.
void incidentConstraints(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, uint32_t* keys, int* incident, int* offsets);

// The left-over constraints in the order of the list, *count of them, one after the other.
void repairLeftOver(Queue& queue, const ColouringView& view, const int* list, const int* count);

}  // namespace cairn
