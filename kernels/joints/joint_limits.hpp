// Limits in the direct solve of joints: an active set.
//
// A limit is an inequality, lambda >= 0 complementary to its speed error >= 0, and the factor holds equations. So the limits that are active as the
// solve begins become rows beside the locked axes, as far as there is room in the joint's node. Where the answer would make a multiplier negative,
// the limit is deactivated: it gives back what it has pushed, and its component is solved anew before anything moves.
//
// Deterministic: an item reads and writes its own joint's rows; components are marked with ones by atomic or, in no order that shows.
#pragma once

#include "kernels/joints/joint_math.hpp"
#include "kernels/joints/joint_system.hpp"

namespace cairn::v0 {

// A violated limit asks back less than in sweeps, by this factor: the direct solve reaches all that it asks for, and only sweeps without
// stabilization take that speed out again.
constexpr double kLimitErrorFraction = 0.1;

// A joint's axis rows in its lane, and the bodies that they act on.
template <class T> struct LimitRows {
  JointLane<T> lane;
  const JointRecord<T>& record;
  const AxisRow<T>* axisRows;
  LaneBody<T> a, b;

  CAIRN_HD LimitRows(const SystemBodies<T>& bodies, int joint)
      : lane(bodies.joints, bodies.laneOfJoint[joint]),
        record(bodies.records[joint]),
        axisRows(bodies.axisRows + record.firstRow),
        a(loadBody(bodies.velocities[record.bodyA], bodies.inertias[record.bodyA])),
        b(loadBody(bodies.velocities[record.bodyB], bodies.inertias[record.bodyB])) {}

  // The speed along a limit's row, less the speed that the row asks for; negative where the joint moves into the limit.
  CAIRN_HD T speedError(const JointBlock<T>& block, int row) const {
    const T u = dot(lane.vector(row, kAxisLinear), b.v - a.v) + dot(lane.vector(row, kAxisAngularB), b.w) - dot(lane.vector(row, kAxisAngularA), a.w);
    return block.store ? u + T(kLimitErrorFraction) * lane.at(row, block.biased ? kAxisBias : kAxisPlainBias) : u;
  }
  // A limit is active where the joint has reached it and it pushes, or the joint moves into it. The solve would undo the impulse of a limit that it
  // left out.
  CAIRN_HD bool active(const JointBlock<T>& block, int row) const {
    if (axisRows[row].kind != kLimitRow || lane.at(row, kAxisPlainBias) > T(0)) return false;
    return lane.at(row, kAxisMass) > T(0) && (lane.at(row, kAxisImpulse) > T(0) || speedError(block, row) < T(0));
  }
};

template <class T> CAIRN_HD inline int lockedRows(const JointRecord<T>& joint) {
  return joint::countBits(joint.lockedLinear) + joint::countBits(joint.lockedAngular);
}

template <class T> struct CompareLimits {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;

  CAIRN_HD void changed(int component) const { atomicOrInt(view.limitsChanged + component, 1); }
  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0 || view.dirty[node.component] != 0) return;
    const int locked = lockedRows(bodies.records[node.joint]);
    if (node.rows == locked) return;
    const LimitRows<T> limits(bodies, node.joint);
    int k = node.firstRow + locked;
    const int end = node.firstRow + node.rows;
    for (int r = 0; r < limits.record.rowCount && k < end; ++r) {
      if (limits.active(block, r) && (view.deactivated[k] != 0 || view.limits[k++] != r)) return changed(node.component);
    }
    if (k < end && view.limits[k] >= 0) changed(node.component);
  }
};

struct MarkChangedDirty {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    if (view.limitsChanged[component] != 0) view.dirty[component] = 1;
    view.limitsChanged[component] = 0;
  }
};

template <class T> struct FindNegativeMultipliers {
  SystemView view;
  SystemBodies<T> bodies;

  CAIRN_HD void operator()(int index) const {
    const SystemNode& node = view.nodes[index];
    if (node.joint < 0 || view.active[node.component] == 0) return;
    for (int k = node.firstRow; k < node.firstRow + view.rowsInUse[index]; ++k) {
      if (view.limits[k] < 0 || view.deactivated[k] != 0) continue;
      const JointLane<T> lane(bodies.joints, bodies.laneOfJoint[node.joint]);
      if (lane.at(view.limits[k], kAxisImpulse) + view.vector[k] >= 0) continue;
      view.deactivated[k] = 1;
      atomicOrInt(view.limitsChanged + node.component, 1);
    }
  }
};

struct ActivateChanged {
  SystemView view;
  CAIRN_HD void operator()(int component) const {
    view.active[component] = view.limitsChanged[component];
    if (view.limitsChanged[component] != 0) view.dirty[component] = 1;
    view.limitsChanged[component] = 0;
  }
};

}  // namespace cairn::v0
