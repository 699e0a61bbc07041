#include "src/collide/shape_cast.hpp"

#include "src/scene/revolved_size.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

ShapeHit hitOf(const ShapeHitRecord& record) {
  ShapeHit hit;
  hit.shape = static_cast<int>(record.shape);
  hit.distance = record.distance;
  hit.point = record.point;
  hit.normal = record.normal;
  return hit;
}

}  // namespace

template <class T> ConvexShape ShapeCaster<T>::convexOf(const ShapeDef& shape, const Posed& pose) {
  const Quatd q = normalized(pose.q), turn = normalized(q * normalized(shape.localPose.q));
  const Vec3d place = pose.p + rotate(q, shape.localPose.p);
  if (shape.type == ShapeType::Hull) {
    const std::shared_ptr<const ConvexHull> hull = hullOf(shape);
    return {hulls_.typeOf(*hull), {1, 1, 1}, {place + rotate(turn, hull->centre), turn}};
  }
  if (isRevolved(static_cast<int>(shape.type))) return {static_cast<int>(shape.type), sizeOfRevolved(shape), {place, turn}};
  Vec3d size = shape.halfExtents;
  if (shape.type == ShapeType::Sphere || shape.type == ShapeType::Capsule) size = {shape.radius, shape.halfHeight, shape.radius};
  return {static_cast<int>(shape.type), size, {place, turn}};
}

template <class T> std::vector<ShapeCastRecord> ShapeCaster<T>::recordsOf(const std::vector<ShapeCast>& casts) {
  hulls_.clear();
  std::vector<ShapeCastRecord> records;
  records.reserve(casts.size());
  for (const ShapeCast& cast : casts) {
    const Vec3d direction = (1 / length(cast.direction)) * cast.direction;
    records.push_back({convexOf(cast.shape, cast.pose), direction, std::min(cast.maxDistance, kEndlessQuery), tagOf(cast.filter)});
  }
  return records;
}

template <class T> void ShapeCaster<T>::upload(Queue& queue, const std::vector<ShapeCastRecord>& records) {
  hulls_.upload(queue);
  casts_.upload(queue, records);
}

template <class T> std::vector<ShapeHit> ShapeCaster<T>::nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<ShapeCast>& casts) {
  upload(queue, recordsOf(casts));
  hits_.resize(queue, casts.size());
  castShapes(queue, bodies, view(), hits_.data());
  std::vector<ShapeHit> hits;
  hits.reserve(casts.size());
  for (const ShapeHitRecord& record : hits_.download(queue)) hits.push_back(hitOf(record));
  return hits;
}

template <class T> template <class Hit, class HitOf>
QueryHits<Hit> ShapeCaster<T>::collect(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const HitOf& makeHit) {
  const int count = static_cast<int>(casts_.size());
  const auto find = [&](const HitRooms<ShapeHitRecord>& rooms) { castShapesAll(queue, bodies, view(), rooms); };
  return rooms_.template collect<Hit>(queue, scratch, count, find, makeHit);
}

template <class T>
QueryHits<ShapeHit> ShapeCaster<T>::all(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<ShapeCast>& casts) {
  upload(queue, recordsOf(casts));
  return collect<ShapeHit>(queue, scratch, bodies, hitOf);
}

template <class T> QueryHits<Overlap> ShapeCaster<T>::overlaps(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies,
                                                               const std::vector<OverlapQuery>& queries) {
  std::vector<ShapeCastRecord> records;
  records.reserve(queries.size());
  hulls_.clear();
  for (const OverlapQuery& query : queries) records.push_back({convexOf(query.shape, query.pose), {0, 0, 0}, 0, tagOf(query.filter)});
  upload(queue, records);
  return collect<Overlap>(queue, scratch, bodies, [](const ShapeHitRecord& record) { return Overlap{{}, static_cast<int>(record.shape)}; });
}

template class ShapeCaster<float>;
template class ShapeCaster<double>;

}  // namespace cairn::v0
