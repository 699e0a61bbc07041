#include "src/collide/neighbour_list.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// A list that serves so many steps pays for itself. After a shorter one there is none for a while, each time twice as long, so that where
// everything moves nearly all steps search at once.
constexpr int kWorthwhileSteps = 4, kLongestPause = 63;

}  // namespace

template <class T> bool NeighbourList<T>::serves(Queue& queue, const CurrentShapes<T>& now) {
  escaped_.resize(queue, 1);
  escaped_.fillZero(queue);
  countEscaped(queue, now, ListedShapes<T>{bounds_.data(), tags_.data()}, escaped_.data());
  if (escaped_.read(queue, 0) == 0) {
    ++stepsServed_;
    return true;
  }
  slots_ = -1;
  pause_ = stepsServed_ < kWorthwhileSteps ? std::min(2 * pause_ + 1, kLongestPause) : 0;
  stepsToPause_ = pause_;
  return false;
}

template <class T> bool NeighbourList<T>::shallBeMade() {
  if (stepsToPause_ == 0) return true;
  --stepsToPause_;
  return false;
}

template <class T>
const ShapeBounds<T>* NeighbourList<T>::widen(Queue& queue, const BroadPhaseInput<T>& input, const CurrentShapes<T>& now, const T* margins) {
  slots_ = -1;
  bounds_.resize(queue, size_t(now.slots));
  tags_.resize(queue, size_t(now.slots));
  widenBounds(queue, input, now, margins, ListedShapes<T>{bounds_.data(), tags_.data()});
  return bounds_.data();
}

template <class T> void NeighbourList<T>::take(Queue& queue, Buffer<int>& offsets, Buffer<int>& partners, int shapeSlots, int pairCount) {
  kept_.resize(queue, size_t(pairCount));
  offsets_.swap(offsets);
  partners_.swap(partners);
  stepsServed_ = 1;
  slots_ = shapeSlots;
}

template <class T> void NeighbourList<T>::count(Queue& queue, const CurrentShapes<T>& now, int* counts) {
  keepOverlapping(queue, now, {offsets_.data(), partners_.data()}, kept_.data(), counts);
}

template <class T> void NeighbourList<T>::write(Queue& queue, int shapeSlots, const int* offsets, int* shapeA, int* shapeB) {
  writeOverlapping(queue, shapeSlots, {offsets_.data(), kept_.data()}, offsets, shapeA, shapeB);
}

template class NeighbourList<float>;
template class NeighbourList<double>;

}  // namespace cairn::v0
