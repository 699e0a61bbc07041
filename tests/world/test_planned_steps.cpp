// Steps on a device that nobody waits for: the bits of steps that were waited for, whatever happens on the way.
#include "kernels/runtime/tuning.hpp"
#include "src/world/simulation.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace cairn {
namespace {

WorldSettings onBackend(Backend backend) {
  WorldSettings settings;
  settings.backend = backend;
  settings.threads = 1;
  settings.substeps = 2;
  return settings;
}

BodyDef ball(Vec3d position, double radius) { return test::bodyAt(position, ShapeDef::sphere(radius)); }

Scene emptyGround() {
  Scene scene;
  scene.add(test::ground());
  return scene;
}

// Layers that fall onto each other: every few steps there are many contacts more.
Scene fallingLayers(int width = 9) {
  Scene scene = emptyGround();
  for (int layer = 0; layer < 4; ++layer) {
    for (int k = 0; k < width * width; ++k) scene.add(ball({0.205 * (k % width), 0.3 + 0.5 * layer, 0.205 * (k / width)}, 0.1));
  }
  return scene;
}

// A pendulum that swings into a post and away from it.
Scene pendulumAndPost() {
  Scene scene = emptyGround();
  BodyDef post;
  post.type = BodyType::Static;
  post.pose.p = {0, 1, 0};
  post.shapes = {ShapeDef::box({0.1, 1, 0.5})};
  scene.add(post);
  BodyDef anchor;
  anchor.type = BodyType::Static;
  anchor.pose.p = {0.22, 3, 0};
  scene.add(anchor);
  scene.add(ball({1.5, 3, 0}, 0.1));
  scene.bodies.back().shapes[0].material.restitution = 0.8;
  JointDef joint;
  joint.type = JointType::Point;
  joint.bodyA = 2;
  joint.bodyB = 3;
  joint.frameB.p = {-1.28, 0, 0};
  scene.joints.push_back(joint);
  return scene;
}

class PlannedSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }

  // One World steps on the CPU, one on the device, with so many steps between two looks.
  static void expectSameBits(const Scene& scene, const WorldSettings& settings, int looks, int steps) {
    WorldSettings here = settings, there = settings;
    here.backend = Backend::Cpu;
    there.backend = Backend::Cuda;
    World cpu(scene, here), device(scene, there);
    for (int look = 0; look < looks; ++look) {
      cpu.step(steps);
      device.step(steps);
      ASSERT_EQ(device.stateHash(), cpu.stateHash()) << "after " << (look + 1) * steps << " steps";
    }
    EXPECT_EQ(device.report().manifolds, cpu.report().manifolds);
    EXPECT_EQ(device.report().candidatePairs, cpu.report().candidatePairs);
    EXPECT_EQ(device.contacts().size(), cpu.contacts().size());
  }
};

TEST_F(PlannedSteps, AreUndoneAndRepeatedWhereTheyDoNotKeepToTheirPlan) {
  const Scene scene = fallingLayers();
  const WorldSettings cpu = onBackend(Backend::Cpu), cuda = onBackend(Backend::Cuda);
  const auto here = makeSimulation<float>(scene, cpu, Target::Cpu), there = makeSimulation<float>(scene, cuda, Target::Cuda);
  for (int k = 0; k < 40; ++k) {
    here->step();
    there->step();
  }
  there->settle();
  EXPECT_EQ(there->stateHash(), here->stateHash());
  const StepsTaken taken = there->stepsTaken();
  EXPECT_GE(taken.repeated, 1);
  EXPECT_GE(taken.planned - taken.repeated, 20);
  EXPECT_EQ(taken.read + taken.planned - taken.repeated, 40);
}

void expectNoWaitsOnceTheNumbersAreKnown(const WorldSettings& settings, const char* scene, int steps) {
  LaunchLog log;
  std::unique_ptr<Simulation> world;
  {
    const LaunchLogging logging(log);
    world = makeSimulation<float>(loadScene(scene), settings, Target::Cuda);
  }
  for (int k = 0; k < steps; ++k) world->step();
  world->settle();
  const int read = world->stepsTaken().read;
  log.clear();
  for (int k = 0; k < 20; ++k) world->step();
  int64_t waits = log.now().waits;
  for (const auto& [stage, counts] : log.stages()) waits += counts.waits;
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(world->stepsTaken().read, read);
  world->settle();
}

