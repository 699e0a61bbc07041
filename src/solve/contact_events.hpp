// Contact events: which pairs begin, persist and end in a step, and the pairs that the next step compares with. The algorithm is described in
// kernels/solve/contact_events.cu.
#pragma once

#include "kernels/solve/contact_events.hpp"
#include "src/state/step_context.hpp"

#include <vector>

namespace cairn::v0 {

template <class T> class ContactEvents {
 public:
  // Before the substeps: room for the impulses, of which the context has the array from then on.
  void begin(StepContext<T>& step);
  // After each substep, and after all of them, with the bodies as they are at the step's end. `before`: at its beginning.
  void addSubstep(StepContext<T>& step) { addNormalImpulses(step.queue, step.rows, step.normalSums); }
  void find(StepContext<T>& step, const BodyPose<T>* posesBefore, const BodyVelocity<T>* velocitiesBefore);
  // Once nothing can go wrong any more but what the status of a planned step says.
  void remember(Queue& queue, const StepStatus* status);

  // Of the last step; waits for the device. Valid until the next one begins.
  std::vector<ContactEventRecord<T>> read(Queue& queue) const;

  // Between steps. The pairs that touched in the last step, those that are not forgotten.
  std::vector<TouchingPair> touching(Queue& queue) const;
  // The pairs of a body that goes: they are forgotten.
  void forgetBody(Queue& queue, int slot);
  void forget(Queue& queue, EnvironmentMask mask, int bodiesEach);

  // For snapshots. Throws InvalidInput for pairs of what is not there.
  template <class Archive> void archive(Archive& a, Queue& queue, int bodySlots, int shapeSlots);

 private:
  RememberedPairs remembered() { return {before_.data(), beforeCount_.data(), static_cast<int>(before_.size())}; }
  std::vector<RememberedPair> download(Queue& queue) const;
  void sort(StepContext<T>& step);

  Buffer<T> sums_;
  Buffer<ManifoldNumbers<T>> impulses_;
  Buffer<int> touching_, list_, ended_;
  Buffer<uint64_t> keys_;
  Buffer<TouchingPair> now_;
  Buffer<RememberedPair> before_;
  Buffer<int> nowCount_, beforeCount_, eventCount_;
  Buffer<ContactEventRecord<T>> events_;
};

}  // namespace cairn::v0
