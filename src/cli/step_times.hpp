// Wall-clock times of a run's steps, and the worst joint error seen on the way.
#pragma once

#include "src/io/report_json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

class StepTimes {
 public:
  // One step of the world, timed. The device is waited for, so that the time is the step's.
  void step(World& world);
  // Of the last step: its time [ms], and its stages', if the World takes them.
  double last() const { return steps_.back(); }
  const std::vector<StageTime>& lastStages() const { return lastStages_; }
  // Notes the worst joint error, untimed. All joints are read for it, so only scenes with few of them have it; others report the last step's.
  void watch(const World& world);
  void summarize(RunRow& row) const;

 private:
  static constexpr int kMaxWatchedJoints = 4096;
  double jointErrorPeak_ = 0;
  std::vector<double> steps_;
  std::vector<StageTime> lastStages_;
  std::vector<std::pair<std::string, std::vector<double>>> stages_;
};

}  // namespace cairn::cli
