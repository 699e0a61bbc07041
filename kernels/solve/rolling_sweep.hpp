// Torsional and rolling friction in a sweep: three rows more for each manifold, after those of its points.
//
// Two bodies that turn against each other by omega (B's angular velocity less A's) meet a moment at their contact. About the normal it is at most
// `torsional` times the manifold's normal impulse, about its tangents at most `rolling` times it, both lengths; each opposes the turn as Coulomb's
// friction opposes sliding: with the impulses gamma on B
//   |gamma_n| <= torsional lambda_n,   gamma_n = -torsional lambda_n sign(omega_n) where omega_n is not 0,
//   |gamma_t| <= rolling lambda_n,     gamma_t along -omega_t and that large where omega_t is not 0
// (Leine and Glocker, "A set-valued force law for spatial Coulomb-Contensou friction", 2003, treat the coupling of sliding and spin, which is left
// out here as it is in other engines). They are lengths of the contact, not of the bodies: a wheel of radius r rolls on a slope steeper than rolling
// / r.
#pragma once

#include "kernels/rows/rolling_rows.hpp"
#include "kernels/solve/contact_sweep.hpp"

namespace cairn::v0 {

template <class V> CAIRN_HD inline void applyAngularImpulse(LaneBody<V>& a, LaneBody<V>& b, Vec3<V> impulse) {
  a.w -= a.invInertia * impulse;
  b.w += b.invInertia * impulse;
}

template <class V, class T> CAIRN_HD inline Vec3<V> angularImpulseOf(const RollingView<T>& rolling, int slot) {
  using Lanes = LaneTraits<V>;
  return {Lanes::load(rolling.at(slot, kAngularImpulse)), Lanes::load(rolling.at(slot, kAngularImpulse + 1)),
          Lanes::load(rolling.at(slot, kAngularImpulse + 2))};
}

// The momentum of the angular impulse (ImpulseMomentum): it acts on the same bodies.
template <class V, class T> CAIRN_HD inline void addAngularMomentum(const RollingView<T>& rolling, int slot, const ImpulseMomentum<T>& momentum) {
  using Lanes = LaneTraits<V>;
  if (momentum.last.values == nullptr) return;
  for (int f = 0; f < kMomentumFields; ++f) {
    T *const impulse = rolling.at(slot, kAngularImpulse + f), *const last = rolling.at(slot, kLastAngular + f);
    const V now = Lanes::load(impulse);
    if (momentum.factor > T(0)) Lanes::store(impulse, now + V(momentum.factor) * (now - Lanes::load(last)));
    if (momentum.noted) Lanes::store(last, now);
  }
}

// Points: SolveBlock or FirstSolve.
template <class T, class Points> struct RollingSolve {
  Points points;
  RollingView<T> rolling;

  static constexpr unsigned kHeldFields = 0;

  template <class Contact, class V> CAIRN_HD void apply(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    using Lanes = LaneTraits<V>;
    points.apply(contact, a, b);
    const V zero = V(T(0)), one = V(T(1));
    V normalImpulse = zero;
    contact.forPoints([&](int p) { normalImpulse += contact.getPoint(p, kPointImpulse); });
    const Vec3<V> n = contact.normal, old = angularImpulseOf<V>(rolling, contact.slot);
    Vec3<V> t1, t2;
    tangentFrame(n, t1, t2);

    const Vec3<V> byNormal = a.invInertia * n + b.invInertia * n;
    const V mobility = dot(n, byNormal), bound = Lanes::load(rolling.at(contact.slot, kTorsionalRadius)) * normalImpulse;
    const auto spins = mobility > zero;
    const V stopping = dot(old, n) - select(spins, dot(n, b.w - a.w) / select(spins, mobility, one), zero);
    const V spin = minOf(maxOf(stopping, -bound), bound);
    applyAngularImpulse(a, b, (spin - dot(old, n)) * n);

    const Vec3<V> by1 = a.invInertia * t1 + b.invInertia * t1, by2 = a.invInertia * t2 + b.invInertia * t2, turn = b.w - a.w;
    const TangentBlock<V> block = tangentBlock(dot(t1, by1), dot(t1, by2), dot(t2, by2));
    const Tangential<V> before{dot(old, t1), dot(old, t2)};
    const Tangential<V> roll = projectedFriction(before, Tangential<V>{dot(t1, turn), dot(t2, turn)}, block,
                                                 Lanes::load(rolling.at(contact.slot, kRollingRadius)) * normalImpulse);
    applyAngularImpulse(a, b, (roll.first - before.first) * t1 + (roll.second - before.second) * t2);

    const Vec3<V> fresh = spin * n + roll.first * t1 + roll.second * t2;
    Lanes::store(rolling.at(contact.slot, kAngularImpulse), fresh.x);
    Lanes::store(rolling.at(contact.slot, kAngularImpulse + 1), fresh.y);
    Lanes::store(rolling.at(contact.slot, kAngularImpulse + 2), fresh.z);
  }
};

template <class V, class T, class Contact> CAIRN_HD inline void prepareLane(const RollingSolve<T, FirstSolve<T>>& solve, Contact& contact) {
  prepareLane<V>(solve.points, contact);
  addAngularMomentum<V>(solve.rolling, contact.slot, solve.points.momentum);
}

// The impulses so far, back on the bodies.
template <class T> struct RollingBegin {
  BeginBlock<T> points;
  RollingView<T> rolling;

  static constexpr unsigned kHeldFields = 0;

  template <class Contact, class V> CAIRN_HD void apply(Contact& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    points.whereDue(contact, a, b, [&] {
      points.applyAll(contact, a, b);
      applyAngularImpulse(a, b, angularImpulseOf<V>(rolling, contact.slot));
    });
  }
};

template <class V, class T, class Contact> CAIRN_HD inline void prepareLane(const RollingBegin<T>& begin, Contact& contact) {
  prepareLane<V>(begin.points, contact);
  addAngularMomentum<V>(begin.rolling, contact.slot, begin.points.momentum);
}

}  // namespace cairn::v0
