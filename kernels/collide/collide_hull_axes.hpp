// The axes along which two polyhedra, hulls or boxes, are furthest apart or overlap least.
//
// 1. Face axes: the gap above each face of the one, down to the other's lowest corner. A face is passed over where the other's inner
//    ball alone reaches as far down as the best gap so far.
// 2. Edge axes: pairs of edges whose arcs cross on the Gauss map, as those of the faces of the Minkowski difference do (Gregorius, "The Separating
//    Axis Test Between Convex Polyhedra", GDC 2013). Shapes that overlap by d have their points of least overlap within d of each other, so only
//    edges that come within the best face's depth of the other's best plane are asked: a handful where contacts are shallow. Likewise within the
//    margin for shapes that are apart.
//
// Along n the gap is at most n (b - a) for any point a of the one and b of the other that lies on that side, so a corner that is known to be low
// leaves out most of what could be asked: each face that it is not higher above than the best gap, and each edge between two such faces, whose arc
// has no direction along which it is.
//
// A corner of the one that lies inside the other, as deep below its face's neighbours as below the face itself, says that no axis shows less overlap;
// one above the inside of a face, that no axis shows a wider gap. Then there is nothing more to ask.
//
// Ties are for the first axis that is nearly (slop) the best, so that resting hulls keep theirs.
#pragma once

#include "kernels/collide/convex_gap.hpp"

namespace cairn::v0 {

namespace hull {

using Vec = Vec3<double>;

// In its own frame: a hull, or the unit cube stretched to a box.
struct Polyhedron {
  HullShape shape;
  Vec stretch;
  bool box;
  double inner, outer;

  CAIRN_HD Vec vertex(int k) const { return scale(stretch, shape.vertices[k]); }
  CAIRN_HD Vec normal(int face) const { return shape.faces[face].normal; }
  CAIRN_HD double offset(int face) const {
    const HullFace& f = shape.faces[face];
    return box ? dot(stretch, absOf(f.normal)) : f.offset;
  }
  // The first of the corners that are lowest.
  CAIRN_HD int lowest(Vec up) const { return furthestCorner(shape.vertices, shape.vertexCount, -scale(stretch, up)); }
  CAIRN_HD const HullSide& side(const HullFace& face, int k) const { return shape.sides[face.firstSide + (k == face.sideCount ? 0 : k)]; }
};

CAIRN_HD inline Polyhedron polyhedron(int type, Vec size, const HullView& hulls) {
  if (isHull(type)) {
    const HullShape shape = hulls.of(type);
    return {shape, {1, 1, 1}, false, shape.inner, shape.outer};
  }
  return {hulls.at(0), size, true, minOf(size.x, minOf(size.y, size.z)), length(size)};
}

CAIRN_HD inline double outerOf(int type, Vec size, const HullView& hulls) { return isHull(type) ? hulls.hulls[hullOf(type)].outer : length(size); }

// Where another frame lies, seen from one.
struct Relative {
  Mat3<double> axes;
  Vec origin;
  CAIRN_HD Vec point(Vec local) const { return origin + axes * local; }
  CAIRN_HD Relative inverse() const {
    const Mat3<double> back{{axes.c0.x, axes.c1.x, axes.c2.x}, {axes.c0.y, axes.c1.y, axes.c2.y}, {axes.c0.z, axes.c1.z, axes.c2.z}};
    return {back, -(back * origin)};
  }
};
CAIRN_HD inline Relative relative(const Pose<double>& to, const Pose<double>& of) {
  return {rotationMatrix(normalized(conjugate(to.q) * of.q)), inverseRotate(to.q, of.p - to.p)};
}

// Both polyhedra, each with where the other lies.
struct Pair {
  Polyhedron a, b;
  Relative bInA, aInB;
  double margin, axisSlop;
};

CAIRN_HD inline Pair pairOf(const PlacedShape<double>& a, const PlacedShape<double>& b, const HullView& hulls, double margin) {
  const Relative bInA = relative(a.pose, b.pose);
  Pair pair{polyhedron(a.type, a.size, hulls), polyhedron(b.type, b.size, hulls), bInA, bInA.inverse(), margin, 0};
  // As for boxes, whose mean half extent is at most this part of the radius.
  constexpr double kMeanOfRadius = 0.577;
  pair.axisSlop = minOf(2e-3 * kMeanOfRadius * minOf(pair.a.outer, pair.b.outer), 0.05 * minOf(pair.a.inner, pair.b.inner));
  return pair;
}

struct EdgesLeft;
struct NearEdges;

// What a search asks of all faces or corners of a polyhedron, one after the other: on a device, and on the CPU for pairs that are not in packs.
// collide_hull_packs.hpp has the same for packs, with the same results.
struct OneByOne {
  // How high a point is above each face.
  struct FaceHeights {
    const Polyhedron& own;
    Vec point;

