#include "src/cli/report_series.hpp"

#include <algorithm>

namespace cairn::cli {
namespace {

// Of a step's report, in the order of the documentation.
constexpr const char* kKeys[] = {"step",
                                 "time_s",
                                 "manifolds",
                                 "contact_points",
                                 "active_points",
                                 "sleeping_bodies",
                                 "colours",
                                 "sweeps",
                                 "residual_max",
                                 "residual_rms",
                                 "penetration_max_m",
                                 "penetration_mean_m",
                                 "joint_error_max_m",
                                 "joint_angular_error_max_rad",
                                 "joint_swing_max_rad",
                                 "kinetic_energy_j",
                                 "potential_energy_j",
                                 "linear_momentum_kg_m_s",
                                 "angular_momentum_kg_m2_s",
                                 "max_speed_m_s",
                                 "rms_speed_m_s"};

// One object with a list a key from a list of objects.
Json listed(const std::vector<Json>& objects, const std::string& key) {
  Json values = Json::array();
  for (const Json& object : objects) values.push_back(object.at(key));
  return values;
}

}  // namespace

void ReportSeries::note(double milliseconds, const std::vector<StageTime>& stages) {
  ++sinceRow_;
  stepSum_ += milliseconds;
  for (const StageTime& stage : stages) {
    const auto sum = std::find_if(stageSums_.begin(), stageSums_.end(), [&](const StageTime& one) { return one.stage == stage.stage; });
    if (sum == stageSums_.end()) {
      stageSums_.push_back(stage);
    } else {
      sum->milliseconds += stage.milliseconds;
    }
  }
}

void ReportSeries::add(const World& world) {
  if (sinceRow_ == 0) return;
  for (const StageTime& sum : stageSums_) {
    auto stage = std::find_if(stages_.begin(), stages_.end(), [&](const auto& one) { return one.first == sum.stage; });
    if (stage == stages_.end()) stage = stages_.insert(stages_.end(), {sum.stage, std::vector<double>(reports_.size(), 0.0)});
    stage->second.push_back(sum.milliseconds / sinceRow_);
  }
  reports_.push_back(reportJson(world.report()));
  for (auto& [stage, times] : stages_) times.resize(reports_.size(), 0.0);  // of stages that these steps did not have
  steps_.push_back(stepSum_ / sinceRow_);
  sinceRow_ = 0;
  stepSum_ = 0;
  stageSums_.clear();
}

Json ReportSeries::json() const {
  Json series{{"every_steps", every_}};
  for (const char* key : kKeys) series[key] = listed(reports_, key);
  Json balance = Json::object();
  const std::vector<Json> balances = listed(reports_, "energy_balance");
  if (!balances.empty()) {
    for (const auto& [key, value] : balances.front().items()) balance[key] = listed(balances, key);
  }
  series["energy_balance"] = balance;
  series["step_ms"] = steps_;
  series["stage_ms"] = Json::object();
  for (const auto& [stage, times] : stages_) series["stage_ms"][stage] = times;
  return series;
}

}  // namespace cairn::cli
