// cairn run: one scene, from its start to its report.
#include "src/cli/commands.hpp"
#include "src/cli/filming.hpp"
#include "src/cli/model_file.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/report_series.hpp"
#include "src/cli/setting_options.hpp"
#include "src/cli/step_times.hpp"
#include "src/cli/world_of.hpp"
#include "src/io/film_camera.hpp"
#include "src/io/recording.hpp"
#include "src/io/report_json.hpp"
#include "src/io/scene_measure.hpp"
#include "src/io/snapshot_file.hpp"
#include "src/render/picture.hpp"
#include "src/scene/settings_table.hpp"
#include "src/world/environment_set.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace cairn::cli {
namespace {

constexpr double kWideSwing = 0.5;  // of joints within a substep [rad]: docs/units-and-limits.md

struct RunOptions {
  std::string scene, record, report, picture, problem, save, resume;
  LookOptions look;
  FilmOptions film;
  int steps = 0;
  int reportEvery = 0;  // steps between rows of the report's series; 0: there is none
  RecordingSettings recording;
  std::vector<std::string> recordWith;
  int replicate = 0;  // environments; 0: the scene by itself
  WorldSettings settings;
  std::vector<std::string> given;  // options that set what a snapshot has set already
};

std::string counted(int n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

RecordingSettings recordingSettings(const RunOptions& options) {
  RecordingSettings settings = options.recording;
  const std::vector<std::pair<std::string, bool*>> parts{{"velocities", &settings.velocities},
                                                         {"contacts", &settings.contacts},
                                                         {"joints", &settings.joints},
                                                         {"sleep", &settings.sleep},
                                                         {"exact", &settings.exact}};
  if (!options.recordWith.empty() && options.record.empty()) throw InvalidInput("--record-with", "needs --record");
  for (const std::string& wanted : options.recordWith) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == wanted; });
    if (part == parts.end()) throw InvalidInput("--record-with " + wanted, "must be velocities, contacts, joints, sleep or exact");
    *part->second = true;
  }
  return settings;
}

World made(const RunOptions& options, const Scene& scene, const WorldSettings& settings) {
  return worldOf(options.scene, scene, settings, options.replicate);
}

void printSummary(const RunRow& row, int environments) {
  const StepReport& r = row.report;
  fmt::print("{}: {}, {} of {:.5g} s on {}\n", row.scene, counted(r.bodies, "body", "bodies"), counted(row.steps, "step", "steps"), row.settings.dt,
             row.device);
  fmt::print("  step          {:.4g} ms median, {:.4g} ms p95\n", row.stepMedian, row.stepP95);
  if (environments > 0) {
    fmt::print("  environments  {}, {:.4g} of their steps a second\n", environments, 1000 * environments / row.stepMedian);
  }
  fmt::print("  contacts      {} points in {} manifolds, {} colours, {} overflow constraints\n", r.contactPoints, r.manifolds, r.colours,
             r.tailConstraints);
  fmt::print("  residual      {:.2e} largest, {:.2e} rms\n", r.residualMax, r.residualRms);
  fmt::print("  penetration   {:.3f} mm mean, {:.3f} mm largest\n", 1000 * r.penetrationMean, 1000 * r.penetrationMax);
  if (r.joints > 0) {
    fmt::print("  joints        {}, error {:.4g} mm and {:.3g} mrad at the end, {:.4g} mm at most\n", r.joints, 1000 * r.jointErrorMax,
               1000 * r.jointAngularErrorMax, 1000 * row.jointErrorPeak);
    if (r.jointSwingMax > kWideSwing) {
      fmt::print("                swing by {:.2g} rad a substep: energy is not kept to 1 % above {}, --substeps {:.0f} would\n", r.jointSwingMax,
                 kWideSwing, std::ceil(row.settings.substeps * r.jointSwingMax / kWideSwing));
    }
  }
  fmt::print("  energy        {:.4g} J kinetic, {:.4g} J potential; fastest body {:.3g} m/s\n", r.kineticEnergy, r.potentialEnergy, r.maxSpeed);
  fmt::print("  from start    drift {:.4f} m, smallest height ratio {:.4f}, {} escaped\n", row.measure.driftMax, row.measure.heightRatioMin,
             row.measure.escapedBodies);
  fmt::print("  state         {}\n", hexHash(row.stateHash));
}

