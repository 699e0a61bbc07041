// Planned steps that are launched as a CUDA graph: the bits of those that are launched one kernel after another.
#include "src/world/simulation.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace cairn {
namespace {

WorldSettings recorded() {
  WorldSettings settings;
  settings.backend = Backend::Cuda;
  settings.cudaGraph = true;
  settings.threads = 1;
  settings.substeps = 2;
  return settings;
}

WorldSettings onCpu(WorldSettings settings) {
  settings.backend = Backend::Cpu;
  return settings;
}

class RecordedSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
};

TEST_F(RecordedSteps, AreReplayedTenTimesWithTheBitsOfTheCpu) {
  for (const char* name : {"tower:height=4", "pile:count=30,shape=mixed", "chain-100h", "skeletons:count=1"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    const WorldSettings settings = recorded(), cpu = onCpu(settings);
    const auto here = makeSimulation<float>(scene, cpu, Target::Cpu), there = makeSimulation<float>(scene, settings, Target::Cuda);
    for (int steps = 0; steps < 60 && there->stepsTaken().replayed < 10; ++steps) {
      here->step();
      there->step();
      there->settle();
      ASSERT_EQ(there->stateHash(), here->stateHash()) << "after " << steps + 1 << " steps";
    }
    EXPECT_GE(there->stepsTaken().replayed, 10);
    EXPECT_EQ(there->report().manifolds, here->report().manifolds);
    EXPECT_EQ(there->report().sweeps, here->report().sweeps);
  }
}

TEST_F(RecordedSteps, AreOneLaunchEach) {
  LaunchLog log;
  const WorldSettings settings = recorded();
  std::unique_ptr<Simulation> world;
  {
    const LaunchLogging logging(log);
    world = makeSimulation<float>(loadScene("tower:height=4"), settings, Target::Cuda);
  }
  for (int k = 0; k < 10; ++k) world->step();
  world->settle();
  log.clear();
  const int before = world->stepsTaken().replayed;
  for (int k = 0; k < 10; ++k) world->step();
  EXPECT_EQ(world->stepsTaken().replayed, before + 10);
  EXPECT_EQ(log.now().launches, 10);
  EXPECT_EQ(log.now().waits, 0);
  world->settle();
}

TEST_F(RecordedSteps, GiveTheBitsOfTheCpuWithAnySettings) {
  const std::vector<std::pair<const char*, std::function<void(WorldSettings&)>>> cases = {
      {"three colours", [](WorldSettings& s) { s.maxColours = 3; }},
      {"jacobi", [](WorldSettings& s) { s.solver = Solver::Jacobi; }},
      {"friction stabilization", [](WorldSettings& s) { s.frictionStabilization = true; }},
      {"position corrections", [](WorldSettings& s) { s.positionCorrections = 1; }},
      {"double", [](WorldSettings& s) { s.precision = Precision::Double; }},
  };
  for (const auto& [name, set] : cases) {
    SCOPED_TRACE(name);
    WorldSettings settings = recorded();
    set(settings);
    World cpu(loadScene("pile:count=40,shape=mixed"), onCpu(settings)), device(loadScene("pile:count=40,shape=mixed"), settings);
    for (int look = 0; look < 3; ++look) {
      cpu.step(10);
      device.step(10);
      ASSERT_EQ(device.stateHash(), cpu.stateHash());
    }
  }
}

// Everything that makes a recording untrue, while one is there.
TEST_F(RecordedSteps, AreRecordedAnewWhenTheWorldHasChanged) {
  const Scene scene = loadScene("skeletons:count=1");
  World cpu(scene, onCpu(recorded())), device(scene, recorded());
  const std::vector<std::pair<const char*, std::function<void(World&)>>> changes = {
      {"nothing", [](World&) {}},
      {"a pose",
       [](World& w) {
         w.setPose(w.bodies()[3], {{0.1, 3, 0.2}, test::kNoTurn});
       }},
      {"a velocity",
       [](World& w) {
         w.setVelocity(w.bodies()[4], {0, 2, 0}, {0, 0, 1});
       }},
      {"a force",
       [](World& w) {
         w.applyForce(w.bodies()[5], {0, 50, 0}, {0, 0, 0});
       }},
      {"a body",
       [](World& w) {
         w.addBody(test::bodyAt({0, 6, 0}, ShapeDef::sphere(0.2)));
       }},
      {"a joint less", [](World& w) { w.removeJoint(w.joints()[2]); }},
      {"a body less", [](World& w) { w.removeBody(w.bodies()[6]); }},
      {"questions",
       [](World& w) {
         w.report();
         w.castRays({{{5, 0.1, 0}, {-1, 0, 0}, 100}});
         w.contacts();
       }},
  };
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    for (World* world : {&cpu, &device}) {
      change(*world);
      world->step(6);
    }
    ASSERT_EQ(device.stateHash(), cpu.stateHash());
  }
}

TEST_F(RecordedSteps, TakeForcesUpInEachStepThatHasSome) {
  World cpu(loadScene("tower:height=3"), onCpu(recorded())), device(loadScene("tower:height=3"), recorded());
  for (int k = 0; k < 12; ++k) {
    for (World* world : {&cpu, &device}) {
      world->applyForce(world->bodies()[1], {0.1 * k, 0, 1}, {0, 0, 0});
      world->step();
    }
  }
  for (World* world : {&cpu, &device}) world->step(3);
  EXPECT_EQ(device.stateHash(), cpu.stateHash());
}

TEST_F(RecordedSteps, OfTwoWorldsKeepOutOfEachOthersWay) {
  const WorldSettings settings = recorded();
  World cpu(loadScene("tower:height=4"), onCpu(settings)), other(loadScene("chain-100h"), onCpu(settings));
  World first(loadScene("tower:height=4"), settings), second(loadScene("chain-100h"), settings);
  for (int k = 0; k < 12; ++k) {
    first.step();
    second.step();
  }
  cpu.step(12);
  other.step(12);
  EXPECT_EQ(first.stateHash(), cpu.stateHash());
  EXPECT_EQ(second.stateHash(), other.stateHash());
}

}  // namespace
}  // namespace cairn
