// Ellipsoids against every shape. One point each, feature 0: smooth shapes touch in one.
//
// In the ellipsoid's frame |D^-1 x| <= 1 with D = diag(semi-axes). Where both shapes just touch, the touching point is the point of the other shape
// at which f(x) = |D^-1 x|^2 is smallest, and the normal is the gradient there. Away from touching that gradient is still the normal of a plane that
// separates the shapes, or that measures how deep they are: the separation along it is exact for a small gap or depth and never above the true one
// for larger gaps. For points with a radius (spheres, the axes of capsules) the nearest point of the surface is found instead, which is exact
// anywhere.
#pragma once

#include "collide_half_space.hpp"
#include "collide_manifold.hpp"

namespace cairn {
namespace ellipsoid {

constexpr int kNewtonSteps = 12, kBisections = 30;
// A point this near to where the nearest surface point is not unique, as a fraction of the semi-axes, is treated as if it were a little off.
constexpr double kOffCentre = 1e-3;

// How far the surface reaches along a unit direction of its frame.
template <class T> CAIRN_HD inline T reach(Vec3<T> a, Vec3<T> n) { return length(scale(a, n)); }

// D. Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid": x_i = a_i^2 p_i / (t + a_i^2) with the largest root t of
// sum (a_i p_i / (t + a_i^2))^2 = 1. The sum is convex and falls with t, so Newton's iteration comes to the root from below.
// Answers with the unit normal there, outward.
template <class T> CAIRN_HD inline Vec3<T> normalNearest(Vec3<T> a, Vec3<T> p) {
  const Vec3<T> squares = scale(a, a);
  const T least = minOf(squares.x, minOf(squares.y, squares.z));
  const auto startAt = [&](Vec3<T> q) {
    const Vec3<T> root = scale(a, absOf(q)) - squares;
    return maxOf(root.x, maxOf(root.y, root.z));
  };
  const T off = T(kOffCentre);
  T t = startAt(p);
  if (t <= (off - T(1)) * least) {
    const auto away = [&](T value, T axis) { return absOf(value) >= off * axis ? value : (value < T(0) ? -(off * axis) : off * axis); };
    p = {away(p.x, a.x), away(p.y, a.y), away(p.z, a.z)};
    t = startAt(p);
  }
  const Vec3<T> ap = scale(a, p);
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Vec3<T> inverse{T(1) / (t + squares.x), T(1) / (t + squares.y), T(1) / (t + squares.z)};
    const Vec3<T> ratio = scale(ap, inverse), square = scale(ratio, ratio);
    const T slope = dot(square, inverse);
    if (!(slope > T(0))) break;
    t += T(0.5) * (dot(ratio, ratio) - T(1)) / slope;
  }
  const Vec3<T> gradient{p.x / (t + squares.x), p.y / (t + squares.y), p.z / (t + squares.z)};  // x_i / a_i^2
  return normalizedOr(gradient, Vec3<T>{T(0), T(1), T(0)});
}

// Contact from A's frame: the normal there, and the point on B's surface.
template <class T> CAIRN_HD inline void answer(const Pose<T>& a, Vec3<T> normal, Vec3<T> onB, T separation, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  if (!(separation <= margin)) return;
  out.normal = rotate(a.q, normal);
  addPoint(out, transform(a, onB) - (T(0.5) * separation) * out.normal, separation, 0u);
}

// B's point that minimises f, if it is not in A's centre.
template <class T> CAIRN_HD inline void answerAt(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> x, T margin, LocalManifold<T>& out) {
  const Vec3<T> gradient{x.x / (sizeA.x * sizeA.x), x.y / (sizeA.y * sizeA.y), x.z / (sizeA.z * sizeA.z)};
  const Vec3<T> n = normalizedOr(gradient, Vec3<T>{T(0), T(1), T(0)});
  answer(a, n, x, dot(n, x) - reach(sizeA, n), margin, out);
}

}  // namespace ellipsoid

