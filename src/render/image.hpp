// Pixels in memory, and as PNG files.
#pragma once

#include <cairn/math.hpp>
#include <cairn/scene.hpp>

#include <string>
#include <vector>

namespace cairn::v0 {

// A picture that is done: rows from the top, three bytes a pixel (red, green, blue, sRGB).
struct Picture {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

// Throws InvalidInput if the file cannot be written.
void writePng(const std::string& path, const Picture& picture);

inline Vec3d mixed(Vec3d a, Vec3d b, double t) { return (1 - t) * a + t * b; }

// A linear colour, 0 to 1, as three bytes of a display.
void encode(Vec3<float> colour, unsigned char* rgb);

}  // namespace cairn::v0
