// How far the cores of two convex shapes are apart: the algorithm of Gilbert, Johnson and Keerthi (1988).
//
// A core is what is left of a shape without its radius: a point, a segment, a box, an ellipsoid, a hull, a cylinder or a cone. The algorithm comes to
// the point nearest to the origin of the difference A - B of the cores, by simplices of support points; the nearest point of a simplex is found as in
// Ericson, "Real-Time Collision Detection", 2005, sections 5.1.5 and 9.5. Its support point also gives a plane that separates the cores: the gap
// along its normal never exceeds the distance.
//
// All of it is in double whatever the World's precision, + - * / and sqrt in one order.
#pragma once

#include "kernels/collide/collide.hpp"
#include "kernels/collide/revolved_solid.hpp"
#include "kernels/state/hull_view.hpp"

namespace cairn::v0 {

struct ConvexShape {
  int type;
  Vec3<double> size;  // of a hull: what its corners are multiplied with along its axes
  Pose<double> pose;
  const HullView* hulls = nullptr;  // where a hull's corners are
};

CAIRN_HD inline ConvexShape convexShape(const PlacedShape<double>& shape, const HullView* hulls) {
  return {shape.type, isHull(shape.type) ? Vec3<double>{1, 1, 1} : shape.size, shape.pose, hulls};
}

// The rotation is made a unit quaternion again: a float one is to 1e-7 only.
template <class T> CAIRN_HD inline ConvexShape convexShape(const ShapeRecord<T>& shape, const BodyPose<T>& body, const HullView* hulls) {
  const Quat<double> q = normalized(convert<double>(body.q));
  const Vec3<double> p = convert<double>(body.x) + rotate(q, convert<double>(shape.localPose.p));
  return convexShape(PlacedShape<double>{shape.type, convert<double>(shape.size), {p, normalized(q * convert<double>(shape.localPose.q))}}, hulls);
}

CAIRN_HD inline double radiusOfCore(const ConvexShape& shape) { return shape.type == kSphere || shape.type == kCapsule ? shape.size.x : 0.0; }

// The first of a hull's corners that none is further than in a direction.
CAIRN_HD inline int furthestCorner(const Vec3<double>* corners, int count, Vec3<double> direction) {
  int furthest = 0;
  double most = dot(corners[0], direction);
  for (int k = 1; k < count; ++k) {
    const double along = dot(corners[k], direction);
    if (along > most) most = along, furthest = k;
  }
  return furthest;
}

// The point of the core that lies furthest in a direction, not a half-space's.
[[gnu::noinline]] CAIRN_HD inline Vec3<double> supportOfCore(const ConvexShape& shape, Vec3<double> direction) {
  if (shape.type == kSphere) return shape.pose.p;
  if (isHull(shape.type)) {
    const HullRecord& hull = shape.hulls->hulls[hullOf(shape.type)];
    const Vec3<double>* const corners = shape.hulls->vertices + hull.firstVertex;
    const Vec3<double> along = scale(shape.size, inverseRotate(shape.pose.q, direction));
    return transform(shape.pose, scale(shape.size, corners[furthestCorner(corners, hull.vertexCount, along)]));
  }
  const Vec3<double> local = inverseRotate(shape.pose.q, direction), s = shape.size;
  Vec3<double> point{0, local.y < 0 ? -s.y : s.y, 0};
  if (shape.type == kBox) {
    point = {local.x < 0 ? -s.x : s.x, local.y < 0 ? -s.y : s.y, local.z < 0 ? -s.z : s.z};
  } else if (shape.type == kEllipsoid) {
    const Vec3<double> scaled = scale(s, local);
    const double reach = length(scaled);
    point = reach > 0 ? (1 / reach) * scale(s, scaled) : Vec3<double>{0, 0, 0};
  } else if (isRevolved(shape.type)) {
    point = revolvedSolid(shape.type, s).support(local);
  }
  return transform(shape.pose, point);
}

// Points of the difference of two cores, and how much of each makes up the one nearest to the origin.
struct CoreSimplex {
  Vec3<double> points[4], onB[4];
  double weights[4];
  int count;

