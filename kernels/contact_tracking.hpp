// Track: what of a manifold is remembered until the next step. See contact_tracking.cu.
#pragma once

#include "runtime.hpp"
#include "views.hpp"

namespace cairn {

template <class T> struct TrackedManifold {
  int shapeB;
  int pointCount;
  Vec3<T> normal;
  uint32_t features[kMaxManifoldPoints];
  Vec3<T> rA[kMaxManifoldPoints];
  ManifoldImpulse<T> impulses;
};

// Impulses of the last step for the points of this one: warmStart[m], zero where nothing was remembered. The memory is CSR by shape A.
template <class T> void matchContacts(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, const TrackedManifold<T>* tracked,
                                      const int* trackedOffsets, int trackedShapeSlots, int step, ManifoldImpulse<T>* warmStart);

template <class T>
void rememberContacts(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, TrackedManifold<T>* tracked);

}  // namespace cairn
