// The equations of joint rows: the state of a joint, its locked directions, coordinates and errors, from the poses of its bodies.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "kernels/rows/row_math.hpp"

namespace cairn::v0::joint {

// The two frames of a joint in the world.
template <class T> struct Frames {
  Vec3<T> armA, armB;  // from the centres of mass to the origins [m]
  Vec3<T> offset;      // origin of B minus origin of A, world [m]
  Quat<T> qA, qB;      // frames to world
};
template <class V> CAIRN_HD inline Frames<V> framesOf(const Pose<V>& frameA, const Pose<V>& frameB, const Pose<V>& a, const Pose<V>& b) {
  const Vec3<V> armA = rotate(a.q, frameA.p), armB = rotate(b.q, frameB.p);
  return {armA, armB, (b.p - a.p) + (armB - armA), a.q * frameA.q, b.q * frameB.q};
}
template <class T> CAIRN_HD inline Frames<T> framesOf(const Pose<T>& frameA, const Pose<T>& frameB, const BodyPose<T>& a, const BodyPose<T>& b) {
  return framesOf(frameA, frameB, Pose<T>{a.x, a.q}, Pose<T>{b.x, b.q});
}
template <class T> CAIRN_HD inline Frames<T> framesOf(const JointRecord<T>& j, const BodyPose<T>& a, const BodyPose<T>& b) {
  return framesOf(j.frameA, j.frameB, a, b);
}
template <class T> CAIRN_HD inline State<T> stateOf(const Frames<T>& f) { return {inverseRotate(f.qA, f.offset), conjugate(f.qA) * f.qB}; }

CAIRN_HD inline int countBits(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1); }
CAIRN_HD inline int onlyFree(int locked) { return (locked & 1) == 0 ? 0 : ((locked & 2) == 0 ? 1 : 2); }
template <class T> CAIRN_HD inline Vec3<T> axisOf(const Mat3<T>& m, int k) { return k == 0 ? m.c0 : (k == 1 ? m.c1 : m.c2); }

// The axes of the free rotations. One free rotation: the axes of frame A. Two: one axis on A and one on B. Three: the axes of the angles of Rx Ry Rz,
// x of A, the line of nodes, and z of B.
template <class T> CAIRN_HD inline Mat3<T> rotationAxes(int lockedAngular, const Mat3<T>& a, const Mat3<T>& b) {
  if (countBits(lockedAngular) >= 2) return a;
  // With two free rotations both axes are fixed to a body, whatever the angles; the third has no row.
  if (lockedAngular == 4) return {a.c0, b.c1, cross(a.c0, b.c1)};
  if (lockedAngular == 1) return {cross(a.c1, b.c2), a.c1, b.c2};
  return {a.c0, normalizedOr(cross(b.c2, a.c0), a.c1), b.c2};
}
// The dual basis of those axes: rows that read the rates of the angles from a relative angular velocity. Where two axes coincide (three free
// rotations, the second by a right angle) the rows stay finite.
template <class T> CAIRN_HD inline Mat3<T> rotationRows(int lockedAngular, const Mat3<T>& axes) {
  if (countBits(lockedAngular) >= 1) return axes;
  const T volume = dot(axes.c0, cross(axes.c1, axes.c2)), minVolume = T(0.05);
  const T inverse = T(1) / (volume >= T(0) ? maxOf(volume, minVolume) : minOf(volume, -minVolume));
  return {inverse * cross(axes.c1, axes.c2), inverse * cross(axes.c2, axes.c0), inverse * cross(axes.c0, axes.c1)};
}

// The angles that limits and motors see. One free rotation: the twist about its axis. Two: the angles about their two axes, each in (-pi, pi]. Three:
// those of Rx Ry Rz.
template <class T> CAIRN_HD inline Vec3<T> coordinateAngles(int lockedAngular, Quat<T> q) {
  const int locked = countBits(lockedAngular);
  if (locked == 2) {
    const int axis = onlyFree(lockedAngular);
    const T angle = twistAngle(twistOf(q, axis), axis);
    return {axis == 0 ? angle : T(0), axis == 1 ? angle : T(0), axis == 2 ? angle : T(0)};
  }
  if (locked != 1) return cardanAngles(q);
  const Mat3<T> r = rotationMatrix(q);
  // Near a right angle about y those of Rx Ry Rz are ill-defined; where the locked angle is zero these are the same.
  if (r.c0.x * r.c0.x + r.c1.x * r.c1.x < T(0.01)) {
    if (lockedAngular == 4) return {arcTangent(r.c1.z, r.c1.y), arcTangent(r.c2.x, r.c0.x), T(0)};
    if (lockedAngular == 1) return {T(0), arcTangent(r.c2.x, r.c2.z), arcTangent(r.c0.y, r.c1.y)};
  }
  const Vec3<T> angles = cardanAngles(q);
  // Two triples of angles are the same rotation: the one with the smaller locked angle counts. Beyond a right angle about y that is the second.
  const T lockedAngle = lockedAngular == 4 ? angles.z : (lockedAngular == 1 ? angles.x : T(0)), half = T(kPi), full = half + half;
  if (!(absOf(lockedAngle) > T(0.5) * half)) return angles;
  const auto opposite = [half](T angle) { return angle > T(0) ? angle - half : angle + half; };
  const T y = half - angles.y;
  return {opposite(angles.x), y > half ? y - full : y, opposite(angles.z)};
}

