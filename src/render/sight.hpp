// What is seen along the rays of a picture.
#pragma once

#include "kernels/runtime/thread_team.hpp"
#include "src/render/smooth_normals.hpp"
#include "src/render/stage.hpp"
#include "src/render/surroundings.hpp"

#include <algorithm>

namespace cairn::v0 {

// Where a ray from the eye ends.
struct SurfacePoint {
  Vec3f offset{0, 0, 0};      // from the eye [m]
  Vec3f normal{0, 0, 0};      // unit, towards the eye, rounded where the surface is meant to be round
  float distance = 0;         // [m]
  int body = -1, shape = -1;  // none: the sky
};

// Directions of rays through places of the picture: pixels from the left and from the top, whose middles are at halves.
struct Lens {
  Vec3d corner, across, down;
  float pixel;  // what a pixel covers at a distance of 1

  Lens(const Camera& camera, int width, int height) {
    const double side = 2 * camera.tangent / height;
    across = side * camera.right;
    down = -side * camera.up;
    corner = camera.forward - (0.5 * width) * across - (0.5 * height) * down;
    pixel = static_cast<float>(side);
  }
  Vec3d direction(double x, double y) const { return normalizedOr(corner + x * across + y * down, Vec3d{0, 0, -1}); }
};

// visit(x, y) for all places of a grid, square after square: so those that come one after the other are neighbours.
template <class Visit> void visitInSquares(int width, int height, const Visit& visit) {
  constexpr int kSide = 4;
  for (int top = 0; top < height; top += kSide) {
    for (int left = 0; left < width; left += kSide) {
      for (int y = top; y < std::min(top + kSide, height); ++y) {
        for (int x = left; x < std::min(left + kSide, width); ++x) visit(x, y);
      }
    }
  }
}

constexpr size_t kRaysAtOnce = size_t(1) << 18;

// Looks from a camera; all that is expensive is done by the World's own casts and by the team, whose size never shows.
class Sight {
 public:
  Sight(const Stage& stage, const Camera& camera, const SmoothNormals& normals, ThreadTeam& team)
      : stage_(stage), eye_(camera.eye), normals_(normals), team_(team) {}

  // take(i, point) for what is in the direction(i), a unit vector. Neighbours are found fastest one after the other.
  template <class Direction, class Take> void see(size_t count, const Direction& direction, const Take& take) const {
    std::vector<Ray> rays;
    for (size_t from = 0; from < count; from += kRaysAtOnce) {
      rays.resize(std::min(kRaysAtOnce, count - from));
      share(rays.size(), [&](size_t i) {
        rays[i].origin = eye_;
        rays[i].direction = direction(from + i);
      });
      const std::vector<RayHit> hits = stage_.world().castRays(rays);
      share(rays.size(), [&](size_t i) { take(from + i, pointOf(rays[i], hits[i])); });
    }
  }
  // hits(i, hit) for rays that makeRay(i, ray) has made.
  template <class MakeRay, class Take> void cast(size_t count, const MakeRay& makeRay, const Take& take) const {
    std::vector<Ray> rays;
    for (size_t from = 0; from < count; from += kRaysAtOnce) {
      rays.resize(std::min(kRaysAtOnce, count - from));
      share(rays.size(), [&](size_t i) { makeRay(from + i, rays[i]); });
      const std::vector<RayHit> hits = stage_.world().castRays(rays);
      share(rays.size(), [&](size_t i) { take(from + i, hits[i]); });
    }
  }
  template <class Item> void share(size_t count, const Item& item) const {
    team_.run(static_cast<int64_t>(count), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) item(static_cast<size_t>(i));
    });
  }

  Vec3d place(const SurfacePoint& point) const { return eye_ + convert<double>(point.offset); }
  const Stage& stage() const { return stage_; }

 private:
  SurfacePoint pointOf(const Ray& ray, const RayHit& hit) const;

  const Stage& stage_;
  Vec3d eye_;
  const SmoothNormals& normals_;
  ThreadTeam& team_;
};

}  // namespace cairn::v0
