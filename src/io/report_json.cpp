#include "report_json.hpp"

#include "settings_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cairn {
namespace {

Json vectorJson(Vec3d a) { return Json::array({a.x, a.y, a.z}); }

Json stagesJson(const std::vector<StageTime>& stages) {
  Json json = Json::object();
  for (const StageTime& stage : stages) json[stage.stage] = stage.milliseconds;
  return json;
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
          {"kinetic_energy_j", r.kineticEnergy},
          {"potential_energy_j", r.potentialEnergy},
          {"linear_momentum_kg_m_s", vectorJson(r.linearMomentum)},
          {"angular_momentum_kg_m2_s", vectorJson(r.angularMomentum)},
          {"max_speed_m_s", r.maxSpeed},
          {"stage_ms", stagesJson(r.stages)},
          {"memory_bytes", r.memoryBytes},
          {"peak_memory_bytes", r.peakMemoryBytes}};
}

std::string toJson(const StepReport& report) { return reportJson(report).dump(2); }

std::string hexHash(uint64_t hash) { return fmt::format("{:016x}", hash); }

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(fraction * static_cast<double>(values.size())))];
}

RunRow describeRun(const std::string& scene, const Scene& description, const World& world) {
  const WorldSettings& settings = world.settings();
  RunRow row;
  row.scene = scene;
  row.backend = nameOf(world.backend());
  row.device = world.deviceName();
  row.threads = world.threads();
  row.precision = nameOf(settings.precision);
  row.solver = nameOf(settings.solver);
  row.iterations = settings.iterations;
  row.relaxations = settings.relaxations;
  row.substeps = settings.substeps;
  row.dt = settings.dt;
  row.report = world.report();
  row.steps = row.report.step;
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
          {"precision", row.precision},
          {"solver", row.solver},
          {"iterations", row.iterations},
          {"relaxations", row.relaxations},
          {"substeps", row.substeps},
          {"dt_s", row.dt},
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
          {"joint_error_max_m", 0.0},
          {"kinetic_energy_j", r.kineticEnergy},
          {"max_speed_m_s", r.maxSpeed},
          {"drift_max_m", row.measure.driftMax},
          {"height_ratio_min", row.measure.heightRatioMin},
          {"escaped_bodies", row.measure.escapedBodies},
          {"state_hash", hexHash(row.stateHash)},
          {"peak_memory_bytes", r.peakMemoryBytes},
          {"status", row.status},
          {"report", reportJson(r)}};
}

}  // namespace cairn
