// What the stages of one step hand to each other. Rebuilt each step; nobody keeps a pointer from it.
#pragma once

#include "kernels/rows/rows.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/state/integration.hpp"
#include "src/joints/joint_step_view.hpp"

#include <cairn/settings.hpp>

namespace cairn {

template <class T> struct StepContext {
  Queue& queue;
  PrimitiveScratch& scratch;
  StageClock& clock;
  const WorldSettings& settings;
  Vec3<T> gravity;
  bool anyRestitution, anyRound, anyEllipsoid;

  // State, by slot.
  int bodySlots, shapeSlots;
  BodyPose<T>* poses;
  BodyVelocity<T>* velocities;
  BodyInertia<T>* inertias;
  BodyMotion<T>* motions;
  const BodyConstants<T>* constants;
  const ShapeRecord<T>* shapes;
  const BodyForce<T>* forces;  // null: none were applied

  // Published by the stages in turn.
  PairView pairs;
  ManifoldView<T> manifolds;
  const ManifoldImpulse<T>* warmStart;
  const ContactAnchors<T>* anchors;     // null: no friction stabilization
  const ConstraintBodies* constraints;  // of the manifolds, then of the joints
  RowView<T> rows;
  const T* tailPartCounts;  // by body; null: there is no tail
  JointStepView<T> joints;
};

}  // namespace cairn
