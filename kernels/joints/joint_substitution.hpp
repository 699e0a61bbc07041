// The right-hand side of the joints' equations, substitution through the factor, and what is done with the answer.
//
// Deterministic: a node's sums run over its blocks in ascending order, a body's over its joints in ascending order.
#pragma once

#include "kernels/joints/joint_factor.hpp"

namespace cairn::v0 {

// r: the changes that the speeds along a joint's rows need. Errors of locked axes are found for one lane or for a pack of lanes.
template <class T> struct RightHandSide {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;
  // Also the rows of those that lack them. Not where there are limits, which are looked at in between, nor loops, whose r asks for pivots.
  bool makesRows = false;
  bool everywhere = false;  // the system is plain and all of it is solved, with new rows all over or nowhere: no node is asked

  CAIRN_HD void operator()(int lane) const { at<T>(lane); }
  template <class V> CAIRN_HD void at(int firstLane) const {
    using Lanes = LaneTraits<V>;
    if (!everywhere && !anyActive(firstLane, Lanes::kWidth)) return;
    const LaneJoint<V> joint(bodies.joints, firstLane);
    const T *const velocities = reinterpret_cast<const T*>(bodies.velocities), *const inertias = reinterpret_cast<const T*>(bodies.inertias);
    const LaneBody<V> a = gatherBody<V>(velocities, inertias, joint.slotsA), b = gatherBody<V>(velocities, inertias, joint.slotsB);
    T arms[6][Lanes::kWidth], linear[3][Lanes::kWidth], angular[3][Lanes::kWidth];
    if (makesRows) MakeRows<T>::storeArms(joint, arms);
    storeVector(block.linearVelocityError(a, b, joint.rA, joint.rB, joint.getVector(kJointLinearError)), linear);
    if (everywhere) return putPoints(bodies.joints.joint + firstLane, linear, arms);
    if (joint.rotates) storeVector(block.angularVelocityError(a, b, joint.getVector(kJointAngularError)), angular);
    const MakeRows<T> rows{view, bodies, block};
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int node = activeNode(firstLane + lane);
      if (node < 0) continue;
      if (makesRows && lacksRows(view.dirty[view.nodes[node].component])) rows.put(node, arms, lane);
      const Vec3<T> error{linear[0][lane], linear[1][lane], linear[2][lane]};
      put(node, convert<double>(error), joint.rotates ? Vec3<T>{angular[0][lane], angular[1][lane], angular[2][lane]} : error);
    }
  }

 private:
  template <class V> CAIRN_HD static void storeVector(Vec3<V> v, T (*to)[LaneTraits<V>::kWidth]) {
    LaneTraits<V>::store(to[0], v.x);
    LaneTraits<V>::store(to[1], v.y);
    LaneTraits<V>::store(to[2], v.z);
  }
  // -1: nothing is to be solved there.
  CAIRN_HD int activeNode(int lane) const {
    const int joint = bodies.joints.joint[lane], node = joint < 0 ? -1 : view.nodeOfJoint[joint];
    return node >= 0 && view.active[view.nodes[node].component] != 0 ? node : -1;
  }
  CAIRN_HD bool anyActive(int firstLane, int lanes) const {
    for (int lane = firstLane; lane < firstLane + lanes; ++lane) {
      if (activeNode(lane) >= 0) return true;
    }
    return false;
  }

