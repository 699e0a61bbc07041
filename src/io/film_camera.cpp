#include "src/io/film_camera.hpp"

#include "src/render/image.hpp"

#include <cmath>

namespace cairn::v0 {
namespace {

constexpr double kHaste = 1.2;  // time in which it comes 63 % nearer [s]

// As Framing has it.
Vec3d middleOf(const std::vector<BodyBall>& balls) {
  const auto along = [&](Vec3d axis) { return 0.5 * (reachAlong(balls, axis) - reachAlong(balls, -axis)); };
  return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
}

}  // namespace

void FollowingCamera::approach(std::optional<Vec3d>& value, Vec3d goal, double part) const { value = value ? mixed(*value, goal, part) : goal; }

Camera FollowingCamera::at(double time, const std::vector<BodyState>& states) {
  const double part = 1 - std::exp(-(time - last_) / kHaste);
  last_ = time;
  Framing framing(scene_);
  framing.add(states);
  const bool toTarget = choice_.eye || choice_.target || choice_.period > 0;
  if (!toTarget) {  // from an angle that stays
    if (!choice_.angle) choice_.angle = framing.bestAngle(choice_, aspect_);
    Camera camera = framing.camera(choice_, aspect_);
    approach(eye_, camera.eye, part);
    camera.eye = *eye_;
    return camera;
  }
  CameraChoice choice = choice_;
  if (!choice.target) {
    approach(target_, middleOf(ballsOfDynamicBodies(scene_, states)), part);
    choice.target = target_;
  }
  if (!choice.eye && !choice.distance) {
    const double distance = length(framing.camera(choice, aspect_).eye - *choice.target);
    distance_ = distance_ ? *distance_ + part * (distance - *distance_) : distance;
    choice.distance = distance_;
  }
  return framing.camera(choice, aspect_, time);
}

}  // namespace cairn::v0
