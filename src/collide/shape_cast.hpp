// Batches of shapes that are moved along lines, or lie still, against the current poses. The algorithm is described in kernels/collide/shape_cast.cu.
#pragma once

#include "kernels/collide/shape_cast.hpp"
#include "src/collide/query_rooms.hpp"
#include "src/state/hull_table.hpp"

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
  ConvexShape convexOf(const ShapeDef& shape, const Posed& pose);
  std::vector<ShapeCastRecord> recordsOf(const std::vector<ShapeCast>& casts);
  // Of a batch that hulls are among, their numbers are those of its own table.
  void upload(Queue& queue, const std::vector<ShapeCastRecord>& records);
  CastView view() const { return {casts_.data(), static_cast<int>(casts_.size()), hulls_.view()}; }
  template <class Hit, class HitOf> QueryHits<Hit> collect(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, const HitOf& hitOf);

  HullTable hulls_;
  Buffer<ShapeCastRecord> casts_;
  Buffer<ShapeHitRecord> hits_;
  QueryRooms<ShapeHitRecord> rooms_;
};

}  // namespace cairn::v0
