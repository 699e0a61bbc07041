// Black boxes of a World: in each substep their predicted poses, and what their users' projections allow. Kernels: kernels/joints/black_boxes.cu.
//
// Functors are grouped by type, each group a launch over an array of its functors. Callbacks are asked one after the other, and on CUDA the host
// waits for each. What is allowed depends on nothing but a joint's own predicted pose, so neither groups nor their order show in the result.
#pragma once

#include "kernels/joints/black_boxes.hpp"

#include <cairn/scene.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cairn::v0 {

// By whichever of the two projections the joint has. The user's rotation need not be of unit length, this one is.
JointPose allowedPose(const JointDef& def, const JointPose& predicted);

// Throws InvalidInput if the joint has a functor that cannot run on the target.
void requireFunctorRunsOn(Target target, const JointDef& def, const std::string& place);

using ProjectionCallback = std::function<JointPose(const JointPose& predicted)>;

// A black box that acts. One of the two projections is there.
struct BlackBox {
  int joint;                                         // slot
  std::shared_ptr<const ProjectionFunctor> functor;  // null: there is a callback
  const ProjectionCallback* callback = nullptr;      // of the joint's definition, which outlives the step
};

// Functors of one type.
struct BlackBoxGroup {
  std::shared_ptr<const ProjectionFunctor> functor;  // any of them: it knows the type's kernels
  size_t first, count;                               // in BlackBoxView::joints
  size_t offset;                                     // in BlackBoxView::functors [bytes]
};

// On the target unless a field says otherwise.
template <class T> struct BlackBoxView {
  int count = 0, callbackCount = 0, groupCount = 0;
  const int* joints = nullptr;                           // [count] slots: those with callbacks, then group after group
  const int* hostJoints = nullptr;                       // [count] the same on the host
  const ProjectionCallback* const* callbacks = nullptr;  // [callbackCount] on the host
  const BlackBoxGroup* groups = nullptr;                 // [groupCount] on the host
  const unsigned char* functors = nullptr;
  JointTarget<T>* targets = nullptr;  // by joint slot
};

// targets: for each black box the pose that the bodies would have after h, and the pose that its projection allows.
template <class T> void predictBlackBoxes(Queue& queue, const BlackBoxView<T>& boxes, const JointRecord<T>* records, const BodyPose<T>* poses,
                                          const BodyVelocity<T>* velocities, T h);

// What the projections allow, for targets whose predicted poses are there.
template <class T> void projectBlackBoxes(Queue& queue, const BlackBoxView<T>& boxes);

template <class T> class BlackBoxes {
 public:
  void build(Queue& queue, const std::vector<BlackBox>& boxes, size_t jointSlots);
  bool anyCallback() const { return !callbacks_.empty(); }
  BlackBoxView<T> view();

 private:
  std::vector<int> joints_;
  std::vector<const ProjectionCallback*> callbacks_;
  std::vector<BlackBoxGroup> groups_;
  Buffer<int> jointsOnTarget_;
  Buffer<unsigned char> functors_;
  Buffer<JointTarget<T>> targets_;
};

}  // namespace cairn::v0
