// Shock propagation: contacts once more, level by level of the contact graph from the ground up, with the bodies of lower levels as good as immovable
// (Guendelman, Bridson and Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003, section 8). Joints are processed with their bodies' true masses
// (Weinstein, Teran and Fedkiw 2006, section VI). What it adds to the impulses is not remembered for the next step.
#pragma once

#include "kernels/joints/joint_sweep.hpp"

namespace cairn::v0 {

constexpr int kShockPasses = 4;

// Lanes whose higher body is of this level: 1, others 0.
template <class V, class T> CAIRN_HD inline V ofLevel(const T* levels, const int* slotsA, const int* slotsB, T level, V& a, V& b) {
  LaneTraits<V>::gatherOne(levels, slotsA, a);
  LaneTraits<V>::gatherOne(levels, slotsB, b);
  const V higher = maxOf(a, b), half = V(T(0.5));
  return select((higher > V(level) - half) & (higher < V(level) + half), V(T(1)), V(T(0)));
}

// A body, or one of the same velocity that nothing moves.
template <class V> CAIRN_HD inline LaneBody<V> movable(const LaneBody<V>& body, V share) {
  const Sym3<V> i = body.invInertia;
  return {body.v, body.w, share * body.invMass, {share * i.xx, share * i.yy, share * i.zz, share * i.xy, share * i.xz, share * i.yz}};
}

// The velocity after the shock for lanes that take part, the one before for the others, to the sign of a zero: a lane that stands alone leaves early
// where a pack goes on, and going on without mass would turn some of a resting body's -0 into 0.
template <class V> CAIRN_HD inline void takeVelocity(LaneBody<V>& body, V on, const LaneBody<V>& after) {
  const auto takesPart = on > V(0);
  body.v = select(takesPart, after.v, body.v);
  body.w = select(takesPart, after.w, body.w);
}

template <class T> struct ShockBlock {
  const T* levels;  // [bodySlots]; -1: not above anything
  T level;
  T restSpeed;

  template <class V> CAIRN_HD void apply(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    const V zero = V(T(0)), one = V(T(1));
    V levelA, levelB;
    const V on = ofLevel(levels, contact.slotsA, contact.slotsB, level, levelA, levelB);
    if (!anyLane(on)) return;
    LaneBody<V> upperA = movable(a, on * select(levelA < levelB, zero, one)), upperB = movable(b, on * select(levelB < levelA, zero, one));
    const Vec3<V> n = contact.normal;
    // Points all at once, as in SolveBlock, which keeps what is symmetric symmetric; friction has had its say.
    const V step = contact.get(kBlockStepField);
    V lambda[kMaxManifoldPoints], mass[kMaxManifoldPoints];
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      const Vec3<V> rA = contact.getVector(base + kPointRA);
      lambda[p] = contact.get(base + kPointImpulse);
      const V k = effectiveInverseMass(upperA, upperB, rA, rA + contact.toB, n, n);
      const V there = contact.get(base + kPointNormalMass);
      mass[p] = select((k > zero) & (there > zero), step / select(k > zero, k, one), zero);
    }
    for (int pass = 0; pass < kShockPasses; ++pass) {
      V sum = zero;
      Vec3<V> sumA{zero, zero, zero}, sumB = sumA;
      for (int p = 0; p < contact.points; ++p) {
        const int base = LaneContact<V>::base(p);
        const Vec3<V> rA = contact.getVector(base + kPointRA), rB = rA + contact.toB;
        const V u = dot(n, relativeVelocity(upperA, upperB, rA, rB)) + gapSpeed(contact.get(base + kPointBias), V(restSpeed));
        const V fresh = maxOf(lambda[p] - mass[p] * u, zero), change = fresh - lambda[p];
        lambda[p] = fresh;
        sum += change;
        sumA += change * rA;
        sumB += change * rB;
      }
      applyNormalImpulses(upperA, upperB, n, sum, sumA, sumB);
    }
    takeVelocity(a, on, upperA);
    takeVelocity(b, on, upperB);
  }
};

template <class T> struct JointShock {
  const T* levels;
  T level;
  JointBlock<T> block;

  template <class V> CAIRN_HD void apply(const LaneJoint<V>& joint, LaneBody<V>& a, LaneBody<V>& b, int, int) const {
    V levelA, levelB;
    const V on = ofLevel(levels, joint.slotsA, joint.slotsB, level, levelA, levelB);
    if (!anyLane(on)) return;
    LaneBody<V> afterA = a, afterB = b;
    if (joint.rotates) {
      const Vec3<V> angularError = block.angularVelocityError(afterA, afterB, joint.getVector(kJointAngularError));
      const Vec3<V> impulse = -(joint.getSym(kJointAngularMass) * angularError);
      afterA.w -= afterA.invInertia * impulse;
      afterB.w += afterB.invInertia * impulse;
    }
    const Vec3<V> linearError = block.linearVelocityError(afterA, afterB, joint.rA, joint.rB, joint.getVector(kJointLinearError));
    applyImpulse(afterA, afterB, joint.rA, joint.rB, -(joint.getSym(kJointLinearMass) * linearError));
    takeVelocity(a, on, afterA);
    takeVelocity(b, on, afterB);
  }
};

}  // namespace cairn::v0