    CAIRN_HD double operator[](int f) const { return dot(own.normal(f), point) - own.offset(f); }
    // The first face, unless the point is higher by more than the slop above a later one, and so on from there.
    CAIRN_HD int highest(double slop) const {
      int highest = 0;
      double most = (*this)[0];
      for (int f = 1; f < own.shape.faceCount; ++f) {
        const double here = (*this)[f];
        if (here > most + slop) most = here, highest = f;
      }
      return highest;
    }
    CAIRN_HD bool allAtMost(double bar, int exceptOf) const {
      for (int f = 0; f < own.shape.faceCount; ++f) {
        if (f != exceptOf && !((*this)[f] <= bar)) return false;
      }
      return true;
    }
    // One bit a face.
    CAIRN_HD void above(double bar, uint64_t (&faces)[2]) const {
      for (int f = 0; f < own.shape.faceCount; ++f) {
        if ((*this)[f] > bar) faces[f >> 6] |= uint64_t(1) << (f & 63);
      }
    }
  };

  // The faces above which the other polyhedron may be higher than above the best one, by what is known of it: where its centre is, a ball about that
  // which it holds, and corners.
  struct FacesLeft {
    const FaceHeights& centre;
    double inner;
    FaceHeights ofBest, ofLast;

    CAIRN_HD FacesLeft(const Polyhedron& own, const FaceHeights& heights, double ball, Vec corner)
        : centre(heights), inner(ball), ofBest{own, corner}, ofLast{own, corner} {}
    CAIRN_HD int next(int from, double bar, double cornerBar) const {
      int f = from;
      for (; f < centre.own.shape.faceCount; ++f) {
        if (!(centre[f] - inner <= bar) && !(minOf(ofBest[f], ofLast[f]) <= cornerBar)) break;
      }
      return f;
    }
    CAIRN_HD void meet(Vec corner, bool ofNewBest) {
      ofLast.point = corner;
      if (ofNewBest) ofBest.point = corner;
    }
  };

  CAIRN_HD static int lowest(const Polyhedron& own, Vec up) { return own.lowest(up); }

  // One bit a corner: those at most so high.
  CAIRN_HD static uint64_t cornersBelow(const Polyhedron& own, Vec up, double limit) {
    uint64_t below = 0;
    for (int k = 0; k < own.shape.vertexCount; ++k) {
      if (dot(up, own.vertex(k)) <= limit) below |= uint64_t(1) << k;
    }
    return below;
  }

