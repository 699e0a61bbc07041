// What moves a body within a step, in one number beside its motion: integration reads it in every substep, and would read all of a body's constants
// for it otherwise.
#pragma once

#include "kernels/rows/lanes.hpp"

#include <limits>

namespace cairn::v0 {

// Of a kinematic body; of a static one, or an empty slot, its negative. No dynamic body's.
template <class T> constexpr T kUnweighted = std::numeric_limits<T>::max();

// Of a dynamic body what it weighs where gravity is 1 m/s^2 [N]. A weight that the precision does not hold is infinite, and found out by the step's
// check.
template <class T> CAIRN_HD inline T driveOf(const BodyConstants<T>& body) {
  if ((body.flags & kBodyDynamic) == 0) return (body.flags & kBodyKinematic) != 0 ? kUnweighted<T> : -kUnweighted<T>;
  const T weight = body.mass * body.gravityScale;
  return absOf(weight) < kUnweighted<T> ? weight : T(2) * weight;
}

// Of one body or of a pack of them.
template <class V> CAIRN_HD inline auto isWeighted(V drive) {
  const V most = V(kUnweighted<typename LaneTraits<V>::Scalar>), size = absOf(drive);
  return (size < most) | (size > most);
}
template <class V> CAIRN_HD inline auto isMoved(V drive) { return isWeighted(drive) | (drive > V(typename LaneTraits<V>::Scalar(0))); }

}  // namespace cairn::v0
