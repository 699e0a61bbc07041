// The right-hand side of the joints' equations, substitution through the factor, and what is done with the answer.
//
// Deterministic: a node's sums run over its blocks in ascending order, a body's over its joints in ascending order.
#pragma once

#include "kernels/joints/joint_factor.hpp"

namespace cairn {

// r: the changes that the speeds along a joint's rows need.
template <class T> struct RightHandSide {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (view.active[node.component] == 0) return;
    double* const r = view.vector + node.firstRow;
    if (node.joint < 0) {
      for (int k = 0; k < 6; ++k) r[k] = 0;
      return;
    }
    const JointRecord<T>& j = bodies.records[node.joint];
    const LimitRows<T> limits(bodies, node.joint);
    const JointLane<T>& lane = limits.lane;
    const LaneBody<T>&a = limits.a, &b = limits.b;
    const SystemRow* const rows = view.rows + node.firstRow;
    const int translations = joint::countBits(j.lockedLinear), locked = lockedRows(j);
    const Vec3<double> error =
        convert<double>(block.linearVelocityError(a, b, lane.vectorOf(kJointArmA), lane.vectorOf(kJointArmB), lane.vectorOf(kJointLinearError)));
    for (int k = 0; k < translations; ++k) r[k] = -dot(rows[k].linear, error);
    if (locked > translations) {
      const Vec3<double> spin = convert<double>(block.angularVelocityError(a, b, lane.vectorOf(kJointAngularError)));
      for (int k = translations; k < locked; ++k) r[k] = -dot(rows[k].onB, spin);
    }
    for (int k = locked; k < view.rowsInUse[index]; ++k) {
      const int at = node.firstRow + k, limit = view.limits[at];
      r[k] = view.deactivated[at] != 0 ? -(kDeactivated * view.pivots[at] * double(lane.at(limit, kAxisImpulse)))
                                       : -double(limits.speedError(block, limit));
    }
    if (view.loops[node.component] == 0 || block.error == JointError::None || !block.store) return;
    // Compliance acts on the whole impulse, or each solve would add to an impulse that nothing can answer. Speeds alone ask for nothing of that kind.
    const Vec3<double> linear = convert<double>(lane.vectorOf(kJointLinear)), angular = convert<double>(lane.vectorOf(kJointAngular));
    for (int k = 0; k < locked; ++k) {
      const double impulse = k < translations ? dot(rows[k].linear, linear) : dot(rows[k].onB, angular);
      r[k] -= kLoopCompliance * view.pivots[node.firstRow + k] * impulse;
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

  CAIRN_HD void operator()(int body) const {
    const int first = view.bodyOffsets[body], end = view.bodyOffsets[body + 1];
    const int component = view.nodes[view.bodySides[first] / 2].component;
    if (view.active[component] == 0 || view.limitsChanged[component] != 0) return;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int s = first; s < end; ++s) {
      const int index = view.bodySides[s] / 2;
      const SystemNode& node = view.nodes[index];
      const bool isB = view.bodySides[s] % 2 != 0;
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

// The impulses of a joint, added to its lane's.
template <class T> struct StoreImpulses {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0 || view.limitsChanged[node.component] != 0) return;
    const JointRecord<T>& j = bodies.records[node.joint];
    const int translations = joint::countBits(j.lockedLinear), locked = lockedRows(j);
    const double* const x = view.vector + node.firstRow;
    const SystemRow* const rows = view.rows + node.firstRow;
    Vec3<double> linear{0, 0, 0}, angular = linear;
    for (int k = 0; k < translations; ++k) linear += x[k] * rows[k].linear;
    for (int k = translations; k < locked; ++k) angular += x[k] * rows[k].onB;
    const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) lane.of(kJointLinear + k) += T(all[k]);
    for (int k = locked; k < view.rowsInUse[index]; ++k) {
      T& impulse = lane.at(view.limits[node.firstRow + k], kAxisImpulse);
      impulse = maxOf(impulse + T(x[k]), T(0));
    }
  }
};

}  // namespace cairn
