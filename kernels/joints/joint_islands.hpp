// What joints make of the islands of bodies that sleep. See joint_islands.cu.
#pragma once

#include "kernels/joints/joint_system.hpp"
#include "kernels/state/islands.hpp"

namespace cairn::v0 {

// The joints that act, `count` of them.
template <class T> struct JoiningJoints {
  const JointRecord<T>* records;
  const AxisRow<T>* axisRows;
  const int* live;  // slots
  int count;
};
// Joined bodies are of one island, which stays awake if a joint of it drives.
template <class T> void joinByJoints(Queue& queue, const JoiningJoints<T>& joints, const IslandBodies<T>& bodies);

// Components of the direct solve whose bodies sleep: no solve acts on them in this step. `asleep`: by body slot.
void markAsleep(Queue& queue, const SystemView& view, const int* asleep);

}  // namespace cairn::v0
