// The rows of free axes in one substep: limits, motors, servos, springs, friction, distances and gears, each a row of one number.
//
// A row is (d, onA, onB): its speed is u = d.(vB - vA) + onB.wB - onA.wA, and an impulse along it moves the bodies the same way. A sweep changes the
// impulse by -mass (u + bias) - softness * impulse and keeps it within low .. high.
#pragma once

#include "kernels/joints/joint_math.hpp"

namespace cairn::v0 {

constexpr double kNoBound = 1e15;    // of errors [m, rad]: its square fits a float
constexpr double kNoImpulse = 1e30;  // of impulses [N s, N m s]: fits a float
// Limits that are nearer than this are active [levers, rad].
constexpr double kTranslationMargin = 0.02, kRotationMargin = 0.1;

// Errors from which on gears [rad] and distances [part of themselves] give way to what contradicts them.
constexpr double kGearSlip = 0.05, kDistanceSlip = 0.002;

// One scalar row in the world.
template <class T> struct ScalarRow {
  Vec3<T> linear, angularA, angularB;
  T coordinate;
};

template <class T> CAIRN_HD inline T effectiveInverseMass(const LaneBody<T>& a, const LaneBody<T>& b, const ScalarRow<T>& row) {
  return dot(row.linear, scale(a.invMass + b.invMass, row.linear)) + dot(row.angularA, a.invInertia * row.angularA) +
         dot(row.angularB, b.invInertia * row.angularB);
}
template <class T> CAIRN_HD inline T speedAlong(const LaneBody<T>& a, const LaneBody<T>& b, const ScalarRow<T>& row) {
  return dot(row.linear, b.v - a.v) + dot(row.angularB, b.w) - dot(row.angularA, a.w);
}

// A range that is one number is an equation, not a pair of bounds.
template <class T> CAIRN_HD inline bool isRange(const AxisRow<T>& row) {
  return (row.kind == kLimitRow || row.kind == kDistanceRow) && row.low != row.high;
}
template <class T> CAIRN_HD inline bool isTurn(const AxisRow<T>& row) { return row.kind == kGearRow || row.axis >= 3; }
CAIRN_HD inline bool isDriven(int kind) { return kind == kVelocityRow || kind == kPositionRow || kind == kSpringRow; }

// A limit that is further away than twice the way of its coordinate within the step is inactive, as most limits are most of the time.
template <class T> CAIRN_HD inline bool outOfReach(const AxisRow<T>& row, const JointBias<T>& k, T coordinate, T speed) {
  if (!isRange(row)) return false;
  const T margin = T(2) * k.step * absOf(speed) + (isTurn(row) ? T(kRotationMargin) : T(kTranslationMargin) * k.lever);
  return coordinate - row.low > margin && row.high - coordinate > margin;
}

template <class T> CAIRN_HD inline T maxSpeedOf(const AxisRow<T>& row, const JointBias<T>& k) { return isTurn(row) ? k.maxTurnSpeed : k.maxSpeed; }

// The fields of a row that its kind decides.
template <class T> struct RowTarget {
  T mass;                           // inverse of the effective inverse mass; of a spring with its compliance
  T bias = T(0), plainBias = T(0);  // with stabilization and without
  T softness = T(0);                // of springs
  T low = T(-kNoImpulse), high = T(kNoImpulse);
  T impulse;
  T side = T(1);
  T limitSoftness = T(0);
  T first = T(0), follows = T(0);  // kAxisFirst, kAxisFollows
};

// The bound that the coordinate comes nearer to within h. At the upper bound the row's sign is reversed, so that its impulse always pushes inwards.
template <class T> CAIRN_HD inline void aimAtBound(const AxisRow<T>& row, const JointBias<T>& k, T speed, ScalarRow<T>& s, RowTarget<T>& out) {
  const T next = s.coordinate + k.h * speed;
  const bool above = row.high - next < next - row.low;
  const T gap = above ? row.high - s.coordinate : s.coordinate - row.low;
  if (above) {
    s = {-s.linear, -s.angularA, -s.angularB, s.coordinate};
    out.side = T(-1);
  }
  out.low = T(0);
  // An impulse of the other bound's sign is none.
  out.impulse = maxOf(above ? -out.impulse : out.impulse, T(0));
  out.first = gap;
  out.follows = row.kind == kLimitRow ? T(1) : T(0);
  out.plainBias = maxOf(gap, T(0)) / k.h;
  out.bias = gap > T(0) ? out.plainBias : maxOf(k.errorFraction * k.rate * gap, -maxSpeedOf(row, k));
  if (!(gap > T(0))) out.limitSoftness = k.softness;
}

// Motors and friction act with their largest force at most, and with no more than what makes their bodies faster by `motorReach` in a substep: two
// demands that contradict each other would wind their impulses up without end, and what gives way a little by its impulse, as contacts do, would give
// way altogether. At bodies that sleep, which none moves, it is what it was.
template <class T> CAIRN_HD inline void boundForce(const AxisRow<T>& row, const JointBias<T>& k, RowTarget<T>& out) {
  const T reach = out.mass > T(0) ? out.mass * (isTurn(row) ? k.turnReach : k.motorReach) : T(kNoImpulse);
  out.high = minOf(row.maxForce * k.h, reach);
  out.low = -out.high;
}

// The two ends of a distance, or the phase of a gear, that are where they are asked to be. What others make impossible gives way, as limits do; `far`
// is the error from which on that is so in full.
template <class T> CAIRN_HD inline void aimAtValue(const AxisRow<T>& row, const JointBias<T>& k, T error, T far, RowTarget<T>& out) {
  const T max = maxSpeedOf(row, k);
  out.bias = clampTo(k.rate * error, -max, max);
  const T off = absOf(error);
  out.limitSoftness = off < far ? k.softness * (off / far) : k.softness;
}

// An angle from -2 pi to 2 pi, the short way round.
template <class T> CAIRN_HD inline T wrappedAngle(T angle) {
  const T full = T(2 * kPi), half = T(kPi);
  if (angle > half) return angle - full;
  return angle < -half ? angle + full : angle;
}
template <class T> CAIRN_HD inline T targetError(const AxisRow<T>& row, T coordinate) {
  return row.axis < 3 ? coordinate - row.target : wrappedAngle(coordinate - row.target);
}

// Implicit spring: the impulse answers the coordinate and the speed at the end of the substep.
template <class T> CAIRN_HD inline void aimSpring(const AxisRow<T>& row, T h, T coordinate, T inverseMass, RowTarget<T>& out) {
  const T error = targetError(row, coordinate);
  const T gain = h * (row.damping + h * row.stiffness);
  const T compliance = gain > T(0) ? T(1) / gain : T(0);
  out.mass = gain > T(0) && inverseMass > T(0) ? T(1) / (inverseMass + compliance) : T(0);
  out.softness = out.mass * compliance;
  out.bias = out.plainBias = out.first = compliance * h * row.stiffness * error;
  out.follows = -(compliance * h * row.stiffness);
}

// A servo knows its two bodies and not what else hangs on them: where it has a hundredth of the load's inertia its impulse comes to what the load
// needs over many sweeps, and one that sums up the error meanwhile swings for ever. In the limit of a large load it is stable if the part of its
// impulse that it forgets in a sweep, `softness`, is at least a third of servoRate h (Routh's criterion for impulse, speed and error, with three
// sweeps a substep). It sags by kServoGive h times the impulse over the row's mass.
constexpr double kServoGive = 0.5;

// `inverseMass`: the row's effective inverse mass; `speed`: along it; `impulse`: what it starts from. At an upper bound the row's sign is reversed.
template <class T>
CAIRN_HD inline RowTarget<T> rowTarget(const AxisRow<T>& row, const JointBias<T>& k, T inverseMass, T speed, T impulse, ScalarRow<T>& s) {
  RowTarget<T> out{};
  out.mass = inverseMass > T(0) ? T(1) / inverseMass : T(0);
  out.impulse = impulse;
  if (row.kind == kGearRow) {
    aimAtValue(row, k, s.coordinate, T(kGearSlip), out);
  } else if (isRange(row)) {
    aimAtBound(row, k, speed, s, out);
  } else if (row.kind == kLimitRow || row.kind == kDistanceRow) {
    aimAtValue(row, k, s.coordinate - row.low, T(kDistanceSlip) * row.low, out);
  } else if (row.kind == kVelocityRow) {
    out.bias = out.plainBias = -row.target;
    boundForce(row, k, out);
  } else if (row.kind == kPositionRow) {
    out.bias = out.plainBias = out.first = k.servoRate * targetError(row, s.coordinate);
    out.follows = -k.servoRate;
    if (out.mass > T(0)) out.softness = T(kServoGive) * k.servoRate * k.h;
    boundForce(row, k, out);
  } else {
    aimSpring(row, k.h, s.coordinate, inverseMass, out);
  }
  out.impulse = clampTo(out.impulse, out.low, out.high);
  return out;
}

}  // namespace cairn::v0
