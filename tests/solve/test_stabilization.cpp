// Stabilization: targets case by case on single contacts, slips that are taken back, positions that are corrected, and conjugate gradients.
#include "kernels/rows/row_math.hpp"
#include "kernels/runtime/runtime.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

using namespace test;

// The papers' form: one substep, no leak, nothing after the positions.
WorldSettings plain(NormalStabilization stabilization) {
  WorldSettings settings = onCpu(Precision::Double);
  settings.normalStabilization = stabilization;
  settings.substeps = 1;
  settings.iterations = 20;
  settings.relaxations = 0;
  settings.forceMixing = 0;
  settings.overRelaxation = 1;
  settings.slop = 0;
  return settings;
}

// --- Silcowitz normal stabilization ----------------------------------------------------------------------------

struct NormalCase {
  const char* name;
  double distance, velocity, restitution;
  double expected;  // normal velocity after the step
};

// h = 0.1 s, eta = 0.0625 m, c_max = 2 m/s, as in the paper's table 1: (eta/2 - d)/h is what takes a contact to half the envelope.
class SilcowitzCases : public ::testing::TestWithParam<NormalCase> {};

TEST_P(SilcowitzCases, OfASingleContact) {
  const NormalCase& each = GetParam();
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(ground({0.6, each.restitution}));
  BodyDef ball = bodyAt({0, 0.5 + each.distance, 0}, ShapeDef::sphere(0.5), {0, each.velocity, 0});
  ball.shapes[0].material.restitution = each.restitution;
  scene.add(ball);
  WorldSettings settings = plain(NormalStabilization::Silcowitz);
  settings.dt = 0.1;
  settings.envelope = 0.0625;
  settings.maxCorrectionSpeed = 2;
  World world(scene, settings);
  world.step();
  EXPECT_NEAR(world.states()[1].linearVelocity.y, each.expected, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Paper, SilcowitzCases,
                         ::testing::Values(NormalCase{"RestingTooDeep", -0.01, 0, 0, 0.4125}, NormalCase{"DeeperThanTheClamp", -0.5, 0, 0, 2},
                                           NormalCase{"RestingTooFarStays", 0.05, 0, 0, 0}, NormalCase{"SettlingTooFar", 0.05, -1, 0, -0.1875},
                                           NormalCase{"ApproachingSlowly", 0.05, -0.05, 0, -0.05},
                                           NormalCase{"ApproachingTooClose", 0.01, -3, 0, 0.2125}, NormalCase{"Leaving", 0.05, 1, 0, 1},
                                           NormalCase{"LeavingTooSlowly", 0.01, 0.1, 0, 0.2125},
                                           NormalCase{"BouncesOutOfTheEnvelope", 0.01, -2, 0.5, 1},
                                           NormalCase{"BouncesWithinIt", 0.01, -0.8, 0.5, 0.4},
                                           NormalCase{"BouncesSlowerThanTheCorrection", -0.1, -1, 0.5, 1.3125},
                                           NormalCase{"BeyondTheEnvelopeComesToItsMiddle", 0.1, -3, 0, -0.6875}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Silcowitz, TheClampHoldsBothWays) {
  const SilcowitzTarget<double> target{0.0625, 10, 0.05, 0.5};
  EXPECT_DOUBLE_EQ(silcowitzBias(0.0, 0.0, 0.0, target), -0.05);
  EXPECT_DOUBLE_EQ(silcowitzBias(0.06, -1.0, 0.0, target), 0.05);
}

TEST(Silcowitz, AStackRestsAtHalfTheEnvelope) {
  WorldSettings settings = onCpu();
  settings.normalStabilization = NormalStabilization::Silcowitz;
  settings.forceMixing = 0.3;
  World world(loadScene("tower:height=5"), settings);
  world.step(240);
  const std::vector<Contact> contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 5u * 4);
  for (const Contact& contact : contacts) EXPECT_NEAR(contact.separation, 0.5 * settings.envelope, 0.002);
  EXPECT_LT(world.report().maxSpeed, 1e-3);
}

// --- Anitescu and Hart -----------------------------------------------------------------------------------------

TEST(AnitescuHart, AGapClosesExactlyAndAPenetrationGoesInOneStep) {
  for (const double distance : {0.3, -0.02}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    scene.add(ground());
    scene.add(bodyAt({0, 0.5 + distance, 0}, ShapeDef::sphere(0.5), {0, -40, 0}));
    WorldSettings settings = plain(NormalStabilization::AnitescuHart);
    World world(scene, settings);
    world.step();
    EXPECT_NEAR(world.states()[1].pose.p.y, 0.5, 1e-9);
    settings.gamma = 0.5;
    World half(scene, settings);
    half.step();
    EXPECT_NEAR(half.states()[1].pose.p.y, 0.5 + 0.5 * distance, 1e-9);
  }
}

TEST(AnitescuHart, NothingTunnelsThatTheLinearisationSees) {
  Scene scene;
  BodyDef plate = bodyAt({0, 0, 0}, ShapeDef::box({2, 0.005, 2}));
  plate.type = BodyType::Static;
  scene.add(plate);
  scene.add(bodyAt({0, 5.03, 0}, ShapeDef::sphere(0.05), {0, -300, 0}));
  World world(scene, plain(NormalStabilization::AnitescuHart));
  world.step(30);
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.055, 1e-6);
}