// The plane's solid is below; A is the ellipsoid.
template <class T>
CAIRN_HD inline void collideEllipsoidHalfSpace(Vec3<T> sizeA, const Pose<T>& a, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Plane<T> plane = planeOf(b);
  const Vec3<T> n = inverseRotate(a.q, -plane.normal);
  const T far = ellipsoid::reach(sizeA, n);
  const T separation = plane.height(a.p) - far;
  if (separation > margin) return;
  out.normal = -plane.normal;
  const Vec3<T> lowest = (T(1) / far) * scale(scale(sizeA, sizeA), n);
  addPoint(out, transform(a, lowest) + (T(0.5) * separation) * out.normal, separation, 0u);
}

template <class T>
CAIRN_HD inline void collideEllipsoidSphere(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Vec3<T> p = inverseTransform(a, b.p);
  const Vec3<T> n = ellipsoid::normalNearest(sizeA, p);
  ellipsoid::answer(a, n, p - sizeB.x * n, dot(n, p) - ellipsoid::reach(sizeA, n) - sizeB.x, margin, out);
}

// The signed distance is convex along the capsule's axis: where its slope changes sign is the nearest point.
template <class T>
CAIRN_HD inline void collideEllipsoidCapsule(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Vec3<T> centre = inverseTransform(a, b.p), axis = inverseRotate(a.q, capsuleCore(sizeB, b).axis);
  T low = T(-1), high = T(1);
  for (int k = 0; k < ellipsoid::kBisections; ++k) {
    const T middle = T(0.5) * (low + high);
    if (dot(ellipsoid::normalNearest(sizeA, centre + middle * axis), axis) > T(0)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  // At an end both limits have come to it.
  const Vec3<T> p = centre + (T(0.5) * (low + high)) * axis;
  const Vec3<T> n = ellipsoid::normalNearest(sizeA, p);
  // Deep inside, the normal may be any of several; along it the whole capsule counts.
  const T separation = dot(n, centre) - absOf(dot(n, axis)) - ellipsoid::reach(sizeA, n) - sizeB.x;
  ellipsoid::answer(a, n, p - sizeB.x * n, separation, margin, out);
}

// The smallest f over a box lies on a face, an edge or a corner; on each it is a small linear system, and the best that lies on the box wins.
template <class T>
CAIRN_HD inline void collideEllipsoidBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Vec3<T> p = inverseTransform(a, b.p);
  const Mat3<T> turned = rotationMatrix(conjugate(a.q) * b.q);
  const Vec3<T> inBox = -transposeTimes(turned, p);  // A's centre in the box's frame
  const Vec3<T> room = sizeB - absOf(inBox);
  if (room.x > T(0) && room.y > T(0) && room.z > T(0)) {
    // Through the face that is nearest to the whole ellipsoid.
    int axis = 0;
    T best = T(-1e30);
    for (int k = 0; k < 3; ++k) {
      const Vec3<T> face = k == 0 ? turned.c0 : (k == 1 ? turned.c1 : turned.c2);
      const T separation = -component(room, k) - ellipsoid::reach(sizeA, face);
      if (separation > best) best = separation, axis = k;
    }
    const Vec3<T> face = axis == 0 ? turned.c0 : (axis == 1 ? turned.c1 : turned.c2);
    const T side = component(inBox, axis) < T(0) ? T(1) : T(-1);  // the ellipsoid leaves against it
    ellipsoid::answer(a, side * face, (-component(room, axis) * side) * face, best, margin, out);
    return;
  }
  // In units in which the ellipsoid is the unit ball: minimise |d + s_0 e_0 + s_1 e_1 + s_2 e_2|, |s_k| <= half extent.
  const Vec3<T> inverse{T(1) / sizeA.x, T(1) / sizeA.y, T(1) / sizeA.z};
  const Vec3<T> d = scale(inverse, p), e[3] = {scale(inverse, turned.c0), scale(inverse, turned.c1), scale(inverse, turned.c2)};
  T best = T(1e30);
  T s[3] = {T(0), T(0), T(0)};
  const auto consider = [&](int i, T si, int j, T sj, int k, T sk) {
    const T f = lengthSquared(d + si * e[i] + sj * e[j] + sk * e[k]);
    if (!(f < best)) return;
    best = f;
    s[i] = si;
    s[j] = sj;
    s[k] = sk;
  };
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1;
    const T hi = component(sizeB, i), hj = component(sizeB, j), hk = component(sizeB, k);
    for (int signI = -1; signI <= 1; signI += 2) {
      const T si = T(signI) * hi;
      const Vec3<T> onFace = d + si * e[i];
      // Face: j and k free.
      const T jj = dot(e[j], e[j]), jk = dot(e[j], e[k]), kk = dot(e[k], e[k]), rj = dot(e[j], onFace), rk = dot(e[k], onFace);
      const T determinant = jj * kk - jk * jk;
      if (determinant > T(0)) {
        const T sj = (jk * rk - kk * rj) / determinant, sk = (jk * rj - jj * rk) / determinant;
        if (absOf(sj) <= hj && absOf(sk) <= hk) consider(i, si, j, sj, k, sk);
      }
      // Its edges, k free, clamped to their ends: corners too.
      for (int signJ = -1; signJ <= 1; signJ += 2) {
        const T sj = T(signJ) * hj;
        consider(i, si, j, sj, k, clampTo(-dot(e[k], onFace + sj * e[j]) / kk, -hk, hk));
      }
    }
  }
  ellipsoid::answerAt(sizeA, a, p + s[0] * turned.c0 + s[1] * turned.c1 + s[2] * turned.c2, margin, out);
}

