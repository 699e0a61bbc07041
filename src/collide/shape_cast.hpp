// Batches of shapes that are moved along lines, or lie still, against the current poses. The algorithm is described in kernels/collide/shape_cast.cu.
#pragma once

#include "kernels/collide/shape_cast.hpp"
#include "src/collide/query_rooms.hpp"

#include <cairn/world.hpp>

namespace cairn::v0 {

// Queries have been checked: finite, directions not zero, no half-spaces, ignored bodies there. `shape` is a slot in what they answer. All wait for
// the device.
template <class T> class ShapeCaster {
 public:
  std::vector<ShapeHit> nearest(Queue& queue, const CastBodies<T>& bodies, const std::vector<ShapeCast>& casts);
  // Those of a cast in no particular order.
  QueryHits<ShapeHit> all(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<ShapeCast>& casts);
  QueryHits<Overlap> overlaps(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const std::vector<OverlapQuery>& queries);

 private:
  template <class Hit, class HitOf> QueryHits<Hit> collect(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const HitOf& hitOf);

  Buffer<ShapeCastRecord> casts_;
  Buffer<ShapeHitRecord> hits_;
  QueryRooms<ShapeHitRecord> rooms_;
};

}  // namespace cairn::v0
