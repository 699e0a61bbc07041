// Damping of bodies: velocities that fall by themselves. See damping.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

template <class T> struct BodyDamping {
  T linear, angular;  // [1/s], >= 0
};
template <class T> CAIRN_HD inline bool isDamped(BodyDamping<T> damping) { return damping.linear > T(0) || damping.angular > T(0); }

// By body slot.
template <class T> struct DampedBodies {
  const BodyDamping<T>* damping;
  const BodyConstants<T>* constants;
  const BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  double* work;  // what damping has given each body since the step began, <= 0 [J]; null: nobody asks
};

// Over a substep of length h; `first`: the work of the step begins with it.
template <class T> void dampVelocities(Queue& queue, int bodySlots, const DampedBodies<T>& bodies, T h, bool first);

}  // namespace cairn::v0
