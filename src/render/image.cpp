#include "src/render/image.hpp"

#include <cairn/error.hpp>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn::v0 {

namespace {

// Bytes by linear brightness, in steps that are finer than theirs.
constexpr int kSteps = 1 << 14;
std::vector<unsigned char> gammaTable() {
  std::vector<unsigned char> bytes(kSteps + 1);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(std::lround(255 * std::pow(static_cast<double>(i) / kSteps, 1 / 2.2)));
  return bytes;
}

}  // namespace

void encode(Vec3<float> colour, unsigned char* rgb) {
  static const std::vector<unsigned char> table = gammaTable();
  for (const float c : {colour.x, colour.y, colour.z})
    *rgb++ = table[static_cast<size_t>(std::min(std::max(0.0F, c), 1.0F) * kSteps + 0.5F)];  // black where it is none
}

void writePng(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  const std::string partial = path + ".partial";
  if (png_image_write_to_file(&image, partial.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0 || std::rename(partial.c_str(), path.c_str()) != 0) {
    std::remove(partial.c_str());
    throw InvalidInput(path, "cannot be written");
  }
}

}  // namespace cairn::v0
