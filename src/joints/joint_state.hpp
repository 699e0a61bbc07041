// Joints as users see them: coordinates along their axes, errors, and the forces that they bore in the last step.
#pragma once

#include "src/joints/joint_rows.hpp"

namespace cairn::v0 {

// `dt`: of a step [s]; impulses over a step become mean forces by it.
template <class T> JointState jointState(const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, JointId joint, double dt);
template <class T>
std::vector<JointState> jointStates(Queue& queue, const JointSet& joints, const JointRows<T>& rows, const State<T>& bodies, double dt);

}  // namespace cairn::v0
