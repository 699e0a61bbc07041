// Joints as users see them: coordinates along their axes, errors, and the forces that they bore in the last step.
#pragma once

#include "src/joints/joint_rows.hpp"

namespace cairn {

// The largest errors over all joints.
struct JointErrors {
  double linear = 0;   // [m]
  double angular = 0;  // [rad]
};

// `dt`: of a step [s]; impulses over a step become mean forces by it.
template <class T> JointState jointState(const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, JointId joint, double dt);
template <class T>
std::vector<JointState> jointStates(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, double dt);
template <class T> JointErrors jointErrors(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies);

}  // namespace cairn
