// The benchmark suite: scenes, how long they run, which steps are timed, and what each must show at its end.
#pragma once

#include "src/io/scene_measure.hpp"

#include <cairn/report.hpp>

#include <string>
#include <vector>

namespace cairn::cli {

struct Expectation {
  bool stands = false;            // heights stay, nobody drifts
  bool encloses = false;          // nobody escapes
  double penetrationMeanMax = 0;  // [m]; 0: not asked
  double heightRatio = 0.97;      // that heights stay above, if it stands
};

struct SuiteScene {
  std::string name;
  int steps = 0;
  int timedFrom = 0, timedTo = 0;  // steps timedFrom + 1 to timedTo are timed
  Expectation expectation;
};

// Towers, walls, piles: the scenes that other engines were measured on, with their step counts and windows of time.
const std::vector<SuiteScene>& stacksSuite();

// Chains, loops and figures of joints.
const std::vector<SuiteScene>& jointsSuite();

// The scenes of Box3D's own benchmark, with its step counts; all steps but the first are timed.
const std::vector<SuiteScene>& box3dSuite();

// Tens of thousands of bodies each, for devices and many threads.
const std::vector<SuiteScene>& largeSuite();

// Hulls (boxes that are hulls, and others), cylinders, meshes, and solids.
const std::vector<SuiteScene>& shapesSuite();

// The suites by their names, one of suiteNames.
const std::vector<std::string>& suiteNames();
const std::vector<SuiteScene>& suiteNamed(const std::string& name);

// A scene of any name: as the suite runs its generator, whatever the parameters; without expectations if the suite has none of that kind.
SuiteScene suiteSceneFor(const std::string& name);

// The same scene over another number of steps (0: its own). Where the run ends before the timed ones begin, its last half is timed.
SuiteScene lasting(SuiteScene scene, int steps);

// "ok", or "failed: ..." and every expectation that does not hold.
std::string judge(const SceneMeasure& measure, const StepReport& report, const Expectation& expectation);

}  // namespace cairn::cli
