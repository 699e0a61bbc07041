// cairn picture: one moment of a recording.
#include "src/cli/commands.hpp"
#include "src/cli/filming.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/recorded_world.hpp"

namespace cairn::cli {
namespace {

struct PictureOptions {
  std::string recording, out;
  LookOptions look;
  double time = 0;
  bool timeGiven = false;
  WorldSettings settings;
};

void picture(const PictureOptions& options) {
  const Look look = lookOf(options.look);
  requireEnding("--out", options.out, kPictureEndings);
  requireWritable("--out", options.out);
  requireUsable(options.settings);
  RecordedWorld recorded(options.recording, options.settings);
  const RecordingReader& recording = recorded.recording();
  const Scene& scene = recording.scene();
  const Colouring& colouring = look.settings.colouring;
  recorded.requireColours(colouring.by);
  const double time = options.timeGiven ? recorded.requireTime("--time", options.time) : recording.time(recording.frameCount() - 1);
  recorded.goTo(time);
  const World& world = recorded.world();
  const Camera camera = frameBodies(scene, world.states(), look.settings.aspect(), look.camera);
  const std::vector<Vec3<float>> colours = coloursOf(recorded.numbersAt(time, colouring.by), scene, colouring);
  writePng(options.out, Renderer(scene, look.settings).draw(world, camera, colours));
}

}  // namespace

void addPictureCommand(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("picture", "Draw a moment of a recording");
  auto options = std::make_shared<PictureOptions>();
  command->add_option("recording", options->recording, "What `cairn run --record` has written, or is writing")->type_name("RECORDING")->required();
  command->add_option("--out", options->out, "Picture as PNG")->type_name("FILE")->required();
  addSeconds(*command, "--time", options->time, "Time in the scene [s] (default: the recording's end)");
  addLook(*command, options->look);
  addTarget(*command, options->settings);
  command->callback([options, command] {
    options->timeGiven = command->count("--time") > 0;
    picture(*options);
  });
}

}  // namespace cairn::cli
