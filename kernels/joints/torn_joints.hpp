// Joints that a step has lost: their bodies turned further than its substeps could follow, and came apart. See torn_joints.cu.
#pragma once

#include "kernels/joints/joint_rows.hpp"

namespace cairn::v0 {

template <class T> struct JointedBodies {
  const BodyPose<T>* posesBefore;  // of the step
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  const JointTarget<T>* targets;  // of black boxes, by joint slot; may be null
  T h, dt;                        // the substep, the step [s]
};

// *firstTorn becomes the first such slot, or that of a black box whose answer was not finite, if that is smaller. `live`: slots of the joints that
// act.
template <class T>
void findTornJoints(Queue& queue, const int* live, int count, const JointRecord<T>* records, const JointedBodies<T>& bodies, int* firstTorn);

}  // namespace cairn::v0
