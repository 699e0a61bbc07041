// Rays, shapes that are cast, and overlaps, against the poses as they are. None of them changes the World.
#include "src/scene/scene_checks.hpp"
#include "src/world/simulation_of.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cairn::v0 {
namespace {

void requireDirection(Vec3d direction, double maxDistance, const std::string& place) {
  if (!(dot(direction, direction) > 0)) throw InvalidInput(place, "the direction must not be zero");
  if (!(maxDistance >= 0)) throw InvalidInput(place, "maxDistance must be at least 0");
}

// As a scene's shape is checked, on a body at this pose.
void requireBounded(const ShapeDef& shape, const Posed& pose, const std::string& place) {
  BodyDef probe;
  probe.type = BodyType::Static;
  probe.pose = pose;
  probe.shapes = {shape};
  validate(probe, place);
  if (shape.type == ShapeType::HalfSpace) throw InvalidInput(place, "the shape must not be a half-space");
  if (shape.type == ShapeType::Mesh) throw InvalidInput(place, "the shape must not be a mesh");
  if (shape.type == ShapeType::HeightField) throw InvalidInput(place, "the shape must not be a height field");
}

// In the order of `before`, query by query.
template <class Hit, class Before> void sortHits(QueryHits<Hit>& all, const Before& before) {
  for (size_t i = 0; i + 1 < all.offsets.size(); ++i) {
    const auto first = all.hits.begin();
    std::sort(first + static_cast<std::ptrdiff_t>(all.offsets[i]), first + static_cast<std::ptrdiff_t>(all.offsets[i + 1]), before);
  }
}
template <class Hit> bool nearerFirst(const Hit& a, const Hit& b) {
  return std::tie(a.distance, a.body.index, a.shape) < std::tie(b.distance, b.body.index, b.shape);
}

}  // namespace

template <class T> void SimulationOf<T>::requireFilter(const QueryFilter& filter, const std::string& place) const {
  if (filter.environment != -1) environments_.require(filter.environment);
  if (filter.ignored.index < 0) return;
  try {
    state_.slotOf(filter.ignored);
  } catch (const InvalidInput& error) {
    throw InvalidInput(place + ": the body to ignore", error.reason);
  }
}

template <class T> void SimulationOf<T>::requireRays(const std::vector<Ray>& rays) const {
  for (size_t i = 0; i < rays.size(); ++i) {
    const Ray& ray = rays[i];
    const double length2 = dot(ray.direction, ray.direction);
    const bool unfiltered = ray.filter.environment == -1 && ray.filter.ignored.index < 0;
    // Words are made only where something may be wrong: they take as long as a ray.
    if (length2 > 0 && length2 < 1e300 && dot(ray.origin, ray.origin) < 1e300 && ray.maxDistance >= 0 && unfiltered) continue;
    const std::string place = "ray " + std::to_string(i);
    if (!std::isfinite(length2) || !std::isfinite(dot(ray.origin, ray.origin))) throw InvalidInput(place, "origin and direction must be finite");
    requireDirection(ray.direction, ray.maxDistance, place);
    requireFilter(ray.filter, place);
  }
}

template <class T> void SimulationOf<T>::requireCasts(const std::vector<ShapeCast>& casts) const {
  for (size_t i = 0; i < casts.size(); ++i) {
    const ShapeCast& cast = casts[i];
    const std::string place = "cast " + std::to_string(i);
    requireBounded(cast.shape, cast.pose, place);
    if (!std::isfinite(dot(cast.direction, cast.direction))) throw InvalidInput(place, "the direction must be finite");
    requireDirection(cast.direction, cast.maxDistance, place);
    requireFilter(cast.filter, place);
  }
}

template <class T> CastBodies<T> SimulationOf<T>::castBodies() const {
  return {rayBroadPhase_.updateTree(queue_, scratch_, broadPhaseInput()), state_.shapeRecords.data(), state_.poses.data(), state_.geometry()};
}

// A hit's shape, where it is a slot, by its body.
template <class T> template <class Hit> void SimulationOf<T>::nameShape(Hit& hit) const {
  if (hit.shape < 0) return;
  const int shape = hit.shape;
  hit.body = state_.idOf(state_.shapeOwner(shape));
  hit.shape = state_.shapeIndexInBody(shape);
}

template <class T> std::vector<RayHit> SimulationOf<T>::castRays(const std::vector<Ray>& rays) const {
  requireRays(rays);
  return rayCaster_.nearest(queue_, castBodies(), rays, [this](RayHit& hit) { nameShape(hit); });
}

template <class T> std::vector<ShapeHit> SimulationOf<T>::castShapes(const std::vector<ShapeCast>& casts) const {
  requireCasts(casts);
  std::vector<ShapeHit> hits = shapeCaster_.nearest(queue_, castBodies(), casts);
  for (ShapeHit& hit : hits) {
    if (hit.shape < 0) hit = {};
    nameShape(hit);
  }
  return hits;
}

template <class T> QueryHits<RayHit> SimulationOf<T>::castRaysAll(const std::vector<Ray>& rays) const {
  requireRays(rays);
  QueryHits<RayHit> all = rayCaster_.all(queue_, scratch_, castBodies(), rays);
  for (RayHit& hit : all.hits) nameShape(hit);
  sortHits(all, nearerFirst<RayHit>);
  return all;
}

template <class T> QueryHits<ShapeHit> SimulationOf<T>::castShapesAll(const std::vector<ShapeCast>& casts) const {
  requireCasts(casts);
  QueryHits<ShapeHit> all = shapeCaster_.all(queue_, scratch_, castBodies(), casts);
  for (ShapeHit& hit : all.hits) nameShape(hit);
  sortHits(all, nearerFirst<ShapeHit>);
  return all;
}

template <class T> QueryHits<Overlap> SimulationOf<T>::overlapShapes(const std::vector<OverlapQuery>& queries) const {
  for (size_t i = 0; i < queries.size(); ++i) {
    const std::string place = "query " + std::to_string(i);
    requireBounded(queries[i].shape, queries[i].pose, place);
    requireFilter(queries[i].filter, place);
  }
  QueryHits<Overlap> all = shapeCaster_.overlaps(queue_, scratch_, castBodies(), queries);
  for (Overlap& overlap : all.hits) nameShape(overlap);
  sortHits(all, [](const Overlap& a, const Overlap& b) { return std::tie(a.body.index, a.shape) < std::tie(b.body.index, b.shape); });
  return all;
}

#define CAIRN_INSTANTIATE(T)                                                                        \
  template CastBodies<T> SimulationOf<T>::castBodies() const;                                       \
  template std::vector<RayHit> SimulationOf<T>::castRays(const std::vector<Ray>&) const;            \
  template std::vector<ShapeHit> SimulationOf<T>::castShapes(const std::vector<ShapeCast>&) const;  \
  template QueryHits<RayHit> SimulationOf<T>::castRaysAll(const std::vector<Ray>&) const;           \
  template QueryHits<ShapeHit> SimulationOf<T>::castShapesAll(const std::vector<ShapeCast>&) const; \
  template QueryHits<Overlap> SimulationOf<T>::overlapShapes(const std::vector<OverlapQuery>&) const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
