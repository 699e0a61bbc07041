// Cairn beside Bullet: the same scenes, one thread each, in turns of a few steps in one process, so that both see the same machine. Prints the time a
// contact point and step, and the quality: penetration measured from the poses in the same way for both, drift, heights.
#include "bench/bullet_world.hpp"
#include "bench/overlaps.hpp"
#include "bench/top_bodies.hpp"
#include "src/cli/options.hpp"
#include "src/cli/output_file.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/suite.hpp"
#include "src/io/report_json.hpp"

#include <cairn/cairn.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace cairn::bench {
namespace {

constexpr int kTurnSteps = 10;  // steps of one engine before the other one goes on

struct Engine {
  std::vector<double> times;  // of the timed steps [ms]
  double points = 0;          // contact points, mean over the timed turns
  int turns = 0;
  Overlaps overlaps;
  SceneMeasure measure;
  double topRatio = 1;

  double median() const { return quantile(times, 0.5); }
  double nanosecondsPerPoint() const { return points > 0 ? 1e6 * median() / points : 0; }
};

struct Options {
  std::vector<std::string> scenes;
  std::string json, commit;
  int steps = 0;
  WorldSettings settings;
};

struct Row {
  cli::SuiteScene entry;
  int bodies = 0;
  Engine cairn, bullet;
};

template <class Step> double milliseconds(Step step) {
  const auto start = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Step, class Points> void turn(Engine& engine, int from, int count, const cli::SuiteScene& entry, Step step, Points points) {
  bool timed = false;
  for (int k = from + 1; k <= from + count; ++k) {
    const double time = milliseconds(step);
    if (k <= entry.timedFrom || k > entry.timedTo) continue;
    engine.times.push_back(time);
    timed = true;
  }
  if (!timed) return;
  engine.points += (points() - engine.points) / ++engine.turns;
}

void measure(Engine& engine, const Scene& scene, const std::vector<BodyState>& states) {
  engine.overlaps = measureOverlaps(scene, states);
  engine.measure = measureScene(scene, states);
  engine.topRatio = topBodies(scene, states).ratio;
}

Row compare(const std::string& name, const Options& options) {
  Row row;
  row.entry = cli::lasting(cli::suiteSceneFor(name), options.steps);
  const int steps = row.entry.steps;
  const Scene scene = loadScene(name);
  row.bodies = static_cast<int>(scene.bodies.size());
  World world(scene, options.settings);
  BulletWorld bullet(scene);
  cli::Progress progress(name + ", step");
  for (int done = 0; done < steps; done += kTurnSteps) {
    const int count = std::min(kTurnSteps, steps - done);
    turn(
        row.cairn, done, count, row.entry, [&] { world.step(); }, [&] { return world.report().contactPoints; });
    turn(
        row.bullet, done, count, row.entry, [&] { bullet.step(options.settings.dt); }, [&] { return bullet.contactPoints(); });
    progress.show(done, steps);
  }
  measure(row.cairn, scene, world.states());
  measure(row.bullet, scene, bullet.states());
  return row;
}

void print(const char* name, const Row& row, const Engine& engine) {
  fmt::print("{:32} {:7} {:6} {:9.4f} {:9.4f} {:8.0f} {:7.0f} {:8.2f} {:8.2f} {:8.3f} {:7.3f} {:4}\n", row.entry.name, name, row.bodies,
             engine.median(), quantile(engine.times, 0.95), engine.points, engine.nanosecondsPerPoint(), 1000 * engine.overlaps.mean,
             1000 * engine.overlaps.max, engine.measure.driftMax, engine.topRatio, engine.measure.escapedBodies);
}

Json engineJson(const Engine& engine) {
  return {{"step_ms", {{"median", engine.median()}, {"p95", quantile(engine.times, 0.95)}}},
          {"contact_points", engine.points},
          {"ns_per_point", engine.nanosecondsPerPoint()},
          {"overlapping_pairs", engine.overlaps.pairs},
          {"penetration_mean_m", engine.overlaps.mean},
          {"penetration_max_m", engine.overlaps.max},
          {"drift_max_m", engine.measure.driftMax},
          {"height_ratio_min", engine.measure.heightRatioMin},
          {"top_height_ratio", engine.topRatio},
          {"escaped_bodies", engine.measure.escapedBodies}};
}

void run(const Options& options) {
  std::vector<std::string> names = options.scenes;
  if (names.empty()) {
    for (const cli::SuiteScene& scene : cli::stacksSuite()) names.push_back(scene.name);
  }
  for (const std::string& name : names) loadScene(name);
  cli::requireUsable(options.settings);
  const cli::OutputFile json("--json", options.json);
  const bool table = options.json != "-";
  if (table) {
    fmt::print("{:32} {:7} {:>6} {:>9} {:>9} {:>8} {:>7} {:>8} {:>8} {:>8} {:>7} {:>4}\n", "scene", "engine", "bodies", "ms/step", "p95", "points",
               "ns/pt", "pen mm", "max mm", "drift m", "top", "esc");
  }
  Json rows = Json::array();
  for (const std::string& name : names) {
    const Row row = compare(name, options);
    if (table) {
      print("cairn", row, row.cairn);
      print("bullet", row, row.bullet);
      std::fflush(stdout);
    }
    rows.push_back({{"scene", row.entry.name},
                    {"bodies", row.bodies},
                    {"steps", row.entry.steps},
                    {"timed_from", row.entry.timedFrom},
                    {"timed_to", row.entry.timedTo},
                    {"cairn", engineJson(row.cairn)},
                    {"bullet", engineJson(row.bullet)},
                    {"step_ms_ratio", row.bullet.median() / row.cairn.median()}});
  }
  if (!json.wanted()) return;
  Json document = documentJson("bench_bullet");
  if (!options.commit.empty()) document["commit"] = options.commit;
  document["compiler"] = __VERSION__;
  document["bullet"] = CAIRN_BULLET_VERSION;
  document["threads"] = options.settings.threads;
  document["settings"] = settingsJson(options.settings);
  document["rows"] = rows;
  json.write(document.dump(2));
}

}  // namespace
}  // namespace cairn::bench

int main(int argc, char** argv) {
  CLI::App app("Cairn beside Bullet on the same scenes", "bench_bullet");
  cairn::bench::Options options;
  options.settings.backend = cairn::Backend::Cpu;
  options.settings.threads = 1;
  app.add_option("scenes", options.scenes, "Scenes (default: the suite of cairn bench)");
  app.add_option("--steps", options.steps, "Steps of each scene (default: the suite's)")->check(CLI::Range(1, 1000000000));
  app.add_option("--json", options.json, "Result as JSON; - for standard output");
  app.add_option("--commit", options.commit, "Written into the JSON");
  cairn::cli::addSettings(app, options.settings);
  try {
    app.parse(argc, argv);
    cairn::bench::run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const cairn::Error& error) {
    fmt::print(stderr, "bench_bullet: {}\n", error.what());
    return 2;
  }
  return 0;
}
