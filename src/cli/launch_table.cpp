#include "src/cli/launch_table.hpp"

#include "kernels/runtime/runtime.hpp"
#include "src/cli/model_file.hpp"
#include "src/world/simulation.hpp"

#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <fmt/format.h>

namespace cairn::cli {
namespace {

constexpr int kCountedSteps = 20;

double aStep(int64_t count) { return double(count) / kCountedSteps; }

void printCounts(const std::string& name, const LaunchCounts& counts) {
  fmt::print("{:20} {:10.1f} {:8.1f} {:10.1f} {:10.1f} {:7.1f}\n", name, aStep(counts.launches - counts.sweeps), aStep(counts.sweeps),
             aStep(counts.transfers), aStep(counts.bytes), aStep(counts.waits));
}

Json countsJson(const std::string& name, const LaunchCounts& counts) {
  return {{"stage", name},
          {"launches", aStep(counts.launches - counts.sweeps)},
          {"sweeps", aStep(counts.sweeps)},
          {"transfers", aStep(counts.transfers)},
          {"host_bytes", aStep(counts.bytes)},
          {"waits", aStep(counts.waits)}};
}

}  // namespace

Json launchTable(const std::string& scene, const WorldSettings& wanted, int steps) {
  WorldSettings settings = wanted;
  settings.stageTimes = false;
  LaunchLog log;
  const Scene definition = loadSceneOrModel(scene);
  const auto logged = [&] {
    const LaunchLogging logging(log);
    return World(definition, settings);
  };
  World world = logged();
  if (world.backend() != Backend::Cuda) throw InvalidInput("--launches", "counts what a CUDA device is asked for; this World runs on the CPU");
  world.step(steps);
  world.wait();
  log.clear();
  world.step(kCountedSteps);
  const LaunchLog counted = log;  // not what it costs to look
  world.wait();

  fmt::print("{}, step {}, on {}; a step has\n{:20} {:>10} {:>8} {:>10} {:>10} {:>7}\n", scene, steps, world.deviceName(), "stage", "launches",
             "sweeps", "transfers", "bytes", "waits");
  LaunchCounts sum;
  Json stages = Json::array();
  for (const auto& [stage, counts] : counted.stages()) {
    printCounts(stage, counts);
    stages.push_back(countsJson(stage, counts));
    sum.add(counts);
  }
  printCounts("all", sum);
  const StepReport report = world.report();
  return {{"scene", scene},
          {"steps", steps},
          {"bodies", report.bodies},
          {"manifolds", report.manifolds},
          {"colours", report.colours},
          {"stages", stages},
          {"all", countsJson("all", sum)}};
}

}  // namespace cairn::cli
