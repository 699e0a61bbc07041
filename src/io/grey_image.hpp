// Grey pictures as numbers.
#pragma once

#include <cairn/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::v0 {

struct GreyImage {
  int width = 0, height = 0;
  int most = 0;                   // of a pixel: 255 or 65535
  std::vector<uint16_t> samples;  // row by row from the top, as they stand in the file: nothing is done about gamma
};

// Of a PNG file, grey, with 8 or 16 bits a pixel and nothing else in it. Throws InvalidInput with the path for any other, and for one that has more
// than this number of pixels, before there is room for them.
GreyImage readGreyPng(const std::string& path, int64_t mostPixels);

}  // namespace cairn::v0
