// Box against box: separating axes, then clipping (a face carries) or closest points (edges or corners meet).
//
// 1. The three face axes of each box and the nine products of edges (Gottschalk et al. 1996) bound the gap from below; a bound above the margin ends
// it.
//    Two cheaper, sharper bounds come along: the gaps along one box's axes are the legs of a right triangle.
// 2. Choice of the axis. A face of the larger box is preferred to one of the smaller, any face to an edge pair, unless clearly (axisSlop) worse:
// resting boxes, whose
//    axes tie up to rounding, then keep their reference face, and their features with it. So does an edge pair whose normal is nearly that of the
//    face.
// 3. Face: the face of the other box that opposes the reference face most is projected on it. The corners of the overlap of the rectangle and the
//    projected parallelogram are found as a set, not by walking a polygon: corners of one inside the other, and the ends of the edges' intervals
//    inside the rectangle. Each comes with what it is made of, a corner and a face or two edges, and that is its feature, whichever box holds the
//    reference face. The rectangle is clipSlop larger for the clipping and points are moved back to it, so that edges in line (equal boxes on each
//    other) do not flicker. Up to eight points are reduced to four: by the area they span, and the deepest.
// 4. Boxes that are apart and overlap along no face (a corner or an edge passes by an edge): the closest points, from each edge of B to A.
//
// A separation is the height of B's face above A's at that point, hence never below the true one. All of it is + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/collide_capsule.hpp"
#include "kernels/runtime/platform.hpp"

