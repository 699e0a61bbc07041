// Polyhedra where a face carries: the incident face of the one clipped to the reference face of the other.
//
// The incident face is that of the faces around the corners that lie lowest over the reference face which opposes it most. Points are the ends of its
// edges' stretches inside the reference face (corners, and crossings with its sides), and the reference face's corners inside the incident one. Faces
// may have as many corners as a hull: instead of a list that would hold all points they are gone through once for each of the four that are kept, so
// that nothing is left out and nothing takes room.
//
// Which four goes by place, as for boxes (spreadFour in collide_box_faces.hpp): the furthest along a direction, the furthest from it, the one that
// spans the largest triangle with both, the one that adds the largest triangle to it. A later point has to be better by a thousandth. The lowest
// takes the place of the nearest of them where it is clearly lower than all.
//
// Features: which corner, or which two edges, of A and of B.
#pragma once

#include "kernels/collide/collide_hull_axes.hpp"

namespace cairn::v0 {

namespace hull {

// What touches what, in bits: the kind, then the numbers of the corner or the edges of A and of B.
constexpr uint32_t kCornerOf = 0u, kEdgesOf = 1u << 16, kClosestOf = 2u << 16, kCornerOfOther = 3u << 16;
CAIRN_HD inline uint32_t cornerFeature(bool ofA, int corner) { return ofA ? kCornerOf | uint32_t(corner) << 8 : kCornerOfOther | uint32_t(corner); }
CAIRN_HD inline uint32_t edgeFeature(int edgeOfA, int edgeOfB) { return kEdgesOf | uint32_t(edgeOfA) << 8 | uint32_t(edgeOfB); }

// A point of the incident face over the reference face, in the frame of the polyhedron that holds the latter.
struct ClipPoint {
  Vec p;              // on the incident face
  double separation;  // its height above the reference plane
  uint32_t feature;

  // Number by number: the compiler's own copy loads several at once that were stored one by one just before, for which a processor waits.
  CAIRN_HD void take(const ClipPoint& other) {
    p.x = other.p.x, p.y = other.p.y, p.z = other.p.z;
    separation = other.separation;
    feature = other.feature;
  }
};

struct Clip {
  const Polyhedron& own;  // holds the reference face
  const Polyhedron& other;
  const Relative& otherIn;
  bool ownIsA;
  int face, incident;
  double slop;
  Vec n;  // of the reference face

  CAIRN_HD double heightOf(Vec p) const { return dot(n, p) - own.offset(face); }
  CAIRN_HD Vec otherVertex(int k) const { return otherIn.point(other.vertex(k)); }
  CAIRN_HD uint32_t ownCorner(int k) const { return cornerFeature(ownIsA, k); }
  CAIRN_HD uint32_t otherCorner(int k) const { return cornerFeature(!ownIsA, k); }
  CAIRN_HD uint32_t crossing(int ownEdge, int otherEdge) const { return ownIsA ? edgeFeature(ownEdge, otherEdge) : edgeFeature(otherEdge, ownEdge); }

  // The stretch of one incident edge inside the reference face.
  template <class Visit> CAIRN_HD void edgePoints(int k, Visit& visit) const {
    const HullFace& reference = own.shape.faces[face];
    const HullFace& opposed = other.shape.faces[incident];
    const HullSide& begin = other.side(opposed, k);
    const Vec a = otherVertex(begin.corner), b = otherVertex(other.side(opposed, k + 1).corner);
    double low = 0, high = 1;
    int enter = -1, leave = -1;
    Vec from = own.vertex(own.side(reference, 0).corner);
    for (int i = 0; i < reference.sideCount; ++i) {
      const Vec to = own.vertex(own.side(reference, i + 1).corner), along = to - from, outward = cross(along, n);
      // The sum of the sizes of its parts is nearly a vector's length, and needs no root.
      const double wider = slop * (absOf(along.x) + absOf(along.y) + absOf(along.z));
      const double outA = dot(outward, a - from) - wider, outB = dot(outward, b - from) - wider;
      from = to;
      if (outA > 0 && outB > 0) return;
      if (outA > 0) {
        const double t = outA / (outA - outB);
        if (t > low) low = t, enter = own.side(reference, i).edge;
      } else if (outB > 0) {
        const double t = outA / (outA - outB);
        if (t < high) high = t, leave = own.side(reference, i).edge;
      }
    }
    if (low > high) return;
    const auto at = [&](double t, uint32_t feature) {
      const Vec p = a + t * (b - a);
      visit(ClipPoint{p, heightOf(p), feature});
    };
    at(low, enter < 0 ? otherCorner(begin.corner) : crossing(enter, begin.edge));
    if (leave >= 0) at(high, crossing(leave, begin.edge));
  }

