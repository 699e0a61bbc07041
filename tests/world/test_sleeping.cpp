// Sleep: what has been slow for a while is passed over, moves by nothing that anybody could see, and wakes when something stirs it.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

constexpr double kEdge = 0.5;

BodyDef boxAt(Vec3d position, Vec3d velocity = {0, 0, 0}) {
  return test::bodyAt(position, ShapeDef::box({kEdge / 2, kEdge / 2, kEdge / 2}), velocity);
}

// Two towers of three boxes each on the ground, far from each other.
Scene towers() {
  Scene scene;
  scene.add(test::ground());
  for (const double x : {0.0, 5.0}) {
    for (int level = 0; level < 3; ++level) scene.add(boxAt({x, (level + 0.5) * kEdge, 0}));
  }
  return scene;
}

int countAsleep(const World& world) {
  const std::vector<unsigned char> asleep = world.asleep();
  return static_cast<int>(std::count(asleep.begin(), asleep.end(), 1));
}

class Sleeping : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  // Soon asleep.
  WorldSettings settings(bool sleeping = true, Precision precision = Precision::Float) const {
    WorldSettings settings = test::onCpu(precision);
    settings.backend = GetParam();
    settings.sleeping = sleeping;
    settings.sleepTime = 0.2;
    return settings;
  }
  static constexpr int kAsleepBy = 60;
};

TEST_P(Sleeping, TowersFallAsleepAndStayWhereTheyAre) {
  World world(towers(), settings()), awake(towers(), settings(false));
  world.step(kAsleepBy);
  awake.step(kAsleepBy);
  ASSERT_EQ(countAsleep(world), 6);
  EXPECT_EQ(world.report().sleepingBodies, 6);
  EXPECT_EQ(world.report().kineticEnergy, 0);
  EXPECT_NEAR(world.report().penetrationMax, awake.report().penetrationMax, 1e-4);
  const uint64_t asleep = world.stateHash();
  world.step(30);
  EXPECT_EQ(world.stateHash(), asleep);
  const std::vector<BodyState> here = world.states(), there = awake.states();
  for (size_t i = 0; i < here.size(); ++i) EXPECT_LT(length(here[i].pose.p - there[i].pose.p), 1e-4);
  EXPECT_EQ(countAsleep(awake), 0);
}

// Contacts keep their impulses: nothing sinks or jumps when an island wakes.
TEST_P(Sleeping, WakingMovesNothing) {
  World world(towers(), settings());
  world.step(kAsleepBy);
  ASSERT_EQ(countAsleep(world), 6);
  const std::vector<BodyState> before = world.states();
  const std::vector<Contact> contacts = world.contacts();
  double carried = 0;
  for (const Contact& contact : contacts) carried += contact.normalImpulse;
  const double h = world.settings().dt / world.settings().substeps, weights = 2 * (3 + 2 + 1) * 1000 * kEdge * kEdge * kEdge * test::kGravity * h;
  EXPECT_NEAR(carried, weights, 0.02 * weights);
  world.wake(world.bodies()[1]);
  for (int k = 0; k < 10; ++k) {
    world.step();
    EXPECT_EQ(countAsleep(world), 3) << k;  // the other tower sleeps on
    const std::vector<BodyState> now = world.states();
    for (size_t i = 0; i < now.size(); ++i) {
      EXPECT_LT(length(now[i].pose.p - before[i].pose.p), 2e-5) << i;
      EXPECT_LT(length(now[i].linearVelocity), 2e-3) << i;
    }
  }
  world.step(30);
  EXPECT_EQ(countAsleep(world), 6);
}

TEST_P(Sleeping, WhateverStirsABodyWakesItsIsland) {
  const auto wakes = [&](const char* what, int expected, const auto& change) {
    World world(towers(), settings());
    world.step(kAsleepBy);
    ASSERT_EQ(countAsleep(world), 6) << what;
    change(world, world.bodies()[2]);
    world.step();
    EXPECT_EQ(countAsleep(world), 6 - expected) << what;
  };
  wakes("nothing", 0, [](World&, BodyId) {});
  wakes("force", 3, [](World& w, BodyId b) { w.applyForce(b, {1, 0, 0}); });
  wakes("no force", 0, [](World& w, BodyId b) { w.applyForce(b, {0, 0, 0}); });
  wakes("impulse", 3, [](World& w, BodyId b) { w.applyImpulse(b, {1, 0, 0}); });
  wakes("velocity", 3, [](World& w, BodyId b) { w.setVelocity(b, {0.1, 0, 0}, {0, 0, 0}); });
  wakes("pose", 3, [](World& w, BodyId b) { w.setPose(b, w.state(b).pose); });
  wakes("poses", 3, [](World& w, BodyId b) { w.setPoses({b}, {w.state(b).pose}); });
  wakes("velocities", 3, [](World& w, BodyId b) { w.setVelocities({b}, {{0.1, 0, 0}}, {{0, 0, 0}}); });
  wakes("another body far away", 0, [](World& w, BodyId) { w.addBody(boxAt({20, 5, 0})); });
  wakes("material", 6, [](World& w, BodyId b) { w.setMaterial(b, 0, {}); });
  wakes("gravity", 6, [](World& w, BodyId) { w.setGravity({0, -5, 0}); });
  wakes("time step", 6, [](World& w, BodyId) { w.setTimeStep(0.01); });
  wakes("the ground moves", 6, [](World& w, BodyId) { w.setPose(w.bodies()[0], {{0, -0.001, 0}, test::kNoTurn}); });
}

