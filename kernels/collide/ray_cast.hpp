// Rays against the broad phase's tree. See ray_cast.cu.
#pragma once

#include "kernels/collide/query_records.hpp"

namespace cairn::v0 {

template <class T> struct RayRecord {
  Vec3<T> origin, direction;  // direction: a unit vector
  T maxDistance;              // [m]; a large number for none
  QueryTag tag;
};

template <class T> struct RayHitRecord {
  Beside<T, int> shape;  // slot; -1: nothing was hit
  T distance;
  Vec3<T> normal;
};

template <class T> void castRays(Queue& queue, const CastBodies<T>& bodies, const RayRecord<T>* rays, int count, RayHitRecord<T>* hits);
// All that each ray meets.
template <class T>
void castRaysAll(Queue& queue, const CastBodies<T>& bodies, const RayRecord<T>* rays, int count, const HitRooms<RayHitRecord<T>>& rooms);

}  // namespace cairn::v0
