// The impulses of joints after a solve, back from their lanes: what the next substep starts from, what they have borne, how hard they pull. One lane
// or a pack of lanes.
#pragma once

#include "kernels/joints/joint_sweep.hpp"

namespace cairn::v0 {

// Of joints that sleep, whose impulses are those from before, nothing is known.
template <class T> CAIRN_HD inline bool isAsleep(const JointInputs<T>& in, const JointRecord<T>& j) {
  return in.asleep != nullptr && (in.asleep[j.bodyA] | in.asleep[j.bodyB]) != 0;
}
// Six numbers of each lane: a vector, and another where there are two.
template <class V> struct LaneNumbers {
  using T = typename LaneTraits<V>::Scalar;
  T of[6][LaneTraits<V>::kWidth];

  CAIRN_HD void put(int first, Vec3<V> v) {
    LaneTraits<V>::store(of[first], v.x);
    LaneTraits<V>::store(of[first + 1], v.y);
    LaneTraits<V>::store(of[first + 2], v.z);
  }
  CAIRN_HD Vec3<T> get(int first, int lane) const { return {of[first][lane], of[first + 1][lane], of[first + 2][lane]}; }
};

// A's joint frame, as it turns what is in world axes into it.
template <class T, class V> CAIRN_HD inline Quat<V> toFrameOfA(const JointView<T>& view, const JointInputs<T>& in, const LaneJoint<V>& joint) {
  // Of a lane without a joint that of any other.
  const auto indexOf = [&view, &joint](int lane) { return maxOf(view.joint[joint.lane + lane], 0); };
  V pose[8];
  LaneTraits<V>::gather(reinterpret_cast<const T*>(in.poses), joint.slotsA, pose);
  return conjugate(Quat<V>{pose[4], pose[5], pose[6], pose[7]} * jointFrames<V>(in.records, indexOf, [](int) { return false; }).q);
}
// How hard the joints of a lane or a pack of lanes pull, by side.
template <class T, class V> CAIRN_HD inline void putPulls(const JointInputs<T>& in, T h, const LaneJoint<V>& joint, const int* joints) {
  using Lanes = LaneTraits<V>;
  const Vec3<V> impulse = joint.getVector(kJointLinear);
  T lengths[Lanes::kWidth];
  Lanes::store(lengths, V(h) * squareRoot(dot(impulse, impulse)));
  for (int lane = 0; lane < Lanes::kWidth; ++lane) {
    const int index = joints[lane];
    if (index < 0) continue;
    const bool asleep = isAsleep(in, in.records[index]);
    for (int side = 2 * index; side < 2 * index + 2; ++side) in.pulls[side] = asleep ? T(kUnknownPull) : lengths[lane] * in.leans[side];
  }
}

// Before the bodies move: how hard joints pull, and their impulses turned with A, where they stay in the lanes.
template <class T> struct TurnImpulses {
  JointView<T> view;
  JointInputs<T> in;
  T h;

  CAIRN_HD void operator()(int lane) const {
    if (view.joint[lane] >= 0) at<T>(lane);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    const LaneJoint<V> joint(view, firstLane);
    if (in.pulls != nullptr) putPulls(in, h, joint, view.joint + firstLane);
    V u[8];
    LaneTraits<V>::gather(reinterpret_cast<const T*>(in.velocities), joint.slotsA, u);
    const Quat<V> turn = rotationOf(V(h) * Vec3<V>{u[4], u[5], u[6]});
    joint.putVector(kJointLinear, rotate(turn, joint.getVector(kJointLinear)));
    if (joint.rotates) joint.putVector(kJointAngular, rotate(turn, joint.getVector(kJointAngular)));
  }
};

// The impulses of a step's end, turned into A's frame, where nobody has summed them up but the direct solve itself.
template <class T> struct CollectStep {
  JointView<T> view;
  JointInputs<T> in;
  JointReaction<T>* reactions;
  int substeps;

  CAIRN_HD void operator()(int lane) const {
    if (view.joint[lane] >= 0) at<T>(lane);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    const LaneJoint<V> joint(view, firstLane);
    const V zero = V(T(0));
    const Vec3<V> none{zero, zero, zero};
    const Vec3<V> linear = joint.getVector(kJointLinear), angular = joint.rotates ? joint.getVector(kJointAngular) : none;
    const Quat<V> toFrame = toFrameOfA(view, in, joint);
    LaneNumbers<V> inFrame, last, borne;
    inFrame.put(0, rotate(toFrame, linear));
    inFrame.put(3, rotate(toFrame, angular));
    last.put(0, linear);
    last.put(3, angular);
    borne.put(0, joint.getVector(kJointBorne));
    borne.put(3, joint.rotates ? joint.getVector(kJointBorne + 3) : none);
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int index = view.joint[firstLane + lane];
      if (index < 0) continue;
      const JointRecord<T>& j = in.records[index];
      if (isAsleep(in, j)) {  // they bear what they bore, substep after substep
        const T times = T(substeps);
        reactions[index] = {times * last.get(0, lane), times * last.get(3, lane), T(0)};
      } else if (j.component >= 0) {  // others lock nothing
        in.impulses[index] = {inFrame.get(0, lane), inFrame.get(3, lane)};
        reactions[index] = {borne.get(0, lane), borne.get(3, lane), T(0)};
      }
    }
  }
};

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
    const Quat<V> toFrame = toFrameOfA(view, in, joint);
    const V zero = V(T(0));
    const Vec3<V> none{zero, zero, zero};
    LaneNumbers<V> numbers;
    numbers.put(0, rotate(toFrame, joint.getVector(kJointLinear)));
    numbers.put(3, joint.rotates ? rotate(toFrame, joint.getVector(kJointAngular)) : none);
    int indices[Lanes::kWidth];
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int index = indices[lane] = view.joint[firstLane + lane];
      if (index < 0 || isAsleep(in, in.records[index])) continue;
      in.impulses[index] = {numbers.get(0, lane), numbers.get(3, lane)};
    }
    if (in.pulls != nullptr) putPulls(in, h, joint, indices);
    for (int r = 0; r < joint.rows; ++r) collectRow(joint, indices, r);
    if (reactions == nullptr) return;
    if (joint.rows > 0) return addReactions(joint, indices);
    numbers.put(0, joint.getVector(kJointLinear));
    if (joint.rotates) numbers.put(3, joint.getVector(kJointAngular));
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      if (indices[lane] < 0) continue;
      JointReaction<T>& sum = reactions[indices[lane]];
      sum.linear += numbers.get(0, lane);
      if (joint.rotates) sum.angular += numbers.get(3, lane);
    }
  }

 private:
  template <class V> CAIRN_HD void collectRow(const LaneJoint<V>& joint, const int* indices, int r) const {
    const int base = kJointFields + r * kAxisFields;
    T impulses[LaneTraits<V>::kWidth];
    LaneTraits<V>::store(impulses, joint.get(base + kAxisSide) * joint.get(base + kAxisImpulse));
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      if (indices[lane] < 0) continue;
      const JointRecord<T>& j = in.records[indices[lane]];
      if (r < j.rowCount && !isAsleep(in, j)) in.rowImpulses[j.firstRow + r] = impulses[lane];
    }
  }

  // What joints with rows have borne in this substep, onto their sums.
  template <class V> CAIRN_HD void addReactions(const LaneJoint<V>& joint, const int* indices) const {
    using Lanes = LaneTraits<V>;
    const auto sumOf = [&](const auto& number) {
      return Lanes::fromLanes([&](int lane) { return indices[lane] < 0 ? T(0) : number(reactions[indices[lane]]); });
    };
    const auto vectorOf = [&](auto which) {
      return Vec3<V>{sumOf([=](const JointReaction<T>& s) { return (s.*which).x; }), sumOf([=](const JointReaction<T>& s) { return (s.*which).y; }),
                     sumOf([=](const JointReaction<T>& s) { return (s.*which).z; })};
    };
    Vec3<V> linear = vectorOf(&JointReaction<T>::linear) + joint.getVector(kJointLinear);
    Vec3<V> angular = vectorOf(&JointReaction<T>::angular) + joint.getVector(kJointAngular);
    V work = sumOf([](const JointReaction<T>& s) { return s.work; });
    V a[8], b[8];
    Lanes::gather(reinterpret_cast<const T*>(in.velocities), joint.slotsA, a);
    Lanes::gather(reinterpret_cast<const T*>(in.velocities), joint.slotsB, b);
    for (int r = 0; r < joint.rows; ++r) {
      const int base = kJointFields + r * kAxisFields;
      const V impulse = joint.get(base + kAxisImpulse);
      if (!anyLane(impulse) && !anyLane(-impulse)) continue;
      const Vec3<V> d = joint.getVector(base + kAxisLinear), onA = joint.getVector(base + kAxisAngularA), onB = joint.getVector(base + kAxisAngularB);
      linear += impulse * d;
      angular += impulse * (onB - cross(joint.rB, d));
      work += impulse * (dot(d, Vec3<V>{b[0] - a[0], b[1] - a[1], b[2] - a[2]}) + turnOf(onA, onB, {a[4], a[5], a[6]}, {b[4], b[5], b[6]}));
    }
    LaneNumbers<V> sums;
    sums.put(0, linear);
    sums.put(3, angular);
    T works[Lanes::kWidth];
    Lanes::store(works, work);
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int index = indices[lane];
      if (index < 0) continue;
      reactions[index] = {sums.get(0, lane), sums.get(3, lane), works[lane]};
      if ((in.records[index].flags & kJointGear) != 0) movePhases(JointLane<T>(view, joint.lane + lane), in.records[index]);
    }
  }
  template <class V> CAIRN_HD static V turnOf(Vec3<V> onA, Vec3<V> onB, Vec3<V> wA, Vec3<V> wB) { return dot(onB, wB) - dot(onA, wA); }

  CAIRN_HD void movePhases(const JointLane<T>& lane, const JointRecord<T>& j) const {
    for (int r = 0; r < j.rowCount; ++r) {
      if (in.axisRows[j.firstRow + r].kind != kGearRow) continue;
      const T turn = turnOf(lane.vector(r, kAxisAngularA), lane.vector(r, kAxisAngularB), in.velocities[j.bodyA].w, in.velocities[j.bodyB].w);
      in.phases[j.firstRow + r] += h * turn;
    }
  }
};

}  // namespace cairn::v0