  CAIRN_HD Vec3<double> nearest() const { return mixed(points); }
  CAIRN_HD Vec3<double> nearestOnB() const { return mixed(onB); }
  CAIRN_HD bool holds(Vec3<double> p) const {
    for (int k = 0; k < count; ++k) {
      if (points[k].x == p.x && points[k].y == p.y && points[k].z == p.z) return true;
    }
    return false;
  }

 private:
  CAIRN_HD Vec3<double> mixed(const Vec3<double>* from) const {
    Vec3<double> sum = weights[0] * from[0];
    for (int k = 1; k < count; ++k) sum += weights[k] * from[k];
    return sum;
  }
};

namespace convex {

// The nearest point of a segment, a triangle: its weights on them, and its square distance.
struct Nearest {
  double weights[3];
  double square;
};

CAIRN_HD inline Nearest nearestOfSegment(Vec3<double> a, Vec3<double> b) {
  const Vec3<double> ab = b - a;
  const double l2 = dot(ab, ab);
  double t = l2 > 0 ? -dot(a, ab) / l2 : 0.0;
  t = t < 0 ? 0.0 : (t > 1 ? 1.0 : t);
  const Vec3<double> p = (1 - t) * a + t * b;
  return {{1 - t, t, 0}, dot(p, p)};
}

CAIRN_HD inline Nearest nearestOfTriangle(Vec3<double> a, Vec3<double> b, Vec3<double> c) {
  const Vec3<double> ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double n2 = dot(normal, normal);
  // Twice the areas of the origin with each edge, along the normal: all positive where its foot lies in the triangle.
  const double u = dot(normal, cross(b, c)), v = dot(normal, cross(c, a)), w = dot(normal, cross(a, b));
  if (n2 > 0 && u > 0 && v > 0 && w > 0) {
    const double sum = 1 / (u + v + w);
    const double height = dot(normal, a);
    return {{u * sum, v * sum, w * sum}, height * height / n2};
  }
  const Nearest onAb = nearestOfSegment(a, b), onBc = nearestOfSegment(b, c), onCa = nearestOfSegment(c, a);
  if (onAb.square <= onBc.square && onAb.square <= onCa.square) return {{onAb.weights[0], onAb.weights[1], 0}, onAb.square};
  if (onBc.square <= onCa.square) return {{0, onBc.weights[0], onBc.weights[1]}, onBc.square};
  return {{onCa.weights[1], 0, onCa.weights[0]}, onCa.square};
}

// Keeps what carries the nearest point.
CAIRN_HD inline void keep(CoreSimplex& simplex, const int* from, const Nearest& nearest, int count) {
  CoreSimplex kept;
  kept.count = 0;
  for (int k = 0; k < count; ++k) {
    if (!(nearest.weights[k] > 0)) continue;
    kept.points[kept.count] = simplex.points[from[k]];
    kept.onB[kept.count] = simplex.onB[from[k]];
    kept.weights[kept.count++] = nearest.weights[k];
  }
  simplex = kept;
}

// Sine of the angle below which a corner of a tetrahedron lies in the plane of the others.
constexpr double kFlat = 1e-9;

// Reduces the simplex to what carries its point nearest to the origin. False: the origin is in it.
[[gnu::noinline]] CAIRN_HD inline bool reduce(CoreSimplex& simplex) {
  const Vec3<double>* p = simplex.points;
  const int all[3] = {0, 1, 2};
  if (simplex.count == 1) {
    simplex.weights[0] = 1;
    return true;
  }
  if (simplex.count == 2) {
    keep(simplex, all, nearestOfSegment(p[0], p[1]), 2);
    return true;
  }
  if (simplex.count == 3) {
    keep(simplex, all, nearestOfTriangle(p[0], p[1], p[2]), 3);
    return true;
  }
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};  // and the corner behind each
  Nearest best{{0, 0, 0}, 1e300};
  int face = -1;
  for (int f = 0; f < 4; ++f) {
    const Vec3<double> a = p[kFaces[f][0]], b = p[kFaces[f][1]], c = p[kFaces[f][2]], behind = p[kFaces[f][3]];
    const Vec3<double> normal = cross(b - a, c - a), edge = behind - a;
    const double height = dot(edge, normal);
    // Of a flat tetrahedron every face counts: on which side of it the origin is would be rounding's to say.
    const bool flat = height * height <= kFlat * kFlat * dot(edge, edge) * dot(normal, normal);
    if (!flat && -dot(a, normal) * height > 0) continue;
    const Nearest here = nearestOfTriangle(a, b, c);
    if (here.square < best.square) best = here, face = f;
  }
  if (face < 0) return false;
  const int from[3] = {kFaces[face][0], kFaces[face][1], kFaces[face][2]};
  keep(simplex, from, best, 3);
  return true;
}

}  // namespace convex

