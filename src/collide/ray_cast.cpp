#include "src/collide/ray_cast.hpp"

#include <algorithm>

namespace cairn {
namespace {

// Stands for an endless ray; far beyond every scene and far from overflow when squared.
constexpr double kEndless = 1e15;

}  // namespace

template <class T> std::vector<RayHit> RayCaster<T>::cast(Queue& queue, const TreeView<T>& tree, const ShapeRecord<T>* shapes,
                                                          const BodyPose<T>* poses, const std::vector<Ray>& rays) {
  std::vector<RayRecord<T>> records;
  records.reserve(rays.size());
  for (const Ray& ray : rays) {
    const Vec3d direction = (1 / length(ray.direction)) * ray.direction;
    records.push_back({convert<T>(ray.origin), convert<T>(direction), T(std::min(ray.maxDistance, kEndless)), ray.environment});
  }
  rays_.upload(queue, records);
  hits_.resize(queue, rays.size());
  castRays(queue, tree, shapes, poses, rays_.data(), static_cast<int>(rays.size()), hits_.data());
  std::vector<RayHit> hits;
  hits.reserve(rays.size());
  for (const RayHitRecord<T>& record : hits_.download(queue)) {
    RayHit hit;
    hit.shape = record.shape;
    hit.distance = double(record.distance);
    hit.normal = convert<double>(record.normal);
    hits.push_back(hit);
  }
  return hits;
}

template class RayCaster<float>;
template class RayCaster<double>;

}  // namespace cairn
