// Sensors as overlap queries: shapes that touch nothing, and ask what they overlap. See sensors.cu.
#pragma once

#include "kernels/collide/shape_cast.hpp"

namespace cairn::v0 {

// sensor[slot]: 1 of a shape that is one, for `slots` shapes.
template <class T> void markSensors(Queue& queue, const ShapeRecord<T>* shapes, int slots, int* sensor);
// The queries of `count` sensors, whose slots are given. shapesEach: shapes of an environment, which is all that a sensor sees then; 0: there are
// none.
template <class T> void askSensors(Queue& queue, const CastBodies<T>& bodies, const int* slots, int count, int shapesEach, ShapeCastRecord* queries);

}  // namespace cairn::v0
