// Kernels as a caller of World::arrays has them.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <cairn/math.hpp>
#include <cairn/world_arrays.hpp>

namespace cairn::test {

using Vec3f = Vec3<float>;

// Adds to the force on one body, or sets its velocity and pose.
void push(Queue& queue, const ForceInputs<float>& forces, int body, Vec3f force, Vec3f torque);
void setVelocity(Queue& queue, const BodyInputs<float>& bodies, int body, Vec3f linear, Vec3f angular);
void setPosition(Queue& queue, const BodyInputs<float>& bodies, int body, Vec3f position);
void setTarget(Queue& queue, const MotorInputs<float>& motors, int row, float target, float maxForce);

// The mask of one environment, the next one in each launch.
void chooseByTurns(Queue& queue, int* round, int environments, unsigned char* mask);

// Item i of a field, one number after the other, to out[N * i].
template <class T, int N> void gather(Queue& queue, const Field<const T, N>& field, int count, T* out);

}  // namespace cairn::test
