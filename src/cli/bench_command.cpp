// cairn bench: the suite of many-body stacks, time beside quality.
#include "src/cli/arguments.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/copy_bandwidth.hpp"
#include "src/cli/figure.hpp"
#include "src/cli/launch_table.hpp"
#include "src/cli/memory_table.hpp"
#include "src/cli/model_file.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/plot_input.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/setting_options.hpp"
#include "src/cli/step_times.hpp"
#include "src/cli/suite.hpp"
#include "src/cli/throughput.hpp"
#include "src/cli/world_of.hpp"
#include "src/io/report_json.hpp"
#include "src/render/picture.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cairn::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> scenes;
  std::vector<std::string> beside;  // files of rows, for the plot
  std::string suite, json, pictures, plot;
  int steps = 0;
  bool launches = false, memory = false;
  WorldSettings settings;
};

std::string pictureName(const std::string& scene) {
  std::string name;
  for (const char c : scene) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return name + ".png";
}

// A scene's row and what it means beside the machine's memory.
struct BenchRow {
  RunRow run;
  Throughput throughput;
};

void printHeader() {
  fmt::print("{:32} {:>8} {:>8} {:>4} {:>9} {:>9} {:>7} {:>7} {:>7} {:>8} {:>5} {:>8} {:>7} {:>8} {:>7} {:>7} {:>4} {:>9} {:>8} {:>7}  {}\n", "scene",
             "bodies", "points", "col", "ms/step", "p95", "ns/pt", "ns/swp", "solve", "MB/step", "bw %", "residual", "pen mm", "max mm", "drift m",
             "height", "esc", "kin J", "joint mm", "MB", "verdict");
}

// A number, or a dash for what there is none of.
std::string cell(double value, int precision) { return std::isfinite(value) ? fmt::format("{:.{}f}", value, precision) : "-"; }

void printRow(const BenchRow& row) {
  const RunRow& run = row.run;
  const StepReport& r = run.report;
  const Throughput& t = row.throughput;
  fmt::print("{:32} {:8} {:8} {:4} {:9.4f} {:9.4f} {:>7} {:>7} {:>7} {:8.1f} {:>5} ", run.scene, r.bodies, r.contactPoints, r.colours, run.stepMedian,
             run.stepP95, cell(t.nsPerPoint, 0), cell(t.nsPerPointAndSweep.step, 1), cell(t.nsPerPointAndSweep.solve, 1), 1e-6 * t.sweepBytes,
             cell(100 * t.fractionOfBandwidth.solve, 1));
  fmt::print("{:8.1e} {:7.2f} {:8.2f} {:7.3f} {:7.3f} {:4} {:9.2e} {:8.3f} {:7.1f}  {}\n", r.residualMax, 1000 * r.penetrationMean,
             1000 * r.penetrationMax, run.measure.driftMax, run.measure.heightRatioMin, run.measure.escapedBodies, r.kineticEnergy,
             1000 * run.jointErrorPeak, double(r.peakMemoryBytes) / 1e6, run.status);
  std::fflush(stdout);
}

BenchRow benchScene(const SuiteScene& suiteScene, const std::string& label, const BenchOptions& options) {
  const SuiteScene entry = lasting(suiteScene, options.steps);
  const Scene scene = loadSceneOrModel(entry.name);
  World world = worldOf(entry.name, scene, options.settings);
  StepTimes times;
  std::string failure;
  {
    Progress progress(label + " " + entry.name + ", step");
    try {
      for (int k = 1; k <= entry.steps; ++k) {
        if (k > entry.timedFrom && k <= entry.timedTo) {
          times.step(world);
        } else {
          world.step();
        }
        times.watch(world);
        progress.show(k, entry.steps);
      }
    } catch (const StepUndone& error) {
      failure = error.what();  // one scene that fails must not cost the others' rows
    }
    progress.say(label + " " + entry.name + ", report" + (options.pictures.empty() ? "" : " and picture"));
    RunRow row = describeRun(entry.name, scene, world);
    times.summarize(row);
    row.status = failure.empty() ? judge(row.measure, row.report, entry.expectation) : "failed: " + failure;
    if (!options.pictures.empty()) writePicture(world, scene, options.pictures + "/" + pictureName(entry.name));
    return {row, throughputOf(row, copyBandwidth(world))};
  }
}