void requireOutput(const std::string& option, const std::string& path, const std::vector<std::string>& endings) {
  if (path.empty()) return;
  requireEnding(option, path, endings);
  requireWritable(option, path);
}

// Pictures, recordings and measurements know shapes and starts from the scene.
void requireSameBodies(const RunOptions& options, const Scene& scene, const World& world) {
  const std::vector<BodyId> bodies = world.bodies();
  bool same = bodies.size() == scene.bodies.size() && world.joints().size() == scene.joints.size();
  for (size_t i = 0; same && i < bodies.size(); ++i) {
    const std::string& name = scene.bodies[i].name;
    same = bodies[i].index == static_cast<int>(i) && (name.empty() || world.bodyName(bodies[i]) == name);
  }
  if (!same) throw InvalidInput("--resume " + options.resume, "is not of the scene '" + options.scene + "': its bodies or joints are others");
}

// All that is in the World, as a scene.
Scene wholeScene(const Scene& scene, const World& world) {
  return world.environmentCount() > 0 ? replicated(scene, world.environmentCount()) : scene;
}

World resumed(const RunOptions& options, const Scene& scene, const WorldSettings& settings) {
  if (options.replicate > 0) throw InvalidInput("--replicate", "cannot be given with --resume: what was saved has its environments");
  if (!options.given.empty()) throw InvalidInput(options.given[0], "cannot be given with --resume: what was saved goes on with its settings");
  const Snapshot snapshot = readSnapshot(options.resume);
  try {
    World world(snapshot, settings);
    requireSameBodies(options, wholeScene(scene, world), world);
    return world;
  } catch (const InvalidInput& error) {
    if (error.place != "snapshot") throw;
    throw InvalidInput("--resume " + options.resume, error.reason);
  }
}

// Pictures of the scene's times up to now.
void filmUpTo(double time, Filming& filming, FollowingCamera& camera, const World& world) {
  while (filming.nextTime() <= time) filming.add(world, camera.at(filming.filmTime(), world.states()));
}

void run(const RunOptions& options) {
  const Look look = lookOf(options.look);
  const Scene one = loadSceneOrModel(options.scene);
  const int steps = options.steps > 0 ? options.steps : one.defaultSteps;
  const RecordingSettings recordingOf = recordingSettings(options);
  requireUsable(options.settings);
  requireDistinct({{"--report", options.report},
                   {"--record", options.record},
                   {"--picture", options.picture},
                   {"--problem", options.problem},
                   {"--save", options.save},
                   {"--film", options.film.film}});
  if (options.reportEvery > 0 && options.report.empty()) throw InvalidInput("--report-every", "needs --report, whose series it is");
  const OutputFile report("--report", options.report);
  requireOutput("--record", options.record, kRecordingEndings);
  requireOutput("--picture", options.picture, kPictureEndings);
  requireOutput("--problem", options.problem, kProblemEndings);
  requireOutput("--save", options.save, kSnapshotEndings);
  requireFilms(options.film, "--film", look);
  WorldSettings settings = options.settings;
  settings.stageTimes = settings.stageTimes && report.wanted();  // nothing else shows them
  World world = options.resume.empty() ? made(options, one, settings) : resumed(options, one, settings);
  if (const int64_t flat = flatTriangles(one); flat > 0) {
    fmt::print(stderr, "cairn: {}: {} of its triangles {} no area, left out\n", options.scene, flat, flat == 1 ? "has" : "have");
  }
  const Scene scene = wholeScene(one, world);
  const int before = options.resume.empty() ? 0 : world.report().step;
  const double dt = world.settings().dt;

  std::unique_ptr<Recording> recording;
  if (!options.record.empty()) {
    recording = std::make_unique<Recording>(options.record, scene, world, recordingOf);
    recording->add(before * dt, world);
  }
  std::optional<Filming> filming;
  FollowingCamera camera(scene, look.camera, look.settings.aspect());
  const double soon = 1e-3 * dt;  // what rounding may make of the steps' times
  if (options.film.wanted()) {
    filming.emplace(options.film, scene, look);
    filmUpTo(soon, *filming, camera, world);
  }
  StepTimes times;
  ReportSeries series(options.reportEvery);
  {
    Progress progress(options.scene + (filming ? ", filming step" : ", step"));
    for (int k = 1; k <= steps; ++k) {
      times.step(world);
      times.watch(world);
      if (options.reportEvery > 0) {
        series.note(times.last(), times.lastStages());
        if (series.due() || k == steps) series.add(world);
      }
      if (recording != nullptr && k % options.recording.stepsPerFrame == 0) recording->add((before + k) * dt, world);
      if (filming) filmUpTo(k * dt + soon, *filming, camera, world);
      progress.show(k, steps);
    }
  }
  RunRow row = describeRun(options.scene, scene, world);
  times.summarize(row);
  if (recording != nullptr) recording->finish();
  if (filming) filming->finish();
  if (!options.picture.empty()) writePicture(world, scene, options.picture, look.settings, look.camera);
  if (!options.problem.empty()) {
    ContactProblem problem = world.contactProblem();
    problem.name = options.scene;
    problem.source = fmt::format("cairn run, after {} steps", before + steps);
    writeContactProblem(problem, options.problem);
  }
  if (!options.save.empty()) writeSnapshot(world.save(), options.save);
  if (options.report != "-") printSummary(row, world.environmentCount());
  if (report.wanted()) {
    Json document = documentJson("run");
    document.update(rowJson(row));
    if (options.reportEvery > 0) document["series"] = series.json();
    report.write(document.dump(2));
  }
}

}  // namespace

