// Black boxes: the predicted joint state, and its projection by a user's functor (Weinstein, Teran and Fedkiw 2006, section IV: any projection
// serves).
//
// A functor's code is the user's, compiled with the user's file: what is launched here is behind ProjectionFunctor. On the CPU its items run in this
// library's threads, so that a user's file needs none; on CUDA its kernel is launched by the file that holds it, since only that file's CUDA
// runtime is sure to know it. An item reads and writes one joint's target: neither threads nor grid show in the result.
#include "kernels/joints/black_boxes.hpp"

#include "kernels/joints/joint_math.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct PredictTarget {
  const JointRecord<T>* records;
  const int* boxes;
  const BodyPose<T>* poses;
  const BodyVelocity<T>* velocities;
  T h;
  JointTarget<T>* targets;

  CAIRN_HD BodyPose<T> ahead(int body) const {
    const BodyPose<T>& p = poses[body];
    const BodyVelocity<T>& u = velocities[body];
    return {p.x + h * u.v, T(0), normalized(quatFromRotationVector(h * u.w) * p.q)};
  }
  CAIRN_HD void operator()(int k) const {
    const JointRecord<T>& j = records[boxes[k]];
    const joint::State<T> state = joint::stateOf(joint::framesOf(j, ahead(j.bodyA), ahead(j.bodyB)));
    const Pose<T> predicted{state.x, state.q};
    targets[boxes[k]] = {predicted, predicted};
  }
};

// On the host alone: a virtual call leads to the user's code.
template <class T> struct ProjectTarget {
  const ProjectionFunctor& functor;
  const ProjectionBatch<T>& batch;

  void operator()(int k) const { functor.project(batch, k); }
};

}  // namespace

template <class T> void predictTargets(Queue& queue, const JointRecord<T>* records, const int* boxes, int count, const BodyPose<T>* poses,
                                       const BodyVelocity<T>* velocities, T h, JointTarget<T>* targets) {
  forEach(queue, "joints/predict", count, PredictTarget<T>{records, boxes, poses, velocities, h, targets});
}

template <class T> void projectTargets(Queue& queue, const ProjectionFunctor& functor, const ProjectionBatch<T>& batch) {
  queue.label = "joints/project";
  if (batch.count <= 0) return;
  if (queue.target == Target::Cpu) return forEachOnCpu(queue, batch.count, kLightGrain / 8, ProjectTarget<T>{functor, batch});
  if (const char* error = functor.launch(batch, queue.stream)) failLaunch(queue, error);
}

#define CAIRN_INSTANTIATE(T)                                                                                                                    \
  template void predictTargets(Queue&, const JointRecord<T>*, const int*, int, const BodyPose<T>*, const BodyVelocity<T>*, T, JointTarget<T>*); \
  template void projectTargets(Queue&, const ProjectionFunctor&, const ProjectionBatch<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
