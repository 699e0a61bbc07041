// One joint in one sweep: a lane of a tile for a GPU thread, several lanes for a CPU pack, as contact_sweep.hpp has it for manifolds.
//
// Symbols as in row_math.hpp, with A the parent and B the child; the point is the origin of frame B on both bodies, so that impulses keep momentum
// whatever the error. The inverse effective masses of the locked translations and rotations lie in the rows (joint_rows.hpp).
#pragma once

#include "kernels/joints/joint_prestabilization.hpp"
#include "kernels/joints/joint_rows.hpp"
#include "kernels/rows/row_math.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

template <class V> struct LaneJoint {
  using Lanes = LaneTraits<V>;
  using T = typename Lanes::Scalar;

  T* fields;
  int strip;  // the view's: a single lane may look at rows that are laid out for packs
  typename Lanes::Slots slotsA, slotsB;
  int lane, rows;
  bool rotates;  // some lane of the tile has locked rotations
  Vec3<V> rA, rB;

  CAIRN_HD LaneJoint(const JointView<T>& joints, int laneIndex)
      : fields(fieldsOf(joints, laneIndex)),
        strip(joints.strip),
        slotsA(joints.bodyA + laneIndex),
        slotsB(joints.bodyB + laneIndex),
        lane(laneIndex),
        rows(joints.tileRows[laneIndex / kTileLanes]),
        rotates(joints.tileRotations[laneIndex / kTileLanes] != 0) {
    rA = getVector(kJointArmA);
    rB = getVector(kJointArmB);
  }
  // A pack's strip is known but in tests: nothing has to be divided by it then.
  CAIRN_HD static T* fieldsOf(const JointView<T>& joints, int lane) {
    if constexpr (Lanes::kWidth > 1) {
      if (joints.strip == Lanes::kStrip) return jointLaneFields(joints, lane, Lanes::kStrip);
    }
    return jointLaneFields(joints, lane, joints.strip);
  }
  CAIRN_HD V get(int field) const { return Lanes::load(fields + field * strip); }
  CAIRN_HD Vec3<V> getVector(int field) const { return {get(field), get(field + 1), get(field + 2)}; }
  CAIRN_HD Sym3<V> getSym(int field) const { return {get(field), get(field + 1), get(field + 2), get(field + 3), get(field + 4), get(field + 5)}; }
  CAIRN_HD void put(int field, V value) const { Lanes::store(fields + field * strip, value); }
  CAIRN_HD void putVector(int field, Vec3<V> v) const {
    put(field, v.x);
    put(field + 1, v.y);
    put(field + 2, v.z);
  }
};

// The part of a joint's error that a sweep asks to be gone at the end of the substep.
enum class JointError : int {
  None,       // velocities alone: relative velocity zero along the locked axes (Weinstein, section V)
  Linear,     // a fraction of the error as it is now, by velocities
  Predicted,  // the error that the bodies would have after the substep: Weinstein's pre-stabilization (section IV)
};

// The translation of frame B from its place on A once both bodies have moved for h, in A's axes as they are now; d is the translation now.
template <class V> CAIRN_HD inline Vec3<V> predictedTranslation(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> d, V h) {
  const Vec3<V> zero{V(0), V(0), V(0)};
  const Vec3<V> moved = h * (b.v - a.v) + pointMotion(zero, rotationOf(h * b.w), rB);
  const Quat<V> back = conjugate(rotationOf(h * a.w));
  return d + moved + pointMotion(zero, back, rA + moved);
}
// The angular error once both bodies have rotated for h, in A's axes as they are now. Exact where there is neither error nor rotation.
template <class V> CAIRN_HD inline Vec3<V> predictedRotation(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> error, V h) {
  const Quat<V> relative = conjugate(rotationOf(h * a.w)) * rotationOf(h * b.w);
  return error + V(2) * Vec3<V>{relative.x, relative.y, relative.z};
}

// What joints bear in a step, summed up in their lanes (kJointBorne) as the direct solve stores its impulses.
enum class JointSums : int {
  None,
  Begin,    // of a step: the lane's impulse, once this is in it, is all so far
  Substep,  // of a substep: the lane's impulse, once this is in it, is new
  Add,      // this is new, what the lane had has been counted
};
template <class V> CAIRN_HD inline V summedUp(JointSums how, V sum, V impulse, V change) {
  return how == JointSums::Begin ? impulse : sum + (how == JointSums::Substep ? impulse : change);
}

constexpr double kMaxLinearizableAngle = 1;  // of a body within a substep [rad]