// An impulse on a sleeping body has the same effect as on one that is awake.
TEST_P(Sleeping, ImpulsesMoveWhatSleeps) {
  World world(towers(), settings());
  world.step(kAsleepBy);
  const BodyId top = world.bodies()[3];
  ASSERT_TRUE(world.asleep(top));
  world.applyImpulse(top, {0, 250, 0});
  EXPECT_NEAR(world.state(top).linearVelocity.y, 2, 1e-5);
  EXPECT_FALSE(world.asleep(top));
  world.step();
  EXPECT_GT(world.state(top).linearVelocity.y, 1.7);
}

TEST_P(Sleeping, WhatFallsOnThemWakesThem) {
  Scene scene = towers();
  scene.add(boxAt({0.1, 8, 0}));
  World world(scene, settings());
  world.step(kAsleepBy);
  EXPECT_EQ(countAsleep(world), 6);
  int least = 6;
  for (int k = 0; k < 40; ++k) {
    world.step();
    least = std::min(least, countAsleep(world));
  }
  EXPECT_EQ(least, 3);
}

// Boxes on a string, hanging from the ceiling, with a weight at the end.
Scene hanging() {
  Scene scene;
  BodyDef ceiling = test::bodyAt({0, 0, 0}, ShapeDef::sphere(0.1));
  ceiling.type = BodyType::Static;
  scene.add(ceiling);
  for (int k = 1; k <= 5; ++k) {
    scene.add(boxAt({0, -double(k), 0}));
    scene.joints.push_back(scene.joint(JointType::Point, k - 1, k, {{0, 0.5 - k, 0}, test::kNoTurn}));
  }
  scene.bodies.back().shapes[0].density = 20000;
  return scene;
}

double weightOf(const Scene& scene) {
  double mass = 0;
  for (const BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Dynamic) mass += body.shapes[0].density * kEdge * kEdge * kEdge;
  }
  return mass * test::kGravity;
}

// What joints carry while they sleep is what they carried, and nothing jumps when they wake.
TEST_P(Sleeping, JoinedBodiesSleepTogether) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    WorldSettings s = settings();
    s.jointSolver = solver;
    const Scene scene = hanging();
    World world(scene, s);
    world.step(test::deviceIsEmulated() ? 60 : 200);
    ASSERT_EQ(countAsleep(world), 5);
    const uint64_t asleep = world.stateHash();
    const double force = world.jointState(world.joints()[0]).force.y, weight = weightOf(scene);
    EXPECT_NEAR(std::abs(force), weight, 0.01 * weight);
    const std::vector<BodyState> before = world.states();
    world.step(20);
    EXPECT_EQ(world.stateHash(), asleep);
    EXPECT_NEAR(world.jointState(world.joints()[0]).force.y, force, 1e-4 * weight);
    world.wake(world.bodies()[3]);
    for (int k = 0; k < 5; ++k) {
      world.step();
      EXPECT_EQ(countAsleep(world), 0) << k;
      const std::vector<BodyState> now = world.states();
      for (size_t i = 0; i < now.size(); ++i) {
        EXPECT_LT(length(now[i].pose.p - before[i].pose.p), 2e-5) << i;
        EXPECT_LT(length(now[i].linearVelocity), 2e-3) << i;
      }
    }
    // A push at one end is felt at the other.
    world.step(30);
    ASSERT_EQ(countAsleep(world), 5);
    world.applyImpulse(world.bodies()[5], {2500, 0, 0});
    world.step();
    EXPECT_EQ(countAsleep(world), 0);
    EXPECT_GT(world.state(world.bodies()[5]).linearVelocity.x, 0.5);
  }
}

