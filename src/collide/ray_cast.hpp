// Batches of rays against the current poses. The algorithm is described in kernels/collide/ray_cast.cu.
#pragma once

#include "kernels/collide/ray_cast.hpp"
#include "src/collide/query_rooms.hpp"

#include <cairn/world.hpp>

#include <functional>

namespace cairn::v0 {

// Gives a hit, whose shape is a slot, its body and the shape's place in that. Called from several threads.
using NameHit = std::function<void(RayHit&)>;

// Rays have been checked: finite, directions not zero, ignored bodies there. Both wait for the device.
template <class T> class RayCaster {
 public:
  std::vector<RayHit> nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<Ray>& rays, const NameHit& name);
  // Those of a ray in no particular order. `shape` is a slot in what they answer.
  QueryHits<RayHit> all(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<Ray>& rays);

 private:
  void upload(Queue& queue, const std::vector<Ray>& rays);

  Buffer<RayRecord<T>> rays_;
  Buffer<RayHitRecord<T>> hits_;
  QueryRooms<RayHitRecord<T>> rooms_;
};

}  // namespace cairn::v0
