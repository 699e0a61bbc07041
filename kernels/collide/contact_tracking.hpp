// Contact tracking: the part of a manifold that is remembered until the next step. See contact_tracking.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/step_check.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

template <class T> struct TrackedManifold {
  int partner;  // shape B, with kFixedBit: ascending within the row of shape A, as its pairs are; of a pair with a mesh maybe several times
  int pointCount;
  Vec3<T> normal;
  uint32_t features[kMaxManifoldPoints];
  Vec3<T> rA[kMaxManifoldPoints];
  ManifoldImpulse<T> impulses;
};

// The memory of one step for the next: CSR by shape A, in the order of the step's manifolds.
template <class T> struct TrackedView {
  const TrackedManifold<T>* manifolds;
  const int* offsets;  // [shapeSlots + 1]
  int shapeSlots;
};

// The places at which a manifold's points stuck, fixed to both bodies, for friction stabilization. By manifold.
template <class T> struct ContactAnchors {
  Vec3<T> onA[kMaxManifoldPoints], onB[kMaxManifoldPoints];  // in the bodies' frames, from their centres of mass [m]
  Vec3<T> slip[kMaxManifoldPoints];                          // A's less B's in the contact plane, world axes, at the collision pass [m]
  T normalImpulse[kMaxManifoldPoints];                       // of the last step [N s]
  int held;                                                  // bit p: the anchor is one of an earlier step, else the point as it is now
  int stuck;                                                 // bit p: the point stuck at the end of the step
};

// Last step's anchors and this step's, in the order of their manifolds; all null: not asked for.
template <class T> struct AnchorViews {
  const ContactAnchors<T>* before;
  ContactAnchors<T>* now;
  const BodyPose<T>* poses;
};

// What is found of the last step, by manifold of this one.
template <class T> struct MatchedContacts {
  ManifoldImpulse<T>* warmStart;  // for its points; zero where nothing was remembered
  int* predecessors;              // the remembered manifold, -1: none; null: not asked for
};
// `step`: steps done before this one.
template <class T> void matchContacts(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step,
                                      const TrackedView<T>& tracked, const AnchorViews<T>& anchors, const MatchedContacts<T>& out);

// Marks the points that stuck: those whose impulse at the end of the step is inside the friction cone. This and what follows: of a planned step,
// whose status is given, only if it was done.
template <class T> void markSticking(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, const StepStatus* status,
                                     ContactAnchors<T>* anchors);

template <class T>
void keepAnchors(Queue& queue, const ManifoldView<T>& manifolds, const ContactAnchors<T>* anchors, const StepStatus* status, ContactAnchors<T>* kept);

// The memory of this step.
template <class T> struct TrackedArrays {
  TrackedManifold<T>* manifolds;
  int* offsets;  // [shapeSlots + 1]
};
template <class T> void rememberContacts(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants,
                                         const ManifoldImpulse<T>* impulses, int shapeSlots, const TrackedArrays<T>& out,
                                         const StepStatus* status = nullptr);

// The contacts of masked environments, of so many shapes each, are those of shapes that have never touched.
template <class T> void forgetContacts(Queue& queue, const TrackedArrays<T>& tracked, int shapeSlots, EnvironmentMask mask, int shapesEach);

}  // namespace cairn::v0
