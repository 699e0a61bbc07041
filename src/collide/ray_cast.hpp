// Batches of rays against the current poses. The algorithm is described in kernels/collide/ray_cast.cu.
#pragma once

#include "kernels/collide/ray_cast.hpp"
#include "src/collide/query_rooms.hpp"

#include <cairn/world.hpp>

namespace cairn::v0 {

// Rays have been checked: finite, directions not zero, ignored bodies there. `shape` is a slot in what they answer. Both wait for the device.
template <class T> class RayCaster {
 public:
  std::vector<RayHit> nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<Ray>& rays);
  // Those of a ray in no particular order.
  QueryHits<RayHit> all(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<Ray>& rays);

 private:
  void upload(Queue& queue, const std::vector<Ray>& rays);

  Buffer<RayRecord<T>> rays_;
  Buffer<RayHitRecord<T>> hits_;
  QueryRooms<RayHitRecord<T>> rooms_;
};

}  // namespace cairn::v0
