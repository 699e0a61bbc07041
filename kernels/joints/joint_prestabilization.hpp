// Joint pre-stabilization: the impulse at time n that puts a joint on its target after the bodies have moved by h (Weinstein, Teran and Fedkiw,
// "Dynamic Simulation of Articulated Rigid Bodies with Contact and Collision", 2006, section IV; formulas section 3.4). One joint, two unknowns one
// after the other: an angular impulse that makes the frames agree, a linear impulse at the articulation that makes the centres meet.
//
// Newton's iteration from zero, each step along its direction as far as a golden-section search finds best: the equations turn with the bodies, and
// far from the target a full step may overshoot. Parent p, child c; impulses act on the parent and, negated, on the child.
#pragma once

#include <cairn/math.hpp>

namespace cairn::v0::joint {

// One body of a joint, world axes.
template <class T> struct Side {
  Vec3<T> x, v, w;  // centre of mass [m], velocities [m/s], [rad/s]
  Quat<T> q;
  Vec3<T> invMass;     // per axis [1/kg]
  Sym3<T> invInertia;  // [1/(kg m^2)]
};

constexpr int kNewtonSteps = 24;
constexpr int kGoldenSteps = 10;
constexpr int kPushes = 12;
// Newton has arrived when the error is this small a part of the joint's size (of 1 for angles).
template <class T> struct Arrived;
template <> struct Arrived<float> { static constexpr float value = 1e-6f; };
template <> struct Arrived<double> { static constexpr double value = 1e-12; };

// --- derivatives of the exponential map --------------------------------------------------------------------------

// qhat(s) = (cos(|s|/2), g s) with g = sin(|s|/2)/|s|, and b = (dg/d|s|)/|s|, by their series where dividing would lose digits.
template <class T> struct HalfAngle { T g, b; };
template <class T> CAIRN_HD inline HalfAngle<T> halfAngle(Vec3<T> s) {
  const T a2 = dot(s, s);
  if (a2 < T(0.0625)) {
    return {T(0.5) - a2 * (T(1) / T(48) - a2 * (T(1) / T(3840) - a2 * (T(1) / T(645120) - a2 / T(185794560)))),
            -(T(1) / T(24)) + a2 * (T(1) / T(960) - a2 * (T(1) / T(107520) - a2 / T(23224320)))};
  }
  const T a = squareRoot(a2);
  const SinCos<T> half = sinCos(T(0.5) * a);
  const T g = half.sine / a;
  return {g, (T(0.5) * half.cosine - g) / a2};
}

// Directional derivative of qhat at s along ds: a quaternion.
template <class T> CAIRN_HD inline Quat<T> quatDerivative(Vec3<T> s, Vec3<T> ds) {
  const HalfAngle<T> f = halfAngle(s);
  const T along = dot(s, ds);
  const Vec3<T> v = f.g * ds + (f.b * along) * s;
  return {v.x, v.y, v.z, -(T(0.5) * f.g * along)};
}

// Directional derivative of the rotated vector qhat(s)[y] along ds: (dq y q* + q y dq*), its vector part.
template <class T> CAIRN_HD inline Vec3<T> rotationDerivative(Vec3<T> s, Vec3<T> y, Vec3<T> ds) {
  const Quat<T> q = quatFromRotationVector(s), dq = quatDerivative(s, ds), p{y.x, y.y, y.z, T(0)};
  const Quat<T> once = dq * p * conjugate(q);  // the other term is its conjugate, negated
  return {once.x + once.x, once.y + once.y, once.z + once.z};
}

// --- the equations -----------------------------------------------------------------------------------------------

// Linear: where the parent's target point and the child's centre are after h, their difference.
template <class T> struct LinearEquation {
  Side<T> parent, child;
  Vec3<T> armP, armC;      // at time n, world axes: from the parent's centre of mass to the target point, from the child's to the joint's centre [m]
  Vec3<T> applyP, applyC;  // to where the impulse acts: the middle of the two points [m]
  T h;

  CAIRN_HD Vec3<T> turnP(Vec3<T> j) const { return h * (parent.w + parent.invInertia * cross(applyP, j)); }
  CAIRN_HD Vec3<T> turnC(Vec3<T> j) const { return h * (child.w - child.invInertia * cross(applyC, j)); }
  CAIRN_HD Vec3<T> value(Vec3<T> j) const {
    const Vec3<T> pointP = parent.x + h * (parent.v + scale(parent.invMass, j)) + rotate(quatFromRotationVector(turnP(j)), armP);
    const Vec3<T> pointC = child.x + h * (child.v - scale(child.invMass, j)) + rotate(quatFromRotationVector(turnC(j)), armC);
    return pointP - pointC;
  }
  // Column of the derivative along the unit vector e.
  CAIRN_HD Vec3<T> derivative(Vec3<T> j, Vec3<T> e) const {
    const Vec3<T> dP = h * (parent.invInertia * cross(applyP, e)), dC = h * (child.invInertia * cross(applyC, e));
    return h * scale(parent.invMass + child.invMass, e) + rotationDerivative(turnP(j), armP, dP) + rotationDerivative(turnC(j), armC, dC);
  }
};

// Angular: the target frame on the parent and the child's frame after h, as quaternions of the nearer sign; four equations for three unknowns.
template <class T> struct AngularEquation {
  Side<T> parent, child;
  Quat<T> target, frame;  // at time n, world: the parent's target frame, the child's joint frame
  T h;

  CAIRN_HD Vec3<T> turnP(Vec3<T> j) const { return h * (parent.w + parent.invInertia * j); }
  CAIRN_HD Vec3<T> turnC(Vec3<T> j) const { return h * (child.w - child.invInertia * j); }
  CAIRN_HD Quat<T> goal(Vec3<T> j) const { return quatFromRotationVector(turnP(j)) * target; }
  CAIRN_HD Quat<T> actual(Vec3<T> j) const { return quatFromRotationVector(turnC(j)) * frame; }
  // +1 or -1: both quaternions of a sign are the same frame.
  CAIRN_HD T nearerSign(Vec3<T> j) const {
    const Quat<T> a = goal(j), b = actual(j);
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < T(0) ? T(-1) : T(1);
  }
  CAIRN_HD Quat<T> value(Vec3<T> j, T sign) const {
    const Quat<T> a = goal(j), b = actual(j);
    return {a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w};
  }
  CAIRN_HD Quat<T> derivative(Vec3<T> j, Vec3<T> e, T sign) const {
    const Quat<T> a = quatDerivative(turnP(j), h * (parent.invInertia * e)) * target;
    const Quat<T> b = quatDerivative(turnC(j), h * (child.invInertia * e)) * frame;  // minus the difference's minus
    return {a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w};
  }
};

// --- solving them ------------------------------------------------------------------------------------------------

template <class T> struct Solution {
  Vec3<T> impulse;  // [N s] or [N m s], on the parent
  T before, after;  // the error without it and with it: [m], or the distance of the quaternions (half the angle, for small ones)
};

// x of the symmetric positive definite 3 x 3 system; zero where it has no inverse (locked axes).
template <class T> CAIRN_HD inline Vec3<T> solveSymmetric(Sym3<T> m, Vec3<T> b) {
  const T trace = m.xx + m.yy + m.zz;
  if (!(trace > T(0))) return {T(0), T(0), T(0)};
  // Directions without any mobility would divide by zero: a part of the trace below rounding keeps them still.
  const T minimum = T(1e-12) * trace;
  return inverse(Sym3<T>{m.xx + minimum, m.yy + minimum, m.zz + minimum, m.xy, m.xz, m.yz}) * b;
}

// The step along d, from 0 to 1, that makes the error least. Golden sections keep the better of two inner points and move the other end.
template <class T, class Error> CAIRN_HD inline T goldenSection(const Error& error) {
  const T golden = T(0.6180339887498949);
  T low = T(0), high = T(1);
  T a = high - golden * (high - low), b = low + golden * (high - low), errorA = error(a), errorB = error(b);
  for (int k = 0; k < kGoldenSteps; ++k) {
    if (errorA < errorB) {
      high = b;
      b = a;
      errorB = errorA;
      a = high - golden * (high - low);
      errorA = error(a);
    } else {
      low = a;
      a = b;
      errorA = errorB;
      b = low + golden * (high - low);
      errorB = error(b);
    }
  }
  const T inner = errorA < errorB ? a : b;
  // The whole step is what a quadratic error asks for, and no inner point is it.
  return error(T(1)) <= error(inner) ? T(1) : inner;
}

template <class T> struct Descent {
  Vec3<T> j;
  T error;
};

// Newton's iteration from j, downhill all the way.
template <class T> CAIRN_HD inline Descent<T> descendLinear(const LinearEquation<T>& equation, Vec3<T> j, T wanted, T fraction) {
  Vec3<T> f = equation.value(j);
  T error = length(f);
  for (int k = 0; k < kNewtonSteps && error > wanted; ++k) {
    const Vec3<T> x = equation.derivative(j, Vec3<T>{T(1), T(0), T(0)}), y = equation.derivative(j, Vec3<T>{T(0), T(1), T(0)}),
                  z = equation.derivative(j, Vec3<T>{T(0), T(0), T(1)});
    // Gauss-Newton: the same as Newton where the derivative is regular, and still a descent where it is not.
    const Vec3<T> step = -(fraction * solveSymmetric(Sym3<T>{dot(x, x), dot(y, y), dot(z, z), dot(x, y), dot(x, z), dot(y, z)},
                                                     Vec3<T>{dot(x, f), dot(y, f), dot(z, f)}));
    const T along = goldenSection<T>([&](T t) { return length(equation.value(j + t * step)); });
    const Vec3<T> next = j + along * step, nextF = equation.value(next);
    if (!(length(nextF) < error)) break;  // rounding, or a valley without a way out
    j = next;
    f = nextF;
    error = length(f);
  }
  return {j, error};
}

// `fraction` (0 to 1) of the error is to go: the sweeps over all joints raise it to 1. `size`: of the joint [m].
//
// If a body rotates far within h, the descent may end in a valley of the error, since rotation alone brings a point no nearer. A push that moves the
// bodies without any rotation always does: such a push leads out of the valley, and the descent begins again.
template <class T> CAIRN_HD inline Solution<T> solveLinear(const LinearEquation<T>& equation, T size, T fraction) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  const T before = length(equation.value(zero));
  const T wanted = maxOf((T(1) - fraction) * before, Arrived<T>::value * size);
  Descent<T> best = descendLinear(equation, zero, wanted, fraction), now = best;
  const Vec3<T> mobility = equation.h * (equation.parent.invMass + equation.child.invMass);
  for (int k = 0; k < kPushes && best.error > wanted; ++k) {
    const Vec3<T> f = equation.value(now.j);
    const auto pushed = [](T value, T along) { return along > T(0) ? value / along : T(0); };
    const Vec3<T> push{pushed(f.x, mobility.x), pushed(f.y, mobility.y), pushed(f.z, mobility.z)};
    if (!(length(push) > T(0))) break;
    now = descendLinear(equation, now.j - push, wanted, fraction);
    if (now.error < best.error) best = now;
  }
  return {best.j, before, best.error};
}

