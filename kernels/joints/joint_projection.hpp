// The target of a predicted joint state: the nearest state that the joint allows (Weinstein, Teran and Fedkiw 2006, section IV and figure 9).
//
// The state is the child's joint frame as the parent's joint frame sees it: an offset and a rotation. Each of the six degrees of freedom has a range:
// one number (locked), an interval (limited), or everything (free). Of a state outside, the target is the state inside that the joint is led to:
// translations are clamped axis by axis; a rotation loses the part that locked axes would need, and the rest is clamped.
#pragma once

#include <cairn/math.hpp>

namespace cairn::v0::joint {

template <class T> struct Range {
  T low, high;  // low == high: locked; low > high: free
  CAIRN_HD bool locked() const { return low == high; }
  CAIRN_HD bool free() const { return low > high; }
  CAIRN_HD T cut(T value) const { return free() ? value : minOf(maxOf(value, low), high); }
};
template <class T> CAIRN_HD inline Range<T> lockedRange(T at = T(0)) { return {at, at}; }
template <class T> CAIRN_HD inline Range<T> freeRange() { return {T(1), T(-1)}; }

// Degrees of freedom in the parent's joint frame: translations along x, y, z [m], angles about x, y, z [rad] within [-pi, pi].
template <class T> struct Freedom {
  Range<T> linear[3];
  Range<T> angular[3];
  bool radial;  // linear[0] is the range of the distance between the centres, the other two do not count
};

template <class T> struct State {
  Vec3<T> x;  // [m]
  Quat<T> q;
};

// --- the joints of the field -------------------------------------------------------------------------------------

template <class T> CAIRN_HD inline Freedom<T> rigidJoint() {
  const Range<T> l = lockedRange<T>();
  return {{l, l, l}, {l, l, l}, false};
}
// Ball and socket.
template <class T> CAIRN_HD inline Freedom<T> pointJoint() {
  Freedom<T> f = rigidJoint<T>();
  for (Range<T>& each : f.angular) each = freeRange<T>();
  return f;
}
// Turns about one axis: 0 (x) is the hinge's, any other a twist.
template <class T> CAIRN_HD inline Freedom<T> hingeJoint(int axis = 0, Range<T> angle = freeRange<T>()) {
  Freedom<T> f = rigidJoint<T>();
  f.angular[axis] = angle;
  return f;
}
// Turns about x of the parent and y of the child.
template <class T> CAIRN_HD inline Freedom<T> universalJoint(Range<T> aboutX = freeRange<T>(), Range<T> aboutY = freeRange<T>()) {
  Freedom<T> f = rigidJoint<T>();
  f.angular[0] = aboutX;
  f.angular[1] = aboutY;
  return f;
}
// Slides along the first one, two or three axes.
template <class T> CAIRN_HD inline Freedom<T> prismaticJoint(int axes = 1, Range<T> offset = freeRange<T>()) {
  Freedom<T> f = rigidJoint<T>();
  for (int k = 0; k < axes; ++k) f.linear[k] = offset;
  return f;
}
// Slides on the plane across z and turns in it.
template <class T> CAIRN_HD inline Freedom<T> planarJoint() {
  Freedom<T> f = prismaticJoint<T>(2);
  f.angular[2] = freeRange<T>();
  return f;
}
// Keeps the centres' distance within a range; everything else is free.
template <class T> CAIRN_HD inline Freedom<T> distanceJoint(Range<T> distance) {
  Freedom<T> f = pointJoint<T>();
  f.linear[0] = distance;
  f.radial = true;
  return f;
}

// --- projection --------------------------------------------------------------------------------------------------

// The part of a rotation that is about one of its frame's axes (its twist); none for half a turn about an axis across it, where any would do.
template <class T> CAIRN_HD inline Quat<T> twistOf(Quat<T> q, int axis) {
  const T part = axis == 0 ? q.x : (axis == 1 ? q.y : q.z), size2 = part * part + q.w * q.w;
  if (!(size2 > T(1e-12))) return identityQuat<T>();
  const T inverse = T(1) / squareRoot(size2), sine = part * inverse, cosine = q.w * inverse;
  return {axis == 0 ? sine : T(0), axis == 1 ? sine : T(0), axis == 2 ? sine : T(0), cosine};
}

// Angle of a turn about an axis, in [-pi, pi], whichever the sign of its quaternion.
template <class T> CAIRN_HD inline T twistAngle(Quat<T> twist, int axis) {
  const T part = axis == 0 ? twist.x : (axis == 1 ? twist.y : twist.z);
  return twist.w < T(0) ? T(2) * arcTangent(-part, -twist.w) : T(2) * arcTangent(part, twist.w);
}

template <class T> CAIRN_HD inline Quat<T> turnAbout(int axis, T angle) {
  return quatFromRotationVector(Vec3<T>{axis == 0 ? angle : T(0), axis == 1 ? angle : T(0), axis == 2 ? angle : T(0)});
}

// Angles of q = Rx(a) Ry(b) Rz(c): b is within [-pi/2, pi/2], and where it is at an end a and c turn about the same axis: all of it is c's then.
template <class T> CAIRN_HD inline Vec3<T> cardanAngles(Quat<T> q) {
  const Mat3<T> r = rotationMatrix(q);
  const T sineB = r.c2.x, cosineB = squareRoot(r.c0.x * r.c0.x + r.c1.x * r.c1.x), b = arcTangent(sineB, cosineB);
  if (cosineB > T(1e-6)) return {arcTangent(-r.c2.y, r.c2.z), b, arcTangent(-r.c1.x, r.c0.x)};
  return {T(0), b, arcTangent(r.c0.y, r.c1.y)};
}

// The angles about x, y, z that ranges count: of joints with one axis the twist about it, else those of Rx Ry Rz.
template <class T> CAIRN_HD inline Vec3<T> jointAngles(const Freedom<T>& freedom, Quat<T> q) {
  int axis = -1, moving = 0;
  for (int k = 0; k < 3; ++k) {
    if (freedom.angular[k].locked()) continue;
    axis = k;
    ++moving;
  }
  if (moving != 1) return cardanAngles(q);
  const T angle = twistAngle(twistOf(q, axis), axis);
  return {axis == 0 ? angle : T(0), axis == 1 ? angle : T(0), axis == 2 ? angle : T(0)};
}

template <class T> CAIRN_HD inline Quat<T> projectRotation(const Freedom<T>& freedom, Quat<T> q) {
  const Range<T>* r = freedom.angular;
  if (r[0].free() && r[1].free() && r[2].free()) return q;
  int axis = -1, moving = 0;
  for (int k = 0; k < 3; ++k) {
    if (r[k].locked()) continue;
    axis = k;
    ++moving;
  }
  if (moving == 0) return turnAbout(0, r[0].low) * turnAbout(1, r[1].low) * turnAbout(2, r[2].low);
  if (moving == 1) {
    // A twist about one axis after what the locked ones hold, which is nothing as a rule.
    const Quat<T> twist = twistOf(q, axis);
    return r[axis].free() ? twist : turnAbout(axis, r[axis].cut(twistAngle(twist, axis)));
  }
  const Vec3<T> angles = cardanAngles(q);
  return turnAbout(0, r[0].cut(angles.x)) * turnAbout(1, r[1].cut(angles.y)) * turnAbout(2, r[2].cut(angles.z));
}

template <class T> CAIRN_HD inline Vec3<T> projectOffset(const Freedom<T>& freedom, Vec3<T> x) {
  if (!freedom.radial) return {freedom.linear[0].cut(x.x), freedom.linear[1].cut(x.y), freedom.linear[2].cut(x.z)};
  const T distance = length(x), wanted = freedom.linear[0].cut(distance);
  return wanted * normalizedOr(x, Vec3<T>{T(1), T(0), T(0)});
}

template <class T> CAIRN_HD inline State<T> project(const Freedom<T>& freedom, const State<T>& state) {
  return {projectOffset(freedom, state.x), projectRotation(freedom, state.q)};
}

}  // namespace cairn::v0::joint
