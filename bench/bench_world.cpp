// Whole steps of the suite's scenes at rest, on every target: time a step, and how it divides over the stages.
#include "runtime.hpp"
#include "settings_names.hpp"

#include <cairn/cairn.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace cairn {
namespace {

struct Case {
  const char* scene;
  int settle;  // steps before the clock starts
};
constexpr Case kCases[] = {{"tower:height=20", 120},
                           {"pyramid:base=40", 120},
                           {"wall:width=50,height=40", 120},
                           {"pile:count=8000,shape=box", 300},
                           {"pile:count=8000,shape=sphere", 300},
                           {"rubble:count=8000", 300}};
constexpr int kStageSteps = 10;

void step(benchmark::State& state, const Case& entry, const WorldSettings& settings) {
  World world(loadScene(entry.scene), settings);
  world.step(entry.settle);
  world.stageTimes();  // waits for the device
  for (auto _ : state) {
    world.step();
    benchmark::DoNotOptimize(world.stageTimes());
  }
  const double points = world.report().contactPoints;
  state.counters["points"] = points;
  state.counters["s/point"] = benchmark::Counter(points, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  for (int k = 0; k < kStageSteps; ++k) {
    world.step();
    for (const StageTime& stage : world.stageTimes()) state.counters["s/" + stage.stage] += 1e-3 * stage.milliseconds / kStageSteps;
  }
}

void registerCases() {
  struct Variant {
    std::string name;
    Backend backend;
    int threads;
  };
  std::vector<Variant> variants = {{"cpu-1", Backend::Cpu, 1}};
  if (defaultThreads() > 1) variants.push_back({"cpu-" + std::to_string(defaultThreads()), Backend::Cpu, defaultThreads()});
  if (cudaDeviceCount() > 0) variants.push_back({"cuda", Backend::Cuda, 0});
  for (const Case& entry : kCases) {
    for (const Variant& variant : variants) {
      for (const Precision precision : {Precision::Float, Precision::Double}) {
        WorldSettings settings;
        settings.backend = variant.backend;
        settings.threads = variant.threads;
        settings.precision = precision;
        const std::string name = std::string("step/") + entry.scene + "/" + variant.name + "/" + nameOf(precision);
        benchmark::RegisterBenchmark(name.c_str(), [&entry, settings](benchmark::State& state) { step(state, entry, settings); })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  cairn::registerCases();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
