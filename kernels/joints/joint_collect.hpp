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
  // By component, 0 or not: where the last solve acted. What it has added there to the impulses as they came back last is all that is new; joints
  // with rows of their own are not asked for it. Null: impulses are new everywhere, and have not been added yet.
  const int* solved = nullptr;

  CAIRN_HD void operator()(int lane) const {
    if (view.joint[lane] >= 0) at<T>(lane);
  }
  template <class V> CAIRN_HD void at(int firstLane) const {
    using Lanes = LaneTraits<V>;
    if (solved != nullptr && !anySolved(firstLane, Lanes::kWidth)) return;
    const LaneJoint<V> joint(view, firstLane);
    // Of a lane without a joint that of any other.
    const auto indexOf = [this, firstLane](int lane) { return maxOf(view.joint[firstLane + lane], 0); };
    V pose[8];
    Lanes::gather(reinterpret_cast<const T*>(in.poses), joint.slotsA, pose);
    const Quat<V> frame = jointFrames<V>(in.records, indexOf, [](int) { return false; }).q;
    const Quat<V> toWorld = Quat<V>{pose[4], pose[5], pose[6], pose[7]} * frame, toFrame = conjugate(toWorld);
    const V zero = V(T(0));
    const Vec3<V> none{zero, zero, zero};
    const Vec3<V> inFrame[2] = {rotate(toFrame, joint.getVector(kJointLinear)),
                                joint.rotates ? rotate(toFrame, joint.getVector(kJointAngular)) : none};
    if (solved != nullptr) addChanges(firstLane, toWorld, joint);
    T numbers[6][Lanes::kWidth];
    for (int k = 0; k < 2; ++k) storeVector(inFrame[k], numbers + 3 * k);
    int indices[Lanes::kWidth];
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int index = indices[lane] = view.joint[firstLane + lane];
      if (index < 0 || (solved != nullptr && !isSolved(index))) continue;
      if (isAsleep(in.records[index])) continue;
      in.impulses[index] = {{numbers[0][lane], numbers[1][lane], numbers[2][lane]}, {numbers[3][lane], numbers[4][lane], numbers[5][lane]}};
    }
    if (in.pulls != nullptr && solved == nullptr) putPulls(joint, indices);
    for (int r = 0; r < joint.rows; ++r) collectRow(joint, indices, r);
    if (reactions == nullptr || solved != nullptr) return;
    if (joint.rows > 0) return addReactions(joint, indices);
    storeVector(joint.getVector(kJointLinear), numbers);
    if (joint.rotates) storeVector(joint.getVector(kJointAngular), numbers + 3);
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      if (indices[lane] < 0) continue;
      JointReaction<T>& sum = reactions[indices[lane]];
      sum.linear += Vec3<T>{numbers[0][lane], numbers[1][lane], numbers[2][lane]};
      if (joint.rotates) sum.angular += Vec3<T>{numbers[3][lane], numbers[4][lane], numbers[5][lane]};
    }
  }

 private:
  template <class V> CAIRN_HD static void storeVector(Vec3<V> v, T (*numbers)[LaneTraits<V>::kWidth]) {
    LaneTraits<V>::store(numbers[0], v.x);
    LaneTraits<V>::store(numbers[1], v.y);
    LaneTraits<V>::store(numbers[2], v.z);
  }
  // Of joints that sleep, whose impulses are those from before, nothing is known.
  template <class V> CAIRN_HD void putPulls(const LaneJoint<V>& joint, const int* indices) const {
    const Vec3<V> impulse = joint.getVector(kJointLinear);
    T lengths[LaneTraits<V>::kWidth];
    LaneTraits<V>::store(lengths, V(h) * squareRoot(dot(impulse, impulse)));
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      const int index = indices[lane];
      if (index < 0) continue;
      const bool asleep = isAsleep(in.records[index]);
      for (int side = 2 * index; side < 2 * index + 2; ++side) in.pulls[side] = asleep ? T(kUnknownPull) : lengths[lane] * in.leans[side];
    }
  }
  CAIRN_HD bool isSolved(int joint) const {
    const int component = joint < 0 ? -1 : in.records[joint].component;
    return component >= 0 && solved[component] != 0;
  }
  CAIRN_HD bool anySolved(int firstLane, int lanes) const {
    for (int lane = firstLane; lane < firstLane + lanes; ++lane) {
      if (isSolved(view.joint[lane])) return true;
    }
    return false;
  }
  // What the solve has added, onto the sums.
  template <class V> CAIRN_HD void addChanges(int firstLane, Quat<V> toWorld, const LaneJoint<V>& joint) const {
    using Lanes = LaneTraits<V>;
    const auto before = [&](Vec3<T> JointImpulse<T>::*of) {
      const auto each = [&](auto axis) {
        return Lanes::fromLanes([&](int lane) { return in.impulses[maxOf(view.joint[firstLane + lane], 0)].*of.*axis; });
      };
      return rotate(toWorld, Vec3<V>{each(&Vec3<T>::x), each(&Vec3<T>::y), each(&Vec3<T>::z)});
    };
    T more[6][Lanes::kWidth];
    storeVector(joint.getVector(kJointLinear) - before(&JointImpulse<T>::linear), more);
    storeVector(joint.getVector(kJointAngular) - before(&JointImpulse<T>::angular), more + 3);
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int index = view.joint[firstLane + lane];
      if (!isSolved(index)) continue;
      reactions[index].linear += Vec3<T>{more[0][lane], more[1][lane], more[2][lane]};
      reactions[index].angular += Vec3<T>{more[3][lane], more[4][lane], more[5][lane]};
    }
  }
  CAIRN_HD bool isAsleep(const JointRecord<T>& j) const { return in.asleep != nullptr && (in.asleep[j.bodyA] | in.asleep[j.bodyB]) != 0; }

  template <class V> CAIRN_HD void collectRow(const LaneJoint<V>& joint, const int* indices, int r) const {
    const int base = kJointFields + r * kAxisFields;
    T impulses[LaneTraits<V>::kWidth];
    LaneTraits<V>::store(impulses, joint.get(base + kAxisSide) * joint.get(base + kAxisImpulse));
    for (int lane = 0; lane < LaneTraits<V>::kWidth; ++lane) {
      if (indices[lane] < 0) continue;
      const JointRecord<T>& j = in.records[indices[lane]];
      if (r < j.rowCount && !isAsleep(j)) in.rowImpulses[j.firstRow + r] = impulses[lane];
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
    T sums[7][Lanes::kWidth];
    storeVector(linear, sums);
    storeVector(angular, sums + 3);
    Lanes::store(sums[6], work);
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int index = indices[lane];
      if (index < 0) continue;
      reactions[index] = {{sums[0][lane], sums[1][lane], sums[2][lane]}, {sums[3][lane], sums[4][lane], sums[5][lane]}, sums[6][lane]};
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