  // For bestEdges, where they stand.
  using EdgesLeft = hull::EdgesLeft;
  using NearEdges = hull::NearEdges;
};

struct FaceAxis {
  int face;
  double gap;
  int corner;  // the other's lowest above it
};

// What bounds say must be worse than what they are compared with by this part of the slop, so that rounding has no say.
constexpr double kRoundingOfSlop = 1e-3;

// The face of `own` above which the other is highest: the one above which its centre is, unless another is better by more than the slop. Ends early
// where a gap exceeds the margin.
template <class Scan = OneByOne>
CAIRN_HD inline FaceAxis bestFace(const Polyhedron& own, const Polyhedron& other, const Relative& otherIn, double slop, double margin) {
  const typename Scan::FaceHeights centre{own, otherIn.origin};
  const auto axisOf = [&](int f) {
    const Vec up = transposeTimes(otherIn.axes, own.normal(f));
    const int corner = Scan::lowest(other, up);
    return FaceAxis{f, centre[f] + dot(up, other.vertex(corner)), corner};
  };
  const int count = own.shape.faceCount, first = centre.highest(slop);
  FaceAxis best = axisOf(first);
  typename Scan::FacesLeft left(own, centre, other.inner, otherIn.point(other.vertex(best.corner)));
  for (int f = 0; best.gap <= margin; ++f) {
    f = left.next(f, best.gap + slop, best.gap + (1 - kRoundingOfSlop) * slop);
    if (f >= count) break;
    if (f == first) continue;
    const FaceAxis axis = axisOf(f);
    const bool better = axis.gap > best.gap + slop;
    left.meet(otherIn.point(other.vertex(axis.corner)), better);
    if (better) best = axis;
  }
  return best;
}

// Whether no axis at all can show a gap that is larger than the face's by the slop: along n the gap is at most n (b - a) for any point a of the one
// and b of the other. Of a corner in a ball inside, a is the ball's point along n; of one above the face, the point below it, which has to be inside.
template <class Scan = OneByOne>
CAIRN_HD inline bool boundsAllAxes(const Polyhedron& own, const Polyhedron& other, const Relative& otherIn, const FaceAxis& axis, double slop) {
  const Vec at = otherIn.point(other.vertex(axis.corner)) - maxOf(axis.gap, 0.0) * own.normal(axis.face);
  const double room = maxOf(-axis.gap - 0.99 * slop, 0.0);  // not all of the slop, so that rounding has no say
  return typename Scan::FaceHeights{own, at}.allAtMost(-room, axis.face);
}

// One bit a corner: those at most so far above a plane of the other polyhedron.
template <class Scan = OneByOne> CAIRN_HD inline uint64_t cornersBelow(const Polyhedron& own, const Relative& ownIn, Vec normal, double height) {
  return Scan::cornersBelow(own, transposeTimes(ownIn.axes, normal), height - dot(normal, ownIn.origin));
}

// Of one polyhedron those edges whose arcs on the Gauss map may have a direction along which a corner of the other is higher than a bar. A direction
// on an arc is p left + q right of unit normals, p and q >= 0, and the corner as high along it as p times its height above the left face and q times
// that above the right one; p + q is at least 1, and at most 1 over the cosine of half the angle between the two.
struct EdgesAbove {
  static constexpr int kFewFaces = 8;                 // whose edges are asked sooner than chosen
  static constexpr double kCosine = kHalfEdgeCosine;  // half of a right angle is among them
  uint64_t faces[2];                                  // a bit each: those that the corner is high above
  bool apart;

  CAIRN_HD static EdgesAbove all() { return {}; }
  CAIRN_HD EdgesAbove(const Polyhedron& own, Vec corner, double bar, double slop) : EdgesAbove(OneByOne{}, own, corner, bar, slop) {}
  template <class Scan> CAIRN_HD EdgesAbove(Scan, const Polyhedron& own, Vec corner, double bar, double slop) : faces{0, 0}, apart(bar > 0) {
    if (own.shape.faceCount <= kFewFaces) {
      faces[0] = ~uint64_t(0);
      return;
    }
    typename Scan::FaceHeights{own, corner}.above((apart ? kCosine * bar : bar) - kRoundingOfSlop * slop, faces);
  }
  CAIRN_HD bool has(const Polyhedron& own, const HullEdge& edge) const {
    return isHigh(edge.left) || isHigh(edge.right) || (apart && isWideEdge(own.normal(edge.left), own.normal(edge.right)));
  }

