// What the sensors among the shapes overlap. The algorithm is described in kernels/collide/sensors.cu.
#pragma once

#include "kernels/collide/sensors.hpp"
#include "src/collide/query_rooms.hpp"

#include <cairn/world.hpp>

namespace cairn::v0 {

template <class T> class Sensors {
 public:
  // The slots of the sensors among so many shapes, ascending. This and the next wait for the device.
  std::vector<int> list(Queue& queue, PrimitiveScratch& scratch, const ShapeRecord<T>* shapes, int slots) {
    flags_.resize(queue, static_cast<size_t>(slots));
    list_.resize(queue, static_cast<size_t>(slots));
    count_.resize(queue, 1);
    markSensors(queue, shapes, slots, flags_.data());
    compactIndices(queue, scratch, flags_.data(), list_.data(), count_.data(), slots);
    std::vector<int> sensors(static_cast<size_t>(count_.read(queue, 0)));
    downloadBytes(queue, sensors.data(), list_.data(), sensors.size() * sizeof(int));
    return sensors;
  }
  // What those of the last list, `count` of them, overlap: `shape` is a slot, and those of a sensor are in no particular order. shapesEach: of an
  // environment; 0: there are none.
  QueryHits<Overlap> overlaps(Queue& queue, PrimitiveScratch& scratch, const CastBodies<T>& bodies, int count, int shapesEach) {
    queries_.resize(queue, static_cast<size_t>(count));
    askSensors(queue, bodies, list_.data(), count, shapesEach, queries_.data());
    const CastView sensors{queries_.data(), count, bodies.geometry.hulls};
    const auto find = [&](const HitRooms<ShapeHitRecord>& rooms) { castShapesAll(queue, bodies, sensors, rooms); };
    return rooms_.template collect<Overlap>(queue, scratch, count, find, [](const ShapeHitRecord& record) {
      return Overlap{{}, static_cast<int>(record.shape)};
    });
  }

 private:
  Buffer<int> flags_, list_, count_;
  Buffer<ShapeCastRecord> queries_;
  QueryRooms<ShapeHitRecord> rooms_;
};

}  // namespace cairn::v0
