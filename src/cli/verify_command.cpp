// cairn verify: backends, thread counts and repetitions against each other, bit by bit; and a control that must differ.
#include "src/cli/commands.hpp"
#include "src/cli/model_file.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/setting_options.hpp"
#include "src/cli/world_of.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/reference.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernels/runtime/runtime.hpp"

namespace cairn::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> scenes;
  std::string json;
  int steps = 120;
  WorldSettings settings;
};

struct Variant {
  Backend backend;
  int threads;
};

constexpr double kLemkeTolerance = 1e-6;  // [m/s]

struct Outcome {
  std::vector<std::pair<Variant, uint64_t>> runs;
  bool identical = true;
  std::optional<uint64_t> control;   // of the perturbed scene; none if there is nothing to perturb
  std::optional<double> lemkeError;  // [m/s]; none if the scene is too large for Lemke, or touches nothing
  bool perturbationSeen() const { return !control || *control != runs.front().second; }
  bool agreesWithLemke() const { return !lemkeError || *lemkeError <= kLemkeTolerance; }
  bool passed() const { return identical && perturbationSeen() && agreesWithLemke(); }
  std::string status() const {
    if (!identical) return "failed: not identical";
    if (!perturbationSeen()) return "failed: the perturbed scene gives the same bits";
    return agreesWithLemke() ? "ok" : "failed: the sweeps' velocities are not Lemke's";
  }
};

uint64_t hashOf(const std::string& source, const Scene& scene, WorldSettings settings, const Variant& variant, int steps) {
  settings.backend = variant.backend;
  settings.threads = variant.threads;
  World world = worldOf(source, scene, settings);
  world.step(steps);
  return world.stateHash();
}

// The smallest change that the World's precision is sure to see: the first dynamic body is moved. None if no body is dynamic.
std::optional<Scene> perturbed(Scene scene, Precision precision) {
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    const double size = std::max(1.0, std::max(std::abs(body.pose.p.x), std::abs(body.pose.p.y)));
    body.pose.p.x += size * (precision == Precision::Float ? 1e-6 : 1e-12);
    return scene;
  }
  return std::nullopt;
}

// Contact problems have no rows for such moments.
bool resistsRolling(const Scene& scene) {
  for (const BodyDef& body : scene.bodies) {
    for (const ShapeDef& shape : body.shapes) {
      if (shape.material.torsionalFriction > 0 || shape.material.rollingFriction > 0) return true;
    }
  }
  return false;
}

// The contact problem that the scene has come to, without friction, so that its velocity is unique: the coloured sweeps' against Lemke's.
std::optional<double> lemkeErrorOf(const Scene& scene, WorldSettings settings, int steps) {
  if (resistsRolling(scene)) return std::nullopt;
  settings.backend = Backend::Cpu;
  settings.precision = Precision::Double;
  World world(scene, settings);
  world.step(steps);
  ContactProblem problem = world.contactProblem();
  if (problem.contacts() == 0 || problem.contacts() > reference::kMostContacts) return std::nullopt;
  problem.friction.assign(problem.friction.size(), 0.0);
  const reference::ContactLcpResult exact = reference::solveContactLcp(problem);
  ContactSolverSettings sweeps;
  sweeps.backend = Backend::Cpu;
  sweeps.tolerance = 1e-11;
  sweeps.timeLimit = 10;
  const ContactSolveResult found = solve(problem, sweeps);
  double error = exact.status == reference::LcpStatus::Solved ? 0 : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < found.solution.v.size(); ++i) error = std::max(error, std::abs(found.solution.v[i] - exact.solution.v[i]));
  return error;
}

// On the CPU one thread, several, and one again; on CUDA two runs. --backend takes one of them only, --threads says how many several are.
std::vector<Variant> variantsOf(const WorldSettings& settings) {
  std::vector<Variant> variants;
  if (settings.backend != Backend::Cuda) {
    variants = {{Backend::Cpu, 1}, {Backend::Cpu, settings.threads > 0 ? settings.threads : 2}, {Backend::Cpu, 1}};
  }
  if (settings.backend == Backend::Cuda || (settings.backend == Backend::Auto && cudaUsable(settings.device))) {
    variants.insert(variants.end(), {{Backend::Cuda, 0}, {Backend::Cuda, 0}});
  }
  return variants;
}