  template <int width> CAIRN_HD void putPoints(const int* joints, const T (&errors)[3][width], const T (&arms)[6][width]) const {
    for (int lane = 0; lane < width; ++lane) {
      const int index = joints[lane] < 0 ? -1 : view.nodeOfJoint[joints[lane]];
      if (index < 0) continue;
      double* const r = view.vector + view.nodes[index].firstRow;
      for (int k = 0; k < 3; ++k) r[k] = -double(errors[k][lane]);
      if (makesRows) MakeRows<T>::putArms(view.arms[index], arms, lane);
    }
  }
  // `spin`: looked at where rotations are locked.
  CAIRN_HD void put(int index, Vec3<double> error, Vec3<T> spin) const {
    const SystemNode& node = view.nodes[index];
    double* const r = view.vector + node.firstRow;
    if (view.isPoint[index] != 0) {
      r[0] = -error.x;
      r[1] = -error.y;
      r[2] = -error.z;
    } else {
      putRows(index, error, convert<double>(spin));
    }
    if (view.loops[node.component] != 0 && block.error != JointError::None && block.store) comply(index);
  }
  CAIRN_HD void putRows(int index, Vec3<double> error, Vec3<double> spin) const {
    const SystemNode& node = view.nodes[index];
    const JointRecord<T>& j = bodies.records[node.joint];
    double* const r = view.vector + node.firstRow;
    const int translations = joint::countBits(j.lockedLinear), locked = lockedRows(j), count = view.rowsInUse[index];
    for (int k = 0; k < translations; ++k) r[k] = -dot(view.rows[node.firstRow + k].linear, error);
    for (int k = translations; k < locked; ++k) r[k] = -dot(view.rows[node.firstRow + k].onB, spin);
    if (count == locked) return;
    const LimitRows<T> limits(bodies, node.joint);
    for (int k = locked; k < count; ++k) {
      const int at = node.firstRow + k, limit = view.limits[at];
      r[k] = view.deactivated[at] != 0 ? -(kDeactivated * view.pivots[at] * double(limits.lane.at(limit, kAxisImpulse)))
                                       : -double(limits.speedError(block, limit));
    }
  }
  // Compliance acts on the whole impulse, or each solve would add to an impulse that nothing can answer. Speeds alone ask for nothing of that kind.
  CAIRN_HD void comply(int index) const {
    const SystemNode& node = view.nodes[index];
    const JointRecord<T>& j = bodies.records[node.joint];
    const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
    const Vec3<double> linear = convert<double>(lane.vectorOf(kJointLinear)), angular = convert<double>(lane.vectorOf(kJointAngular));
    const int translations = joint::countBits(j.lockedLinear), locked = lockedRows(j);
    for (int k = 0; k < locked; ++k) {
      const SystemRow row = rowOf(view, index, k);
      const double impulse = k < translations ? dot(row.linear, linear) : dot(row.onB, angular);
      view.vector[node.firstRow + k] -= kLoopCompliance * view.pivots[node.firstRow + k] * impulse;
    }
  }
};

// L y = r, and L^T lambda = S y.
struct ForwardSubstitute {
  SystemView view;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.active[node.component] == 0) return;
    double* const x = view.vector + node.firstRow;
    if (node.joint < 0) {
      for (int k = 0; k < 6; ++k) x[k] = 0;
    }
    for (int k = node.firstOfRow; k < node.firstOfRow + node.countOfRow; ++k) {
      const SystemBlock& block = view.blocks[view.rowBlocks[k]];
      const SystemNode& column = view.nodes[block.column];
      block::withRows(view.rowsInUse[block.column],
                      block::SubtractRows{view.values + block.value, view.vector + column.firstRow, x, view.rowsInUse[index]});
    }
    block::withRows(view.rowsInUse[index], block::Forward{view.values + view.blocks[node.firstBlock].value, x});
  }
};
struct BackSubstitute {
  SystemView view;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.active[node.component] == 0) return;
    double* const x = view.vector + node.firstRow;
    if (node.joint < 0) {
      for (int k = 0; k < 6; ++k) x[k] = -x[k];
    }
    for (int k = node.firstBlock + 1; k < node.firstBlock + node.blockCount; ++k) {
      const SystemBlock& block = view.blocks[k];
      const SystemNode& row = view.nodes[block.row];
      block::withRows(view.rowsInUse[index],
                      block::SubtractColumns{view.values + block.value, view.vector + row.firstRow, x, view.rowsInUse[block.row]});
    }
    block::withRows(view.rowsInUse[index], block::Backward{view.values + view.blocks[node.firstBlock].value, x});
  }
};