  // A corner of the reference face inside the incident one, by more than the slop for which a crossing stands already.
  template <class Visit> CAIRN_HD void cornerPoint(int corner, Vec normal, double steepness, Visit& visit) const {
    const HullFace& opposed = other.shape.faces[incident];
    const Vec v = own.vertex(corner);
    Vec from = otherVertex(other.side(opposed, 0).corner);
    const Vec p = v + (dot(normal, from - v) / steepness) * n;
    for (int j = 0; j < opposed.sideCount; ++j) {
      const Vec to = otherVertex(other.side(opposed, j + 1).corner), along = to - from;
      const double narrower = slop * (absOf(along.x) + absOf(along.y) + absOf(along.z));
      if (!(dot(cross(along, normal), p - from) < -narrower)) return;
      from = to;
    }
    visit(ClipPoint{p, heightOf(p), ownCorner(corner)});
  }

  template <class Visit> CAIRN_HD void forPoints(Visit& visit) const {
    const HullFace& reference = own.shape.faces[face];
    const HullFace& opposed = other.shape.faces[incident];
    for (int k = 0; k < opposed.sideCount; ++k) edgePoints(k, visit);
    const Vec normal = otherIn.axes * other.normal(incident);
    const double steepness = dot(normal, n);
    if (!(steepness < -0.05)) return;
    for (int k = 0; k < reference.sideCount; ++k) cornerPoint(own.side(reference, k).corner, normal, steepness, visit);
  }
};

// Takes the points one after another, in one pass for each of the four.
struct SpreadFour {
  int pass;
  double margin;
  Vec along, n;
  double best;
  int count;
  ClipPoint chosen[4], deepest;

  CAIRN_HD void operator()(const ClipPoint& point) {
    if (!(point.separation <= margin)) return;
    if (pass == 0 && (count == 0 || point.separation < deepest.separation)) deepest.take(point);
    const double value = measure(point.p);
    if (pass == 0 ? count > 0 && !(value > best) : !(value > 1.001 * best)) return;
    best = value;
    chosen[pass].take(point);
    count = pass + 1;
  }

 private:
  CAIRN_HD double measure(Vec p) const {
    if (pass == 0) return dot(along, p);
    const Vec d = p - chosen[0].p;
    if (pass == 1) return dot(d, d);
    const Vec first = chosen[1].p - chosen[0].p;
    if (pass == 2) return absOf(dot(n, cross(first, d)));
    const Vec second = chosen[2].p - chosen[0].p;
    const double side = dot(n, cross(first, second)) < 0 ? -1.0 : 1.0;
    const double beyondFirst = side * dot(n, cross(d, first)), beyondSecond = side * dot(n, cross(second, d)),
                 beyondThird = side * dot(n, cross(d - first, second - first));
    return maxOf(beyondFirst, maxOf(beyondSecond, beyondThird));
  }
};

// Points as they come, as many as there is room for: faces of few corners have no more.
struct FewPoints {
  static constexpr int kRoom = 12;
  double margin;
  int count;
  ClipPoint points[kRoom];