// A joint with one locked rotation keeps a pair of axes at a right angle: the axes of the two free rotations, one on A and one on B. Unlike the
// angles themselves their common perpendicular exists in every pose.
template <class T> struct Crossing { Vec3<T> onA, onB, across; };
template <class T> CAIRN_HD inline Crossing<T> crossingOf(int lockedAngular, const Mat3<T>& a, const Mat3<T>& b) {
  const Vec3<T> onA = lockedAngular == 1 ? a.c1 : a.c0, onB = lockedAngular == 4 ? b.c1 : b.c2;
  return {onA, onB, cross(onA, onB)};
}

// Directions of the locked axes, orthonormal; the first `count` of them.
template <class T> struct Directions {
  Vec3<T> d[3];
  int count;
};
template <class T> CAIRN_HD inline Directions<T> lockedRotations(int lockedAngular, const Mat3<T>& a, const Mat3<T>& b) {
  const int locked = countBits(lockedAngular);
  if (locked == 1) {
    return {{normalizedOr(crossingOf(lockedAngular, a, b).across, a.c0), a.c1, a.c2}, 1};
  }
  Directions<T> out{{a.c0, a.c1, a.c2}, 0};
  for (int k = 0; k < 3; ++k) {
    if ((lockedAngular >> k & 1) != 0) out.d[out.count++] = axisOf(a, k);
  }
  return out;
}
template <class T> CAIRN_HD inline Directions<T> lockedTranslations(int lockedLinear, const Mat3<T>& a) {
  Directions<T> out{{a.c0, a.c1, a.c2}, 0};
  for (int k = 0; k < 3; ++k) {
    if ((lockedLinear >> k & 1) != 0) out.d[out.count++] = axisOf(a, k);
  }
  return out;
}

// --- effective masses --------------------------------------------------------------------------------------------

// K of the point, in world axes: the change of the relative velocity there by an impulse there.
template <class T> CAIRN_HD inline Mat3<T> linearResponse(const LaneBody<T>& a, const LaneBody<T>& b, Vec3<T> rA, Vec3<T> rB) {
  const auto column = [&](Vec3<T> e) {
    return scale(a.invMass + b.invMass, e) + cross(a.invInertia * cross(rA, e), rA) + cross(b.invInertia * cross(rB, e), rB);
  };
  return {column({T(1), T(0), T(0)}), column({T(0), T(1), T(0)}), column({T(0), T(0), T(1)})};
}

// Inverse of K on the span of the directions, in world axes: E (E^T K E)^-1 E^T. Lanes have directions of their own: has[i] is where the i-th counts.
// A direction that nothing can move has no inverse, and stays without.
template <class V, class Mask> CAIRN_HD inline Sym3<V> restrictedInverse(const Mat3<V>& k, const Vec3<V> (&directions)[3], const Mask (&has)[3]) {
  using T = typename LaneTraits<V>::Scalar;
  // Gram-Schmidt in the metric of K makes the inverse a sum of dyads, each with its own check.
  const V zero = V(T(0)), one = V(T(1));
  Sym3<V> out{zero, zero, zero, zero, zero, zero};
  const Vec3<V> moved[3] = {k * directions[0], k * directions[1], k * directions[2]};
  V largest = zero;
  for (int i = 0; i < 3; ++i) largest = select(has[i], maxOf(largest, dot(directions[i], moved[i])), largest);
  Vec3<V> u[3];
  V norm[3];
  for (int i = 0; i < 3; ++i) {
    Vec3<V> v = directions[i];
    for (int j = 0; j < i; ++j) {
      const auto counts = norm[j] > zero;
      v = select(counts, v - (dot(u[j], moved[i]) / select(counts, norm[j], one)) * u[j], v);
    }
    const V n = dot(v, k * v);
    const auto moves = has[i] & (n > V(T(1e-6)) * largest) & (n > zero);
    u[i] = v;
    norm[i] = select(moves, n, zero);
    const V s = select(moves, one / select(moves, n, one), zero);
    out = out + Sym3<V>{s * v.x * v.x, s * v.y * v.y, s * v.z * v.z, s * v.x * v.y, s * v.x * v.z, s * v.y * v.z};
  }
  return out;
}

}  // namespace cairn::v0::joint
