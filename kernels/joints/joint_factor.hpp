// The factor of the joints' equations: their matrix A = J M^-1 J^T, assembled and factorized block by block. See joint_factor.cu.
#pragma once

#include "kernels/joints/joint_system.hpp"

namespace cairn {

constexpr double kLimitCompliance = 1e-3;  // of active limits: the rows of several rotations may hardly be told apart
constexpr double kDeactivated = 1e9;       // compliance of a deactivated limit: its impulse is given

// The inverse masses of a body, in double; at rest.
template <class T> CAIRN_HD inline LaneBody<double> inverseMasses(const SystemBodies<T>& bodies, int slot) {
  const LaneBody<T> body = loadBody(bodies.velocities[slot], bodies.inertias[slot]);
  return {{0, 0, 0}, {0, 0, 0}, convert<double>(body.invMass), convert<double>(body.invInertia)};
}

// The rows of J of all joints in components that are active and dirty, with the limits that are active as `block` counts their errors.
template <class T> void makeSystemRows(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block);
// The factors of those components, which are fresh then.
template <class T> void factorizeSystem(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies);

}  // namespace cairn
