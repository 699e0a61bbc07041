// Impulses that go on from one substep to the next by what they did to the bodies, without a pass over the rows. See carried_impulses.cu.
#pragma once

#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// What IntegrateVelocity has left in `kept` is added to the velocities of bodies that can move, without those that turn fast (null: there are none);
// `kept` gets the velocities before that.
template <class T> struct CarriedBodies {
  const BodyConstants<T>* constants;
  const int* turning;
  BodyVelocity<T>* velocities;
  BodyVelocity<T>* kept;
};
template <class T> void carryImpulses(Queue& queue, int bodySlots, const CarriedBodies<T>& bodies);

}  // namespace cairn::v0
