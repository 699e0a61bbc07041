// Shared by tests and benchmarks of black boxes: functors, the callbacks that do the same arithmetic, and a scene of many such joints.
#pragma once

#include <cairn/projection_functor.hpp>
#include <cairn/scene.hpp>

#include <memory>
#include <string>

namespace cairn::test {

// A spherical pendulum.
struct OnSphere {
  double radius;  // [m]
  template <class T> CAIRN_HD Pose<T> operator()(const Pose<T>& predicted) const {
    return {(T(radius) / length(predicted.p)) * predicted.p, predicted.q};
  }
};

// Within a box, turned about z alone; the quaternion that it returns is not of unit length.
struct InBox {
  float halfX, halfY, halfZ;  // [m]
  template <class T> CAIRN_HD Pose<T> operator()(const Pose<T>& predicted) const {
    const Vec3<T> half{T(halfX), T(halfY), T(halfZ)};
    return {minOf(maxOf(predicted.p, -half), half), Quat<T>{T(0), T(0), predicted.q.z, predicted.q.w}};
  }
};

// The functor's arithmetic in the World's precision T, on the host.
template <class T, class F> std::function<JointPose(const JointPose&)> callbackOf(const F& functor) {
  return [functor](const JointPose& p) -> JointPose {
    const Pose<T> allowed = functor(Pose<T>{convert<T>(p.offset), convert<T>(p.rotation)});
    return {convert<double>(allowed.p), convert<double>(allowed.q)};
  };
}

// From black_box_functors.cu: for both backends in a build with CUDA.
std::shared_ptr<const ProjectionFunctor> makeOnSphere(const OnSphere& functor);
std::shared_ptr<const ProjectionFunctor> makeInBox(const InBox& functor);

enum class BoxesBy { Callback, Functor, Both };  // both: every third joint has a callback

// Boxes that swing on spheres of many radii and such that drop inside boxes of many sizes, in turns. T is the World's precision.
template <class T> Scene manyBlackBoxes(int count, BoxesBy by) {
  Scene scene;
  for (int k = 0; k < count; ++k) {
    const double x = 4.0 * (k % 32), z = 4.0 * (k / 32), size = 0.3 + 0.001 * k;
    BodyDef post, body;
    post.type = BodyType::Static;
    post.pose.p = {x, 0, z};
    body.pose.p = k % 2 == 0 ? Vec3d{x + size, 0, z} : Vec3d{x, 0.1, z};
    body.angularVelocity = {1, 0.5 * (k % 5), -2};
    body.linearVelocity = {0, 0, 0.2 * (k % 7)};
    body.shapes = {ShapeDef::box({0.1, 0.15, 0.2})};
    const int a = scene.add(post), b = scene.add(body);
    JointDef joint = scene.joint(JointType::BlackBox, a, b, {{x, 0, z}, {0, 0, 0, 1}});
    joint.frameB = {{0, 0.05, 0}, {0, 0, 0, 1}};
    const bool functor = by == BoxesBy::Functor || (by == BoxesBy::Both && k % 3 != 0);
    if (k % 2 == 0) {
      const OnSphere sphere{size};
      if (functor) {
        joint.projectionFunctor = makeOnSphere(sphere);
      } else {
        joint.projection = callbackOf<T>(sphere);
      }
    } else {
      const InBox box{float(size), 0.5f, 0.1f};
      if (functor) {
        joint.projectionFunctor = makeInBox(box);
      } else {
        joint.projection = callbackOf<T>(box);
      }
    }
    joint.name = "box-" + std::to_string(k);
    scene.joints.push_back(joint);
  }
  return scene;
}

}  // namespace cairn::test