 private:
  CAIRN_HD EdgesAbove() : faces{~uint64_t(0), ~uint64_t(0)}, apart(false) {}
  CAIRN_HD bool isHigh(int face) const { return (faces[face >> 6] >> (face & 63) & 1) != 0; }
};

struct EdgeAxis {
  int a, b;  // edges; a is -1 if no pair is better than the bar
  double gap;
  Vec normal;  // unit, from A to B, in A's frame
};

// An edge in A's frame.
struct PlacedEdge {
  Vec from, along, left, right;
};
CAIRN_HD inline PlacedEdge placedEdge(const Polyhedron& own, const HullEdge& edge) {
  const Vec from = own.vertex(edge.from);
  return {from, own.vertex(edge.to) - from, own.normal(edge.left), own.normal(edge.right)};
}

// Whether the arcs of two edges cross on the Gauss map, those of B's reversed. Most pairs fail at the first question, which needs little of A's edge.
struct ArcsOfB {
  double left, right;  // of B's normals along A's edge
  CAIRN_HD ArcsOfB(const PlacedEdge& b, Vec alongA) : left(dot(b.left, alongA)), right(dot(b.right, alongA)) {}
  CAIRN_HD bool lieOnBothSides() const { return left * right < 0; }
  CAIRN_HD bool cross(Vec leftOfA, Vec rightOfA, Vec alongB) const {
    const double leftA = dot(leftOfA, alongB), rightA = dot(rightOfA, alongB);
    return leftA * rightA < 0 && left * rightA < 0;
  }
};

// Edges of A, of which those whose arcs may cross an edge's of B are asked for one after the other. Directions lie field by field, so that a
// processor asks several at once whether a pair fails at the first question.
struct NearEdges {
  static constexpr int kRoom = 32;
  uint8_t edges[3 * kMaxHullVertices];
  double x[kRoom], y[kRoom], z[kRoom];
  double sides[kRoom];  // negative where B's normals lie on both
  int count = 0;

  CAIRN_HD void put(const Polyhedron& own, int i) {
    if (count < kRoom) {
      const HullEdge& edge = own.shape.edges[i];
      const Vec along = own.vertex(edge.to) - own.vertex(edge.from);
      x[count] = along.x, y[count] = along.y, z[count] = along.z;
    }
    edges[count++] = uint8_t(i);
  }
  CAIRN_HD void lookAt(const PlacedEdge& b) {
    for (int k = 0; k < minOf(count, kRoom); ++k) {
      const double left = b.left.x * x[k] + b.left.y * y[k] + b.left.z * z[k], right = b.right.x * x[k] + b.right.y * y[k] + b.right.z * z[k];
      sides[k] = left * right;
    }
  }
  // The place of the first from `from` on that may cross; the count if there is none.
  CAIRN_HD int next(int from) const {
    int k = from;
    while (k < count && k < kRoom && !(sides[k] < 0)) ++k;
    return k;
  }
};

// Edges of one polyhedron that are worth asking: near enough, and with a direction that may be better.
struct EdgesAsked {
  uint64_t corners;  // a bit each: the near ones
  EdgesAbove above;
  CAIRN_HD bool has(const Polyhedron& own, const HullEdge& edge) const {
    return ((corners >> edge.from | corners >> edge.to) & 1) != 0 && above.has(own, edge);
  }
};

struct EdgesLeft {
  const Polyhedron& own;
  const EdgesAsked& asked;

