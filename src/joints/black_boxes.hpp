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

namespace cairn {

// By whichever of the two projections the joint has. The rotation as the user gives it, which need not be of unit length.
JointPose allowedPose(const JointDef& def, const JointPose& predicted);

// Throws InvalidInput if the joint has a functor that cannot run on the target.
void requireFunctorRunsOn(Target target, const JointDef& def, const std::string& place);

template <class T> class BlackBoxes {
 public:
  // Those that act, by joint slot.
  struct Box {
    int joint;
    std::shared_ptr<const ProjectionFunctor> functor;  // null: it has a callback
  };
  void build(Queue& queue, const std::vector<Box>& boxes, size_t jointCount);
  bool empty() const { return slots_.empty(); }
  int launchCount() const { return static_cast<int>(groups_.size()); }  // types of functors
  const JointTarget<T>* targets() const { return targets_.data(); }     // by joint

  // Answers for the callback of a joint.
  using Callback = std::function<JointPose(int joint, const JointPose& predicted)>;
  void predict(Queue& queue, const JointRecord<T>* records, const BodyPose<T>* poses, const BodyVelocity<T>* velocities, T h,
               const Callback& callback);

 private:
  struct Group {
    std::shared_ptr<const ProjectionFunctor> functor;  // any of its own
    size_t first, count;                               // of slots_
    size_t offset;                                     // of its functors [bytes]
  };

  std::vector<int> slots_;  // those with callbacks, then group after group
  size_t callbackCount_ = 0;
  std::vector<Group> groups_;
  Buffer<int> slotsOnTarget_;
  Buffer<unsigned char> functors_;
  Buffer<JointTarget<T>> targets_;
};

}  // namespace cairn