TEST_F(PlannedSteps, WaitForNothingOnceTheNumbersAreKnown) {
  expectNoWaitsOnceTheNumbersAreKnown(onBackend(Backend::Cuda), "pile:count=60,shape=box", 60);
}

TEST_F(PlannedSteps, WaitForNothingWithATolerance) {
  for (const Solver solver : {Solver::Pgs, Solver::Nncg}) {
    WorldSettings settings = onBackend(Backend::Cuda);
    settings.solver = solver;
    settings.tolerance = 1e-2;
    settings.maxIterations = 30;
    settings.substeps = 1;
    expectNoWaitsOnceTheNumbersAreKnown(settings, "tower:height=4", 20);
  }
}

// However many solves a substep's joints take, they are one launch, and so is the one after the bodies have moved.
TEST_F(PlannedSteps, SolveJointsInOneLaunchForAllSolves) {
  const WorldSettings settings = onBackend(Backend::Cuda);
  // Launches a substep that a scene's joints and contacts need, whatever the number of solves.
  for (const auto& [scene, most] : {std::pair{"chain-100", 6}, std::pair{"skeletons:count=1", 8}}) {
    SCOPED_TRACE(scene);
    LaunchLog log;
    std::unique_ptr<Simulation> world;
    {
      const LaunchLogging logging(log);
      WorldSettings logged = settings;
      logged.stageTimes = true;
      world = makeSimulation<float>(loadScene(scene), logged, Target::Cuda);
    }
    for (int k = 0; k < 3; ++k) world->step();
    world->settle();
    log.clear();
    world->step();
    const auto& stages = log.stages();
    const auto solve = std::find_if(stages.begin(), stages.end(), [](const auto& stage) { return stage.first == "solve"; });
    ASSERT_NE(solve, stages.end());
    EXPECT_GT(solve->second.launches, 0);
    EXPECT_LE(solve->second.launches, most * settings.substeps)
        << "begin, sweeps, solve, large rotations, collect; and sweeps, solve, collect once more";
    world->settle();
  }
}

// Components of their own kinds and sizes, each of which a block solves.
TEST_F(PlannedSteps, SolveJointsOfManyComponentsAsTheCpuDoes) {
  Scene scene;
  for (int chain = 0; chain < 600; ++chain) {
    const int first = static_cast<int>(scene.bodies.size());
    const double x = 2.0 * (chain % 25), z = 2.0 * (chain / 25);
    scene.add(ball({x, 5, z}, 0.1));
    scene.bodies.back().type = BodyType::Static;
    for (int link = 1; link <= 2; ++link) {
      scene.add(ball({x + 0.4 * link, 5, z}, 0.1));
      JointDef joint;
      joint.type = chain % 3 == 0 ? JointType::Hinge : JointType::Point;
      joint.bodyA = first + link - 1;
      joint.bodyB = first + link;
      joint.frameA.p = {0.4, 0, 0};
      if (joint.type == JointType::Hinge && link == 2) joint.axes[3].limits = {{-0.1, 0.1}};
      scene.joints.push_back(joint);
    }
  }
  expectSameBits(scene, onBackend(Backend::Auto), 3, 3);
}

// So many joints around one body that a block would be too narrow for their level: the grid solves them.
TEST_F(PlannedSteps, SolveJointsOfAWideComponentAsTheCpuDoes) {
  Scene scene;
  const int arms = kLevelBlockWidth + 40;
  scene.add(ball({0, 5, 0}, 1));
  for (int arm = 0; arm < arms; ++arm) {
    const double angle = 2 * 3.14159265358979 * arm / arms, x = std::cos(angle), z = std::sin(angle);
    scene.add(ball({20 * x, 5 + 0.3 * (arm % 3), 20 * z}, 0.1));
    JointDef joint;
    joint.type = JointType::Point;
    joint.bodyA = 0;
    joint.bodyB = arm + 1;
    joint.frameA.p = {10 * x, 0, 10 * z};
    joint.frameB.p = {-10 * x, -0.3 * (arm % 3), -10 * z};
    scene.joints.push_back(joint);
  }
  expectSameBits(scene, onBackend(Backend::Auto), 2, 2);
}

