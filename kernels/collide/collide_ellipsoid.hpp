// Ellipsoids against every shape. One point each, feature 0: smooth shapes touch in one.
//
// In the ellipsoid's frame |D^-1 x| <= 1 with D = diag(semi-axes). Where both shapes just touch, the touching point is the point of the other shape
// at which f(x) = |D^-1 x|^2 is smallest, and the normal is the gradient there. Away from touching that gradient is still the normal of a plane that
// separates the shapes, or that measures how deep they are. From there the normal along which the shapes are farthest apart, or overlap least, is
// found: by Newton's iteration between ellipsoids, from the corner or edge of a box that is nearest. For points with a radius (spheres, the axes of
// capsules) the nearest point of the surface is found at once.
#pragma once

#include "kernels/collide/collide_half_space.hpp"
#include "kernels/collide/collide_manifold.hpp"

namespace cairn::v0 {
namespace ellipsoid {

constexpr int kNewtonSteps = 12, kBisections = 30, kNormalSteps = 5, kAlternations = 16, kMostAlternations = 400;
constexpr double kSettled = 0.05;  // part of a gap that is known well enough
constexpr double kFar = 0.25;      // of the smallest semi-axis
// Near some points inside the ellipsoid the nearest surface point is not unique. A point this near to them, as a fraction of the semi-axes, is
// treated as if it were a little further off.
constexpr double kOffCentre = 1e-3;

// Distance of the tangent plane along a unit direction of the ellipsoid's frame.
template <class T> CAIRN_HD inline T reach(Vec3<T> a, Vec3<T> n) { return length(scale(a, n)); }

// Support point, from the centre, in a direction of the frame.
template <class T> CAIRN_HD inline Vec3<T> support(Vec3<T> a, Vec3<T> n) { return (T(1) / reach(a, n)) * scale(scale(a, a), n); }

// Radii of curvature where the outward normal is n, in its tangent frame: 11, 12, 22. The second derivative of reach, (D^2 - x x^T)/reach for the
// support point x.
template <class T> CAIRN_HD inline Vec3<T> curvature(Vec3<T> a, Vec3<T> n, Vec3<T> t1, Vec3<T> t2) {
  const Vec3<T> squares = scale(a, a);
  const T inverse = T(1) / reach(a, n);
  const Vec3<T> x = inverse * scale(squares, n);
  const T x1 = dot(x, t1), x2 = dot(x, t2);
  return {inverse * (dot(t1, scale(squares, t1)) - x1 * x1), inverse * (dot(t1, scale(squares, t2)) - x1 * x2),
          inverse * (dot(t2, scale(squares, t2)) - x2 * x2)};
}

// D. Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid": x_i = a_i^2 p_i / (t + a_i^2) with the largest root t of
// sum (a_i p_i / (t + a_i^2))^2 = 1. The sum is convex and falls with t, so Newton's iteration comes to the root from below.
// Answers with the unit normal at the nearest point of the surface, outward.
template <class T> CAIRN_HD inline Vec3<T> normalNearest(Vec3<T> a, Vec3<T> p) {
  const Vec3<T> squares = scale(a, a);
  const T smallest = minOf(squares.x, minOf(squares.y, squares.z));
  const auto startAt = [&](Vec3<T> q) {
    const Vec3<T> root = scale(a, absOf(q)) - squares;
    return maxOf(root.x, maxOf(root.y, root.z));
  };
  const T off = T(kOffCentre);
  T t = startAt(p);
  if (t <= (off - T(1)) * smallest) {
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

// The contact from a normal and a point of B's surface, both in A's frame.
template <class T> CAIRN_HD inline void answer(const Pose<T>& a, Vec3<T> normal, Vec3<T> onB, T separation, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  if (!(separation <= margin)) return;
  out.normal = rotate(a.q, normal);
  addPoint(out, transform(a, onB) - (T(0.5) * separation) * out.normal, separation, 0u);
}

// The gradient of f, a unit vector.
template <class T> CAIRN_HD inline Vec3<T> gradientAt(Vec3<T> a, Vec3<T> x) {
  return normalizedOr(Vec3<T>{x.x / (a.x * a.x), x.y / (a.y * a.y), x.z / (a.z * a.z)}, Vec3<T>{T(0), T(1), T(0)});
}

// The normal at the point of a segment (centre - axis to centre + axis) that is nearest to the ellipsoid. The signed distance is convex along the
// segment: bisection finds where its slope changes sign.
template <class T> CAIRN_HD inline Vec3<T> normalNearestSegment(Vec3<T> a, Vec3<T> centre, Vec3<T> axis, T& along) {
  T low = T(-1), high = T(1);
  for (int k = 0; k < kBisections; ++k) {
    const T middle = T(0.5) * (low + high);
    if (dot(normalNearest(a, centre + middle * axis), axis) > T(0)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  along = T(0.5) * (low + high);  // at an end both limits have come to it
  return normalNearest(a, centre + along * axis);
}

// A box in the ellipsoid's frame.
template <class T> struct BoxNearby {
  Vec3<T> a;  // semi-axes of the ellipsoid
  Vec3<T> half, centre;
  Mat3<T> axes;
};

// A normal in the ellipsoid's frame, the point on the other shape's surface, and the gap along the normal.
template <class T> struct Touch {
  Vec3<T> n, onB;
  T separation;
};

template <class T> CAIRN_HD inline T separationAlong(const BoxNearby<T>& box, Vec3<T> normal) {
  return dot(normal, box.centre) - dot(box.half, absOf(transposeTimes(box.axes, normal))) - reach(box.a, normal);
}

// The ellipsoid's centre is in the box: out through the face that is nearest to the whole ellipsoid. `inBox`: the centre in the box's frame.
template <class T> CAIRN_HD inline Touch<T> throughFace(const BoxNearby<T>& box, Vec3<T> inBox, Vec3<T> room) {
  int axis = 0;
  T best = T(-1e30);
  for (int k = 0; k < 3; ++k) {
    const Vec3<T> face = k == 0 ? box.axes.c0 : (k == 1 ? box.axes.c1 : box.axes.c2);
    const T separation = -component(room, k) - reach(box.a, face);
    if (separation > best) best = separation, axis = k;
  }
  const Vec3<T> face = axis == 0 ? box.axes.c0 : (axis == 1 ? box.axes.c1 : box.axes.c2);
  const T side = component(inBox, axis) < T(0) ? T(1) : T(-1);  // the ellipsoid leaves against it
  return {side * face, (-component(room, axis) * side) * face, best};
}

// The point of the box with the smallest f, as coordinates along the box's axes. It lies on a face, an edge or a corner; on each it is the solution
// of a small linear system, and the best that lies on the box wins.
template <class T> CAIRN_HD inline void smallestOnBox(const BoxNearby<T>& box, T (&s)[3]) {
  // In units in which the ellipsoid is the unit ball: minimise |d + s_0 e_0 + s_1 e_1 + s_2 e_2|, |s_k| <= half extent.
  const Vec3<T> inverse{T(1) / box.a.x, T(1) / box.a.y, T(1) / box.a.z};
  const Vec3<T> d = scale(inverse, box.centre), e[3] = {scale(inverse, box.axes.c0), scale(inverse, box.axes.c1), scale(inverse, box.axes.c2)};
  T best = T(1e30);
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
    const T hi = component(box.half, i), hj = component(box.half, j), hk = component(box.half, k);
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
}

// On a face the gradient is the face's normal. From a corner or an edge the nearest direction may be another one.
template <class T> CAIRN_HD inline void improveFromEdge(const BoxNearby<T>& box, const T (&s)[3], Touch<T>& touch) {
  int inside = -1, atEnd = 0;
  for (int k = 0; k < 3; ++k) {
    if (absOf(s[k]) < component(box.half, k)) {
      inside = k;
    } else {
      ++atEnd;
    }
  }
  if (atEnd < 2) return;
  T along = T(0);
  Vec3<T> edge{T(0), T(0), T(0)}, from = touch.onB;
  if (atEnd == 2) {
    edge = component(box.half, inside) * (inside == 0 ? box.axes.c0 : (inside == 1 ? box.axes.c1 : box.axes.c2));
    from = touch.onB - (s[inside] / component(box.half, inside)) * edge;
  }
  const Vec3<T> better = atEnd == 2 ? normalNearestSegment(box.a, from, edge, along) : normalNearest(box.a, touch.onB);
  const T betterSeparation = separationAlong(box, better);
  if (betterSeparation > touch.separation) touch = {better, from + along * edge, betterSeparation};
}

// Far apart another face, edge or corner may be the nearest: from the point of the box to the ellipsoid's nearest, and back. Where both are flat the
// two creep along each other. What is known to be further apart than the margin is no contact, wherever it is nearest.
template <class T> CAIRN_HD inline void alternate(const BoxNearby<T>& box, T margin, Touch<T>& touch) {
  Vec3<T> x = touch.onB;
  T apart = T(0);  // the two points: the gap is no larger
  for (int k = 0; k < kMostAlternations && touch.separation > T(0) && touch.separation <= margin; ++k) {
    if (k >= kAlternations && k % 4 == 0 && !(apart - touch.separation > T(kSettled) * apart)) break;
    const Vec3<T> better = normalNearest(box.a, x);
    const T betterSeparation = separationAlong(box, better);
    if (betterSeparation > touch.separation) touch = {better, x, betterSeparation};
    const Vec3<T> onA = support(box.a, better);
    x = box.centre + box.axes * clampTo(transposeTimes(box.axes, onA - box.centre), box.half);
    apart = length(x - onA);
  }
}

// Two ellipsoids in A's frame.
template <class T> struct EllipsoidPair {
  Vec3<T> a, b;  // semi-axes
  Vec3<T> d;     // B's centre
  Mat3<T> axes;  // B's
};

template <class T> CAIRN_HD inline T separationAlong(const EllipsoidPair<T>& pair, Vec3<T> normal) {
  return dot(normal, pair.d) - reach(pair.a, normal) - reach(pair.b, transposeTimes(pair.axes, normal));
}

// The point of B with the smallest f, from B's centre: (M_A + l M_B) x = l M_B d for the centre d and a multiplier l > 0 that puts x on B's surface.
// 1/|x - d|_B is nearly linear in l, and Newton's iteration on it comes from below (More and Sorensen, "Computing a Trust Region Step", 1983).
template <class T> CAIRN_HD inline Vec3<T> smallestOnEllipsoid(const Sym3<T>& formA, const Sym3<T>& formB, Vec3<T> centre) {
  const Vec3<T> toCentre = formA * centre;
  T multiplier = T(0);
  Vec3<T> fromCentre = -centre;
  for (int k = 0; k < kNewtonSteps; ++k) {
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
  return fromCentre;
}

// Uphill from the normal n by Newton's iteration in its tangent plane: the slope is the offset of the two support points, the curvature that of both
// surfaces. Answers with the separation along n.
template <class T> CAIRN_HD inline T climb(const EllipsoidPair<T>& pair, Vec3<T>& n) {
  T separation = separationAlong(pair, n);
  for (int k = 0; k < kNormalSteps; ++k) {
    Vec3<T> t1, t2;
    tangentFrame(n, t1, t2);
    const Vec3<T> inB = transposeTimes(pair.axes, n);
    const Vec3<T> offset = pair.d - pair.axes * support(pair.b, inB) - support(pair.a, n);
    const Vec3<T> curveA = curvature(pair.a, n, t1, t2),
                  curveB = curvature(pair.b, inB, transposeTimes(pair.axes, t1), transposeTimes(pair.axes, t2));
    const T m11 = separation + curveA.x + curveB.x, m12 = curveA.y + curveB.y, m22 = separation + curveA.z + curveB.z;
    const T determinant = m11 * m22 - m12 * m12;
    if (!(determinant > T(0)) || !(m11 > T(0))) break;
    const T g1 = dot(offset, t1), g2 = dot(offset, t2);
    const Vec3<T> better = normalizedOr(n + ((m22 * g1 - m12 * g2) / determinant) * t1 + ((m11 * g2 - m12 * g1) / determinant) * t2, n);
    const T betterSeparation = separationAlong(pair, better);
    if (!(betterSeparation > separation)) break;
    n = better;
    separation = betterSeparation;
  }
  return separation;
}

// Far apart, by their smallest semi-axis, the climb may stop short: from the nearest point of the one to that of the other, and back, until the two
// points are no further apart than the normal says.
template <class T> CAIRN_HD inline T alternate(const EllipsoidPair<T>& pair, T margin, Vec3<T>& n, T separation) {
  const T far = T(kFar) * minOf(minOf(pair.a.x, minOf(pair.a.y, pair.a.z)), minOf(pair.b.x, minOf(pair.b.y, pair.b.z)));
  Vec3<T> onA = support(pair.a, n), onB = pair.d - pair.axes * support(pair.b, transposeTimes(pair.axes, n));
  for (int k = 0; k < kMostAlternations && separation > far && separation <= margin; ++k) {
    const T apart = length(onB - onA);
    if (!(apart - separation > T(kSettled) * apart)) break;
    const Vec3<T> better = normalNearest(pair.a, onB);
    const T betterSeparation = separationAlong(pair, better);
    if (betterSeparation > separation) n = better, separation = betterSeparation;
    onA = support(pair.a, better);
    onB = pair.d + pair.axes * support(pair.b, normalNearest(pair.b, transposeTimes(pair.axes, onA - pair.d)));
  }
  return separation;
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
  addPoint(out, transform(a, ellipsoid::support(sizeA, n)) + (T(0.5) * separation) * out.normal, separation, 0u);
}

template <class T>
CAIRN_HD inline void collideEllipsoidSphere(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Vec3<T> p = inverseTransform(a, b.p);
  const Vec3<T> n = ellipsoid::normalNearest(sizeA, p);
  ellipsoid::answer(a, n, p - sizeB.x * n, dot(n, p) - ellipsoid::reach(sizeA, n) - sizeB.x, margin, out);
}

template <class T>
CAIRN_HD inline void collideEllipsoidCapsule(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Vec3<T> centre = inverseTransform(a, b.p), axis = inverseRotate(a.q, capsuleCore(sizeB, b).axis);
  T along = T(0);
  const Vec3<T> n = ellipsoid::normalNearestSegment(sizeA, centre, axis, along);
  // Deep inside, the normal may be any of several; along it the whole capsule counts.
  const T separation = dot(n, centre) - absOf(dot(n, axis)) - ellipsoid::reach(sizeA, n) - sizeB.x;
  ellipsoid::answer(a, n, centre + along * axis - sizeB.x * n, separation, margin, out);
}

template <class T>
CAIRN_HD inline void collideEllipsoidBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const ellipsoid::BoxNearby<T> box{sizeA, sizeB, inverseTransform(a, b.p), rotationMatrix(conjugate(a.q) * b.q)};
  const Vec3<T> inBox = -transposeTimes(box.axes, box.centre);  // A's centre in the box's frame
  const Vec3<T> room = sizeB - absOf(inBox);
  ellipsoid::Touch<T> touch;
  if (room.x > T(0) && room.y > T(0) && room.z > T(0)) {
    touch = ellipsoid::throughFace(box, inBox, room);
  } else {
    T s[3] = {T(0), T(0), T(0)};
    ellipsoid::smallestOnBox(box, s);
    touch.onB = box.centre + s[0] * box.axes.c0 + s[1] * box.axes.c1 + s[2] * box.axes.c2;
    touch.n = ellipsoid::gradientAt(sizeA, touch.onB);
    touch.separation = ellipsoid::separationAlong(box, touch.n);
    ellipsoid::improveFromEdge(box, s, touch);
    ellipsoid::alternate(box, margin, touch);
  }
  ellipsoid::answer(a, touch.n, touch.onB, touch.separation, margin, out);
}

template <class T>
CAIRN_HD inline void collideEllipsoidEllipsoid(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const ellipsoid::EllipsoidPair<T> pair{sizeA, sizeB, inverseTransform(a, b.p), rotationMatrix(conjugate(a.q) * b.q)};
  // In units of A's mean size, so that squares stay within float's range.
  const T unit = (sizeA.x + sizeA.y + sizeA.z) / T(3), perUnit = T(1) / unit;
  const Vec3<T> axesA = perUnit * sizeA, axesB = perUnit * sizeB, centre = perUnit * pair.d;
  const auto inverseSquares = [](Vec3<T> v) { return Vec3<T>{T(1) / (v.x * v.x), T(1) / (v.y * v.y), T(1) / (v.z * v.z)}; };
  const Vec3<T> squaresA = inverseSquares(axesA), squaresB = inverseSquares(axesB);
  const Sym3<T> formA{squaresA.x, squaresA.y, squaresA.z, T(0), T(0), T(0)};
  const Sym3<T> formB = rotated(pair.axes, Sym3<T>{squaresB.x, squaresB.y, squaresB.z, T(0), T(0), T(0)});
  if (!(dot(centre, formB * centre) > T(1))) {
    // A's centre is in B: they part along the line between the centres.
    const Vec3<T> n = normalizedOr(pair.d, Vec3<T>{T(0), T(1), T(0)});
    const Vec3<T> inB = transposeTimes(pair.axes, -n);
    const T separation = dot(n, pair.d) - ellipsoid::reach(sizeA, n) - ellipsoid::reach(sizeB, inB);
    ellipsoid::answer(a, n, pair.d + pair.axes * ellipsoid::support(sizeB, inB), separation, margin, out);
    return;
  }
  Vec3<T> n = ellipsoid::gradientAt(sizeA, unit * (centre + ellipsoid::smallestOnEllipsoid(formA, formB, centre)));
  const T separation = ellipsoid::alternate(pair, margin, n, ellipsoid::climb(pair, n));
  const Vec3<T> onB = pair.d - pair.axes * ellipsoid::support(sizeB, transposeTimes(pair.axes, n));
  ellipsoid::answer(a, n, onB, separation, margin, out);
}

}  // namespace cairn::v0
