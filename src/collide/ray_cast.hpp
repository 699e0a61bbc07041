// Batches of rays against the current poses. The algorithm is described in kernels/collide/ray_cast.cu.
#pragma once

#include "kernels/collide/ray_cast.hpp"
#include "src/collide/broad_phase.hpp"

#include <cairn/world.hpp>

namespace cairn {

template <class T> class RayCaster {
 public:
  // Nearest hits; `shape` is a slot here. Rays have been checked: finite, directions not zero. Waits for the device.
  std::vector<RayHit> cast(Queue& queue, const TreeView<T>& tree, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                           const std::vector<Ray>& rays);

 private:
  Buffer<RayRecord<T>> rays_;
  Buffer<RayHitRecord<T>> hits_;
};

}  // namespace cairn