  CAIRN_HD void operator()(const ClipPoint& point) {
    if (!(point.separation <= margin)) return;
    if (count < kRoom) points[count].take(point);
    ++count;
  }
};

// The face that opposes the normal most, of those around the corners that lie lowest along it, up to the slop.
template <class Scan = OneByOne> CAIRN_HD inline int incidentFace(const Polyhedron& other, Vec up, double slop) {
  const uint64_t low = Scan::cornersBelow(other, up, dot(up, other.vertex(Scan::lowest(other, up))) + slop);
  int best = -1;
  double opposed = 0;
  const auto consider = [&](int face) {
    const double along = dot(up, other.normal(face));
    if (best < 0 || along < opposed - 1e-3) best = face, opposed = along;
  };
  const EdgesAsked around{low, EdgesAbove::all()};
  const typename Scan::EdgesLeft edges{other, around};
  for (int e = edges.next(0); e < other.shape.edgeCount; e = edges.next(e + 1)) {
    consider(other.shape.edges[e].left);
    consider(other.shape.edges[e].right);
  }
  return best < 0 ? 0 : best;  // of a hull that is none, from a forged snapshot
}

// The lowest of all points takes the place of the chosen one next to it, if it is clearly lower than each of them.
CAIRN_HD inline void takeDeepest(SpreadFour& four, double slop) {
  int nearest = 0;
  double lowest = 1e300, nearestSquare = 1e300;
  for (int k = 0; k < four.count; ++k) {
    const double square = lengthSquared(four.chosen[k].p - four.deepest.p);
    lowest = minOf(lowest, four.chosen[k].separation);
    if (square < nearestSquare) nearest = k, nearestSquare = square;
  }
  if (four.count > 0 && four.deepest.separation < lowest - slop) four.chosen[nearest] = four.deepest;
}

// Points of the clip, up to four. Their positions are midway between the surfaces.
CAIRN_HD inline void keepFour(const Clip& clip, double size, double margin, LocalManifold<double>& out) {
  const HullFace& reference = clip.own.shape.faces[clip.face];
  const Vec u = clip.own.vertex(clip.own.side(reference, 1).corner) - clip.own.vertex(clip.own.side(reference, 0).corner);
  SpreadFour four{};
  four.margin = margin;
  four.n = clip.n;
  // A direction that two corners of nearly aligned rectangles do not tie in.
  four.along = u + 0.3 * cross(clip.n, u);
  const double least = 1e-6 * size * size;
  FewPoints few;
  few.margin = margin;
  few.count = 0;
  clip.forPoints(few);
  for (four.pass = 0; four.pass < 4 && four.count == four.pass; ++four.pass) {
    four.best = four.pass == 0 ? 0 : least;
    if (few.count > FewPoints::kRoom) {
      clip.forPoints(four);
    } else {
      for (int k = 0; k < few.count; ++k) four(few.points[k]);
    }
  }
  takeDeepest(four, clip.slop);
  for (int k = 0; k < four.count; ++k) {
    const ClipPoint& point = four.chosen[k];
    addPoint(out, point.p - (0.5 * point.separation) * clip.n, point.separation, point.feature);
  }
}

// The other's lowest corner over a face, in the frame of the polyhedron that holds it.
template <class Scan> CAIRN_HD inline void meetLowest(const Pair& pair, const Axes& axes, LocalManifold<double>& out) {
  const Polyhedron& own = axes.onA ? pair.a : pair.b;
  const Polyhedron& other = axes.onA ? pair.b : pair.a;
  const Relative& otherIn = axes.onA ? pair.bInA : pair.aInB;
  const Vec n = own.normal(axes.face.face);
  const int corner = Scan::lowest(other, transposeTimes(otherIn.axes, n));
  const Vec p = otherIn.point(other.vertex(corner));
  const double separation = dot(n, p) - own.offset(axes.face.face);
  out.pointCount = 0;
  out.normal = n;
  addPoint(out, p - (0.5 * separation) * n, separation, cornerFeature(!axes.onA, corner));
}

// Contacts on a face, in the frame of the polyhedron that holds it; the normal is that face's. keepDeepest: at least one.
template <class Scan>
[[gnu::noinline]] CAIRN_HD inline void clipOn(const Pair& pair, const Axes& axes, bool keepDeepest, LocalManifold<double>& out) {
  const Polyhedron& own = axes.onA ? pair.a : pair.b;
  const Polyhedron& other = axes.onA ? pair.b : pair.a;
  const Relative& otherIn = axes.onA ? pair.bInA : pair.aInB;
  const Vec n = own.normal(axes.face.face), up = transposeTimes(otherIn.axes, n);
  const Clip clip{own, other, otherIn, axes.onA, axes.face.face, incidentFace<Scan>(other, up, pair.axisSlop), 0.5 * pair.axisSlop, n};
  out.pointCount = 0;
  out.normal = n;
  keepFour(clip, minOf(own.outer, other.outer), pair.margin, out);
  if (out.pointCount == 0 && keepDeepest) meetLowest<Scan>(pair, axes, out);
}

}  // namespace hull

}  // namespace cairn::v0
