// One body within a substep: forces to its velocity, its velocity to its pose. By themselves these are launches of integration.cu; on a device a
// sweep takes them along (kernels/solve/sweep_launch.hpp), which spares a launch each.
#pragma once

#include "kernels/rows/row_math.hpp"
#include "kernels/state/integration.hpp"

namespace cairn {

constexpr int kLockRotation = kLockRotationX | kLockRotationY | kLockRotationZ;

// a, as long as b: a float quaternion is a unit one to 1e-7 only, which thousands of rotations back and forth would add up to energy.
template <class T> CAIRN_HD inline Vec3<T> withLength(Vec3<T> a, Vec3<T> b) {
  const T l2 = dot(a, a);
  return l2 > T(0) ? squareRoot(dot(b, b) / l2) * a : a;
}

// Below a millionth of a radian a substep the gyroscopic term is lost in the velocity's rounding: bodies at rest are spared it.
template <class T> CAIRN_HD inline bool hasGyroscopicTerm(const BodyConstants<T>& body, Vec3<T> w, T h) {
  return (body.flags & (kBodyIsotropic | kLockRotation)) == 0 && h * h * dot(w, w) > T(1e-12);
}

template <class T> struct IntegrateVelocity {
  VelocityIntegration<T> bodies{};
  T h = T(0);
  Vec3<T> gravity{};
  BodyVelocity<T>* kept = nullptr;  // gets the velocities of all bodies; null: nobody asks for them
  const int* turning = nullptr;     // bodies whose gyroscopic term comes with their turn (turning_rows.cu); null: there are none
  int count = 0;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& body = bodies.constants[i];
    BodyVelocity<T> u = bodies.velocities[i];
    if ((body.flags & kBodyDynamic) != 0) {
      integrate(i, body, u);
      bodies.velocities[i] = u;
    }
    if (kept != nullptr) kept[i] = u;
  }

  CAIRN_HD void integrate(int i, const BodyConstants<T>& body, BodyVelocity<T>& u) const {
    // Locked axes have no inverse mass: their velocity stays what it is.
    const Vec3<T> invMass{u.invMassX, u.invMassY, bodies.inertias[i].invMassZ};
    Vec3<T> force = (body.mass * body.gravityScale) * gravity;
    if (hasGyroscopicTerm(body, u.w, h) && (turning == nullptr || (turning[i] & kFrameTurns) == 0)) {
      const Quat<T> q = bodies.poses[i].q;
      const Vec3<T> local = withLength(inverseRotate(q, u.w), u.w);
      const Vec3<T> next = gyroscopicStep(body.inertia, local, h);
      u.w = withLength(rotate(q, next), next);
    }
    if (bodies.forces != nullptr) {
      force += bodies.forces[i].force;
      u.w += h * (bodies.inertias[i].invInertia * bodies.forces[i].torque);
    }
    u.v += h * scale(invMass, force);
  }
};

template <class T> struct IntegratePosition {
  PositionIntegration<T> bodies{};
  T h = T(0);
  SpeedLimits<T> limits{};
  int count = 0;

  CAIRN_HD void operator()(int i) const {
    const int flags = bodies.constants[i].flags;
    if ((flags & (kBodyDynamic | kBodyKinematic)) == 0) return;
    if ((flags & kBodyDynamic) != 0) {
      bodies.velocities[i].v = clampLength(bodies.velocities[i].v, limits.linear);
      bodies.velocities[i].w = clampLength(bodies.velocities[i].w, limits.angular);
    }
    const Vec3<T> dx = h * bodies.velocities[i].v;
    const Quat<T> rotation = quatFromRotationVector(h * bodies.velocities[i].w);
    bodies.poses[i].x += dx;
    bodies.poses[i].q = normalized(rotation * bodies.poses[i].q);
    bodies.motions[i].dp += dx;
    bodies.motions[i].dq = normalized(rotation * bodies.motions[i].dq);
  }
};

}  // namespace cairn
