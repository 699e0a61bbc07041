// Box against box where no face carries: two edges that cross, or closest points of boxes that are apart and overlap along no face.
#pragma once

#include "kernels/collide/collide_box_pair.hpp"
#include "kernels/collide/collide_capsule.hpp"

namespace cairn::v0 {

namespace collide_detail {

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

// An edge of B and its point that is closest to A.
template <class T> struct ClosestEdge {
  bool found;
  Segment<T> edge;
  T t;          // of the point, from -1 to 1
  T distance2;  // to A
  uint32_t feature;
};

template <class T> CAIRN_HD inline ClosestEdge<T> closestEdge(const BoxPair<T>& pair) {
  ClosestEdge<T> out{};
  T best = pair.margin * pair.margin;
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
      if (distance2 > best || (out.found && distance2 == best)) continue;
      best = distance2;
      out.edge = segment;
      out.t = t;
      out.feature = kClosest | uint32_t(axis) << 2 | edge;
      out.found = true;
    }
  }
  out.distance2 = best;
  return out;
}

// Two points where an edge runs along one of A's: the ends of their common stretch. False where it does not, or where the ends are not as close as
// the closest point.
template <class T>
CAIRN_HD inline bool meetAlongEdge(const BoxPair<T>& pair, const ClosestEdge<T>& closest, T slop, T distance, T separation, LocalManifold<T>& out) {
  const Segment<T>& edge = closest.edge;
  const Vec3<T> along = absOf(edge.axis);
  const T longest = T(0.99) * length(along);
  const int parallel = along.x > longest ? 0 : (along.y > longest ? 1 : (along.z > longest ? 2 : -1));
  if (parallel < 0) return false;
  const T inverse = safeInverse(component(edge.axis, parallel));
  const T middle = -component(edge.centre, parallel) * inverse, reach = component(pair.a, parallel) * absOf(inverse);
  const T low = maxOf(middle - reach, T(-1)), high = minOf(middle + reach, T(1));
  const Vec3<T> xLow = edge.centre + low * edge.axis, xHigh = edge.centre + high * edge.axis;
  const Vec3<T> yLow = clampTo(xLow, pair.a), yHigh = clampTo(xHigh, pair.a);
  const T moreLow = length(xLow - yLow) - distance, moreHigh = length(xHigh - yHigh) - distance;
  if (!(low < high && maxOf(moreLow, moreHigh) < slop && separation + maxOf(moreLow, moreHigh) <= pair.margin)) return false;
  addPoint(out, T(0.5) * (xLow + yLow), separation + maxOf(moreLow, T(0)), closest.feature);
  addPoint(out, T(0.5) * (xHigh + yHigh), separation + maxOf(moreHigh, T(0)), closest.feature | 0x10u);
  return true;
}

// Boxes apart whose closest points are on edges or corners: from each edge of B to A; two points where it runs along one of A's. The separation is
// the gap between the boxes along the direction found, so it is right even if another direction were closer. Feature: B's edge, and which of its
// points.
template <class T> CAIRN_HD inline void meetClosest(const BoxPair<T>& pair, T slop, LocalManifold<T>& out) {
  out.pointCount = 0;
  const ClosestEdge<T> closest = closestEdge(pair);
  if (!closest.found || !(closest.distance2 > T(0))) return;
  const Vec3<T> onB = closest.edge.centre + closest.t * closest.edge.axis;
  const Vec3<T> onA = clampTo(onB, pair.a);
  const T distance = squareRoot(closest.distance2);
  const Vec3<T> n = (T(1) / distance) * (onB - onA);
  const T separation = dot(n, pair.d) - dot(absOf(n), pair.a) - dot(absOf(transposeTimes(pair.r, n)), pair.b);
  out.normal = n;
  if (meetAlongEdge(pair, closest, slop, distance, separation, out)) return;
  addPoint(out, T(0.5) * (onA + onB), separation, closest.feature | 0x20u);
}

}  // namespace collide_detail

}  // namespace cairn::v0
