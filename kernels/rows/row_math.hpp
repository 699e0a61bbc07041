// The equations of contact rows, once. V is a lane type: float, double, or a pack of them.
//
// Symbols: contact between bodies A and B at a point with unit normal n from A to B and tangents t1, t2; rA, rB from the centres of mass to it;
//   u      = (vB + wB x rB) - (vA + wA x rA)                  relative velocity [m/s]
//   K(d)   = d . (1/mA + 1/mB) d + (rA x d) . IA^-1 (rA x d) + (rB x d) . IB^-1 (rB x d)     [1/kg]
//   lambda = (lambda_n, lambda_1, lambda_2)                   impulse on B, -lambda on A [N s]
// Normal row:   0 <= lambda_n  complementary to  n.u + bias >= 0
// Tangent rows: lambda_t = Proj_disk(mu lambda_n)(lambda_t - rho u_t) for any rho > 0   (maximal dissipation)
// The bias is s/h for a gap s > 0 (the bodies may just close it) and the stabilization's choice for a penetration.
#pragma once

#include "kernels/rows/body_lanes.hpp"

namespace cairn::v0 {

template <class V, class Mask> CAIRN_HD inline Sym3<V> select(const Mask& c, const Sym3<V>& a, const Sym3<V>& b) {
  return {select(c, a.xx, b.xx), select(c, a.yy, b.yy), select(c, a.zz, b.zz), select(c, a.xy, b.xy), select(c, a.xz, b.xz), select(c, a.yz, b.yz)};
}

// a, no longer than `max`.
template <class V> CAIRN_HD inline Vec3<V> clampLength(Vec3<V> a, V max) {
  const V l2 = dot(a, a), one = V(1);
  const auto far = l2 > max * max;
  if (allOf(!far)) return a;
  return select(far, max / squareRoot(select(far, l2, one)), one) * a;
}

template <class V> CAIRN_HD inline Vec3<V> relativeVelocity(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB) {
  return (b.v + cross(b.w, rB)) - (a.v + cross(a.w, rA));
}

// V += M^-1 J^T P for the impulse P on B at the point and -P on A.
template <class V> CAIRN_HD inline void applyImpulse(LaneBody<V>& a, LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> impulse) {
  a.v -= scale(a.invMass, impulse);
  a.w -= a.invInertia * cross(rA, impulse);
  b.v += scale(b.invMass, impulse);
  b.w += b.invInertia * cross(rB, impulse);
}

// K between two directions: d . (J M^-1 J^T) e for rows along d and e at the same point.
template <class V> CAIRN_HD inline V effectiveInverseMass(const LaneBody<V>& a, const LaneBody<V>& b, Vec3<V> rA, Vec3<V> rB, Vec3<V> d, Vec3<V> e) {
  return dot(d, scale(a.invMass + b.invMass, e)) + dot(cross(rA, d), a.invInertia * cross(rA, e)) + dot(cross(rB, d), b.invInertia * cross(rB, e));
}

template <class V> struct Tangential { V first, second; };

// The inverse of the 2 x 2 tangential block and the step rho = 1 / (its largest eigenvalue).
template <class V> struct TangentBlock { V inv11, inv12, inv22, rho; };
// A direction without mobility (locked axes) leaves the block without an inverse: the step alone serves. All zero if neither direction has any.
template <class V> CAIRN_HD inline TangentBlock<V> tangentBlock(V k11, V k12, V k22) {
  const V zero = V(0), one = V(1), half = V(0.5f) * (k11 - k22);
  const V largest = V(0.5f) * (k11 + k22) + squareRoot(half * half + k12 * k12);
  const V determinant = k11 * k22 - k12 * k12;
  const auto moves = largest > zero;
  const auto inverts = moves & (determinant > V(1e-6f) * largest * largest);
  const V rho = select(moves, one / select(moves, largest, one), zero);
  const V inverse = one / select(inverts, determinant, one);
  return {select(inverts, k22 * inverse, rho), select(inverts, -(k12 * inverse), zero), select(inverts, k11 * inverse, rho), rho};
}

// One friction update: the impulse that stops the point where that lies on the disk, else a projected step. A fixed point of this map solves the
// tangential law exactly, sticking or sliding.
template <class V> CAIRN_HD inline Tangential<V> projectedFriction(Tangential<V> lambda, Tangential<V> u, const TangentBlock<V>& k, V radius) {
  const V stick1 = lambda.first - (k.inv11 * u.first + k.inv12 * u.second);
  const V stick2 = lambda.second - (k.inv12 * u.first + k.inv22 * u.second);
  const V radius2 = radius * radius;
  const auto sticks = stick1 * stick1 + stick2 * stick2 <= radius2;
  // The square root and the division are what a sweep waits for: most contacts stick.
  if (allOf(sticks)) return {stick1, stick2};
  const V slide1 = lambda.first - k.rho * u.first;
  const V slide2 = lambda.second - k.rho * u.second;
  const V length2 = slide1 * slide1 + slide2 * slide2;
  const auto outside = length2 > radius2;
  const V shrink = select(outside, radius / squareRoot(select(outside, length2, V(1))), V(1));
  return {select(sticks, stick1, shrink * slide1), select(sticks, stick2, shrink * slide2)};
}

// Projection on the friction cone { |r_t| <= mu r_n } (formulas.md 2.3).
template <class T> CAIRN_HD inline Vec3<T> projectOnCone(Vec3<T> r, T mu) {
  const T tangential = squareRoot(r.y * r.y + r.z * r.z);
  if (r.x >= T(0) && tangential <= mu * r.x) return r;  // without friction both sides are 0 for what pulls straight back
  if (mu * tangential <= -r.x) return {T(0), T(0), T(0)};
  const T normal = (r.x + mu * tangential) / (T(1) + mu * mu);
  const T shrink = mu * normal / tangential;
  return {normal, shrink * r.y, shrink * r.z};
}

// r - Proj(r - rho (u + mu |u_t| n)): zero exactly where the contact law holds. Components (normal, tangent 1, tangent 2).
template <class T> CAIRN_HD inline Vec3<T> naturalMap(Vec3<T> r, Vec3<T> u, T mu, T rho) {
  const T slip = squareRoot(u.y * u.y + u.z * u.z);
  const Vec3<T> uHat{u.x + mu * slip, u.y, u.z};
  return r - projectOnCone(r - rho * uHat, mu);
}

// --- stabilization ---------------------------------------------------------------------------------------------

// The numbers by which normal rows of one substep treat gaps and penetrations; chosen by src/solve/stabilization.cpp. Contacts rest at the depth
// `slop`: short of it they are pulled together, beyond it pushed apart, both at `rate`, so that a resting contact stays in touch instead of
// chattering at gap 0.
template <class T> struct NormalBias {
  T gapRate;    // approach speed allowed per metre of a gap [1/s]; 1/h: it may just close
  T rate;       // correction speed per metre from the resting depth [1/s]
  T slop;       // [m]
  T maxSpeed;   // [m/s]
  T restSpeed;  // rate * slop: the bias at gap 0
};

// Speed that a point may still approach with: that of its gap, plus the correction.
template <class V, class T> CAIRN_HD inline V normalBias(V separation, const NormalBias<T>& k) {
  const V correction = maxOf(V(k.rate) * (minOf(V(0), separation) + V(k.slop)), V(-k.maxSpeed));
  return correction + maxOf(separation, V(0)) * V(k.gapRate);
}

// The gap's part of that bias: 0 for a penetration.
template <class V> CAIRN_HD inline V gapSpeed(V bias, V restSpeed) { return maxOf(bias - restSpeed, V(0)); }

// Normal stabilization of Silcowitz, Niebe and Erleben ("Normal and Friction Stabilization Techniques for Interactive Rigid Body Constraint-based
// Contact Force Simulations", 2010, section 2). Contacts go to half the envelope.
template <class T> struct SilcowitzTarget {
  T envelope;     // eta [m]
  T inverseStep;  // 1/h
  T maxSpeed;     // c_max [m/s]
  T threshold;    // approach speed below which restitution is off [m/s]
};

// Bias of a point from its separation d, its normal velocity u before any impulse and its restitution e: -(u_collision + c_n). Beyond the envelope,
// where the paper has no contacts, a point may come to half the envelope and no further.
template <class V, class T> CAIRN_HD inline V silcowitzBias(V d, V u, V restitution, const SilcowitzTarget<T>& k) {
  const V zero = V(T(0)), maxSpeed = V(k.maxSpeed);
  const V correction = (V(T(0.5) * k.envelope) - d) * V(k.inverseStep);
  const V collision = select(u < V(-k.threshold), -(restitution * u), zero);
  const auto leaves = collision > (V(k.envelope) - d) * V(k.inverseStep);
  const V tooClose = maxOf(correction - collision, zero);
  const V wanted = select(leaves, zero, select(correction >= zero, tooClose, correction));
  const V clamped = minOf(maxOf(wanted, -maxSpeed), maxSpeed);
  return select(d < V(k.envelope), -(collision + clamped), -correction);
}

// Friction stabilization (the same paper, section 3): the tangential speed, negated, that takes the fraction k_t of the slip s back within a substep;
// none for slips within the tolerance. The correction may not use up the friction cone, or it would turn the sticking point into a sliding one that
// is forgotten: `maxSpeed` is what a part of the cone can bring about.
template <class T> struct SlipTarget {
  T rate;       // k_t/h
  T tolerance;  // epsilon [m]
  T maxSpeed;   // [m/s]
};
// Of a point's cone, for the speed that it would bring about by itself. Several points share what moves their bodies: 0.4 is a sixth of the cones of
// a cube's four corners.
constexpr double kSlipFractionOfCone = 0.25, kSlipFractionOfCones = 0.4;
template <class V, class T> CAIRN_HD inline Tangential<V> slipBias(Tangential<V> slip, V maxSpeed, const SlipTarget<T>& k) {
  const V length2 = slip.first * slip.first + slip.second * slip.second;
  const auto slips = length2 > V(k.tolerance * k.tolerance);
  const V length = squareRoot(select(slips, length2, V(T(1))));
  const V speed = select(slips, minOf(V(k.rate) * length, minOf(maxSpeed, V(k.maxSpeed))) / length, V(T(0)));
  return {-(speed * slip.first), -(speed * slip.second)};
}

// The motion of a point fixed to a body since the collision pass: dp + (R(dq) - 1) r, without cancellation.
template <class V> CAIRN_HD inline Vec3<V> pointMotion(Vec3<V> dp, Quat<V> dq, Vec3<V> r) {
  const Vec3<V> axis{dq.x, dq.y, dq.z};
  const Vec3<V> t = V(2) * cross(axis, r);
  return dp + dq.w * t + cross(axis, t);
}

}  // namespace cairn::v0
