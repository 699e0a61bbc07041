// Any two shapes of which one at least is a hull. All of it is in double whatever the World's precision.
#pragma once

#include "kernels/collide/collide_hull_pair.hpp"
#include "kernels/collide/collide_hull_round.hpp"
#include "kernels/collide/time_of_impact.hpp"

namespace cairn::v0 {

// A hull (A) and a half-space, a sphere, a capsule or an ellipsoid (B).
[[gnu::noinline]] CAIRN_HD inline void collideHullWithRound(const PlacedShape<double>& a, const PlacedShape<double>& b, const HullView& hulls,
                                                            double margin, LocalManifold<double>& out) {
  const int type = b.type & (kSensor - 1);
  if (type == kHalfSpace) {
    hull::meetHalfSpace(a, hulls.of(a.type), b.pose, margin, out);
  } else if (type == kSphere) {
    hull::meetSphere(convexShape(a, &hulls), hulls.of(a.type), b, margin, out);
  } else if (type == kCapsule) {
    hull::meetCapsule(convexShape(a, &hulls), hulls.of(a.type), b, margin, out);
  } else {
    hull::meetEllipsoid(a, hulls, b, margin, out);
  }
}

// As collide(), for a pair with a hull. Either branch is a call and no more, for the reason that scripts/check-warp-registers gives.
template <class Scan = hull::OneByOne> [[gnu::noinline]] CAIRN_HD inline void collideHulls(const PlacedShape<double>& a, const PlacedShape<double>& b,
                                                                                           const HullView& hulls, double margin,
                                                                                           LocalManifold<double>& out) {
  out.pointCount = 0;
  // One order for both: a hull first, and before boxes.
  const bool swapped = !isHull(a.type);
  const PlacedShape<double>& first = swapped ? b : a;
  const PlacedShape<double>& second = swapped ? a : b;
  const int type = second.type & (kSensor - 1);
  if (type == kHull || type == kBox) {
    hull::meet<Scan>(first, second, hulls, margin, out);
  } else {
    collideHullWithRound(first, second, hulls, margin, out);
  }
  if (swapped && out.pointCount > 0) out.normal = -out.normal;
}

template <class T> CAIRN_HD inline PlacedShape<double> inDouble(const PlacedShape<T>& shape) {
  return {shape.type, convert<double>(shape.size), {convert<double>(shape.pose.p), normalized(convert<double>(shape.pose.q))}};
}
template <class T> CAIRN_HD inline void fromDouble(const LocalManifold<double>& found, LocalManifold<T>& out) {
  out.pointCount = found.pointCount;
  out.normal = found.pointCount > 0 ? convert<T>(found.normal) : Vec3<T>{T(0), T(0), T(0)};
  for (int p = 0; p < found.pointCount; ++p) {
    out.points[p] = {convert<T>(found.points[p].position), T(found.points[p].separation), found.points[p].feature};
  }
}

// In the World's precision, by way of double.
template <class Scan = hull::OneByOne, class T>
CAIRN_HD inline void collideHullsOf(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
  LocalManifold<double> found;
  collideHulls<Scan>(inDouble(a), inDouble(b), hulls, double(margin), found);
  fromDouble(found, out);
}

// What time_of_impact.hpp asks of shapes where there are hulls among them.
struct ShapesWithHulls : PlainShapes {
  HullView hulls;

  template <class T> CAIRN_HD void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin, LocalManifold<T>& out) const {
    if (isHull(a.type) || isHull(b.type)) {
      collideHullsOf(a, b, hulls, margin, out);
    } else {
      meetPlain(a, b, margin, out);
    }
  }
  template <class T> CAIRN_HD T reach(const PlacedShape<T>& shape, Vec3<T> n) const {
    if (!isHull(shape.type)) return reachAlong(shape, n);
    const HullShape own = hulls.of(shape.type);
    const Vec3<double> local = convert<double>(inverseRotate(shape.pose.q, n));
    return T(dot(local, own.vertices[furthestCorner(own.vertices, own.vertexCount, local)]));
  }
};

}  // namespace cairn::v0