// The impulses of its joints on a body.
template <class T> struct ApplyImpulses {
  SystemView view;
  SystemBodies<T> bodies;
  bool everywhere = false;  // all components are solved: packs are not asked for theirs

  CAIRN_HD void operator()(int body) const {
    const int first = view.bodyOffsets[body], end = view.bodyOffsets[body + 1];
    const int component = view.nodes[view.bodySides[first] / 2].component;
    if (view.active[component] == 0 || view.limitsChanged[component] != 0) return;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int s = first; s < end; ++s) {
      const int index = view.bodySides[s] / 2;
      const SystemNode& node = view.nodes[index];
      const bool isB = view.bodySides[s] % 2 != 0;
      if (view.isPoint[index] != 0) {
        const double* const x = view.vector + node.firstRow;
        const Vec3<double> all{x[0], x[1], x[2]}, impulse = isB ? all : -all;
        linear += impulse;
        angular += cross(isB ? view.arms[index].onB : view.arms[index].onA, impulse);
        continue;
      }
      for (int k = 0; k < view.rowsInUse[index]; ++k) {
        const SystemRow& row = view.rows[node.firstRow + k];
        const double x = isB ? view.vector[node.firstRow + k] : -view.vector[node.firstRow + k];
        linear += x * row.linear;
        angular += x * (isB ? row.onB : row.onA);
      }
    }
    const LaneBody<double> inverse = inverseMasses(bodies, view.bodies[body]);
    BodyVelocity<T>& u = bodies.velocities[view.bodies[body]];
    u.v += convert<T>(scale(inverse.invMass, linear));
    u.w += convert<T>(inverse.invInertia * angular);
  }
};

// The impulses of a joint, added to its lane's; or of the joints of a pack of lanes.
template <class T> struct StoreImpulses {
  SystemView view;
  SystemBodies<T> bodies;
  JointSums sums = JointSums::None;
  bool everywhere = false;  // the system is plain and all of it is solved: no node is asked

  template <class V> CAIRN_HD void at(int firstLane) const {
    using Lanes = LaneTraits<V>;
    const double none[3] = {-0.0, -0.0, -0.0};  // added to whatever there is, they leave it as it is
    const double* impulses[Lanes::kWidth];
    for (int lane = 0; lane < Lanes::kWidth; ++lane) {
      const int joint = bodies.joints.joint[firstLane + lane];
      impulses[lane] = none;
      if (joint < 0) continue;
      const int index = view.nodeOfJoint[joint];
      if (index < 0 || (!everywhere && (view.isPoint[index] == 0 || !acts(view.nodes[index])))) return oneByOne(firstLane, Lanes::kWidth);
      impulses[lane] = view.vector + view.nodes[index].firstRow;
    }
    const LaneJoint<V> joint(bodies.joints, firstLane);
    for (int k = 0; k < 3; ++k) {
      const V x = Lanes::fromLanes([&impulses, k](int lane) { return T(impulses[lane][k]); }), impulse = joint.get(kJointLinear + k) + x;
      joint.put(kJointLinear + k, impulse);
      if (sums != JointSums::None) joint.put(kJointBorne + k, summedUp(sums, joint.get(kJointBorne + k), impulse, x));
    }
  }
  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (!acts(node)) return;
    const double* const x = view.vector + node.firstRow;
    if (view.isPoint[index] != 0) {
      const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
      for (int k = 0; k < 3; ++k) put(lane, k, T(x[k]));
      return;
    }
    const JointRecord<T>& j = bodies.records[node.joint];
    const int translations = joint::countBits(j.lockedLinear), locked = lockedRows(j);
    const SystemRow* const rows = view.rows + node.firstRow;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int k = 0; k < translations; ++k) linear += x[k] * rows[k].linear;
    for (int k = translations; k < locked; ++k) angular += x[k] * rows[k].onB;
    const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) put(lane, k, T(all[k]));
    for (int k = locked; k < view.rowsInUse[index]; ++k) {
      T& impulse = lane.at(view.limits[node.firstRow + k], kAxisImpulse);
      impulse = maxOf(impulse + T(x[k]), T(0));
    }
  }

 private:
  // The k-th number of an impulse and an angular impulse.
  CAIRN_HD void put(const JointLane<T>& lane, int k, T x) const {
    T &impulse = lane.of(kJointLinear + k), &borne = lane.of(kJointBorne + k);
    impulse += x;
    if (sums != JointSums::None) borne = summedUp(sums, borne, impulse, x);
  }
  CAIRN_HD void oneByOne(int firstLane, int lanes) const {
    for (int lane = firstLane; lane < firstLane + lanes; ++lane) {
      const int joint = bodies.joints.joint[lane], index = joint < 0 ? -1 : view.nodeOfJoint[joint];
      if (index >= 0) (*this)(index);
    }
  }
  CAIRN_HD bool acts(const SystemNode& node) const {
    return node.joint >= 0 && view.active[node.component] != 0 && view.limitsChanged[node.component] == 0;
  }
};

}  // namespace cairn::v0
