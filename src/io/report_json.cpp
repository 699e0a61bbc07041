#include "src/io/report_json.hpp"

#include "src/scene/settings_table.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include "kernels/runtime/runtime.hpp"

namespace cairn::v0 {
namespace {

Json vectorJson(Vec3d a) { return Json::array({a.x, a.y, a.z}); }

Json stagesJson(const std::vector<StageTime>& stages) {
  Json json = Json::object();
  for (const StageTime& stage : stages) json[stage.stage] = stage.milliseconds;
  return json;
}

Json balanceJson(const EnergyBalance& balance) {
  return {{"known", balance.known},
          {"kinetic_change_j", balance.kineticChange},
          {"potential_change_j", balance.potentialChange},
          {"force_work_j", balance.forceWork},
          {"damping_work_j", balance.dampingWork},
          {"joint_work_j", balance.jointWork},
          {"contact_work_j", balance.contactWork}};
}

// The processor's name by the system; empty where the system has none.
std::string processorName() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    if (line.compare(0, 10, "model name") == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return {};
}

}  // namespace

Json reportJson(const StepReport& r) {
  return {{"step", r.step},
          {"time_s", r.time},
          {"bodies", r.bodies},
          {"dynamic_bodies", r.dynamicBodies},
          {"shapes", r.shapes},
          {"candidate_pairs", r.candidatePairs},
          {"manifolds", r.manifolds},
          {"contact_points", r.contactPoints},
          {"active_points", r.activePoints},
          {"sleeping_bodies", r.sleepingBodies},
          {"joints", r.joints},
          {"colours", r.colours},
          {"max_degree", r.maxDegree},
          {"tail_constraints", r.tailConstraints},
          {"sweeps", r.sweeps},
          {"residual_max", r.residualMax},
          {"residual_max_contact", r.residualMaxContact},
          {"residual_rms", r.residualRms},
          {"penetration_max_m", r.penetrationMax},
          {"penetration_mean_m", r.penetrationMean},
          {"joint_error_max_m", r.jointErrorMax},
          {"joint_angular_error_max_rad", r.jointAngularErrorMax},
          {"joint_swing_max_rad", r.jointSwingMax},
          {"kinetic_energy_j", r.kineticEnergy},
          {"potential_energy_j", r.potentialEnergy},
          {"linear_momentum_kg_m_s", vectorJson(r.linearMomentum)},
          {"angular_momentum_kg_m2_s", vectorJson(r.angularMomentum)},
          {"max_speed_m_s", r.maxSpeed},
          {"rms_speed_m_s", r.rmsSpeed},
          {"energy_balance", balanceJson(r.energyBalance)},
          {"stage_ms", stagesJson(r.stages)},
          {"memory_bytes", r.memoryBytes},
          {"peak_memory_bytes", r.peakMemoryBytes}};
}

Json settingsJson(const WorldSettings& settings) {
  Json json = Json::object();
  for (const WorldSetting& row : worldSettings()) {
    row.visit(settings, [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_enum_v<Value>) {
        json[row.key()] = nameOf(value);
      } else if constexpr (std::is_same_v<Value, double>) {
        json[row.key()] = std::isfinite(value) ? Json(value) : Json(nullptr);
      } else {
        json[row.key()] = value;
      }
    });
  }
  return json;
}

Json documentJson(const std::string& command) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return {
      {"command", command}, {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc)}, {"processor", processorName()}, {"processors", defaultThreads()}};
}

std::string toJson(const StepReport& report) { return reportJson(report).dump(2); }

std::string hexHash(uint64_t hash) { return fmt::format("{:016x}", hash); }

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(fraction * static_cast<double>(values.size())))];
}

RunRow describeRun(const std::string& scene, const Scene& description, const World& world) {
  RunRow row;
  row.scene = scene;
  row.backend = nameOf(world.backend());
  row.device = world.deviceName();
  row.threads = world.threads();
  row.settings = world.settings();
  row.report = world.report();
  row.steps = row.report.step;
  row.energyAtStart = energyAtStart(description);
  row.measure = measureScene(description, world.states());
  row.stateHash = world.stateHash();
  return row;
}

Json rowJson(const RunRow& row) {
  const StepReport& r = row.report;
  return {{"scene", row.scene},
          {"backend", row.backend},
          {"device", row.device},
          {"threads", row.threads},
          {"precision", nameOf(row.settings.precision)},
          {"solver", nameOf(row.settings.solver)},
          {"iterations", row.settings.iterations},
          {"relaxations", row.settings.relaxations},
          {"substeps", row.settings.substeps},
          {"dt_s", row.settings.dt},
          {"steps", row.steps},
          {"bodies", r.bodies},
          {"contact_points", r.contactPoints},
          {"joints", r.joints},
          {"colours", r.colours},
          {"step_ms", {{"median", row.stepMedian}, {"p95", row.stepP95}}},
          {"stage_ms", stagesJson(row.stageMedians)},
          {"penetration_max_m", r.penetrationMax},
          {"penetration_mean_m", r.penetrationMean},
          {"residual_max", r.residualMax},
          {"residual_rms", r.residualRms},
          {"joint_error_max_m", r.jointErrorMax},
          {"joint_angular_error_max_rad", r.jointAngularErrorMax},
          {"joint_swing_max_rad", r.jointSwingMax},
          {"joint_error_peak_m", row.jointErrorPeak},
          {"kinetic_energy_j", r.kineticEnergy},
          {"max_speed_m_s", r.maxSpeed},
          {"rms_speed_m_s", r.rmsSpeed},
          {"energy_gained_j", r.kineticEnergy + r.potentialEnergy - row.energyAtStart},
          {"drift_max_m", row.measure.driftMax},
          {"height_ratio_min", row.measure.heightRatioMin},
          {"escaped_bodies", row.measure.escapedBodies},
          {"state_hash", hexHash(row.stateHash)},
          {"peak_memory_bytes", r.peakMemoryBytes},
          {"status", row.status},
          {"settings", settingsJson(row.settings)},
          {"report", reportJson(r)}};
}

}  // namespace cairn::v0
