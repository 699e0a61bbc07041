// Hulls (A) against spheres, capsules, ellipsoids and half-spaces (B).
//
// Where the core of the other shape is outside the hull, the closest points of convex_gap.hpp decide; where it is inside, the way out is through the
// nearest face or, for a capsule's axis, past an edge. A face that a capsule lies on gives two points, and so does an edge along it.
#pragma once

#include "kernels/collide/collide_hull_clip.hpp"

namespace cairn::v0 {

namespace hull {

constexpr double kClose = 1e-3;  // of a radius: nearer than this the direction between two points is mostly rounding

// The corners of the face that reaches down furthest, up to four by place. Feature: the corner.
CAIRN_HD inline void meetHalfSpace(const PlacedShape<double>& a, const HullShape& shape, const Pose<double>& b, double margin,
                                   LocalManifold<double>& out) {
  const Plane<double> plane = planeOf(b);
  const Polyhedron own{shape, {1, 1, 1}, false, shape.inner, shape.outer};
  const Vec up = inverseRotate(a.pose.q, plane.normal);
  const double middle = plane.height(a.pose.p), lowest = middle + dot(up, own.vertex(own.lowest(up)));
  if (lowest > margin) return;
  out.normal = -plane.normal;
  const double slop = 1e-3 * shape.inner;
  const HullFace& face = shape.faces[incidentFace(own, up, slop)];
  const Vec u = shape.vertices[own.side(face, 1).corner] - shape.vertices[own.side(face, 0).corner];
  SpreadFour four{};
  four.margin = margin;
  four.n = face.normal;
  four.along = u + 0.3 * cross(face.normal, u);
  for (four.pass = 0; four.pass < 4 && four.count == four.pass; ++four.pass) {
    four.best = four.pass == 0 ? 0 : 1e-6 * shape.outer * shape.outer;
    for (int k = 0; k < face.sideCount; ++k) {
      const int corner = own.side(face, k).corner;
      four(ClipPoint{shape.vertices[corner], middle + dot(up, shape.vertices[corner]), uint32_t(corner)});
    }
  }
  takeDeepest(four, slop);
  for (int k = 0; k < four.count; ++k) {
    const ClipPoint& point = four.chosen[k];
    addPoint(out, transform(a.pose, point.p) + (0.5 * point.separation) * out.normal, point.separation, point.feature);
  }
}

struct FaceAbove {
  int face;
  double gap;
};

// The face that two points (the ends of a segment, or twice the same) lie highest above; the first that nearly is.
CAIRN_HD inline FaceAbove highestAbove(const HullShape& shape, Vec first, Vec second, double slop) {
  FaceAbove best{-1, -1e300};
  for (int f = 0; f < shape.faceCount; ++f) {
    const HullFace& face = shape.faces[f];
    const double gap = minOf(dot(face.normal, first), dot(face.normal, second)) - face.offset;
    if (best.face < 0 || gap > best.gap + slop) best = {f, gap};
  }
  return best;
}

// One point, feature 0.
[[gnu::noinline]] CAIRN_HD inline void meetSphere(const ConvexShape& a, const HullShape& shape, const PlacedShape<double>& b, double margin,
                                                  LocalManifold<double>& out) {
  const double radius = b.size.x;
  const Vec centre = inverseTransform(a.pose, b.pose.p);
  const FaceAbove face = highestAbove(shape, centre, centre, 0);
  if (face.gap > radius + margin) return;
  double distance = face.gap;
  out.normal = rotate(a.pose.q, shape.faces[face.face].normal);
  if (face.gap > kClose * radius) {
    const ConvexGap gap = gapOfCores(a, convexShape(b, nullptr), margin);
    if (gap.known) distance = gap.gap + radius, out.normal = gap.normal;
  }
  const double separation = distance - radius;
  if (separation <= margin) addPoint(out, b.pose.p - (radius + 0.5 * separation) * out.normal, separation, 0u);
}

// --- capsules ------------------------------------------------------------------------------------------------------

// A capsule's core in the hull's frame.
struct CoreNearby {
  const HullShape& shape;
  Segment<double> core;
  double radius, slop, margin;
};

// The part of the core above a face: a point for each end of that part. Features 0, 1: an end of the capsule; 2 and up: the side of the face.
[[gnu::noinline]] CAIRN_HD inline void restOnFace(const CoreNearby& pair, int index, LocalManifold<double>& out) {
  const HullShape& shape = pair.shape;
  const HullFace& face = shape.faces[index];
  const Vec n = face.normal, c = pair.core.centre, d = pair.core.axis;
  double low = -1, high = 1;
  uint32_t lowFeature = 0, highFeature = 1;
  for (int k = 0; k < face.sideCount; ++k) {
    const HullSide& side = shape.sides[face.firstSide + k];
    const Vec from = shape.vertices[side.corner], to = shape.vertices[shape.sides[face.firstSide + (k + 1 == face.sideCount ? 0 : k + 1)].corner];
    const Vec along = to - from, outward = cross(along, n);
    const double wider = pair.slop * (absOf(along.x) + absOf(along.y) + absOf(along.z));
    const double out0 = dot(outward, c - from) - wider, slope = dot(outward, d);
    if (absOf(slope) <= 1e-12 * length(along) * length(d)) {
      if (out0 > 0) return;
      continue;
    }
    const double t = -out0 / slope;
    if (slope > 0 && t < high) high = t, highFeature = 2u + side.edge;
    if (slope < 0 && t > low) low = t, lowFeature = 2u + side.edge;
  }
  if (low > high) return;
  // Standing rather than lying: the upper end is no contact.
  const double rise = dot(n, d);
  const bool stands = 2 * rise * rise > dot(d, d);
  for (int end = 0; end < 2; ++end) {
    if (stands && (end == 0) != (rise > 0)) continue;
    const Vec x = c + (end == 0 ? low : high) * d;
    const double height = dot(n, x) - face.offset, separation = height - pair.radius;
    if (separation <= pair.margin) addPoint(out, x - (height - 0.5 * separation) * n, separation, end == 0 ? lowFeature : highFeature);
  }
}

// A direction out of the hull past one of its edges, and a point of the core there.
struct PastEdge {
  bool found;
  double gap;
  Vec n, x;
};

// For a core that goes through the hull: the one along which the penetration is smallest. The arcs of the hull's edges on the Gauss map are asked
// where they cross the great circle of the core.
CAIRN_HD inline PastEdge leastPenetration(const CoreNearby& pair) {
  PastEdge best{false, 0, {0, 0, 0}, {0, 0, 0}};
  const Vec d = pair.core.axis, c = pair.core.centre;
  for (int e = 0; e < pair.shape.edgeCount; ++e) {
    const HullEdge& edge = pair.shape.edges[e];
    if (!(dot(pair.shape.faces[edge.left].normal, d) * dot(pair.shape.faces[edge.right].normal, d) < 0)) continue;
    const Vec from = pair.shape.vertices[edge.from], along = pair.shape.vertices[edge.to] - from, axis = cross(along, d);
    const double square = dot(axis, axis);
    if (!(square > 1e-6 * dot(along, along) * dot(d, d))) continue;
    const double unit = (dot(axis, from) < 0 ? -1.0 : 1.0) / squareRoot(square);
    const double gap = unit * dot(axis, c - from);
    if (best.found && !(gap > best.gap)) continue;
    // The point of the core above the edge, seen along the axis.
    const double t = clampTo(dot(cross(along, axis), from - c) / dot(cross(along, axis), d), -1.0, 1.0);
    best = {true, gap, unit * axis, c + t * d};
  }
  return best;
}

// An edge that is the lowest part of the hull against n and as good as parallel to the core carries it where both are: a point for each end of that
// part. Whether there is one. Features: from 1025 on two an edge.
[[gnu::noinline]] CAIRN_HD inline bool lieAlongEdge(const CoreNearby& pair, Vec n, LocalManifold<double>& out) {
  constexpr double kParallel = 4e-4;  // square of the largest sine
  const HullShape& shape = pair.shape;
  const Vec d = pair.core.axis, c = pair.core.centre;
  const double square = dot(d, d), reach = dot(n, shape.vertices[furthestCorner(shape.vertices, shape.vertexCount, n)]);
  const double shortest = kClose * pair.radius;  // less is a point
  if (!(square > shortest * shortest)) return false;
  for (int e = 0; e < shape.edgeCount; ++e) {
    const HullEdge& edge = shape.edges[e];
    const Vec from = shape.vertices[edge.from], to = shape.vertices[edge.to], along = to - from, axis = cross(along, d);
    if (dot(axis, axis) > kParallel * dot(along, along) * square) continue;
    const double tilt = 0.02 * length(along);  // such an edge is lower at one end by so much at most
    if (dot(n, from) < reach - tilt || dot(n, to) < reach - tilt || maxOf(dot(n, from), dot(n, to)) < reach - pair.slop) continue;
    const double first = dot(from - c, d) / square, last = dot(to - c, d) / square;
    const double low = maxOf(minOf(first, last), -1.0), high = minOf(maxOf(first, last), 1.0);
    if ((high - low) * squareRoot(square) <= shortest) continue;
    for (int end = 0; end < 2; ++end) {
      const double t = end == 0 ? low : high, s = clampTo((t - first) / (last - first), 0.0, 1.0);
      const Vec x = c + t * d;
      const double height = dot(n, x - (from + s * along)), separation = height - pair.radius;
      if (separation <= pair.margin) addPoint(out, x - (height - 0.5 * separation) * n, separation, 1025u + 2u * uint32_t(e) + uint32_t(end));
    }
    return out.pointCount > 0;
  }
  return false;
}

// Features are those of restOnFace and lieAlongEdge; 1024: the single point.
[[gnu::noinline]] CAIRN_HD inline void meetCapsule(const ConvexShape& a, const HullShape& shape, const PlacedShape<double>& b, double margin,
                                                   LocalManifold<double>& out) {
  const Segment<double> world = capsuleCore(b.size, b.pose);
  const double radius = b.size.x, slop = kClose * minOf(radius, shape.inner);
  const CoreNearby pair{shape, {inverseTransform(a.pose, world.centre), inverseRotate(a.pose.q, world.axis)}, radius, slop, margin};
  const FaceAbove face = highestAbove(shape, pair.core.centre - pair.core.axis, pair.core.centre + pair.core.axis, slop);
  if (face.gap > radius + margin) return;

  // The best direction that is no face's: along the closest points where the core is outside, past an edge where it goes through.
  const ConvexGap gap = gapOfCores(a, convexShape(b, nullptr), margin);
  const bool outside = gap.known && gap.gap + radius > kClose * radius;
  PastEdge best{outside, gap.gap + radius, {0, 0, 0}, {0, 0, 0}};
  if (outside) {
    best.n = inverseRotate(a.pose.q, gap.normal);
    best.x = inverseTransform(a.pose, gap.onB) + radius * best.n;
  } else {
    best = leastPenetration(pair);
  }
  if (best.found && best.gap > radius + margin) return;
  const double preference = slop + 0.02 * maxOf(-best.gap, 0.0);
  bool rests = !best.found || face.gap >= best.gap - preference;
  if (rests) {
    out.normal = shape.faces[face.face].normal;
    restOnFace(pair, face.face, out);
    // A face that was only preferred must carry the core where it is deepest, not beside its sides.
    rests = out.pointCount > 0 && (!best.found || deepestOf(out) <= best.gap - radius + 2 * slop + preference);
  }
  if (!rests) {
    out.pointCount = 0;
    if (!best.found) best = {true, face.gap, shape.faces[face.face].normal, pair.core.centre};
    const double separation = best.gap - radius;
    if (separation > margin) return;
    out.normal = best.n;
    // The ends of an edge stand for the contact where one is as close as the closest point.
    const double close = 2 * kClose * minOf(radius, shape.outer);
    if (!lieAlongEdge(pair, best.n, out) || deepestOf(out) > separation + close) {
      out.pointCount = 0;
      addPoint(out, best.x - (best.gap - 0.5 * separation) * best.n, separation, 1024u);
    }
  }
  out.normal = rotate(a.pose.q, out.normal);
  for (int p = 0; p < out.pointCount; ++p) out.points[p].position = transform(a.pose, out.points[p].position);
}

// --- ellipsoids ----------------------------------------------------------------------------------------------------

// A hull in an ellipsoid's frame; and in units in which that is the unit ball, for the algorithm of convex_gap.hpp.
struct HullNearby {
  Vec semiAxes, perAxis;
  HullShape shape;
  Relative hullIn;
  Pose<double> pose;  // its place in those units

