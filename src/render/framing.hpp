// Cameras that have in the picture what moves.
#pragma once

#include "src/render/camera.hpp"

#include <cairn/world.hpp>

#include <vector>

namespace cairn::v0 {

// A ball that holds a body.
struct BodyBall {
  Vec3d centre;
  double radius = 0;
};

// Of the dynamic bodies; sensors do not count.
std::vector<BodyBall> ballsOfDynamicBodies(const Scene& scene, const std::vector<BodyState>& states);

// How far the balls reach along a direction, but for the few that reach furthest, where there are many.
double reachAlong(const std::vector<BodyBall>& balls, Vec3d direction);

// What has to be in the picture: the dynamic bodies, what they are joined to and, of few, what is fixed among them, at one time or at several. A few
// that have flown off do not count.
class Framing {
 public:
  explicit Framing(const Scene& scene) : scene_(scene) {}
  void add(const std::vector<BodyState>& states);
  // The time moves an orbit. Throws InvalidInput for an eye where the target is, and an `up` along the view.
  Camera camera(const CameraChoice& choice, double aspect, double time = 0) const;

  // The angle that it takes where the choice has none [degrees].
  double bestAngle(const CameraChoice& choice, double aspect) const;

 private:
  Vec3d middle() const;
  Camera fitted(Vec3d forward, const CameraChoice& choice, double aspect) const;
  double distanceFor(const Camera& camera, Vec3d target, double aspect) const;

  const Scene& scene_;
  double reach(Vec3d direction) const;
  std::vector<BodyBall> balls_;
  std::vector<BodyBall> held_;  // what is fixed: all of it counts
};

// Of these states alone.
Camera frameBodies(const Scene& scene, const std::vector<BodyState>& states, double aspect, const CameraChoice& choice = {});

}  // namespace cairn::v0
