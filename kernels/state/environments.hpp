// Environments: copies of one scene in one World. The slots of each copy lie behind those of the one before, in the scene's order, so that whose slot
// a body, shape or joint has is a division, and its place in the scene the remainder.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

template <class T> struct BodyForce;
struct StepStatus;

// How many copies there are, and what each has. No copies: the World is one of a scene by itself.
struct EnvironmentLayout {
  int count = 0;
  int bodies = 0, shapes = 0, joints = 0;  // of each

  bool any() const { return count > 0; }
};

// Gravity where a body is: one for all, or one for each environment [m/s^2].
template <class T> struct GravityField {
  Vec3<T> everywhere{T(0), T(0), T(0)};
  const Vec3<T>* own = nullptr;  // by environment, where the field is used; null: everywhere the same
  int bodies = 1;                // of an environment

  GravityField() = default;
  CAIRN_HD GravityField(Vec3<T> same) : everywhere(same) {}
  CAIRN_HD Vec3<T> of(int body) const { return own == nullptr ? everywhere : own[body / bodies]; }
};

// Which environments to reset: those whose byte is not 0.
using EnvironmentMask = const unsigned char*;
// Those of the mask, or none where an enqueued step was refused: what is queued behind it changes nothing.
void chooseEnvironments(Queue& queue, EnvironmentMask mask, const StepStatus* status, int count, unsigned char* chosen);

// Poses and velocities as they are at an environment's start, by place in the scene.
template <class T> struct EnvironmentStart {
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  int bodies;
};
// Bodies of masked environments go back there; inverse masses stay what they are. `forces` (null: there are none) become zero.
template <class T> void resetBodies(Queue& queue, EnvironmentMask mask, const EnvironmentStart<T>& start, int bodySlots, BodyPose<T>* poses,
                                    PositionRemainder<T>* remainders, BodyVelocity<T>* velocities, BodyForce<T>* forces);

// Sums and maxima of each environment, of numbers by body or by point: one item an environment, in the order of the numbers.
struct EnvironmentBodies {
  const double *kinetic, *potential, *speed;  // by body slot
  int bodies;                                 // of an environment
};
template <class T> struct EnvironmentPoints {
  const Manifold<T>* manifolds = nullptr;
  const int* offsets = nullptr;  // CSR by shape slot; null: there are no contacts
  int shapes = 1;                // of an environment
  // By point, at 4 manifold + point.
  const T* residual = nullptr;
  const T* velocityScale = nullptr;
  const T* penetration = nullptr;
};
struct EnvironmentSums {
  double kinetic, potential, speed;
  double residual, penetration;
  int points;
  int spare;  // no byte of it is padding
};
template <class T>
void sumEnvironments(Queue& queue, int count, const EnvironmentBodies& bodies, const EnvironmentPoints<T>& points, EnvironmentSums* sums);

}  // namespace cairn::v0
