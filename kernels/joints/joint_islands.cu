// Joints and sleep: which bodies they keep in one island, and which islands they keep awake.
//
// In: the joints that act. Out: unions and notes for kernels/state/sleep.cu, and a mark for each component of the direct solve whose bodies sleep.
// The bodies of a component are of one island, so that all of them sleep or none.
//
// A joint of a sleeping island has rows like any other, at bodies without inverse masses: no sweep changes an impulse there, since a row that moves
// nothing has no effective mass, and what the joint carries stays as it was. A motor that is to turn at a speed drives, whether it gets anywhere or
// not; one that holds a place does not, nor does friction. Of black boxes nobody knows.
//
// Deterministic: unions and notes do not depend on the order of threads.
#include "kernels/joints/joint_islands.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct JoinByJoint {
  JoiningJoints<T> joints;
  IslandBodies<T> bodies;

  CAIRN_HD void operator()(int k) const {
    const JointRecord<T>& j = joints.records[joints.live[k]];
    joinIslands(bodies, j.bodyA, j.bodyB);
    if (drives(j)) atomicOrInt(bodies.notes + (isDynamic(bodies.constants[j.bodyA]) ? j.bodyA : j.bodyB), kIslandStirred);
  }
  CAIRN_HD bool drives(const JointRecord<T>& j) const {
    if ((j.flags & kJointBlackBox) != 0) return true;
    for (int r = j.firstRow; r < j.firstRow + j.rowCount; ++r) {
      const AxisRow<T>& row = joints.axisRows[r];
      if (row.kind == kVelocityRow && row.target != T(0) && row.maxForce > T(0)) return true;
    }
    return false;
  }
};

struct MarkAsleep {
  SystemView view;
  const int* asleep;

  CAIRN_HD void operator()(int k) const {
    const int body = view.bodies[k];
    if (asleep[body] != 0) atomicOrInt(view.found + view.componentOfBody[body], kComponentAsleep);
  }
};

}  // namespace

template <class T> void joinByJoints(Queue& queue, const JoiningJoints<T>& joints, const IslandBodies<T>& bodies) {
  forEach(queue, "sleep/joints", joints.count, JoinByJoint<T>{joints, bodies});
}

void markAsleep(Queue& queue, const SystemView& view, const int* asleep) {
  forEach(queue, "joint_system/asleep", view.componentCount == 0 ? 0 : view.bodyCount, MarkAsleep{view, asleep});
}

template void joinByJoints(Queue&, const JoiningJoints<float>&, const IslandBodies<float>&);
template void joinByJoints(Queue&, const JoiningJoints<double>&, const IslandBodies<double>&);

}  // namespace cairn::v0
