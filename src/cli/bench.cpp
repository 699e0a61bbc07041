// cairn bench: the suite of many-body stacks, time beside quality.
#include "commands.hpp"
#include "io/picture.hpp"
#include "options.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

namespace cairn::cli {
namespace {

// What a scene of the suite has to show at its end.
struct Expectation {
  bool stands = false;         // height ratio at least kStandingRatio, drift at most kStandingDrift
  bool encloses = false;       // nobody escapes
  double penetrationMean = 0;  // at most [m]; 0: not asked
};
constexpr double kStandingRatio = 0.97;
constexpr double kStandingDrift = 0.05;  // [m]

struct SuiteScene {
  const char* name;
  int steps, timedFrom, timedTo;
  Expectation expectation;
};

constexpr double kUnitBoxPenetration = 0.003;

const std::vector<SuiteScene>& stacks() {
  static const std::vector<SuiteScene> scenes = {
      {"tower:height=20", 1200, 120, 300, {true, true, kUnitBoxPenetration}},
      {"tower:height=100", 1200, 120, 300, {true, true, kUnitBoxPenetration}},
      {"pyramid:base=40", 1200, 120, 300, {true, true, kUnitBoxPenetration}},
      {"wall:width=50,height=40", 1200, 120, 300, {true, true, kUnitBoxPenetration}},
      {"arch", 1200, 120, 300, {true, true, 0}},
      {"card-house", 1200, 120, 300, {true, true, 0}},
      {"mass-ratio:count=10,ratio=1000", 1200, 120, 300, {}},
      {"pile:count=8000,shape=box", 420, 300, 420, {false, true, 0}},
      {"pile:count=8000,shape=sphere", 420, 300, 420, {false, true, 0}},
      {"pile:count=8000,shape=mixed", 420, 300, 420, {false, true, 0}},
      {"rubble:count=8000", 420, 300, 420, {false, true, 0}},
      {"drum", 420, 300, 420, {false, true, 0}},
  };
  return scenes;
}

std::string judge(const RunRow& row, const Expectation& expected) {
  std::string failures;
  const auto fail = [&](const std::string& reason) { failures += (failures.empty() ? "failed: " : "; ") + reason; };
  if (expected.stands && row.measure.heightRatioMin < kStandingRatio) fail(fmt::format("height ratio {:.3f}", row.measure.heightRatioMin));
  if (expected.stands && row.measure.driftMax > kStandingDrift) fail(fmt::format("drift {:.3f} m", row.measure.driftMax));
  if (expected.encloses && row.measure.escapedBodies > 0) fail(fmt::format("{} escaped", row.measure.escapedBodies));
  if (expected.penetrationMean > 0 && row.report.penetrationMean > expected.penetrationMean) {
    fail(fmt::format("mean penetration {:.2f} mm", 1000 * row.report.penetrationMean));
  }
  return failures.empty() ? "ok" : failures;
}

std::string pictureName(const std::string& scene) {
  std::string name;
  for (const char c : scene) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return name + ".png";
}

void printHeader() {
  fmt::print("{:32} {:>8} {:>8} {:>4} {:>9} {:>9} {:>7} {:>7} {:>8} {:>7} {:>8} {:>7} {:>7} {:>4} {:>9} {:>7}  {}\n", "scene", "bodies", "points",
             "col", "ms/step", "p95", "ns/pt", "ns/swp", "residual", "pen mm", "max mm", "drift m", "height", "esc", "kin J", "MB", "verdict");
}

void printRow(const RunRow& row) {
  const StepReport& r = row.report;
  const double perPoint = r.contactPoints > 0 ? 1e6 * row.stepMedian / r.contactPoints : 0;
  const double perSweep = r.sweeps > 0 ? perPoint / r.sweeps : 0;
  fmt::print("{:32} {:8} {:8} {:4} {:9.4f} {:9.4f} {:7.0f} {:7.1f} {:8.1e} {:7.2f} {:8.2f} {:7.3f} {:7.3f} {:4} {:9.2e} {:7.1f}  {}\n", row.scene,
             r.bodies, r.contactPoints, r.colours, row.stepMedian, row.stepP95, perPoint, perSweep, r.residualMax, 1000 * r.penetrationMean,
             1000 * r.penetrationMax, row.measure.driftMax, row.measure.heightRatioMin, row.measure.escapedBodies, r.kineticEnergy,
             double(r.peakMemoryBytes) / 1e6, row.status);
  std::fflush(stdout);
}

struct BenchOptions {
  std::vector<std::string> scenes;
  std::string suite, json, pictures;
  int steps = 0;
  WorldSettings settings;
};

RunRow benchScene(const SuiteScene& entry, const std::string& name, const BenchOptions& options) {
  const Scene scene = loadScene(name);
  const int steps = options.steps > 0 ? options.steps : entry.steps;
  // With fewer steps than the window the last half is timed.
  const int from = entry.timedFrom < steps ? entry.timedFrom : steps / 2, to = std::max(from + 1, std::min(entry.timedTo, steps));
  World world(scene, options.settings);
  StepTimes times;
  Progress progress(name + " step");
  for (int k = 1; k <= steps; ++k) {
    if (k > from && k <= to) {
      times.step(world);
    } else {
      StepTimes::stepUntimed(world);
    }
    progress.show(k, steps);
  }
  RunRow row = describeRun(name, scene, world);
  times.summarize(row);
  row.status = judge(row, entry.expectation);
  if (!options.pictures.empty()) writePicture(world, scene, options.pictures + "/" + pictureName(name));
  return row;
}

int bench(const BenchOptions& options) {
  std::vector<std::pair<SuiteScene, std::string>> entries;
  if (!options.suite.empty() && options.suite != "stacks") throw InvalidInput("--suite", "must be one of stacks, is '" + options.suite + "'");
  if (options.scenes.empty() || !options.suite.empty()) {
    for (const SuiteScene& entry : stacks()) entries.emplace_back(entry, entry.name);
  }
  for (const std::string& name : options.scenes) {
    loadScene(name);  // bad names before any work
    const auto known = std::find_if(stacks().begin(), stacks().end(), [&](const SuiteScene& entry) { return name == entry.name; });
    entries.emplace_back(known != stacks().end() ? *known : SuiteScene{"", 420, 120, 300, {}}, name);
  }
  const OutputFile json(options.json);
  if (!options.pictures.empty()) requireDirectory(options.pictures);
  World(Scene{}, options.settings);  // settings and device, likewise

  const bool table = options.json != "-";
  if (table) printHeader();
  Json rows = Json::array();
  int failed = 0;
  for (const auto& [entry, name] : entries) {
    const RunRow row = benchScene(entry, name, options);
    if (table) printRow(row);
    rows.push_back(rowJson(row));
    if (row.status != "ok") ++failed;
  }
  if (json.wanted()) json.write(Json{{"command", "bench"}, {"rows", rows}}.dump(2));
  return failed > 0 ? 1 : 0;
}

}  // namespace

void addBench(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("bench", "Time and quality of many-body scenes");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("scenes", options->scenes, "Scenes (default: the suite)");
  command->add_option("--suite", options->suite, "A named suite: stacks");
  command->add_option("--json", options->json, "One object a scene; - for standard output");
  command->add_option("--pictures", options->pictures, "Directory for a picture of each settled scene");
  command->add_option("--steps", options->steps, "Steps of each scene (default: the suite's)")->check(CLI::Range(1, 1000000000));
  addSettings(*command, options->settings);
  command->callback([options, &exitStatus] { exitStatus = bench(*options); });
}

}  // namespace cairn::cli
