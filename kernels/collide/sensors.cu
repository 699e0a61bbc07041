// Sensors: each becomes an overlap query with the shape, the pose and the filter of its own, which shape_cast.cu answers. Other sensors have no
// bounds in the tree, so that none sees another.
//
// Deterministic: one item a shape, and the queries are in the order of their slots.
//
// Memory: 152 bytes a sensor, 4 a shape, while somebody asks.
#include "kernels/collide/sensors.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct MarkSensor {
  const ShapeRecord<T>* shapes;
  int* sensor;

  CAIRN_HD void operator()(int slot) const { sensor[slot] = shapes[slot].body >= 0 && isSensor(shapes[slot]) ? 1 : 0; }
};

template <class T> struct AskSensor {
  CastBodies<T> bodies;
  const int* slots;
  int shapesEach;
  ShapeCastRecord* queries;

  CAIRN_HD void operator()(int i) const {
    const int slot = slots[i];
    const ShapeRecord<T>& shape = bodies.shapes[slot];
    ShapeCastRecord query{};
    query.shape = convexShape(shape, bodies.poses[shape.body], nullptr);
    query.shape.type &= ~kSensor;
    query.tag.tag = {shape.body, shape.category, shape.mask, shape.group};
    query.tag.filtered = 1;
    query.tag.environment = shapesEach > 0 ? slot / shapesEach : -1;
    queries[i] = query;
  }
};

}  // namespace

template <class T> void markSensors(Queue& queue, const ShapeRecord<T>* shapes, int slots, int* sensor) {
  forEach(queue, "sensors/mark", slots, MarkSensor<T>{shapes, sensor});
}

template <class T> void askSensors(Queue& queue, const CastBodies<T>& bodies, const int* slots, int count, int shapesEach, ShapeCastRecord* queries) {
  forEach(queue, "sensors/ask", count, AskSensor<T>{bodies, slots, shapesEach, queries});
}

#define CAIRN_INSTANTIATE(T)                                           \
  template void markSensors(Queue&, const ShapeRecord<T>*, int, int*); \
  template void askSensors(Queue&, const CastBodies<T>&, const int*, int, int, ShapeCastRecord*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
