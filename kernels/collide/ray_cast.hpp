// Rays against the broad phase's tree. See ray_cast.cu.
#pragma once

#include "kernels/collide/broad_phase_tree.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn {

template <class T> struct RayRecord {
  Vec3<T> origin, direction;   // direction: a unit vector
  T maxDistance;               // [m]; a large number for none
  Beside<T, int> environment;  // the only one that it meets; -1: all of them
};

template <class T> struct RayHitRecord {
  Beside<T, int> shape;  // slot; -1: nothing was hit
  T distance;
  Vec3<T> normal;
};

template <class T> void castRays(Queue& queue, const TreeView<T>& tree, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                 const RayRecord<T>* rays, int count, RayHitRecord<T>* hits);

}  // namespace cairn