// A gap between two shapes.
struct ConvexGap {
  double gap;           // along the normal, at most their distance [m]; not positive where they overlap, by how much is not said
  bool known;           // whether there are normal and point: not where cores overlap
  Vec3<double> normal;  // unit, from A to B
  Vec3<double> onB;     // the point of B's surface that is nearest to A
};

constexpr int kGapSteps = 64;
constexpr double kAnyGap = 1e30;

CAIRN_HD inline ConvexGap gapToHalfSpace(const ConvexShape& a, const ConvexShape& plane) {
  const Vec3<double> up = rotationMatrix(plane.pose.q).c1, lowest = supportOfCore(a, -up) - radiusOfCore(a) * up;
  const double height = dot(up, lowest - plane.pose.p);
  return {height, true, -up, lowest - height * up};
}

// The algorithm on the cores, of shapes that have a pose, radiusOfCore and supportOfCore. Of a gap above the limit no more is found out than that it
// is.
template <class A, class B> [[gnu::noinline]] CAIRN_HD inline ConvexGap gapOfCores(const A& a, const B& b, double limit = kAnyGap) {
  constexpr double kEnough = 1e-12, kNowhere = 1e-28, kSurely = 1 + 1e-9;
  const double radii = radiusOfCore(a) + radiusOfCore(b), enoughAlong = kSurely * (limit + radii);
  CoreSimplex simplex;
  const auto supportTowards = [&](Vec3<double> v, Vec3<double>& onB) {
    onB = supportOfCore(b, v);
    return supportOfCore(a, -v) - onB;
  };
  const ConvexGap overlap{-1, false, {0, 0, 0}, {0, 0, 0}};
  Vec3<double> v = a.pose.p - b.pose.p;
  simplex.count = 1;
  simplex.points[0] = supportTowards(v, simplex.onB[0]);
  simplex.weights[0] = 1;
  v = simplex.points[0];
  double square = dot(v, v), alongV = square;
  for (int step = 0; step < kGapSteps; ++step) {
    // By the size of what is compared: the corners of a touching box cancel to a few digits of it.
    if (!(square > kNowhere * dot(simplex.points[0], simplex.points[0]))) return overlap;
    Vec3<double> onB;
    const Vec3<double> w = supportTowards(v, onB);
    alongV = dot(v, w);
    if (square - alongV <= kEnough * square || simplex.holds(w)) break;
    if (alongV > 0 && alongV * alongV > enoughAlong * enoughAlong * square) break;
    CoreSimplex next = simplex;
    next.points[next.count] = w;
    next.onB[next.count++] = onB;
    if (!convex::reduce(next)) return overlap;
    const Vec3<double> nearer = next.nearest();
    const double nearerSquare = dot(nearer, nearer);
    if (!(nearerSquare < square)) break;  // rounding has the last word
    simplex = next;
    v = nearer;
    square = nearerSquare;
  }
  if (!(square > kNowhere * dot(simplex.points[0], simplex.points[0]))) return overlap;
  const double distance = squareRoot(square);
  const Vec3<double> towardsA = (1 / distance) * v;
  return {alongV / distance - radii, true, -towardsA, simplex.nearestOnB() + radiusOfCore(b) * towardsA};
}

}  // namespace cairn::v0
