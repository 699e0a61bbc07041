// Whether numbers are neither infinite nor NaN.
#pragma once

#include <cairn/math.hpp>

namespace cairn::v0 {

template <class T> CAIRN_HD inline bool finite(Vec3<T> a) {
  const T sum = a.x + a.y + a.z;
  return sum - sum == T(0);
}
template <class T> CAIRN_HD inline bool finite(const Pose<T>& pose) {
  return finite(pose.p) && finite(Vec3<T>{pose.q.x, pose.q.y, pose.q.z}) && pose.q.w - pose.q.w == T(0);
}

}  // namespace cairn::v0
