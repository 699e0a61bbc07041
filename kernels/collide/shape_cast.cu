// Shape casts and overlaps: one item a shape, its nearest hit or all of them.
//
// In: the tree of the current poses, shapes with unit directions, or zero ones for shapes that lie still: an overlap is a cast along a way of length
// 0. Out: shape, distance, point, normal. The walk, and why the answer is deterministic: tree_queries.hpp; a shape against a shape:
// convex_distance.hpp, mesh_shapes.hpp.
#include "kernels/collide/shape_cast.hpp"

#include "kernels/collide/mesh_shapes.hpp"
#include "kernels/collide/tree_queries.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// What is nearer than this part of a shape's largest extent touches it.
constexpr double kTouch = 1e-7;

template <class T> struct ShapeItems;

template <class T> struct ShapeQuery : ShapeCastRecord {
  // By half the size of the box around the shape, along the world's axes.
  CAIRN_HD Vec3<double> extent() const {
    const double radius = radiusOfCore(shape);
    const Vec3<double> p = shape.pose.p;
    Vec3<double> extent = Vec3<double>{supportOfCore(shape, {1, 0, 0}).x, supportOfCore(shape, {0, 1, 0}).y, supportOfCore(shape, {0, 0, 1}).z} - p;
    // All others reach as far the other way.
    if (isHull(shape.type) || shape.type == kCone) {
      extent =
          maxOf(extent, p - Vec3<double>{supportOfCore(shape, {-1, 0, 0}).x, supportOfCore(shape, {0, -1, 0}).y, supportOfCore(shape, {0, 0, -1}).z});
    }
    return extent + Vec3<double>{radius, radius, radius};
  }
  CAIRN_HD double touch() const {
    const Vec3<double> e = extent();
    return kTouch * maxOf(e.x, maxOf(e.y, e.z));
  }
  // Wider by what touches, and by the rounding of the bounds.
  CAIRN_HD WayOfBox<double> way() const {
    const double slack = 2 * touch();
    return {shape.pose.p, direction, extent() + Vec3<double>{slack, slack, slack}};
  }
  CAIRN_HD bool meets(const ShapeItems<T>& items, int slot, ShapeHitRecord& hit) const;
};

template <class T> struct ShapeItems {
  using Wide = double;
  using Hit = ShapeHitRecord;
  using Query = ShapeQuery<T>;
  TreeView<T> tree;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  CastView casts;
  GeometryView geometry;

  CAIRN_HD Query ask(int i) const {
    Query query{casts.casts[i]};
    query.shape.hulls = &casts.hulls;
    return query;
  }
};

template <class T> CAIRN_HD bool ShapeQuery<T>::meets(const ShapeItems<T>& items, int slot, ShapeHitRecord& hit) const {
  const ShapeRecord<T>& record = items.shapes[slot];
  const BodyPose<T>& body = items.poses[record.body];
  ConvexShape own = shape;
  // Positions from where the cast begins: digits are needed there.
  const Vec3<double> origin = own.pose.p;
  own.pose.p = {0, 0, 0};
  ConvexHit found;
  if (isMesh(record.type)) {
    const Quat<double> q = normalized(convert<double>(body.q));
    const Vec3<double> place = (convert<double>(body.x) - origin) + rotate(q, convert<double>(record.localPose.p));
    const PlacedShape<double> mesh{record.type, {0, 0, 0}, {place, normalized(q * convert<double>(record.localPose.q))}};
    found = castOnMesh(own, direction, maxDistance, touch(), mesh, items.geometry.meshes);
  } else {
    ConvexShape other = convexShape(record, body, &items.geometry.hulls);
    other.pose.p -= origin;
    found = castConvex(own, direction, maxDistance, touch(), other);
  }
  hit.distance = found.distance;
  hit.point = found.point + origin;
  hit.normal = found.normal;
  return found.hit;
}

template <class T> ShapeItems<T> itemsOf(const CastBodies<T>& bodies, const CastView& casts) {
  return {bodies.tree, bodies.shapes, bodies.poses, casts, bodies.geometry};
}

}  // namespace

template <class T> void castShapes(Queue& queue, const CastBodies<T>& bodies, const CastView& casts, ShapeHitRecord* hits) {
  forEach(queue, "shape_cast/shapes", casts.count, FindNearest<ShapeItems<T>>{itemsOf(bodies, casts), hits}, kHeavyGrain);
}

template <class T> void castShapesAll(Queue& queue, const CastBodies<T>& bodies, const CastView& casts, const HitRooms<ShapeHitRecord>& rooms) {
  const FindEach<ShapeItems<T>> find{itemsOf(bodies, casts), rooms.offsets, rooms.counts, rooms.hits};
  forEach(queue, "shape_cast/all", casts.count, find, kHeavyGrain);
}

#define CAIRN_INSTANTIATE(T)                                                                \
  template void castShapes(Queue&, const CastBodies<T>&, const CastView&, ShapeHitRecord*); \
  template void castShapesAll(Queue&, const CastBodies<T>&, const CastView&, const HitRooms<ShapeHitRecord>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
