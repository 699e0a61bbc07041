#include "src/io/image.hpp"

#include <cairn/error.hpp>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn::v0 {

void Image::write(const std::string& path, double samples) const {
  std::vector<unsigned char> bytes;
  bytes.reserve(3 * sums_.size());
  for (const Vec3d& sum : sums_) {
    for (const double c : {sum.x, sum.y, sum.z}) {
      const double encoded = std::pow(std::clamp(c / samples, 0.0, 1.0), 1 / 2.2);  // display gamma
      bytes.push_back(static_cast<unsigned char>(std::lround(255 * encoded)));
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  const std::string partial = path + ".partial";
  if (png_image_write_to_file(&image, partial.c_str(), 0, bytes.data(), 0, nullptr) == 0 || std::rename(partial.c_str(), path.c_str()) != 0) {
    std::remove(partial.c_str());
    throw InvalidInput(path, "cannot be written");
  }
}

void requireInRange(const PictureSettings& settings) {
  if (settings.width < 1 || settings.width > 16384 || settings.height < 1 || settings.height > 16384) {
    throw InvalidInput("picture size", "must be 1..16384 pixels a side");
  }
  if (settings.samples < 1 || settings.samples > 8) throw InvalidInput("picture samples", "must be 1..8");
}

}  // namespace cairn::v0