// --- friction stabilization ------------------------------------------------------------------------------------

double largestDrift(World& world, const Scene& scene) {
  double largest = 0;
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    const Vec3d d = states[i].pose.p - scene.bodies[i].pose.p;
    largest = std::max(largest, std::hypot(d.x, d.z));
  }
  return largest;
}

TEST(FrictionStabilization, CreepingStacksStay) {
  for (const char* name : {"pyramid:base=6", "wall:width=6,height=4"}) {
    const Scene scene = loadScene(name);
    WorldSettings settings;
    settings.backend = Backend::Cpu;
    double drift[2] = {0, 0};
    for (const bool on : {false, true}) {
      settings.frictionStabilization = on;
      World world(scene, settings);
      world.step(600);
      drift[on ? 1 : 0] = largestDrift(world, scene);
    }
    EXPECT_LT(drift[1], 0.3 * drift[0]) << name << ": " << drift[0] << " without, " << drift[1] << " with";
  }
}

// The paper's table 1: 12 sweeps of PGS a step of 0.1 s, Baumgarte 0.5, clamp 2.
TEST(FrictionStabilization, HoldsAWallThatFallsWithout) {
  const Scene scene = loadScene("wall:width=6,height=4");
  WorldSettings settings = plain(NormalStabilization::Baumgarte);
  settings.precision = Precision::Float;
  settings.dt = 0.1;
  settings.iterations = 12;
  settings.errorReduction = 0.5;
  settings.maxCorrectionSpeed = 2;
  settings.envelope = 0.0625;
  settings.warmStart = false;
  settings.slipReduction = 0.8;
  for (const bool on : {false, true}) {
    settings.frictionStabilization = on;
    World world(scene, settings);
    world.step(200);
    if (on) {
      EXPECT_LT(largestDrift(world, scene), 0.1);
    } else {
      EXPECT_GT(largestDrift(world, scene), 1);
    }
  }
}

TEST(FrictionStabilization, WhatRollsRollsOn) {
  Scene scene;
  scene.add(ground());
  BodyDef ball = bodyAt({0, 0.5, 0}, ShapeDef::sphere(0.5), {2, 0, 0});
  ball.angularVelocity = {0, 0, -4};
  scene.add(ball);
  WorldSettings settings = onCpu();
  settings.frictionStabilization = true;
  World world(scene, settings);
  world.step(300);
  EXPECT_NEAR(world.states()[1].linearVelocity.x, 2, 0.01);
  EXPECT_NEAR(world.states()[1].pose.p.x, 10, 0.05);
}

TEST(FrictionStabilization, WhatSlidesSlidesAsWithout) {
  Scene scene;
  scene.add(ground({0.3, 0}));
  BodyDef box = bodyAt({0, 0.25, 0}, ShapeDef::box({0.5, 0.25, 0.5}), {5, 0, 0});
  box.shapes[0].material.friction = 0.3;
  scene.add(box);
  WorldSettings settings = onCpu();
  double x[2] = {0, 0};
  for (const bool on : {false, true}) {
    settings.frictionStabilization = on;
    World world(scene, settings);
    world.step(60);  // it would stop after 1.7 s
    x[on ? 1 : 0] = world.states()[1].pose.p.x;
  }
  EXPECT_DOUBLE_EQ(x[0], x[1]);
  EXPECT_NEAR(x[0], 5 - 0.5 * 0.3 * kGravity, 0.05);  // after a second
}

