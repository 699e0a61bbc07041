// Contact tracking: warm start impulses from the last step. The algorithm is described in kernels/collide/contact_tracking.cu.
#pragma once

#include "kernels/collide/contact_tracking.hpp"

#include <algorithm>
#include <utility>

namespace cairn::v0 {

template <class T> class ContactTracking {
 public:
  // By manifold of this step. `step`: steps done before this one, against which shapes' birth steps are read.
  // `predecessors`: see MatchedContacts.
  const ManifoldImpulse<T>* match(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step,
                                  int* predecessors = nullptr) {
    return match(queue, manifolds, shapes, step, {nullptr, nullptr, nullptr}, predecessors);
  }
  // The same, and anchors() of this step. `poses`: of the collision pass.
  const ManifoldImpulse<T>* matchWithAnchors(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step,
                                             const BodyPose<T>* poses, int* predecessors) {
    anchors_.resize(queue, static_cast<size_t>(manifolds.count));
    return match(queue, manifolds, shapes, step, {anchorsBefore_.data(), anchors_.data(), poses}, predecessors);
  }
  const ContactAnchors<T>* anchors() const { return anchors_.data(); }

  // Of the last step.
  TrackedView<T> memory() const { return {tracked_.data(), offsets_.data(), trackedShapeSlots_}; }

  // By manifold: those that match() has found, until the solve puts its own there.
  ManifoldImpulse<T>* impulses() { return impulses_.data(); }
  const ManifoldImpulse<T>* impulses() const { return impulses_.data(); }
  size_t impulseRoom() const { return impulses_.capacity(); }

  // Room for what `remember` will keep, made before the solve: a step that has gone that far must not fail for want of memory.
  void reserve(Queue& queue, int manifoldCount, int shapeSlots) {
    tracked_.reserve(queue, static_cast<size_t>(manifoldCount));
    offsets_.reserve(queue, static_cast<size_t>(shapeSlots) + 1);
    impulses_.resize(queue, static_cast<size_t>(manifoldCount));
    if (anchorsBefore_.size() > 0) anchorsBefore_.reserve(queue, static_cast<size_t>(manifoldCount));
  }
  // After the solve. The memory is replaced: manifolds that this step did not have are forgotten. Of a planned step, whose status is given, only if
  // it was done.
  void remember(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants, int shapeSlots, const ManifoldImpulse<T>* impulses,
                const StepStatus* status = nullptr) {
    tracked_.resize(queue, static_cast<size_t>(manifolds.count));
    offsets_.resize(queue, static_cast<size_t>(shapeSlots) + 1);
    rememberContacts(queue, manifolds, constants, impulses, shapeSlots, {tracked_.data(), offsets_.data()}, status);
    trackedShapeSlots_ = shapeSlots;
  }
  // With anchors, beside remember().
  void rememberAnchors(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldImpulse<T>* impulses, const StepStatus* status = nullptr) {
    markSticking(queue, manifolds, impulses, status, anchors_.data());
    if (status == nullptr) return std::swap(anchors_, anchorsBefore_);
    keepAnchors(queue, manifolds, anchors_.data(), status, anchorsBefore_.data());
  }

  // What was remembered of the contacts in masked environments. The mask lies on the target.
  void forget(Queue& queue, EnvironmentMask mask, int shapesEach) {
    forgetContacts(queue, TrackedArrays<T>{tracked_.data(), offsets_.data()}, trackedShapeSlots_, mask, shapesEach);
  }

  // For snapshots: what `remember` has kept, with anchors if they are kept beside it. Answers how many contacts they are.
  template <class Archive> size_t archive(Archive& a, Queue& queue, bool keepsAnchors) {
    a(trackedShapeSlots_);
    std::vector<int> offsets;
    if (!Archive::kReads && offsets_.size() > 0) offsets = offsets_.download(queue);
    a.records(offsets);
    const size_t count = offsets.empty() ? 0 : static_cast<size_t>(offsets.back());
    bool anchored = anchorsBefore_.size() > 0;
    a(anchored);
    if constexpr (Archive::kReads) {
      a.require(trackedShapeSlots_ >= 0 &&
                    (offsets.empty() ? trackedShapeSlots_ == 0 : offsets.size() == static_cast<size_t>(trackedShapeSlots_) + 1) &&
                    (offsets.empty() || offsets.front() == 0) && std::is_sorted(offsets.begin(), offsets.end()),
                "has contacts without shapes");
      a.require(count == 0 || anchored == keepsAnchors, "has contacts of another kind of friction");
      offsets_.upload(queue, offsets);
    }
    a.records(queue, tracked_, count);
    if constexpr (Archive::kReads) {
      for (const TrackedManifold<T>& m : tracked_.download(queue)) {
        a.require(m.pointCount >= 0 && m.pointCount <= kMaxManifoldPoints, "has contacts of too many points");
      }
    }
    if (anchored) a.records(queue, anchorsBefore_, count);
    return count;
  }

 private:
  const ManifoldImpulse<T>* match(Queue& queue, const ManifoldView<T>& manifolds, const ShapeRecord<T>* shapes, int step,
                                  const AnchorViews<T>& anchors, int* predecessors) {
    if (impulses_.size() != static_cast<size_t>(manifolds.count)) impulses_.resize(queue, static_cast<size_t>(manifolds.count));
    matchContacts(queue, manifolds, shapes, step, memory(), anchors, {impulses_.data(), predecessors});
    return impulses_.data();
  }

  Buffer<TrackedManifold<T>> tracked_;
  Buffer<int> offsets_;
  int trackedShapeSlots_ = 0;
  Buffer<ManifoldImpulse<T>> impulses_;
  Buffer<ContactAnchors<T>> anchors_, anchorsBefore_;
};

}  // namespace cairn::v0