// What is fast is looked for in no step that lies long enough behind the last one in which something was.
TEST_F(PlannedSteps, LeaveOutWhatIsForFastBodiesOnceNothingIsFast) {
  Scene scene = emptyGround();
  scene.add(ball({0, 1, 0}, 0.1));
  scene.bodies.back().linearVelocity = {0, -30, 0};
  LaunchLog log;
  std::unique_ptr<Simulation> world;
  {
    const LaunchLogging logging(log);
    WorldSettings logged = onBackend(Backend::Cuda);
    logged.stageTimes = true;
    world = makeSimulation<float>(scene, logged, Target::Cuda);
  }
  const auto launchesOfIntegration = [&] {
    log.clear();
    world->step();
    world->settle();
    for (const auto& [stage, counts] : log.stages()) {
      if (stage == "integration") return counts.launches;
    }
    return int64_t(0);
  };
  for (int k = 0; k < 8; ++k) world->step();
  world->settle();
  const int64_t whileFast = launchesOfIntegration();
  for (int k = 0; k < 130; ++k) {
    world->step();
    world->settle();
  }
  EXPECT_LE(launchesOfIntegration(), whileFast - 20) << "eight rounds of three launches, the last without its third";
}

// Layers that land need more sweeps from one step to the next than the plan has: those steps are repeated.
TEST_F(PlannedSteps, SweepToATolerance) {
  const Scene scene = fallingLayers(3);
  for (const bool overflow : {false, true}) {
    WorldSettings settings = onBackend(Backend::Auto);
    settings.tolerance = 1e-3;
    settings.maxIterations = 100;
    if (overflow) settings.maxColours = 2;
    expectSameBits(scene, settings, 8, 5);
    WorldSettings here = settings, there = settings;
    here.backend = Backend::Cpu;
    there.backend = Backend::Cuda;
    World cpu(scene, here), device(scene, there);
    int fewest = std::numeric_limits<int>::max(), most = 0;
    for (int k = 0; k < 30; ++k) {
      cpu.step();
      device.step();
      const int sweeps = cpu.report().sweeps;
      ASSERT_EQ(device.report().sweeps, sweeps) << "step " << k;
      fewest = std::min(fewest, sweeps);
      most = std::max(most, sweeps);
    }
    EXPECT_GT(most, 2 * fewest) << "some steps take many more sweeps than others";
  }
}

TEST_F(PlannedSteps, GiveTheBitsOfTheCpuHoweverManyAreQueued) {
  for (const int steps : {1, 7, 60}) {
    SCOPED_TRACE(steps);
    expectSameBits(fallingLayers(), onBackend(Backend::Auto), 60 / steps, steps);
  }
}

TEST_F(PlannedSteps, GoOtherWaysWhenJointsBeginAndCeaseToTouch) { expectSameBits(pendulumAndPost(), onBackend(Backend::Auto), 12, 10); }

TEST_F(PlannedSteps, GiveTheBitsOfTheCpuWithAnySettings) {
  const std::vector<std::pair<const char*, std::function<void(WorldSettings&)>>> cases = {
      {"no colours", [](WorldSettings& s) { s.maxColours = 0; }},
      {"one colour", [](WorldSettings& s) { s.maxColours = 1; }},
      {"three colours", [](WorldSettings& s) { s.maxColours = 3; }},
      {"jacobi", [](WorldSettings& s) { s.solver = Solver::Jacobi; }},
      {"nncg",
       [](WorldSettings& s) {
         s.solver = Solver::Nncg;
         s.iterations = 3;
       }},
      {"a tolerance",
       [](WorldSettings& s) {
         s.tolerance = 1e-3;
         s.maxIterations = 20;
       }},
      {"friction stabilization", [](WorldSettings& s) { s.frictionStabilization = true; }},
      {"position corrections", [](WorldSettings& s) { s.positionCorrections = 1; }},
      {"shock propagation", [](WorldSettings& s) { s.shockPropagation = true; }},
      {"without warm start", [](WorldSettings& s) { s.warmStart = false; }},
      {"double", [](WorldSettings& s) { s.precision = Precision::Double; }},
  };
  for (const auto& [name, set] : cases) {
    SCOPED_TRACE(name);
    WorldSettings settings = onBackend(Backend::Auto);
    set(settings);
    expectSameBits(loadScene("pile:count=40,shape=mixed"), settings, 3, 8);
    expectSameBits(loadScene("skeletons:count=1"), settings, 2, 6);
  }
}

