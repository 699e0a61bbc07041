// Box against box: separating axes, then clipping (a face carries) or closest points (edges or corners meet).
//
// 1. The three face axes of each box and the nine products of edges (Gottschalk et al. 1996) bound the gap from below; a bound above the margin ends
//    the search. Two cheaper, sharper bounds come along: the gaps along one box's axes are the legs of a right triangle.
// 2. Choice of the axis. A face of the larger box is preferred to one of the smaller, any face to an edge pair, unless clearly (axisSlop) worse:
//    resting boxes, whose axes tie up to rounding, then keep their reference face, and their features with it. A face is also preferred to an edge
//    pair whose normal is nearly that of the face.
// 3. Face: collide_box_faces.hpp.
// 4. Boxes that are apart and overlap along no face (a corner or an edge passes by an edge): collide_box_edges.hpp.
//
// A separation is the height of B's face above A's at that point, hence never below the true one. All of it is + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/collide_box_edges.hpp"
#include "kernels/collide/collide_box_faces.hpp"

namespace cairn {

namespace collide_detail {

// Gaps between the boxes along the axes of A and along those of B; negative where they overlap.
template <class T> struct FaceGaps { Vec3<T> a, b; };

template <class T> CAIRN_HD inline FaceGaps<T> faceGaps(const BoxPair<T>& pair) {
  const Vec3<T> c0 = pair.absR.c0, c1 = pair.absR.c1, c2 = pair.absR.c2;
  return {absOf(pair.d) - (pair.a + (pair.b.x * c0 + pair.b.y * c1 + pair.b.z * c2)),
          absOf(pair.across) - (pair.b + Vec3<T>{dot(pair.a, c0), dot(pair.a, c1), dot(pair.a, c2)})};
}

template <class T> CAIRN_HD inline bool areBeyondMargin(const FaceGaps<T>& gaps, T margin) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  const Vec3<T> legsA = maxOf(gaps.a, zero), legsB = maxOf(gaps.b, zero);
  const T margin2 = margin * margin;
  return dot(legsA, legsA) > margin2 || dot(legsB, legsB) > margin2;
}

template <class T> struct ChosenFace {
  bool onA;  // else on B
  int axis;
  T gap;
};

template <class T> CAIRN_HD inline ChosenFace<T> chooseFace(const BoxPair<T>& pair, const FaceGaps<T>& gaps, T axisSlop) {
  int axisA = 0, axisB = 0;
  T faceA = gaps.a.x, faceB = gaps.b.x;
  if (gaps.a.y > faceA + axisSlop) axisA = 1, faceA = gaps.a.y;
  if (gaps.a.z > faceA + axisSlop) axisA = 2, faceA = gaps.a.z;
  if (gaps.b.y > faceB + axisSlop) axisB = 1, faceB = gaps.b.y;
  if (gaps.b.z > faceB + axisSlop) axisB = 2, faceB = gaps.b.z;
  const bool preferB = dot(pair.b, pair.b) > T(1.001) * dot(pair.a, pair.a);
  const bool useA = preferB ? faceA > faceB + axisSlop : faceA + axisSlop >= faceB;
  return {useA, useA ? axisA : axisB, useA ? faceA : faceB};
}

template <class T> struct ChosenEdges {
  int i, j;  // axes of A and of B; i is -1 if no pair of edges is better than the bar
  T gap;
  T side;  // sign of (axis i of A) x (axis j of B) towards B
};

// Edge axes, compared by squares that keep the sign: few of them ever need their length.
template <class T> CAIRN_HD inline ChosenEdges<T> chooseEdges(const BoxPair<T>& pair, T faceBar) {
  const Vec3<T> sizeA = pair.a, sizeB = pair.b;
  const Vec3<T> c0 = pair.absR.c0, c1 = pair.absR.c1, c2 = pair.absR.c2;
  ChosenEdges<T> best{-1, 0, faceBar, T(1)};
  T barSquare = best.gap * absOf(best.gap);
  const auto tryEdges = [&](int j, Vec3<T> c, Vec3<T> ac, T bNext, T bLast, Vec3<T> acNext, Vec3<T> acLast) {
    const Vec3<T> offset = cross(c, pair.d);  // B's centre along (axis i of A) x c
    const Vec3<T> span = Vec3<T>{sizeA.y * ac.z + sizeA.z * ac.y, sizeA.x * ac.z + sizeA.z * ac.x, sizeA.x * ac.y + sizeA.y * ac.x} +
                         (bNext * acLast + bLast * acNext);
    const Vec3<T> gap = absOf(offset) - span;
    const Vec3<T> square{c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y};
    const auto tryEdge = [&](int i, T g, T l2, T o) {
      if (!(g * absOf(g) > barSquare * l2) || l2 < T(1e-6)) return;
      best.gap = g / squareRoot(l2);
      barSquare = best.gap * absOf(best.gap);
      best.i = i;
      best.j = j;
      best.side = o < T(0) ? T(-1) : T(1);
    };
    tryEdge(0, gap.x, square.x, offset.x);
    tryEdge(1, gap.y, square.y, offset.y);
    tryEdge(2, gap.z, square.z, offset.z);
  };
  tryEdges(0, pair.r.c0, c0, sizeB.y, sizeB.z, c1, c2);
  tryEdges(1, pair.r.c1, c1, sizeB.z, sizeB.x, c2, c0);
  tryEdges(2, pair.r.c2, c2, sizeB.x, sizeB.y, c0, c1);
  return best;
}

template <class T> CAIRN_HD inline Vec3<T> edgeNormal(const BoxPair<T>& pair, const ChosenEdges<T>& edges) {
  const Vec3<T> c = edges.j == 0 ? pair.r.c0 : (edges.j == 1 ? pair.r.c1 : pair.r.c2);
  const Vec3<T> axis = edges.i == 0 ? Vec3<T>{T(0), -c.z, c.y} : (edges.i == 1 ? Vec3<T>{c.z, T(0), -c.x} : Vec3<T>{-c.y, c.x, T(0)});
  return (edges.side / length(axis)) * axis;
}

// Contacts on the chosen face, in the frame of the box that holds it.
template <class T>
CAIRN_HD inline void clipOn(const BoxPair<T>& pair, const ChosenFace<T>& face, T clipSlop, bool keepDeepest, LocalManifold<T>& out) {
  ReferenceFace<T> reference{pair.a, face.axis, T(0), face.onA};
  IncidentBox<T> incident{pair.b, pair.r, pair.d};
  if (face.onA) {
    reference.sign = select(component(pair.d, face.axis) < T(0), T(-1), T(1));
  } else {
    reference.half = pair.b;
    reference.sign = select(component(pair.across, face.axis) > T(0), T(-1), T(1));
    incident.half = pair.a;
    incident.axes = {{pair.r.c0.x, pair.r.c1.x, pair.r.c2.x}, {pair.r.c0.y, pair.r.c1.y, pair.r.c2.y}, {pair.r.c0.z, pair.r.c1.z, pair.r.c2.z}};
    incident.centre = -pair.across;
  }
  clipFaces(reference, incident, clipSlop, pair.margin, keepDeepest, out);
}

template <class T> CAIRN_HD inline void toWorld(const Pose<T>& frame, LocalManifold<T>& out) {
  out.normal = rotate(frame.q, out.normal);
  for (int p = 0; p < out.pointCount; ++p) out.points[p].position = frame.p + rotate(frame.q, out.points[p].position);
}

}  // namespace collide_detail

