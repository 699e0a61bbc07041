// Height fields of scenes from pictures: PNG files that libpng's other interface and hands have written.
#include "src/io/grey_image.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/files.hpp"

#include <cairn/height_field.hpp>

#include <gtest/gtest.h>
#include <png.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace cairn {
namespace {

using namespace test;

// A PNG as a user's program writes it: rows of pixels as bytes, high ones first.
struct Picture {
  int width = 0, height = 0, bits = 8, colour = PNG_COLOR_TYPE_GRAY, interlace = PNG_INTERLACE_NONE;
  double gamma = 0;  // none
  std::vector<unsigned char> bytes;

  std::string write(const std::string& name) const {
    const std::string path = freshPath(name);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, png_uint_32(width), png_uint_32(height), bits, colour, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (gamma > 0) png_set_gAMA(png, info, gamma);
    png_color palette[1 << 8] = {};
    if (colour == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 1 << bits);
    std::vector<unsigned char> copy = bytes;
    std::vector<png_bytep> rows;
    const size_t stride = bytes.size() / size_t(height);
    for (size_t row = 0; row < size_t(height); ++row) rows.push_back(copy.data() + row * stride);
    png_set_rows(png, info, rows.data());
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
    png_destroy_write_struct(&png, &info);
    std::fclose(file);
    return path;
  }
};

std::string bytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusalOf(const std::string& path, int64_t most = 1000000) {
  return messageOf([&] { readGreyPng(path, most); });
}

Scene sceneOf(const std::string& path, const std::string& range) {
  return parseScene(R"({"bodies": [{"type": "static", "shapes": [{"type": "height_field", "spacing": [0.5, 2], "file": ")" + path +
                        R"(", "height": )" + range + "}]}]}",
                    "s.json");
}

TEST(HeightImages, EightAndSixteenBitsAreFromTheLowestToTheHighest) {
  const Picture eight{3, 2, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, 0, {0, 51, 255, 102, 153, 204}};
  Scene scene = sceneOf(eight.write("cairn-heights-8.png"), "[-1, 4]");
  const HeightField& field = *scene.bodies[0].shapes[0].heights;
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  EXPECT_EQ(field.spacing, (std::array<double, 2>{0.5, 2}));
  const double expected[] = {-1, 0, 4, 1, 2, 3};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(field.heights[i], expected[i], 1e-15) << i;

  const Picture sixteen{2, 2, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, 0, {0, 0, 0, 1, 0x80, 0x00, 0xff, 0xff}};
  scene = sceneOf(sixteen.write("cairn-heights-16.png"), "[0, 6553.5]");
  const double finer[] = {0, 0.1, 3276.8, 6553.5};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(scene.bodies[0].shapes[0].heights->heights[i], finer[i], 1e-11) << i;
}

// Numbers as they stand in the file, whatever a viewer would do about them.
TEST(HeightImages, GammaAndInterlacingChangeNothing) {
  Picture picture{19, 11, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, 0, {}};
  for (int i = 0; i < 2 * picture.width * picture.height; ++i) picture.bytes.push_back(static_cast<unsigned char>(37 * i * i + 11 * i));
  const GreyImage plain = readGreyPng(picture.write("cairn-heights-plain.png"), 209);
  for (size_t i = 0; i < plain.samples.size(); ++i) EXPECT_EQ(plain.samples[i], picture.bytes[2 * i] << 8 | picture.bytes[2 * i + 1]) << i;
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    for (const double gamma : {1.0, 0.45455, 0.1}) {
      picture.interlace = interlace;
      picture.gamma = gamma;
      EXPECT_EQ(readGreyPng(picture.write("cairn-heights-other.png"), 209).samples, plain.samples) << interlace << ' ' << gamma;
    }
  }
}

TEST(HeightImages, WhatIsNamedTwiceIsOne) {
  const Picture picture{2, 2, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, 0, {0, 51, 255, 102}};
  const std::string path = picture.write("cairn-heights-shared.png");
  const auto shape = [&](const char* high) {
    return R"({"type": "height_field", "spacing": [1, 1], "file": ")" + path + R"(", "height": [0, )" + high + "]}";
  };
  const Scene scene =
      parseScene(R"({"bodies": [{"type": "static", "shapes": [)" + shape("1") + ", " + shape("1") + ", " + shape("2") + "]}]}", "s.json");
  const std::vector<ShapeDef>& shapes = scene.bodies[0].shapes;
  EXPECT_EQ(shapes[0].heights, shapes[1].heights);
  EXPECT_NE(shapes[0].heights, shapes[2].heights);
  EXPECT_EQ(shapes[2].heights->heights[2], 2);
}

TEST(HeightImages, OtherPicturesAndBrokenFilesAreRefused) {
  const auto written = [](int bits, int colour, size_t bytes) {
    return Picture{2, 2, bits, colour, PNG_INTERLACE_NONE, 0, std::vector<unsigned char>(bytes)}.write("cairn-heights-wrong.png");
  };
  const std::string path = written(8, PNG_COLOR_TYPE_RGB, 12), wrong = path + ": must be grey alone with 8 or 16 bits a pixel, has ";
  EXPECT_EQ(refusalOf(path), wrong + "colours or alpha");
  EXPECT_EQ(refusalOf(written(16, PNG_COLOR_TYPE_GRAY_ALPHA, 16)), wrong + "colours or alpha");
  EXPECT_EQ(refusalOf(written(8, PNG_COLOR_TYPE_PALETTE, 4)), wrong + "colours or alpha");
  EXPECT_EQ(refusalOf(written(4, PNG_COLOR_TYPE_GRAY, 2)), wrong + "4 bits");
  EXPECT_EQ(refusalOf(written(16, PNG_COLOR_TYPE_GRAY, 8), 3), path + ": must have at most 3 pixels, is 2 x 2");
  EXPECT_EQ(refusalOf(::testing::TempDir()), ::testing::TempDir() + ": is a folder, not a picture");

  const std::string whole = bytesOf(written(16, PNG_COLOR_TYPE_GRAY, 8));
  const auto refusalOfBytes = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return refusalOf(path);
  };
  EXPECT_EQ(refusalOfBytes(whole), "accepted");
  EXPECT_EQ(refusalOfBytes("solid heap\n"), path + ": is no PNG file");
  EXPECT_EQ(refusalOfBytes(""), path + ": is no PNG file");
  // Cut off anywhere, and with any byte of what carries pixels changed: checksums tell.
  for (size_t length = 8; length < whole.size(); ++length)
    EXPECT_EQ(refusalOfBytes(whole.substr(0, length)).find(path + ": is no whole PNG file: "), 0u) << length;
  for (size_t i = 8; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(refusalOfBytes(changed).find(path), std::string::npos) << i;
  }
}

}  // namespace
}  // namespace cairn
