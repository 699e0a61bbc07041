// Sweeps over a stand-alone contact problem u = W r + q. See problem_sweep.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/math.hpp>

namespace cairn::v0 {

// On the queue's target. Contacts of one colour do not meet in W.
template <class T> struct ProblemView {
  const int* rowStart;  // [contacts + 1] blocks of W by rows
  const int* column;
  const T* blocks;              // 9 each, row-major
  const int* diagonal;          // [contacts] the diagonal's block
  const T* q;                   // [3 contacts]
  const T* friction;            // [contacts]
  T* r;                         // [3 contacts]
  const int* order;             // contacts by colour
  const int* hostColourStarts;  // [colourCount + 1] on the host
  int contacts, colourCount;
};

// Projected Gauss-Seidel in place on r, colour by colour.
template <class T> void sweepProblem(Queue& queue, const ProblemView<T>& view);

// next = r + damping (one-contact solutions - r), every contact from the same r: Jacobi.
template <class T> void jacobiProblem(Queue& queue, const ProblemView<T>& view, T damping, T* next);

// change = r - before; squares = change squared, component by component.
template <class T> void changeOf(Queue& queue, int count, const T* r, const T* before, T* change, T* squares);

// The step of NNCG after a sweep (kernels/solve/conjugate_sweep.hpp): r += beta p, p = beta p + change.
template <class T> void conjugateStep(Queue& queue, int count, T beta, const T* change, T* direction, T* r);

// One contact alone: r in the cone K_mu with u = W r + q, u_n >= 0, r_n u_n = 0 and maximal dissipation. W is 3 x 3, row-major, symmetric, with a
// positive diagonal. Exact up to rounding: open if q separates; sticking if the impulse that stops the point lies in the cone; else sliding,
// u_t = -alpha r_t with alpha > 0 such that |r_t| = mu r_n, where r(alpha) solves a linear system in closed form:
//   (W_tt + alpha) r_t = -(q_t + W_tn r_n),   W_nn r_n + W_nt r_t + q_n = 0.
// |r_t| - mu r_n is positive at the sticking end and negative for large alpha, so bisection with secant steps finds a root.
template <class T> struct OneContact {
  T nn, n1, n2, k11, k12, k22;
  Vec3<T> q;
  T mu;

  CAIRN_HD OneContact(const T* w, Vec3<T> velocity, T friction)
      : nn(w[0]), n1(w[1]), n2(w[2]), k11(w[4]), k12(w[5]), k22(w[8]), q(velocity), mu(friction) {}

  // False if the system is singular to rounding.
  CAIRN_HD bool impulseAt(T alpha, Vec3<T>& r) const {
    const T tiny = sizeof(T) == 8 ? T(1e-14) : T(1e-6);
    const T a = k11 + alpha, c = k22 + alpha;
    const T determinant = a * c - k12 * k12;
    if (!(determinant > tiny * a * c)) return false;
    const T inverse = T(1) / determinant;
    const T x1 = (c * n1 - k12 * n2) * inverse, x2 = (a * n2 - k12 * n1) * inverse;
    const T y1 = (c * q.y - k12 * q.z) * inverse, y2 = (a * q.z - k12 * q.y) * inverse;
    const T normal = nn - (n1 * x1 + n2 * x2);
    if (!(normal > tiny * nn)) return false;
    const T rn = (n1 * y1 + n2 * y2 - q.x) / normal;
    r = {rn, -(y1 + x1 * rn), -(y2 + x2 * rn)};
    return true;
  }
  // Positive: alpha is too small.
  CAIRN_HD T excess(T alpha, Vec3<T>& r) const {
    if (!impulseAt(alpha, r)) return T(1);
    return squareRoot(r.y * r.y + r.z * r.z) - mu * r.x;
  }

  CAIRN_HD Vec3<T> solve() const {
    if (q.x >= T(0)) return {T(0), T(0), T(0)};
    const Vec3<T> straight{-q.x / nn, T(0), T(0)};
    if (!(mu > T(0))) return straight;
    Vec3<T> r;
    T low = T(0), excessLow = excess(low, r);
    if (excessLow <= T(0)) return r;
    T high = T(0.5) * (k11 + k22), excessHigh = excess(high, r);
    for (int k = 0; k < 60 && excessHigh > T(0); ++k) {
      low = high;
      excessLow = excessHigh;
      high = T(8) * high;
      excessHigh = excess(high, r);
    }
    if (excessHigh > T(0)) return straight;
    const T precision = sizeof(T) == 8 ? T(2e-16) : T(1e-7);
    Vec3<T> best = r;
    for (int k = 0; k < 120 && high - low > precision * high; ++k) {
      // Secant twice, then the middle: the bracket at least halves in three.
      const T secant = low + (high - low) * (excessLow / (excessLow - excessHigh));
      const T middle = k % 3 == 2 || !(secant > low && secant < high) ? T(0.5) * (low + high) : secant;
      const T value = excess(middle, r);
      if (value > T(0)) {
        low = middle;
        excessLow = value;
      } else {
        high = middle;
        excessHigh = value;
        best = r;
        if (value == T(0)) break;
      }
    }
    const T tangential = squareRoot(best.y * best.y + best.z * best.z);
    const T shrink = tangential > T(0) ? mu * best.x / tangential : T(0);
    return {best.x, shrink * best.y, shrink * best.z};
  }
};

}  // namespace cairn::v0
