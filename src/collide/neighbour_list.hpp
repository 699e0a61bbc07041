// Shapes that are near each other, listed for the pairs of several steps, and whether a list is worth its while. The kernels are described in
// kernels/collide/neighbour_list.cu.
#pragma once

#include "kernels/collide/neighbour_list.hpp"
#include "kernels/runtime/primitives.hpp"

namespace cairn::v0 {

template <class T> class NeighbourList {
 public:
  // Whether there is a list for so many slots, and whether it has all pairs of these shapes; if not it is dropped. Waits for the answer.
  bool listed(int shapeSlots) const { return slots_ == shapeSlots; }
  bool serves(Queue& queue, const CurrentShapes<T>& now);
  // Where no list serves: whether to make one for this step, or to do without since the last ones did not last.
  bool shallBeMade();
  void drop() { slots_ = -1; }
  int stepsServed() const { return stepsServed_; }

  // The bounds to search with; then the pairs that this has found, in the buffers of a PairView, which are taken.
  const ShapeBounds<T>* widen(Queue& queue, const BroadPhaseInput<T>& input, const CurrentShapes<T>& now, const T* margins);
  void take(Queue& queue, Buffer<int>& offsets, Buffer<int>& partners, int shapeSlots, int pairCount);

  // By shape slot, how many of the list overlap in this step; and those as pairs, once their rows' offsets are known.
  void count(Queue& queue, const CurrentShapes<T>& now, int* counts);
  void write(Queue& queue, int shapeSlots, const int* offsets, int* shapeA, int* shapeB);

 private:
  Buffer<ShapeBounds<T>> bounds_;
  Buffer<ShapeTag> tags_;
  Buffer<int> offsets_, partners_, kept_, escaped_;
  int slots_ = -1;       // that the list is for; -1: there is no list
  int stepsServed_ = 0;  // by the last list, its first one included
  int pause_ = 0, stepsToPause_ = 0;
};

}  // namespace cairn::v0
