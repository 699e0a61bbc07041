// Whole steps of the suite's scenes at rest, on every target: time a step, and how it divides over the stages. And of black boxes, whose projections
// are callbacks on the host or functors where the World runs.
#include "bench/benchmark_program.hpp"
#include "tests/joints/black_box_worlds.hpp"

#include <cairn/cairn.hpp>
#include <cairn/names.hpp>

#include <functional>
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

void step(benchmark::State& state, const Scene& scene, int settle, const WorldSettings& settings) {
  World world(scene, settings);
  world.step(settle);
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
  const std::vector<bench::BenchTarget> targets = bench::benchTargets();
  // The scene is made when its benchmark runs.
  const auto add = [&targets](const std::string& scene, int settle, const std::function<Scene(Precision)>& make) {
    for (const bench::BenchTarget& on : targets) {
      for (const Precision precision : {Precision::Float, Precision::Double}) {
        WorldSettings settings;
        settings.backend = on.target == Target::Cuda ? Backend::Cuda : Backend::Cpu;
        settings.threads = on.threads;
        settings.precision = precision;
        settings.stageTimes = true;
        const std::string name = "step/" + scene + "/" + on.name + "/" + nameOf(precision);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { step(state, make(precision), settle, settings); })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  };
  for (const Case& entry : kCases) {
    add(entry.scene, entry.settle, [&entry](Precision) { return loadScene(entry.scene); });
  }
  for (const int count : {100, 1000}) {
    for (const test::BoxesBy by : {test::BoxesBy::Callback, test::BoxesBy::Functor}) {
      add((by == test::BoxesBy::Functor ? "black_boxes:functors=" : "black_boxes:callbacks=") + std::to_string(count), 20, [=](Precision precision) {
        return precision == Precision::Float ? test::manyBlackBoxes<float>(count, by) : test::manyBlackBoxes<double>(count, by);
      });
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) { return cairn::bench::runBenchmarks(argc, argv, cairn::registerCases); }
