// Reports and rows of the program as JSON. Keys and units: docs/report.md.
#pragma once

#include "src/io/scene_measure.hpp"

#include <cairn/report.hpp>
#include <cairn/world.hpp>

#include <nlohmann/json.hpp>

namespace cairn::v0 {

// Keys in the order of the documentation.
using Json = nlohmann::ordered_json;

Json reportJson(const StepReport& report);

// All settings by the names of docs/report.md. What JSON has no number for (no speed limit) is null.
Json settingsJson(const WorldSettings& settings);

// The head of a document that a command writes: which command, when, on what machine.
Json documentJson(const std::string& command);

// A run of one scene, for `cairn run --report` and the rows of `cairn bench --json`.
struct RunRow {
  std::string scene;
  std::string backend, device;
  int threads = 0;
  WorldSettings settings;
  long steps = 0;
  StepReport report;  // of the last step
  SceneMeasure measure;
  double jointErrorPeak = 0;           // largest error of a joint over the run, where it was watched [m]
  double energyAtStart = 0;            // kinetic and potential [J]
  double stepMedian = 0, stepP95 = 0;  // whole step [ms]
  std::vector<StageTime> stageMedians;
  uint64_t stateHash = 0;
  std::string status = "ok";
};

// The row of a World as it is now. Times and status are the caller's.
RunRow describeRun(const std::string& scene, const Scene& description, const World& world);
Json rowJson(const RunRow& row);

// 16 hexadecimal digits.
std::string hexHash(uint64_t hash);

// The quantile of unsorted values; 0 if there are none. `fraction` 0.5 is the median.
double quantile(std::vector<double> values, double fraction);

}  // namespace cairn::v0
