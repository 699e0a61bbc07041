// The contacts of two bodies of many shapes, reduced to few. The algorithm is described in kernels/collide/contact_reduction.cu.
#pragma once

#include "kernels/collide/contact_reduction.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/state/geometry_view.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

// Shapes by slot, and the poses of their bodies.
template <class T> struct PlacedShapes {
  const ShapeRecord<T>* records;
  int slots;
  const BodyPose<T>* poses;
  const T* margins;  // [m]
  GeometryView geometry{};
  int bodySlots = 0;
  bool reducible = false;  // whether there may be bodies whose contacts are reduced; then, what they were in the last step
  TrackedView<T> tracked{};
  int stepsDone = 0;
};

template <class T> class ContactReduction {
 public:
  // What stays of all manifolds. Waits for how many they are, unless that is planned; where it does, and nothing goes, they are left as they are. The
  // view is valid until the next update.
  ManifoldView<T> update(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all, const PlacedShapes<T>& shapes, StepCounts& counts);
  // An update that would do nothing.
  void leave() { reduced_ = false; }

  // Of the last update: whether its manifolds lie here.
  bool reduced() const { return reduced_; }
  Manifold<T>* manifolds() { return kept_.data(); }
  size_t manifoldRoom() const { return kept_.capacity(); }

 private:
  void reduce(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all, const PlacedShapes<T>& shapes, StepCounts& counts);
  ManifoldView<T> gather(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all, int shapeSlots, StepCounts& counts);

  Buffer<int> compounds_;  // by body: of several shapes; then, of many
  Buffer<int> listed_, list_, numbers_, groups_, masks_, places_, offsets_;
  Buffer<uint64_t> keys_;
  Buffer<Manifold<T>> kept_;
  bool reduced_ = false;
};

}  // namespace cairn::v0
