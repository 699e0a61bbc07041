// Integration: semi-implicit Euler with the exponential map for orientations and an implicit gyroscopic step.
//
// In: poses, velocities, forces. Out: velocities before the solve, poses after it, and each body's motion since the collision pass, from which the
// rows' gaps are updated in the next substep. One item a body, so the order does not matter.
#include "kernels/state/integration.hpp"

#include "kernels/rows/row_math.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

// Inverse of the world inertia restricted to the axes that are free to turn.
template <class T> CAIRN_HD inline Sym3<T> inverseOnFreeAxes(Sym3<T> m, int flags) {
  const bool x = (flags & kLockRotationX) == 0, y = (flags & kLockRotationY) == 0, z = (flags & kLockRotationZ) == 0;
  const T zero = T(0), one = T(1);
  // Locked rows and columns become the unit matrix's for the inversion, and zero in its result.
  const Sym3<T> restricted{x ? m.xx : one, y ? m.yy : one, z ? m.zz : one, x && y ? m.xy : zero, x && z ? m.xz : zero, y && z ? m.yz : zero};
  const Sym3<T> inv = inverse(restricted);
  return {x ? inv.xx : zero, y ? inv.yy : zero, z ? inv.zz : zero, x && y ? inv.xy : zero, x && z ? inv.xz : zero, y && z ? inv.yz : zero};
}

constexpr int kLockRotation = kLockRotationX | kLockRotationY | kLockRotationZ;

template <class T> struct BeginStep {
  const BodyPose<T>* poses;
  const BodyConstants<T>* constants;
  BodyInertia<T>* inertias;
  BodyMotion<T>* motions;

  CAIRN_HD void operator()(int i) const {
    if (motions != nullptr) motions[i] = {{T(0), T(0), T(0)}, T(0), identityQuat<T>()};
    if (inertias == nullptr) return;
    const int flags = constants[i].flags;
    if ((flags & kBodyDynamic) == 0) {
      inertias[i].invInertia = {T(0), T(0), T(0), T(0), T(0), T(0)};
      return;
    }
    if ((flags & kBodyIsotropic) != 0 && (flags & kLockRotation) == 0) {
      inertias[i].invInertia = constants[i].invInertia;
      return;
    }
    const Mat3<T> r = rotationMatrix(poses[i].q);
    inertias[i].invInertia =
        (flags & kLockRotation) == 0 ? rotated(r, constants[i].invInertia) : inverseOnFreeAxes(rotated(r, constants[i].inertia), flags);
  }
};

// a, as long as b: a float quaternion is a unit one to 1e-7 only, which thousands of rotations back and forth would add up to energy.
template <class T> CAIRN_HD inline Vec3<T> withLength(Vec3<T> a, Vec3<T> b) {
  const T l2 = dot(a, a);
  return l2 > T(0) ? squareRoot(dot(b, b) / l2) * a : a;
}

