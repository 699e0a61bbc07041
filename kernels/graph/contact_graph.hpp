// Contact graph: colours of constraints. See contact_graph.cu and contact_graph_repair.hpp.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

constexpr int kOverflowColour = -1;  // held by no colour: solved by mass splitting
constexpr int kUncoloured = -2;
constexpr int kLeftOver = -3;    // greedy found no colour; repaired, or made an overflow constraint, before anyone sees it
constexpr int kMaxColours = 64;  // colours taken at a body are the bits of one word

// Colours that a graph of this largest degree may have. One more than the degree are enough (Vizing): in walls and piles greedy leaves over a few
// constraints there, and repairing them saves a colour, which is a phase of every sweep. In crowds it leaves over thousands, which are repaired one
// after the other: an H100 took 43 ms a step for those of the planks of kapla, whose degree is 11, and an H200 50 s for a pile's fall. With a quarter
// more colours it leaves over hardly any, and takes few of them.
constexpr int kCrowdedDegree = 8;
CAIRN_HD inline int coloursFor(int maxDegree, int maxColours) {
  return minOf(maxColours, maxDegree + 1 + (maxDegree >= kCrowdedDegree ? maxDegree / 4 : 0));
}

// Where few bodies have no more than two constraints each, in towers and arches, these make paths and rings, and greedy has two colours alone. What
// it leaves over is repaired by swapping them along a path, which always does but in a ring of an odd number, where one takes the third colour. That
// one would be a few constraints that have a pass of every sweep to themselves; among many bodies it is not worth the repairs. Where impulses start
// from zero in each step few sweeps do not get far, and with two colours even less: a stack of twelve boxes fell that stands with three.
constexpr int kPathBodies = 64;
CAIRN_HD inline bool isPaths(int bodies, int maxDegree, int maxColours) { return bodies <= kPathBodies && maxDegree == 2 && maxColours > 2; }

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
  // Body slots of an environment (kernels/state/environments.hpp): each is a graph by itself, with colours as if there were no other. 0: all is one.
  int bodiesEach = 0;

  bool cold = false;  // impulses start from zero

  // Colours that greedy has in a part of this largest degree.
  CAIRN_HD int greedyColours(int maxDegree, int maxColours) const {
    return !cold && isPaths(bodiesOfPart(), maxDegree, maxColours) ? 2 : coloursFor(maxDegree, maxColours);
  }
  CAIRN_HD int parts() const { return bodiesEach == 0 ? 1 : bodySlots / bodiesEach; }
  CAIRN_HD int bodiesOfPart() const { return bodiesEach == 0 ? bodySlots : bodiesEach; }
  CAIRN_HD int partOf(int body) const { return bodiesEach == 0 ? 0 : body / bodiesEach; }
  CAIRN_HD int partOf(const ConstraintBodies& c) const { return partOf(c.bodyA >= 0 ? c.bodyA : ~c.bodyA); }

  CAIRN_HD int size() const {
    if (manifolds == nullptr) return count;
    return *manifolds < count - joints ? *manifolds + joints : count;
  }
};

constexpr int kBidArrays = 3;  // for bids of this round, of the next one, and one that is cleared meanwhile

// The arrays that the rounds of a colouring read and write.
struct ColouringState {
  uint64_t* best;   // [kBidArrays][bodySlots] highest rank that bid for the body; rounds take turns
  uint64_t* used;   // by body: bit c is set if a constraint of colour c touches it
  int* degrees;     // by body
  int* colours;     // by constraint
  int* maxDegrees;  // by part of the graph
};

struct ColouringView;  // contact_graph_repair.hpp

// Degrees, the largest of each part, and that of all in scalars->maxDegree. Then rounds until no constraint is uncoloured: each one that comes first
// at both its bodies takes the smallest colour that is free at both, below greedyColours. Those for which no
// colour is free any more are left over. Then finishColouring.
void colourInRounds(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, const ColouringState& state, GraphScalars* scalars);

// colourCount and overflowCount of the colours, and leftOver: what a repair may place. Left-over constraints that none can place, those at a body
// that has all colours, overflow. Looks at neither incident constraints nor begins and ends of the view.
void finishColouring(Queue& queue, const ConstraintGraph& graph, const ColouringView& view, GraphScalars* scalars);

// CSR body -> constraints, those of a body in ascending order. `keys` (scratch) and `incident` hold 2 count items, `offsets` bodySlots + 1.
void incidentConstraints(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, uint32_t* keys, int* incident, int* offsets);

// Scalars of a repair on the target.
struct RepairScalars {
  int sides, listed;
  int left[2];  // of inRounds
};

struct RepairLog;    // contact_graph_speculation.hpp
struct WindowState;  // likewise

// The arrays of a repair, for `room` constraints at most: more of them overflow.
struct RepairArrays {
  const int* degrees;  // by body, as colourInRounds leaves them
  int *begins, *ends;  // by body: its constraints in `incident`
  int* incident;       // [2 count]
  int *list, *sorted;  // [room]
  int room;
  uint64_t* keys;  // [room] if they are to be sorted before; null: they are put in order by counting, in one launch with all else
  RepairLog* logs;
  int* claims;  // by body
  WindowState* window;
  RepairScalars* scalars;
};

// The left-over constraints repaired as if in the order of their priorities, one after the other, and the numbers of the colouring anew; what had
// been left over stays in scalars->leftOver. Looks at neither incident constraints nor begins and ends of the view.
void repairLeftOver(Queue& queue, PrimitiveScratch& scratch, const ConstraintGraph& graph, const ColouringView& view, const RepairArrays& arrays,
                    GraphScalars* scalars);

}  // namespace cairn::v0
