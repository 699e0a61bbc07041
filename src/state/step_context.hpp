// The context of one step: views that its stages hand to each other, of buffers that the stages own. Rebuilt each step; nobody keeps a pointer from
// it.
#pragma once

#include "kernels/rows/body_lanes.hpp"
#include "kernels/rows/rolling_rows.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/state/geometry_view.hpp"
#include "kernels/state/integrate_body.hpp"
#include "src/joints/joint_step_view.hpp"

#include <cairn/settings.hpp>

namespace cairn::v0 {

template <class T> struct StepContext {
  StepContext(Queue& stepQueue, PrimitiveScratch& stepScratch, const WorldSettings& worldSettings)
      : queue(stepQueue),
        scratch(stepScratch),
        settings(worldSettings),
        h(worldSettings.dt / worldSettings.substeps),
        relaxations(worldSettings.relaxations) {}

  Queue& queue;
  PrimitiveScratch& scratch;
  const WorldSettings& settings;
  const double h;   // of a substep [s]
  int relaxations;  // of a substep: those of the settings, or more
  GravityField<T> gravity{};
  EnvironmentLayout environments{};
  bool anyRestitution = false, anyRolling = false, anyRound = false, anyEllipsoid = false, anyDamping = false;
  bool anyJoints = false;  // broken ones too: whether another environment's are is none of one's affair

  // State, by slot.
  int bodySlots = 0, shapeSlots = 0;
  BodyPose<T>* poses = nullptr;
  BodyVelocity<T>* velocities = nullptr;
  BodyInertia<T>* inertias = nullptr;
  BodyMotion<T>* motions = nullptr;
  const BodyConstants<T>* constants = nullptr;  // from the graph on those of bodies that sleep say that they are fixed
  const int* asleep = nullptr;                  // by body; null: all are awake
  const ShapeRecord<T>* shapes = nullptr;
  GeometryView geometry{};
  const BodyForce<T>* forces = nullptr;  // null: none were applied

  // Published by the stages in turn.
  PairView pairs{};
  ManifoldView<T> manifolds{};
  const ManifoldImpulse<T>* warmStart = nullptr;  // null: impulses start from zero
  ManifoldImpulse<T>* impulses = nullptr;         // by manifold, those of the step's end: where those to start from lie, once the rows have them
  const ContactAnchors<T>* anchors = nullptr;     // null: no friction stabilization
  const ConstraintBodies* constraints = nullptr;  // of the manifolds, then of the joints
  RowView<T> rows{};
  RollingView<T> rolling{};
  PointArray<T> lastImpulses{};  // what the substep before began with, where warm starts have momentum; no values: they have none
  JointStepView<T> joints{};
  OverflowView<T> overflow{};
  const int* turning = nullptr;  // by body, those that turn fast (turning_rows.hpp); null: none does
  PointArray<T> normalSums{};    // of the points' normal impulses over the substeps; null: no contact events

  // Joints go other ways where nothing in the World touches. With environments they do not: whether something touches is the affair of others.
  bool jointsAlone() const { return joints.count > 0 && manifolds.count == 0 && !environments.any(); }
};

}  // namespace cairn::v0
