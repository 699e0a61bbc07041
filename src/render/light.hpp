// How much light comes to the surfaces of a picture: from the sun, which is a disk, and from the sky, as far as near things leave it open.
//
// Blocks of pixels share their looks at the light. Each block looks at a few points of the sun and in a few directions; which ones repeats every four
// blocks across and down, so that any four by four blocks have looked at a fixed set of well spread points, each once (interleaved sampling, Keller
// and Heidrich 2001). The mean over those of them that lie on the same surface is free of noise where the surface is larger than that. What is
// smaller, a ledge thinner than a pixel or the last pixels of a corner, is looked at for itself, or it would be a dotted line.
#pragma once

#include "src/render/sight.hpp"

#include <functional>
#include <vector>

namespace cairn::v0 {

struct Light {
  float sun = 1, sky = 1;  // parts that come through
};

struct LightSettings {
  int block = 1;                 // pixels a side
  int sunRays = 2, skyRays = 4;  // a block
  int looksAlone = 8;            // of a place whose neighbours do not say how light it is: 1..16 times as many rays
  float reach = 1;               // that things take the sky's light away over [m]
};

class LightMap {
 public:
  // `points` are those of the pixels' middles.
  LightMap(const Sight& sight, const Surroundings& around, const LightSettings& settings, int width, int height);
  // Returns how many rays it took, as `lightOf`.
  size_t measure(const std::vector<SurfacePoint>& points, float pixel);
  // Of points at places of the picture [pixels], those in the sky left out. Where no block nearby lies on a point's surface it looks for itself.
  size_t lightOf(const std::vector<SurfacePoint>& points, const std::function<std::pair<float, float>(size_t)>& place,
                 std::vector<Light>& lights) const;

 private:
  struct Block {
    Vec3f offset{0, 0, 0}, normal{0, 0, 0};
    int body = -1, shape = -1;
    float slack = 0;  // how far from its plane points are of its surface [m]
    Light own, mean;
  };
  bool sameSurface(const Block& block, const SurfacePoint& point) const {
    return block.body == point.body && block.shape == point.shape && dot(block.normal, point.normal) > 0.8F &&
           std::abs(dot(block.normal, point.offset - block.offset)) < block.slack;
  }
  struct Look {
    const SurfacePoint* point;
    int pattern;  // which of the sixteen sets of points and directions
  };
  bool at(float x, float y, const SurfacePoint& point, Light& light) const;
  size_t look(const std::vector<Look>& looks, std::vector<Light>& lights) const;
  // By several looks of each: the means.
  size_t lookLong(const std::vector<Look>& looks, std::vector<Light>& lights) const;
  // False: the few blocks of this surface that there are around do not agree.
  bool meanAround(int column, int row, Light& mean) const;

  const Sight& sight_;
  const Surroundings& around_;
  LightSettings settings_;
  int width_, height_, columns_, rows_;
  std::vector<Block> blocks_;
};

}  // namespace cairn::v0
