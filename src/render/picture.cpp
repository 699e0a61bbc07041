#include "src/render/picture.hpp"

#include <cairn/error.hpp>

#include <charconv>

namespace cairn::v0 {

constexpr int kLargestSide = 16384;

void requireInRange(const PictureSettings& settings) {
  if (settings.width < 1 || settings.width > kLargestSide || settings.height < 1 || settings.height > kLargestSide) {
    throw InvalidInput("picture size", "must be 1..16384 pixels a side");
  }
  const auto require = [](int value, int low, int high, const char* what) {
    if (value < low || value > high)
      throw InvalidInput(std::string("picture ") + what, "must be " + std::to_string(low) + ".." + std::to_string(high));
  };
  require(settings.edgeRays, 0, 64, "edgeRays");
  require(settings.lightBlock, 1, 4, "lightBlock");
  require(settings.sunRays, 1, 64, "sunRays");
  require(settings.skyRays, 1, 64, "skyRays");
  require(settings.looksAlone, 1, 16, "looksAlone");
}

void parseSize(const std::string& place, const std::string& text, PictureSettings& settings) {
  const char* const end = text.data() + text.size();
  const auto [cross, first] = std::from_chars(text.data(), end, settings.width);
  bool read = first == std::errc() && cross != end && *cross == 'x';
  if (read) {
    const auto [stop, second] = std::from_chars(cross + 1, end, settings.height);
    read = second == std::errc() && stop == end;
  }
  const auto fits = [](int side) { return side >= 1 && side <= kLargestSide; };
  if (!read || !fits(settings.width) || !fits(settings.height)) {
    throw InvalidInput(place, "must be the width and height in pixels, 1..16384 each, as in 1280x720, is '" + text + "'");
  }
}

void writePicture(const World& world, const Scene& scene, const std::string& path, const PictureSettings& settings, const CameraChoice& camera) {
  const Renderer renderer(scene, settings);
  writePng(path, renderer.draw(world, frameBodies(scene, world.states(), settings.aspect(), camera)));
}

}  // namespace cairn::v0
