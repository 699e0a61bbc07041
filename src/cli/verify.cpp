// cairn verify: backends, thread counts and repetitions against each other, bit by bit; and a control that must differ.
#include "commands.hpp"
#include "options.hpp"
#include "settings_names.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <iostream>
#include <set>

#include "../../kernels/runtime.hpp"

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

struct Outcome {
  std::vector<std::pair<Variant, uint64_t>> runs;
  uint64_t control = 0;
  bool identical = true;  // and the control differs
};

uint64_t hashOf(const Scene& scene, WorldSettings settings, const Variant& variant, int steps) {
  settings.backend = variant.backend;
  settings.threads = variant.threads;
  World world(scene, settings);
  world.step(steps);
  return world.stateHash();
}

// The smallest change that the World's precision can see in a metre or so: the first dynamic body is moved.
Scene perturbed(Scene scene, Precision precision) {
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    const double size = std::max(1.0, std::max(std::abs(body.pose.p.x), std::abs(body.pose.p.y)));
    body.pose.p.x += size * (precision == Precision::Float ? 1e-6 : 1e-12);
    break;
  }
  return scene;
}

Outcome verifyScene(const std::string& name, const VerifyOptions& options) {
  const Scene scene = loadScene(name);
  std::vector<Variant> variants = {{Backend::Cpu, 1}, {Backend::Cpu, 2}, {Backend::Cpu, 1}};
  if (cudaDeviceCount() > 0) variants.insert(variants.end(), {{Backend::Cuda, 0}, {Backend::Cuda, 0}});
  Outcome outcome;
  Progress progress(name + " run");
  const long total = static_cast<long>(variants.size()) + 1;
  for (const Variant& variant : variants) {
    progress.show(static_cast<long>(outcome.runs.size()), total);
    outcome.runs.emplace_back(variant, hashOf(scene, options.settings, variant, options.steps));
    outcome.identical = outcome.identical && outcome.runs.back().second == outcome.runs.front().second;
  }
  outcome.control = hashOf(perturbed(scene, options.settings.precision), options.settings, variants.front(), options.steps);
  outcome.identical = outcome.identical && outcome.control != outcome.runs.front().second;
  return outcome;
}

int verify(const VerifyOptions& options) {
  static const std::vector<std::string> kDefault = {"tower:height=10", "pyramid:base=10", "pile:count=500,shape=mixed", "rubble:count=300",
                                                    "billiard-break"};
  const std::vector<std::string>& names = options.scenes.empty() ? kDefault : options.scenes;
  for (const std::string& name : names) loadScene(name);
  const OutputFile json(options.json);
  Json rows = Json::array();
  bool all = true;
  for (const std::string& name : names) {
    const Outcome outcome = verifyScene(name, options);
    Json runs = Json::array();
    for (const auto& [variant, hash] : outcome.runs) {
      runs.push_back({{"backend", nameOf(variant.backend)}, {"threads", variant.threads}, {"state_hash", hexHash(hash)}});
      if (options.json != "-") fmt::print("{:32} {:4} {} {}\n", name, nameOf(variant.backend), variant.threads, hexHash(hash));
    }
    if (options.json != "-") {
      fmt::print("{:32} perturbed {}\n", name, hexHash(outcome.control));
      fmt::print("{:32} {}\n", name,
                 outcome.identical                                ? "identical, and the perturbed scene differs"
                 : outcome.control == outcome.runs.front().second ? "FAILED: the perturbed scene gives the same hash"
                                                                  : "FAILED: not identical");
    }
    rows.push_back({{"scene", name},
                    {"steps", options.steps},
                    {"precision", nameOf(options.settings.precision)},
                    {"runs", runs},
                    {"perturbed_state_hash", hexHash(outcome.control)},
                    {"identical", outcome.identical}});
    all = all && outcome.identical;
  }
  if (options.json != "-" && cudaDeviceCount() == 0) fmt::print("CUDA: skipped, no device\n");
  if (json.wanted()) json.write(Json{{"command", "verify"}, {"rows", rows}}.dump(2));
  return all ? 0 : 1;
}

}  // namespace

void addVerify(CLI::App& app, int& exitStatus) {
  CLI::App* command = app.add_subcommand("verify", "Backends and thread counts against each other, bit by bit");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("scenes", options->scenes, "Scenes (default: five small ones)");
  command->add_option("--steps", options->steps, "Steps of each run")->check(CLI::Range(1, 1000000000))->capture_default_str();
  command->add_option("--json", options->json, "Result as JSON; - for standard output");
  addSettings(*command, options->settings);
  command->callback([options, &exitStatus] { exitStatus = verify(*options); });
}

}  // namespace cairn::cli
