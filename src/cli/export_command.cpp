// cairn export: a scene or a recording for other programs.
#include "src/cli/commands.hpp"
#include "src/cli/model_file.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/python_program.hpp"
#include "src/cli/setting_options.hpp"
#include "src/cli/world_of.hpp"
#include "src/io/export_gltf.hpp"
#include "src/io/export_ply.hpp"
#include "src/io/recording_reader.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kExportEndings{".glb", ".gltf", ".ply", ".usda", ".usdc"};

struct ExportOptions {
  std::string source, out;
  int steps = 0;
  std::optional<double> time;
  WorldSettings settings;
  std::vector<std::string> given;  // options of a run, which a recording is no more
};

std::string endingOf(const std::string& path) { return inSmallLetters(fs::path(path).extension().string()); }
bool isUsd(const std::string& ending) { return ending == ".usda" || ending == ".usdc"; }

void writeWhole(const std::string& bytes, const std::string& path) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0) return;
  std::remove(partial.c_str());
  throw InvalidInput(path, "writing failed: is the disk full?");
}

std::string comment(const std::string& source, double time) { return fmt::format("cairn: contacts of {} at {:.6g} s", source, time); }

void exportRun(const ExportOptions& options, const std::string& ending) {
  if (options.time) throw InvalidInput("--time", "is of recordings; a scene is exported after --steps");
  if (ending == ".ply" && options.steps == 0) throw InvalidInput("--steps", "must be at least 1 for contacts: they are those of a step");
  const Scene scene = loadSceneOrModel(options.source);
  requireUsable(options.settings);
  World world = worldOf(options.source, scene, options.settings);
  {
    Progress progress(options.source + ", step");
    for (int k = 1; k <= options.steps; ++k) {
      world.step();
      progress.show(k, options.steps);
    }
  }
  const double time = options.steps * options.settings.dt;
  if (ending == ".ply") {
    writeWhole(contactsPly(contactsOf(world), options.settings.dt / options.settings.substeps, comment(options.source, time)), options.out);
  } else {
    writeWhole(gltfOf({scene, world.states(), time}, ending == ".glb"), options.out);
  }
}

void exportFrame(const ExportOptions& options, const std::string& ending) {
  const RecordingReader recording(options.source);
  if (recording.frameCount() == 0) throw InvalidInput(options.source, "has no frames");
  if (ending == ".ply" && !recording.hasContacts()) {
    throw InvalidInput(options.source, "has no contacts; cairn run --record-with contacts records them");
  }
  const double last = recording.time(recording.frameCount() - 1);
  if (options.time && !(*options.time >= recording.time(0) && *options.time <= last)) {
    throw InvalidInput("--time",
                       fmt::format("must be within {:.6g}..{:.6g} s, which {} has, is {}", recording.time(0), last, options.source, *options.time));
  }
  const RecordedFrame frame = recording.frame(options.time ? recording.frameAt(*options.time) : recording.frameCount() - 1);
  if (ending == ".ply") {
    writeWhole(contactsPly(frame.contacts, recording.dt() / recording.substeps(), comment(options.source, frame.time)), options.out);
  } else {
    writeWhole(gltfOf({recording.scene(), frame.states, frame.time}, ending == ".glb"), options.out);
  }
}

void exportUsd(const ExportOptions& options) {
  if (!isNamedRecording(options.source)) {
    throw InvalidInput(options.out,
                       "USD is made of recordings, not of scenes: cairn run " + options.source + " --record FILE.h5, then cairn export FILE.h5");
  }
  if (options.time) throw InvalidInput("--time", "is of files with one state; USD has all frames");
  RecordingReader(options.source);  // what is wrong with it is said in this program's words
  const char* const needed = "USD is written by Python 3 with the packages cairn, usd-core and h5py (pip install '.[usd]' at the root of the source)";
  const std::string python = pythonWith("cairn, h5py, pxr");
  if (python.empty()) throw InvalidInput(options.out, std::string(needed) + ", which neither python3 nor /usr/bin/python3 has");
  const char* const start = "import sys; from cairn._usd import main; sys.exit(main(sys.argv[1:]))";
  const std::string failure = runQuietly({python, "-c", start, options.source, options.out});
  if (!failure.empty()) throw InvalidInput(options.out, failure);
}

void exportTo(const ExportOptions& options) {
  const bool recording = isNamedRecording(options.source);
  requireDistinct({{"SOURCE", options.source}, {"--out", options.out}});
  requireEnding("--out", options.out, kExportEndings);
  requireWritable("--out", options.out);
  if (recording && !options.given.empty()) throw InvalidInput(options.given[0], "is of scenes, which are run; a recording has been");
  const std::string ending = endingOf(options.out);
  if (isUsd(ending)) {
    exportUsd(options);
  } else if (recording) {
    exportFrame(options, ending);
  } else {
    exportRun(options, ending);
  }
  fmt::print("written to {}\n", options.out);
}

}  // namespace

void addExport(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("export", "A scene or a recording for other programs: glTF, PLY of contacts, USD");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("source", options->source, "A recording (.h5), or a scene as cairn run takes it")->type_name("SCENE|RECORDING")->required();
  command->add_option("--out", options->out, "A state as .glb or .gltf; contacts with forces as .ply; all of a recording as .usda or .usdc")
      ->type_name("FILE")
      ->required();
  command->add_option("--steps", options->steps, "Of a scene: steps before it is exported, >= 0")
      ->check(wholeNumber(0))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--time", options->time, "Of a recording: the last frame at this time [s] or before (default: its last)")->type_name("SECONDS");
  addSettings(*command, options->settings);
  command->callback([options, command] {
    for (const CLI::Option* option : command->get_options()) {
      const std::string name = option->get_name();
      if (option->count() > 0 && name.rfind("--", 0) == 0 && name != "--out" && name != "--time") options->given.push_back(name);
    }
    exportTo(*options);
  });
}

}  // namespace cairn::cli
