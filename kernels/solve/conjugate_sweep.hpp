// Nonsmooth nonlinear conjugate gradients around the sweeps (Silcowitz, Niebe and Erleben, "A Nonsmooth Nonlinear Conjugate Gradient Method for
// Interactive Contact Force Problems", 2010). A sweep takes the impulses l to S(l); g = l - S(l) is taken for a gradient:
//   beta = |g|^2 / |g before|^2, 0 (restart) where that is above 1;  l <- S(l) + beta p,  p <- beta p - g
// Impulses that leave the cone on the way are brought back by the next sweep; the last thing done is always a sweep.
#pragma once

#include "kernels/problems/conjugate_factor.hpp"
#include "kernels/solve/contact_sweep.hpp"

namespace cairn::v0 {

constexpr int kBefore = 0;     // 0, 1, 2: impulses before the sweep
constexpr int kDirection = 3;  // 3, 4, 5: p
constexpr int kConjugateFields = 6;

template <class T> struct ConjugateState { T norm, previousNorm, beta; };

// Impulses as they are, no direction yet.
template <class T> struct BeginConjugate {
  RowView<T> rows;
  PointArray<T> directions;

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    for (int p = 0; p < contact.points; ++p) {
      for (int k = 0; k < 3; ++k) {
        contact.put(directions, p, kBefore + k, contact.get(LaneContact<V>::base(p) + kPointImpulse + k));
        contact.put(directions, p, kDirection + k, V(T(0)));
      }
    }
  }
};

// |g|^2 of each lane after a sweep.
template <class T> struct GradientNorm {
  RowView<T> rows;
  PointArray<T> directions;
  T* norms;  // [slots]

  template <class V> CAIRN_HD void at(int slot) const {
    const LaneContact<V> contact(rows, slot);
    V sum = V(T(0));
    for (int p = 0; p < contact.points; ++p) {
      for (int k = 0; k < 3; ++k) {
        const V g = contact.get(directions, p, kBefore + k) - contact.get(LaneContact<V>::base(p) + kPointImpulse + k);
        sum += g * g;
      }
    }
    LaneTraits<V>::store(norms + slot, sum);
  }
};

// Along the direction, on impulses and bodies.
template <class T> struct FollowDirection {
  PointArray<T> directions;
  const ConjugateState<T>* state;

  template <class V> CAIRN_HD void apply(const LaneContact<V>& contact, LaneBody<V>& a, LaneBody<V>& b) const {
    const V beta = V(state->beta);
    Vec3<V> t1, t2;
    tangentFrame(contact.normal, t1, t2);
    for (int p = 0; p < contact.points; ++p) {
      const int base = LaneContact<V>::base(p);
      V step[3];
      for (int k = 0; k < 3; ++k) {
        const V now = contact.get(base + kPointImpulse + k);
        const V g = contact.get(directions, p, kBefore + k) - now;
        step[k] = beta * contact.get(directions, p, kDirection + k);
        contact.put(base + kPointImpulse + k, now + step[k]);
        contact.put(directions, p, kBefore + k, now + step[k]);
        contact.put(directions, p, kDirection + k, step[k] - g);
      }
      const Vec3<V> rA = contact.getVector(base + kPointRA);
      applyImpulse(a, b, rA, rA + contact.toB, step[0] * contact.normal + step[1] * t1 + step[2] * t2);
    }
  }
};

}  // namespace cairn::v0
