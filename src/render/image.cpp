#include "src/render/image.hpp"

#include <cairn/error.hpp>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn::v0 {

void encode(Vec3d colour, unsigned char* rgb) {
  for (const double c : {colour.x, colour.y, colour.z}) {
    const double encoded = std::pow(std::clamp(c, 0.0, 1.0), 1 / 2.2);  // display gamma
    *rgb++ = static_cast<unsigned char>(std::lround(255 * encoded));
  }
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
