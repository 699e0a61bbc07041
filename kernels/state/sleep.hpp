// Sleep: which bodies a step may pass over. See sleep.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/integration.hpp"
#include "kernels/state/step_check.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// By body slot, on the target.
template <class T> struct SleepArrays {
  int* quietSteps;              // steps in a row at whose end it was slow, up to the number that sleep takes
  int* parents;                 // of the islands, as a forest; roots are their own
  int* notes;                   // IslandNotes of each body
  int* islandNotes;             // of each root: those of all its bodies
  int* asleep;                  // in this step
  int* asleepBefore;            // in the last one that was done
  Vec3<T>* inverseMasses;       // of those that sleep
  BodyConstants<T>* constants;  // as the solve sees them
};

template <class T> struct SleepInput {
  int bodySlots;
  const BodyConstants<T>* constants;
  const BodyForce<T>* forces;  // null: none
  ManifoldView<T> manifolds;
  int stepsToSleep;  // > 0
};

// Islands of one body each, and what contacts make of them. What else connects bodies comes next (kernels/joints/joint_islands.hpp).
template <class T> void beginIslands(Queue& queue, const SleepInput<T>& input, const SleepArrays<T>& arrays, const BodyVelocity<T>* velocities);
// Which bodies sleep in this step: arrays.asleep and arrays.constants. Their velocities become zero, and their inverse masses until endSleep.
template <class T>
void chooseSleepers(Queue& queue, const SleepInput<T>& input, const SleepArrays<T>& arrays, BodyVelocity<T>* velocities, BodyInertia<T>* inertias);

// The inverse masses again.
template <class T>
void giveMassesBack(Queue& queue, int bodySlots, const SleepArrays<T>& arrays, BodyVelocity<T>* velocities, BodyInertia<T>* inertias);

// A step's end: who was slow. `constants`: the bodies' own. Of a planned step, whose status is given, only if it was done.
template <class T> struct SleepEnd {
  const BodyConstants<T>* constants;
  const BodyVelocity<T>* velocities;
  const StepStatus* status;
  T speed;  // [m/s]
  int stepsToSleep;
};
template <class T> void endSleep(Queue& queue, int bodySlots, const SleepArrays<T>& arrays, const SleepEnd<T>& end);

}  // namespace cairn::v0