TEST_F(PlannedSteps, TellOfAStateThatIsNotFiniteAtTheNextQuestionAndLeaveTheOneBefore) {
  Scene scene = emptyGround();
  scene.add(ball({0, 5, 0}, 0.1));
  scene.bodies.back().name = "comet";
  WorldSettings settings = onBackend(Backend::Cuda);
  settings.maxLinearSpeed = 1e38;
  World world(scene, settings);
  world.step(5);
  world.setVelocity(world.findBody("comet"), {0, 3e38, 0}, {0, 0, 0});
  world.setPose(world.findBody("comet"), {{0, 3.4e38, 0}, test::kNoTurn});
  const uint64_t before = world.stateHash();
  world.step(4);
  try {
    world.report();
    FAIL() << "the body is beyond all numbers";
  } catch (const NonFiniteState& error) {
    EXPECT_NE(std::string(error.what()).find("comet"), std::string::npos);
  }
  EXPECT_EQ(world.stateHash(), before);
  EXPECT_EQ(world.report().step, 5);
}

TEST_F(PlannedSteps, TakeForcesUpOnceWhetherTheyAreRepeatedOrNot) {
  World cpu(fallingLayers(), onBackend(Backend::Cpu)), device(fallingLayers(), onBackend(Backend::Cuda));
  for (int k = 0; k < 12; ++k) {
    for (World* world : {&cpu, &device}) {
      world->applyForce(world->bodies()[1 + static_cast<size_t>(k)], {0, 30.0 * k, 5}, {0, 0, 1});
      world->step(4);
    }
    ASSERT_EQ(device.stateHash(), cpu.stateHash());
  }
}

TEST_F(PlannedSteps, GoOnAfterBodiesAndJointsHaveComeAndGone) {
  World cpu(pendulumAndPost(), onBackend(Backend::Cpu)), device(pendulumAndPost(), onBackend(Backend::Cuda));
  for (int k = 0; k < 6; ++k) {
    for (World* world : {&cpu, &device}) {
      const BodyId body = world->addBody(ball({0.3 * k, 4, 0.1}, 0.15));
      JointDef joint;
      joint.type = JointType::Point;
      joint.frameB.p = {0, 0.5, 0};
      joint.breakImpulse = k % 2 == 0 ? 0.02 : std::numeric_limits<double>::infinity();
      const JointId added = world->addJoint(world->bodies()[2], body, joint);
      world->step(7);
      if (k % 3 == 2) world->removeJoint(added);
      if (k == 4) world->removeBody(world->bodies()[4]);
      world->step(5);
    }
    ASSERT_EQ(device.stateHash(), cpu.stateHash()) << k;
    EXPECT_EQ(device.castRays({{{5, 0.1, 0}, {-1, 0, 0}, 100}})[0].distance, cpu.castRays({{{5, 0.1, 0}, {-1, 0, 0}, 100}})[0].distance);
  }
}

TEST_F(PlannedSteps, OfTwoWorldsKeepOutOfEachOthersWay) {
  World cpu(fallingLayers(), onBackend(Backend::Cpu)), other(pendulumAndPost(), onBackend(Backend::Cpu));
  World first(fallingLayers(), onBackend(Backend::Cuda)), second(pendulumAndPost(), onBackend(Backend::Cuda));
  for (int k = 0; k < 30; ++k) {
    first.step();
    second.step();
  }
  cpu.step(30);
  other.step(30);
  EXPECT_EQ(first.stateHash(), cpu.stateHash());
  EXPECT_EQ(second.stateHash(), other.stateHash());
}

}  // namespace
}  // namespace cairn
