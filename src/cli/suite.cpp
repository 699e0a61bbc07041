#include "src/cli/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace cairn::cli {
namespace {

constexpr double kStandingDrift = 0.05;        // [m]
constexpr double kUnitBoxPenetration = 0.003;  // [m]
constexpr Expectation kStack{true, true, kUnitBoxPenetration}, kStructure{true, true, 0}, kPile{false, true, 0}, kAnything{};
// The lowest planks lie 9 cm above the ground, and the courses give by millimetres.
constexpr Expectation kTower{true, true, 0, 0.95};

struct Window {
  int from, to;
};
// Stacks are timed as soon as they have settled, piles when most of their bodies lie.
constexpr Window kEarly{120, 300}, kLate{300, 420};

SuiteScene timed(const char* name, int steps, Window window, Expectation expectation) {
  SuiteScene scene;
  scene.name = name;
  scene.steps = steps;
  scene.timedFrom = window.from;
  scene.timedTo = window.to;
  scene.expectation = expectation;
  return scene;
}
SuiteScene stack(const char* name, Expectation expectation) { return timed(name, 1200, kEarly, expectation); }
SuiteScene pile(const char* name) { return timed(name, 420, kLate, kPile); }

std::string generatorOf(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

const std::vector<SuiteScene>& stacksSuite() {
  static const std::vector<SuiteScene> scenes = [] {
    std::vector<SuiteScene> all;
    for (const char* name : {"tower:height=20", "tower:height=100", "pyramid:base=40", "wall:width=50,height=40"}) all.push_back(stack(name, kStack));
    for (const char* name : {"arch", "card-house"}) all.push_back(stack(name, kStructure));
    all.push_back(stack("mass-ratio:count=10,ratio=1000", kAnything));
    for (const char* name :
         {"pile:count=8000,shape=box", "pile:count=8000,shape=sphere", "pile:count=8000,shape=mixed", "rubble:count=8000", "drum"}) {
      all.push_back(pile(name));
    }
    return all;
  }();
  return scenes;
}

const std::vector<SuiteScene>& jointsSuite() {
  static const std::vector<SuiteScene> scenes = {
      timed("chain-100", 300, kEarly, kAnything), timed("chain-100h", 300, kEarly, kAnything), timed("bridge", 600, kLate, kAnything),
      timed("net", 600, kLate, kAnything),        timed("rings", 420, kLate, kAnything),       timed("skeletons", 600, kLate, kPile),
  };
  return scenes;
}

const std::vector<SuiteScene>& box3dSuite() {
  static const std::vector<SuiteScene> scenes = {
      timed("large_pyramid", 200, {1, 200}, kStack), timed("many_pyramids", 100, {1, 100}, kStack),  timed("joint_grid", 100, {1, 100}, kAnything),
      timed("washer", 1000, {1, 1000}, kAnything),   timed("convex_pile", 500, {1, 500}, kAnything),
  };
  return scenes;
}

const std::vector<SuiteScene>& largeSuite() {
  static const std::vector<SuiteScene> scenes = {
      timed("pile:count=64000,shape=box", 420, kLate, kPile),
      timed("wall:width=400,height=160", 300, kEarly, kStack),
      timed("rubble:count=64000", 420, kLate, kPile),
      timed("kapla", 300, kEarly, kTower),
  };
  return scenes;
}

// Those of boxes as hulls are judged as the boxes are; rings of meshes stand beside rings of compounds.
const std::vector<SuiteScene>& shapesSuite() {
  static const std::vector<SuiteScene> scenes = [] {
    std::vector<SuiteScene> all;
    for (const char* name :
         {"tower:height=20,shape=hull", "tower:height=100,shape=hull", "pyramid:base=40,shape=hull", "wall:width=50,height=40,shape=hull"}) {
      all.push_back(stack(name, kStack));
    }
    all.push_back(timed("convex_pile", 500, {1, 500}, kAnything));
    all.push_back(timed("washer", 1000, {1, 1000}, kAnything));
    for (const char* name : {"logs", "terrain", "rain", "hooks", "links", "bolts", "rings:rings=40,poles=2", "rings:rings=40,poles=2,shape=mesh"}) {
      all.push_back(timed(name, 420, kLate, kAnything));
    }
    return all;
  }();
  return scenes;
}

namespace {

struct Suite {
  const char* name;
  const std::vector<SuiteScene>& (*scenes)();
};
constexpr Suite kSuites[] = {{"stacks", stacksSuite}, {"joints", jointsSuite}, {"box3d", box3dSuite}, {"large", largeSuite}, {"shapes", shapesSuite}};

}  // namespace

const std::vector<std::string>& suiteNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Suite& suite : kSuites) all.emplace_back(suite.name);
    return all;
  }();
  return names;
}

const std::vector<SuiteScene>& suiteNamed(const std::string& name) {
  const auto* const suite = std::find_if(std::begin(kSuites), std::end(kSuites), [&](const Suite& one) { return name == one.name; });
  assert(suite != std::end(kSuites));
  return suite->scenes();
}

SuiteScene suiteSceneFor(const std::string& name) {
  for (const Suite& suite : kSuites)
    for (const SuiteScene& scene : suite.scenes()) {
      if (generatorOf(scene.name) != generatorOf(name)) continue;
      SuiteScene same = scene;
      same.name = name;
      return same;
    }
  return timed(name.c_str(), 420, kEarly, kAnything);
}

SuiteScene lasting(SuiteScene scene, int steps) {
  if (steps > 0) scene.steps = steps;
  if (scene.timedFrom >= scene.steps) scene.timedFrom = scene.steps / 2;
  scene.timedTo = std::min(scene.timedTo, scene.steps);
  return scene;
}

std::string judge(const SceneMeasure& measure, const StepReport& report, const Expectation& expectation) {
  std::string failures;
  const auto fail = [&](const std::string& reason) { failures += (failures.empty() ? "failed: " : "; ") + reason; };
  if (expectation.stands && measure.heightRatioMin < expectation.heightRatio) fail(fmt::format("height ratio {:.3f}", measure.heightRatioMin));
  if (expectation.stands && measure.driftMax > kStandingDrift) fail(fmt::format("drift {:.3f} m", measure.driftMax));
  if (expectation.encloses && measure.escapedBodies > 0) fail(fmt::format("{} escaped", measure.escapedBodies));
  if (expectation.penetrationMeanMax > 0 && report.penetrationMean > expectation.penetrationMeanMax) {
    fail(fmt::format("mean penetration {:.2f} mm", 1000 * report.penetrationMean));
  }
  return failures.empty() ? "ok" : failures;
}

}  // namespace cairn::cli
