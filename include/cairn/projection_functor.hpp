// Functors that say what a black-box joint allows: compiled code that runs where the World does, in its threads or in a kernel on the device. A host
// callback (JointDef::projection) has the device wait instead, once a joint and substep.
//
//   struct OnSphere {
//     double radius;  // [m]
//     template <class T> CAIRN_HD cairn::Pose<T> operator()(const cairn::Pose<T>& predicted) const {
//       return {(T(radius) / length(predicted.p)) * predicted.p, predicted.q};
//     }
//   };
//   joint.projectionFunctor = cairn::makeProjectionFunctor(OnSphere{0.6});
//
// The call operator gets the pose that frame B would have in frame A [m], in the World's precision, and returns the one that is allowed; it must take
// both precisions, throw nothing and answer the same to the same question. Joints may differ in the functor's members: those of all joints of one
// type lie in one array, and one launch a substep asks them all.
//
// A file that calls makeProjectionFunctor is for the CPU alone if a host compiler reads it, and for both backends if nvcc does. For the same bits on
// both it needs --fmad=false there, as the library has.
#pragma once

#include <cairn/export.hpp>
#include <cairn/math.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace cairn {
inline namespace v0 {

// Frame B in frame A after the substep.
template <class T> struct JointTarget {
  Pose<T> predicted;  // without the joint
  Pose<T> allowed;    // as the projection has it
};

// One launch. All arrays lie where it runs.
template <class T> struct ProjectionBatch {
  const void* functors;     // [count] of the functor's own type
  const int* joints;        // [count] whose they are
  JointTarget<T>* targets;  // by joint
  int count;
};

// A functor whose type is forgotten: what a JointDef holds and a World runs. Made by makeProjectionFunctor and never changed after.
class CAIRN_API ProjectionFunctor {
 public:
  static constexpr size_t kMaxAlignment = 256;

  virtual ~ProjectionFunctor() = default;
  virtual const void* data() const = 0;  // the functor
  virtual size_t size() const = 0;       // [bytes]
  virtual bool runsOnCuda() const = 0;
  // Item k of a batch of functors of this one's type, on the host.
  virtual void project(const ProjectionBatch<float>& batch, int k) const = 0;
  virtual void project(const ProjectionBatch<double>& batch, int k) const = 0;
  // All of a batch on a stream (a cudaStream_t). Null, or what the CUDA runtime has against it.
  virtual const char* launch(const ProjectionBatch<float>& batch, void* stream) const = 0;
  virtual const char* launch(const ProjectionBatch<double>& batch, void* stream) const = 0;
};

// Quaternions of users need not be exactly of unit length.
template <class T> CAIRN_HD inline void setAllowed(JointTarget<T>& target, const Pose<T>& allowed) {
  target.allowed = {allowed.p, normalized(allowed.q)};
}

// Definitions that differ by compiler have names that differ by compiler: a program may hold the same functor from both.
#if defined(__CUDACC__)
inline namespace projection_by_nvcc {

constexpr bool kProjectionRunsOnCuda = true;

// Calls the functor itself, so that one without CAIRN_HD is an error and no mere warning.
template <class F, class T> __global__ void projectJoints(ProjectionBatch<T> batch) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= batch.count) return;
  JointTarget<T>& target = batch.targets[batch.joints[k]];
  setAllowed(target, static_cast<const F*>(batch.functors)[k](target.predicted));
}

template <class F, class T> const char* launchProjection(const ProjectionBatch<T>& batch, void* stream) {
  constexpr int kBlock = 128;
  ProjectionBatch<T> copy = batch;
  void* arguments[] = {&copy};
  const cudaError_t status = cudaLaunchKernel(projectJoints<F, T>, dim3(static_cast<unsigned>((batch.count + kBlock - 1) / kBlock)), dim3(kBlock),
                                              arguments, 0, static_cast<cudaStream_t>(stream));
  if (status == cudaSuccess) return nullptr;
  cudaGetLastError();
  return cudaGetErrorString(status);
}

#else
inline namespace projection_by_host_compiler {

constexpr bool kProjectionRunsOnCuda = false;

template <class F, class T> const char* launchProjection(const ProjectionBatch<T>&, void*) { return "it was compiled without CUDA"; }

#endif

template <class F> class ProjectionFunctorOf final : public ProjectionFunctor {
 public:
  explicit ProjectionFunctorOf(const F& functor) : functor_(functor) {}
  const void* data() const override { return &functor_; }
  size_t size() const override { return sizeof(F); }
  bool runsOnCuda() const override { return kProjectionRunsOnCuda; }
  void project(const ProjectionBatch<float>& batch, int k) const override { projectOne(batch, k); }
  void project(const ProjectionBatch<double>& batch, int k) const override { projectOne(batch, k); }
  const char* launch(const ProjectionBatch<float>& batch, void* stream) const override { return launchProjection<F>(batch, stream); }
  const char* launch(const ProjectionBatch<double>& batch, void* stream) const override { return launchProjection<F>(batch, stream); }

 private:
  template <class T> static void projectOne(const ProjectionBatch<T>& batch, int k) {
    JointTarget<T>& target = batch.targets[batch.joints[k]];
    setAllowed(target, static_cast<const F*>(batch.functors)[k](target.predicted));
  }

  F functor_;
};

// The functor is copied. Pointers among its members must be good where the World runs.
template <class F> std::shared_ptr<const ProjectionFunctor> makeProjectionFunctor(const F& functor) {
  static_assert(std::is_trivially_copyable<F>::value, "a projection functor is plain data: it is copied to the device byte by byte");
  static_assert(alignof(F) <= ProjectionFunctor::kMaxAlignment, "a projection functor must not be aligned to more than 256 bytes");
  static_assert(std::is_invocable_r<Pose<float>, const F&, const Pose<float>&>::value,
                "a projection functor must take a const Pose<float>& and return a Pose<float>, and be const");
  static_assert(std::is_invocable_r<Pose<double>, const F&, const Pose<double>&>::value,
                "a projection functor must take a const Pose<double>& and return a Pose<double>, and be const");
  return std::make_shared<const ProjectionFunctorOf<F>>(functor);
}

}  // namespace projection_by_host_compiler or projection_by_nvcc
}  // namespace v0
}  // namespace cairn