namespace cairn {

namespace collide_detail {

// Features of box pairs: corners are three bits (set: at +halfExtents), edges are axis * 4 + bits of the next axis and the one after it.
constexpr uint32_t kCornerOfA = 0x000, kCornerOfB = 0x100, kEdges = 0x200, kClosest = 0x300;
CAIRN_HD constexpr uint32_t edgePair(uint32_t edgeOfA, uint32_t edgeOfB) { return kEdges | edgeOfA << 4 | edgeOfB; }

CAIRN_HD inline int nextAxis(int axis) { return axis == 2 ? 0 : axis + 1; }

// Both boxes in A's frame.
template <class T> struct BoxPair {
  Vec3<T> a, b;  // half extents
  Mat3<T> r;     // B's axes
  Vec3<T> d;     // B's centre
  T margin;
};

template <class T> struct ClipPoint {
  T u, v, separation;
  uint32_t feature;
};
constexpr int kClipPoints = 16;  // four corners of each face, two ends for each of four edges

// Four points of many: a bit each. The choice goes by place, not by depth: the corners of a resting face differ in depth by rounding, and a choice
// that changes from step to step moves the support about and keeps a stack awake. Only a corner that is clearly (depthSlop) below the chosen ones
// takes the place of the chosen one next to it.
template <class T> CAIRN_HD inline uint32_t spreadFour(const ClipPoint<T>* points, int count, T depthSlop) {
  // The furthest along a direction that two corners of nearly aligned rectangles do not tie in.
  const auto along = [](const ClipPoint<T>& p) { return p.u + T(0.3) * p.v; };
  int p0 = 0, deepest = 0;
  for (int i = 1; i < count; ++i) {
    if (along(points[i]) > along(points[p0])) p0 = i;
    if (points[i].separation < points[deepest].separation) deepest = i;
  }

  const auto firstNearMax = [&](const auto& measure) {
    T best = T(0);
    for (int i = 0; i < count; ++i) best = maxOf(best, measure(points[i]));
    const T enough = T(0.999) * best;
    for (int i = 0; i < count; ++i)
      if (measure(points[i]) >= enough) return i;
    return 0;
  };
  const T u0 = points[p0].u, v0 = points[p0].v;
  const int p1 = firstNearMax([&](const ClipPoint<T>& p) { return (p.u - u0) * (p.u - u0) + (p.v - v0) * (p.v - v0); });
  const T u1 = points[p1].u - u0, v1 = points[p1].v - v0;
  const int p2 = firstNearMax([&](const ClipPoint<T>& p) { return absOf(u1 * (p.v - v0) - v1 * (p.u - u0)); });
  const T u2 = points[p2].u - u0, v2 = points[p2].v - v0;
  const T turn = select(u1 * v2 - v1 * u2 < T(0), T(-1), T(1));
  // Twice the area that a point adds to the triangle, by the side it lies beyond.
  const int p3 = firstNearMax([&](const ClipPoint<T>& p) {
    const T u = p.u - u0, v = p.v - v0;
    const T first = v1 * u - u1 * v;
    const T second = (v2 - v1) * (u - u1) - (u2 - u1) * (v - v1);
    const T third = u2 * v - v2 * u;
    return turn * first > turn * second ? maxOf(turn * first, turn * third) : maxOf(turn * second, turn * third);
  });
  int chosen[4] = {p0, p1, p2, p3};
  int nearest = 0;
  T lowest = points[p0].separation, nearestDistance = T(1e30);
  for (int k = 0; k < 4; ++k) {
    const ClipPoint<T>& p = points[chosen[k]];
    const T u = p.u - points[deepest].u, v = p.v - points[deepest].v;
    lowest = minOf(lowest, p.separation);
    if (u * u + v * v < nearestDistance) nearest = k, nearestDistance = u * u + v * v;
  }
  if (points[deepest].separation < lowest - depthSlop) chosen[nearest] = deepest;
  return 1u << chosen[0] | 1u << chosen[1] | 1u << chosen[2] | 1u << chosen[3];
}

// One edge of the incident face, seen on the reference face: middle -+ direction, t from -1 to 1.
template <class T> struct ClippedEdge {
  T low, high;  // where the edge's line is inside the rectangle
  bool lowIsU, highIsU;
};
template <class T> CAIRN_HD inline ClippedEdge<T> clipEdge(T mu, T mv, T inverseU, T inverseV, T reachU, T reachV) {
  const T tu = -mu * inverseU, tv = -mv * inverseV;
  const T lowU = tu - reachU, lowV = tv - reachV, highU = tu + reachU, highV = tv + reachV;
  return {maxOf(lowU, lowV), minOf(highU, highV), lowU > lowV, highU < highV};
}

// Contacts on a face of one box, in that box's frame: `half` and the face (axis, sign) are the reference box's; half extents, axes and centre of the
// incident box are given in the same frame.
template <class T> CAIRN_HD inline void clipFaces(Vec3<T> half, int axis, T sign, Vec3<T> otherHalf, const Mat3<T>& otherAxes, Vec3<T> otherCentre,
                                                  bool referenceIsA, T clipSlop, T margin, bool keepDeepest, LocalManifold<T>& out) {
  const Vec3<T> h = toFace(half, axis, T(1));
  const Vec3<T> c0 = toFace(otherAxes.c0, axis, sign), c1 = toFace(otherAxes.c1, axis, sign), c2 = toFace(otherAxes.c2, axis, sign);
  const Vec3<T> centre = toFace(otherCentre, axis, sign);

  // Incident face: across axis k, spanned by the two after it. The slop keeps ties (a box balanced on an edge) from flickering.
  int k = 0;
  T opposed = absOf(c0.z);
  if (absOf(c1.z) > opposed + T(1e-3)) k = 1, opposed = absOf(c1.z);
  if (absOf(c2.z) > opposed + T(1e-3)) k = 2, opposed = absOf(c2.z);
  const Vec3<T> across = k == 0 ? c0 : (k == 1 ? c1 : c2);
  const Vec3<T> first = k == 0 ? c1 : (k == 1 ? c2 : c0), second = k == 0 ? c2 : (k == 1 ? c0 : c1);
  const int firstAxis = nextAxis(k), secondAxis = nextAxis(firstAxis);
  const Vec3<T> otherSize = toFace(otherHalf, k, T(1));
  const T side = across.z > T(0) ? T(-1) : T(1);
  const Vec3<T> m = centre + (side * otherSize.z) * across;
  const T eu = otherSize.x * first.x, ev = otherSize.x * first.y, fu = otherSize.y * second.x, fv = otherSize.y * second.y;

  // Height of the incident plane over the reference face.
  const T slopeU = -across.x / across.z, slopeV = -across.y / across.z;
  const T height = m.z - h.z;

  const T limitU = h.x + clipSlop, limitV = h.y + clipSlop;
  const T inverseEu = safeInverse(eu), inverseEv = safeInverse(ev), inverseFu = safeInverse(fu), inverseFv = safeInverse(fv);
  const T reachEu = limitU * absOf(inverseEu), reachEv = limitV * absOf(inverseEv);
  const T reachFu = limitU * absOf(inverseFu), reachFv = limitV * absOf(inverseFv);
  // Edges along e at -f and +f, along f at -e and +e.
  const ClippedEdge<T> edges[4] = {
      clipEdge(m.x - fu, m.y - fv, inverseEu, inverseEv, reachEu, reachEv), clipEdge(m.x + fu, m.y + fv, inverseEu, inverseEv, reachEu, reachEv),
      clipEdge(m.x - eu, m.y - ev, inverseFu, inverseFv, reachFu, reachFv), clipEdge(m.x + eu, m.y + ev, inverseFu, inverseFv, reachFu, reachFv)};

  const int uAxis = nextAxis(axis), vAxis = nextAxis(uAxis);
  const uint32_t outside = sign > T(0) ? 1u : 0u, below = side > T(0) ? 1u : 0u;
  ClipPoint<T> points[kClipPoints];
  int count = 0;
  // The separation is that of a point of the incident face, the position is brought back into the rectangle.
  const auto keep = [&](T u, T v, uint32_t feature) {
    const T separation = height + (slopeU * (u - m.x) + slopeV * (v - m.y));
    points[count] = {clampTo(u, -h.x, h.x), clampTo(v, -h.y, h.y), separation, feature};
    count += separation <= margin ? 1 : 0;
  };

  // Corners of the incident face. Whether one is inside is read off both of its edges' intervals, so that rounding cannot lose a point between the
  // corner and the edge's crossing.
  const uint32_t incidentCorner = referenceIsA ? kCornerOfB : kCornerOfA;
  for (uint32_t corner = 0; corner < 4; ++corner) {
    const uint32_t atE = corner & 1, atF = corner >> 1;
    const ClippedEdge<T>& alongE = edges[atF];
    const ClippedEdge<T>& alongF = edges[2 + atE];
    const T te = atE != 0 ? T(1) : T(-1), tf = atF != 0 ? T(1) : T(-1);
    const bool inside = (alongE.low <= te && te <= alongE.high) || (alongF.low <= tf && tf <= alongF.high);
    if (inside) keep(m.x + (te * eu + tf * fu), m.y + (te * ev + tf * fv), incidentCorner | below << k | atE << firstAxis | atF << secondAxis);
  }
  const int corners = count;

  // Crossings of the incident face's edges with the rectangle's sides.
  for (uint32_t edge = 0; edge < 4; ++edge) {
    const ClippedEdge<T>& c = edges[edge];
    if (!(c.low < c.high)) continue;
    const bool alongE = edge < 2;
    const T offset = (edge & 1) != 0 ? T(1) : T(-1);
    const T mu = m.x + offset * (alongE ? fu : eu), mv = m.y + offset * (alongE ? fv : ev);
    const T du = alongE ? eu : fu, dv = alongE ? ev : fv;
    const uint32_t incidentEdge = alongE ? uint32_t(firstAxis) << 2 | (edge & 1) | below << 1 : uint32_t(secondAxis) << 2 | below | (edge & 1) << 1;
    for (uint32_t end = 0; end < 2; ++end) {
      const T t = end == 0 ? c.low : c.high;
      if (!(t > T(-1) && t < T(1))) continue;
      const bool onU = end == 0 ? c.lowIsU : c.highIsU;
      const uint32_t positive = ((onU ? du : dv) > T(0)) == (end == 1) ? 1u : 0u;
      const uint32_t referenceEdge = onU ? uint32_t(vAxis) << 2 | outside | positive << 1 : uint32_t(uAxis) << 2 | positive | outside << 1;
      keep(mu + t * du, mv + t * dv, referenceIsA ? edgePair(referenceEdge, incidentEdge) : edgePair(incidentEdge, referenceEdge));
    }
  }

  // Corners of the rectangle inside the parallelogram, by more than what the slop lets an edge's crossing stand for.
  if (corners < 4) {
    const T area = absOf(eu * fv - ev * fu);
    const T insideE = area - T(0.99) * clipSlop * (absOf(eu) + absOf(ev)), insideF = area - T(0.99) * clipSlop * (absOf(fu) + absOf(fv));
    const uint32_t referenceCorner = referenceIsA ? kCornerOfA : kCornerOfB;
    for (uint32_t corner = 0; corner < 4; ++corner) {
      const uint32_t atU = corner & 1, atV = corner >> 1;
      const T u = atU != 0 ? h.x : -h.x, v = atV != 0 ? h.y : -h.y;
      const T pu = u - m.x, pv = v - m.y;
      if (absOf(eu * pv - ev * pu) < insideE && absOf(fu * pv - fv * pu) < insideF)
        keep(u, v, referenceCorner | outside << axis | atU << uAxis | atV << vAxis);
    }
  }

  out.pointCount = 0;
  if (count == 0 && keepDeepest) {
    // The boxes overlap by less than the preference for faces, beside this one: its lowest corner stands for the contact.
    const T te = eu * slopeU + ev * slopeV > T(0) ? T(-1) : T(1), tf = fu * slopeU + fv * slopeV > T(0) ? T(-1) : T(1);
    const uint32_t atE = te > T(0) ? 1u : 0u, atF = tf > T(0) ? 1u : 0u;
    points[0] = {clampTo(m.x + (te * eu + tf * fu), -h.x, h.x), clampTo(m.y + (te * ev + tf * fv), -h.y, h.y),
                 height + ((te * eu + tf * fu) * slopeU + (te * ev + tf * fv) * slopeV),
                 incidentCorner | below << k | atE << firstAxis | atF << secondAxis};
    count = 1;
  }
  const uint32_t chosen = count <= kMaxManifoldPoints ? (1u << count) - 1u : spreadFour(points, count, clipSlop);
  for (int i = 0; i < count; ++i) {
    if ((chosen >> i & 1u) == 0) continue;
    const ClipPoint<T>& p = points[i];
    addPoint(out, fromFace(Vec3<T>{p.u, p.v, h.z + T(0.5) * p.separation}, axis, sign), p.separation, p.feature);
  }
  out.normal = fromFace(Vec3<T>{T(0), T(0), T(1)}, axis, sign);
}

// The edges of both boxes that face each other along n = +-(axis i of A) x (axis j of B), in A's frame; n points to B. False if the closest points
// of their lines are beyond their ends.
template <class T> CAIRN_HD inline bool meetEdges(const BoxPair<T>& pair, int i, int j, Vec3<T> n, T separation, T slop, LocalManifold<T>& out) {
  const Vec3<T> nB = transposeTimes(pair.r, n);
  const Vec3<T> na = toFace(n, i, T(1)), nb = toFace(nB, j, T(1)), ha = toFace(pair.a, i, T(1)), hb = toFace(pair.b, j, T(1));
  const bool aNext = na.x > T(0), aLast = na.y > T(0), bNext = nb.x < T(0), bLast = nb.y < T(0);
  const Vec3<T> middleA = fromFace(Vec3<T>{aNext ? ha.x : -ha.x, aLast ? ha.y : -ha.y, T(0)}, i, T(1));
  const Vec3<T> middleB = pair.d + pair.r * fromFace(Vec3<T>{bNext ? hb.x : -hb.x, bLast ? hb.y : -hb.y, T(0)}, j, T(1));
  const Vec3<T> v = j == 0 ? pair.r.c0 : (j == 1 ? pair.r.c1 : pair.r.c2);
  const Vec3<T> gap = middleB - middleA;
  const T k = component(v, i), du = component(gap, i), dv = dot(gap, v);
  const Vec3<T> vi = toFace(v, i, T(1));
  const T sine2 = vi.x * vi.x + vi.y * vi.y;
  const T s = (du - k * dv) / sine2, t = (k * du - dv) / sine2;
  const bool meet = absOf(s) <= ha.z + slop && absOf(t) <= hb.z + slop;
  if (!meet && separation > T(0)) return false;
  const Vec3<T> onA = middleA + clampTo(s, -ha.z, ha.z) * fromFace(Vec3<T>{T(0), T(0), T(1)}, i, T(1));
  const Vec3<T> onB = middleB + clampTo(t, -hb.z, hb.z) * v;
  out.normal = n;
  out.pointCount = 0;
  const uint32_t edgeA = uint32_t(i) << 2 | (aNext ? 1u : 0u) | (aLast ? 2u : 0u), edgeB = uint32_t(j) << 2 | (bNext ? 1u : 0u) | (bLast ? 2u : 0u);
  addPoint(out, T(0.5) * (onA + onB), separation, edgePair(edgeA, edgeB));
  return true;
}

// Boxes apart whose closest points are on edges or corners: from each edge of B to A; two points where it runs along one of A's. The separation is
// the gap between the boxes along the direction found, so it is right even if it were not the closest. Feature: B's edge, and which of its points.
template <class T> CAIRN_HD inline void meetClosest(const BoxPair<T>& pair, T slop, LocalManifold<T>& out) {
  out.pointCount = 0;
  T best = pair.margin * pair.margin;
  Segment<T> closest{};
  T at = T(0);
  uint32_t feature = 0;
  bool found = false;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3<T> along = component(pair.b, axis) * (axis == 0 ? pair.r.c0 : (axis == 1 ? pair.r.c1 : pair.r.c2));
    const Vec3<T> hb = toFace(pair.b, axis, T(1));
    for (uint32_t edge = 0; edge < 4; ++edge) {
      const T bu = (edge & 1) != 0 ? hb.x : -hb.x, bv = (edge & 2) != 0 ? hb.y : -hb.y;
      const Segment<T> segment{pair.d + pair.r * fromFace(Vec3<T>{bu, bv, T(0)}, axis, T(1)), along};
      // The edge's bounds against the best so far.
      const Vec3<T> apart = maxOf(absOf(segment.centre) - absOf(along) - pair.a, Vec3<T>{T(0), T(0), T(0)});
      if (dot(apart, apart) > best) continue;
      const T t = closestToBox(segment, pair.a);
      const Vec3<T> x = segment.centre + t * along;
      const Vec3<T> gap = x - clampTo(x, pair.a);
      const T distance2 = dot(gap, gap);
      if (distance2 > best || (found && distance2 == best)) continue;
      best = distance2;
      closest = segment;
      at = t;
      feature = kClosest | uint32_t(axis) << 2 | edge;
      found = true;
    }
  }
  if (!found || !(best > T(0))) return;
  const Vec3<T> onB = closest.centre + at * closest.axis;
  const Vec3<T> onA = clampTo(onB, pair.a);
  const T distance = squareRoot(best);
  const Vec3<T> n = (T(1) / distance) * (onB - onA);
  const T separation = dot(n, pair.d) - dot(absOf(n), pair.a) - dot(absOf(transposeTimes(pair.r, n)), pair.b);
  out.normal = n;