void addRun(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("run", "Step a scene and report");
  auto options = std::make_shared<RunOptions>();
  command->add_option("scene", options->scene, "A JSON file, a model (.xml, .urdf), or a generator with parameters: pyramid:base=40")
      ->type_name("SCENE")
      ->required();
  command->add_option("--steps", options->steps, "Steps, >= 1 (default: the scene's)")->check(wholeNumber())->type_name("N");
  command->add_option("--replicate", options->replicate, "Environments, >= 1: so many copies of the scene that never meet, in one World")
      ->check(wholeNumber())
      ->type_name("N");
  command->add_option("--record", options->record, "Trajectory as HDF5")->type_name("FILE");
  command->add_option("--record-every", options->recording.stepsPerFrame, "Steps between recorded frames, >= 1")
      ->check(wholeNumber())
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--record-with", options->recordWith, "What is recorded besides poses: velocities, contacts, joints, sleep; exact: to the bit")
      ->delimiter(',')
      ->type_name("WHAT,...");
  command->add_option("--report", options->report, "Report as JSON; - for standard output")->type_name("FILE");
  command->add_option("--report-every", options->reportEvery, "Steps between the rows of a series in the report, >= 1, which cairn plot draws")
      ->check(wholeNumber())
      ->type_name("N");
  command->add_option("--picture", options->picture, "Picture of the end as PNG")->type_name("FILE");
  addFilm(*command, options->film, "--film", "--film-speed");
  addLook(*command, options->look);
  command->add_option("--problem", options->problem, "Contact problem of the next substep: .json, or .hdf5 and .h5 as FCLib has it")
      ->type_name("FILE");
  command->add_option("--save", options->save, "Snapshot of the end, for --resume: .snapshot")->type_name("FILE");
  command->add_option("--resume", options->resume, "Go on from a snapshot of this scene, with its settings")->type_name("FILE");
  options->settings.stageTimes = true;
  addSettings(*command, options->settings);
  command->callback([options, command] {
    for (const WorldSetting& row : worldSettings()) {
      if (!isExecution(row.name) && command->count(row.option()) > 0) options->given.push_back(row.option());
    }
    for (const char* name : {"--fps", "--film-speed"}) {
      if (command->count(name) > 0 && !options->film.wanted()) throw InvalidInput(name, "needs --film or --frames, whose pictures it spaces");
    }
    for (const char* name : {"--record-every", "--record-with"}) {
      if (command->count(name) > 0 && options->record.empty()) throw InvalidInput(name, "needs --record, whose frames it is about");
    }
    run(*options);
  });
}

}  // namespace cairn::cli
