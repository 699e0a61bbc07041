// One body within a substep: forces to its velocity, its velocity to its pose. By themselves these are launches of integration.cu; on a device a
// sweep takes them along (kernels/solve/sweep_launch.hpp), which spares a launch each.
#pragma once

#include "kernels/rows/row_math.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/state/body_drive.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/integration.hpp"

namespace cairn::v0 {

constexpr int kLockRotation = kLockRotationX | kLockRotationY | kLockRotationZ;

// a, as long as b: a float quaternion is a unit one to 1e-7 only, which thousands of rotations back and forth would add up to energy.
template <class V> CAIRN_HD inline Vec3<V> withLength(Vec3<V> a, Vec3<V> b) {
  const V l2 = dot(a, a);
  const auto any = l2 > V(0);
  return select(any, squareRoot(dot(b, b) / select(any, l2, V(1))) * a, a);
}

// One implicit-midpoint step of torque-free rotation in the body's frame: I (w' - w) + h wm x I wm = 0 with wm = (w + w')/2. It keeps
// energy and the length of the angular momentum, both quadratic. Newton's iteration ends with a small error, by which the rotation may lose energy;
// any energy that it would gain is scaled away.
template <class V> CAIRN_HD inline Vec3<V> gyroscopicStep(Sym3<V> inertia, Vec3<V> w, typename LaneTraits<V>::Scalar h) {
  using T = typename LaneTraits<V>::Scalar;
  inertia = powerToUnit(inertia.xx + inertia.yy + inertia.zz) * inertia;  // its unit makes no difference, but determinants are cubes
  const V zero = V(T(0)), one = V(T(1)), step = V(h), half = V(T(0.5) * h);
  const Vec3<V> i0{inertia.xx, inertia.xy, inertia.xz}, i1{inertia.xy, inertia.yy, inertia.yz}, i2{inertia.xz, inertia.yz, inertia.zz};
  Vec3<V> next = w;
  const auto slow = V(h * h) * dot(w, w) < V(T(1e-4));
  auto goesOn = one > zero;
  for (int k = 0; k < 4; ++k) {
    if (k == 1) goesOn = goesOn & !slow;
    if (!anyLane(select(goesOn, one, zero))) break;
    const Vec3<V> mean = V(T(0.5)) * (w + next);
    const Vec3<V> momentum = inertia * mean;
    const Vec3<V> f = inertia * (next - w) + step * cross(mean, momentum);
    // df/dw' = I + h/2 ([wm]x I - [I wm]x), by columns.
    const Vec3<V> c0 = i0 + half * (cross(mean, i0) - Vec3<V>{zero, momentum.z, -momentum.y});
    const Vec3<V> c1 = i1 + half * (cross(mean, i1) - Vec3<V>{-momentum.z, zero, momentum.x});
    const Vec3<V> c2 = i2 + half * (cross(mean, i2) - Vec3<V>{momentum.y, -momentum.x, zero});
    const Vec3<V> c12 = cross(c1, c2);
    const V determinant = dot(c0, c12);
    goesOn = goesOn & !(absOf(determinant) < V(T(1e-30)));
    const V inverse = one / determinant;
    next = select(goesOn, next - inverse * Vec3<V>{dot(f, c12), dot(c0, cross(f, c2)), dot(c0, cross(c1, f))}, next);
  }
  const V before = dot(w, inertia * w), after = dot(next, inertia * next), ratio = before / after;
  next = select(after > before, squareRoot(ratio) * next, next);
  return select(ratio > zero, next, w);  // a needle may be too thin for the digits of its inertia: not a number, or infinite
}

// Below a millionth of a radian a substep the gyroscopic term is lost in the velocity's rounding: bodies at rest are spared it.
constexpr double kLeastTurn = 1e-12;  // squared
template <class T> CAIRN_HD inline bool canBeGyroscopic(const BodyConstants<T>& body) { return (body.flags & (kBodyIsotropic | kLockRotation)) == 0; }
template <class T> CAIRN_HD inline bool hasGyroscopicTerm(const BodyConstants<T>& body, Vec3<T> w, T h) {
  return h * h * dot(w, w) > T(kLeastTurn) && canBeGyroscopic(body);
}

// Of contacts that are what they were, whose impulses go on from one substep to the next. What these did to a body's velocity in the last substep is
// what it is now less what it was before them: that is added once more, body by body, which spares a pass over the rows (BeginBlock). Not at the
// first substep, whose impulses are the last step's.
enum class CarryImpulses {
  No,
  Now,   // with the forces
  Later  // by another pass (carried_impulses.hpp), which finds in `kept` what is to be added: something else changes velocities first
};

template <class T> struct IntegrateVelocity {
  VelocityIntegration<T> bodies{};
  T h = T(0);
  GravityField<T> gravity{};
  BodyVelocity<T>* kept = nullptr;  // gets the velocities of all bodies, before the impulses so far; null: nobody asks for them
  const int* turning =
      nullptr;  // bodies whose gyroscopic term comes with their turn (turning_rows.cu), and which carry nothing on; null: there are none
  int count = 0;
  CarryImpulses carry = CarryImpulses::No;
  // What is carried on has momentum (ImpulseMomentum in kernels/solve/contact_sweep.hpp). `last`: what the substep before began with, without it;
  // null: there is none. `momentum`: 0 where that is not there yet.
  BodyVelocity<T>* last = nullptr;
  T momentum = T(0);

  CAIRN_HD void operator()(int i) const { run(i, carry, momentum); }
  CAIRN_HD void run(int i, CarryImpulses carrying, T factor) const {
    const T drive = bodies.motions[i].drive;
    BodyVelocity<T> u = bodies.velocities[i];
    if (!isWeighted(drive)) {
      if (kept != nullptr) kept[i] = u;
      return;
    }
    Vec3<T> dv{T(0), T(0), T(0)}, dw = dv;
    if (carrying != CarryImpulses::No) {
      dv = u.v - kept[i].v;
      dw = u.w - kept[i].w;
      if (last != nullptr) {
        const Vec3<T> linear = dv, angular = dw;
        if (factor > T(0)) {
          dv = linear + factor * (linear - last[i].v);
          dw = angular + factor * (angular - last[i].w);
        }
        last[i].v = linear;
        last[i].w = angular;
      }
    }
    integrate(i, drive, u);
    if (carrying == CarryImpulses::Later) {
      kept[i].v = dv;
      kept[i].w = dw;
    } else if (kept != nullptr) {
      kept[i] = u;
    }
    if (carrying == CarryImpulses::Now && (turning == nullptr || turning[i] == 0)) {
      u.v += dv;
      u.w += dw;
    }
    bodies.velocities[i] = u;
  }

  // Of bodies side by side, i the first of them, that no forces are applied to.
  template <class V> CAIRN_HD void at(int i) const {
    using Lanes = LaneTraits<V>;
    T* const velocities = reinterpret_cast<T*>(bodies.velocities + i);
    V u[8], inertia[8], motion[8];
    Lanes::loadRecords(velocities, u);
    Lanes::loadRecords(reinterpret_cast<const T*>(bodies.motions + i), motion);
    Lanes::loadRecords(reinterpret_cast<const T*>(bodies.inertias + i), inertia);
    const V drive = motion[3];
    const auto dynamic = isWeighted(drive);
    const Vec3<V> v{u[0], u[1], u[2]}, w{u[4], u[5], u[6]}, invMass{u[3], u[7], inertia[6]};
    const Vec3<V> nextV = select(dynamic, v + V(h) * scale(invMass, drive * gravityOf<V>(i)), v);
    const Vec3<V> nextW = turned(i, dynamic, w);
    const auto record = [&u](Vec3<V> linear, Vec3<V> angular, V(&out)[8]) {
      const V fields[8] = {linear.x, linear.y, linear.z, u[3], angular.x, angular.y, angular.z, u[7]};
      for (int k = 0; k < 8; ++k) out[k] = fields[k];
    };
    V out[8];
    record(nextV, nextW, out);
    if (kept == nullptr) return Lanes::storeRecords(velocities, out);
    T* const before = reinterpret_cast<T*>(kept + i);
    if (carry == CarryImpulses::No) {
      Lanes::storeRecords(velocities, out);
      return Lanes::storeRecords(before, out);
    }
    V old[8];
    Lanes::loadRecords(before, old);
    Vec3<V> dv = v - Vec3<V>{old[0], old[1], old[2]}, dw = w - Vec3<V>{old[4], old[5], old[6]};
    if (last != nullptr) {
      T* const records = reinterpret_cast<T*>(last + i);
      V noted[8];
      record(dv, dw, noted);
      if (momentum > T(0)) {
        V l[8];
        Lanes::loadRecords(records, l);
        dv = dv + V(momentum) * (dv - Vec3<V>{l[0], l[1], l[2]});
        dw = dw + V(momentum) * (dw - Vec3<V>{l[4], l[5], l[6]});
      }
      Lanes::storeRecords(records, noted);
    }
    if (carry == CarryImpulses::Later) {
      Lanes::storeRecords(velocities, out);
      record(select(dynamic, dv, v), select(dynamic, dw, w), out);
      return Lanes::storeRecords(before, out);
    }
    Lanes::storeRecords(before, out);
    const V turns = turning == nullptr ? V(T(0)) : Lanes::fromLanes([this, i](int lane) { return turning[i + lane] != 0 ? T(1) : T(0); });
    const auto carried = dynamic & !(turns > V(T(0)));
    record(select(carried, nextV + dv, nextV), select(carried, nextW + dw, nextW), out);
    Lanes::storeRecords(velocities, out);
  }
  // Their angular velocities after the gyroscopic term.
  template <class V, class Mask> CAIRN_HD Vec3<V> turned(int i, Mask dynamic, Vec3<V> w) const {
    using Lanes = LaneTraits<V>;
    const BodyConstants<T>* const constants = bodies.constants + i;
    const V none = V(T(0));
    const V fast = select(dynamic & (V(h * h) * dot(w, w) > V(T(kLeastTurn))), V(T(1)), none);
    if (!anyLane(fast)) return w;
    const V turns = Lanes::fromLanes([this, constants, i](int lane) {
      return canBeGyroscopic(constants[lane]) && (turning == nullptr || (turning[i + lane] & kFrameTurns) == 0) ? T(1) : T(0);
    });
    if (!anyLane(fast * turns)) return w;
    const auto number = [constants](auto axis) { return Lanes::fromLanes([constants, axis](int lane) { return constants[lane].inertia.*axis; }); };
    const Sym3<V> inertia{number(&Sym3<T>::xx), number(&Sym3<T>::yy), number(&Sym3<T>::zz),
                          number(&Sym3<T>::xy), number(&Sym3<T>::xz), number(&Sym3<T>::yz)};
    V pose[8];
    Lanes::loadRecords(reinterpret_cast<const T*>(bodies.poses + i), pose);
    return select(fast * turns > none, gyroscopic(inertia, {pose[4], pose[5], pose[6], pose[7]}, w), w);
  }
  template <class V> CAIRN_HD Vec3<V> gyroscopic(const Sym3<V>& inertia, Quat<V> q, Vec3<V> w) const {
    const Vec3<V> next = gyroscopicStep(inertia, withLength(inverseRotate(q, w), w), h);
    return withLength(rotate(q, next), next);
  }

  template <class V> CAIRN_HD Vec3<V> gravityOf(int i) const {
    const GravityField<T>& field = gravity;
    if (field.own == nullptr) return {V(field.everywhere.x), V(field.everywhere.y), V(field.everywhere.z)};
    const auto along = [&field, i](int axis) {
      return LaneTraits<V>::fromLanes([&field, i, axis](int lane) { return component(field.of(i + lane), axis); });
    };
    return {along(0), along(1), along(2)};
  }

  CAIRN_HD void integrate(int i, T weight, BodyVelocity<T>& u) const {
    // Locked axes have no inverse mass: their velocity stays what it is.
    const Vec3<T> invMass{u.invMassX, u.invMassY, bodies.inertias[i].invMassZ};
    Vec3<T> force = weight * gravity.of(i);
    const BodyConstants<T>& body = bodies.constants[i];
    if (hasGyroscopicTerm(body, u.w, h) && (turning == nullptr || (turning[i] & kFrameTurns) == 0)) {
      const Quat<T> q = bodies.poses[i].q;
      u.w = gyroscopic(body.inertia, q, u.w);
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
  BodyVelocity<T>* kept = nullptr;  // of IntegrateVelocity, if it carries impulses on: what a limit takes from a velocity is none of theirs
  int count = 0;

  CAIRN_HD void operator()(int i) const {
    if (isMoved(bodies.motions[i].drive)) at<T>(i);
  }

  // Of bodies side by side, i the first of them.
  template <class V> CAIRN_HD void at(int i) const {
    using Lanes = LaneTraits<V>;
    T *const velocities = reinterpret_cast<T*>(bodies.velocities + i), *const motions = reinterpret_cast<T*>(bodies.motions + i);
    V u[8], motion[8];
    Lanes::loadRecords(velocities, u);
    Lanes::loadRecords(motions, motion);
    const auto forced = isWeighted(motion[3]), moves = isMoved(motion[3]);
    const Vec3<V> v{u[0], u[1], u[2]}, w{u[4], u[5], u[6]};
    // Hardly any body is so fast: the others' velocities are not stored again.
    const V over = maxOf(dot(v, v) - V(limits.linear * limits.linear), dot(w, w) - V(limits.angular * limits.angular));
    Vec3<V> slowed = v, calmed = w;
    if (anyLane(over)) {
      slowed = select(forced, clampLength(v, V(limits.linear)), v);
      calmed = select(forced, clampLength(w, V(limits.angular)), w);
      const V limited[8] = {slowed.x, slowed.y, slowed.z, u[3], calmed.x, calmed.y, calmed.z, u[7]};
      Lanes::storeRecords(velocities, limited);
      if (kept != nullptr) keepLimited(i, slowed - v, calmed - w);
    }
    const Vec3<V> dx = V(h) * slowed;
    const Quat<V> rotation = rotationOf(V(h) * calmed);
    T* const poses = reinterpret_cast<T*>(bodies.poses + i);
    V pose[8];
    Lanes::loadRecords(poses, pose);
    movePose(poses, pose, moves, dx, rotation);
    movePose(motions, motion, moves, dx, rotation);
  }

 private:
  template <class V> CAIRN_HD void keepLimited(int i, Vec3<V> dv, Vec3<V> dw) const {
    const V size = dot(dv, dv) + dot(dw, dw);
    if (!anyLane(size)) return;
    T* const records = reinterpret_cast<T*>(kept + i);
    V k[8];
    LaneTraits<V>::loadRecords(records, k);
    const auto limited = size > V(T(0));
    const Vec3<V> v{k[0], k[1], k[2]}, w{k[4], k[5], k[6]};
    const Vec3<V> nextV = select(limited, v + dv, v), nextW = select(limited, w + dw, w);
    const V out[8] = {nextV.x, nextV.y, nextV.z, k[3], nextW.x, nextW.y, nextW.z, k[7]};
    LaneTraits<V>::storeRecords(records, out);
  }
  // Of a BodyPose or a BodyMotion, which holds p.
  template <class V, class Mask> CAIRN_HD static void movePose(T* record, const V (&p)[8], Mask moves, Vec3<V> dx, Quat<V> rotation) {
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