// Smallest f over ellipsoid B: (M_A + l M_B) x = l M_B d for its centre d and a multiplier l > 0 that puts x on B's surface. 1/|x - d|_B is nearly
// linear in l, and Newton's iteration on it comes from below (More and Sorensen, "Computing a Trust Region Step", 1983).
template <class T>
CAIRN_HD inline void collideEllipsoidEllipsoid(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Vec3<T> d = inverseTransform(a, b.p);
  // In units of A's mean size, so that squares stay within float's range.
  const T unit = (sizeA.x + sizeA.y + sizeA.z) / T(3), perUnit = T(1) / unit;
  const Vec3<T> axesA = perUnit * sizeA, axesB = perUnit * sizeB, centre = perUnit * d;
  const Mat3<T> turned = rotationMatrix(conjugate(a.q) * b.q);
  const auto inverseSquares = [](Vec3<T> v) { return Vec3<T>{T(1) / (v.x * v.x), T(1) / (v.y * v.y), T(1) / (v.z * v.z)}; };
  const Vec3<T> squaresA = inverseSquares(axesA), squaresB = inverseSquares(axesB);
  const Sym3<T> formA{squaresA.x, squaresA.y, squaresA.z, T(0), T(0), T(0)};
  const Sym3<T> formB = rotated(turned, Sym3<T>{squaresB.x, squaresB.y, squaresB.z, T(0), T(0), T(0)});
  const Vec3<T> toCentre = formA * centre;
  if (!(dot(centre, formB * centre) > T(1))) {
    // A's centre is in B: they part along the line between the centres.
    const Vec3<T> n = normalizedOr(d, Vec3<T>{T(0), T(1), T(0)});
    const Vec3<T> inB = transposeTimes(turned, -n);
    const T reachB = ellipsoid::reach(sizeB, inB);
    const Vec3<T> onB = d + (T(1) / reachB) * (turned * scale(scale(sizeB, sizeB), inB));
    ellipsoid::answer(a, n, onB, dot(n, d) - ellipsoid::reach(sizeA, n) - reachB, margin, out);
    return;
  }
  T multiplier = T(0);
  Vec3<T> fromCentre = -centre;
  for (int k = 0; k < ellipsoid::kNewtonSteps; ++k) {
    const Sym3<T> sum{formA.xx + multiplier * formB.xx,
                      formA.yy + multiplier * formB.yy,
                      formA.zz + multiplier * formB.zz,
                      multiplier * formB.xy,
                      multiplier * formB.xz,
                      multiplier * formB.yz};
    const Sym3<T> solve = inverse(sum);
    fromCentre = -(solve * toCentre);
    const Vec3<T> pull = formB * fromCentre;
    const T h = dot(fromCentre, pull), slope = T(-2) * dot(pull, solve * pull);
    if (!(slope < T(0))) break;
    multiplier = maxOf(multiplier + T(2) * h * (T(1) - squareRoot(h)) / slope, T(0));
  }
  // Back onto B's surface by what the iteration left over.
  const T h = dot(fromCentre, formB * fromCentre);
  ellipsoid::answerAt(sizeA, a, unit * (centre + (T(1) / squareRoot(h)) * fromCentre), margin, out);
}

}  // namespace cairn