// What is counted instead of times, scene by scene.
int count(const char* what, Json (*table)(const std::string&, const WorldSettings&, int), const std::vector<SuiteScene>& entries,
          const BenchOptions& options) {
  const OutputFile json("--json", options.json);
  Json rows = Json::array();
  for (const SuiteScene& entry : entries) rows.push_back(table(entry.name, options.settings, lasting(entry, options.steps).steps));
  if (json.wanted()) {
    Json document = documentJson(std::string("bench --") + what);
    document["rows"] = rows;
    json.write(document.dump(2));
  }
  return 0;
}

std::vector<ReportFile> besideOf(const BenchOptions& options) {
  if (!options.beside.empty() && options.plot.empty()) throw InvalidInput("--beside", "needs --plot, in which its rows are");
  std::vector<ReportFile> files;
  for (const std::string& path : options.beside) {
    files.push_back(readReportFile(path));
    if (files.back().ofRun()) throw InvalidInput("--beside " + path, "is a report of cairn run; cairn plot draws its series");
    requireDistinct({{"FILE of --beside", path}, {"--plot", options.plot}, {"--json", options.json}});
  }
  return files;
}

int bench(const BenchOptions& options) {
  std::vector<SuiteScene> entries;
  const std::string suite = options.suite.empty() ? "" : oneOf("--suite", options.suite, suiteNames());
  if (options.scenes.empty() || !suite.empty()) entries = suiteNamed(suite.empty() ? "stacks" : suite);
  for (const std::string& name : options.scenes) {
    loadSceneOrModel(name);  // bad names before any work
    entries.push_back(suiteSceneFor(name));
  }
  requireUsable(options.settings);
  requireDistinct({{"--json", options.json}, {"--plot", options.plot}});
  if (!options.plot.empty() && (options.launches || options.memory))
    throw InvalidInput("--plot", "is of times, which --launches and --memory do not take");
  const std::vector<ReportFile> beside = besideOf(options);
  if (options.launches) return count("launches", launchTable, entries, options);
  if (options.memory) return count("memory", memoryTable, entries, options);
  const OutputFile json("--json", options.json);
  const Figure plot("--plot", options.plot, "plot-quality");
  if (!options.pictures.empty()) requireDirectory(options.pictures);

  const bool table = options.json != "-";
  if (table) printHeader();
  Json rows = Json::array();
  int failed = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const BenchRow row = benchScene(entries[i], fmt::format("{}/{}", i + 1, entries.size()), options);
    if (table) printRow(row);
    Json described = rowJson(row.run);
    described["throughput"] = throughputJson(row.throughput);
    rows.push_back(described);
    if (row.run.status != "ok") ++failed;
  }
  Json document = documentJson("bench");
  document["rows"] = rows;
  if (json.wanted()) json.write(document.dump(2));
  if (plot.wanted()) {
    std::vector<ReportFile> files{{"this run", document}};
    files.insert(files.end(), beside.begin(), beside.end());
    plot.draw({}, qualityDocument(files).dump());
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace

void addBench(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("bench", "Time and quality of many-body scenes");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("scenes", options->scenes, "Scenes (default: the suite)")->type_name("SCENE");
  command->add_option("--suite", options->suite, "A named suite: stacks, joints, box3d, large, shapes")->type_name("NAME");
  command->add_option("--json", options->json, "One object a scene, as JSON; - for standard output")->type_name("FILE");
  command->add_option("--pictures", options->pictures, "Directory for a picture of each scene at its end")->type_name("DIR");
  command->add_option("--plot", options->plot, "Plot of time against quality, with Matplotlib: .png, .svg or .pdf")->type_name("FILE");
  command->add_option("--beside", options->beside, "Rows of other settings and engines for the plot: files of bench --json and bench/compare --json")
      ->type_name("FILE");
  command->add_option("--steps", options->steps, "Steps of each scene, >= 1 (default: the suite's)")->check(wholeNumber())->type_name("N");
  command->add_flag("--launches", options->launches, "Instead of times: launches, copies and waits of a step on CUDA, stage by stage");
  command->add_flag("--memory", options->memory, "Instead of times: the World's arrays, and how many bytes of them there are a body");
  options->settings.stageTimes = true;
  addSettings(*command, options->settings);
  command->callback([options, &exitStatus] { exitStatus = bench(*options); });
}

}  // namespace cairn::cli
