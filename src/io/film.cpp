#include "src/io/film.hpp"

#include "src/io/animated_png.hpp"
#include "src/io/ffmpeg.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace cairn::v0 {
namespace {

namespace fs = std::filesystem;

constexpr int kFastestGif = 50;  // it counts hundredths of a second, and players take less than two of them for ten

class FrameFolder : public Film {
 public:
  explicit FrameFolder(const std::string& path) : path_(path) {}
  void add(const Picture& picture) override { writePng((fs::path(path_) / fmt::format("frame-{:06}.png", next_++)).string(), picture); }
  void finish() override {}

 private:
  std::string path_;
  int next_ = 0;
};

std::string endingOf(const std::string& path) { return inSmallLetters(fs::path(path).extension().string()); }

}  // namespace

bool needsFfmpeg(const std::string& path) { return endingOf(path) != ".png"; }

void requireFilm(const std::string& place, const std::string& path, const FilmFormat& format) {
  const std::string ending = endingOf(path);
  if (!needsFfmpeg(path)) return;
  if (ending == ".gif" && format.fps > kFastestGif) {
    throw InvalidInput(place, fmt::format("a .gif has at most {} pictures a second, not {}", kFastestGif, format.fps));
  }
  if (ending != ".gif" && (format.width % 2 != 0 || format.height % 2 != 0)) {
    throw InvalidInput(place, fmt::format("a {} has an even width and height, not {}x{}", ending, format.width, format.height));
  }
  requireFfmpeg(place, ending);
}

std::unique_ptr<Film> makeFilm(const std::string& path, const FilmFormat& format) {
  if (needsFfmpeg(path)) return std::make_unique<FfmpegFilm>(path, endingOf(path), format);
  return std::make_unique<AnimatedPng>(path, format);
}

std::unique_ptr<Film> makeFrameFolder(const std::string& path) { return std::make_unique<FrameFolder>(path); }

bool holdsFrames(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, 6, "frame-") == 0 && endingOf(name) == ".png") return true;
  }
  return false;
}

}  // namespace cairn::v0
