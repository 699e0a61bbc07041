// The arrays of a World where they lie, for kernels and code of the caller's: no copies. docs/device.md shows them at work.
//
// Addresses are those of the World's backend: memory of its device on CUDA, of the host on the CPU. On CUDA they are good for work on the World's
// stream (WorldSettings::stream), in order with steps. They stay while World::arraysVersion() does. The World owns the memory; nothing of it outlives
// the World. T is the World's precision.
#pragma once

#include <cairn/field.hpp>

#include <array>
#include <cstdint>

namespace cairn {
inline namespace v0 {

// Item i belongs to the body whose BodyId::index is i. Items of bodies that were removed are there and mean nothing.
template <class T> struct BodyArrays {
  int count = 0;                      // items
  Field<const T, 3> position;         // of the centre of mass, world [m]
  Field<const T, 4> orientation;      // unit quaternion x, y, z, w: body to world
  Field<const T, 3> linearVelocity;   // of the centre of mass [m/s]
  Field<const T, 3> angularVelocity;  // world [rad/s]
  Field<const T, 3> localCentre;      // of mass, in the body's frame [m]: the frame's origin is at position - orientation * localCentre
};

// The manifolds of the last step: up to four points with one normal for each pair of shapes that touches or is near, in the order of
// World::contacts(). Not there before the first step. Arms and separations are those of the step's beginning.
template <class T> struct ContactArrays {
  int capacity = 0;            // items
  const int* count = nullptr;  // how many of them there are, in the backend's memory; 0 of a refused step that was to be the first
  Field<const int, 2> bodies;  // BodyId::index of A and B
  Field<const int> points;     // 1 to 4
  Field<const T, 3> normal;    // unit, from A to B, world
  Field<const T> friction;     // [-]
  Field<const T> restitution;  // [-]
  // Of point k, k < points.
  std::array<Field<const T, 3>, 4> armA, armB;        // from the centres of mass to the point midway between the surfaces, world axes [m]
  std::array<Field<const T>, 4> separation;           // along the normal [m], negative is penetration; 1e17: parted within the step
  std::array<Field<const std::uint32_t>, 4> feature;  // identifies the point within its pair of shapes from step to step
  // Over the last substep [N s]: along the normal, and along the two tangents of tangentFrame(normal) (<cairn/math.hpp>).
  std::array<Field<const T, 3>, 4> impulse;
};

// Item i belongs to the joint whose JointId::index is i.
template <class T> struct JointArrays {
  int count = 0;  // items
  // What the joint bore in the last step, on body B at the origin of its frame, world axes: divided by dt the mean force and torque.
  Field<const T, 3> impulse;         // [N s]
  Field<const T, 3> angularImpulse;  // [N m s]
  // The pose of frame B in frame A, as JointState::coordinates has it [m], [rad]: as World::measureJoints has last found it. 0 of joints that are
  // broken.
  Field<const T, 6> coordinates;
};

// What World::enqueueStep has done, in the backend's memory.
struct EnqueuedStatus {
  int refused;    // 1: a step did not fit; it and all behind it have changed nothing. World::wait throws what it was
  int done;       // steps since the World was made, or its device failed, but for those that were not enqueued
  int what;       // of the refused step, as World::wait says in words
  int needed;     // items
  int available;  // items
};

// Room for what a step on a device finds: enqueued steps have as much at least. Numbers below what earlier steps have found do not count.
struct StepRoom {
  int pairs = 0;       // of shapes whose bounds overlap
  int contacts = 0;    // pairs of shapes in contact, each of up to four points
  int fastShapes = 0;  // that move by more than half their smallest extent in a step
};

template <class T> struct WorldArrays {
  BodyArrays<T> bodies;
  ContactArrays<T> contacts;
  JointArrays<T> joints;
  const EnqueuedStatus* status = nullptr;
};

// What the caller writes before a step. Poses of joined or touching bodies may be any; what a step makes of them is the step's.
template <class T> struct BodyInputs {
  int count = 0;
  Field<T, 3> position;         // as BodyArrays has it
  Field<T, 4> orientation;      // of length 1
  Field<T, 3> linearVelocity;   // zero of static bodies
  Field<T, 3> angularVelocity;  //
};
template <class T> struct ForceInputs {
  int count = 0;
  Field<T, 3> force;   // at the centre of mass, world [N]; to be added to. Those on bodies that are not dynamic do not act
  Field<T, 3> torque;  // world [N m]
};
// Item World::motorRow(joint, axis) is that of an axis' motor.
template <class T> struct MotorInputs {
  int count = 0;
  Field<T> target;    // velocity [m/s], [rad/s] or coordinate [m], [rad]
  Field<T> maxForce;  // [N], [N m], >= 0
};

}  // namespace v0
}  // namespace cairn
