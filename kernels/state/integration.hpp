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

// World inverse inertia of every body at its pose (null: they are there already), and motion since the collision pass reset to none.
template <class T> void beginStep(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyConstants<T>* constants, BodyInertia<T>* inertias,
                                  BodyMotion<T>* motions);

// World inverse inertias of the bodies marked kFrameTurns, at the poses as they are now.
template <class T> void refreshTurningInertias(Queue& queue, int bodySlots, const int* marks, const BodyPose<T>* poses,
                                               const BodyConstants<T>* constants, BodyInertia<T>* inertias);

// The velocities of bodies and all that they are integrated from, by body slot.
template <class T> struct VelocityIntegration {
  const BodyPose<T>* poses;
  const BodyConstants<T>* constants;
  const BodyInertia<T>* inertias;
  const BodyForce<T>* forces;  // may be null
  BodyVelocity<T>* velocities;
};

// v += h (gravity + F/m), w by the gyroscopic and external torque. The passes are those of integrate_body.hpp.
template <class T> struct IntegrateVelocity;
template <class T> void integrateVelocities(Queue& queue, const IntegrateVelocity<T>& pass);
template <class T> void integrateVelocities(Queue& queue, int bodySlots, const VelocityIntegration<T>& bodies, T h, const GravityField<T>& gravity);

template <class T> struct PositionIntegration {
  const BodyConstants<T>* constants;
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

// One implicit-midpoint step of torque-free rotation in the body's frame: I (w' - w) + h wm x I wm = 0 with wm = (w + w')/2. It keeps
// energy and the length of the angular momentum, both quadratic. Newton's iteration ends with a small error, by which the rotation may lose energy;
// any energy that it would gain is scaled away.
template <class T> CAIRN_HD inline Vec3<T> gyroscopicStep(Sym3<T> inertia, Vec3<T> w, T h) {
  inertia = powerToUnit(inertia.xx + inertia.yy + inertia.zz) * inertia;  // its unit makes no difference, but determinants are cubes
  Vec3<T> next = w;
  const int iterations = h * h * dot(w, w) < T(1e-4) ? 1 : 4;
  for (int k = 0; k < iterations; ++k) {
    const Vec3<T> mean = T(0.5) * (w + next);
    const Vec3<T> momentum = inertia * mean;
    const Vec3<T> f = inertia * (next - w) + h * cross(mean, momentum);
    // df/dw' = I + h/2 ([wm]x I - [I wm]x), by columns.
    const T half = T(0.5) * h;
    const Vec3<T> i0{inertia.xx, inertia.xy, inertia.xz}, i1{inertia.xy, inertia.yy, inertia.yz}, i2{inertia.xz, inertia.yz, inertia.zz};
    const Vec3<T> c0 = i0 + half * (cross(mean, i0) - Vec3<T>{T(0), momentum.z, -momentum.y});
    const Vec3<T> c1 = i1 + half * (cross(mean, i1) - Vec3<T>{-momentum.z, T(0), momentum.x});
    const Vec3<T> c2 = i2 + half * (cross(mean, i2) - Vec3<T>{momentum.y, -momentum.x, T(0)});
    const Vec3<T> c12 = cross(c1, c2);
    const T determinant = dot(c0, c12);
    if (absOf(determinant) < T(1e-30)) break;
    const T inverse = T(1) / determinant;
    next -= inverse * Vec3<T>{dot(f, c12), dot(c0, cross(f, c2)), dot(c0, cross(c1, f))};
  }
  const T before = dot(w, inertia * w), after = dot(next, inertia * next);
  if (!(before / after > T(0))) return w;  // a needle may be too thin for the digits of its inertia: not a number, or infinite
  if (after > before) next = squareRoot(before / after) * next;
  return next;
}

}  // namespace cairn::v0
