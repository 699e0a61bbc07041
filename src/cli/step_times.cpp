#include "src/cli/step_times.hpp"

#include <algorithm>
#include <chrono>

namespace cairn::cli {

void StepTimes::step(World& world) {
  const auto start = std::chrono::steady_clock::now();
  const auto milliseconds = [&] { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(); };
  world.step();
  world.wait();
  steps_.push_back(milliseconds());
  if (!world.settings().stageTimes) return;
  lastStages_ = world.stageTimes();
  for (const StageTime& stage : lastStages_) {
    size_t k = 0;
    while (k < stages_.size() && stages_[k].first != stage.stage) ++k;
    if (k == stages_.size()) stages_.push_back({stage.stage, {}});
    stages_[k].second.push_back(stage.milliseconds);
  }
}

void StepTimes::watch(const World& world) {
  if (world.jointCount() == 0 || world.jointCount() > kMaxWatchedJoints) return;
  for (const JointState& joint : world.jointStates()) {
    if (!joint.broken) jointErrorPeak_ = std::max(jointErrorPeak_, joint.error);
  }
}

void StepTimes::summarize(RunRow& row) const {
  row.jointErrorPeak = std::max(jointErrorPeak_, row.report.jointErrorMax);
  row.stepMedian = quantile(steps_, 0.5);
  row.stepP95 = quantile(steps_, 0.95);
  row.stageMedians.clear();
  for (const auto& [stage, times] : stages_) row.stageMedians.push_back({stage, quantile(times, 0.5)});
}

}  // namespace cairn::cli
