// Shapes that are moved along lines, or lie still, against the broad phase's tree. See shape_cast.cu.
#pragma once

#include "kernels/collide/convex_distance.hpp"
#include "kernels/collide/query_records.hpp"

namespace cairn::v0 {

struct ShapeCastRecord {
  ConvexShape shape;       // at the start, world
  Vec3<double> direction;  // a unit vector; zero: it lies still
  double maxDistance;      // [m]; a large number for none, 0 where it lies still
  QueryTag tag;
};

struct ShapeHitRecord {
  int64_t shape;  // slot; -1: nothing was hit
  double distance;
  Vec3<double> point, normal;
};

// Casts on the target, and the hulls that are cast: each record's pointer to hulls is theirs in the kernels, whatever it holds.
struct CastView {
  const ShapeCastRecord* casts;
  int count;
  HullView hulls;
};

template <class T> void castShapes(Queue& queue, const CastBodies<T>& bodies, const CastView& casts, ShapeHitRecord* hits);
// All that each shape meets.
template <class T> void castShapesAll(Queue& queue, const CastBodies<T>& bodies, const CastView& casts, const HitRooms<ShapeHitRecord>& rooms);

}  // namespace cairn::v0
