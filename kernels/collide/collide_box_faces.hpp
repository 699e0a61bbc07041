// Box against box where a face carries: the incident face clipped to the reference face.
//
// The face of the other box that opposes the reference face most is projected on it. The corners of the overlap of the rectangle and the projected
// parallelogram are found as a set, not by walking a polygon: corners of one inside the other, and the ends of the edges' intervals inside the
// rectangle. The two things that meet in a point, a corner and a face or two edges, are its feature, whichever box holds the reference face. The
// rectangle is clipSlop larger for the clipping and points are moved back to it, so that edges in line (equal boxes on each other) do not flicker. Up
// to eight points are reduced to four: by the area they span, and the deepest.
#pragma once

#include "kernels/collide/collide_box_pair.hpp"

namespace cairn::v0 {

namespace collide_detail {

template <class T> struct ClipPoint {
  T u, v, separation;
  uint32_t feature;
};
constexpr int kClipPoints = 16;  // four corners of each face, two ends for each of four edges

// Apart from FaceClip: a compiler that keeps an array in memory because of its index keeps the whole record there.
template <class T> struct ClipPoints {
  ClipPoint<T> points[kClipPoints];
  int count;
};

// Four points of many: a bit each. The choice goes by place, not by depth: the corners of a resting face differ in depth by rounding, and a choice
// that changes from step to step moves the support about and keeps a stack in motion. Only a corner that is clearly (depthSlop) below the chosen ones
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
  const T orientation = select(u1 * v2 - v1 * u2 < T(0), T(-1), T(1));
  // Twice the area that a point adds to the triangle, by the side it lies beyond.
  const int p3 = firstNearMax([&](const ClipPoint<T>& p) {
    const T u = p.u - u0, v = p.v - v0;
    const T first = v1 * u - u1 * v;
    const T second = (v2 - v1) * (u - u1) - (u2 - u1) * (v - v1);
    const T third = u2 * v - v2 * u;
    return orientation * first > orientation * second ? maxOf(orientation * first, orientation * third)
                                                      : maxOf(orientation * second, orientation * third);
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
  T low, high;  // the interval of t in which the edge's line is inside the rectangle
  bool lowIsU, highIsU;
};
template <class T> CAIRN_HD inline ClippedEdge<T> clipEdge(T mu, T mv, T inverseU, T inverseV, T reachU, T reachV) {
  const T tu = -mu * inverseU, tv = -mv * inverseV;
  const T lowU = tu - reachU, lowV = tv - reachV, highU = tu + reachU, highV = tv + reachV;
  return {maxOf(lowU, lowV), minOf(highU, highV), lowU > lowV, highU < highV};
}

// The box that holds the reference face, and the other one in that box's frame.
template <class T> struct ReferenceFace {
  Vec3<T> half;
  int axis;
  T sign;
  bool ofA;
};
template <class T> struct IncidentBox {
  Vec3<T> half;
  Mat3<T> axes;
  Vec3<T> centre;
};

// The incident face as it is seen on the reference face: u and v along that face, height above it. The incident face is m -+ e -+ f.
template <class T> struct FaceClip {
  Vec3<T> h;  // half extents of the reference box: along u, along v, outward
  int uAxis, vAxis, outwardAxis;
  uint32_t outside;  // 1: the reference face is at +halfExtents
  bool referenceIsA;
  int across, firstAxis, secondAxis;  // axes of the incident box: out of the incident face, along e, along f
  uint32_t below;                     // 1: the incident face is at +halfExtents
  Vec3<T> m;
  T eu, ev, fu, fv;
  T height, slopeU, slopeV;  // of the incident plane over the reference face
  T slop, margin;
  ClippedEdge<T> edges[4];  // along e at -f and +f, along f at -e and +e

  // The separation is that of a point of the incident face, the position is brought back into the rectangle.
  CAIRN_HD void keep(T u, T v, uint32_t feature, ClipPoints<T>& to) const {
    const T separation = height + (slopeU * (u - m.x) + slopeV * (v - m.y));
    to.points[to.count] = {clampTo(u, -h.x, h.x), clampTo(v, -h.y, h.y), separation, feature};
    to.count += separation <= margin ? 1 : 0;
  }

  CAIRN_HD uint32_t incidentCorner(uint32_t atE, uint32_t atF) const {
    return (referenceIsA ? kCornerOfB : kCornerOfA) | below << across | atE << firstAxis | atF << secondAxis;
  }

  // Corners of the incident face. A corner is inside if one of its edges' intervals says so: rounding then cannot lose a point between the corner and
  // the edge's crossing.
  CAIRN_HD void keepIncidentCorners(ClipPoints<T>& to) const {
    for (uint32_t corner = 0; corner < 4; ++corner) {
      const uint32_t atE = corner & 1, atF = corner >> 1;
      const ClippedEdge<T>& alongE = edges[atF];
      const ClippedEdge<T>& alongF = edges[2 + atE];
      const T te = atE != 0 ? T(1) : T(-1), tf = atF != 0 ? T(1) : T(-1);
      const bool inside = (alongE.low <= te && te <= alongE.high) || (alongF.low <= tf && tf <= alongF.high);
      if (inside) keep(m.x + (te * eu + tf * fu), m.y + (te * ev + tf * fv), incidentCorner(atE, atF), to);
    }
  }

  // Crossings of the incident face's edges with the rectangle's sides.
  CAIRN_HD void keepCrossings(ClipPoints<T>& to) const {
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
        keep(mu + t * du, mv + t * dv, referenceIsA ? edgePair(referenceEdge, incidentEdge) : edgePair(incidentEdge, referenceEdge), to);
      }
    }
  }