template <class T> struct IntegrateVelocity {
  VelocityIntegration<T> bodies;
  T h;
  Vec3<T> gravity;

  CAIRN_HD void operator()(int i) const {
    const BodyConstants<T>& body = bodies.constants[i];
    if ((body.flags & kBodyDynamic) == 0) return;
    BodyVelocity<T> u = bodies.velocities[i];
    // Locked axes have no inverse mass: their velocity stays what it is.
    const Vec3<T> invMass{u.invMassX, u.invMassY, bodies.inertias[i].invMassZ};
    Vec3<T> force = (body.mass * body.gravityScale) * gravity;
    // Below a millionth of a radian a substep the gyroscopic term is lost in the velocity's rounding: bodies at rest are spared it.
    if ((body.flags & (kBodyIsotropic | kLockRotation)) == 0 && h * h * dot(u.w, u.w) > T(1e-12)) {
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
    bodies.velocities[i] = u;
  }
};

template <class T> struct IntegratePosition {
  PositionIntegration<T> bodies;
  T h;
  SpeedLimits<T> limits;

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

template <class T> struct UndoIfWorse {
  const MaxAt<T>* worst;
  const BodyPose<T>* posesBefore;
  const BodyMotion<T>* motionsBefore;
  BodyPose<T>* poses;
  BodyMotion<T>* motions;

  CAIRN_HD void operator()(int i) const {
    if (!(worst[1].value > worst[0].value)) return;
    poses[i] = posesBefore[i];
    motions[i] = motionsBefore[i];
  }
};

template <class T> struct FindNonFinite {
  const BodyConstants<T>* constants;
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  int* firstBad;

  CAIRN_HD void operator()(int i) const {
    if ((constants[i].flags & kBodyAlive) == 0) return;
    const BodyPose<T>& p = poses[i];
    const BodyVelocity<T>& u = velocities[i];
    // Infinities and NaNs survive sums of absolute values; 0 times them is NaN.
    const T sum = absOf(p.x.x) + absOf(p.x.y) + absOf(p.x.z) + absOf(p.q.x) + absOf(p.q.y) + absOf(p.q.z) + absOf(p.q.w) + absOf(u.v.x) +
                  absOf(u.v.y) + absOf(u.v.z) + absOf(u.w.x) + absOf(u.w.y) + absOf(u.w.z);
    if (!(sum * T(0) == T(0))) atomicMinInt(firstBad, i);
  }
};

}  // namespace

template <class T> void beginStep(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyConstants<T>* constants, BodyInertia<T>* inertias,
                                  BodyMotion<T>* motions) {
  forEach(queue, "integration/begin", bodySlots, BeginStep<T>{poses, constants, inertias, motions});
}

template <class T>
void refreshInertias(Queue& queue, int bodySlots, const BodyPose<T>* poses, const BodyConstants<T>* constants, BodyInertia<T>* inertias) {
  forEach(queue, "integration/inertias", bodySlots, BeginStep<T>{poses, constants, inertias, nullptr});
}

template <class T> void integrateVelocities(Queue& queue, int bodySlots, const VelocityIntegration<T>& bodies, T h, Vec3<T> gravity) {
  forEach(queue, "integration/velocities", bodySlots, IntegrateVelocity<T>{bodies, h, gravity});
}

template <class T> void integratePositions(Queue& queue, int bodySlots, const PositionIntegration<T>& bodies, T h, SpeedLimits<T> limits) {
  forEach(queue, "integration/positions", bodySlots, IntegratePosition<T>{bodies, h, limits});
}

template <class T> void undoIfWorse(Queue& queue, int bodySlots, const MaxAt<T>* worst, const BodyPose<T>* posesBefore,
                                    const BodyMotion<T>* motionsBefore, BodyPose<T>* poses, BodyMotion<T>* motions) {
  forEach(queue, "integration/undo_if_worse", bodySlots, UndoIfWorse<T>{worst, posesBefore, motionsBefore, poses, motions});
}

template <class T> void findNonFinite(Queue& queue, int bodySlots, const BodyConstants<T>* constants, const BodyPose<T>* poses,
                                      const BodyVelocity<T>* velocities, int* firstBad) {
  forEach(queue, "integration/check", bodySlots, FindNonFinite<T>{constants, poses, velocities, firstBad});
}

#define CAIRN_INSTANTIATE(T)                                                                                                       \
  template void beginStep(Queue&, int, const BodyPose<T>*, const BodyConstants<T>*, BodyInertia<T>*, BodyMotion<T>*);              \
  template void refreshInertias(Queue&, int, const BodyPose<T>*, const BodyConstants<T>*, BodyInertia<T>*);                        \
  template void integrateVelocities(Queue&, int, const VelocityIntegration<T>&, T, Vec3<T>);                                       \
  template void integratePositions(Queue&, int, const PositionIntegration<T>&, T, SpeedLimits<T>);                                 \
  template void undoIfWorse(Queue&, int, const MaxAt<T>*, const BodyPose<T>*, const BodyMotion<T>*, BodyPose<T>*, BodyMotion<T>*); \
  template void findNonFinite(Queue&, int, const BodyConstants<T>*, const BodyPose<T>*, const BodyVelocity<T>*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
