// Vectors, quaternions and small matrices, for hosts, GPU lanes and packs of CPU lanes alike.
//
// Everything is a template on the scalar T: float, double, or a pack of either (kernels/rows/pack.hpp). Only + - * / and
// sqrt are used, all correctly rounded everywhere, so a formula gives the same bits on each target; see
// docs/determinism.md. Sines and cosines are polynomials of our own for the same reason.
#pragma once

#include <cairn/export.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define CAIRN_HD __host__ __device__
#else
#define CAIRN_HD
#endif

namespace cairn {
inline namespace v0 {

constexpr double kPi = 3.14159265358979323846;

// --- scalars ---------------------------------------------------------------------------------------------------

// a where the condition holds, else b. Packs overload it lane by lane.
CAIRN_HD inline float select(bool condition, float a, float b) { return condition ? a : b; }
CAIRN_HD inline double select(bool condition, double a, double b) { return condition ? a : b; }
CAIRN_HD inline int select(bool condition, int a, int b) { return condition ? a : b; }

// True if a condition holds in every lane.
CAIRN_HD inline bool allOf(bool condition) { return condition; }

CAIRN_HD inline float squareRoot(float a) { return sqrtf(a); }
CAIRN_HD inline double squareRoot(double a) { return sqrt(a); }

// Defined by one comparison each, so that signed zeros and NaNs come out alike on every target.
template <class T> CAIRN_HD inline T maxOf(T a, T b) { return select(a > b, a, b); }
template <class T> CAIRN_HD inline T minOf(T a, T b) { return select(a < b, a, b); }
template <class T> CAIRN_HD inline T clampTo(T a, T low, T high) { return maxOf(low, minOf(a, high)); }
template <class T> CAIRN_HD inline T absOf(T a) { return select(a < T(0), -a, a); }

// The power of 2 that takes a positive number into [1, 2), as near to it as there is one: scaling by it changes no digit, and keeps products of
// masses or inertias of very small or very large bodies within the range of T.
CAIRN_HD inline float powerToUnit(float a) {
  uint32_t bits;
  memcpy(&bits, &a, sizeof bits);
  const int exponent = int(bits >> 23 & 0xffu), wanted = exponent > 253 ? 1 : 254 - exponent;
  bits = uint32_t(wanted) << 23;
  memcpy(&a, &bits, sizeof a);
  return a;
}
CAIRN_HD inline double powerToUnit(double a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  const int exponent = int(bits >> 52 & 0x7ffu), wanted = exponent > 2045 ? 1 : 2046 - exponent;
  bits = uint64_t(wanted) << 52;
  memcpy(&a, &bits, sizeof a);
  return a;
}

// --- vectors ---------------------------------------------------------------------------------------------------

template <class T> struct Vec3 { T x, y, z; };

template <class T> CAIRN_HD inline Vec3<T> operator+(Vec3<T> a, Vec3<T> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T> CAIRN_HD inline Vec3<T> operator-(Vec3<T> a, Vec3<T> b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T> CAIRN_HD inline Vec3<T> operator-(Vec3<T> a) { return {-a.x, -a.y, -a.z}; }
template <class T> CAIRN_HD inline Vec3<T> operator*(T s, Vec3<T> a) { return {s * a.x, s * a.y, s * a.z}; }
template <class T> CAIRN_HD inline Vec3<T>& operator+=(Vec3<T>& a, Vec3<T> b) { return a = a + b; }
template <class T> CAIRN_HD inline Vec3<T>& operator-=(Vec3<T>& a, Vec3<T> b) { return a = a - b; }
template <class T> CAIRN_HD inline T dot(Vec3<T> a, Vec3<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> CAIRN_HD inline Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> CAIRN_HD inline Vec3<T> scale(Vec3<T> a, Vec3<T> b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
template <class T> CAIRN_HD inline T lengthSquared(Vec3<T> a) { return dot(a, a); }
template <class T> CAIRN_HD inline T length(Vec3<T> a) { return squareRoot(dot(a, a)); }
template <class T> CAIRN_HD inline Vec3<T> absOf(Vec3<T> a) { return {absOf(a.x), absOf(a.y), absOf(a.z)}; }
template <class T> CAIRN_HD inline Vec3<T> minOf(Vec3<T> a, Vec3<T> b) { return {minOf(a.x, b.x), minOf(a.y, b.y), minOf(a.z, b.z)}; }
template <class T> CAIRN_HD inline Vec3<T> maxOf(Vec3<T> a, Vec3<T> b) { return {maxOf(a.x, b.x), maxOf(a.y, b.y), maxOf(a.z, b.z)}; }
template <class T> CAIRN_HD inline Vec3<T> select(bool c, Vec3<T> a, Vec3<T> b) { return c ? a : b; }

// The unit vector along a; the fallback where a is (nearly) zero.
template <class T> CAIRN_HD inline Vec3<T> normalizedOr(Vec3<T> a, Vec3<T> fallback) {
  const T l2 = dot(a, a);
  const bool usable = l2 > T(1e-30);
  const T inv = T(1) / squareRoot(usable ? l2 : T(1));
  return usable ? inv * a : fallback;
}

// Component i of 0, 1, 2 without an address, so that vectors stay in registers.
template <class T> CAIRN_HD inline T component(Vec3<T> a, int i) { return i == 0 ? a.x : (i == 1 ? a.y : a.z); }

template <class To, class From> CAIRN_HD inline Vec3<To> convert(Vec3<From> a) { return {To(a.x), To(a.y), To(a.z)}; }

// --- symmetric and general 3 x 3 matrices ----------------------------------------------------------------------

template <class T> struct Sym3 { T xx, yy, zz, xy, xz, yz; };
template <class T> CAIRN_HD inline Vec3<T> operator*(Sym3<T> m, Vec3<T> a) {
  return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z, m.xz * a.x + m.yz * a.y + m.zz * a.z};
}
template <class T> CAIRN_HD inline Sym3<T> operator*(T s, Sym3<T> m) { return {s * m.xx, s * m.yy, s * m.zz, s * m.xy, s * m.xz, s * m.yz}; }
template <class T> CAIRN_HD inline Sym3<T> operator+(Sym3<T> a, Sym3<T> b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class To, class From> CAIRN_HD inline Sym3<To> convert(Sym3<From> m) {
  return {To(m.xx), To(m.yy), To(m.zz), To(m.xy), To(m.xz), To(m.yz)};
}

// Columns: the images of the axes.
template <class T> struct Mat3 { Vec3<T> c0, c1, c2; };
template <class T> CAIRN_HD inline Vec3<T> operator*(const Mat3<T>& m, Vec3<T> a) { return a.x * m.c0 + a.y * m.c1 + a.z * m.c2; }
template <class T> CAIRN_HD inline Vec3<T> transposeTimes(const Mat3<T>& m, Vec3<T> a) { return {dot(m.c0, a), dot(m.c1, a), dot(m.c2, a)}; }
template <class T> CAIRN_HD inline Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) { return {a * b.c0, a * b.c1, a * b.c2}; }
template <class T> CAIRN_HD inline Mat3<T> transposeTimes(const Mat3<T>& a, const Mat3<T>& b) {
  return {transposeTimes(a, b.c0), transposeTimes(a, b.c1), transposeTimes(a, b.c2)};
}

// R S R^T.
template <class T> CAIRN_HD inline Sym3<T> rotated(const Mat3<T>& r, Sym3<T> s) {
  const Vec3<T> row0{r.c0.x, r.c1.x, r.c2.x}, row1{r.c0.y, r.c1.y, r.c2.y}, row2{r.c0.z, r.c1.z, r.c2.z};
  const Vec3<T> s0 = s * row0, s1 = s * row1, s2 = s * row2;
  return {dot(row0, s0), dot(row1, s1), dot(row2, s2), dot(row0, s1), dot(row0, s2), dot(row1, s2)};
}

// Inverse of a symmetric positive definite matrix; rows of a locked (zero) axis must be dealt with by the caller. Of any size: its determinant is
// that of the matrix scaled to 1.
template <class T> CAIRN_HD inline Sym3<T> inverse(Sym3<T> m) {
  const T unit = powerToUnit(maxOf(m.xx, maxOf(m.yy, m.zz)));
  m = unit * m;
  const T a = m.yy * m.zz - m.yz * m.yz, b = m.xz * m.yz - m.xy * m.zz, c = m.xy * m.yz - m.xz * m.yy;
  const T inv = unit / (m.xx * a + m.xy * b + m.xz * c);
  return {inv * a, inv * (m.xx * m.zz - m.xz * m.xz), inv * (m.xx * m.yy - m.xy * m.xy), inv * b, inv * c, inv * (m.xy * m.xz - m.xx * m.yz)};
}

// --- quaternions -----------------------------------------------------------------------------------------------

// Unit quaternion, vector part first: body to world.
template <class T> struct Quat { T x, y, z, w; };
template <class T> CAIRN_HD inline Quat<T> identityQuat() { return {T(0), T(0), T(0), T(1)}; }
template <class T> CAIRN_HD inline Quat<T> operator*(Quat<T> a, Quat<T> b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class T> CAIRN_HD inline Quat<T> conjugate(Quat<T> a) { return {-a.x, -a.y, -a.z, a.w}; }
template <class T> CAIRN_HD inline Quat<T> normalized(Quat<T> a) {
  const T inv = T(1) / squareRoot(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  return {a.x * inv, a.y * inv, a.z * inv, a.w * inv};
}
template <class T> CAIRN_HD inline Vec3<T> rotate(Quat<T> q, Vec3<T> a) {
  const Vec3<T> u{q.x, q.y, q.z};
  const Vec3<T> t = T(2) * cross(u, a);
  return a + q.w * t + cross(u, t);
}
template <class T> CAIRN_HD inline Vec3<T> inverseRotate(Quat<T> q, Vec3<T> a) { return rotate(conjugate(q), a); }
template <class T> CAIRN_HD inline Mat3<T> rotationMatrix(Quat<T> q) {
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {{T(1) - (yy + zz), xy + wz, xz - wy}, {xy - wz, T(1) - (xx + zz), yz + wx}, {xz + wy, yz - wx, T(1) - (xx + yy)}};
}
template <class To, class From> CAIRN_HD inline Quat<To> convert(Quat<From> a) { return {To(a.x), To(a.y), To(a.z), To(a.w)}; }

// --- poses -----------------------------------------------------------------------------------------------------

template <class T> struct Pose {
  Vec3<T> p;  // [m]
  Quat<T> q;  // local to world
};
template <class T> CAIRN_HD inline Pose<T> identityPose() { return {{T(0), T(0), T(0)}, identityQuat<T>()}; }
template <class T> CAIRN_HD inline Vec3<T> transform(const Pose<T>& a, Vec3<T> local) { return a.p + rotate(a.q, local); }
template <class T> CAIRN_HD inline Vec3<T> inverseTransform(const Pose<T>& a, Vec3<T> world) { return inverseRotate(a.q, world - a.p); }
template <class T> CAIRN_HD inline Pose<T> operator*(const Pose<T>& a, const Pose<T>& b) { return {transform(a, b.p), a.q * b.q}; }
template <class To, class From> CAIRN_HD inline Pose<To> convert(const Pose<From>& a) { return {convert<To>(a.p), convert<To>(a.q)}; }

// --- sine and cosine -------------------------------------------------------------------------------------------

// sin and cos of any finite angle [rad] by reduction to [-pi/4, pi/4] and Taylor polynomials in Horner form (minimax is
// not needed at this length: the first omitted term is below half an ulp of a double there). The reduction is Cody-Waite in three
// parts, good for |angle| up to about 1e5; error at most 4 ulp of T there. Angles of which no integer holds the quarter turns (from 1e19 on) count as
// 0, since a conversion of what does not fit differs between processors; what is not finite gives NaN. Built of + - * and comparisons only.
template <class T> struct SinCos { T sine, cosine; };
template <class T> CAIRN_HD inline SinCos<T> sinCos(T angle) {
  const double a = double(angle);
  const double turns = a * 0.63661977236758134308;  // 2/pi
  if (!(turns > -9e18 && turns < 9e18)) return {T(a - a), T(1 + (a - a))};
  const double rounded = turns < 0 ? turns - 0.5 : turns + 0.5;
  const int64_t quadrant = int64_t(rounded);
  const double k = double(quadrant);
  const double r = ((a - k * 1.57079632673412561417) - k * 6.07710050630396597660e-11) - k * 2.02226624879595063154e-21;
  const double r2 = r * r;
  const double s =
      r + r * r2 *
              (-1.0 / 6 + r2 * (1.0 / 120 + r2 * (-1.0 / 5040 +
                                                  r2 * (1.0 / 362880 + r2 * (-1.0 / 39916800 + r2 * (1.0 / 6227020800.0 - r2 / 1307674368000.0))))));
  const double c =
      1.0 +
      r2 * (-0.5 + r2 * (1.0 / 24 +
                         r2 * (-1.0 / 720 + r2 * (1.0 / 40320 + r2 * (-1.0 / 3628800 + r2 * (1.0 / 479001600.0 + r2 * (-1.0 / 87178291200.0 +
                                                                                                                       r2 / 20922789888000.0)))))));
  switch (quadrant & 3) {
    case 0:
      return {T(s), T(c)};
    case 1:
      return {T(c), T(-s)};
    case 2:
      return {T(-s), T(-c)};
    default:
      return {T(-c), T(s)};
  }
}

// The angle of (x, y) from the x axis [rad], in [-pi, pi]; 0 for (0, 0). Halved twice by tan(a/2) = t / (1 + sqrt(1 + t^2)), then its Taylor series;
// error at most 4 ulp of T. Built as sinCos is.
template <class T> CAIRN_HD inline T arcTangent(T y, T x) {
  const double a = double(y), b = double(x), absA = a < 0 ? -a : a, absB = b < 0 ? -b : b;
  const double larger = absA > absB ? absA : absB, smaller = absA > absB ? absB : absA;
  if (!(larger > 0)) return T(0);
  double t = smaller / larger;  // tan of an angle up to pi/4
  for (int k = 0; k < 2; ++k) t = t / (1 + squareRoot(1 + t * t));
  const double t2 = t * t;  // at most tan(pi/16)^2 = 0.04
  const double series =
      1 - t2 * (1.0 / 3 -
                t2 * (1.0 / 5 - t2 * (1.0 / 7 - t2 * (1.0 / 9 - t2 * (1.0 / 11 - t2 * (1.0 / 13 - t2 * (1.0 / 15 - t2 * (1.0 / 17 - t2 / 19))))))));
  double angle = 4 * t * series;
  if (absA > absB) angle = 0.5 * kPi - angle;
  if (b < 0) angle = kPi - angle;
  return T(a < 0 ? -angle : angle);
}

// Exponential map: the rotation by the vector s [rad], qhat(s) of formulas section 1.
template <class T> CAIRN_HD inline Quat<T> quatFromRotationVector(Vec3<T> s) {
  const T angle2 = dot(s, s);
  // sin(|s|/2)/|s| by its series below 0.1 rad (relative error under 1e-17), where dividing by |s| would lose bits.
  if (angle2 < T(0.01)) {
    const T q2 = T(0.25) * angle2;
    const T f = T(0.5) * (T(1) - q2 * (T(1) / T(6) - q2 * (T(1) / T(120) - q2 * (T(1) / T(5040) - q2 / T(362880)))));
    const T c = T(1) - q2 * (T(1) / T(2) - q2 * (T(1) / T(24) - q2 * (T(1) / T(720) - q2 / T(40320))));
    return {f * s.x, f * s.y, f * s.z, c};
  }
  const T angle = squareRoot(angle2);
  const SinCos<T> half = sinCos(T(0.5) * angle);
  const T f = half.sine / angle;
  return {f * s.x, f * s.y, f * s.z, half.cosine};
}

// Its inverse: the shortest rotation vector [rad] of the unit quaternion q.
template <class T> CAIRN_HD inline Vec3<T> rotationVector(Quat<T> q) {
  const T sign = select(q.w < T(0), T(-1), T(1));
  const Vec3<T> axis{sign * q.x, sign * q.y, sign * q.z};
  const T sine = length(axis);
  if (!(sine > T(0))) return {T(0), T(0), T(0)};
  return (T(2) * arcTangent(sine, sign * q.w) / sine) * axis;
}

// Two unit tangents that complete the unit normal n to a right-handed frame (n, t1, t2): Duff et al., "Building an
// Orthonormal Basis, Revisited", JCGT 2017.
template <class T> CAIRN_HD inline void tangentFrame(Vec3<T> n, Vec3<T>& t1, Vec3<T>& t2) {
  const T sign = select(n.z < T(0), T(-1), T(1));
  const T a = T(-1) / (sign + n.z);
  const T b = n.x * n.y * a;
  t1 = {T(1) + sign * n.x * n.x * a, sign * b, -(sign * n.x)};
  t2 = {b, sign + n.y * n.y * a, -n.y};
}

}  // namespace v0
}  // namespace cairn
