// Stabilizations beyond a constant bias, on the rows of one manifold: targets that need velocities (Silcowitz), slips that are taken back
// (friction stabilization), and the position problem (Cline-Pai). Bodies of one lane of a tile each, as in contact_sweep.hpp.
#pragma once

#include "kernels/solve/contact_sweep.hpp"

namespace cairn::v0 {

// --- rows only: need no colours --------------------------------------------------------------------------------

// Biases from the separation and the normal velocity that the substep starts with.
template <class T> struct UpdateSilcowitz {
  RowView<T> rows;
  const T* motions;
  const T* velocities;
  SilcowitzTarget<T> target;

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    const MovedSeparations<V> moved(contact, LaneMotion<V>(contact, motions));
    V a[8], b[8];
    LaneTraits<V>::gather(velocities, contact.slotsA, a);
    LaneTraits<V>::gather(velocities, contact.slotsB, b);
    const Vec3<V> vA{a[0], a[1], a[2]}, wA{a[4], a[5], a[6]}, vB{b[0], b[1], b[2]}, wB{b[4], b[5], b[6]};
    const V restitution = contact.get(restitutionField(contact.points));
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      const Vec3<V> rA = contact.getVector(base + kPointRA);
      const V u = dot(contact.normal, (vB + cross(wB, rA + contact.toB)) - (vA + cross(wA, rA)));
      contact.put(base + kPointBias, silcowitzBias(moved.of(contact, p), u, restitution, target));
    }
  }
};

// Arms of the contacts of ellipsoids: where their contact point is after a turn, or back to where it was at the collision pass, which gaps are
// measured from. A support point x of a body that turns by s moves by s x x - K (s x n), K the radii of curvature. Arms that lag behind would feed
// rocking motions. Effective masses are those of the collision pass: a point that wanders so far along a flat side that a body answers an impulse
// more than kMostAnswer times as much would get impulses that grow from sweep to sweep, and goes a part of its way only.
constexpr double kMostAnswer = 1.5;

template <class T> struct RollArms {
  RowView<T> rows;
  const T* motions;
  const T* velocities;
  const T* inertias;
  bool back;

  template <class V> CAIRN_HD static V partOfWay(const LaneBody<V>& body, Vec3<V> n, Vec3<V> arm, Vec3<V> way) {
    const auto answer = [&](Vec3<V> r) {
      const Vec3<V> turned = cross(r, n);
      return dot(n, scale(body.invMass, n)) + dot(turned, body.invInertia * turned);
    };
    const V before = answer(arm), more = answer(arm + way) - before, most = V(T(kMostAnswer - 1)) * before, one = V(T(1));
    const auto grows = more > most;
    return select(grows, most / select(grows, more, one), one);
  }

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    const auto get = [&](int field) { return contact.getRound(field); };
    const auto getVector = [&](int field) { return Vec3<V>{get(field), get(field + 1), get(field + 2)}; };
    const V zero = V(T(0)), ofA = get(kWanders), ofB = get(kWanders + 1);
    const auto wanders = ofA + ofB > zero;
    Vec3<V> arm = getVector(kArmAtFirst), toB = getVector(kToBAtFirst);
    if (!back) {
      const LaneMotion<V> motion(contact, motions);
      Vec3<V> t1, t2;
      tangentFrame(contact.normal, t1, t2);
      const auto shift = [&](Vec3<V> r, Quat<V> dq, int first, V sign, V weight) {
        const Vec3<V> turn{dq.x + dq.x, dq.y + dq.y, dq.z + dq.z};
        const Vec3<V> n = sign * contact.normal, d = cross(turn, n);
        const V d1 = dot(d, t1), d2 = dot(d, t2), k12 = get(first + 1);
        return weight * (cross(turn, r) - ((get(first) * d1 + k12 * d2) * t1 + (k12 * d1 + get(first + 2) * d2) * t2));
      };
      Vec3<V> one = shift(arm, motion.dqA, kCurvature, V(T(1)), ofA), other = shift(arm + toB, motion.dqB, kCurvature + 3, V(T(-1)), ofB);
      one = partOfWay(gatherBody<V>(velocities, inertias, contact.slotsA), contact.normal, arm, one) * one;
      other = partOfWay(gatherBody<V>(velocities, inertias, contact.slotsB), contact.normal, arm + toB, other) * other;
      arm += one;
      toB += other - one;
    }
    const int base = LaneContact<V>::base(0);
    const Vec3<V> oldArm = contact.getVector(base + kPointRA);
    const V armOut[3] = {arm.x, arm.y, arm.z}, oldOut[3] = {oldArm.x, oldArm.y, oldArm.z};
    const V toBOut[3] = {toB.x, toB.y, toB.z}, oldToB[3] = {contact.toB.x, contact.toB.y, contact.toB.z};
    for (int k = 0; k < 3; ++k) {
      contact.put(base + kPointRA + k, select(wanders, armOut[k], oldOut[k]));
      contact.put(kToBField + k, select(wanders, toBOut[k], oldToB[k]));
    }
  }
};

