// cairn film: a film of a recording.
#include "src/cli/commands.hpp"
#include "src/cli/filming.hpp"
#include "src/cli/options.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/recorded_world.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

constexpr size_t kFramesForCamera = 64;  // of those recorded

struct FilmCommandOptions {
  std::string recording;
  FilmOptions film;
  LookOptions look;
  double from = 0, to = 0;
  bool fromGiven = false, toGiven = false;
  WorldSettings settings;
};

// All that moves is in the picture, from the beginning to the end.
Framing framingOf(const RecordingReader& recording, size_t first, size_t last) {
  Framing framing(recording.scene());
  const size_t frames = last - first + 1, looks = std::min(frames, kFramesForCamera);
  for (size_t k = 0; k < looks; ++k) {
    const size_t at = looks > 1 ? first + k * (frames - 1) / (looks - 1) : first;
    framing.add(recording.frame(at).states);
  }
  return framing;
}

// A scale that serves all of it.
double fullScaleOf(const RecordedWorld& recorded, size_t first, size_t last, ColourBy by) {
  double full = 0;
  for (size_t k = first; k <= last; ++k) full = std::max(full, fullScale(recorded.numbersOfFrame(k, by), recorded.recording().scene()));
  return full;
}

void film(const FilmCommandOptions& options) {
  if (!options.film.wanted()) throw InvalidInput("film", "needs --out or --frames");
  Look look = lookOf(options.look);
  requireUsable(options.settings);
  RecordedWorld recorded(options.recording, options.settings);
  const RecordingReader& recording = recorded.recording();
  const double begin = recording.time(0), end = recording.time(recording.frameCount() - 1);
  const double from = options.fromGiven ? recorded.requireTime("--from", options.from) : begin;
  const double to = options.toGiven ? recorded.requireTime("--to", options.to) : end;
  if (to < from) throw InvalidInput("--to", fmt::format("must be --from or later: {} is before {} s", to, from));
  Colouring& colouring = look.settings.colouring;
  recorded.requireColours(colouring.by);
  requireFilms(options.film, "--out", look);

  const size_t first = recording.frameAt(from), last = recording.frameAt(to);
  const Framing framing = framingOf(recording, first, last);
  if (colouring.hasScale() && !colouring.full) {
    const double full = fullScaleOf(recorded, first, last, colouring.by);
    if (full > 0) colouring.full = full;
  }
  Filming filming(options.film, recording.scene(), look);
  const auto pictures = static_cast<long>(std::floor((to - from) * options.film.fps / options.film.speed + 1e-6)) + 1;
  Progress progress(options.recording + ", picture");
  while (filming.pictures() < pictures) {
    const double time = std::min(from + filming.nextTime(), to);
    recorded.goTo(time);
    const Camera camera = framing.camera(look.camera, look.settings.aspect(), filming.filmTime());
    filming.add(recorded.world(), camera, recorded.numbersAt(time, colouring.by));
    progress.show(filming.pictures(), pictures);
  }
  filming.finish();
}

}  // namespace

void addFilmCommand(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("film", "Make a film of a recording");
  auto options = std::make_shared<FilmCommandOptions>();
  command->add_option("recording", options->recording, "What `cairn run --record` has written, or is writing")->type_name("RECORDING")->required();
  addFilm(*command, options->film, "--out", "--speed");
  addSeconds(*command, "--from", options->from, "Time of the first picture [s] (default: the recording's beginning)");
  addSeconds(*command, "--to", options->to, "Time of the last one [s] (default: its end)");
  addLook(*command, options->look);
  addTarget(*command, options->settings);
  command->callback([options, command] {
    options->fromGiven = command->count("--from") > 0;
    options->toGiven = command->count("--to") > 0;
    film(*options);
  });
}

}  // namespace cairn::cli
