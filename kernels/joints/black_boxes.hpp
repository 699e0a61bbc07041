// Black boxes: where a substep would bring them, and where their users' functors allow them to be. See black_boxes.cu.
#pragma once

#include "kernels/joints/joint_rows.hpp"

namespace cairn::v0 {

// targets[boxes[k]]: where the frames of the joint boxes[k] would be after h, allowed as it is.
template <class T> void predictTargets(Queue& queue, const JointRecord<T>* records, const int* boxes, int count, const BodyPose<T>* poses,
                                       const BodyVelocity<T>* velocities, T h, JointTarget<T>* targets);
// The allowed poses of a batch of functors of this one's type. Throws DeviceError if the device does not take the launch.
template <class T> void projectTargets(Queue& queue, const ProjectionFunctor& functor, const ProjectionBatch<T>& batch);

}  // namespace cairn::v0
