// Sky, sun and ground of a picture, as the scene's gravity has them.
#pragma once

#include "src/render/camera.hpp"

namespace cairn::v0 {

using Vec3f = Vec3<float>;

inline Vec3f mixed(Vec3f a, Vec3f b, float t) { return (1 - t) * a + t * b; }

class Surroundings {
 public:
  // `distance`: of what is looked at [m]. What is far behind it fades away, and the ground's squares are as large as suits it.
  Surroundings(const Scene& scene, const Camera& camera, double distance);

  Vec3f vertical() const { return vertical_; }
  Vec3f sun() const { return sun_; }
  Vec3f sky(Vec3f direction) const;
  // Of large level surfaces that do not move: squares, no finer than pixels show.
  Vec3f ground(Vec3d point, float distance, Vec3f direction, float pixel) const;
  // How much of the horizon's colour lies over something.
  Vec3f hazy(Vec3f colour, float distance) const;
  bool isLevel(Vec3f normal) const { return dot(normal, vertical_) > 0.999F; }

 private:
  Vec3f vertical_, east_, north_, sun_;  // unit
  float distance_;
  double square_;  // side [m]
};

}  // namespace cairn::v0
