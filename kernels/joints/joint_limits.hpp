// Limits in the direct solve of joints: which of them take part as if they were locked. See joint_limits.cu.
#pragma once

#include "kernels/joints/joint_math.hpp"
#include "kernels/joints/joint_system.hpp"

namespace cairn {

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

// Components whose active limits are not those of their factor become dirty.
template <class T> void compareLimits(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block);
// Limits whose impulse the answer would make negative are deactivated, and view.limitsChanged says in which components.
template <class T> void findNegativeMultipliers(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies);
// Exactly the components whose limits have changed are active, and dirty.
void activateChanged(Queue& queue, const SystemView& view);

}  // namespace cairn
