// Pixels on their way to a PNG.
#pragma once

#include "src/io/picture.hpp"

#include <string>
#include <vector>

namespace cairn::v0 {

inline Vec3d mixed(Vec3d a, Vec3d b, double t) { return (1 - t) * a + t * b; }

// Sums of linear colours, 0 to 1.
class Image {
 public:
  Image(int width, int height) : width_(width), height_(height), sums_(static_cast<size_t>(width) * static_cast<size_t>(height), Vec3d{0, 0, 0}) {}
  void add(size_t pixel, Vec3d colour) { sums_[pixel] += colour; }
  // So many samples were added to each pixel. Throws InvalidInput if the file cannot be written.
  void write(const std::string& path, double samples) const;

 private:
  int width_, height_;
  std::vector<Vec3d> sums_;
};

// Throws InvalidInput.
void requireInRange(const PictureSettings& settings);

// Calls visit(pixel, x, y) for the samples of each pixel; x and y are -1 to 1 from left to right and from the bottom to the top.
template <class Visit> void forEachSample(const PictureSettings& settings, const Visit& visit) {
  for (int y = 0; y < settings.height; ++y) {
    for (int x = 0; x < settings.width; ++x) {
      for (int s = 0; s < settings.samples * settings.samples; ++s) {
        const double fx = (x + (s % settings.samples + 0.5) / settings.samples) / settings.width * 2 - 1;
        const double fy = 1 - (y + (s / settings.samples + 0.5) / settings.samples) / settings.height * 2;
        visit(static_cast<size_t>(y) * static_cast<size_t>(settings.width) + static_cast<size_t>(x), fx, fy);
      }
    }
  }
}

}  // namespace cairn::v0
