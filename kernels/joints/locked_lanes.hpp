// The locked axes of joints, for one lane or for a pack of lanes that may each lock others.
#pragma once

#include "kernels/joints/joint_math.hpp"

namespace cairn::v0::joint {

template <class V> using LaneMask = decltype(V(0) > V(0));

// Which of the three axes of a kind lanes have locked.
template <class V> struct LockedLanes {
  LaneMask<V> x, y, z;
  LaneMask<V> one, two;  // so many of them are; x, y and z: three

  // bits(lane): the mask of a lane's locked axes.
  template <class Bits> CAIRN_HD static LockedLanes of(const Bits& bits) {
    using T = typename LaneTraits<V>::Scalar;
    const V zero = V(T(0)), one = V(T(1)), half = V(T(0.5)), three = V(T(1.5)), five = V(T(2.5));
    V left = LaneTraits<V>::fromLanes([&bits](int lane) { return T(bits(lane) & 7); });
    const V z = select(left > V(T(3.5)), one, zero);
    left -= V(T(4)) * z;
    const V y = select(left > three, one, zero);
    left -= V(T(2)) * y;
    const V x = select(left > half, one, zero), count = x + y + z;
    LockedLanes out{x > half, y > half, z > half, count > half, count > three};
    out.one = out.one & (count < three);
    out.two = out.two & (count < five);
    return out;
  }
  CAIRN_HD LaneMask<V> three() const { return x & y & z; }
  CAIRN_HD LaneMask<V> any() const { return x | y | z; }
};

// An orthonormal basis, of which has[i] says whether a lane locks the i-th direction.
template <class V> struct LockedDirections {
  Vec3<V> d[3];
  LaneMask<V> has[3];
};
template <class V> CAIRN_HD inline LockedDirections<V> translationDirections(const LockedLanes<V>& locked, const Mat3<V>& a) {
  return {{a.c0, a.c1, a.c2}, {locked.x, locked.y, locked.z}};
}

// The locked rotations, and the rotation vector by which they are off, in the world.
template <class V> struct LockedTurns {
  LockedDirections<V> directions;
  Vec3<V> error;
};

// 2 sin(x/2) / sin(x) from cos(x). A sine times this grows with the angle up to half a turn, where the sine alone would fall again.
template <class V> CAIRN_HD inline V twiceHalfSineOverSine(V cosine) {
  using T = typename LaneTraits<V>::Scalar;
  return squareRoot(V(T(2)) / maxOf(V(T(1)) + cosine, V(T(1e-4))));
}

// `a`, `b`: axes of the two frames in the world; `relative`: B's frame from A's.
template <class V> CAIRN_HD inline LockedTurns<V> lockedTurns(const LockedLanes<V>& locked, const Mat3<V>& a, const Mat3<V>& b, Quat<V> relative) {
  using T = typename LaneTraits<V>::Scalar;
  const V zero = V(T(0)), one = V(T(1));
  // One is locked: the axes of the free ones, one on A and one on B, stay at a right angle. Their common perpendicular exists in every pose.
  const Vec3<V> crossesA = select(locked.x, a.c1, a.c0), crossesB = select(locked.z, b.c1, b.c2), across = cross(crossesA, crossesB);
  const V across2 = dot(across, across);
  const auto usable = across2 > V(T(1e-30));
  const Vec3<V> perpendicular = select(usable, (one / squareRoot(select(usable, across2, one))) * across, a.c0);
  const Vec3<V> crossing = -(dot(crossesA, crossesB) / maxOf(across2, V(T(1e-6)))) * across;
  // Two are: the axis of the third is the same on both.
  const Vec3<V> axisA = select(locked.x, select(locked.y, a.c2, a.c1), a.c0), axisB = select(locked.x, select(locked.y, b.c2, b.c1), b.c0);
  const Vec3<V> tilt = twiceHalfSineOverSine(dot(axisA, axisB)) * cross(axisA, axisB);
  const V twice = select(relative.w < zero, V(T(-2)), V(T(2)));
  const Vec3<V> turn = twice * (a * Vec3<V>{relative.x, relative.y, relative.z});

  LockedTurns<V> out;
  out.directions = translationDirections(locked, a);
  out.directions.d[0] = select(locked.one, perpendicular, a.c0);
  out.directions.has[0] = locked.one | locked.x;
  out.directions.has[1] = locked.y & !locked.one;
  out.directions.has[2] = locked.z & !locked.one;
  out.error = select(locked.one, crossing, select(locked.two, tilt, select(locked.three(), turn, Vec3<V>{zero, zero, zero})));
  return out;
}

// The error alone, of one joint.
template <class T> CAIRN_HD inline Vec3<T> angularError(int lockedAngular, const Mat3<T>& a, const Mat3<T>& b, Quat<T> relative) {
  return lockedTurns(LockedLanes<T>::of([lockedAngular](int) { return lockedAngular; }), a, b, relative).error;
}

// The parts of a vector along those directions.
template <class V> CAIRN_HD inline Vec3<V> along(const LockedDirections<V>& e, Vec3<V> v) {
  const V zero = V(0);
  Vec3<V> out{zero, zero, zero};
  for (int k = 0; k < 3; ++k) out += select(e.has[k], dot(e.d[k], v), zero) * e.d[k];
  return out;
}

}  // namespace cairn::v0::joint
