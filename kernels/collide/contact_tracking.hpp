// Track: what of a manifold is remembered until the next step. See contact_tracking.cu.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

template <class T> struct TrackedManifold {
  int shapeB;
  int pointCount;
  Vec3<T> normal;
  uint32_t features[kMaxManifoldPoints];
  Vec3<T> rA[kMaxManifoldPoints];
  ManifoldImpulse<T> impulses;
};

// Where the points of a manifold stuck, fixed to both bodies, for friction stabilization. By manifold.
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

// Impulses of the last step for the points of this one: warmStart[m], zero where nothing was remembered. The memory is CSR by shape A.
template <class T> void matchContacts(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, const TrackedManifold<T>* tracked,
                                      const int* trackedOffsets, int trackedShapeSlots, int step, ManifoldImpulse<T>* warmStart,
                                      const AnchorViews<T>& anchors);

// Which points stuck, by the impulses that the step ended with: inside their cone.
template <class T> void markSticking(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, ContactAnchors<T>* anchors);

template <class T>
void rememberContacts(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, TrackedManifold<T>* tracked);

}  // namespace cairn
