// Capsules against capsules and boxes: one point, or two where they lie along each other.
#pragma once

#include "kernels/collide/collide_sphere.hpp"

namespace cairn::v0 {

// --- capsule and capsule -----------------------------------------------------------------------------------------

// Two points where the cores overlap along each other and their ends are not much further apart than the closest points are; features
// 0, 1: an end of A; 2, 3: an end of B; 4: the single point.
template <class T>
CAIRN_HD inline void collideCapsuleCapsule(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const T radii = sizeA.x + sizeB.x, reach = radii + margin;
  const Vec3<T> u = rotationMatrix(a.q).c1, v = rotationMatrix(b.q).c1, d = b.p - a.p;
  const T halfA = sizeA.y, halfB = sizeB.y;
  const T du = dot(d, u), dv = dot(d, v), k = dot(u, v);

  // A's stretch beside B. B's end only counts as the limit where it is clearly inside A's, or features would flicker between equal capsules.
  const T slop = T(1e-3) * minOf(halfA, halfB);
  const T shadow = halfB * absOf(k);
  const bool lowIsB = du - shadow > slop - halfA, highIsB = du + shadow < halfA - slop;
  const T low = lowIsB ? du - shadow : -halfA, high = highIsB ? du + shadow : halfA;

  // Closest points of the cores (Ericson 2005, section 5.1.9); the middle of the stretch where they are parallel.
  const Vec3<T> across = cross(u, v);
  const T sine2 = dot(across, across);
  const bool crossing = sine2 > T(1e-6);
  T s = crossing ? (du - k * dv) / sine2 : T(0.5) * (low + high);
  s = clampTo(s, -halfA, halfA);
  T t = k * s - dv;
  if (absOf(t) > halfB) {
    t = clampTo(t, -halfB, halfB);
    s = clampTo(du + k * t, -halfA, halfA);
  }
  const Vec3<T> gap = d + t * v - s * u;
  const T distance2 = dot(gap, gap);
  if (!(distance2 <= reach * reach)) return;
  const T smaller = minOf(sizeA.x, sizeB.x);
  const T distance = squareRoot(distance2);
  T separation = distance - radii;
  const T close = T(1e-3) * smaller;
  if (distance > close) {
    out.normal = (T(1) / distance) * gap;
  } else {
    // Cores that touch part along their common perpendicular.
    Vec3<T> sideways, other;
    tangentFrame(u, sideways, other);
    if (crossing) sideways = (T(1) / squareRoot(sine2)) * across;
    out.normal = dot(sideways, d) < T(0) ? -sideways : sideways;
    separation = dot(out.normal, gap) - radii;
  }

  if (high - low > T(0.1) * smaller && absOf(k) > T(0.9)) {
    const Vec3<T> gapLow = d + clampTo(k * low - dv, -halfB, halfB) * v - low * u, gapHigh = d + clampTo(k * high - dv, -halfB, halfB) * v - high * u;
    const T distanceLow = length(gapLow), distanceHigh = length(gapHigh);
    const Vec3<T> nLow = distanceLow > close ? (T(1) / distanceLow) * gapLow : out.normal;
    const Vec3<T> nHigh = distanceHigh > close ? (T(1) / distanceHigh) * gapHigh : out.normal;
    const T separationLow = distanceLow - radii, separationHigh = distanceHigh - radii;
    // Ends that are further apart than the closest points cannot stand for cores that cross between them.
    if (minOf(separationLow, separationHigh) <= separation + T(0.005) * smaller) {
      const uint32_t lowFeature = lowIsB ? (k > T(0) ? 2u : 3u) : 0u, highFeature = highIsB ? (k > T(0) ? 3u : 2u) : 1u;
      if (separationLow <= margin && dot(nLow, out.normal) > T(0.95))
        addPoint(out, a.p + low * u + (sizeA.x + T(0.5) * separationLow) * nLow, separationLow, lowFeature);
      if (separationHigh <= margin && dot(nHigh, out.normal) > T(0.95))
        addPoint(out, a.p + high * u + (sizeA.x + T(0.5) * separationHigh) * nHigh, separationHigh, highFeature);
      if (deepestOf(out) <= separation + T(0.005) * smaller) return;
      out.pointCount = 0;
    }
  }
  addPoint(out, a.p + s * u + (sizeA.x + T(0.5) * separation) * out.normal, separation, 4u);
}

// --- capsule and box ---------------------------------------------------------------------------------------------

// t of [-1, 1] where centre + t axis is closest to the box: the root of the derivative of the squared distance, which is continuous, piecewise linear
// and does not decrease. It is exact between the nearest breakpoints around the root, and there are at most six; a stretch where the
// derivative is zero (inside the box, or along a face) gives its middle.
template <class T> CAIRN_HD inline T closestToBox(const Segment<T>& s, Vec3<T> half) {
  const auto derivative = [&](T t) {
    const Vec3<T> x = s.centre + t * s.axis;
    return dot(s.axis, x - clampTo(x, half));
  };
  T low = T(-1), high = T(1), slopeLow = derivative(low), slopeHigh = derivative(high);
  T flatLow = T(2), flatHigh = T(-2);
  if (slopeLow > T(0)) return low;
  if (slopeHigh < T(0)) return high;
  if (slopeLow == T(0)) flatLow = low, flatHigh = low;
  if (slopeHigh == T(0)) flatLow = minOf(flatLow, high), flatHigh = high;
  const Vec3<T> inverse{safeInverse(s.axis.x), safeInverse(s.axis.y), safeInverse(s.axis.z)};
  for (int i = 0; i < 6; ++i) {
    const int axis = i >> 1;
    const T face = (i & 1) != 0 ? component(half, axis) : -component(half, axis);
    const T t = (face - component(s.centre, axis)) * component(inverse, axis);
    if (!(t > low && t < high)) continue;
    const T slope = derivative(t);
    if (slope < T(0)) {
      low = t, slopeLow = slope;
    } else if (slope > T(0)) {
      high = t, slopeHigh = slope;
    } else {
      flatLow = minOf(flatLow, t);
      flatHigh = maxOf(flatHigh, t);
    }
  }
  if (flatLow <= flatHigh) return T(0.5) * (flatLow + flatHigh);
  return low - slopeLow * (high - low) / (slopeHigh - slopeLow);
}

namespace collide_detail {

// A capsule and a box in the box's frame.
template <class T> struct CoreAndBox {
  Segment<T> core;  // of the capsule
  T radius;
  Vec3<T> half;
  T slop, margin;
};

// The part of a capsule's core above a box's face: one point for each end of that part. Features 0, 1: an end of the capsule; 2..5: the side of the
// face at which the core leaves it.
template <class T> CAIRN_HD inline void restOnFace(const CoreAndBox<T>& pair, int axis, T sign, LocalManifold<T>& out) {
  const T radius = pair.radius, slop = pair.slop, margin = pair.margin;
  const Vec3<T> c = toFace(pair.core.centre, axis, sign), d = toFace(pair.core.axis, axis, sign), half = toFace(pair.half, axis, T(1));
  const T inverseU = safeInverse(d.x), inverseV = safeInverse(d.y);
  const T middleU = -c.x * inverseU, reachU = (half.x + slop) * absOf(inverseU);
  const T middleV = -c.y * inverseV, reachV = (half.y + slop) * absOf(inverseV);
  const bool lowIsU = middleU - reachU > middleV - reachV, highIsU = middleU + reachU < middleV + reachV;
  T low = maxOf(middleU - reachU, middleV - reachV), high = minOf(middleU + reachU, middleV + reachV);
  uint32_t lowFeature = 0, highFeature = 1;
  if (low > T(-1)) lowFeature = lowIsU ? (d.x > T(0) ? 2u : 3u) : (d.y > T(0) ? 4u : 5u);
  if (high < T(1)) highFeature = highIsU ? (d.x > T(0) ? 3u : 2u) : (d.y > T(0) ? 5u : 4u);
  low = maxOf(low, T(-1));
  high = minOf(high, T(1));
  if (low > high) return;
  // Standing rather than lying: the upper end is no contact.
  const bool stands = d.z * d.z > d.x * d.x + d.y * d.y;
  for (int end = 0; end < 2; ++end) {
    if (stands && (end == 0) != (d.z > T(0))) continue;
    const Vec3<T> x = c + (end == 0 ? low : high) * d;
    const T separation = x.z - half.z - radius;
    if (separation > margin) continue;
    const Vec3<T> mid{clampTo(x.x, -half.x, half.x), clampTo(x.y, -half.y, half.y), half.z + T(0.5) * separation};
    addPoint(out, fromFace(mid, axis, sign), separation, end == 0 ? lowFeature : highFeature);
  }
}

// A core beside a box's edge that it is nearly parallel to: a point for each end of their common stretch. `n` points out of the box.
// Features 8, 9: an end of the capsule; 10, 11: of the edge.
template <class T> CAIRN_HD inline void restOnEdge(const CoreAndBox<T>& pair, int axis, Vec3<T> n, T separationMin, LocalManifold<T>& out) {
  const Segment<T>& core = pair.core;
  const T radius = pair.radius, margin = pair.margin;
  const T c = component(core.centre, axis), d = component(core.axis, axis), half = component(pair.half, axis) + pair.slop;
  const T inverse = safeInverse(d);
  const T first = -c * inverse - half * absOf(inverse), last = -c * inverse + half * absOf(inverse);
  const T low = maxOf(first, T(-1)), high = minOf(last, T(1));
  if (!(high - low > T(0.1))) return;
  const Vec3<T> xLow = core.centre + low * core.axis, xHigh = core.centre + high * core.axis;
  const Vec3<T> gapLow = xLow - clampTo(xLow, pair.half), gapHigh = xHigh - clampTo(xHigh, pair.half);
  const T distanceLow = length(gapLow), distanceHigh = length(gapHigh);
  const T nearest = separationMin + radius;
  // The ends stand for the contact where one is as close as the closest point; an end that lies in another direction is another contact.
  if (minOf(distanceLow, distanceHigh) > nearest + T(5) * pair.slop || !(minOf(distanceLow, distanceHigh) > T(0))) return;
  const Vec3<T> nLow = (T(1) / distanceLow) * gapLow, nHigh = (T(1) / distanceHigh) * gapHigh;
  const T separationLow = distanceLow - radius, separationHigh = distanceHigh - radius;
  if (separationLow <= margin && dot(nLow, n) > T(0.95))
    addPoint(out, xLow - (radius + T(0.5) * separationLow) * nLow, separationLow, first > T(-1) ? (d > T(0) ? 10u : 11u) : 8u);
  if (separationHigh <= margin && dot(nHigh, n) > T(0.95))
    addPoint(out, xHigh - (radius + T(0.5) * separationHigh) * nHigh, separationHigh, last < T(1) ? (d > T(0) ? 11u : 10u) : 9u);
  if (out.pointCount > 0 && deepestOf(out) > separationMin + T(5) * pair.slop) out.pointCount = 0;
}

// A direction out of the box across one of its edges.
template <class T> struct EdgeDirection {
  bool found;
  T gap;  // between core and box along n
  Vec3<T> n, surface;
};

// For a core that goes through the box: the direction across an edge along which the penetration is smallest.
template <class T> CAIRN_HD inline EdgeDirection<T> leastPenetration(const Segment<T>& core, Vec3<T> half) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  EdgeDirection<T> out{false, T(0), zero, zero};
  for (int k = 0; k < 3; ++k) {
    const Vec3<T> dk = toFace(core.axis, k, T(1)), ck = toFace(core.centre, k, T(1)), hk = toFace(half, k, T(1));
    const T l2 = dk.x * dk.x + dk.y * dk.y;
    if (l2 < T(1e-6) * dot(core.axis, core.axis)) continue;
    const T scaleToUnit = T(1) / squareRoot(l2);
    T nu = -dk.y * scaleToUnit, nv = dk.x * scaleToUnit;
    if (nu * ck.x + nv * ck.y < T(0)) nu = -nu, nv = -nv;
    const T gapAlong = nu * ck.x + nv * ck.y - (hk.x * absOf(nu) + hk.y * absOf(nv));
    if (out.found && !(gapAlong > out.gap)) continue;
    out.found = true;
    out.gap = gapAlong;
    out.n = fromFace(Vec3<T>{nu, nv, T(0)}, k, T(1));
    // The point at which the core passes the edge, seen along n.
    const T edgeU = select(nu < T(0), -hk.x, hk.x), edgeV = select(nv < T(0), -hk.y, hk.y);
    const T at = clampTo(((edgeU - ck.x) * dk.x + (edgeV - ck.y) * dk.y) / l2, T(-1), T(1));
    out.surface = core.centre + at * core.axis - out.gap * out.n;
  }
  return out;
}

// Contacts in the box's frame; the normal points out of the box.
template <class T> CAIRN_HD inline void collideCoreBox(const Segment<T>& core, T radius, Vec3<T> half, T margin, LocalManifold<T>& out) {
  out.pointCount = 0;
  const Vec3<T> c = core.centre, d = core.axis;
  const Vec3<T> faces = absOf(c) - absOf(d) - half;  // gaps between the core and the box along the box's axes
  const T reach = radius + margin;
  if (maxOf(faces.x, maxOf(faces.y, faces.z)) > reach) return;

  const T along = closestToBox(core, half);
  const Vec3<T> x = c + along * d;
  const Vec3<T> gap = x - clampTo(x, half);
  const T distance2 = dot(gap, gap);
  if (!(distance2 <= reach * reach)) return;

  const T slop = T(1e-3) * minOf(radius, minOf(half.x, minOf(half.y, half.z)));
  const CoreAndBox<T> pair{core, radius, half, slop, margin};
  int axis = 0;
  T face = faces.x;
  if (faces.y > face + slop) axis = 1, face = faces.y;
  if (faces.z > face + slop) axis = 2, face = faces.z;

  // The best direction that is no face's: along the closest points where the core is outside the box, across an edge where it goes through.
  const T close = T(1e-3) * radius;
  const bool outside = distance2 > close * close;
  T best = T(0);  // gap between core and box along n
  Vec3<T> n{T(0), T(0), T(0)};
  Vec3<T> surface{T(0), T(0), T(0)};
  bool found = outside;
  if (outside) {
    best = squareRoot(distance2);
    n = (T(1) / best) * gap;
    surface = x - gap;
  } else {
    const EdgeDirection<T> edge = leastPenetration(core, half);
    found = edge.found;
    best = edge.gap;
    n = edge.n;
    surface = edge.surface;
  }

  // A face wins unless it is clearly worse: its normal does not jitter and it gives two points.
  if (!found || face >= best - (slop + T(0.02) * maxOf(-best, T(0)))) {
    const T sign = select(component(c, axis) < T(0), T(-1), T(1));
    restOnFace(pair, axis, sign, out);
    // A face that was only preferred must carry the core where it is deepest, not beside its rectangle.
    const bool carried = out.pointCount > 0 && deepestOf(out) <= best - radius + T(2) * slop + T(0.02) * maxOf(-best, T(0));
    if (carried || !found || (out.pointCount > 0 && best < face)) {
      out.normal = fromFace(Vec3<T>{T(0), T(0), T(1)}, axis, sign);
      return;
    }
    out.pointCount = 0;
  }
  out.normal = n;
  const T separation = best - radius;
  if (separation > margin) return;
  if (outside) {
    const Vec3<T> ad = absOf(d);
    const T longest = T(0.99) * length(d);
    const int edge = ad.x > longest ? 0 : (ad.y > longest ? 1 : (ad.z > longest ? 2 : -1));
    if (edge >= 0 && absOf(component(n, edge)) < T(0.15)) restOnEdge(pair, edge, n, separation, out);
    if (out.pointCount > 0) return;
  }
  addPoint(out, surface + (T(0.5) * separation) * n, separation, 16u);
}

}  // namespace collide_detail

// Features are those of restOnFace and restOnEdge; 16: the single point.
template <class T>
CAIRN_HD inline void collideCapsuleBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  const Segment<T> world = capsuleCore(sizeA, a);
  const Mat3<T> axes = rotationMatrix(b.q);
  const Segment<T> core{transposeTimes(axes, world.centre - b.p), transposeTimes(axes, world.axis)};
  collide_detail::collideCoreBox(core, sizeA.x, sizeB, margin, out);
  if (out.pointCount == 0) return;
  out.normal = -(axes * out.normal);
  for (int p = 0; p < out.pointCount; ++p) out.points[p].position = b.p + axes * out.points[p].position;
}

}  // namespace cairn::v0
