// The test that ends the repetitions of the direct solve, one component of joints at a time: joints are on target at the end of the substep.
#pragma once

#include "kernels/joints/joint_sweep.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn::v0 {

// A joint is off target if its locked axes would have an error at the end of the substep. One solve does not prevent that: rotations make the
// equations curved, a solve takes them as linear, and contacts have changed the velocities.
template <class T> struct OffTarget;
template <> struct OffTarget<float> { static constexpr float value = 2e-5f; };  // [levers, rad]
template <> struct OffTarget<double> { static constexpr double value = 1e-9; };

constexpr double kLimitSlack = 0.02;  // part of a limit's violation that counts: limits are soft, and the next substep comes soon

template <class T> struct FlagComponents {
  JointView<T> view;
  const JointRecord<T>* records;
  const T* velocities;
  const T* inertias;
  JointBlock<T> block;
  int* active;

  // The square of the distance, in levers or radians, that the joint would move beyond a limit that it has reached.
  template <class V> CAIRN_HD V runInto(const LaneJoint<V>& joint, const LaneBody<V>& a, const LaneBody<V>& b, int base) const {
    const V isLimit = joint.get(base + kAxisFollows), zero = V(T(0));
    if (!anyLane(isLimit)) return zero;
    const Vec3<V> d = joint.getVector(base + kAxisLinear);
    const V u = dot(d, b.v - a.v) + dot(joint.getVector(base + kAxisAngularB), b.w) - dot(joint.getVector(base + kAxisAngularA), a.w);
    const V unit = select(dot(d, d) > V(T(0.5)), V(T(1) / block.lever), V(T(1)));
    const V far = unit * V(block.h * T(kLimitSlack)) * (u + joint.get(base + (block.biased ? kAxisBias : kAxisPlainBias)));
    const auto reached = isLimit * select(joint.get(base + kAxisPlainBias) > zero, zero, joint.get(base + kAxisMass)) > zero;
    return select(reached, select(far < zero, far * far, zero), zero);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    const LaneJoint<V> joint(view, firstLane);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA), b = gatherBody<V>(velocities, inertias, joint.slotsB);
    // The square of an error along the locked axes alone: the effective mass, which weighs it, has no other directions.
    const auto square = [](Sym3<V> mass, Vec3<V> error) {
      const V max = maxOf(mass.xx, maxOf(mass.yy, mass.zz)), zero = V(T(0)), one = V(T(1));
      return select(max > zero, dot(error, mass * error) / select(max > zero, max, one), zero);
    };
    const V h = V(block.h), perLever = V(T(1) / block.lever);
    V off = perLever * perLever *
            square(joint.getSym(kJointLinearMass), h * block.linearVelocityError(a, b, joint.rA, joint.rB, joint.getVector(kJointLinearError)));
    if (joint.rotates)
      off = maxOf(off, square(joint.getSym(kJointAngularMass), h * block.angularVelocityError(a, b, joint.getVector(kJointAngularError))));
    for (int r = 0; r < joint.rows; ++r) off = maxOf(off, runInto(joint, a, b, kJointFields + r * kAxisFields));
    constexpr T least = OffTarget<T>::value * OffTarget<T>::value;
    if (allOf(off <= V(least))) return;
    joint.put(kJointOffTarget, off);
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int own = firstLane + lane, index = view.joint[own];
      if (index < 0) continue;
      const T found = jointLaneFields(view, own, view.strip)[kJointOffTarget * view.strip];
      // Hardly any is: their records are not read.
      if (!(found > least)) continue;
      const int component = records[index].component;
      if (component >= 0) atomicOrInt(active + component, 1);
    }
  }
};

}  // namespace cairn::v0
