// Contacts of the candidate pairs. The algorithms are described in kernels/collide/narrow_phase.cu and kernels/collide/collide_*.hpp.
#pragma once

#include "kernels/collide/lone_assemblies.hpp"
#include "kernels/collide/mesh_pairs.hpp"
#include "kernels/runtime/primitives.hpp"
#include "kernels/state/views.hpp"
#include "src/collide/contact_reduction.hpp"
#include "src/collide/triangle_store.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

template <class T> class NarrowPhase {
 public:
  // Manifolds of all pairs whose gap is at most the sum of their shapes' margins, and of those that meet on their way through the step; of bodies of
  // many shapes those that carry. Waits for their number unless it is planned. The view is valid until the next update.
  ManifoldView<T> update(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs, const PlacedShapes<T>& shapes,
                         const JoinedPairs& joined = {nullptr, 0}, StepCounts* counts = nullptr, const SweptBodies<T>& swept = {});
  // Of the last update: whether any shape was fast, as far as the host knows; and its manifolds, which later stages may change.
  bool anyFast() const { return anyFast_; }
  Manifold<T>* manifolds() { return reduced() ? reduction_.manifolds() : manifolds_.data(); }
  size_t manifoldRoom() const { return reduced() ? reduction_.manifoldRoom() : manifolds_.capacity(); }
  // Whether they are those that stay of more.
  bool reduced() const { return reduction_.reduced(); }

 private:
  // Which pairs have no contacts, and which have others than those at the poses.
  struct Exceptions {
    const JoinedPairs& joined;
    const SweptBodies<T>& swept;
  };
  ManifoldView<T> updateInParts(Queue& queue, PrimitiveScratch& scratch, const PairView& pairs, const PlacedShapes<T>& shapes,
                                const Exceptions& exceptions, StepCounts& counts);
  // All of them are found by now, which lie in manifolds_.
  ManifoldView<T> reduce(Queue& queue, PrimitiveScratch& scratch, const ManifoldView<T>& all, const PlacedShapes<T>& shapes, StepCounts& counts);
  void findCompany(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const SweptBodies<T>& swept);
  // found: of these pairs.
  void sweepFast(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const SweptBodies<T>& swept, const JoinedPairs& joined,
                 int* found, StepCounts& counts);
  void collideAll(Queue& queue, const PairView& pairs, const PlacedShapes<T>& shapes, const JoinedPairs& joined, int* found, StepCounts& counts);
  void collideMeshes(Queue& queue, const PairView& pairs, const ConvexPairs<T>& shapes, const JoinedPairs& joined, int* found, StepCounts& counts);
  void gatherAll(Queue& queue, const PairView& pairs, int shapeSlots, const int* firstOf, const ManifoldRoom<T>& room);

  Buffer<Manifold<T>> pairManifolds_, manifolds_;
  Buffer<int> found_;  // then the number of manifolds before each pair, of its part where there are several
  std::vector<int> firstOfPart_;
  Buffer<int> offsets_;
  Buffer<int> fastPairs_, fastCount_;
  Buffer<int> meshPairs_, meshCount_;
  TriangleStore triangles_;
  Buffer<Manifold<T>> moreManifolds_;  // of pairs with a mesh, behind their first
  FastList listedMeshPairs_{};         // of the pairs that were collided last
  ContactReduction<T> reduction_;
  Buffer<int> accompanied_;
  Assemblies assemblies_{};
  bool anyFast_ = false, anyLone_ = false;
};

}  // namespace cairn::v0
