// The impulses of joints after a solve, back from their lanes: what the next substep starts from, and what they have borne. One lane or a pack of
// lanes.
#pragma once

#include "kernels/joints/joint_sweep.hpp"

namespace cairn::v0 {

template <class T> struct CollectJoint {
  JointView<T> view;
  JointInputs<T> in;
  JointReaction<T>* reactions;
  T h;

  CAIRN_HD void operator()(int lane) const {
    if (view.joint[lane] >= 0) at<T>(lane);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    using Lanes = LaneTraits<V>;
    const LaneJoint<V> joint(view, firstLane);
    const auto turnOf = [this, firstLane](auto axis) {
      return Lanes::fromLanes([this, firstLane, axis](int lane) {
        const int index = view.joint[firstLane + lane];
        return in.records[index < 0 ? 0 : index].frameA.q.*axis;  // of a lane without a joint that of any other
      });
    };
    V pose[8];
    Lanes::gather(reinterpret_cast<const T*>(in.poses), joint.slotsA, pose);
    const Quat<V> frame{turnOf(&Quat<T>::x), turnOf(&Quat<T>::y), turnOf(&Quat<T>::z), turnOf(&Quat<T>::w)};
    const Quat<V> toFrame = conjugate(Quat<V>{pose[4], pose[5], pose[6], pose[7]} * frame);
    const Vec3<V> inFrame[2] = {rotate(toFrame, joint.getVector(kJointLinear)), rotate(toFrame, joint.getVector(kJointAngular))};
    T numbers[6][Lanes::kWidth];
    for (int k = 0; k < 2; ++k) {
      Lanes::store(numbers[3 * k], inFrame[k].x);
      Lanes::store(numbers[3 * k + 1], inFrame[k].y);
      Lanes::store(numbers[3 * k + 2], inFrame[k].z);
    }
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      if (view.joint[firstLane + lane] < 0) continue;
      collect(firstLane + lane, {{numbers[0][lane], numbers[1][lane], numbers[2][lane]}, {numbers[3][lane], numbers[4][lane], numbers[5][lane]}});
    }
  }

 private:
  CAIRN_HD void collect(int laneIndex, const JointImpulse<T>& inFrame) const {
    const int index = view.joint[laneIndex];
    const JointLane<T> lane(view, laneIndex);
    const JointRecord<T>& j = in.records[index];
    const bool asleep = in.asleep != nullptr && (in.asleep[j.bodyA] | in.asleep[j.bodyB]) != 0;
    if (!asleep) in.impulses[index] = inFrame;
    if (reactions == nullptr && j.rowCount == 0) return;
    JointReaction<T> sum = reactions == nullptr ? JointReaction<T>{} : reactions[index];
    sum.linear += lane.vectorOf(kJointLinear);
    sum.angular += lane.vectorOf(kJointAngular);
    const Vec3<T> rB = lane.vectorOf(kJointArmB);
    for (int r = 0; r < j.rowCount; ++r) {
      const T impulse = lane.at(r, kAxisImpulse);
      const Vec3<T> d = lane.vector(r, kAxisLinear), angularA = lane.vector(r, kAxisAngularA), angularB = lane.vector(r, kAxisAngularB);
      const AxisRow<T>& row = in.axisRows[j.firstRow + r];
      if (!asleep) in.rowImpulses[j.firstRow + r] = lane.at(r, kAxisSide) * impulse;
      sum.linear += impulse * d;
      sum.angular += impulse * (angularB - cross(rB, d));
      if (reactions == nullptr) continue;
      const BodyVelocity<T>&a = in.velocities[j.bodyA], &b = in.velocities[j.bodyB];
      const T turn = dot(angularB, b.w) - dot(angularA, a.w);
      sum.work += impulse * (dot(d, b.v - a.v) + turn);
      if (row.kind == kGearRow) in.phases[j.firstRow + r] += h * turn;
    }
    if (reactions != nullptr) reactions[index] = sum;
  }
};

}  // namespace cairn::v0
