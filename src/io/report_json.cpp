#include "src/io/report_json.hpp"

#include "src/scene/enum_names.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include "kernels/runtime/runtime.hpp"

namespace cairn {
namespace {

Json vectorJson(Vec3d a) { return Json::array({a.x, a.y, a.z}); }

Json stagesJson(const std::vector<StageTime>& stages) {
  Json json = Json::object();
  for (const StageTime& stage : stages) json[stage.stage] = stage.milliseconds;
  return json;
}

// As the system calls it; empty where it does not say.
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
          {"kinetic_energy_j", r.kineticEnergy},
          {"potential_energy_j", r.potentialEnergy},
          {"linear_momentum_kg_m_s", vectorJson(r.linearMomentum)},
          {"angular_momentum_kg_m2_s", vectorJson(r.angularMomentum)},
          {"max_speed_m_s", r.maxSpeed},
          {"rms_speed_m_s", r.rmsSpeed},
          {"stage_ms", stagesJson(r.stages)},
          {"memory_bytes", r.memoryBytes},
          {"peak_memory_bytes", r.peakMemoryBytes}};
}

Json settingsJson(const WorldSettings& s) {
  const auto limit = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {{"backend", nameOf(s.backend)},
          {"threads", s.threads},
          {"precision", nameOf(s.precision)},
          {"dt_s", s.dt},
          {"substeps", s.substeps},
          {"iterations", s.iterations},
          {"relaxations", s.relaxations},
          {"normal_passes", s.normalPasses},
          {"over_relaxation", s.overRelaxation},
          {"tolerance", s.tolerance},
          {"max_iterations", s.maxIterations},
          {"solver", nameOf(s.solver)},
          {"warm_start", s.warmStart},
          {"normal_stabilization", nameOf(s.normalStabilization)},
          {"error_reduction", s.errorReduction},
          {"force_mixing", s.forceMixing},
          {"slop_m", s.slop},
          {"gamma", s.gamma},
          {"max_correction_speed_m_s", s.maxCorrectionSpeed},
          {"soft_frequency_hz", s.softFrequency},
          {"soft_damping", s.softDamping},
          {"friction_stabilization", s.frictionStabilization},
          {"slip_tolerance_m", s.slipTolerance},
          {"slip_reduction", s.slipReduction},
          {"position_corrections", s.positionCorrections},
          {"position_sweeps", s.positionSweeps},
          {"max_position_correction_m", s.maxPositionCorrection},
          {"joint_stabilization", nameOf(s.jointStabilization)},
          {"joint_solver", nameOf(s.jointSolver)},
          {"joint_error_reduction", s.jointErrorReduction},
          {"joint_sweeps", s.jointSweeps},
          {"shock_propagation", s.shockPropagation},
          {"envelope_m", s.envelope},
          {"grow_envelope", s.growEnvelope},
          {"restitution_threshold_m_s", s.restitutionThreshold},
          {"max_linear_speed_m_s", limit(s.maxLinearSpeed)},
          {"max_angular_speed_rad_s", limit(s.maxAngularSpeed)},
          {"max_colours", s.maxColours}};
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

}  // namespace cairn