template <class T>
CAIRN_HD inline void collideBoxBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  using namespace collide_detail;
  out.pointCount = 0;
  const BoxPair<T> pair = boxPair(sizeA, a, sizeB, b, margin);
  const FaceGaps<T> gaps = faceGaps(pair);
  if (areBeyondMargin(gaps, margin)) return;

  const T smallest = minOf(minOf(sizeA.x, minOf(sizeA.y, sizeA.z)), minOf(sizeB.x, minOf(sizeB.y, sizeB.z)));
  const T mean = T(1.0 / 3) * minOf(sizeA.x + sizeA.y + sizeA.z, sizeB.x + sizeB.y + sizeB.z);
  const T axisSlop = minOf(T(2e-3) * mean, T(0.05) * smallest), clipSlop = T(0.5) * axisSlop;
  const ChosenFace<T> face = chooseFace(pair, gaps, axisSlop);
  const ChosenEdges<T> edges = chooseEdges(pair, face.gap + axisSlop + T(0.02) * maxOf(-face.gap, T(0)));
  const bool edgesAreBetter = edges.i >= 0;
  if (edgesAreBetter && edges.gap > margin) return;

  const bool apart = face.gap > T(0) || (edgesAreBetter && edges.gap > T(0));
  Vec3<T> normal{T(0), T(0), T(0)};
  bool clip = !edgesAreBetter;
  if (edgesAreBetter) {
    normal = edgeNormal(pair, edges);
    // Close to a face's normal the face carries: clipping finds the edges' crossing too, and the points beside it.
    clip = absOf(component(face.onA ? normal : transposeTimes(pair.r, normal), face.axis)) > T(0.99);
  }
  const auto meetAtEdges = [&](LocalManifold<T>& into) {
    const bool met = edgesAreBetter && meetEdges(pair, edges.i, edges.j, normal, edges.gap, clipSlop, into);
    if (!met && apart) meetClosest(pair, axisSlop, into);
  };
  if (clip) clipOn(pair, face, clipSlop, !apart && !edgesAreBetter, out);
  if (out.pointCount > 0) {
    // If the deepest point is well above the bound, the boxes may be closer beside the face.
    const T low = deepestOf(out);
    const bool carried = low <= (edgesAreBetter ? edges.gap : face.gap) + T(2) * axisSlop;
    LocalManifold<T> beside;
    beside.pointCount = 0;
    if (!carried) meetAtEdges(beside);
    if (carried || beside.pointCount == 0 || beside.points[0].separation > low - axisSlop) {
      toWorld(face.onA ? a : b, out);
      if (!face.onA) out.normal = -out.normal;
      return;
    }
    out = beside;
  } else {
    meetAtEdges(out);
  }
  if (out.pointCount > 0) toWorld(a, out);
}

}  // namespace cairn