// Tangential biases from the slip of the anchors, moved along with the bodies since the collision pass.
template <class T> struct UpdateSlip {
  RowView<T> rows;
  const T* motions;
  SlipTarget<T> target;

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    const LaneMotion<V> motion(contact, motions);
    Vec3<V> t1, t2;
    tangentFrame(contact.normal, t1, t2);
    const V rho = contact.tangents().rho;
    // Of several points the step is below 1 (row_masses.hpp).
    const V fraction = select(contact.frictionStep() < V(T(1)), V(T(kSlipFractionOfCones)), V(T(kSlipFractionOfCone)));
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      const Vec3<V> rA = contact.getVector(base + kPointRA);
      const Vec3<V> move = motion.relative(rA, rA + contact.toB);
      const Tangential<V> slip{contact.get(rows.slips, p, kSlip) - dot(t1, move), contact.get(rows.slips, p, kSlip + 1) - dot(t2, move)};
      const V maxSpeed = fraction * contact.get(rows.slips, p, kSlipCone) / select(rho > V(T(0)), rho, V(T(1)));
      const Tangential<V> bias = slipBias(slip, maxSpeed, target);
      const V kept = contact.get(rows.slips, p, kSlipKept);
      contact.put(rows.slips, p, kSlipBias, kept * bias.first);
      contact.put(rows.slips, p, kSlipBias + 1, kept * bias.second);
    }
  }
};

// --- positions: Cline and Pai, "Post-Stabilization for Rigid Body Simulation with Contact and Constraints", 2003, section V --------------------
// M dp = J^T l, g + J dp >= 0 complementary to l >= 0, for normal rows alone; g is the separation plus the resting depth.

constexpr int kGap = 0;         // g, at least minus the largest correction [m]
constexpr int kGapImpulse = 1;  // l [kg m]
constexpr int kGapFields = 2;

// Gaps at the poses as they are now, impulses from zero, and what each lane violates most.
template <class T> struct MeasureGaps {
  RowView<T> rows;
  const T* motions;
  PointArray<T> gaps;
  T* violations;  // [slots] largest max(-g, 0) of a lane
  T restingDepth, largestCorrection;

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    const MovedSeparations<V> moved(contact, LaneMotion<V>(contact, motions));
    V worst = V(T(0));
    for (int p = 0; p < contact.points; ++p) {
      const V gap = moved.of(contact, p) + V(restingDepth);
      // Points that a tile has and this lane has not move along with the bodies, and are none.
      const auto there = contact.get(LaneContact<V>::base(p) + kPointNormalMass) > V(T(0));
      worst = select(there, maxOf(worst, -gap), worst);
      contact.put(gaps, p, kGap, maxOf(gap, V(-largestCorrection)));
      contact.put(gaps, p, kGapImpulse, V(T(0)));
    }
    LaneTraits<V>::store(violations + slot, worst);
  }
};

// One sweep's work on a manifold. The bodies' velocities are their displacements here. All points at once, as in SolveBlock.
template <class T> struct PositionBlock {
  PointArray<T> gaps;

  template <class V> CAIRN_HD void apply(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    const Vec3<V> n = contact.normal;
    const V step = contact.get(kBlockStepField);
    V sum = V(T(0));
    Vec3<V> sumA{sum, sum, sum}, sumB = sumA;
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      const Vec3<V> rA = contact.getVector(base + kPointRA), rB = rA + contact.toB;
      const V old = contact.get(gaps, p, kGapImpulse);
      const V residual = dot(n, relativeVelocity(a, b, rA, rB)) + contact.get(gaps, p, kGap);
      const V fresh = maxOf(old - step * (contact.get(base + kPointNormalMass) * residual), V(T(0)));
      contact.put(gaps, p, kGapImpulse, fresh);
      const V applied = fresh - old;
      sum += applied;
      sumA += applied * rA;
      sumB += applied * rB;
    }
    applyNormalImpulses(a, b, n, sum, sumA, sumB);
  }
};

}  // namespace cairn::v0
