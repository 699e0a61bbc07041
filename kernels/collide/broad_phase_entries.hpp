// Broad phase, second part: shapes of a body that share an entry of the tree. See broad_phase_entries.cu.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"

namespace cairn::v0 {

// Longer runs of shapes are cut where the slot is a multiple of this, so an entry has less than twice as many.
constexpr int kEntryShapes = 64;

// An entry is known by its first slot.
template <class T> struct EntryArrays {
  ShapeBounds<T>* bounds;  // by shape slot: those of all its shapes where an entry begins, kMember within one, the shape's own otherwise
  int* ends;               // by shape slot: where an entry begins, one past its last shape; one past itself otherwise
};

// Collects the header of a tree of these entries.
template <class T> void gatherEntries(Queue& queue, const ShapeBounds<T>* bounds, const ShapeTag* tags, int shapeSlots, const EntryArrays<T>& out,
                                      TreeHeader* partialHeaders);

}  // namespace cairn::v0
