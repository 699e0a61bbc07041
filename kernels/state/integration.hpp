// Integration: forces to velocities, velocities to poses. See integration.cu.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// What is done anew for a body that turns fast (turning_rows.cu), as bits: its contacts; its inertia and its velocity's place in its frame; the
// effective masses of its contacts, which keep their impulses.
constexpr int kContactsTurn = 1, kFrameTurns = 2, kMassesTurn = 4;

// Force and torque on a body during one step, world axes [N], [N m].
template <class T> struct BodyForce { Vec3<T> force, torque; };

// World inverse inertia of every body at its pose (null: they are there already), and motion since the collision pass reset to none, with what drives
// it in this step.
template <class T> void beginStep(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyConstants<T>* constants, BodyInertia<T>* inertias,
                                  BodyMotion<T>* motions, const PositionRemainder<T>* remainders = nullptr);

// At a step's end: positions of bodies that move are those `before` the step plus the motion since, and the remainders what is lost in that.
template <class T> void roundPositions(Queue& queue, int bodySlots, const BodyPose<T>* before, const BodyMotion<T>* motions, BodyPose<T>* poses,
                                       PositionRemainder<T>* remainders);

// World inverse inertias of the bodies marked kFrameTurns, at the poses as they are now.
template <class T> void refreshTurningInertias(Queue& queue, int bodySlots, const int* marks, const BodyPose<T>* poses,
                                               const BodyConstants<T>* constants, BodyInertia<T>* inertias);

// The velocities of bodies and all that they are integrated from, by body slot.
template <class T> struct VelocityIntegration {
  const BodyPose<T>* poses;
  const BodyConstants<T>* constants;
  const BodyMotion<T>* motions;
  const BodyInertia<T>* inertias;
  const BodyForce<T>* forces;  // may be null
  BodyVelocity<T>* velocities;
};

// v += h (gravity + F/m), w by the gyroscopic and external torque. The passes are those of integrate_body.hpp.
template <class T> struct IntegrateVelocity;
template <class T> void integrateVelocities(Queue& queue, const IntegrateVelocity<T>& pass);
template <class T> void integrateVelocities(Queue& queue, int bodySlots, const VelocityIntegration<T>& bodies, T h, const GravityField<T>& gravity);

template <class T> struct PositionIntegration {
  BodyVelocity<T>* velocities;
  BodyPose<T>* poses;
  BodyMotion<T>* motions;  // since the collision pass
};

template <class T> struct SpeedLimits {
  T linear, angular;  // [m/s], [rad/s]
};

// x += h v, q = exp(h w) q, and the same for the motion since the collision pass. Speeds above the limits are cut first.
template <class T> struct IntegratePosition;
template <class T> void integratePositions(Queue& queue, const IntegratePosition<T>& pass);
template <class T> void integratePositions(Queue& queue, int bodySlots, const PositionIntegration<T>& bodies, T h, SpeedLimits<T> limits);

// Sets poses and motions back to those before, if worst[1] is larger than worst[0].
template <class T> void undoIfWorse(Queue& queue, int bodySlots, const MaxAt<T>* worst, const BodyPose<T>* posesBefore,
                                    const BodyMotion<T>* motionsBefore, BodyPose<T>* poses, BodyMotion<T>* motions);

// *firstBad (preset to a large number) = the smallest slot whose pose or velocity is infinite or NaN.
template <class T> void findNonFinite(Queue& queue, int bodySlots, const BodyConstants<T>* constants, const BodyPose<T>* poses,
                                      const BodyVelocity<T>* velocities, int* firstBad);

}  // namespace cairn::v0
