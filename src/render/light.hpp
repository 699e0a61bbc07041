// How much light comes to the surfaces of a picture: from the sun, which is a disk, and from the sky, as far as near things leave it open.
//
// Blocks of pixels share their looks at the light. Each block looks at a few points of the sun and in a few directions; which ones repeats every four
// blocks across and down, so that any four by four blocks have looked at a fixed set of well spread points, each once (interleaved sampling, Keller
// and Heidrich 2001). The mean over those of them that lie on the same surface is free of noise where the surface is larger than that.
#pragma once

#include "src/render/sight.hpp"

#include <vector>

namespace cairn::v0 {

struct Light {
  float sun = 1, sky = 1;  // parts that come through
};

struct LightSettings {
  int block = 1;                 // pixels a side
  int sunRays = 2, skyRays = 4;  // a block
  float reach = 1;               // that things take the sky's light away over [m]
};

class LightMap {
 public:
  // `points` are those of the pixels' middles.
  LightMap(const Sight& sight, const Surroundings& around, const LightSettings& settings, int width, int height);
  // Returns how many rays it took.
  size_t measure(const std::vector<SurfacePoint>& points, float pixel);
  // At a place of the picture where there is this point. False where no block nearby lies on its surface: the light is a guess then.
  bool at(float x, float y, const SurfacePoint& point, Light& light) const;

 private:
  struct Block {
    Vec3f offset{0, 0, 0}, normal{0, 0, 0};
    int body = -1;
    float slack = 0;  // how far from its plane points are of its surface [m]
    Light own, mean;
  };
  bool sameSurface(const Block& block, const SurfacePoint& point) const {
    return block.body == point.body && dot(block.normal, point.normal) > 0.8F &&
           std::abs(dot(block.normal, point.offset - block.offset)) < block.slack;
  }
  void look(size_t block, int k, const SurfacePoint& point, Ray& ray) const;
  Light meanAround(int column, int row) const;

  const Sight& sight_;
  const Surroundings& around_;
  LightSettings settings_;
  int width_, height_, columns_, rows_;
  std::vector<Block> blocks_;
};

}  // namespace cairn::v0
