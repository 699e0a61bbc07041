#include "src/cli/filming.hpp"

#include "src/cli/output_file.hpp"
#include "src/cli/setting_options.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

constexpr int kFastest = 240;  // pictures a second
constexpr double kSlowestSpeed = 1e-3, kFastestSpeed = 1e3;

}  // namespace

void addLook(CLI::App& command, LookOptions& options) {
  command
      .add_option("--camera", options.camera,
                  "Where pictures are taken from: eye=x,y,z,target=x,y,z,fov=degrees; angle=degrees,elevation=degrees; orbit")
      ->type_name("CAMERA");
  command.add_option("--size", options.size, "Of pictures, in pixels (default: 1280x720)")->type_name("WIDTHxHEIGHT");
  command
      .add_option("--colour-by", options.colourBy,
                  "Colours of pictures: body (default), speed, force, island, asleep, graph; speed=5 [m/s], force=100 [N]: scaled to that")
      ->type_name("WHAT");
}

Look lookOf(const LookOptions& options) {
  Look look;
  if (!options.size.empty()) parseSize("--size", options.size, look.settings);
  if (!options.colourBy.empty()) look.settings.colouring = parseColouring("--colour-by", options.colourBy);
  if (!options.camera.empty()) look.camera = parseCamera("--camera", options.camera);
  return look;
}

void addFilm(CLI::App& command, FilmOptions& options, const std::string& film, const std::string& speed) {
  command.add_option(film, options.film, "Film: .mp4, .webm and .gif by the program ffmpeg, .png as an animation")->type_name("FILE");
  command.add_option("--frames", options.frames, "Folder for the film's pictures, one file each")->type_name("FOLDER");
  command.add_option("--fps", options.fps, fmt::format("Pictures a second of the film, 1..{}", kFastest))
      ->check(wholeNumber(1, kFastest))
      ->type_name("N")
      ->capture_default_str();
  command.add_option(speed, options.speed, "Seconds of the scene in a second of the film, > 0: 0.25 is slow motion")
      ->transform(number<double>())
      ->check([speed](const std::string& text) {
        const double value = std::stod(text);
        if (value >= kSlowestSpeed && value <= kFastestSpeed) return std::string();
        return fmt::format("must be {}..{}, is {}", kSlowestSpeed, kFastestSpeed, text);
      })
      ->type_name("FACTOR")
      ->capture_default_str();
}

void requireFilms(const FilmOptions& options, const std::string& option, const Look& look) {
  if (!options.film.empty()) {
    requireEnding(option, options.film, kFilmEndings);
    requireFilm(option + " " + options.film, options.film, {look.settings.width, look.settings.height, options.fps});
    requireWritable(option, options.film);
  }
  if (!options.frames.empty()) {
    if (holdsFrames(options.frames)) throw InvalidInput("--frames " + options.frames, "holds pictures of a film already: name another folder");
    requireDirectory(options.frames);
  }
}

Filming::Filming(const FilmOptions& options, const Scene& scene, const Look& look)
    : options_(options), scene_(scene), colouring_(look.settings.colouring), renderer_(scene, look.settings.forFilm()) {
  const FilmFormat format{look.settings.width, look.settings.height, options.fps};
  if (!options.film.empty()) films_.push_back(makeFilm(options.film, format));
  if (!options.frames.empty()) films_.push_back(makeFrameFolder(options.frames));
}

void Filming::add(const World& world, const Camera& camera) { add(world, camera, numbersOf(world, scene_, colouring_.by)); }

void Filming::add(const World& world, const Camera& camera, const BodyNumbers& numbers) {
  Colouring colouring = colouring_;
  if (colouring.hasScale() && !colouring.full) {
    full_ = std::max(full_, fullScale(numbers, scene_));
    if (full_ > 0) colouring.full = full_;
  }
  const Picture picture = renderer_.draw(world, camera, coloursOf(numbers, scene_, colouring));
  for (const auto& film : films_) film->add(picture);
  ++pictures_;
}

void Filming::finish() {
  for (const auto& film : films_) film->finish();
}

}  // namespace cairn::cli
