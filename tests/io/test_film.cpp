#include "src/io/animated_png.hpp"
#include "src/io/ffmpeg.hpp"
#include "src/io/film.hpp"
#include "src/io/film_camera.hpp"
#include "tests/support/files.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace cairn {
namespace {

namespace fs = std::filesystem;
using test::freshPath;
using Bytes = std::vector<unsigned char>;

constexpr FilmFormat kSmall{40, 24, 20};

// A red square that goes right on a slope of grey.
Picture picture(const FilmFormat& format, int at) {
  Picture result{format.width, format.height, Bytes(static_cast<size_t>(3 * format.width * format.height))};
  for (int y = 0; y < format.height; ++y) {
    for (int x = 0; x < format.width; ++x) {
      unsigned char* pixel = &result.rgb[static_cast<size_t>(3 * (y * format.width + x))];
      const bool square = x >= at && x < at + 6 && y >= 8 && y < 14;
      pixel[0] = static_cast<unsigned char>(square ? 230 : 3 * x);
      pixel[1] = pixel[2] = static_cast<unsigned char>(square ? 20 : 3 * x);
    }
  }
  return result;
}

struct Chunk {
  std::string type;
  Bytes data;
  uint32_t number(size_t at) const { return uint32_t(data[at]) << 24 | uint32_t(data[at + 1]) << 16 | uint32_t(data[at + 2]) << 8 | data[at + 3]; }
};

// Checks signature and checksums.
std::vector<Chunk> chunksOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8), 0);
  std::vector<Chunk> chunks;
  for (size_t at = 8; at < bytes.size();) {
    const Chunk number{"", {bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + 4)}};
    const size_t length = number.number(0);
    Chunk chunk{std::string(&bytes[at + 4], &bytes[at + 8]), Bytes(&bytes[at + 8], &bytes[at + 8] + length)};
    const Chunk sum{"", Bytes(&bytes[at + 8 + length], &bytes[at + 8 + length] + 4)};
    EXPECT_EQ(sum.number(0), crc32(0, &bytes[at + 4], static_cast<uInt>(length + 4))) << chunk.type;
    chunks.push_back(std::move(chunk));
    at += length + 12;
  }
  return chunks;
}

void append(Bytes& bytes, const char* type, const Bytes& data) {
  Bytes chunk(type, type + 4);
  chunk.insert(chunk.end(), data.begin(), data.end());
  const auto number = [&](uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<unsigned char>(value >> shift));
  };
  number(static_cast<uint32_t>(data.size()));
  bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  number(static_cast<uint32_t>(crc32(0, chunk.data(), static_cast<uInt>(chunk.size()))));
}

