// A list of shapes that are near each other, which serves several steps. See neighbour_list.cu.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"

namespace cairn::v0 {

// What the list was made for, by shape slot: bounds that are wider than those of that step by a skin, and the filters of that step.
template <class T> struct ListedShapes {
  ShapeBounds<T>* bounds;
  ShapeTag* tags;
};
// The same of the current step.
template <class T> struct CurrentShapes {
  const ShapeBounds<T>* bounds;
  const ShapeTag* tags;
  int slots;
};

// Neighbours in rows by shape A, in the order of PairView: for shape slot a those in partners[offsets[a] .. offsets[a + 1]).
struct NeighbourRows {
  const int* offsets;
  const int* partners;
};

// `margins` are those of the input's step.
template <class T>
void widenBounds(Queue& queue, const BroadPhaseInput<T>& in, const CurrentShapes<T>& now, const T* margins, const ListedShapes<T>& listed);
// Adds the number of shapes that the list does not serve any more.
template <class T> void countEscaped(Queue& queue, const CurrentShapes<T>& now, const ListedShapes<T>& listed, int* escaped);

// Neighbours whose bounds overlap in this step move to the beginnings of their rows in `kept`, which is as large as the list; counts by shape slot.
template <class T> void keepOverlapping(Queue& queue, const CurrentShapes<T>& now, const NeighbourRows& listed, int* kept, int* counts);
// Those as pairs, whose rows begin at `offsets`.
void writeOverlapping(Queue& queue, int shapeSlots, const NeighbourRows& kept, const int* offsets, int* shapeA, int* shapeB);

}  // namespace cairn::v0
