#include "src/cli/suite.hpp"

#include <fmt/format.h>

namespace cairn::cli {
namespace {

constexpr double kStandingRatio = 0.97;        // of a body's height to its height at the start
constexpr double kStandingDrift = 0.05;        // [m]
constexpr double kUnitBoxPenetration = 0.003;  // [m]
constexpr Expectation kStack{true, true, kUnitBoxPenetration}, kStructure{true, true, 0}, kHeap{false, true, 0}, kAnything{};

// Stacks are timed as soon as they have settled, heaps when most of their bodies lie.
SuiteScene stack(const char* name, Expectation expectation) { return {name, 1200, 120, 300, expectation}; }
SuiteScene heap(const char* name) { return {name, 420, 300, 420, kHeap}; }

std::string generatorOf(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

const std::vector<SuiteScene>& stacksSuite() {
  static const std::vector<SuiteScene> scenes = {
      stack("tower:height=20", kStack),
      stack("tower:height=100", kStack),
      stack("pyramid:base=40", kStack),
      stack("wall:width=50,height=40", kStack),
      stack("arch", kStructure),
      stack("card-house", kStructure),
      stack("mass-ratio:count=10,ratio=1000", kAnything),
      heap("pile:count=8000,shape=box"),
      heap("pile:count=8000,shape=sphere"),
      heap("pile:count=8000,shape=mixed"),
      heap("rubble:count=8000"),
      heap("drum"),
  };
  return scenes;
}

const std::vector<SuiteScene>& jointsSuite() {
  static const std::vector<SuiteScene> scenes = {
      {"chain-100", 300, 120, 300, kAnything}, {"chain-100h", 300, 120, 300, kAnything}, {"bridge", 600, 300, 420, kAnything},
      {"net", 600, 300, 420, kAnything},       {"rings", 420, 300, 420, kAnything},      {"skeletons", 600, 300, 420, kHeap},
  };
  return scenes;
}

SuiteScene suiteSceneFor(const std::string& name) {
  std::vector<SuiteScene> known = stacksSuite();
  known.insert(known.end(), jointsSuite().begin(), jointsSuite().end());
  for (const SuiteScene& scene : known) {
    if (generatorOf(scene.name) != generatorOf(name)) continue;
    SuiteScene same = scene;
    same.name = name;
    return same;
  }
  return {name, 420, 120, 300, kAnything};
}

std::string judge(const SceneMeasure& measure, const StepReport& report, const Expectation& expectation) {
  std::string failures;
  const auto fail = [&](const std::string& reason) { failures += (failures.empty() ? "failed: " : "; ") + reason; };
  if (expectation.stands && measure.heightRatioMin < kStandingRatio) fail(fmt::format("height ratio {:.3f}", measure.heightRatioMin));
  if (expectation.stands && measure.driftMax > kStandingDrift) fail(fmt::format("drift {:.3f} m", measure.driftMax));
  if (expectation.encloses && measure.escapedBodies > 0) fail(fmt::format("{} escaped", measure.escapedBodies));
  if (expectation.penetrationMeanMax > 0 && report.penetrationMean > expectation.penetrationMeanMax) {
    fail(fmt::format("mean penetration {:.2f} mm", 1000 * report.penetrationMean));
  }
  return failures.empty() ? "ok" : failures;
}

}  // namespace cairn::cli
