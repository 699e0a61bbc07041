// cairn view: a page that shows a scene or a recording, or a server that shows a World while it runs.
#include "src/cli/commands.hpp"
#include "src/cli/model_file.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/setting_options.hpp"
#include "src/cli/world_of.hpp"
#include "src/io/recording_reader.hpp"
#include "src/view/collect_frame.hpp"
#include "src/view/live_server.hpp"
#include "src/view/recorded_frames.hpp"
#include "src/view/view_page.hpp"

#include <cairn/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace cairn::cli {
namespace {

constexpr double kFramesASecond = 60;

struct ViewOptions {
  std::string source, out;
  int steps = 0, every = 0, contacts = 1000;  // steps and every 0: not given
  bool live = false, open = false;
  int port = 0;
  WorldSettings settings;
};

// Without --out: the file is called as the scene is, and lies where the program was started.
std::string pageFor(const std::string& source) {
  const std::string name = source.substr(0, isNamedRecording(source) ? std::string::npos : source.find(':'));
  std::filesystem::path page = std::filesystem::path(name).stem();
  if (isNamedRecording(page.string())) page = page.stem();  // of one that is being written
  return page.string() + ".html";
}

void say(const PageFile& page, const std::string& path) {
  fmt::print("{}: {} frames, {:.1f} MB\n", path, page.frames(), static_cast<double>(page.bytes()) / 1e6);
}

void viewScene(const ViewOptions& options, const std::string& out) {
  const Scene scene = loadSceneOrModel(options.source);
  requireUsable(options.settings);
  World world = worldOf(options.source, scene, options.settings);
  const double dt = world.settings().dt;
  const int steps = options.steps > 0 ? options.steps : scene.defaultSteps;
  const int every = options.every > 0 ? options.every : std::max(1, static_cast<int>(std::lround(1 / (kFramesASecond * dt))));
  FrameCollector collector(scene, world.settings(), options.contacts);
  ViewDescription description;
  description.title = options.source;
  description.frameTime = every * dt;
  description.units = unitsFor(scene);
  description.channels = collector.channels();
  description.mostContacts = options.contacts;
  PageFile page(out, scene, description);
  page.add(collector.collect(world, 0));
  {
    Progress progress(options.source + ", step");
    for (int k = 1; k <= steps; ++k) {
      world.step();
      if (k % every == 0) page.add(collector.collect(world, k * dt));
      progress.show(k, steps);
    }
  }
  page.finish();
  say(page, out);
}

void viewRecording(const ViewOptions& options, const std::string& out) {
  if (options.steps > 0) throw InvalidInput("--steps", "cannot be given with a recording, which has its steps");
  const RecordingReader recording(options.source);
  if (recording.frameCount() == 0) throw InvalidInput(options.source, "has no frame");
  const int every = std::max(1, options.every);
  RecordedFrames frames(recording, options.contacts);
  ViewDescription description;
  description.title = options.source;
  description.frameTime = recording.dt() * recording.stepsPerFrame() * every;
  description.units = unitsFor(recording.scene());
  description.channels = frames.channels();
  description.mostContacts = options.contacts;
  PageFile page(out, recording.scene(), description);
  {
    Progress progress(options.source + ", frame");
    for (size_t k = 0; k < recording.frameCount(); k += static_cast<size_t>(every)) {
      page.add(frames.read(k));
      progress.show(static_cast<long>(k), static_cast<long>(recording.frameCount()));
    }
  }
  page.finish();
  say(page, out);
}

// By the desktop's own program, in a process of its own; where there is none, the address has been printed.
void openInBrowser(const std::string& url) {
  const pid_t child = fork();
  if (child != 0) return;
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
  _exit(1);
}

void viewLive(const ViewOptions& options) {
  if (!canServe()) throw InvalidInput("--live", "is not in this build, which has no Boost.Beast (Debian and Ubuntu: libboost-dev)");
  if (isNamedRecording(options.source)) throw InvalidInput("--live", "runs a scene; a recording is shown without");
  Scene scene = loadSceneOrModel(options.source);
  requireUsable(options.settings);
  ViewDescription description;
  description.title = options.source;
  description.units = unitsFor(scene);
  const std::string name = scene.name;
  LiveWorld world = saidOf(options.source, name, [&] { return LiveWorld(std::move(scene), options.settings, options.contacts); });
  description.channels = world.channels();
  description.mostContacts = options.contacts;
  description.live = true;
  LiveSettings settings;
  settings.port = options.port;
  settings.onListening = [&options](const std::string& url) {
    fmt::print("{} at {} (Ctrl-C ends it)\n", options.source, url);
    std::fflush(stdout);
    if (options.open) openInBrowser(url);
  };
  serveLive(world, description, settings);
}

void view(const ViewOptions& options) {
  if (options.live) {
    if (!options.out.empty()) throw InvalidInput("--out", "cannot be given with --live, which writes no page");
    if (options.steps > 0) throw InvalidInput("--steps", "cannot be given with --live, which runs until it is ended");
    if (options.every > 0) throw InvalidInput("--every", "cannot be given with --live, which shows what there is time for");
    return viewLive(options);
  }
  if (options.port != 0) throw InvalidInput("--port", "needs --live");
  if (options.open) throw InvalidInput("--open", "needs --live");
  const std::string out = options.out.empty() ? pageFor(options.source) : options.out;
  requireEnding("--out", out, kPageEndings);
  requireWritable("--out", out);
  if (isNamedRecording(options.source)) {
    viewRecording(options, out);
  } else {
    viewScene(options, out);
  }
}

}  // namespace

void addView(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("view", "A page that shows a scene or a recording; or a server that shows a World while it runs");
  auto options = std::make_shared<ViewOptions>();
  command->add_option("source", options->source, "A scene as `cairn run` takes it, or a recording: .h5, .hdf5")->type_name("SCENE|REC")->required();
  command->add_option("--out", options->out, "The page: .html (default: the name of the scene or recording, in this folder)")->type_name("FILE");
  command->add_option("--steps", options->steps, "Steps, >= 1 (default: the scene's)")->check(wholeNumber())->type_name("N");
  command->add_option("--every", options->every, "Steps, or frames of a recording, from frame to frame, >= 1 (default: 60 frames a second; all)")
      ->check(wholeNumber())
      ->type_name("N");
  command->add_option("--contacts", options->contacts, "Contacts of a frame that the page has, the strongest; 0: none")
      ->check(wholeNumber(0))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--live", options->live,
                    "No page, but a server on this machine that shows the World while it runs, to be paused, stepped and pulled at");
  command->add_option("--port", options->port, "Of --live (default: one that is free)")->check(wholeNumber(1, 65535))->type_name("N");
  command->add_flag("--open", options->open, "With --live: opens the page in the browser");
  addSettings(*command, options->settings);
  command->callback([options] { view(*options); });
}

}  // namespace cairn::cli
