// Walls of containers in pictures: those between the camera and the bodies are glass, and none is shown far above the bodies.
#pragma once

#include "src/render/camera.hpp"

#include <cairn/world.hpp>

#include <optional>

namespace cairn::v0 {

// What a ray comes to behind the walls.
struct SeenThrough {
  RayHit hit;          // its distance is from the ray's origin
  bool glass = false;  // it went through a wall that is shown
};

class Walls {
 public:
  Walls(const World& world, const Scene& scene, const Camera& camera);
  // Directions are unit vectors.
  std::vector<SeenThrough> lookThrough(const std::vector<Ray>& rays) const;
  bool isFixed(const RayHit& hit) const;
  double top() const { return top_; }

 private:
  struct Passage {
    double distance;  // from the ray's origin to behind the wall [m]
    bool glass;       // the wall is shown
  };
  // None where the ray ends; the hit is then what it shows.
  std::optional<Passage> through(const Ray& ray, RayHit& hit) const;
  // Which fixed bodies hide many others from here.
  std::vector<bool> hiding(Vec3d eye) const;

  const World& world_;
  const Scene& scene_;
  const Camera& camera_;
  Vec3d vertical_;
  double middle_ = 0;  // depth of the dynamic bodies' middle [m]
  double top_ = 0;     // height that walls are shown up to [m]
  std::vector<BodyState> states_;
  std::vector<bool> wall_;  // by body
};

}  // namespace cairn::v0
