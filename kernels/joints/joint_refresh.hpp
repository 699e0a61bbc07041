// Joints' rows between the substeps of a step: moved along with the bodies, or made anew.
#pragma once

#include "kernels/joints/joint_prepare.hpp"
#include "kernels/joints/joint_sweep.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

// A joint whose bodies have hardly rotated since the step began keeps its effective masses; its errors and arms are moved along with the bodies, as
// those of bodies at rest in a pile are. What is made anew: joints whose bodies rotate, distances, gears,
// free axes whose range is one number, and black boxes.
constexpr double kSmallRotation = 0.0005;  // half the angle since the step began [rad]
// A factor serves longer than effective masses do: errors are those of the poses as they are, and the factor only says in which direction to go.
constexpr double kStaleRotation = 0.001;  // likewise

template <class T> struct RefreshJoint {
  PrepareJoint<T> prepare;
  const T* motions;
  int* dirty;  // by component of the direct solve: the factor no longer serves

  // The coordinate of a row, and with it the gap of a limit and the bias of a spring or servo, is linear in the motion of the bodies since the step
  // began, along the row as it was.
  template <class V> CAIRN_HD void moveRow(const LaneJoint<V>& joint, int base, Vec3<V> dpA, Quat<V> dqA, Vec3<V> dpB, Quat<V> dqB) const {
    const V follows = joint.get(base + kAxisFollows);
    const bool anyLimit = anyLane(follows), anyElastic = anyLane(-follows);
    if (!anyLimit && !anyElastic) return;
    const V zero = V(T(0)), half = V(T(0.5));
    const JointBias<T>& k = prepare.bias;
    const Vec3<V> d = joint.getVector(base + kAxisLinear);
    const Quat<V> relative = conjugate(dqA) * dqB;
    const V swung = V(T(2)) * dot(joint.getVector(base + kAxisAngularB), Vec3<V>{relative.x, relative.y, relative.z});
    const V slid = dot(d, pointMotion(dpB, dqB, joint.rB) - pointMotion(dpA, dqA, joint.rA));
    const auto slides = dot(d, d) > half;
    const V first = joint.get(base + kAxisFirst), moved = select(slides, slid, swung);
    if (anyLimit) {
      const V gap = first + moved;
      const V plain = maxOf(gap, zero) * V(T(1) / k.h);
      const V max = select(slides, V(k.maxSpeed), V(k.maxTurnSpeed));
      const V with = select(gap > zero, plain, maxOf(V(k.errorFraction * k.rate) * gap, -max));
      const auto on = follows > half;
      putWhere(on, joint, base + kAxisPlainBias, plain);
      putWhere(on, joint, base + kAxisBias, with);
      putWhere(on, joint, base + kAxisLimitSoftness, select(gap > zero, zero, V(k.softness)));
    }
    if (anyElastic) {
      const V bias = first - follows * moved;
      const auto on = follows < zero;
      putWhere(on, joint, base + kAxisPlainBias, bias);
      putWhere(on, joint, base + kAxisBias, bias);
    }
  }
  template <class V, class Mask> CAIRN_HD static void putWhere(Mask on, const LaneJoint<V>& joint, int field, V value) {
    joint.put(field, select(on, value, joint.get(field)));
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    const LaneJoint<V> joint(prepare.view, firstLane);
    V a[8], b[8];
    LaneTraits<V>::gather(motions, joint.slotsA, a);
    LaneTraits<V>::gather(motions, joint.slotsB, b);
    const Vec3<V> dpA{a[0], a[1], a[2]}, dpB{b[0], b[1], b[2]};
    const Quat<V> dqA{a[4], a[5], a[6], a[7]}, dqB{b[4], b[5], b[6], b[7]};
    const V small = V(T(kSmallRotation * kSmallRotation)), one = V(T(1)), zero = V(T(0));
    const V rotationA = dqA.x * dqA.x + dqA.y * dqA.y + dqA.z * dqA.z, rotationB = dqB.x * dqB.x + dqB.y * dqB.y + dqB.z * dqB.z;
    const Vec3<V> firstA = joint.getVector(kJointFirstArmA), firstB = joint.getVector(kJointFirstArmB);
    const Vec3<V> movedB = pointMotion(dpB, dqB, firstB);
    const Vec3<V> slid = movedB - pointMotion(dpA, dqA, firstA);
    joint.putVector(kJointArmA, firstA + (movedB - dpA));
    joint.putVector(kJointArmB, firstB + (movedB - dpB));
    const V far = V(T(0.25 * kTranslationMargin * kTranslationMargin) * prepare.bias.lever * prepare.bias.lever);
    const V moves = maxOf(select(maxOf(rotationA, rotationB) > small, one, zero), select(dot(slid, slid) > far, one, zero));
    const V anew = maxOf(maxOf(joint.get(kJointRotated), joint.get(kJointActive)), moves);
    const V errorFraction = joint.get(kJointErrorFraction);
    joint.putVector(kJointLinearError, clampLength(joint.getVector(kJointFirstLinearError) + errorFraction * slid, V(prepare.maxError())));
    if (joint.rotates) {
      const Quat<V> relative = conjugate(dqA) * dqB;
      const V twice = errorFraction + errorFraction;
      joint.putVector(kJointAngularError, clampLength(joint.getVector(kJointFirstAngularError) + twice * Vec3<V>{relative.x, relative.y, relative.z},
                                                      V(prepare.maxTurn())));
    }
    for (int r = 0; r < joint.rows; ++r) moveRow(joint, kJointFields + r * kAxisFields, dpA, dqA, dpB, dqB);
    joint.put(kJointRotated, anew);
    joint.put(kJointOffTarget, maxOf(rotationA, rotationB));
    if (!anyLane(anew)) return;
    const int strip = prepare.view.strip;
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int own = firstLane + lane, index = prepare.view.joint[own];
      if (index < 0) continue;
      const T* const fields = jointLaneFields(prepare.view, own, strip);
      const bool rotatedFar = fields[kJointOffTarget * strip] > T(kStaleRotation * kStaleRotation);
      const int component = prepare.in.records[index].component;
      if (component >= 0 && rotatedFar) atomicOrInt(dirty + component, 1);
    }
    prepare.template atAnew<V>(firstLane, kJointRotated);
  }
};

}  // namespace cairn::v0
