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

namespace cairn::v0 {

namespace collide_detail {

// Gaps between the boxes along the axes of A and along those of B; negative where they overlap.
template <class V> struct FaceGaps { Vec3<V> a, b; };

template <class V> CAIRN_HD inline FaceGaps<V> faceGaps(const BoxPair<V>& pair) {
  const Vec3<V> c0 = pair.absR.c0, c1 = pair.absR.c1, c2 = pair.absR.c2;
  return {absOf(pair.d) - (pair.a + (pair.b.x * c0 + pair.b.y * c1 + pair.b.z * c2)),
          absOf(pair.across) - (pair.b + Vec3<V>{dot(pair.a, c0), dot(pair.a, c1), dot(pair.a, c2)})};
}

template <class V> CAIRN_HD inline MaskOf<V> areBeyondMargin(const FaceGaps<V>& gaps, V margin) {
  const Vec3<V> zero{V(0), V(0), V(0)};
  const Vec3<V> legsA = maxOf(gaps.a, zero), legsB = maxOf(gaps.b, zero);
  const V margin2 = margin * margin;
  const MaskOf<V> beyondA = dot(legsA, legsA) > margin2, beyondB = dot(legsB, legsB) > margin2;
  return beyondA | beyondB;
}

template <class V> struct ChosenFace {
  MaskOf<V> onA;  // else on B
  AxisOf<V> axis;
  V gap;
};

// The first axis whose gap is the largest, by more than the slop.
template <class V> CAIRN_HD inline void chooseAxis(Vec3<V> gaps, V axisSlop, AxisOf<V>& axis, V& largest) {
  using Axis = AxisOf<V>;
  const MaskOf<V> second = gaps.y > gaps.x + axisSlop;
  axis = select(second, Axis(1), Axis(0));
  largest = select(second, gaps.y, gaps.x);
  const MaskOf<V> third = gaps.z > largest + axisSlop;
  axis = select(third, Axis(2), axis);
  largest = select(third, gaps.z, largest);
}

template <class V> CAIRN_HD inline ChosenFace<V> chooseFace(const BoxPair<V>& pair, const FaceGaps<V>& gaps, V axisSlop) {
  AxisOf<V> axisA, axisB;
  V faceA, faceB;
  chooseAxis(gaps.a, axisSlop, axisA, faceA);
  chooseAxis(gaps.b, axisSlop, axisB, faceB);
  const MaskOf<V> preferB = dot(pair.b, pair.b) > V(1.001) * dot(pair.a, pair.a);
  const MaskOf<V> useA = (preferB & (faceA > faceB + axisSlop)) | ((!preferB) & (faceA + axisSlop >= faceB));
  return {useA, select(useA, axisA, axisB), select(useA, faceA, faceB)};
}

template <class V> struct ChosenEdges {
  AxisOf<V> i, j;  // axes of A and of B; i is -1 if no pair of edges is better than the bar
  V gap;
  V side;  // sign of (axis i of A) x (axis j of B) towards B
};

// Edge axes, compared by squares that keep the sign: few of them ever need their length.
template <class V> CAIRN_HD inline ChosenEdges<V> chooseEdges(const BoxPair<V>& pair, V faceBar) {
  using Axis = AxisOf<V>;
  const Vec3<V> sizeA = pair.a, sizeB = pair.b;
  const Vec3<V> c0 = pair.absR.c0, c1 = pair.absR.c1, c2 = pair.absR.c2;
  ChosenEdges<V> best{Axis(-1), Axis(0), faceBar, V(1)};
  V barSquare = best.gap * absOf(best.gap);
  const auto tryEdges = [&](int j, Vec3<V> c, Vec3<V> ac, V bNext, V bLast, Vec3<V> acNext, Vec3<V> acLast) {
    const Vec3<V> offset = cross(c, pair.d);  // B's centre along (axis i of A) x c
    const Vec3<V> span = Vec3<V>{sizeA.y * ac.z + sizeA.z * ac.y, sizeA.x * ac.z + sizeA.z * ac.x, sizeA.x * ac.y + sizeA.y * ac.x} +
                         (bNext * acLast + bLast * acNext);
    const Vec3<V> gap = absOf(offset) - span;
    const Vec3<V> square{c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y};
    const auto tryEdge = [&](int i, V g, V l2, V o) {
      const MaskOf<V> better = (g * absOf(g) > barSquare * l2) & !(l2 < V(1e-6));
      if (allOf(!better)) return;
      best.gap = select(better, g / squareRoot(l2), best.gap);
      barSquare = select(better, best.gap * absOf(best.gap), barSquare);
      best.i = select(better, Axis(i), best.i);
      best.j = select(better, Axis(j), best.j);
      best.side = select(better, select(o < V(0), V(-1), V(1)), best.side);
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

// What the axes say of two boxes.
template <class V> struct BoxAxes {
  MaskOf<V> near;  // no axis shows a gap above the margin; nothing below counts if one does
  V axisSlop;
  ChosenFace<V> face;
  ChosenEdges<V> edges;
};

template <class V> CAIRN_HD inline void chooseAxes(const BoxPair<V>& pair, BoxAxes<V>& out) {
  const FaceGaps<V> gaps = faceGaps(pair);
  out.near = !areBeyondMargin(gaps, pair.margin);
  if (allOf(!out.near)) return;
  const Vec3<V> sizeA = pair.a, sizeB = pair.b;
  const V smallest = minOf(minOf(sizeA.x, minOf(sizeA.y, sizeA.z)), minOf(sizeB.x, minOf(sizeB.y, sizeB.z)));
  const V mean = V(1.0 / 3) * minOf(sizeA.x + sizeA.y + sizeA.z, sizeB.x + sizeB.y + sizeB.z);
  out.axisSlop = minOf(V(2e-3) * mean, V(0.05) * smallest);
  out.face = chooseFace(pair, gaps, out.axisSlop);
  out.edges = chooseEdges(pair, out.face.gap + out.axisSlop + V(0.02) * maxOf(-out.face.gap, V(0)));
  out.near = out.near & !((out.edges.i >= AxisOf<V>(0)) & (out.edges.gap > pair.margin));
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

// Contacts of boxes that are near, once the axes are chosen.
template <class T>
CAIRN_HD inline void meetBoxes(const BoxPair<T>& pair, const BoxAxes<T>& axes, const Pose<T>& a, const Pose<T>& b, LocalManifold<T>& out) {
  const ChosenFace<T>& face = axes.face;
  const ChosenEdges<T>& edges = axes.edges;
  const T axisSlop = axes.axisSlop, clipSlop = T(0.5) * axisSlop;
  const bool edgesAreBetter = edges.i >= 0;
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

}  // namespace collide_detail

template <class T>
CAIRN_HD inline void collideBoxBox(Vec3<T> sizeA, const Pose<T>& a, Vec3<T> sizeB, const Pose<T>& b, T margin, LocalManifold<T>& out) {
  using namespace collide_detail;
  out.pointCount = 0;
  const BoxPair<T> pair = boxPair(sizeA, a, sizeB, b, margin);
  BoxAxes<T> axes;
  chooseAxes(pair, axes);
  if (axes.near) meetBoxes(pair, axes, a, b, out);
}

}  // namespace cairn::v0
