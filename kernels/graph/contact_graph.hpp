// Contact graph: colours of constraints and levels of bodies. See contact_graph.cu.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

constexpr int kTailColour = -1;  // held by no colour: solved by mass splitting
constexpr int kUncoloured = -2;
constexpr int kLeftOver = -3;    // greedy found no colour; repaired, or sent to the tail, before anyone sees it
constexpr int kMaxColours = 64;  // colours taken at a body are the bits of one word

// Scalars of a colouring on the target.
struct GraphScalars {
  int maxDegree, colourCount, tailCount, active, leftOver;
};

// degrees[body] and scalars->maxDegree.
void countDegrees(Queue& queue, const ConstraintBodies* constraints, int count, int bodySlots, int* degrees, GraphScalars* scalars);

// colours[i] = kUncoloured, active[i] = i.
void startColouring(Queue& queue, int count, int* colours, int* active);

// One round: every uncoloured constraint that comes first at both its bodies takes the smallest colour below `cap` that is free at both.
// best[body] is scratch, zero before and after.
void colourRound(Queue& queue, const ConstraintBodies* constraints, const uint32_t* priorities, const int* active, int activeCount, int cap,
                 uint64_t* best, uint64_t* used, int* colours);

// flags[i] = 1 where colours[i] == wanted.
void flagColour(Queue& queue, const int* colours, int count, int wanted, int* flags);

// Sort keys by falling priority for the listed constraints.
void priorityKeys(Queue& queue, const uint32_t* priorities, const int* list, int count, uint32_t* keys);

// CSR body -> constraints: keys and sides hold 2 count items, offsets bodySlots + 1 (zero before). incident is written in ascending order.
void incidentConstraints(Queue& queue, PrimitiveScratch& scratch, const ConstraintBodies* constraints, int count, int bodySlots, uint32_t* keys,
                         int* incident, int* offsets);

// The left-over constraints in their order, one after the other (contact_graph_repair.hpp).
void repairLeftOver(Queue& queue, const ConstraintBodies* constraints, const int* list, int count, const int* offsets, const int* incident, int cap,
                    uint64_t* used, int* colours);

// colourCount and tailCount of finished colours.
void countColours(Queue& queue, const int* colours, int count, GraphScalars* scalars);

// One sweep of breadth-first search: *changed is set if a body got a level.
void firstLevels(Queue& queue, const ConstraintBodies* constraints, int count, int bodySlots, int* levels);
void nextLevels(Queue& queue, const ConstraintBodies* constraints, int count, int level, int* levels, int* changed);

}  // namespace cairn
