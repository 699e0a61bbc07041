#include "src/collide/ray_cast.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

template <class T> RayHit hitOf(const RayHitRecord<T>& record) {
  RayHit hit;
  hit.shape = record.shape;
  hit.distance = double(record.distance);
  hit.normal = convert<double>(record.normal);
  return hit;
}

}  // namespace

template <class T> void RayCaster<T>::upload(Queue& queue, const std::vector<Ray>& rays) {
  std::vector<RayRecord<T>> records;
  records.reserve(rays.size());
  for (const Ray& ray : rays) {
    const Vec3d direction = (1 / length(ray.direction)) * ray.direction;
    records.push_back({convert<T>(ray.origin), convert<T>(direction), T(std::min(ray.maxDistance, kEndlessQuery)), tagOf(ray.filter)});
  }
  rays_.upload(queue, records);
}

template <class T> std::vector<RayHit> RayCaster<T>::nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<Ray>& rays) {
  upload(queue, rays);
  hits_.resize(queue, rays.size());
  castRays(queue, bodies, rays_.data(), static_cast<int>(rays.size()), hits_.data());
  std::vector<RayHit> hits;
  hits.reserve(rays.size());
  for (const RayHitRecord<T>& record : hits_.download(queue)) hits.push_back(hitOf(record));
  return hits;
}

template <class T>
QueryHits<RayHit> RayCaster<T>::all(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<Ray>& rays) {
  upload(queue, rays);
  const int count = static_cast<int>(rays.size());
  const auto find = [&](const HitRooms<RayHitRecord<T>>& rooms) { castRaysAll(queue, bodies, rays_.data(), count, rooms); };
  return rooms_.template collect<RayHit>(queue, scratch, count, find, [](const RayHitRecord<T>& record) { return hitOf(record); });
}

template class RayCaster<float>;
template class RayCaster<double>;

}  // namespace cairn::v0