Outcome verifyScene(const std::string& name, const VerifyOptions& options) {
  const Scene scene = loadSceneOrModel(name);
  const std::vector<Variant> variants = variantsOf(options.settings);
  Outcome outcome;
  Progress progress(name + ", run");
  const long total = static_cast<long>(variants.size()) + 1;
  for (const Variant& variant : variants) {
    progress.show(static_cast<long>(outcome.runs.size()), total);
    outcome.runs.emplace_back(variant, hashOf(name, scene, options.settings, variant, options.steps));
    outcome.identical = outcome.identical && outcome.runs.back().second == outcome.runs.front().second;
  }
  const std::optional<Scene> changed = perturbed(scene, options.settings.precision);
  if (changed) outcome.control = hashOf(name, *changed, options.settings, variants.front(), options.steps);
  outcome.lemkeError = lemkeErrorOf(scene, options.settings, options.steps);
  return outcome;
}

void print(const std::string& name, const Outcome& outcome) {
  for (const auto& [variant, hash] : outcome.runs) {
    const std::string threads = variant.backend == Backend::Cpu ? std::to_string(variant.threads) : "";
    fmt::print("{:32} {:>4} {:3} {}\n", name, nameOf(variant.backend), threads, hexHash(hash));
  }
  if (outcome.control) fmt::print("{:32} perturbed {}\n", name, hexHash(*outcome.control));
  if (outcome.lemkeError) fmt::print("{:32} Lemke     velocities within {:.1e} m/s\n", name, *outcome.lemkeError);
  fmt::print("{:32} {}\n", name,
             !outcome.identical            ? "FAILED: not identical"
             : !outcome.perturbationSeen() ? "FAILED: the perturbed scene gives the same bits"
             : !outcome.agreesWithLemke()  ? "FAILED: the sweeps' velocities are not Lemke's"
             : outcome.control             ? "identical, and the perturbed scene differs"
                                           : "identical; nothing to perturb");
}

int verify(const VerifyOptions& options) {
  static const std::vector<std::string> kDefault = {
      "tower:height=10", "pyramid:base=10", "pile:count=500,shape=mixed", "rubble:count=300", "billiard-break", "skeletons:count=2", "chain-100h"};
  const std::vector<std::string>& names = options.scenes.empty() ? kDefault : options.scenes;
  for (const std::string& name : names) loadSceneOrModel(name);
  requireUsable(options.settings);
  const OutputFile json("--json", options.json);
  const bool table = options.json != "-";
  Json rows = Json::array();
  bool all = true;
  for (const std::string& name : names) {
    const Outcome outcome = verifyScene(name, options);
    if (table) print(name, outcome);
    Json runs = Json::array();
    for (const auto& [variant, hash] : outcome.runs) {
      runs.push_back({{"backend", nameOf(variant.backend)}, {"threads", variant.threads}, {"state_hash", hexHash(hash)}});
    }
    rows.push_back({{"scene", name},
                    {"steps", options.steps},
                    {"precision", nameOf(options.settings.precision)},
                    {"runs", runs},
                    {"identical", outcome.identical},
                    {"perturbed_state_hash", outcome.control ? Json(hexHash(*outcome.control)) : Json(nullptr)},
                    {"lemke_velocity_error", outcome.lemkeError ? Json(*outcome.lemkeError) : Json(nullptr)},
                    {"status", outcome.status()}});
    all = all && outcome.passed();
  }
  if (table && options.settings.backend == Backend::Auto && !cudaUsable(options.settings.device)) fmt::print("CUDA: skipped, {}\n", cudaObstacle());
  if (json.wanted()) {
    Json document = documentJson("verify");
    document["rows"] = rows;
    json.write(document.dump(2));
  }
  return all ? 0 : 1;
}

}  // namespace

void addVerify(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("verify", "Backends and thread counts against each other, bit by bit");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("scenes", options->scenes, "Scenes (default: small ones of each kind)")->type_name("SCENE");
  command->add_option("--steps", options->steps, "Steps of each run, >= 1")->check(wholeNumber())->type_name("N")->capture_default_str();
  command->add_option("--json", options->json, "Result as JSON; - for standard output")->type_name("FILE");
  addSettings(*command, options->settings);
  command->callback([options, &exitStatus] { exitStatus = verify(*options); });
}

}  // namespace cairn::cli
