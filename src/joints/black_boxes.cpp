#include "src/joints/black_boxes.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cstring>
#include <typeindex>
#include <typeinfo>

namespace cairn {

JointPose allowedPose(const JointDef& def, const JointPose& predicted) {
  if (def.projection) return def.projection(predicted);
  const Posed pose{predicted.offset, predicted.rotation};
  JointTarget<double> target{pose, pose};
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

template <class T> void BlackBoxes<T>::build(Queue& queue, const std::vector<Box>& boxes, size_t jointCount) {
  slots_.clear();
  groups_.clear();
  for (const Box& box : boxes) {
    if (box.functor == nullptr) slots_.push_back(box.joint);
  }
  callbackCount_ = slots_.size();

  const auto typeOf = [](const Box& box) {
    const ProjectionFunctor& functor = *box.functor;
    return std::type_index(typeid(functor));
  };
  std::vector<std::type_index> types;  // in the order of their first joints
  for (const Box& box : boxes) {
    if (box.functor != nullptr && std::find(types.begin(), types.end(), typeOf(box)) == types.end()) types.push_back(typeOf(box));
  }
  std::vector<unsigned char> functors;
  for (const std::type_index& type : types) {
    constexpr size_t kAlignment = ProjectionFunctor::kMaxAlignment;
    Group group{nullptr, slots_.size(), 0, (functors.size() + kAlignment - 1) / kAlignment * kAlignment};
    functors.resize(group.offset);
    for (const Box& box : boxes) {
      if (box.functor == nullptr || typeOf(box) != type) continue;
      group.functor = box.functor;
      ++group.count;
      slots_.push_back(box.joint);
      const auto* bytes = static_cast<const unsigned char*>(box.functor->data());
      functors.insert(functors.end(), bytes, bytes + box.functor->size());
    }
    groups_.push_back(group);
  }
  slotsOnTarget_.upload(queue, slots_);
  functors_.upload(queue, functors);
  if (!slots_.empty()) targets_.resize(queue, jointCount);
}

template <class T> void BlackBoxes<T>::predict(Queue& queue, const JointRecord<T>* records, const BodyPose<T>* poses,
                                               const BodyVelocity<T>* velocities, T h, const Callback& callback) {
  if (slots_.empty()) return;
  predictTargets(queue, records, slotsOnTarget_.data(), static_cast<int>(slots_.size()), poses, velocities, h, targets_.data());
  for (const Group& group : groups_) {
    projectTargets(
        queue, *group.functor,
        ProjectionBatch<T>{functors_.data() + group.offset, slotsOnTarget_.data() + group.first, targets_.data(), static_cast<int>(group.count)});
  }
  for (size_t k = 0; k < callbackCount_; ++k) {
    const auto slot = static_cast<size_t>(slots_[k]);
    JointTarget<T> target = targets_.read(queue, slot);
    const JointPose pose = callback(slots_[k], {convert<double>(target.predicted.p), convert<double>(target.predicted.q)});
    setAllowed(target, Pose<T>{convert<T>(pose.offset), convert<T>(pose.rotation)});
    targets_.write(queue, slot, target);
  }
}

template class BlackBoxes<float>;
template class BlackBoxes<double>;

}  // namespace cairn
