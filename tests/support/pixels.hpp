// Pictures as tests look at them.
#pragma once

#include <png.h>

#include <string>
#include <vector>

namespace cairn::test {

struct Pixels {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

// Empty where the file cannot be read.
inline Pixels readPng(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Pixels pixels;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return pixels;
  image.format = PNG_FORMAT_RGB;
  pixels.width = static_cast<int>(image.width);
  pixels.height = static_cast<int>(image.height);
  pixels.rgb.resize(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, pixels.rgb.data(), 0, nullptr);
  return pixels;
}

}  // namespace cairn::test
