// Hull against hull or box: separating axes, then clipping (a face carries), or the points at which two edges pass, or that are closest.
//
// The choice is that of boxes (collide_box.hpp): a face of the larger one before one of the smaller, any face before edges, unless clearly worse. A
// manifold on a face whose deepest point is well above what the axes say gives way to the edges, or, where the two are apart, to the closest points,
// which the algorithm of convex_gap.hpp finds between any two features.
#pragma once

#include "kernels/collide/collide_hull_clip.hpp"

namespace cairn::v0 {

namespace hull {

// Where two edges pass each other, in A's frame. False: beside their ends, if that matters.
CAIRN_HD inline bool meetEdges(const Pair& pair, const EdgeAxis& edges, bool anywhere, LocalManifold<double>& out) {
  const PlacedEdge a = placedEdge(pair.a, pair.a.shape.edges[edges.a]);
  const PlacedEdge local = placedEdge(pair.b, pair.b.shape.edges[edges.b]);
  const Vec fromB = pair.bInA.point(local.from), alongB = pair.bInA.axes * local.along, d = fromB - a.from;
  const double aa = dot(a.along, a.along), bb = dot(alongB, alongB), ab = dot(a.along, alongB), da = dot(d, a.along), db = dot(d, alongB);
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 0)) return false;
  double s = (da * bb - db * ab) / determinant, t = (da * ab - db * aa) / determinant;
  const double spare = pair.axisSlop, spareA = spare / squareRoot(aa), spareB = spare / squareRoot(bb);
  if (anywhere) {
    s = clampTo(s, 0.0, 1.0);
    t = clampTo(t, 0.0, 1.0);
  } else if (s < -spareA || s > 1 + spareA || t < -spareB || t > 1 + spareB) {
    return false;
  }
  const Vec onA = a.from + s * a.along, onB = fromB + t * alongB;
  out.pointCount = 0;
  out.normal = edges.normal;
  addPoint(out, 0.5 * (onA + onB), edges.gap, edgeFeature(edges.a, edges.b));
  return true;
}

// The closest points of shapes that are apart by `least`, in the world. False: they are so close that there are none.
CAIRN_HD inline bool meetClosest(const ConvexShape& a, const ConvexShape& b, double least, double margin, LocalManifold<double>& out) {
  out.pointCount = 0;
  const ConvexGap gap = gapOfCores(a, b, margin);
  if (!gap.known || gap.gap < least) return false;
  if (!(gap.gap <= margin)) return true;
  out.normal = gap.normal;
  addPoint(out, gap.onB - (0.5 * gap.gap) * gap.normal, gap.gap, kClosestOf);
  return true;
}

CAIRN_HD inline void toWorld(const Pose<double>& frame, LocalManifold<double>& out) {
  out.normal = rotate(frame.q, out.normal);
  for (int p = 0; p < out.pointCount; ++p) out.points[p].position = transform(frame, out.points[p].position);
}

template <class Scan = OneByOne> [[gnu::noinline]] CAIRN_HD inline void meet(const PlacedShape<double>& a, const PlacedShape<double>& b,
                                                                             const HullView& hulls, double margin, LocalManifold<double>& out) {
  // Most pairs leave by their balls, before anything is turned.
  const double reach = outerOf(a.type, a.size, hulls) + outerOf(b.type, b.size, hulls) + margin;
  if (lengthSquared(b.pose.p - a.pose.p) > reach * reach) return;
  const Pair pair = pairOf(a, b, hulls, margin);
  Axes axes;
  chooseAxes<Scan>(pair, axes);
  if (!axes.near) return;
  const bool edgesAreBetter = axes.edges.a >= 0;
  const bool apart = axes.face.gap > 0 || (edgesAreBetter && axes.edges.gap > 0);
  const auto faceToWorld = [&](LocalManifold<double>& onFace) {
    toWorld(axes.onA ? a.pose : b.pose, onFace);
    if (!axes.onA) onFace.normal = -onFace.normal;
  };
  const auto meetBeside = [&](LocalManifold<double>& into) {
    if (edgesAreBetter && meetEdges(pair, axes.edges, false, into)) return toWorld(a.pose, into);
    if (apart && meetClosest(convexShape(a, &hulls), convexShape(b, &hulls), -pair.axisSlop, margin, into)) return;
    // What the axes say of shapes that overlap is better than no contact, although it lies beside the edges or the face: slivers, and corners that
    // pass.
    if (edgesAreBetter && meetEdges(pair, axes.edges, true, into)) return toWorld(a.pose, into);
    meetLowest<Scan>(pair, axes, into);
    faceToWorld(into);
  };
  // Close to a face's normal the face carries: clipping finds the edges' crossing too, and the points beside it.
  bool clip = !edgesAreBetter;
  if (edgesAreBetter) {
    const Vec n = axes.onA ? pair.a.normal(axes.face.face) : pair.bInA.axes * pair.b.normal(axes.face.face);
    clip = absOf(dot(n, axes.edges.normal)) > 0.99;
  }
  if (clip) clipOn<Scan>(pair, axes, !apart && !edgesAreBetter, out);
  if (out.pointCount == 0) return meetBeside(out);
  faceToWorld(out);
  // If the deepest point is well above the bound, the shapes may be closer beside the face.
  const double low = deepestOf(out);
  if (low <= (edgesAreBetter ? axes.edges.gap : axes.face.gap) + 2 * pair.axisSlop) return;
  LocalManifold<double> beside;
  beside.pointCount = 0;
  meetBeside(beside);
  if (beside.pointCount > 0 && beside.points[0].separation <= low - pair.axisSlop) out = beside;
}

}  // namespace hull

}  // namespace cairn::v0
