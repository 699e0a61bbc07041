#include "src/joints/black_boxes.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cstring>
#include <typeindex>
#include <typeinfo>

namespace cairn::v0 {

JointPose allowedPose(const JointDef& def, const JointPose& predicted) {
  const Posed pose{predicted.offset, predicted.rotation};
  JointTarget<double> target{pose, pose};
  if (def.projection) {
    const JointPose allowed = def.projection(predicted);
    setAllowed(target, Posed{allowed.offset, allowed.rotation});
    return {target.allowed.p, target.allowed.q};
  }
  const int joint = 0;
  def.projectionFunctor->project(ProjectionBatch<double>{def.projectionFunctor->data(), &joint, &target, 1}, 0);
  return {target.allowed.p, target.allowed.q};
}

void requireFunctorRunsOn(Target target, const JointDef& def, const std::string& place) {
  if (target == Target::Cpu || !def.projectionFunctor || def.projectionFunctor->runsOnCuda()) return;
  throw InvalidInput(place,
                     "projection_functor was compiled without CUDA and cannot run on the cuda backend: give the file that calls "
                     "makeProjectionFunctor to nvcc, or choose the cpu backend");
}

template <class T> void predictBlackBoxes(Queue& queue, const BlackBoxView<T>& boxes, const JointRecord<T>* records, const BodyPose<T>* poses,
                                          const BodyVelocity<T>* velocities, T h) {
  predictTargets(queue, records, boxes.joints, boxes.count, poses, velocities, h, boxes.targets);
  projectBlackBoxes(queue, boxes);
}

template <class T> void projectBlackBoxes(Queue& queue, const BlackBoxView<T>& boxes) {
  for (int g = 0; g < boxes.groupCount; ++g) {
    const BlackBoxGroup& group = boxes.groups[g];
    projectTargets(queue, *group.functor,
                   ProjectionBatch<T>{boxes.functors + group.offset, boxes.joints + group.first, boxes.targets, static_cast<int>(group.count)});
  }
  for (int k = 0; k < boxes.callbackCount; ++k) {
    JointTarget<T>* const onTarget = boxes.targets + boxes.hostJoints[k];
    JointTarget<T> target;
    downloadBytes(queue, &target, onTarget, sizeof target);
    const JointPose pose = (*boxes.callbacks[k])({convert<double>(target.predicted.p), convert<double>(target.predicted.q)});
    setAllowed(target, Pose<T>{convert<T>(pose.offset), convert<T>(pose.rotation)});
    uploadBytes(queue, onTarget, &target, sizeof target);
  }
}

template <class T> void BlackBoxes<T>::build(Queue& queue, const std::vector<BlackBox>& boxes, size_t jointSlots) {
  joints_.clear();
  callbacks_.clear();
  groups_.clear();
  for (const BlackBox& box : boxes) {
    if (box.functor != nullptr) continue;
    joints_.push_back(box.joint);
    callbacks_.push_back(box.callback);
  }

  const auto typeOf = [](const BlackBox& box) {
    const ProjectionFunctor& functor = *box.functor;
    return std::type_index(typeid(functor));
  };
  std::vector<std::type_index> types;  // in the order of their first joints
  for (const BlackBox& box : boxes) {
    if (box.functor != nullptr && std::find(types.begin(), types.end(), typeOf(box)) == types.end()) types.push_back(typeOf(box));
  }
  std::vector<unsigned char> functors;
  for (const std::type_index& type : types) {
    constexpr size_t kAlignment = ProjectionFunctor::kMaxAlignment;
    BlackBoxGroup group{nullptr, joints_.size(), 0, (functors.size() + kAlignment - 1) / kAlignment * kAlignment};
    functors.resize(group.offset);
    for (const BlackBox& box : boxes) {
      if (box.functor == nullptr || typeOf(box) != type) continue;
      group.functor = box.functor;
      ++group.count;
      joints_.push_back(box.joint);
      const auto* bytes = static_cast<const unsigned char*>(box.functor->data());
      functors.insert(functors.end(), bytes, bytes + box.functor->size());
    }
    groups_.push_back(group);
  }
  jointsOnTarget_.upload(queue, joints_);
  functors_.upload(queue, functors);
  if (joints_.empty()) return;
  // The first rows are prepared before the first prediction, and impacts read them: targets of zeros make no row.
  targets_.resize(queue, jointSlots);
  targets_.fillZero(queue);
}

template <class T> BlackBoxView<T> BlackBoxes<T>::view() {
  BlackBoxView<T> view{};
  view.count = static_cast<int>(joints_.size());
  view.callbackCount = static_cast<int>(callbacks_.size());
  view.groupCount = static_cast<int>(groups_.size());
  view.joints = jointsOnTarget_.data();
  view.hostJoints = joints_.data();
  view.callbacks = callbacks_.data();
  view.groups = groups_.data();
  view.functors = functors_.data();
  view.targets = targets_.data();
  return view;
}

#define CAIRN_INSTANTIATE(T)                                                                                                             \
  template class BlackBoxes<T>;                                                                                                          \
  template void predictBlackBoxes(Queue&, const BlackBoxView<T>&, const JointRecord<T>*, const BodyPose<T>*, const BodyVelocity<T>*, T); \
  template void projectBlackBoxes(Queue&, const BlackBoxView<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