  // Corners of the rectangle inside the parallelogram, by more than the slop for which an edge's crossing stands already.
  CAIRN_HD void keepReferenceCorners(ClipPoints<T>& to) const {
    const T area = absOf(eu * fv - ev * fu);
    const T insideE = area - T(0.99) * slop * (absOf(eu) + absOf(ev)), insideF = area - T(0.99) * slop * (absOf(fu) + absOf(fv));
    const uint32_t referenceCorner = referenceIsA ? kCornerOfA : kCornerOfB;
    for (uint32_t corner = 0; corner < 4; ++corner) {
      const uint32_t atU = corner & 1, atV = corner >> 1;
      const T u = atU != 0 ? h.x : -h.x, v = atV != 0 ? h.y : -h.y;
      const T pu = u - m.x, pv = v - m.y;
      if (absOf(eu * pv - ev * pu) < insideE && absOf(fu * pv - fv * pu) < insideF)
        keep(u, v, referenceCorner | outside << outwardAxis | atU << uAxis | atV << vAxis, to);
    }
  }

  // Boxes that overlap beside this face, by less than the preference for faces: the incident face's lowest corner stands for the contact.
  CAIRN_HD void takeLowestCorner(ClipPoints<T>& to) const {
    const T te = eu * slopeU + ev * slopeV > T(0) ? T(-1) : T(1), tf = fu * slopeU + fv * slopeV > T(0) ? T(-1) : T(1);
    const uint32_t atE = te > T(0) ? 1u : 0u, atF = tf > T(0) ? 1u : 0u;
    to.points[0] = {clampTo(m.x + (te * eu + tf * fu), -h.x, h.x), clampTo(m.y + (te * ev + tf * fv), -h.y, h.y),
                    height + ((te * eu + tf * fu) * slopeU + (te * ev + tf * fv) * slopeV), incidentCorner(atE, atF)};
    to.count = 1;
  }
};

template <class T> CAIRN_HD inline void seeOnFace(const ReferenceFace<T>& face, const IncidentBox<T>& other, FaceClip<T>& clip) {
  const int axis = face.axis;
  const Vec3<T> h = toFace(face.half, axis, T(1));
  const Vec3<T> c0 = toFace(other.axes.c0, axis, face.sign), c1 = toFace(other.axes.c1, axis, face.sign), c2 = toFace(other.axes.c2, axis, face.sign);
  const Vec3<T> centre = toFace(other.centre, axis, face.sign);
  clip.h = h;
  clip.uAxis = nextAxis(axis);
  clip.vAxis = nextAxis(clip.uAxis);
  clip.outwardAxis = axis;
  clip.outside = face.sign > T(0) ? 1u : 0u;
  clip.referenceIsA = face.ofA;

  // Incident face: across axis k, spanned by the two after it. The slop keeps ties (a box balanced on an edge) from flickering.
  int k = 0;
  T opposed = absOf(c0.z);
  if (absOf(c1.z) > opposed + T(1e-3)) k = 1, opposed = absOf(c1.z);
  if (absOf(c2.z) > opposed + T(1e-3)) k = 2, opposed = absOf(c2.z);
  const Vec3<T> across = k == 0 ? c0 : (k == 1 ? c1 : c2);
  const Vec3<T> first = k == 0 ? c1 : (k == 1 ? c2 : c0), second = k == 0 ? c2 : (k == 1 ? c0 : c1);
  const Vec3<T> otherSize = toFace(other.half, k, T(1));
  const T side = across.z > T(0) ? T(-1) : T(1);
  const Vec3<T> m = centre + (side * otherSize.z) * across;
  const T eu = otherSize.x * first.x, ev = otherSize.x * first.y, fu = otherSize.y * second.x, fv = otherSize.y * second.y;
  clip.across = k;
  clip.firstAxis = nextAxis(k);
  clip.secondAxis = nextAxis(clip.firstAxis);
  clip.below = side > T(0) ? 1u : 0u;
  clip.m = m;
  clip.eu = eu;
  clip.ev = ev;
  clip.fu = fu;
  clip.fv = fv;
  clip.slopeU = -across.x / across.z;
  clip.slopeV = -across.y / across.z;
  clip.height = m.z - h.z;

  const T limitU = h.x + clip.slop, limitV = h.y + clip.slop;
  const T inverseEu = safeInverse(eu), inverseEv = safeInverse(ev), inverseFu = safeInverse(fu), inverseFv = safeInverse(fv);
  const T reachEu = limitU * absOf(inverseEu), reachEv = limitV * absOf(inverseEv);
  const T reachFu = limitU * absOf(inverseFu), reachFv = limitV * absOf(inverseFv);
  clip.edges[0] = clipEdge(m.x - fu, m.y - fv, inverseEu, inverseEv, reachEu, reachEv);
  clip.edges[1] = clipEdge(m.x + fu, m.y + fv, inverseEu, inverseEv, reachEu, reachEv);
  clip.edges[2] = clipEdge(m.x - eu, m.y - ev, inverseFu, inverseFv, reachFu, reachFv);
  clip.edges[3] = clipEdge(m.x + eu, m.y + ev, inverseFu, inverseFv, reachFu, reachFv);
}

// Contacts on a face of one box, in that box's frame. keepDeepest: at least one.
template <class T> CAIRN_HD inline void clipFaces(const ReferenceFace<T>& face, const IncidentBox<T>& other, T clipSlop, T margin, bool keepDeepest,
                                                  LocalManifold<T>& out) {
  FaceClip<T> clip;
  clip.slop = clipSlop;
  clip.margin = margin;
  seeOnFace(face, other, clip);
  ClipPoints<T> kept;
  kept.count = 0;
  clip.keepIncidentCorners(kept);
  const int corners = kept.count;
  clip.keepCrossings(kept);
  if (corners < 4) clip.keepReferenceCorners(kept);

  out.pointCount = 0;
  if (kept.count == 0 && keepDeepest) clip.takeLowestCorner(kept);
  const uint32_t chosen = kept.count <= kMaxManifoldPoints ? (1u << kept.count) - 1u : spreadFour(kept.points, kept.count, clipSlop);
  for (int i = 0; i < kept.count; ++i) {
    if ((chosen >> i & 1u) == 0) continue;
    const ClipPoint<T>& p = kept.points[i];
    addPoint(out, fromFace(Vec3<T>{p.u, p.v, clip.h.z + T(0.5) * p.separation}, face.axis, face.sign), p.separation, p.feature);
  }
  out.normal = fromFace(Vec3<T>{T(0), T(0), T(1)}, face.axis, face.sign);
}

}  // namespace collide_detail

}  // namespace cairn::v0