template <class T> CAIRN_HD inline T lengthOf(Quat<T> q) { return squareRoot(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w); }
template <class T> CAIRN_HD inline T dotOf(Quat<T> a, Quat<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

template <class T> CAIRN_HD inline Solution<T> solveAngular(const AngularEquation<T>& equation, T fraction) {
  Vec3<T> j{T(0), T(0), T(0)};
  const auto errorAt = [&](Vec3<T> at) { return lengthOf(equation.value(at, equation.nearerSign(at))); };
  const T before = errorAt(j);
  const T wanted = maxOf((T(1) - fraction) * before, Arrived<T>::value);
  T error = before;
  for (int k = 0; k < kNewtonSteps && error > wanted; ++k) {
    const T sign = equation.nearerSign(j);
    const Quat<T> f = equation.value(j, sign);
    const Quat<T> x = equation.derivative(j, Vec3<T>{T(1), T(0), T(0)}, sign), y = equation.derivative(j, Vec3<T>{T(0), T(1), T(0)}, sign),
                  z = equation.derivative(j, Vec3<T>{T(0), T(0), T(1)}, sign);
    const Vec3<T> step = -(fraction * solveSymmetric(Sym3<T>{dotOf(x, x), dotOf(y, y), dotOf(z, z), dotOf(x, y), dotOf(x, z), dotOf(y, z)},
                                                     Vec3<T>{dotOf(x, f), dotOf(y, f), dotOf(z, f)}));
    const T along = goldenSection<T>([&](T t) { return errorAt(j + t * step); });
    const Vec3<T> next = j + along * step;
    const T nextError = errorAt(next);
    if (!(nextError < error)) break;
    j = next;
    error = nextError;
  }
  return {j, before, error};
}

}  // namespace cairn::v0::joint