// An arm that a motor holds out level.
Scene armHeld(JointMotor motor, double target) {
  Scene scene;
  BodyDef post = test::bodyAt({0, 0, 0}, ShapeDef::sphere(0.1));
  post.type = BodyType::Static;
  scene.add(post);
  scene.add(boxAt({1, 0, 0}));
  JointDef hinge = scene.joint(JointType::Hinge, 0, 1, {{0, 0, 0}, {0, -std::sqrt(0.5), 0, std::sqrt(0.5)}});
  hinge.axes[3].motor = motor;
  hinge.axes[3].target = target;
  hinge.axes[3].maxForce = 1e6;
  scene.joints.push_back(hinge);
  return scene;
}

TEST_P(Sleeping, MotorsThatHoldLetSleepAndThoseThatDriveDoNot) {
  World held(armHeld(JointMotor::Position, 0), settings());
  held.step(kAsleepBy);
  ASSERT_EQ(countAsleep(held), 1);
  const BodyId arm = held.bodies()[1];
  const Vec3d place = held.state(arm).pose.p;
  held.step(20);
  held.wake(arm);
  for (int k = 0; k < 5; ++k) {
    held.step();
    EXPECT_LT(length(held.state(arm).pose.p - place), 2e-5) << k;
  }
  held.step(30);
  ASSERT_EQ(countAsleep(held), 1);
  held.setMotor(held.joints()[0], 3, JointMotor::Position, 0.5, 1e6);  // what joins it has changed
  held.step(30);
  EXPECT_GT(length(held.state(arm).pose.p - place), 0.1);

  World driven(armHeld(JointMotor::Velocity, 1e-3), settings());
  driven.step(kAsleepBy);
  EXPECT_EQ(countAsleep(driven), 0);
  World braked(armHeld(JointMotor::Velocity, 0), settings());
  braked.step(kAsleepBy);
  EXPECT_EQ(countAsleep(braked), 1);
}

// Skeletons and chains among each other and on the ground, asleep and awake by turns.
TEST_P(Sleeping, JoinedHeapsHaveTheBitsOfTheCpu) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    WorldSettings here = settings(), onCpu = settings();
    for (WorldSettings* each : {&here, &onCpu}) {
      each->jointSolver = solver;
      each->sleepSpeed = 0.5;
      each->sleepTime = 0.05;
    }
    onCpu.backend = Backend::Cpu;
    onCpu.threads = 3;
    const Scene scene = loadScene("skeletons:count=2");
    World world(scene, here), reference(scene, onCpu);
    int slept = 0;
    const int steps = test::deviceIsEmulated() ? 100 : 300;
    for (int k = 0; k < steps; k += 10) {
      world.step(10);
      reference.step(10);
      ASSERT_EQ(world.stateHash(), reference.stateHash()) << "by step " << k + 10;
      ASSERT_EQ(world.asleep(), reference.asleep()) << "by step " << k + 10;
      slept = std::max(slept, countAsleep(world));
      if (k == 60) {
        World resumed(world.save(), here);
        resumed.step(10);
        world.step(10);
        reference.step(10);
        ASSERT_EQ(resumed.stateHash(), world.stateHash());
      }
    }
    if (steps > 200) {
      EXPECT_GT(slept, 10);
    }
  }
}

// What nothing holds goes on, slow as it is; and so does what a moving body carries.
TEST_P(Sleeping, WhatDriftsStaysAwake) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(boxAt({0, 0, 0}, {0.002, 0, 0}));
  World drifting(scene, settings());
  drifting.step(kAsleepBy);
  EXPECT_EQ(countAsleep(drifting), 0);
  EXPECT_NEAR(drifting.states()[0].pose.p.x, 0.002 * kAsleepBy / 60.0, 1e-6);

  Scene carried;
  BodyDef belt = test::bodyAt({0, -0.25, 0}, ShapeDef::box({2, 0.25, 2}), {0.004, 0, 0});
  belt.type = BodyType::Kinematic;
  carried.add(belt);
  carried.add(boxAt({0, kEdge / 2, 0}));
  World world(carried, settings());
  world.step(kAsleepBy);
  EXPECT_EQ(countAsleep(world), 0);
  world.setVelocity(world.bodies()[0], {0, 0, 0}, {0, 0, 0});
  world.step(kAsleepBy);
  EXPECT_EQ(countAsleep(world), 1);
  world.setVelocity(world.bodies()[0], {0, 0.5, 0}, {0, 0, 0});
  world.step(30);
  EXPECT_NEAR(world.states()[1].linearVelocity.y, 0.5, 0.01);
}

