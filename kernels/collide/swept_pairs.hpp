// Contacts of pairs that move too fast for the narrow phase. The sequence is in src/collide/narrow_phase.cpp, the algorithm in swept_pairs.cu.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/geometry_view.hpp"

namespace cairn::v0 {

// How bodies move within the step if nothing is in their way.
template <class T> struct SweptBodies {
  const BodyVelocity<T>* velocities = nullptr;  // these two by body slot
  const BodyConstants<T>* constants = nullptr;
  const ShapeBounds<T>* bounds = nullptr;  // of the broad phase, by shape slot
  const T* margins = nullptr;              // likewise
  const int* fastShapes = nullptr;         // how many of them are fast, on the target; null: nothing is looked for
  T dt = T(0), envelope = T(0);
  GravityField<T> gravity{};
  GeometryView geometry{};
  const int* assemblies = nullptr;  // as in PathsTaken (continuous_collision.hpp), both
  const int* jointOffsets = nullptr;
};

// Items in any order: all are counted, the first `capacity` are kept.
struct FastList {
  int* count;
  int* items;
  int capacity;
};

// Fast pairs to the list, whose count must be zero before.
template <class T>
void findFastPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const SweptBodies<T>& bodies, const FastList& fast);

// What collidePairs has found for the pairs of the list becomes what they meet on their way.
template <class T> struct SweptContacts {
  JoinedPairs joined;
  Manifold<T>* pairManifolds;
  int* found;
};
template <class T> void sweepFastPairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                       const SweptBodies<T>& bodies, const FastList& fast, const SweptContacts<T>& contacts);

}  // namespace cairn::v0
