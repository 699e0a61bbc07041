// One body within a substep: forces to its velocity, its velocity to its pose. By themselves these are launches of integration.cu; on a device a
// sweep takes them along (kernels/solve/sweep_launch.hpp), which spares a launch each.
#pragma once

#include "kernels/rows/row_math.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/integration.hpp"

namespace cairn::v0 {

constexpr int kLockRotation = kLockRotationX | kLockRotationY | kLockRotationZ;

// a, as long as b: a float quaternion is a unit one to 1e-7 only, which thousands of rotations back and forth would add up to energy.
template <class T> CAIRN_HD inline Vec3<T> withLength(Vec3<T> a, Vec3<T> b) {
  const T l2 = dot(a, a);
  return l2 > T(0) ? squareRoot(dot(b, b) / l2) * a : a;
}

// Below a millionth of a radian a substep the gyroscopic term is lost in the velocity's rounding: bodies at rest are spared it.
constexpr double kLeastTurn = 1e-12;  // squared
template <class T> CAIRN_HD inline bool canBeGyroscopic(const BodyConstants<T>& body) { return (body.flags & (kBodyIsotropic | kLockRotation)) == 0; }
template <class T> CAIRN_HD inline bool hasGyroscopicTerm(const BodyConstants<T>& body, Vec3<T> w, T h) {
  return canBeGyroscopic(body) && h * h * dot(w, w) > T(kLeastTurn);
}

template <class T> struct IntegrateVelocity {
  VelocityIntegration<T> bodies{};
  T h = T(0);
  GravityField<T> gravity{};
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

  // Of bodies side by side, i the first of them; false, and nothing is done, where one of them needs more than gravity.
  template <class V> CAIRN_HD bool byGravity(int i) const {
    using Lanes = LaneTraits<V>;
    if (bodies.forces != nullptr) return false;
    const BodyConstants<T>* const constants = bodies.constants + i;
    T* const velocities = reinterpret_cast<T*>(bodies.velocities + i);
    V u[8], inertia[8];
    Lanes::loadRecords(velocities, u);
    const Vec3<V> w{u[4], u[5], u[6]};
    const V turns = Lanes::fromLanes([constants](int lane) { return canBeGyroscopic(constants[lane]) ? T(1) : T(0); });
    if (anyLane(select(V(h) * V(h) * dot(w, w) > V(T(kLeastTurn)), turns, V(T(0))))) return false;
    Lanes::loadRecords(reinterpret_cast<const T*>(bodies.inertias + i), inertia);
    const auto dynamic = Lanes::fromLanes([constants](int lane) { return (constants[lane].flags & kBodyDynamic) != 0 ? T(1) : T(0); }) > V(T(0));
    const V weight = Lanes::fromLanes([constants](int lane) { return constants[lane].mass * constants[lane].gravityScale; });
    const Vec3<V> v{u[0], u[1], u[2]}, invMass{u[3], u[7], inertia[6]};
    const Vec3<V> next = v + V(h) * scale(invMass, weight * gravityOf<V>(i));
    u[0] = select(dynamic, next.x, v.x);
    u[1] = select(dynamic, next.y, v.y);
    u[2] = select(dynamic, next.z, v.z);
    Lanes::storeRecords(velocities, u);
    if (kept != nullptr) Lanes::storeRecords(reinterpret_cast<T*>(kept + i), u);
    return true;
  }

  template <class V> CAIRN_HD Vec3<V> gravityOf(int i) const {
    const GravityField<T>& field = gravity;
    if (field.own == nullptr) return {V(field.everywhere.x), V(field.everywhere.y), V(field.everywhere.z)};
    const auto along = [&field, i](int axis) {
      return LaneTraits<V>::fromLanes([&field, i, axis](int lane) { return component(field.of(i + lane), axis); });
    };
    return {along(0), along(1), along(2)};
  }

  CAIRN_HD void integrate(int i, const BodyConstants<T>& body, BodyVelocity<T>& u) const {
    // Locked axes have no inverse mass: their velocity stays what it is.
    const Vec3<T> invMass{u.invMassX, u.invMassY, bodies.inertias[i].invMassZ};
    Vec3<T> force = (body.mass * body.gravityScale) * gravity.of(i);
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
    if ((bodies.constants[i].flags & (kBodyDynamic | kBodyKinematic)) != 0) at<T>(i);
  }

  // Of bodies side by side, i the first of them.
  template <class V> CAIRN_HD void at(int i) const {
    using Lanes = LaneTraits<V>;
    const BodyConstants<T>* const constants = bodies.constants + i;
    const auto hasFlag = [constants](int flags) {
      return Lanes::fromLanes([constants, flags](int lane) { return (constants[lane].flags & flags) != 0 ? T(1) : T(0); }) > V(T(0));
    };
    const auto forced = hasFlag(kBodyDynamic), moves = hasFlag(kBodyDynamic | kBodyKinematic);
    T* const velocities = reinterpret_cast<T*>(bodies.velocities + i);
    V u[8];
    Lanes::loadRecords(velocities, u);
    const Vec3<V> v{u[0], u[1], u[2]}, w{u[4], u[5], u[6]};
    const Vec3<V> slowed = select(forced, clampLength(v, V(limits.linear)), v), calmed = select(forced, clampLength(w, V(limits.angular)), w);
    const V limited[8] = {slowed.x, slowed.y, slowed.z, u[3], calmed.x, calmed.y, calmed.z, u[7]};
    Lanes::storeRecords(velocities, limited);
    const Vec3<V> dx = V(h) * slowed;
    const Quat<V> rotation = rotationOf(V(h) * calmed);
    movePose(reinterpret_cast<T*>(bodies.poses + i), moves, dx, rotation);
    movePose(reinterpret_cast<T*>(bodies.motions + i), moves, dx, rotation);
  }

 private:
  // Of a BodyPose or a BodyMotion.
  template <class V, class Mask> CAIRN_HD static void movePose(T* record, Mask moves, Vec3<V> dx, Quat<V> rotation) {
    V p[8];
    LaneTraits<V>::loadRecords(record, p);
    const Vec3<V> x = select(moves, Vec3<V>{p[0], p[1], p[2]} + dx, Vec3<V>{p[0], p[1], p[2]});
    const Quat<V> q = normalized(rotation * Quat<V>{p[4], p[5], p[6], p[7]});
    const V moved[8] = {x.x, x.y, x.z, p[3], select(moves, q.x, p[4]), select(moves, q.y, p[5]), select(moves, q.z, p[6]), select(moves, q.w, p[7])};
    LaneTraits<V>::storeRecords(record, moved);
  }
};

// The CPU's side, in integration_cpu.cpp: packs of bodies, compiled by the host compiler for each CPU level.
template <class T, class Pass> struct BodyPass {
  const Pass* pass;
  void onCpu(const TeamLoop& team) const;
};
using BodyPasses = CpuPassList<BodyPass<float, IntegrateVelocity<float>>, BodyPass<float, IntegratePosition<float>>,
                               BodyPass<double, IntegrateVelocity<double>>, BodyPass<double, IntegratePosition<double>>>;

}  // namespace cairn::v0