// A part of a picture, decoded by libpng as a picture of its own.
Bytes decoded(const Chunk& header, uint32_t width, uint32_t height, const Bytes& rows) {
  const char signature[] = "\x89PNG\r\n\x1a\n";
  Bytes file(signature, signature + 8), size = header.data;
  for (int k = 0; k < 4; ++k) {
    size[static_cast<size_t>(k)] = static_cast<unsigned char>(width >> (24 - 8 * k));
    size[static_cast<size_t>(4 + k)] = static_cast<unsigned char>(height >> (24 - 8 * k));
  }
  append(file, "IHDR", size);
  append(file, "IDAT", rows);
  append(file, "IEND", {});
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Bytes pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

// The pictures of an animation as a viewer shows them.
std::vector<Bytes> shown(const std::string& path) {
  const std::vector<Chunk> chunks = chunksOf(path);
  std::vector<Bytes> pictures;
  if (chunks.size() < 4 || chunks[0].type != "IHDR" || chunks[1].type != "acTL" || chunks.back().type != "IEND") {
    ADD_FAILURE() << "not an animation";
    return pictures;
  }
  const uint32_t wide = chunks[0].number(0);
  Bytes canvas(3 * size_t(wide) * chunks[0].number(4));
  uint32_t sequence = 0;
  const Chunk* control = nullptr;
  for (const Chunk& chunk : chunks) {
    if (chunk.type == "fcTL") {
      EXPECT_EQ(chunk.number(0), sequence++);
      control = &chunk;
    }
    if (chunk.type != "IDAT" && chunk.type != "fdAT") continue;
    Bytes rows = chunk.data;
    if (chunk.type == "fdAT") {
      EXPECT_EQ(chunk.number(0), sequence++);
      rows.erase(rows.begin(), rows.begin() + 4);
    }
    const uint32_t width = control->number(4), height = control->number(8), x = control->number(12), y = control->number(16);
    const Bytes pixels = decoded(chunks[0], width, height, rows);
    for (size_t row = 0; row < height; ++row) std::memcpy(&canvas[3 * ((y + row) * wide + x)], &pixels[3 * row * width], 3 * size_t(width));
    pictures.push_back(canvas);
  }
  EXPECT_EQ(chunks[1].number(0), pictures.size());
  return pictures;
}

TEST(AnimatedPng, ItsPicturesAreThoseThatWereAdded) {
  const std::string path = freshPath("cairn-film.png");
  const std::vector<int> places{0, 3, 3, 30, 34, -10, 5};  // it stands still once, and is out of the picture once
  AnimatedPng film(path, kSmall);
  for (size_t k = 0; k < places.size(); ++k) {
    film.add(picture(kSmall, places[k]));
    EXPECT_EQ(shown(path + ".partial").size(), k + 1);  // whole at any time
  }
  EXPECT_FALSE(fs::exists(path));
  film.finish();
  EXPECT_FALSE(fs::exists(path + ".partial"));
  const std::vector<Bytes> pictures = shown(path);
  ASSERT_EQ(pictures.size(), places.size());
  for (size_t k = 0; k < places.size(); ++k) EXPECT_EQ(pictures[k], picture(kSmall, places[k]).rgb) << k;
  for (const Chunk& chunk : chunksOf(path)) {
    if (chunk.type != "fcTL") continue;
    EXPECT_EQ(chunk.number(20), 1u << 16 | 20u);  // for 1/20 s
  }
  fs::remove(path);
}

TEST(AnimatedPng, AnUnfinishedOneLeavesNothingBehind) {
  const std::string path = freshPath("cairn-unfinished.png");
  { AnimatedPng(path, kSmall).add(picture(kSmall, 1)); }
  EXPECT_FALSE(fs::exists(path) || fs::exists(path + ".partial"));
  EXPECT_THROW(AnimatedPng("/nonexistent/film.png", kSmall), InvalidInput);
}

TEST(Film, FramesAreNumberedPictures) {
  const std::string folder = freshPath("cairn-frames");
  fs::create_directory(folder);
  EXPECT_FALSE(holdsFrames(folder));
  const std::unique_ptr<Film> film = makeFrameFolder(folder);
  for (const int at : {1, 2, 3}) film->add(picture(kSmall, at));
  film->finish();
  EXPECT_TRUE(holdsFrames(folder));
  EXPECT_TRUE(fs::exists(fs::path(folder) / "frame-000002.png"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 3);
  fs::remove_all(folder);
}

std::string refusal(const std::string& path, const FilmFormat& format) {
  try {
    requireFilm("--film", path, format);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Film, WhatAFileCannotBeIsRefused) {
  EXPECT_EQ(refusal("x.png", {41, 23, 200}), "");
  EXPECT_EQ(refusal("x.MP4", {41, 24, 30}), "--film: a .mp4 has an even width and height, not 41x24");
  EXPECT_EQ(refusal("x.webm", {40, 23, 30}), "--film: a .webm has an even width and height, not 40x23");
  EXPECT_EQ(refusal("x.gif", {41, 23, 60}), "--film: a .gif has at most 50 pictures a second, not 60");
}

TEST(Film, FfmpegMakesFilms) {
  for (const char* ending : {".mp4", ".gif", ".webm"}) {
    const std::string path = freshPath(std::string("cairn-film") + ending);
    const std::string reason = refusal(path, {64, 48, 20});
    if (!reason.empty()) GTEST_SKIP() << "skipped: " << reason;
    const std::unique_ptr<Film> film = makeFilm(path, {64, 48, 20});
    for (int at = 0; at < 8; ++at) film->add(picture({64, 48, 20}, at));
    film->finish();
    EXPECT_GT(fs::file_size(path), 500u) << path;
    EXPECT_FALSE(fs::exists(path + ".partial"));
    fs::remove(path);
    { makeFilm(path, {64, 48, 20})->add(picture({64, 48, 20}, 0)); }
    EXPECT_FALSE(fs::exists(path) || fs::exists(path + ".partial"));
  }
}

TEST(Film, FfmpegSaysWhyItCannotWrite) {
  if (const std::string reason = refusal("x.mp4", {64, 48, 20}); !reason.empty()) GTEST_SKIP() << "skipped: " << reason;
  const std::unique_ptr<Film> film = makeFilm("/nonexistent/film.mp4", {64, 48, 20});
  try {
    for (int k = 0; k < 1000; ++k) film->add(picture({64, 48, 20}, k));
    film->finish();
    ADD_FAILURE() << "it was written";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.place, "/nonexistent/film.mp4");
    EXPECT_NE(error.reason.find("No such file"), std::string::npos) << error.reason;
  }
}

// A body that jumps aside is followed, and not at once.
TEST(FollowingCamera, ComesAfterWhatMoves) {
  Scene scene;
  BodyDef ball;
  ball.shapes.push_back(ShapeDef::sphere(0.5));
  scene.add(ball);
  std::vector<BodyState> states(1, BodyState{{}, {0, 0, 0}, {0, 0, 0}});
  states[0].pose = {{0, 0, 0}, {0, 0, 0, 1}};
  FollowingCamera camera(scene, {}, 1.5);
  const Camera first = camera.at(0, states);
  EXPECT_NEAR(length(camera.at(1, states).eye - first.eye), 0, 1e-12);
  states[0].pose.p.x = 10;
  const double soon = length(camera.at(1.1, states).eye - first.eye);
  EXPECT_GT(soon, 0.1);
  EXPECT_LT(soon, 2);
  EXPECT_NEAR(length(camera.at(30, states).eye - first.eye), 10, 1e-6);

  CameraChoice fixed;
  fixed.eye = Vec3d{0, 1, 8};
  fixed.target = Vec3d{0, 0, 0};
  FollowingCamera still(scene, fixed, 1.5);
  EXPECT_EQ(length(still.at(0, states).eye - *fixed.eye), 0);
  states[0].pose.p.x = 0;
  EXPECT_EQ(length(still.at(2, states).eye - *fixed.eye), 0);

  CameraChoice orbit;
  orbit.period = 4;
  FollowingCamera round(scene, orbit, 1.5);
  const Vec3d begin = round.at(0, states).eye, opposite = round.at(2, states).eye;
  EXPECT_NEAR(length(round.at(4, states).eye - begin), 0, 1e-9);
  EXPECT_NEAR(begin.x + opposite.x, 0, 1e-9);
  EXPECT_NEAR(begin.z + opposite.z, 0, 1e-9);
}

}  // namespace
}  // namespace cairn