Scene heap() {
  Scene scene = loadScene("pile:count=60,shape=mixed");
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material.rollingFriction = shape.material.torsionalFriction = 0.01;
  }
  return scene;
}

// The bits do not depend on threads or target, whatever else is asked for.
TEST_P(Sleeping, HeapsHaveTheBitsOfTheCpu) {
  const int steps = test::deviceIsEmulated() ? 60 : 400;
  const auto same = [&](const char* what, const auto& change) {
    WorldSettings here = settings(), onCpu = settings();
    here.sleepSpeed = onCpu.sleepSpeed = 0.5;  // much sleeps and wakes
    here.sleepTime = onCpu.sleepTime = 0.05;
    change(here);
    change(onCpu);
    onCpu.backend = Backend::Cpu;
    onCpu.threads = 3;
    World world(heap(), here), reference(heap(), onCpu);
    int slept = 0;
    for (int k = 0; k < steps; k += 10) {
      world.step(10);
      reference.step(10);
      ASSERT_EQ(world.stateHash(), reference.stateHash()) << what << " by step " << k + 10;
      ASSERT_EQ(world.asleep(), reference.asleep()) << what << " by step " << k + 10;
      slept = std::max(slept, countAsleep(world));
    }
    if (steps > 100) {
      EXPECT_GT(slept, 10) << what;
    }
  };
  same("as it is", [](WorldSettings&) {});
  same("few colours, double", [](WorldSettings& s) {
    s.maxColours = 3;
    s.precision = Precision::Double;
  });
  same("jacobi", [](WorldSettings& s) { s.solver = Solver::Jacobi; });
  same("anchors, tolerance", [](WorldSettings& s) {
    s.frictionStabilization = true;
    s.tolerance = 1e-2;
  });
  same("graph", [](WorldSettings& s) { s.cudaGraph = true; });
}

TEST_P(Sleeping, ASnapshotSleepsOn) {
  World world(towers(), settings());
  for (const int steps : {8, kAsleepBy - 8}) {  // before anything sleeps, and after
    world.step(steps);
    World resumed(world.save(), settings());
    EXPECT_EQ(resumed.asleep(), world.asleep());
    EXPECT_EQ(resumed.save().bytes, world.save().bytes);
    for (World* each : {&world, &resumed}) {
      each->wake(each->bodies()[1]);
      each->step(20);
    }
    EXPECT_EQ(resumed.stateHash(), world.stateHash());
    EXPECT_EQ(resumed.asleep(), world.asleep());
  }
}

// A step that is refused leaves who sleeps, and their masses, as they were.
TEST_P(Sleeping, ARefusedStepLeavesThemAsleep) {
  World world(towers(), settings()), other(towers(), settings());
  world.step(kAsleepBy);
  other.step(kAsleepBy);
  BodyDef light = boxAt({30, 5, 0});
  light.shapes[0].density = 1e-30;
  const BodyId bullet = world.addBody(light), twin = other.addBody(light);
  world.applyForce(bullet, {1e19, 0, 0});
  EXPECT_THROW(
      {
        world.step(3);
        world.wait();
      },
      StepUndone);
  EXPECT_EQ(countAsleep(world), 6);
  for (World* each : {&world, &other}) each->removeBody(each == &world ? bullet : twin);
  for (World* each : {&world, &other}) each->step(10);
  EXPECT_EQ(world.states()[3].pose.p.y, other.states()[3].pose.p.y);
}

INSTANTIATE_TEST_SUITE_P(Backends, Sleeping, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

TEST(SleepingRefusals, NameTheSetting) {
  const auto refused = [](const auto& change) {
    WorldSettings settings = test::onCpu();
    settings.sleeping = true;
    change(settings);
    try {
      World world(towers(), settings);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused([](WorldSettings&) {}), "");
  EXPECT_NE(refused([](WorldSettings& s) { s.solver = Solver::Lemke; }).find("settings.sleeping"), std::string::npos);
  EXPECT_NE(refused([](WorldSettings& s) { s.warmStart = false; }).find("settings.sleeping"), std::string::npos);
  EXPECT_NE(refused([](WorldSettings& s) { s.sleepSpeed = 0; }).find("settings.sleepSpeed"), std::string::npos);
  EXPECT_NE(refused([](WorldSettings& s) { s.sleepTime = -1; }).find("settings.sleepTime"), std::string::npos);
  EXPECT_NE(refused([](WorldSettings& s) { s.sleepTime = std::nan(""); }).find("settings.sleepTime"), std::string::npos);
  WorldSettings settings = test::onCpu();
  settings.sleeping = true;
  EXPECT_THROW(World(towers(), 2, settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
