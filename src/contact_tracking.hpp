// Track: warm start impulses from the last step. The algorithm is described in kernels/contact_tracking.cu.
#pragma once

#include "../kernels/contact_tracking.hpp"

namespace cairn {

template <class T> class ContactTracking {
 public:
  // By manifold of this step. `step`: steps done before this one, against which shapes' birth steps are read.
  const ManifoldImpulse<T>* match(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step) {
    warmStart_.resize(queue, static_cast<size_t>(manifolds.count));
    matchContacts(queue, manifolds, shapes, tracked_.data(), offsets_.data(), trackedShapeSlots_, step, warmStart_.data());
    return warmStart_.data();
  }

  // After the solve. The memory is replaced: what is not in contact any more is forgotten.
  void remember(Queue& queue, const ManifoldView<T>& manifolds, int shapeSlots, const ManifoldImpulse<T>* impulses) {
    tracked_.resize(queue, static_cast<size_t>(manifolds.count));
    offsets_.resize(queue, static_cast<size_t>(shapeSlots) + 1);
    copyBytes(queue, offsets_.data(), manifolds.offsets, (static_cast<size_t>(shapeSlots) + 1) * sizeof(int));
    rememberContacts(queue, manifolds, impulses, tracked_.data());
    trackedShapeSlots_ = shapeSlots;
  }

 private:
  Buffer<TrackedManifold<T>> tracked_;
  Buffer<int> offsets_;
  int trackedShapeSlots_ = 0;
  Buffer<ManifoldImpulse<T>> warmStart_;
};

}  // namespace cairn