TEST(FrictionStabilization, ASlipIsTakenBack) {
  // A body on a moving support that stops it from being where it stuck: pushed by hand between two steps.
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  WorldSettings settings = onCpu();
  for (const bool on : {false, true}) {
    settings.frictionStabilization = on;
    World world(scene, settings);
    world.step(30);
    const BodyId box = world.bodies()[1];
    Posed pose = world.state(box).pose;
    pose.p.x += 0.003;
    world.setPose(box, pose);
    world.step(480 / settings.substeps);
    EXPECT_NEAR(world.state(box).pose.p.x, on ? 0 : 0.003, 2e-4);
  }
}

// --- position post-stabilization -------------------------------------------------------------------------------

// Two boxes in each other and in the ground, without gravity.
Scene overlapping() {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(ground());
  scene.add(bodyAt({0, 0.495, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  scene.add(bodyAt({0.1, 1.48, 0.05}, ShapeDef::box({0.5, 0.5, 0.5})));
  return scene;
}

double deepest(const Scene& scene, const World& world, const WorldSettings& settings) {
  // A second World looks at the poses as they are.
  Scene now = scene;
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) now.bodies[i].pose = states[i].pose;
  WorldSettings look = settings;
  look.positionCorrections = 0;
  World eye(now, look);
  eye.step();
  return eye.report().penetrationMax;
}

TEST(PositionCorrection, TakesPenetrationsOutAndLeavesVelocitiesAlone) {
  const Scene scene = overlapping();
  WorldSettings settings = plain(NormalStabilization::None);
  settings.positionCorrections = 4;
  settings.positionSweeps = 30;
  World world(scene, settings);
  world.step();
  EXPECT_LT(deepest(scene, world, settings), 1e-5);
  for (const BodyState& state : world.states()) {
    EXPECT_LT(length(state.linearVelocity), 1e-12);
    EXPECT_LT(length(state.angularVelocity), 1e-12);
  }
}

TEST(PositionCorrection, TakesOutNoMoreThanItsBound) {
  const Scene scene = overlapping();
  WorldSettings settings = plain(NormalStabilization::None);
  settings.positionSweeps = 200;
  settings.maxPositionCorrection = 0.001;
  double before = 0.015;
  for (const int repeats : {1, 2, 5}) {
    settings.positionCorrections = repeats;
    World world(scene, settings);
    world.step();
    const double now = deepest(scene, world, settings);
    EXPECT_LT(now, before);
    EXPECT_NEAR(now, 0.015 - repeats * 0.001, 2e-4);
    before = now;
  }
}

TEST(PositionCorrection, SweepsAndLemkeAgree) {
  const Scene scene = overlapping();
  WorldSettings settings = plain(NormalStabilization::None);
  settings.positionCorrections = 1;
  settings.positionSweeps = 2000;
  World swept(scene, settings);
  settings.solver = Solver::Lemke;
  World pivoted(scene, settings);
  swept.step();
  pivoted.step();
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_LT(length(swept.states()[i].pose.p - pivoted.states()[i].pose.p), 1e-7);
  }
}

// The rows' gaps are linear in the poses: beyond them the collision pass may see a little more, of rubble that is still turning now and then a
// quarter of a millimetre. So it is several steps that count, each from the same state with corrections and without.
TEST(PositionCorrection, IsNoWorseThanNone) {
  for (const char* name : {"pile:count=60,shape=mixed", "card-house", "rubble:count=60"}) {
    Scene scene = loadScene(name);
    WorldSettings settings = onCpu();
    World start(scene, settings);
    start.step(60);
    const bool tumbles = std::string(name).rfind("rubble", 0) == 0;
    double sum[2] = {0, 0};
    constexpr int kStarts = 20;
    for (int k = 0; k < kStarts; ++k) {
      start.step(5);
      const std::vector<BodyState> states = start.states();
      for (size_t i = 0; i < states.size(); ++i) {
        scene.bodies[i].pose = states[i].pose;
        scene.bodies[i].linearVelocity = states[i].linearVelocity;
        scene.bodies[i].angularVelocity = states[i].angularVelocity;
      }
      double worst[2];
      for (const int corrections : {0, 3}) {
        settings.positionCorrections = corrections;
        World world(scene, settings);
        world.step();
        worst[corrections / 3] = deepest(scene, world, settings);
        sum[corrections / 3] += worst[corrections / 3] / kStarts;
      }
      EXPECT_GT(worst[0], 2e-4) << name << " has something to correct";
      EXPECT_LT(worst[1], worst[0] + (tumbles ? 1e-3 : 1.5e-4)) << name;
    }
    EXPECT_LT(sum[1], sum[0] - 1e-4) << name;
  }
}

// --- conjugate gradients ---------------------------------------------------------------------------------------

TEST(Nncg, BeatsGaussSeidelAtEqualSweepsOnStacks) {
  for (const char* name : {"tower:height=10", "pyramid:base=8", "wall:width=8,height=8"}) {
    double residual[2];
    for (const Solver solver : {Solver::Pgs, Solver::Nncg}) {
      WorldSettings settings = plain(NormalStabilization::Baumgarte);
      settings.solver = solver;
      settings.iterations = 60;
      settings.warmStart = false;
      World world(loadScene(name), settings);
      world.step();
      residual[solver == Solver::Nncg ? 1 : 0] = world.report().residualRms;
    }
    EXPECT_LT(residual[1], 0.5 * residual[0]) << name;
  }
}

TEST(Nncg, ReachesATolerance) {
  WorldSettings settings = plain(NormalStabilization::Baumgarte);
  settings.solver = Solver::Nncg;
  settings.tolerance = 1e-8;
  settings.maxIterations = 3000;
  World world(loadScene("pile:count=40,shape=sphere"), settings);
  world.step(20);
  EXPECT_LT(world.report().residualMax, 1e-8);
}

// --- the same bits ---------------------------------------------------------------------------------------------

std::vector<WorldSettings> everyStabilization() {
  std::vector<WorldSettings> all;
  const auto add = [&all](const auto& change) {
    WorldSettings settings = onCpu();
    change(settings);
    all.push_back(settings);
  };
  for (const NormalStabilization each :
       {NormalStabilization::None, NormalStabilization::AnitescuHart, NormalStabilization::Silcowitz, NormalStabilization::Soft}) {
    add([&](WorldSettings& s) { s.normalStabilization = each; });
  }
  add([](WorldSettings& s) { s.frictionStabilization = true; });
  add([](WorldSettings& s) { s.positionCorrections = 2; });
  add([](WorldSettings& s) {
    s.solver = Solver::Nncg;
    s.iterations = 5;
  });
  add([](WorldSettings& s) {  // all at once, and overflow constraints
    s.normalStabilization = NormalStabilization::Silcowitz;
    s.frictionStabilization = true;
    s.positionCorrections = 1;
    s.solver = Solver::Nncg;
    s.iterations = 3;
    s.maxColours = 4;
  });
  return all;
}

TEST(StabilizationBits, ThreadsMakeNoDifference) {
  const Scene scene = loadScene("pile:count=600,shape=mixed");
  for (WorldSettings settings : everyStabilization()) {
    World one(scene, settings);
    settings.threads = 2;
    World two(scene, settings);
    one.step(40);
    two.step(40);
    EXPECT_EQ(one.stateHash(), two.stateHash());
  }
}

TEST(StabilizationBits, CudaGivesTheCpus) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  const Scene scene = loadScene(deviceIsEmulated() ? "pile:count=150,shape=mixed" : "pile:count=600,shape=mixed");
  for (WorldSettings settings : everyStabilization()) {
    World cpu(scene, settings);
    settings.backend = Backend::Cuda;
    World cuda(scene, settings);
    cpu.step(40);
    cuda.step(40);
    EXPECT_EQ(cpu.stateHash(), cuda.stateHash());
  }
}

}  // namespace
}  // namespace cairn
