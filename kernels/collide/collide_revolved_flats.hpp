// What shapes touch with where one of them is a cylinder or a cone: an end or a face (a flat), a line, or a point.
//
// All of it in the pair's common frame, positions relative to a point near both.
#pragma once

#include "kernels/collide/collide_hull_clip.hpp"

namespace cairn::v0 {

namespace revolved {

using Vec = Vec3<double>;

// A shape in its place.
struct Placed {
  ConvexShape shape;
  Mat3<double> axes;
  RevolvedSolid solid;  // of cylinders and cones
  double inner, outer;  // radii of balls that lie in it, and that it lies in
  double radius;        // around its core

  CAIRN_HD int type() const { return shape.type; }
  CAIRN_HD Vec centre() const { return shape.pose.p; }
  CAIRN_HD Vec support(Vec direction) const { return supportOfCore(shape, direction) + radius * direction; }
};

CAIRN_HD inline Placed placedSolid(const PlacedShape<double>& given, const HullView& hulls) {
  const Vec s = given.size;
  const int type = isHull(given.type) ? given.type : given.type & (kSensor - 1);
  Placed out{{type, isHull(type) ? Vec{1, 1, 1} : s, given.pose, &hulls}, rotationMatrix(given.pose.q), {}, s.x, s.x, 0};
  out.radius = radiusOfCore(out.shape);
  if (isHull(type)) {
    out.inner = hulls.of(type).inner;
    out.outer = hulls.of(type).outer;
  } else if (isRevolved(type)) {
    out.solid = revolvedSolid(type, s);
    out.inner = s.z;
    out.outer = squareRoot(s.x * s.x + s.y * s.y);
  } else if (type == kCapsule) {
    out.outer = s.x + s.y;
  } else if (type == kBox || type == kEllipsoid) {
    out.inner = minOf(s.x, minOf(s.y, s.z));
    out.outer = type == kBox ? length(s) : maxOf(s.x, maxOf(s.y, s.z));
  } else if (type == kHalfSpace) {
    out.inner = out.outer = kAnyGap;
  }
  return out;
}

// How far two shapes are apart along a unit vector from A to B; B is no half-space.
CAIRN_HD inline double gapAlong(const Placed& a, const Placed& b, Vec n) { return dot(n, b.support(-n) - a.support(n)); }

// --- flats -----------------------------------------------------------------------------------------------------

enum FlatKind : int { kNoFlat, kPointFlat, kLineFlat, kDiscFlat, kPolygonFlat, kPlaneFlat };

struct Flat {
  int kind;
  int number;     // of an end, 0 at the bottom; of a face: 2 axis + 1 at the positive side of a box, the index of a hull's
  int corners;    // of a polygon
  Vec normal;     // unit, outward; of lines and points where they were asked for
  Vec middle;     // of a disc; of all others some point of it
  double radius;  // of a disc
  Vec u, v;       // a disc's directions, in which its rim is walked; of a line u is half of it
};

struct Corner {
  Vec at;
  uint32_t corner, edge;  // numbers on the shape; of the edge to the next corner
};

// A polygon's corner, anticlockwise seen from outside; k goes round.
CAIRN_HD inline Corner cornerOf(const Placed& of, const Flat& face, int k) {
  if (isHull(of.type())) {
    const HullShape hull = of.shape.hulls->of(of.type());
    const HullFace& sides = hull.faces[face.number];
    const HullSide& side = hull.sides[sides.firstSide + (k >= sides.sideCount ? k - sides.sideCount : k)];
    return {of.centre() + of.axes * hull.vertices[side.corner], side.corner, side.edge};
  }
  const int axis = face.number >> 1;
  const bool positive = (face.number & 1) != 0;
  // (-, -), (+, -), (+, +), (-, +) along the next axis and the one after it, seen from the positive side.
  const int turn = positive ? k & 3 : (4 - k) & 3;
  const double u = turn == 1 || turn == 2 ? 1.0 : -1.0, v = turn >= 2 ? 1.0 : -1.0;
  const Vec sign = fromFace(Vec{u, v, 1}, axis, positive ? 1.0 : -1.0);
  const uint32_t corner = (sign.x > 0 ? 1u : 0u) | (sign.y > 0 ? 2u : 0u) | (sign.z > 0 ? 4u : 0u);
  return {of.centre() + of.axes * scale(sign, of.shape.size), corner, uint32_t(face.number) << 2 | uint32_t(positive ? turn : (turn + 3) & 3)};
}

CAIRN_HD inline Vec outwardOf(const Placed& of, int face) {
  if (isRevolved(of.type())) return face == 0 ? -of.axes.c1 : of.axes.c1;
  if (isHull(of.type())) return of.axes * of.shape.hulls->of(of.type()).faces[face].normal;
  if (of.type() == kHalfSpace) return of.axes.c1;
  const Vec axis = face < 2 ? of.axes.c0 : (face < 4 ? of.axes.c1 : of.axes.c2);
  return (face & 1) != 0 ? axis : -axis;
}

// An end, a face, or the plane of a half-space.
CAIRN_HD inline Flat flatOf(const Placed& of, int face) {
  Flat flat{};
  flat.number = face;
  flat.normal = outwardOf(of, face);
  flat.middle = of.centre();
  if (isRevolved(of.type())) {
    flat.kind = kDiscFlat;
    flat.radius = of.solid.radiusAt(face);
    flat.middle += of.solid.half * flat.normal;
  } else if (of.type() == kHalfSpace) {
    flat.kind = kPlaneFlat;
  } else {
    flat.kind = kPolygonFlat;
    flat.corners = isHull(of.type()) ? of.shape.hulls->of(of.type()).faces[face].sideCount : 4;
    flat.middle = cornerOf(of, flat, 0).at;
  }
  return flat;
}

// The directions in which a rim is walked are the other shape's: where a wheel rolls or spins on it, they stay.
CAIRN_HD inline void walkAs(const Mat3<double>& other, Flat& disc) {
  const Vec first = absOf(dot(other.c0, disc.normal)) < 0.9 ? other.c0 : other.c2;
  disc.u = normalizedOr(first - dot(first, disc.normal) * disc.normal, Vec{1, 0, 0});
  disc.v = cross(disc.normal, disc.u);
}

// --- lines -----------------------------------------------------------------------------------------------------

// A line of the surface that a direction is nearly normal to: of a side, a capsule's, an edge. Sine of the angle up to which it counts.
constexpr double kAlongLine = 0.2;

CAIRN_HD inline Flat lineBetween(Vec from, Vec to, int number, Vec outward) {
  Flat line{};
  line.kind = kLineFlat;
  line.number = number;
  line.normal = outward;
  line.middle = 0.5 * (from + to);
  line.u = 0.5 * (to - from);
  return line;
}

// The side's line that reaches furthest in a direction.
CAIRN_HD inline Flat sideLine(const Placed& of, Vec outward) {
  const Vec local = transposeTimes(of.axes, outward);
  const double across = squareRoot(local.x * local.x + local.z * local.z), perAcross = across > 0 ? 1 / across : 0.0;
  const Vec radial = (perAcross * local.x) * of.axes.c0 + (perAcross * local.z) * of.axes.c2, along = of.solid.half * of.axes.c1;
  return lineBetween(of.centre() - along + of.solid.bottom * radial, of.centre() + along + of.solid.top * radial, 0, outward);
}

CAIRN_HD inline Flat capsuleLine(const Placed& of, Vec outward) {
  const Vec along = of.shape.size.y * of.axes.c1, middle = of.centre() + of.radius * outward;
  return lineBetween(middle - along, middle + along, 0, outward);
}

CAIRN_HD inline Flat edgeLine(const Placed& of, Vec outward) {
  const Vec local = transposeTimes(of.axes, outward), s = of.shape.size;
  if (of.type() == kBox) {
    int axis = 0;
    double least = absOf(local.x);
    if (absOf(local.y) < least) axis = 1, least = absOf(local.y);
    if (absOf(local.z) < least) axis = 2, least = absOf(local.z);
    if (least > kAlongLine) return Flat{};
    const auto sideOf = [&](int k) { return component(local, k) < 0 ? -component(s, k) : component(s, k); };
    const Vec along = axis == 0 ? Vec{s.x, 0, 0} : (axis == 1 ? Vec{0, s.y, 0} : Vec{0, 0, s.z});
    const Vec middle{axis == 0 ? 0.0 : sideOf(0), axis == 1 ? 0.0 : sideOf(1), axis == 2 ? 0.0 : sideOf(2)};
    const int number = axis << 3 | (middle.x > 0 ? 1 : 0) | (middle.y > 0 ? 2 : 0) | (middle.z > 0 ? 4 : 0);
    return lineBetween(of.centre() + of.axes * (middle - along), of.centre() + of.axes * (middle + along), number, outward);
  }
  const HullShape hull = of.shape.hulls->of(of.type());
  const int corner = furthestCorner(hull.vertices, hull.vertexCount, local);
  int best = -1;
  double least = kAlongLine;
  for (int e = 0; e < hull.edgeCount; ++e) {
    if (hull.edges[e].from != corner && hull.edges[e].to != corner) continue;
    const Vec along = hull.vertices[hull.edges[e].to] - hull.vertices[hull.edges[e].from];
    const double off = absOf(dot(along, local)) / length(along);
    if (off < least) least = off, best = e;
  }
  if (best < 0) return Flat{};
  return lineBetween(of.centre() + of.axes * hull.vertices[hull.edges[best].from], of.centre() + of.axes * hull.vertices[hull.edges[best].to], best,
                     outward);
}

// Of no kind where there is none.
CAIRN_HD inline Flat lineOf(const Placed& of, Vec outward) {
  Flat line{};
  if (isRevolved(of.type())) {
    line = sideLine(of, outward);
  } else if (of.type() == kCapsule) {
    line = capsuleLine(of, outward);
  } else if (of.type() == kBox || isHull(of.type())) {
    return edgeLine(of, outward);
  }
  const double off = line.kind == kLineFlat ? absOf(dot(line.u, outward)) : 0.0;
  return off > kAlongLine * length(line.u) ? Flat{} : line;
}

// What of a shape lies lowest over a face with this normal: of a cylinder or cone the end or the side's line that is more nearly in the face's plane.
CAIRN_HD inline Flat incidentFlat(const Placed& of, Vec normal, double slop) {
  const Vec down = -normal;
  Flat flat{};
  if (isRevolved(of.type())) {
    const double along = dot(of.axes.c1, down), across = squareRoot(maxOf(1 - along * along, 0.0));
    const int end = along > 0 ? 1 : 0;
    if (of.solid.radiusAt(end) > 0 && absOf(along) >= of.solid.cosine * across + of.solid.sine * along) return flatOf(of, end);
    return sideLine(of, down);
  }
  if (of.type() == kCapsule && absOf(dot(of.axes.c1, down)) < 0.7) return capsuleLine(of, down);
  if (isHull(of.type())) {
    const HullShape hull = of.shape.hulls->of(of.type());
    const hull::Polyhedron solid{hull, {1, 1, 1}, false, hull.inner, hull.outer};
    return flatOf(of, hull::incidentFace(solid, transposeTimes(of.axes, normal), slop));
  }
  if (of.type() == kBox) {
    const Vec local = transposeTimes(of.axes, down);
    int axis = 0;
    double most = absOf(local.x);
    if (absOf(local.y) > most + 1e-3) axis = 1, most = absOf(local.y);
    if (absOf(local.z) > most + 1e-3) axis = 2, most = absOf(local.z);
    return flatOf(of, axis << 1 | (component(local, axis) > 0 ? 1 : 0));
  }
  flat.kind = kPointFlat;
  flat.normal = down;
  flat.middle = of.support(down);
  return flat;
}

}  // namespace revolved

}  // namespace cairn::v0