template <class T> struct JointBlock {
  JointError error = JointError::None;
  T h = T(1);
  T rate = T(0);                     // Linear: fraction of the error by h [1/s]
  T lever = T(1);                    // of JointBias [m]
  bool biased = false;               // rows of free axes: with stabilization or without
  bool store = true;                 // impulses add up in the rows; off: an impact, which later sweeps do not count
  bool drives = true;                // rows of free axes act; off: locked axes alone
  bool ramped = false;               // the fraction of the error that goes rises over the sweeps to 1 (section IV)
  JointSums sums = JointSums::None;  // of the first of several solves; those after it add

  // Bodies rotate so far within the substep that solving once more would lead away from the target: their error is taken as linear.
  template <class V> CAIRN_HD auto beyondLinearization(const LaneBody<V>& a, const LaneBody<V>& b) const {
    return maxOf(dot(a.w, a.w), dot(b.w, b.w)) > V(T(kMaxLinearizableAngle * kMaxLinearizableAngle) / (h * h));
  }
  // Both are relative velocities that a solve makes zero.
  template <class V>
  CAIRN_HD Vec3<V> linearVelocityError(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> linearError) const {
    const Vec3<V> u = relativeVelocity(a, b, rA, rB);
    if (error == JointError::Predicted) {
      return select(beyondLinearization(a, b), u + V(T(1) / h) * linearError, V(T(1) / h) * predictedTranslation(a, b, rA, rB, linearError, V(h)));
    }
    return error == JointError::None ? u : u + V(rate) * linearError;
  }
  template <class V> CAIRN_HD Vec3<V> angularVelocityError(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> angularError) const {
    const Vec3<V> u = b.w - a.w;
    if (error == JointError::Predicted)
      return select(beyondLinearization(a, b), u + V(T(1) / h) * angularError, V(T(1) / h) * predictedRotation(a, b, angularError, V(h)));
    return error == JointError::None ? u : u + V(rate) * angularError;
  }

  template <class V> CAIRN_HD void apply(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int sweep, int sweeps) const {
    for (int r = 0; drives && r < joint.rows; ++r) applyRow(joint, a, b, kJointFields + r * kAxisFields);
    const V part = V(ramped ? T(sweep + 1) / T(sweeps) : T(1));
    const V softness = biased ? joint.get(kJointSoftness) : V(T(0));
    if (joint.rotates) {
      const Vec3<V> old = joint.getVector(kJointAngular);
      const Vec3<V> change =
          -(part * (joint.getSym(kJointAngularMass) * angularVelocityError(a, b, joint.getVector(kJointAngularError)))) - softness * old;
      a.w -= a.invInertia * change;
      b.w += b.invInertia * change;
      if (store) joint.putVector(kJointAngular, old + change);
    }
    const Vec3<V> old = joint.getVector(kJointLinear);
    const Vec3<V> change =
        -(part * (joint.getSym(kJointLinearMass) * linearVelocityError(a, b, joint.rA, joint.rB, joint.getVector(kJointLinearError)))) -
        softness * old;
    applyImpulse(a, b, joint.rA, joint.rB, change);
    if (store) joint.putVector(kJointLinear, old + change);
  }

  template <class V> CAIRN_HD void applyRow(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int base) const {
    const Vec3<V> d = joint.getVector(base + kAxisLinear), onA = joint.getVector(base + kAxisAngularA), onB = joint.getVector(base + kAxisAngularB);
    const V old = joint.get(base + kAxisImpulse);
    const V u = dot(d, b.v - a.v) + dot(onB, b.w) - dot(onA, a.w);
    const V wanted = old - joint.get(base + kAxisMass) * (u + joint.get(base + (biased ? kAxisBias : kAxisPlainBias))) -
                     (joint.get(base + kAxisSoftness) + V(T(biased ? 1 : 0)) * joint.get(base + kAxisLimitSoftness)) * old;
    const V fresh = maxOf(joint.get(base + kAxisLow), minOf(wanted, joint.get(base + kAxisHigh)));
    const V change = fresh - old;
    a.v -= scale(a.invMass, change * d);
    a.w -= a.invInertia * (change * onA);
    b.v += scale(b.invMass, change * d);
    b.w += b.invInertia * (change * onB);
    if (store) joint.put(base + kAxisImpulse, fresh);
  }
};

// Warm start: the impulses of the last substep, on the bodies.
template <class T> struct JointBegin {
  template <class V> CAIRN_HD void apply(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int, int) const {
    applyImpulse(a, b, joint.rA, joint.rB, joint.getVector(kJointLinear));
    const Vec3<V> angular = joint.getVector(kJointAngular);
    a.w -= a.invInertia * angular;
    b.w += b.invInertia * angular;
    for (int r = 0; r < joint.rows; ++r) {
      const int base = kJointFields + r * kAxisFields;
      const V impulse = joint.get(base + kAxisImpulse);
      const Vec3<V> d = joint.getVector(base + kAxisLinear);
      a.v -= scale(a.invMass, impulse * d);
      a.w -= a.invInertia * (impulse * joint.getVector(base + kAxisAngularA));
      b.v += scale(b.invMass, impulse * d);
      b.w += b.invInertia * (impulse * joint.getVector(base + kAxisAngularB));
    }
  }
};