  const Vec3<T> along = absOf(closest.axis);
  const T longest = T(0.99) * length(along);
  const int parallel = along.x > longest ? 0 : (along.y > longest ? 1 : (along.z > longest ? 2 : -1));
  if (parallel >= 0) {
    const T inverse = safeInverse(component(closest.axis, parallel));
    const T middle = -component(closest.centre, parallel) * inverse, reach = component(pair.a, parallel) * absOf(inverse);
    const T low = maxOf(middle - reach, T(-1)), high = minOf(middle + reach, T(1));
    const Vec3<T> xLow = closest.centre + low * closest.axis, xHigh = closest.centre + high * closest.axis;
    const Vec3<T> yLow = clampTo(xLow, pair.a), yHigh = clampTo(xHigh, pair.a);
    const T more = length(xLow - yLow) - distance, moreHigh = length(xHigh - yHigh) - distance;
    if (low < high && maxOf(more, moreHigh) < slop && separation + maxOf(more, moreHigh) <= pair.margin) {
      addPoint(out, T(0.5) * (xLow + yLow), separation + maxOf(more, T(0)), feature);
      addPoint(out, T(0.5) * (xHigh + yHigh), separation + maxOf(moreHigh, T(0)), feature | 0x10u);
      return;
    }
  }
  addPoint(out, T(0.5) * (onA + onB), separation, feature | 0x20u);
}

}  // namespace collide_detail

