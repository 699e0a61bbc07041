// Impulses that go on from one substep to the next by what they did to the bodies, without a pass over the rows. See carried_impulses.cu.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// marks[body] = 1 for those that turn fast (TurningRows), else 0.
template <class T> void markTurning(Queue& queue, const int* turning, int bodySlots, T* marks);

// What IntegrateVelocity has left in `kept` is added to the velocities of bodies that can move, without those of `marks` (null: there are none);
// `kept` gets the velocities before that.
template <class T> struct CarriedBodies {
  const BodyConstants<T>* constants;
  const T* marks;
  BodyVelocity<T>* velocities;
  BodyVelocity<T>* kept;
};
template <class T> void carryImpulses(Queue& queue, int bodySlots, const CarriedBodies<T>& bodies);

}  // namespace cairn::v0
