// Where in the pixels rays go.
#pragma once

#include "src/render/picture.hpp"

namespace cairn::v0 {

// A side of a pixel.
inline int samplesOf(const PictureSettings& settings) { return settings.edgeRays > 0 ? 2 : 1; }

// Calls visit(pixel, x, y) for the samples of each pixel; x and y are -1 to 1 from left to right and from the bottom to the top.
template <class Visit> void forEachSample(const PictureSettings& settings, const Visit& visit) {
  const int samples = samplesOf(settings);
  for (int y = 0; y < settings.height; ++y) {
    for (int x = 0; x < settings.width; ++x) {
      for (int s = 0; s < samples * samples; ++s) {
        const double fx = (x + (s % samples + 0.5) / samples) / settings.width * 2 - 1;
        const double fy = 1 - (y + (s / samples + 0.5) / samples) / settings.height * 2;
        visit(static_cast<size_t>(y) * static_cast<size_t>(settings.width) + static_cast<size_t>(x), fx, fy);
      }
    }
  }
}

// The sums of the samples' linear colours as a picture.
inline Picture averaged(const std::vector<Vec3d>& sums, const PictureSettings& settings) {
  Picture picture{settings.width, settings.height, std::vector<unsigned char>(3 * sums.size())};
  const double scale = 1.0 / (samplesOf(settings) * samplesOf(settings));
  for (size_t i = 0; i < sums.size(); ++i) encode(convert<float>(scale * sums[i]), &picture.rgb[3 * i]);
  return picture;
}

}  // namespace cairn::v0