template <class T>
CAIRN_HD inline void collideBoxBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  using namespace collide_detail;
  out.pointCount = 0;
  BoxPair<T> pair;
  pair.a = sizeA;
  pair.b = sizeB;
  pair.r = rotationMatrix(conjugate(a.q) * b.q);
  pair.d = inverseRotate(a.q, b.p - a.p);
  pair.margin = margin;

  // Face axes. `across` is B's centre along B's axes.
  const Vec3<T> c0 = absOf(pair.r.c0), c1 = absOf(pair.r.c1), c2 = absOf(pair.r.c2);
  const Vec3<T> across = transposeTimes(pair.r, pair.d);
  const Vec3<T> facesA = absOf(pair.d) - (sizeA + (sizeB.x * c0 + sizeB.y * c1 + sizeB.z * c2));
  const Vec3<T> facesB = absOf(across) - (sizeB + Vec3<T>{dot(sizeA, c0), dot(sizeA, c1), dot(sizeA, c2)});
  const Vec3<T> zero{T(0), T(0), T(0)};
  const Vec3<T> legsA = maxOf(facesA, zero), legsB = maxOf(facesB, zero);
  const T margin2 = margin * margin;
  if (dot(legsA, legsA) > margin2 || dot(legsB, legsB) > margin2) return;

  const T smallest = minOf(minOf(sizeA.x, minOf(sizeA.y, sizeA.z)), minOf(sizeB.x, minOf(sizeB.y, sizeB.z)));
  const T mean = T(1.0 / 3) * minOf(sizeA.x + sizeA.y + sizeA.z, sizeB.x + sizeB.y + sizeB.z);
  const T axisSlop = minOf(T(2e-3) * mean, T(0.05) * smallest), clipSlop = T(0.5) * axisSlop;
  int axisA = 0, axisB = 0;
  T faceA = facesA.x, faceB = facesB.x;
  if (facesA.y > faceA + axisSlop) axisA = 1, faceA = facesA.y;
  if (facesA.z > faceA + axisSlop) axisA = 2, faceA = facesA.z;
  if (facesB.y > faceB + axisSlop) axisB = 1, faceB = facesB.y;
  if (facesB.z > faceB + axisSlop) axisB = 2, faceB = facesB.z;
  const bool preferB = dot(sizeB, sizeB) > T(1.001) * dot(sizeA, sizeA);
  const bool useA = preferB ? faceA > faceB + axisSlop : faceA + axisSlop >= faceB;
  const T face = useA ? faceA : faceB;

  // Edge axes, compared by squares that keep the sign: most never need their length.
  const T faceBar = face + axisSlop + T(0.02) * maxOf(-face, T(0));
  T bar = faceBar;  // the best edge pair's gap, once there is one
  T barSquare = bar * absOf(bar);
  int edgeI = -1, edgeJ = 0;
  T edgeSide = T(1);
  const auto tryEdges = [&](int j, Vec3<T> c, Vec3<T> ac, T bNext, T bLast, Vec3<T> acNext, Vec3<T> acLast) {
    const Vec3<T> offset = cross(c, pair.d);  // B's centre along (axis i of A) x c
    const Vec3<T> span = Vec3<T>{sizeA.y * ac.z + sizeA.z * ac.y, sizeA.x * ac.z + sizeA.z * ac.x, sizeA.x * ac.y + sizeA.y * ac.x} +
                         (bNext * acLast + bLast * acNext);
    const Vec3<T> gap = absOf(offset) - span;
    const Vec3<T> square{c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y};
    const auto tryEdge = [&](int i, T g, T l2, T o) {
      if (!(g * absOf(g) > barSquare * l2) || l2 < T(1e-6)) return;
      bar = g / squareRoot(l2);
      barSquare = bar * absOf(bar);
      edgeI = i;
      edgeJ = j;
      edgeSide = o < T(0) ? T(-1) : T(1);
    };
    tryEdge(0, gap.x, square.x, offset.x);
    tryEdge(1, gap.y, square.y, offset.y);
    tryEdge(2, gap.z, square.z, offset.z);
  };
  tryEdges(0, pair.r.c0, c0, sizeB.y, sizeB.z, c1, c2);
  tryEdges(1, pair.r.c1, c1, sizeB.z, sizeB.x, c2, c0);
  tryEdges(2, pair.r.c2, c2, sizeB.x, sizeB.y, c0, c1);
  if (edgeI >= 0 && bar > margin) return;

  const bool apart = face > T(0) || (edgeI >= 0 && bar > T(0));
  Vec3<T> edgeNormal{T(0), T(0), T(0)};
  bool clip = edgeI < 0;
  if (edgeI >= 0) {
    const Vec3<T> c = edgeJ == 0 ? pair.r.c0 : (edgeJ == 1 ? pair.r.c1 : pair.r.c2);
    const Vec3<T> axis = edgeI == 0 ? Vec3<T>{T(0), -c.z, c.y} : (edgeI == 1 ? Vec3<T>{c.z, T(0), -c.x} : Vec3<T>{-c.y, c.x, T(0)});
    edgeNormal = (edgeSide / length(axis)) * axis;
    // Close to a face's normal the face carries: clipping finds the edges' crossing too, and what else is near the face.
    clip = absOf(useA ? component(edgeNormal, axisA) : component(transposeTimes(pair.r, edgeNormal), axisB)) > T(0.99);
  }
  if (clip && useA) {
    const T sign = select(component(pair.d, axisA) < T(0), T(-1), T(1));
    clipFaces(sizeA, axisA, sign, sizeB, pair.r, pair.d, true, clipSlop, margin, !apart && edgeI < 0, out);
  } else if (clip) {
    const T sign = select(component(across, axisB) > T(0), T(-1), T(1));
    const Mat3<T> axesOfA{{pair.r.c0.x, pair.r.c1.x, pair.r.c2.x}, {pair.r.c0.y, pair.r.c1.y, pair.r.c2.y}, {pair.r.c0.z, pair.r.c1.z, pair.r.c2.z}};
    clipFaces(sizeB, axisB, sign, sizeA, axesOfA, -across, false, clipSlop, margin, !apart && edgeI < 0, out);
  }
  // A deepest point well above the bound may not be where the boxes are closest: that can be beside the face.
  if (out.pointCount > 0) {
    const T low = deepestOf(out);
    const bool carried = low <= (edgeI >= 0 ? bar : face) + T(2) * axisSlop;
    LocalManifold<T> beside;
    beside.pointCount = 0;
    if (!carried && !(edgeI >= 0 && meetEdges(pair, edgeI, edgeJ, edgeNormal, bar, clipSlop, beside)) && apart) meetClosest(pair, axisSlop, beside);
    if (carried || beside.pointCount == 0 || beside.points[0].separation > low - axisSlop) {
      const Pose<T>& frame = useA ? a : b;
      const Vec3<T> normal = rotate(frame.q, out.normal);
      out.normal = useA ? normal : -normal;
      for (int p = 0; p < out.pointCount; ++p) out.points[p].position = frame.p + rotate(frame.q, out.points[p].position);
      return;
    }
    out = beside;
  } else {
    const bool met = edgeI >= 0 && meetEdges(pair, edgeI, edgeJ, edgeNormal, bar, clipSlop, out);
    if (!met && apart) meetClosest(pair, axisSlop, out);
  }
  if (out.pointCount == 0) return;
  out.normal = rotate(a.q, out.normal);
  for (int p = 0; p < out.pointCount; ++p) out.points[p].position = a.p + rotate(a.q, out.points[p].position);
}

}  // namespace cairn
