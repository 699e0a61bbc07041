// What commands that make films have in common: their options, and the way from a World to the files.
#pragma once

#include "src/io/film.hpp"
#include "src/render/picture.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cairn::cli {

// How pictures are taken, as --camera, --size and --colour-by have it.
struct LookOptions {
  std::string camera, size, colourBy;
};
struct Look {
  PictureSettings settings;
  CameraChoice camera;
};
void addLook(CLI::App& command, LookOptions& options);
// Throws InvalidInput.
Look lookOf(const LookOptions& options);

struct FilmOptions {
  std::string film, frames;  // a file, and a folder
  int fps = 30;
  double speed = 1;
  bool wanted() const { return !film.empty() || !frames.empty(); }
};
// `film` is the name of the option for the file.
void addFilm(CLI::App& command, FilmOptions& options, const std::string& film, const std::string& speed);
// Throws InvalidInput for what would fail later: before anything is done or written. Makes the folder, if there is to be one.
void requireFilms(const FilmOptions& options, const std::string& option, const Look& look);

// A film under way: pictures at times of the film, to each file that is wanted.
class Filming {
 public:
  // The scene outlives it.
  Filming(const FilmOptions& options, const Scene& scene, const Look& look);
  // Of the next picture [s]: by the clock of the scene, from the film's beginning.
  double nextTime() const { return static_cast<double>(pictures_) * options_.speed / options_.fps; }
  // In the film [s].
  double filmTime() const { return static_cast<double>(pictures_) / options_.fps; }
  void add(const World& world, const Camera& camera);
  // With numbers for the colours that are not the World's.
  void add(const World& world, const Camera& camera, const BodyNumbers& numbers);
  void finish();
  long pictures() const { return pictures_; }

 private:
  FilmOptions options_;
  const Scene& scene_;
  Colouring colouring_;
  double full_ = 0;  // the largest scale so far: colours of a film must not jump to and fro
  Renderer renderer_;
  std::vector<std::unique_ptr<Film>> films_;
  long pictures_ = 0;
};

}  // namespace cairn::cli
