#include "src/io/picture.hpp"
#include "tests/support/files.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <set>

namespace cairn {
namespace {

struct Pixels {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

Pixels readPng(const std::string& path) {
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

using test::freshPath;

TEST(Picture, ShowsBodiesInColourGroundAndSky) {
  const Scene scene = loadScene("pyramid:base=6");
  const World world(scene);
  const std::string path = freshPath("cairn-picture.png");
  PictureSettings settings;
  settings.width = 160;
  settings.height = 90;
  writePicture(world, scene, path, settings);
  const Pixels pixels = readPng(path);
  ASSERT_EQ(pixels.width, 160);
  ASSERT_EQ(pixels.height, 90);
  std::set<int> hues;
  int coloured = 0;
  for (size_t i = 0; i + 2 < pixels.rgb.size(); i += 3) {
    const int r = pixels.rgb[i], g = pixels.rgb[i + 1], b = pixels.rgb[i + 2];
    hues.insert(r / 16 * 256 + g / 16 * 16 + b / 16);
    if (std::max({r, g, b}) - std::min({r, g, b}) > 40) ++coloured;
  }
  EXPECT_GT(hues.size(), 30u);
  EXPECT_GT(coloured, 160 * 90 / 20);  // the pyramid fills a good part of it
  std::filesystem::remove(path);
}

TEST(Picture, TheCameraHasTheBodiesInView) {
  const Scene scene = loadScene("tower:height=30");
  const World world(scene);
  const double aspect = 16.0 / 9;
  const Camera camera = frameBodies(scene, world.states(), aspect);
  for (const BodyState& state : world.states()) {
    if (state.pose.p.y < 0) continue;  // the ground
    const Vec3d d = state.pose.p - camera.eye;
    const double depth = dot(d, camera.forward);
    ASSERT_GT(depth, 0);
    EXPECT_LT(std::abs(dot(d, camera.up)) / depth, camera.tangent);
    EXPECT_LT(std::abs(dot(d, camera.right)) / depth, camera.tangent * aspect);
  }
}

TEST(Picture, ContainersAreSeenThrough) {
  const Scene scene = loadScene("pile:count=300,shape=box");
  World world(scene);
  world.step(10);
  const std::string path = freshPath("cairn-container.png");
  PictureSettings settings;
  settings.width = 96;
  settings.height = 54;
  settings.samples = 1;
  writePicture(world, scene, path, settings);
  const Pixels pixels = readPng(path);
  int coloured = 0;
  for (size_t i = 0; i + 2 < pixels.rgb.size(); i += 3) {
    const int r = pixels.rgb[i], g = pixels.rgb[i + 1], b = pixels.rgb[i + 2];
    if (std::max({r, g, b}) - std::min({r, g, b}) > 25) ++coloured;
  }
  EXPECT_GT(coloured, 96 * 54 / 20);
  std::filesystem::remove(path);
}

TEST(Picture, ACannotWriteIsSaidWithTheFile) {
  const Scene scene = loadScene("tower:height=2");
  const World world(scene);
  PictureSettings settings;
  settings.width = 8;
  settings.height = 8;
  try {
    writePicture(world, scene, "/nonexistent/picture.png", settings);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.place, "/nonexistent/picture.png");
  }
  settings.width = 0;
  EXPECT_THROW(writePicture(world, scene, freshPath("cairn-none.png"), settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