  CAIRN_HD Vec lowest(Vec normal) const {
    return hullIn.point(shape.vertices[furthestCorner(shape.vertices, shape.vertexCount, -transposeTimes(hullIn.axes, normal))]);
  }
  CAIRN_HD double separationAlong(Vec normal) const { return dot(normal, lowest(normal)) - ellipsoid::reach(semiAxes, normal); }
};
CAIRN_HD inline double radiusOfCore(const HullNearby&) { return 0; }
CAIRN_HD inline Vec supportOfCore(const HullNearby& pair, Vec direction) { return scale(pair.perAxis, pair.lowest(-scale(pair.perAxis, direction))); }

// In the ellipsoid's frame, from it to the hull: the best of the faces' normals, and of two at the point of the hull that is nearest in units in
// which the ellipsoid is a ball. Where both just touch, the gradient there is the normal. Above the margin it is one that says so.
CAIRN_HD inline ellipsoid::Touch<double> bestNormal(const HullNearby& pair, Vec centre, double margin) {
  ellipsoid::Touch<double> touch{{0, 1, 0}, {0, 0, 0}, -1e300};
  for (int f = 0; f < pair.shape.faceCount; ++f) {
    const HullFace& face = pair.shape.faces[f];
    const Vec n = pair.hullIn.axes * face.normal;
    const double height = dot(face.normal, centre) - face.offset, gap = height - ellipsoid::reach(pair.semiAxes, n);
    if (gap > touch.separation) touch = {-n, -height * n, gap};
  }
  if (touch.separation > margin) return touch;
  const ConvexGap nearest = gapOfCores(ConvexShape{kSphere, {0, 0, 0}, identityPose<double>()}, pair);
  if (!nearest.known) return touch;
  const Vec onB = scale(pair.semiAxes, nearest.onB);
  const Vec normals[2] = {ellipsoid::gradientAt(pair.semiAxes, onB), ellipsoid::normalNearest(pair.semiAxes, onB)};
  for (const Vec n : normals) {
    const double separation = pair.separationAlong(n);
    if (separation > touch.separation) touch = {n, onB, separation};
  }
  return touch;
}

// One point, feature 0. Apart, another feature of the hull may be the nearest; where both nearly touch, the closest points of a smooth surface run
// out of digits before the normals of bestNormal do: the larger gap is nearer to the distance.
[[gnu::noinline]] CAIRN_HD inline void meetEllipsoid(const PlacedShape<double>& a, const HullView& hulls, const PlacedShape<double>& b, double margin,
                                                     LocalManifold<double>& out) {
  const HullShape shape = hulls.of(a.type);
  const Relative hullIn = relative(b.pose, a.pose);
  const Vec centre = -transposeTimes(hullIn.axes, hullIn.origin);  // of the ellipsoid, in the hull's frame
  if (highestAbove(shape, centre, centre, 0).gap > maxOf(b.size.x, maxOf(b.size.y, b.size.z)) + margin) return;
  const Vec perAxis{1 / b.size.x, 1 / b.size.y, 1 / b.size.z};
  const HullNearby pair{b.size, perAxis, shape, hullIn, {scale(perAxis, hullIn.origin), identityQuat<double>()}};
  ellipsoid::Touch<double> touch = bestNormal(pair, centre, margin);
  if (touch.separation > margin) return;
  if (touch.separation > 0) {
    const ConvexShape hullShape{a.type, {1, 1, 1}, {hullIn.origin, normalized(conjugate(b.pose.q) * a.pose.q)}, &hulls};
    const ConvexGap closest = gapOfCores(ConvexShape{kEllipsoid, b.size, identityPose<double>()}, hullShape, margin);
    if (closest.known && closest.gap > margin) return;
    const double separation = closest.known ? pair.separationAlong(closest.normal) : -1.0;
    if (separation > touch.separation) touch = {closest.normal, closest.onB, separation};
  }
  ellipsoid::answer(b.pose, touch.n, touch.onB, touch.separation, margin, out);
  if (out.pointCount > 0) out.normal = -out.normal;
}

}  // namespace hull

}  // namespace cairn::v0
