// Many environments in one World beside as many Worlds, stepped one after the other:
//   bench_environments [SCENE [COUNT [STEPS [JSON]]]]
// Both are warmed up by as many steps as are timed, and take turns, a step of all environments each. Steps of environments a second are told from the
// median; the hashes of some environments say that both have computed the same.
#include "kernels/runtime/runtime.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <memory>

namespace {

using namespace cairn;

double millisecondsOf(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

// Each has some other motion, so that none is the copy of another.
void push(World& world, BodyId body, int environment) { world.setVelocity(body, {0.01 * (environment % 100), 0, 0}, {0, 0, 0}); }

struct Measured {
  std::string name;
  int threads;
  std::vector<double> milliseconds;
  double perSecond(int environments) const { return 1000.0 * environments / quantile(milliseconds, 0.5); }
};

int wholeNumber(const char* text, const char* what) {
  const int number = std::atoi(text);
  if (number < 1) throw InvalidInput(what, fmt::format("must be a whole number >= 1, is {}", text));
  return number;
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "pile:count=20";
  const int count = argc > 2 ? wholeNumber(argv[2], "COUNT") : 4096, steps = argc > 3 ? wholeNumber(argv[3], "STEPS") : 60;
  const Scene scene = loadScene(name);
  const int bodies = static_cast<int>(scene.bodies.size());
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  std::vector<Measured> rows;
  std::vector<std::unique_ptr<World>> batches;
  for (const int threads : {1, defaultThreads()}) {
    if (!batches.empty() && threads == batches.front()->threads()) continue;
    settings.threads = threads;
    batches.push_back(std::make_unique<World>(scene, count, settings));
    for (int k = 0; k < count; ++k) push(*batches.back(), batches.back()->bodyOf(k, bodies - 1), k);
    rows.push_back({"one World", threads, {}});
  }
  settings.threads = 1;
  std::vector<World> worlds;
  worlds.reserve(static_cast<size_t>(count));
  for (int k = 0; k < count; ++k) {
    World& world = worlds.emplace_back(scene, settings);
    push(world, world.bodies().back(), k);
  }
  rows.push_back({"a loop over Worlds", 1, {}});
  for (int step = 0; step < 2 * steps; ++step) {
    for (size_t k = 0; k < rows.size(); ++k) {
      const double taken = millisecondsOf([&] {
        if (k < batches.size()) return batches[k]->step();
        for (World& world : worlds) world.step();
      });
      if (step >= steps) rows[k].milliseconds.push_back(taken);
    }
  }
  bool same = true;
  for (int k = 0; k < count; k += 1 + count / 16) {
    for (const auto& batch : batches) same = same && batch->stateHashOf(k) == worlds[static_cast<size_t>(k)].stateHash();
  }
  const StepReport report = batches.front()->report();
  fmt::print("{}: {} environments of {} bodies, {} contact points, {}\n", name, count, bodies, report.contactPoints,
             same ? "the same bits in all" : "bits differ");
  Json document = documentJson("bench_environments");
  document.update({{"scene", name},
                   {"environments", count},
                   {"bodies_each", bodies},
                   {"contact_points", report.contactPoints},
                   {"steps", steps},
                   {"same_bits", same},
                   {"rows", Json::array()}});
  for (const Measured& row : rows) {
    fmt::print("  {:20} {} thread{}  {:10.3f} ms a step of all, {:12.0f} steps of environments a second\n", row.name, row.threads,
               row.threads == 1 ? " " : "s", quantile(row.milliseconds, 0.5), row.perSecond(count));
    document["rows"].push_back({{"what", row.name},
                                {"threads", row.threads},
                                {"step_ms", {{"median", quantile(row.milliseconds, 0.5)}, {"p95", quantile(row.milliseconds, 0.95)}}},
                                {"environment_steps_per_s", row.perSecond(count)}});
  }
  if (argc > 4) std::ofstream(argv[4]) << document.dump(2) << "\n";
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "bench_environments: {}\n", error.what());
    return 2;
  }
}
