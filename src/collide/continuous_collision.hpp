// Continuous collision: the safeguard after the substeps that keeps fast bodies from having passed through others. The algorithm is described in
// kernels/collide/continuous_collision.cu.
#pragma once

#include "kernels/collide/continuous_collision.hpp"
#include "src/state/step_counts.hpp"

namespace cairn::v0 {

// A step whose substeps are done. `bounded` is what its broad phase has found.
template <class T> struct FinishedStep {
  const ShapeRecord<T>* shapes;
  int bodySlots;
  BoundedShapes<T> bounded;
  JoinedPairs joined;
  PutBackBodies<T> bodies;
};

template <class T> class ContinuousCollision {
 public:
  // At the end of each substep but the last, numbered from 1, where bodies that joints connect may have to go back.
  void note(Queue& queue, const BodyPose<T>* poses, int bodySlots, int substep, int substeps);

  // Bodies that went through something go back to where they met it, joined ones along the poses that have been noted. Waits for the number of fast
  // shapes unless it is planned. Answers with how many they were at first, on the target; null if nothing was fast.
  const int* update(Queue& queue, FinishedStep<T> step, StepCounts& counts);

 private:
  void goBack(Queue& queue, const FinishedStep<T>& step, const FastList& fast);

  Buffer<BodyPose<T>> between_;
  int noted_ = 0;                                       // substeps of this step
  Buffer<int> fastShapes_, fastCount_, putBackCounts_;  // the last by round
  Buffer<MeetingKey> meetings_, nextMeetings_, allMeetings_;
};

}  // namespace cairn::v0
