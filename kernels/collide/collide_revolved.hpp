// Any two shapes of which one at least is a cylinder or a cone (A here). All of it is in double whatever the World's precision.
//
// 1. Faces: the ends of A, the faces of the other shape, or its ends. The best of them carries where its flat and what lies over it, clipped to each
//    other (collide_revolved_clip.hpp), are as deep as the gap along its normal says: then no direction near it is better. Likewise two lines that
//    lie along each other: of sides, or of a side and a capsule. Nearly all contacts at rest end here.
// 2. Any other direction. Apart, it is that of the closest points (convex_gap.hpp). Where the two overlap, it is that of the closest points of a
//    smaller shape, the blunter of the two, from which a layer of some thickness is taken off: the directions for layers of up to twice the
//    thickness, extrapolated to none (Richardson), differ from the one of least overlap by the third power of the thickness over the size. What is a
//    line's or an edge's own, that the direction is normal to it, stays so. No table of faces is kept, as the expanding polytope algorithm has, and
//    the direction moves evenly with the shapes.
//
// Faces before other directions, unless clearly worse, by the slops of boxes.
#pragma once

#include "kernels/collide/collide_hull.hpp"
#include "kernels/collide/collide_revolved_clip.hpp"

namespace cairn::v0 {

namespace revolved {

// Overlaps up to this part of the smaller inner size need no second look for another direction.
constexpr double kShallow = 0.02;
// What retreats by less than this for a layer of one is blunt.
constexpr double kBlunt = 1.8;

// How far apart two are moved for closest points, as a part of the inner size; by what part of the slop a direction has to be better.
constexpr double kApart = 0.02, kBetter = 0.01;
// Directions along which the overlap is this many times that of the best one are not looked at further.
constexpr double kNoHope = 3;

struct SolidPair {
  Placed a, b;
  double margin, slop, inner;
};

// A shape's smaller self, from all of whose sides a layer is taken off: rims, corners and edges retreat further, the more so the sharper they are.
CAIRN_HD inline ConvexShape without(const Placed& of, double layer) {
  ConvexShape out = of.shape;
  const double part = 1 - layer / of.inner;
  if (of.type() == kCone) {
    // Towards the middle of the ball in it.
    out.size = part * out.size;
    out.pose.p += ((1 - part) * (of.inner - of.shape.size.y)) * of.axes.c1;
  } else if (isHull(of.type())) {
    out.size = part * out.size;
  } else {
    out.size -= Vec{layer, layer, layer};
  }
  return out;
}

// How far what is sharp of a shape retreats for a layer of one: a cone's rim (not its apex, where the other shape's face decides), edges and corners;
// of an ellipsoid more than this where it is much flatter than wide.
CAIRN_HD inline double sharpness(const Placed& of) {
  if (of.type() == kCylinder) return 1.42;
  if (of.type() == kEllipsoid) return 1.5;
  if (of.type() == kBox) return 1.74;
  const double across = of.type() == kCone ? squareRoot(of.shape.size.x * of.shape.size.x + of.inner * of.inner) : of.outer;
  return across / of.inner;
}

// --- faces -----------------------------------------------------------------------------------------------------

struct Face {
  int number;  // -1: none
  double gap;  // from its plane to the other's lowest point
};

// The first that is nearly the best.
CAIRN_HD inline Face bestFace(const Placed& own, const Placed& other, double slop) {
  Face best{-1, -1e300};
  int count = 0;
  if (isHull(own.type())) count = own.shape.hulls->of(own.type()).faceCount;
  if (own.type() == kBox) count = 6;
  if (own.type() == kHalfSpace) count = 1;
  if (isRevolved(own.type())) count = own.solid.top > 0 ? 2 : 1;
  for (int f = 0; f < count; ++f) {
    const Vec n = outwardOf(own, f);
    const double offset = isHull(own.type())
                              ? own.shape.hulls->of(own.type()).faces[f].offset
                              : (own.type() == kBox ? component(own.shape.size, f >> 1) : (own.type() == kHalfSpace ? 0.0 : own.solid.half));
    const double gap = dot(n, other.support(-n) - own.centre()) - offset;
    if (best.number < 0 || gap > best.gap + slop) best = {f, gap};
  }
  return best;
}

struct FaceChoice {
  bool onA;
  Face face;
  CAIRN_HD bool found() const { return face.number >= 0; }
};

CAIRN_HD inline FaceChoice chooseFace(const SolidPair& pair) {
  const Face onA = pair.b.type() == kHalfSpace ? Face{-1, -1e300} : bestFace(pair.a, pair.b, pair.slop);
  const Face onB = bestFace(pair.b, pair.a, pair.slop);
  if (onB.number < 0) return {true, onA};
  if (onA.number < 0) return {false, onB};
  const bool preferB = pair.b.outer > 1.0005 * pair.a.outer;
  const bool useA = preferB ? onA.gap > onB.gap + pair.slop : onA.gap + pair.slop >= onB.gap;
  return {useA, useA ? onA : onB};
}

// The points over a face; the normal from A to B.
[[gnu::noinline]] CAIRN_HD inline void clipOn(const SolidPair& pair, const FaceChoice& choice, LocalManifold<double>& out) {
  const Placed& own = choice.onA ? pair.a : pair.b;
  const Placed& other = choice.onA ? pair.b : pair.a;
  Flat reference = flatOf(own, choice.face.number), incident = incidentFlat(other, reference.normal, pair.slop);
  if (reference.kind == kDiscFlat) walkAs(other.axes, reference);
  if (incident.kind == kDiscFlat) walkAs(own.axes, incident);
  clipFlats({own, other, reference, incident, choice.onA, 0.5 * pair.slop}, pair.margin, out);
  if (!choice.onA) out.normal = -out.normal;
}

// --- lines -----------------------------------------------------------------------------------------------------

[[gnu::noinline]] CAIRN_HD inline bool meetAlong(const SolidPair& pair, Vec n, double gap, LocalManifold<double>& out) {
  const Flat a = lineOf(pair.a, n), b = lineOf(pair.b, -n);
  if (a.kind != kLineFlat || b.kind != kLineFlat) return false;
  LocalManifold<double> found;
  if (!meetLines({pair.a, pair.b, a, b, pair.slop}, n, pair.margin, found) || !(deepestOf(found) <= gap + 2 * pair.slop)) return false;
  out = found;
  return true;
}

// Sides and capsules that lie beside each other.
CAIRN_HD inline bool meetSides(const SolidPair& pair, LocalManifold<double>& out) {
  if (pair.b.type() != kCapsule && !isRevolved(pair.b.type())) return false;
  const Vec u = pair.a.axes.c1, v = pair.b.axes.c1, d = pair.b.centre() - pair.a.centre(), across = d - dot(d, u) * u;
  const double distance = length(across);
  if (!(distance > 1e-3 * pair.inner) || !(absOf(dot(u, v)) > 0.95)) return false;
  // Of cones the normal leans with the side.
  const Vec n = normalizedOr(pair.a.solid.cosine * ((1 / distance) * across) + pair.a.solid.sine * u, u);
  const double gap = gapAlong(pair.a, pair.b, n);
  return gap >= -kShallow * pair.inner && meetAlong(pair, n, gap, out);
}

// --- any direction -----------------------------------------------------------------------------------------------

struct Direction {
  bool found;
  double gap;
  Vec n, at;  // at: midway between the surfaces
};

// The closest points of two shapes, one of them without a layer. The point is the other's, whose surface is its own.
struct Layered {
  bool known;
  double gap;
  Vec n, point;
};

// One body a kernel, which compilers would make a part of each caller.
[[gnu::noinline]] CAIRN_HD inline Layered withoutLayer(const SolidPair& pair, bool ofA, double layer) {
  const ConvexGap found = ofA ? gapOfCores(without(pair.a, layer), pair.b.shape) : gapOfCores(pair.a.shape, without(pair.b, layer));
  return {found.known, found.gap, found.normal, ofA ? found.onB : found.onB - found.gap * found.normal};
}

// The direction of least overlap, from layers of one of the two: the thinnest that parts them, and two thicker ones.
[[gnu::noinline]] CAIRN_HD inline Direction leastOverlap(const SolidPair& pair, bool ofA) {
  const double inner = ofA ? pair.a.inner : pair.b.inner, side = ofA ? -0.5 : 0.5, radius = pair.b.radius;
  Direction best{false, -1e300, {0, 1, 0}, {0, 0, 0}};
  for (double part = 0.03125; part < 1 && !best.found; part *= 1.5) {
    const double layer = part * inner;
    const Layered thin = withoutLayer(pair, ofA, layer);
    // Where next to nothing is left between them the direction is mostly rounding.
    if (!thin.known || !(thin.gap + radius > 0.1 * layer)) continue;
    const auto consider = [&](Vec n, Vec point) {
      const double gap = gapAlong(pair.a, pair.b, n);
      if (gap > best.gap) best = {true, gap, n, point + (side * gap) * n};
    };
    consider(thin.n, thin.point);
    const double more = minOf(2.0, 0.9 / part);
    if (more < 1.2) return best;
    const Layered middle = withoutLayer(pair, ofA, 0.5 * (1 + more) * layer), thick = withoutLayer(pair, ofA, more * layer);
    const auto mix = [&](double ofThin, double ofMiddle, double ofThick) {
      consider(normalizedOr(ofThin * thin.n + ofMiddle * middle.n + ofThick * thick.n, thin.n),
               ofThin * thin.point + ofMiddle * middle.point + ofThick * thick.point);
    };
    // Half of the way to no layer, all of it, and along the parabola: with the layers' thicknesses 1, 1 + d and 1 + 2 d.
    const double d = 0.5 * (more - 1), slope = 1 / (2 * d);
    mix(1 + 0.5 * slope, 0, -0.5 * slope);
    mix(1 + slope, 0, -slope);
    mix((1 + d) * (1 + 2 * d) * (slope / d), -(1 + 2 * d) / (d * d), (1 + d) * (slope / d));
  }
  return best;
}

// A direction by layers is off by more the sharper the two are. Moved apart along it by the overlap and a little more, they have closest points,
// whose direction is kept while it is better. Where it is as good, their points are better: along a side's line that of a direction alone is an end.
[[gnu::noinline]] CAIRN_HD inline Direction refined(const SolidPair& pair, Direction best) {
  constexpr int kRefinements = 6;
  for (int k = 0; k < kRefinements && best.found && best.gap < kApart * pair.inner; ++k) {
    const Vec away = (kApart * pair.inner - best.gap) * best.n;
    ConvexShape moved = pair.b.shape;
    moved.pose.p += away;
    const ConvexGap apart = gapOfCores(pair.a.shape, moved);
    if (!apart.known) return best;
    const double gap = gapAlong(pair.a, pair.b, apart.normal);
    const Vec at = apart.onB - away - (0.5 * gap) * apart.normal;
    if (!(gap > best.gap + kBetter * pair.slop)) {
      if (gap > best.gap - kBetter * pair.slop) best.at = at;
      return best;
    }
    best = {true, gap, apart.normal, at};
  }
  return best;
}

CAIRN_HD inline Direction directionAlong(const SolidPair& pair, Vec n) {
  const double gap = gapAlong(pair.a, pair.b, n);
  return {true, gap, n, pair.b.support(-n) - (0.5 * gap) * n};
}

// Out of the side of one, a cylinder or a cone, towards a place.
[[gnu::noinline]] CAIRN_HD inline Direction outOfSide(const SolidPair& pair, bool ofA, Vec place) {
  const Placed& own = ofA ? pair.a : pair.b;
  const Vec u = own.axes.c1, d = place - own.centre(), across = d - dot(d, u) * u;
  const double distance = length(across);
  if (!isRevolved(own.type())) return {false, 0, {0, 0, 0}, {0, 0, 0}};
  const Vec radial = distance > 1e-6 * own.inner ? (1 / distance) * across : own.axes.c0;
  const Vec out = own.solid.cosine * radial + own.solid.sine * u;
  return directionAlong(pair, ofA ? out : -out);
}

[[gnu::noinline]] CAIRN_HD inline Direction bestDirection(const SolidPair& pair, const FaceChoice& face) {
  const ConvexGap whole = gapOfCores(pair.a.shape, pair.b.shape, pair.margin + pair.slop);
  if (whole.known && whole.gap + pair.b.radius > kShallow * pair.inner) {
    return {true, whole.gap, whole.normal, whole.onB - (0.5 * whole.gap) * whole.normal};
  }
  // The blunter of the two gives the layers; where neither is blunt, or one has an apex, which retreats furthest, both in turn.
  const bool onlyA = pair.b.radius > 0;
  const double sharpA = sharpness(pair.a), sharpB = sharpness(pair.b);
  Direction best{false, 0, {0, 0, 0}, {0, 0, 0}};
  // There may be several directions that are better than all near them.
  const auto consider = [&](const Direction& start) {
    const Direction found = refined(pair, start);
    if (found.found && (!best.found || found.gap > best.gap)) best = found;
  };
  consider(leastOverlap(pair, onlyA || sharpA <= sharpB));
  const bool pointed = pair.a.type() == kCone || pair.b.type() == kCone;
  if (!onlyA && (pointed || minOf(sharpA, sharpB) >= kBlunt)) consider(leastOverlap(pair, sharpA > sharpB));
  if (face.found()) consider(directionAlong(pair, face.onA ? outwardOf(pair.a, face.face.number) : -outwardOf(pair.b, face.face.number)));
  consider(outOfSide(pair, true, pair.b.centre()));
  consider(outOfSide(pair, false, pair.a.centre()));
  if (!best.found) return best;
  const Vec at = best.at, d = pair.b.centre() - pair.a.centre();
  consider(outOfSide(pair, true, at));
  consider(outOfSide(pair, false, at));
  for (int k = 0; k < 6; ++k) {
    const Mat3<double>& axes = k < 3 ? pair.a.axes : pair.b.axes;
    const Vec axis = k % 3 == 0 ? axes.c0 : (k % 3 == 1 ? axes.c1 : axes.c2);
    const Direction along = directionAlong(pair, dot(axis, d) < 0 ? -axis : axis);
    if (along.gap > kNoHope * best.gap) consider(along);
  }
  return best;
}

CAIRN_HD inline void meetInDirection(const SolidPair& pair, const Direction& direction, LocalManifold<double>& out) {
  out.pointCount = 0;
  if (direction.gap > pair.margin || meetAlong(pair, direction.n, direction.gap, out)) return;
  out.normal = direction.n;
  addPoint(out, direction.at, direction.gap, kClosest);
}

// Nothing else is known: the lowest point over the face.
[[gnu::noinline]] CAIRN_HD inline void meetLowest(const SolidPair& pair, const FaceChoice& choice, LocalManifold<double>& out) {
  const Placed& own = choice.onA ? pair.a : pair.b;
  const Placed& other = choice.onA ? pair.b : pair.a;
  const Vec n = outwardOf(own, choice.face.number);
  out.pointCount = 0;
  if (choice.face.gap > pair.margin) return;
  out.normal = choice.onA ? n : -n;
  addPoint(out, other.support(-n) - (0.5 * choice.face.gap) * n, choice.face.gap, kClosest);
}

// A is a cylinder or a cone.
CAIRN_HD inline void meet(const SolidPair& pair, LocalManifold<double>& out) {
  out.pointCount = 0;
  const FaceChoice face = chooseFace(pair);
  if (face.found()) {
    if (face.face.gap > pair.margin) return;
    if (pair.b.type() == kHalfSpace) {
      clipOn(pair, face, out);
      return;
    }
  }
  LocalManifold<double> onFace;
  onFace.pointCount = 0;
  if (face.found()) clipOn(pair, face, onFace);
  const double low = deepestOf(onFace);
  const bool carries = onFace.pointCount > 0 && low <= face.face.gap + 2 * pair.slop;
  if (carries && face.face.gap >= -kShallow * pair.inner) {
    out = onFace;
    return;
  }
  if (meetSides(pair, out)) return;
  const Direction direction = bestDirection(pair, face);
  if (!direction.found) {
    if (carries) {
      out = onFace;
    } else if (face.found()) {
      meetLowest(pair, face, out);
    }
    return;
  }
  const double preference = pair.slop + 0.02 * maxOf(-direction.gap, 0.0);
  if (carries && face.face.gap >= direction.gap - preference) {
    out = onFace;
    return;
  }
  meetInDirection(pair, direction, out);
}

}  // namespace revolved

// As collide(), for a pair with a cylinder or a cone.
[[gnu::noinline]] CAIRN_HD inline void collideRevolved(const PlacedShape<double>& a, const PlacedShape<double>& b, const HullView& hulls,
                                                       double margin, LocalManifold<double>& out) {
  const bool swapped = !isRevolved(a.type & (kSensor - 1));
  const PlacedShape<double>& first = swapped ? b : a;
  const PlacedShape<double>& second = swapped ? a : b;
  revolved::SolidPair pair{revolved::placedSolid(first, hulls), revolved::placedSolid(second, hulls), margin, 0, 0};
  out.pointCount = 0;
  const double reach = pair.a.outer + pair.b.outer + margin;
  if (second.type != kHalfSpace && lengthSquared(second.pose.p - first.pose.p) > reach * reach) return;
  pair.inner = minOf(pair.a.inner, pair.b.inner);
  // As for boxes, whose mean half extent is at most this part of the radius.
  constexpr double kMeanOfRadius = 0.577;
  pair.slop = minOf(2e-3 * kMeanOfRadius * minOf(pair.a.outer, pair.b.outer), 0.05 * pair.inner);
  revolved::meet(pair, out);
  if (swapped && out.pointCount > 0) out.normal = -out.normal;
}

// In the World's precision, by way of double.
template <class T>
CAIRN_HD inline void collideRevolvedOf(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
  LocalManifold<double> found;
  collideRevolved(inDouble(a), inDouble(b), hulls, double(margin), found);
  fromDouble(found, out);
}

// What time_of_impact.hpp asks of shapes where there are cylinders or cones among them.
struct AllShapes {
  HullView hulls;

  template <class T> CAIRN_HD void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) const {
    if (isRevolved(a.type) || isRevolved(b.type)) return collideRevolvedOf(a, b, hulls, margin, out);
    ShapesWithHulls{{}, hulls}.meet(a, b, margin, out);
  }
  template <class T> CAIRN_HD T reach(const PlacedShape<T>& shape, Vec3<T> n) const {
    if (!isRevolved(shape.type)) return ShapesWithHulls{{}, hulls}.reach(shape, n);
    const Vec3<double> local = convert<double>(inverseRotate(shape.pose.q, n));
    return T(dot(local, revolvedSolid(shape.type, convert<double>(shape.size)).support(local)));
  }
  template <class T> CAIRN_HD T radius(const ShapeRecord<T>& shape, Quat<T> body, Vec3<T> normal, Vec3<T> arm) const {
    return isRevolved(shape.type) ? rollingRadius(shape, body, normal, arm) : PlainShapes{}.radius(shape, body, normal, arm);
  }
};

}  // namespace cairn::v0
