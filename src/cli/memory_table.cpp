#include "src/cli/memory_table.hpp"

#include "kernels/runtime/owned_queue.hpp"
#include "src/cli/model_file.hpp"
#include "src/world/simulation.hpp"

#include <fmt/format.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace cairn::cli {
namespace {

// Smaller arrays are added up: they say nothing about memory a body.
constexpr double kShownBytesABody = 1;

std::string readable(const char* mangled) {
  char* const name = abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr);
  std::string text = name != nullptr ? name : mangled;
  std::free(name);
  constexpr char kOurs[] = "cairn::";
  for (size_t at = text.find(kOurs); at != std::string::npos; at = text.find(kOurs)) text.erase(at, sizeof kOurs - 1);
  return text;
}

// Largest first within a stage, the stages in the order of a step.
std::vector<MemoryShare> byStage(const std::vector<MemoryShare>& shares) {
  std::vector<const char*> stages;
  const auto placeOf = [&](const char* stage) {
    const auto same = std::find(stages.begin(), stages.end(), stage);
    if (same != stages.end()) return same - stages.begin();
    stages.push_back(stage);
    return static_cast<std::ptrdiff_t>(stages.size()) - 1;
  };
  std::vector<MemoryShare> sorted = shares;
  for (const MemoryShare& share : shares) placeOf(share.stage);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const MemoryShare& a, const MemoryShare& b) {
    const auto placeA = placeOf(a.stage), placeB = placeOf(b.stage);
    return placeA != placeB ? placeA < placeB : a.bytes() > b.bytes();
  });
  return sorted;
}

struct Row {
  std::string stage, element;
  size_t elementBytes = 0, elements = 0, bytes = 0;
};

std::vector<Row> rowsOf(const MemoryMeter& memory, double bodies) {
  std::vector<Row> rows;
  Row rest{"others", "", 0, 0, 0};
  for (const MemoryShare& share : byStage(memory.shares())) {
    if (double(share.bytes()) < kShownBytesABody * bodies) {
      rest.bytes += share.bytes();
    } else {
      rows.push_back({share.stage != nullptr ? share.stage : "queries", readable(share.element), share.elementBytes, share.elements, share.bytes()});
    }
  }
  rows.push_back(rest);
  return rows;
}

}  // namespace

Json memoryTable(const std::string& sceneName, const WorldSettings& settings, int steps) {
  const Scene scene = loadSceneOrModel(sceneName);
  const Target target = chooseTarget(settings.backend, settings.device);
  const auto simulation =
      settings.precision == Precision::Double ? makeSimulation<double>(scene, settings, target) : makeSimulation<float>(scene, settings, target);
  const DeviceScope scope(simulation->device());
  for (int k = 0; k < steps; ++k) simulation->step();
  simulation->settle();
  const MemoryMeter memory = simulation->memory();  // as it is before the report asks for arrays of its own
  const double bodies = simulation->bodyCount();

  fmt::print("{}, step {}, {} bodies: {:.0f} bytes a body, {:.0f} at most so far\n{:20} {:40} {:>8} {:>10} {:>10}\n", sceneName, steps,
             simulation->bodyCount(), double(memory.current) / bodies, double(memory.peak) / bodies, "stage", "element", "bytes", "elements",
             "a body");
  Json arrays = Json::array();
  for (const Row& row : rowsOf(memory, bodies)) {
    fmt::print("{:20} {:40} {:8} {:10} {:10.1f}\n", row.stage, row.element, row.elementBytes, row.elements, double(row.bytes) / bodies);
    arrays.push_back({{"stage", row.stage},
                      {"element", row.element},
                      {"element_bytes", row.elementBytes},
                      {"elements", row.elements},
                      {"bytes_a_body", double(row.bytes) / bodies}});
  }
  const StepReport report = simulation->report();
  return {{"scene", sceneName},
          {"steps", steps},
          {"bodies", simulation->bodyCount()},
          {"candidate_pairs", report.candidatePairs},
          {"manifolds", report.manifolds},
          {"contact_points", report.contactPoints},
          {"bytes_a_body", double(memory.current) / bodies},
          {"peak_bytes_a_body", double(memory.peak) / bodies},
          {"arrays", arrays}};
}

}  // namespace cairn::cli