// A ball joint whose bodies rotate far within a substep, by itself: its equation is too curved for solves that take it as linear, so that it takes
// Newton's iteration with golden sections (Weinstein, Teran and Fedkiw 2006, section IV; joint_prestabilization.hpp). Joints that lock rotations need
// none of it: their bodies rotate together.
constexpr double kLargeRotation = 0.5;  // within a substep [rad]

template <class T> struct LargeRotation {
  JointView<T> view;
  const JointRecord<T>* records;
  T h, tolerance;  // [s], [m]
  JointSums sums;

  CAIRN_HD void apply(const LaneJoint<T>& joint, LaneBody<T>& a, LaneBody<T>& b, int, int) const {
    const int index = view.joint[joint.lane];
    if (index < 0 || records[index].lockedLinear != 7 || records[index].lockedAngular != 0) return;
    const T rotation = h * squareRoot(maxOf(dot(a.w, a.w), dot(b.w, b.w)));
    const Vec3<T> error = joint.getVector(kJointLinearError);
    if (!(rotation > T(kLargeRotation)) || !(length(predictedTranslation(a, b, joint.rA, joint.rB, error, h)) > tolerance)) return;
    const Vec3<T> none{T(0), T(0), T(0)};
    const Quat<T> identity = identityQuat<T>();
    joint::LinearEquation<T> equation{};
    equation.parent = {none, a.v, a.w, identity, a.invMass, a.invInertia};
    equation.child = {joint.rA - joint.rB, b.v, b.w, identity, b.invMass, b.invInertia};
    equation.armP = joint.rA - error;
    equation.armC = joint.rB;
    equation.applyP = joint.rA;
    equation.applyC = joint.rB;
    equation.h = h;
    const joint::Solution<T> solved = joint::solveLinear(equation, length(joint.rA) + length(joint.rB), T(1));
    if (!(solved.after < solved.before)) return;
    applyImpulse(a, b, joint.rA, joint.rB, -solved.impulse);
    joint.putVector(kJointLinear, joint.getVector(kJointLinear) - solved.impulse);
    if (sums != JointSums::None) joint.putVector(kJointBorne, joint.getVector(kJointBorne) - solved.impulse);
  }
};

// Whether some body of a joint turns so far: the colours need not be gone through where none does.
template <class T> struct FindLargeRotation {
  const T* velocities;  // BodyVelocity records
  T speed2;             // square of the angular velocity from which on it may be far [rad^2/s^2]
  JointView<T> joints;
  int* found;  // 1: there may be one

  template <class V> CAIRN_HD void at(int firstLane) const {
    V a[8], b[8];
    LaneTraits<V>::gather(velocities, joints.bodyA + firstLane, a);
    LaneTraits<V>::gather(velocities, joints.bodyB + firstLane, b);
    const Vec3<V> wA{a[4], a[5], a[6]}, wB{b[4], b[5], b[6]};
    // Half of it leaves room for rounding.
    if (anyLane(maxOf(dot(wA, wA), dot(wB, wB)) - V(T(0.5) * speed2))) atomicOrInt(found, 1);
  }
};

// Steps along conjugate directions leave joints as they are.
template <class T> struct JointIdle {
  template <class V> CAIRN_HD void apply(const LaneJoint<V>&, LaneBody<V>&, LaneBody<V>&, int, int) const {}
};

// --- reaching the bodies ---------------------------------------------------------------------------------------

template <class T, class Operation> struct ColouredJoint {
  JointView<T> joints;
  T* velocities;
  const T* inertias;
  Operation operation;

  template <class V> CAIRN_FLATTEN CAIRN_HD void at(int lane, int sweep, int sweeps) const {
    const LaneJoint<V> joint(joints, lane);
    LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA);
    LaneBody<V> b = gatherBody<V>(velocities, inertias, joint.slotsB);
    operation.apply(joint, a, b, sweep, sweeps);
    scatterBody(velocities, joint.slotsA, a);
    scatterBody(velocities, joint.slotsB, b);
  }
};

// Overflow constraints: their places follow those of the overflow manifolds.
template <class T, class Operation> struct OverflowJoint {
  JointView<T> joints;
  const T* velocities;
  const T* inertias;
  OverflowView<T> overflow;
  int firstPlace;  // of the joints
  Operation operation;

  template <class V> CAIRN_HD void at(int lane, int sweep, int sweeps) const {
    const LaneJoint<V> joint(joints, lane);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA);
    const LaneBody<V> b = gatherBody<V>(velocities, inertias, joint.slotsB);
    V kA, kB;
    LaneTraits<V>::gatherOne(overflow.partCounts, joint.slotsA, kA);
    LaneTraits<V>::gatherOne(overflow.partCounts, joint.slotsB, kB);
    LaneBody<V> partA = partOf(a, kA), partB = partOf(b, kB);
    operation.apply(joint, partA, partB, sweep, sweeps);
    const int place = lane - joints.counts->firstOverflowTile * kTileLanes + firstPlace;
    overflow.write(place, 0, a, partA, kA);
    overflow.write(place, 1, b, partB, kB);
  }
};

}  // namespace cairn::v0
