// What a sweep does to one joint: one lane of a tile each, for a GPU thread or a CPU pack, as contact_sweep.hpp for manifolds.
//
// Symbols as in row_math.hpp, with A the parent and B the child; the point is the origin of frame B on both bodies, so that impulses keep momentum
// whatever the error. P and Q are the inverse effective masses of the locked offsets and turns (joint_rows.hpp).
#pragma once

#include "kernels/joints/joint_prestabilization.hpp"
#include "kernels/joints/joint_rows.hpp"
#include "kernels/solve/contact_sweep.hpp"

namespace cairn {

template <class V> struct LaneJoint {
  using Lanes = LaneTraits<V>;
  using T = typename Lanes::Scalar;

  T* fields;
  int strip;  // the view's: a single lane may look at rows that are laid out for packs
  const int* slotsA;
  const int* slotsB;
  int slot, rows;
  bool turns;
  Vec3<V> rA, rB;

  CAIRN_HD LaneJoint(const JointView<T>& joints, int slotOfLane)
      : fields(jointLaneFields(joints, slotOfLane, joints.strip)),
        strip(joints.strip),
        slotsA(joints.bodyA + slotOfLane),
        slotsB(joints.bodyB + slotOfLane),
        slot(slotOfLane),
        rows(joints.tileRows[slotOfLane / kTileLanes]),
        turns(joints.tileTurns[slotOfLane / kTileLanes] != 0) {
    rA = getVector(kJointArmA);
    rB = getVector(kJointArmB);
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

// What of a joint's error a sweep asks to be gone at the end of the substep.
enum class JointError : int {
  None,       // velocities alone: relative velocity zero along the locked axes (Weinstein, section V)
  Linear,     // a fraction of the error as it is now, by velocities
  Predicted,  // the error that the bodies would have after the substep: Weinstein's pre-stabilization (section IV)
};

// Offset of frame B from its place on A, in A's axes as they are now, once both bodies have moved for h: from the offset d now.
template <class V> CAIRN_HD inline Vec3<V> predictedOffset(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> d, V h) {
  const Vec3<V> zero{V(0), V(0), V(0)};
  const Vec3<V> moved = h * (b.v - a.v) + pointMotion(zero, turnOf(h * b.w), rB);
  const Quat<V> back = conjugate(turnOf(h * a.w));
  return d + moved + pointMotion(zero, back, rA + moved);
}
// Turn of B against A over h, in A's axes as they are now; added to the error now. Exact where both are zero.
template <class V> CAIRN_HD inline Vec3<V> predictedTurn(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> error, V h) {
  const Quat<V> relative = conjugate(turnOf(h * a.w)) * turnOf(h * b.w);
  return error + V(2) * Vec3<V>{relative.x, relative.y, relative.z};
}

constexpr double kTooCurved = 1;  // [rad]

template <class T> struct JointBlock {
  JointError error = JointError::None;
  T h = T(1);
  T rate = T(0);        // Linear: fraction of the error by h [1/s]
  bool biased = false;  // rows of free axes: with stabilization or without
  bool store = true;    // impulses add up in the rows; off: they are a blow that later sweeps do not count
  bool drives = true;   // rows of free axes act; off: locked axes alone
  bool ramped = false;   // the fraction of the error that goes ramped over the sweeps to 1 (section IV)

  // Bodies that turn so far within the substep that solving once more would lead away from the target: theirs is taken as straight.
  template <class V> CAIRN_HD auto tooCurved(const LaneBody<V>& a, const LaneBody<V>& b) const {
    return maxOf(dot(a.w, a.w), dot(b.w, b.w)) > V(T(kTooCurved * kTooCurved) / (h * h));
  }
  // The relative velocity that is to be zero.
  template <class V> CAIRN_HD Vec3<V> offsetSpeed(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> offset) const {
    const Vec3<V> u = relativeVelocity(a, b, rA, rB);
    if (error == JointError::Predicted) {
      return select(tooCurved(a, b), u + V(T(1) / h) * offset, V(T(1) / h) * predictedOffset(a, b, rA, rB, offset, V(h)));
    }
    return error == JointError::None ? u : u + V(rate) * offset;
  }
  template <class V> CAIRN_HD Vec3<V> turnSpeed(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> turn) const {
    const Vec3<V> u = b.w - a.w;
    if (error == JointError::Predicted) return select(tooCurved(a, b), u + V(T(1) / h) * turn, V(T(1) / h) * predictedTurn(a, b, turn, V(h)));
    return error == JointError::None ? u : u + V(rate) * turn;
  }

  template <class V> CAIRN_HD void apply(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int sweep, int sweeps) const {
    for (int r = 0; drives && r < joint.rows; ++r) applyRow(joint, a, b, kJointFields + r * kAxisFields);
    const V part = V(ramped ? T(sweep + 1) / T(sweeps) : T(1));
    const V softness = biased ? joint.get(kJointSoftness) : V(T(0));
    if (joint.turns) {
      const Vec3<V> old = joint.getVector(kJointAngular);
      const Vec3<V> change = -(part * (joint.getSym(kJointAngularMass) * turnSpeed(a, b, joint.getVector(kJointTurn)))) - softness * old;
      a.w -= a.invInertia * change;
      b.w += b.invInertia * change;
      if (store) joint.putVector(kJointAngular, old + change);
    }
    const Vec3<V> old = joint.getVector(kJointLinear);
    const Vec3<V> change =
        -(part * (joint.getSym(kJointLinearMass) * offsetSpeed(a, b, joint.rA, joint.rB, joint.getVector(kJointOffset)))) - softness * old;
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

// The impulses so far, once more on the bodies.
template <class T> struct JointBegin {
  template <class V> CAIRN_HD void apply(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int, int) const {
    applyImpulse(a, b, joint.rA, joint.rB, joint.getVector(kJointLinear));
    const Vec3<V> turn = joint.getVector(kJointAngular);
    a.w -= a.invInertia * turn;
    b.w += b.invInertia * turn;
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

// Where a body turns far within a substep the equations are too curved for solves that take them as straight: the joint by itself, by Newton's
// iteration with golden sections (Weinstein, Teran and Fedkiw 2006, section IV; joint_prestabilization.hpp). Ball joints need it: the others' turns
// keep their bodies together.
constexpr double kFarTurn = 0.5;  // within a substep [rad]

template <class T> struct JointFar {
  JointView<T> view;
  const JointRecord<T>* records;
  T h, tolerance;  // [s], [m]

  CAIRN_HD void apply(const LaneJoint<T>& joint, LaneBody<T>& a, LaneBody<T>& b, int, int) const {
    const int index = view.joint[joint.slot];
    if (index < 0 || records[index].lockedLinear != 7 || records[index].lockedAngular != 0) return;
    const T turn = h * squareRoot(maxOf(dot(a.w, a.w), dot(b.w, b.w)));
    const Vec3<T> offset = joint.getVector(kJointOffset);
    if (!(turn > T(kFarTurn)) || !(length(predictedOffset(a, b, joint.rA, joint.rB, offset, h)) > tolerance)) return;
    const Vec3<T> none{T(0), T(0), T(0)};
    const Quat<T> unturned = identityQuat<T>();
    const joint::LinearEquation<T> equation{{none, a.v, a.w, unturned, a.invMass, a.invInertia},
                                            {joint.rA - joint.rB, b.v, b.w, unturned, b.invMass, b.invInertia},
                                            joint.rA - offset,
                                            joint.rB,
                                            joint.rA,
                                            joint.rB,
                                            h};
    const joint::Solution<T> solved = joint::solveLinear(equation, length(joint.rA) + length(joint.rB), T(1));
    if (!(solved.after < solved.before)) return;
    applyImpulse(a, b, joint.rA, joint.rB, -solved.impulse);
    joint.putVector(kJointLinear, joint.getVector(kJointLinear) - solved.impulse);
  }
};

// Nothing: what conjugate directions do to joints.
template <class T> struct JointIdle {
  template <class V> CAIRN_HD void apply(const LaneJoint<V>&, LaneBody<V>&, LaneBody<V>&, int, int) const {}
};

// --- reaching the bodies ---------------------------------------------------------------------------------------

template <class T, class Operation> struct ColouredJoint {
  JointView<T> joints;
  T* velocities;
  const T* inertias;
  Operation operation;

  template <class V> CAIRN_HD void at(int slot, int sweep, int sweeps) const {
    const LaneJoint<V> joint(joints, slot);
    LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA);
    LaneBody<V> b = gatherBody<V>(velocities, inertias, joint.slotsB);
    operation.apply(joint, a, b, sweep, sweeps);
    scatterBody(velocities, joint.slotsA, a);
    scatterBody(velocities, joint.slotsB, b);
  }
};

// In the mass-split tail: its places follow those of the tail's manifolds.
template <class T, class Operation> struct TailJoint {
  JointView<T> joints;
  const T* velocities;
  const T* inertias;
  TailView<T> tail;
  int firstSlot, firstPlace;  // a joint's slot goes to place slot - firstSlot + firstPlace of the tail
  Operation operation;

  template <class V> CAIRN_HD void at(int slot, int sweep, int sweeps) const {
    const LaneJoint<V> joint(joints, slot);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA);
    const LaneBody<V> b = gatherBody<V>(velocities, inertias, joint.slotsB);
    V kA, kB;
    LaneTraits<V>::gatherOne(tail.partCounts, joint.slotsA, kA);
    LaneTraits<V>::gatherOne(tail.partCounts, joint.slotsB, kB);
    LaneBody<V> partA = partOf(a, kA), partB = partOf(b, kB);
    operation.apply(joint, partA, partB, sweep, sweeps);
    const int place = slot - firstSlot + firstPlace;
    tail.write(place, 0, a, partA, kA);
    tail.write(place, 1, b, partB, kB);
  }
};

}  // namespace cairn
