#include "bench/engine_line.hpp"

#include "bench/overlaps.hpp"
#include "bench/top_bodies.hpp"
#include "src/cli/suite.hpp"
#include "src/io/report_json.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

namespace cairn::bench {
namespace {

int positive(const char* what, const char* text) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 1) throw InvalidInput(what, fmt::format("must be a whole number > 0, is '{}'", text));
  return value;
}

// Largest distance between the two places where a joint holds its bodies [m]; joints that let them slide are not looked at.
double jointSeparation(const Scene& scene, const std::vector<BodyState>& states) {
  double largest = 0;
  for (const JointDef& joint : scene.joints) {
    if (joint.type != JointType::Point && joint.type != JointType::Hinge && joint.type != JointType::Rigid) continue;
    const Vec3d a = transform(states[size_t(joint.bodyA)].pose, joint.frameA.p), b = transform(states[size_t(joint.bodyB)].pose, joint.frameB.p);
    largest = std::max(largest, length(b - a));
  }
  return largest;
}

Json line(const char* name, const Scene& scene, const cli::SuiteScene& entry, const Engine& engine, const std::vector<double>& times) {
  const std::vector<BodyState> states = engine.states();
  const Overlaps overlaps = measureOverlaps(scene, states);
  const TopBodies top = topBodies(scene, states);
  return {{"name", name},
          {"scene", entry.name},
          {"threads", engine.threads},
          {"ms", quantile(times, 0.5)},
          {"p05", quantile(times, 0.05)},
          {"p95", quantile(times, 0.95)},
          {"points", engine.contactPoints()},
          {"penMeanMm", 1000 * overlaps.mean},
          {"penMaxMm", 1000 * overlaps.max},
          {"drift", measureScene(scene, states).driftMax},
          {"standing", top.standing},
          {"topN", top.count},
          {"jointSepMm", 1000 * jointSeparation(scene, states)}};
}

void run(const char* name, int argc, char** argv, const MakeEngine& make) {
  if (argc < 3 || argc > 4) throw InvalidInput(name, "takes SCENE THREADS [STEPS]");
  const int threads = positive("threads", argv[2]);
  const cli::SuiteScene known = cli::suiteSceneFor(argv[1]), entry = cli::lasting(known, argc > 3 ? positive("steps", argv[3]) : known.timedTo);
  const Scene scene = loadScene(argv[1]);
  const Engine engine = make(scene, threads);
  std::vector<double> times;
  for (int k = 1; k <= entry.steps; ++k) {
    const auto start = std::chrono::steady_clock::now();
    engine.step();
    if (k > entry.timedFrom) times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  fmt::print("{}\n", line(name, scene, entry, engine, times).dump());
}

}  // namespace

int engineProgram(const char* name, int argc, char** argv, const MakeEngine& make) {
  try {
    run(name, argc, argv, make);
  } catch (const Error& error) {
    fmt::print(stderr, "engine_{}: {}\n", name, error.what());
    return 2;
  }
  return 0;
}

}  // namespace cairn::bench
