// A pair of shapes in the memory of the last step.
#pragma once

#include "kernels/collide/contact_tracking.hpp"
#include "kernels/runtime/search.hpp"

namespace cairn::v0 {

// Up to this many partners are looked through one after the other.
constexpr int kFewPartners = 8;

// The place of a code of a partner, with kFixedBit or not, between two places of a row; -1: none.
template <class T> CAIRN_HD inline int findCode(const TrackedView<T>& tracked, int begin, int end, int partner) {
  const int k = firstNotBelow(begin, end, [&](int place) { return tracked.manifolds[place].partner < partner; });
  return k < end && tracked.manifolds[k].partner == partner ? k : -1;
}

// The place of the first manifold with this shape B in the row of shape A; -1: none.
template <class T> CAIRN_HD inline int findPartner(const TrackedView<T>& tracked, int shapeA, int shapeB) {
  const int begin = tracked.offsets[shapeA], end = tracked.offsets[shapeA + 1];
  if (end - begin <= kFewPartners) {
    for (int k = begin; k < end; ++k) {
      if ((tracked.manifolds[k].partner & ~kFixedBit) == shapeB) return k;
    }
    return -1;
  }
  // The shape is in one of the row's two parts, moving or fixed as its body was then, wherever that part begins.
  const int moving = findCode(tracked, begin, end, shapeB);
  return moving >= 0 ? moving : findCode(tracked, begin, end, shapeB | kFixedBit);
}

}  // namespace cairn::v0
