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

template <class T> RayRecord<T> recordOf(const Ray& ray) {
  const Vec3d direction = (1 / length(ray.direction)) * ray.direction;
  return {convert<T>(ray.origin), convert<T>(direction), T(std::min(ray.maxDistance, kEndlessQuery)), tagOf(ray.filter)};
}

// item(i) for all of them, by the queue's threads where it has some.
template <class Item> void forAll(Queue& queue, size_t count, const Item& item) {
  const auto piece = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) item(static_cast<size_t>(i));
  };
  if (queue.target == Target::Cpu) return queue.team->run(static_cast<int64_t>(count), piece);
  piece(0, static_cast<int64_t>(count));
}

}  // namespace

template <class T> void RayCaster<T>::upload(Queue& queue, const std::vector<Ray>& rays) {
  if (queue.target == Target::Cpu) {  // straight into the memory that the kernel reads
    rays_.resize(queue, rays.size());
    RayRecord<T>* const records = rays_.data();
    return forAll(queue, rays.size(), [&](size_t i) { records[i] = recordOf<T>(rays[i]); });
  }
  std::vector<RayRecord<T>> records;
  records.reserve(rays.size());
  for (const Ray& ray : rays) records.push_back(recordOf<T>(ray));
  rays_.upload(queue, records);
}

template <class T>
std::vector<RayHit> RayCaster<T>::nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<Ray>& rays, const NameHit& name) {
  upload(queue, rays);
  hits_.resize(queue, rays.size());
  castRays(queue, bodies, rays_.data(), static_cast<int>(rays.size()), hits_.data());
  std::vector<RayHit> hits(rays.size());
  if (queue.target == Target::Cpu) {
    const RayHitRecord<T>* const records = hits_.data();
    forAll(queue, hits.size(), [&](size_t i) { name(hits[i] = hitOf(records[i])); });
  } else {
    const std::vector<RayHitRecord<T>> records = hits_.download(queue);
    for (size_t i = 0; i < hits.size(); ++i) name(hits[i] = hitOf(records[i]));
  }
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