  // The first from `from` on; the number of edges if there is none.
  CAIRN_HD int next(int from) const {
    int i = from;
    while (i < own.shape.edgeCount && !asked.has(own, own.shape.edges[i])) ++i;
    return i;
  }
};

// The pair of edges whose common perpendicular parts the two by more than the bar.
template <class Scan = OneByOne> CAIRN_HD inline EdgeAxis bestEdges(const Pair& pair, const EdgesAsked& ofA, const EdgesAsked& ofB, double bar) {
  EdgeAxis best{-1, -1, bar, {0, 0, 0}};
  typename Scan::NearEdges near;
  const typename Scan::EdgesLeft leftOfA{pair.a, ofA}, leftOfB{pair.b, ofB};
  for (int i = leftOfA.next(0); i < pair.a.shape.edgeCount; i = leftOfA.next(i + 1)) near.put(pair.a, i);
  for (int j = leftOfB.next(0); j < pair.b.shape.edgeCount; j = leftOfB.next(j + 1)) {
    const HullEdge& edgeB = pair.b.shape.edges[j];
    const PlacedEdge local = placedEdge(pair.b, edgeB);
    const Mat3<double>& axes = pair.bInA.axes;
    const PlacedEdge b{pair.bInA.point(local.from), axes * local.along, axes * local.left, axes * local.right};
    near.lookAt(b);
    for (int k = near.next(0); k < near.count; k = near.next(k + 1)) {
      const int i = near.edges[k];
      const HullEdge& edgeA = pair.a.shape.edges[i];
      const Vec from = pair.a.vertex(edgeA.from), along = pair.a.vertex(edgeA.to) - from;
      const ArcsOfB arcs(b, along);
      if (!arcs.lieOnBothSides() || !arcs.cross(pair.a.normal(edgeA.left), pair.a.normal(edgeA.right), b.along)) continue;
      const Vec axis = cross(along, b.along);
      const double square = dot(axis, axis);
      if (!(square > 1e-6 * dot(along, along) * dot(b.along, b.along))) continue;
      const double side = dot(axis, from) < 0 ? -1.0 : 1.0;  // A's centre is the origin
      const double gap = side * dot(axis, b.from - from) / squareRoot(square);
      if (gap > best.gap) best = {i, j, gap, (side / squareRoot(square)) * axis};
    }
  }
  return best;
}

// What the axes say of two polyhedra.
struct Axes {
  bool near;  // no axis shows a gap above the margin; nothing below counts if one does
  bool onA;   // whose face it is
  FaceAxis face;
  EdgeAxis edges;
};

template <class Scan> CAIRN_HD inline void chooseAxes(const Pair& pair, Axes& out) {
  out.near = false;
  const FaceAxis faceA = bestFace<Scan>(pair.a, pair.b, pair.bInA, pair.axisSlop, pair.margin);
  if (faceA.gap > pair.margin) return;
  const bool preferB = pair.b.outer > 1.0005 * pair.a.outer, boundByA = boundsAllAxes<Scan>(pair.a, pair.b, pair.bInA, faceA, pair.axisSlop);
  const EdgeAxis none{-1, -1, 0, {0, 0, 0}};
  if (boundByA && !preferB) {
    out = {true, true, faceA, none};
    return;
  }
  const FaceAxis faceB = bestFace<Scan>(pair.b, pair.a, pair.aInB, pair.axisSlop, pair.margin);
  if (faceB.gap > pair.margin) return;
  out.onA = preferB ? faceA.gap > faceB.gap + pair.axisSlop : faceA.gap + pair.axisSlop >= faceB.gap;
  out.face = out.onA ? faceA : faceB;
  if (out.onA ? boundByA : boundsAllAxes<Scan>(pair.b, pair.a, pair.aInB, faceB, pair.axisSlop)) {
    out.near = true;
    out.edges = none;
    return;
  }
  // Nothing that matters is further from the other's best plane than the shapes overlap, or are apart.
  const double depth = maxOf(-maxOf(faceA.gap, faceB.gap), 0.0), reach = maxOf(depth, pair.margin) + pair.axisSlop;
  const double bar = out.face.gap + pair.axisSlop + 0.02 * maxOf(-out.face.gap, 0.0);
  const EdgesAbove aboveA(Scan{}, pair.a, pair.bInA.point(pair.b.vertex(faceA.corner)), bar, pair.axisSlop);
  const EdgesAbove aboveB(Scan{}, pair.b, pair.aInB.point(pair.a.vertex(faceB.corner)), bar, pair.axisSlop);
  const uint64_t nearA = cornersBelow<Scan>(pair.a, pair.aInB, pair.b.normal(faceB.face), pair.b.offset(faceB.face) + reach);
  const uint64_t nearB = cornersBelow<Scan>(pair.b, pair.bInA, pair.a.normal(faceA.face), pair.a.offset(faceA.face) + reach);
  out.edges = bestEdges<Scan>(pair, {nearA, aboveA}, {nearB, aboveB}, bar);
  out.near = !(out.edges.a >= 0 && out.edges.gap > pair.margin);
}

}  // namespace hull

}  // namespace cairn::v0
