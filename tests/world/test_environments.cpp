// Environments: what happens in one of them has the bits of a World of that scene alone, wherever it stands and whatever the others do, and goes on
// with those of a fresh World once it is reset.
#include "kernels/runtime/owned_queue.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn {
namespace {

constexpr int kNone = 0;

// Some dynamic bodies of an environment (kNone: of a World without) are thrown about, each seed in its own way; some fast enough to be swept.
void disturb(World& world, int environments, int environment, int bodies, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> speed(-1, 1);
  const double scale = seed % 3 == 0 ? 60 : 3;
  for (int k = 0; k < bodies; ++k) {
    const BodyId body = environments == kNone ? world.bodies()[static_cast<size_t>(k)] : world.bodyOf(environment, k);
    const Vec3d v{scale * speed(random), scale * speed(random), scale * speed(random)};
    const Vec3d w{speed(random), speed(random), speed(random)};
    const bool chosen = random() % 4 == 0;
    if (!chosen) continue;
    try {
      world.applyImpulse(body, {0, 0, 0});  // says whether it is dynamic
    } catch (const InvalidInput&) {
      continue;
    }
    world.setVelocity(body, v, w);
  }
}

struct Case {
  const char* scene;
  int steps;
  bool lone;  // the measure is a World of one environment: one without goes other ways where joints touch nothing, and where bodies turn fast
  void (*change)(WorldSettings&) = [](WorldSettings&) {};
};

class Batches : public testing::TestWithParam<std::tuple<Case, Backend>> {
 protected:
  void SetUp() override {
    if (backend() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  const Case& testCase() const { return std::get<0>(GetParam()); }
  Backend backend() const { return std::get<1>(GetParam()); }
  WorldSettings settings() const {
    WorldSettings settings = test::onCpu();
    testCase().change(settings);
    settings.backend = backend();
    return settings;
  }
};

// The one that is looked at is disturbed alike in all Worlds, its neighbours otherwise.
TEST_P(Batches, AnEnvironmentHasItsOwnBits) {
  constexpr unsigned kOwn = 7;
  const bool emulated = backend() == Backend::Cuda && test::deviceIsEmulated();
  const int steps = emulated ? std::min(testCase().steps, 4) : testCase().steps, every = std::max(steps / 4, 1);
  const Scene scene = loadScene(testCase().scene);
  const int bodies = static_cast<int>(scene.bodies.size());
  WorldSettings onCpu = settings();
  onCpu.backend = Backend::Cpu;
  World alone = testCase().lone ? World(scene, 1, onCpu) : World(scene, onCpu);
  disturb(alone, testCase().lone ? 1 : kNone, 0, bodies, kOwn);
  std::vector<uint64_t> expected;
  for (int k = 0; k < steps; k += every) {
    alone.step(every);
    expected.push_back(alone.stateHash());
  }
  struct Place {
    int environment, count;
  };
  const std::vector<Place> places = emulated ? std::vector<Place>{{1, 3}} : std::vector<Place>{{0, 1}, {0, 3}, {4, 5}};
  for (const Place place : places) {
    World world(scene, place.count, settings());
    for (int k = 0; k < place.count; ++k) disturb(world, place.count, k, bodies, k == place.environment ? kOwn : 100 + static_cast<unsigned>(k));
    size_t at = 0;
    for (int k = 0; k < steps; k += every) {
      world.step(every);
      ASSERT_EQ(world.stateHashOf(place.environment), expected[at++]) << place.environment << " of " << place.count << ", step " << k + every;
    }
    if (place.count > 1) {
      EXPECT_NE(world.stateHashOf(place.environment), world.stateHashOf(place.environment == 0 ? 1 : 0));
    }
  }
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Case, Backend>>& info) {
  return test::asTestName(std::get<0>(info.param).scene) + std::to_string(info.index / 2) +
         (std::get<1>(info.param) == Backend::Cuda ? "Cuda" : "Cpu");
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Batches,
    testing::Combine(
        testing::Values(Case{"pile:count=30,shape=mixed", 60, false}, Case{"pyramid:base=6", 40, false},
                        Case{"tower:height=8", 40, false, [](WorldSettings& s) { s.precision = Precision::Double; }},
                        Case{"drum:count=30", 40, false}, Case{"billiard-break", 60, false}, Case{"card-house", 30, true},
                        Case{"pyramid:base=5", 40, false, [](WorldSettings& s) { s.frictionStabilization = true; }},
                        Case{"pile:count=40,shape=mixed", 40, false, [](WorldSettings& s) { s.solver = Solver::Jacobi; }},
                        Case{"pyramid:base=6", 30, false, [](WorldSettings& s) { s.maxColours = 3; }},
                        Case{"tower:height=6", 30, false, [](WorldSettings& s) { s.shockPropagation = true; }},
                        Case{"pile:count=30,shape=sphere", 30, false, [](WorldSettings& s) { s.warmStart = false; }},
                        Case{"pile:count=30", 30, false, [](WorldSettings& s) { s.normalStabilization = NormalStabilization::Silcowitz; }},
                        Case{"skeletons:count=1", 20, true}, Case{"tank", 12, true}, Case{"rings", 20, true},
                        Case{"bridge", 20, true, [](WorldSettings& s) { s.jointSolver = JointSolver::Sweeps; }}, Case{"chain:links=20", 15, true}),
        testing::Values(Backend::Cpu, Backend::Cuda)),
    nameOf);

class Environments : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings() const {
    WorldSettings settings = test::onCpu();
    settings.backend = GetParam();
    settings.substeps = 2;
    return settings;
  }
  bool emulated() const { return GetParam() == Backend::Cuda && test::deviceIsEmulated(); }
};

// Two boxes that fall on each other and the ground, a ball that hangs from a bar that breaks when something strikes the ball, and a kinematic plate.
Scene corner() {
  Scene scene;
  scene.name = "corner";
  scene.add(test::ground());
  BodyDef box = test::bodyAt({0, 0.31, 0}, ShapeDef::box({0.3, 0.3, 0.3}));
  box.name = "box";
  scene.add(box);
  scene.add(test::bodyAt({0.1, 1, 0.05}, ShapeDef::box({0.25, 0.25, 0.25}), {0, -1, 0}));
  BodyDef hook = test::bodyAt({3, 2, 0}, ShapeDef::sphere(0.05));
  hook.type = BodyType::Static;
  const int a = scene.add(hook), b = scene.add(test::bodyAt({3, 1.5, 0}, ShapeDef::sphere(0.2)));
  JointDef rope = scene.joint(JointType::Point, a, b, {{3, 2, 0}, {0, 0, 0, 1}});
  rope.name = "rope";
  rope.breakImpulse = 200;
  scene.joints.push_back(rope);
  BodyDef plate = test::bodyAt({-3, 0.5, 0}, ShapeDef::box({0.5, 0.1, 0.5}), {0.2, 0, 0});
  plate.type = BodyType::Kinematic;
  scene.add(plate);
  return scene;
}
constexpr int kBox = 1, kBall = 4;

TEST_P(Environments, AreCopiesWithNamesAndPlaces) {
  const Scene scene = corner();
  World world(scene, 3, settings());
  EXPECT_EQ(world.environmentCount(), 3);
  EXPECT_EQ(world.bodyCount(), 3 * static_cast<int>(scene.bodies.size()));
  EXPECT_EQ(world.jointCount(), 3);
  EXPECT_EQ(world.bodyOf(2, kBox).index, 2 * static_cast<int>(scene.bodies.size()) + kBox);
  EXPECT_EQ(world.findBody("box@2"), world.bodyOf(2, kBox));
  EXPECT_EQ(world.bodyName(world.bodyOf(1, 2)), "body-2@1");
  EXPECT_EQ(world.jointName(world.joints()[1]), "rope@1");
  EXPECT_EQ(world.environmentOf(world.bodyOf(1, 0)), 1);
  world.step(emulated() ? 3 : 30);
  EXPECT_EQ(world.stateHashOf(0), world.stateHashOf(1));
  EXPECT_EQ(world.stateHashOf(0), world.stateHashOf(2));
  for (const Contact& contact : world.contacts()) EXPECT_EQ(world.environmentOf(contact.bodyA), world.environmentOf(contact.bodyB));
  World plain(scene, settings());
  EXPECT_EQ(plain.environmentCount(), 0);
}

TEST_P(Environments, FallByTheirOwnGravity) {
  Scene scene;
  scene.add(test::bodyAt({0, 0, 0}, ShapeDef::sphere(0.1)));
  WorldSettings vacuum = settings();
  vacuum.precision = Precision::Double;
  World world(scene, 3, vacuum);
  world.setGravityOf(1, {0, -1.62, 0});
  world.setGravityOf(2, {3, 0, 0});
  EXPECT_EQ(world.gravityOf(0).y, -9.81);
  const int steps = 30;
  world.step(steps);
  // Semi-implicit Euler: h^2 g n (n + 1) / 2 of n substeps.
  const double h = vacuum.dt / vacuum.substeps, n = steps * vacuum.substeps, way = h * h * n * (n + 1) / 2;
  EXPECT_NEAR(world.state(world.bodyOf(0, 0)).pose.p.y, -9.81 * way, 1e-12);
  EXPECT_NEAR(world.state(world.bodyOf(1, 0)).pose.p.y, -1.62 * way, 1e-12);
  EXPECT_NEAR(world.state(world.bodyOf(2, 0)).pose.p.x, 3 * way, 1e-12);
  const std::vector<EnvironmentReport> reports = world.environmentReports();
  const double mass = massProperties(scene.bodies[0]).mass;
  EXPECT_NEAR(reports[1].potentialEnergy, -1.62 * 1.62 * mass * way, 1e-9);
  EXPECT_NEAR(reports[2].maxSpeed, 3 * h * n, 1e-12);
  world.setGravity({0, 0, 1});
  EXPECT_EQ(world.gravityOf(1).z, 1);
}

// Gravity of its own is the scene's of a World by itself, to the bit: in contacts, sweeps of fast bodies and energies.
TEST_P(Environments, WithGravityOfTheirOwnHaveTheBitsOfASceneWithIt) {
  const int steps = emulated() ? 5 : 60;
  Scene moon = corner();
  moon.gravity = {0.5, -40, 0};
  World world(corner(), 3, settings()), alone(moon, 1, settings());
  world.setGravityOf(1, moon.gravity);
  world.step(steps);
  alone.step(steps);
  EXPECT_EQ(world.stateHashOf(1), alone.stateHash());
  EXPECT_NE(world.stateHashOf(0), alone.stateHash());
  EXPECT_EQ(world.environmentReports()[1].potentialEnergy, alone.environmentReports()[0].potentialEnergy);
}

TEST_P(Environments, ResetOnesGoOnAsFreshOnesAndTheOthersAsTheyWere) {
  const int before = emulated() ? 4 : 40, after = emulated() ? 4 : 60;
  const Scene scene = corner();
  World world(scene, 4, settings()), undisturbed(scene, 4, settings()), fresh(scene, 1, settings());
  for (World* each : {&world, &undisturbed}) {
    for (int k = 0; k < 4; ++k) each->setVelocity(each->bodyOf(k, kBox), {0.5 * k, 1, 0}, {0, 0, 0.3 * k});
    each->setPose(each->bodyOf(2, 0), {{0, -0.1, 0}, {0, 0, 0, 1}});
    each->step(before);
  }
  world.applyForce(world.bodyOf(1, kBox), {1e4, 0, 0});
  world.resetEnvironments({0, 1, 1, 0});
  EXPECT_EQ(world.stateHashOf(1), fresh.stateHash());
  EXPECT_EQ(world.stateHashOf(2), fresh.stateHash());
  EXPECT_EQ(world.stateHashOf(3), undisturbed.stateHashOf(3));
  world.step(after);
  undisturbed.step(after);
  fresh.step(after);
  for (const int k : {1, 2}) EXPECT_EQ(world.stateHashOf(k), fresh.stateHash()) << k;
  for (const int k : {0, 3}) EXPECT_EQ(world.stateHashOf(k), undisturbed.stateHashOf(k)) << k;
  EXPECT_NE(world.stateHashOf(0), fresh.stateHash());
}

TEST_P(Environments, ResetMakesBrokenJointsWhole) {
  const Scene scene = corner();
  World world(scene, 3, settings()), fresh(scene, 1, settings());
  for (const int k : {0, 2}) world.applyImpulse(world.bodyOf(k, kBall), {0, -500, 0});
  world.step(2);
  const std::vector<JointId> joints = world.joints();
  EXPECT_TRUE(world.jointState(joints[0]).broken);
  EXPECT_FALSE(world.jointState(joints[1]).broken);
  EXPECT_TRUE(world.jointState(joints[2]).broken);
  const uint64_t other = world.stateHashOf(1);
  world.resetEnvironments({1, 0, 0});
  EXPECT_FALSE(world.jointState(joints[0]).broken);
  EXPECT_TRUE(world.jointState(joints[2]).broken);
  EXPECT_EQ(world.jointState(joints[0]).force.y, 0);
  EXPECT_EQ(world.stateHashOf(1), other);
  const int steps = emulated() ? 4 : 50;
  world.step(steps);
  fresh.step(steps);
  EXPECT_EQ(world.stateHashOf(0), fresh.stateHash());
}

// Where the World runs: on a device the caller's kernels write it.
TEST_P(Environments, AreResetByAMaskOnTheTarget) {
  const Scene scene = corner();
  World world(scene, 3, settings()), fresh(scene, 1, settings());
  for (int k = 0; k < 3; ++k) world.setVelocity(world.bodyOf(k, kBox), {1, 1, 0}, {0, 0, 0});
  world.applyImpulse(world.bodyOf(1, kBall), {0, -500, 0});
  world.step(3);
  OwnedQueue owned(GetParam() == Backend::Cuda ? Target::Cuda : Target::Cpu, 1, kCurrentDevice);
  Buffer<unsigned char> mask;
  mask.upload(owned.queue, {0, 255, 0});
  synchronize(owned.queue);
  world.resetEnvironmentsOnTarget(mask.data());
  EXPECT_EQ(world.stateHashOf(1), fresh.stateHash());
  EXPECT_FALSE(world.jointState(world.joints()[1]).broken);
  EXPECT_NE(world.stateHashOf(0), fresh.stateHash());
}

TEST_P(Environments, ReportWhatAWorldOfTheSceneAloneReports) {
  const Scene scene = corner();
  const int steps = emulated() ? 3 : 20;
  World world(scene, 4, settings());
  for (int k = 0; k < 4; ++k) world.setVelocity(world.bodyOf(k, kBox), {0.3 * k, 0, 0}, {0, 0, 0});
  world.step(steps);
  const std::vector<EnvironmentReport> reports = world.environmentReports();
  ASSERT_EQ(reports.size(), 4u);
  int points = 0;
  double energy = 0;
  for (int k = 0; k < 4; ++k) {
    World alone(scene, 1, settings());
    alone.setVelocity(alone.bodyOf(0, kBox), {0.3 * k, 0, 0}, {0, 0, 0});
    alone.step(steps);
    const StepReport whole = alone.report();
    const EnvironmentReport& own = reports[static_cast<size_t>(k)];
    EXPECT_EQ(own.contactPoints, whole.contactPoints);
    EXPECT_NEAR(own.kineticEnergy, whole.kineticEnergy, 1e-9 * (1 + whole.kineticEnergy));
    EXPECT_NEAR(own.potentialEnergy, whole.potentialEnergy, 1e-9 * whole.potentialEnergy);
    EXPECT_EQ(own.maxSpeed, whole.maxSpeed);
    EXPECT_NEAR(own.penetrationMax, whole.penetrationMax, 1e-12);
    EXPECT_NEAR(own.residualMax, whole.residualMax, 1e-6 * whole.residualMax);
    points += own.contactPoints;
    energy += own.kineticEnergy;
  }
  EXPECT_GT(points, 0);
  EXPECT_EQ(points, world.report().contactPoints);
  EXPECT_NEAR(energy, world.report().kineticEnergy, 1e-9 * energy);
}

TEST_P(Environments, AnUnsoundOneIsNamedAndTheStepUndone) {
  WorldSettings loose = settings();
  loose.growEnvelope = false;
  World world(corner(), 3, loose), other(corner(), 3, loose);
  for (World* each : {&world, &other}) each->setVelocity(each->bodyOf(2, kBox), {1, 0, 0}, {0, 0, 0});
  world.setPose(world.bodyOf(1, kBox), {{3.4e38, 0, 0}, {0, 0, 0, 1}});
  world.setVelocity(world.bodyOf(1, kBox), {3e38, 0, 0}, {0, 0, 0});
  try {
    for (int k = 0; k < 200; ++k) world.step();
    world.wait();
    FAIL() << "the state stayed finite";
  } catch (const NonFiniteState& error) {
    EXPECT_EQ(error.environment, 1);
    EXPECT_EQ(error.body, "box@1");
    EXPECT_NE(std::string(error.what()).find("environment 1"), std::string::npos) << error.what();
  }
  // Reset, that one goes on, and the others have lost nothing.
  const int done = static_cast<int>(world.report().step);
  world.resetEnvironments({0, 1, 0});
  world.step(3);
  other.step(done + 3);
  EXPECT_EQ(world.stateHashOf(0), other.stateHashOf(0));
  EXPECT_EQ(world.stateHashOf(2), other.stateHashOf(2));
}

TEST_P(Environments, GoOnFromSnapshots) {
  const int steps = emulated() ? 3 : 40;
  World world(corner(), 3, settings());
  world.setGravityOf(2, {0, -3, 0});
  world.setVelocity(world.bodyOf(1, kBox), {1, 0, 0}, {0, 0, 0});
  world.step(steps);
  const Snapshot snapshot = world.save();
  World resumed(snapshot, settings());
  EXPECT_EQ(resumed.environmentCount(), 3);
  EXPECT_EQ(resumed.gravityOf(2).y, -3);
  EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
  for (World* each : {&world, &resumed}) {
    each->step(3);
    each->resetEnvironments({0, 0, 1});
    each->step(steps);
  }
  EXPECT_EQ(resumed.stateHash(), world.stateHash());
}

TEST_P(Environments, WhatWouldMakeThemDifferIsRefused) {
  const Scene scene = corner();
  World world(scene, 2, settings());
  const uint64_t before = world.stateHash();
  const auto refused = [](const auto& call, const std::string& place) {
    try {
      call();
      ADD_FAILURE() << place << " was not refused";
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.place, place) << error.what();
    }
  };
  refused([&] { world.addBody(test::bodyAt({0, 0, 0}, ShapeDef::sphere(1))); }, "addBody");
  refused([&] { world.removeBody(world.bodyOf(0, kBox)); }, "removeBody");
  refused([&] { world.addJoint(world.bodyOf(0, 1), world.bodyOf(1, 1), scene.joints[0]); }, "addJoint");
  refused([&] { world.removeJoint(world.joints()[0]); }, "removeJoint");
  refused([&] { world.setMaterial(world.bodyOf(0, 1), 0, {0.5, 0.5}); }, "restitution");
  refused([&] { world.resetEnvironments({1}); }, "mask");
  refused([&] { world.resetEnvironmentsOnTarget(nullptr); }, "mask");
  refused([&] { world.setGravityOf(2, {0, 0, 0}); }, "environment");
  refused([&] { world.gravityOf(-1); }, "environment");
  refused([&] { world.stateHashOf(2); }, "environment");
  refused([&] { world.bodyOf(0, 99); }, "body");
  EXPECT_EQ(world.stateHash(), before);
  refused([&] { World(scene, 0, settings()); }, "environments");
  refused([&] { World(scene, 1 << 30, settings()); }, "environments");
  refused([&] { World(Scene{}, 2, settings()); }, "environments");
  World plain(scene, settings());
  refused([&] { plain.resetEnvironments({1}); }, "environment");
  refused([&] { plain.environmentReports(); }, "environment");
  const auto with = [&](void (*change)(WorldSettings&)) {
    WorldSettings changed = settings();
    change(changed);
    return changed;
  };
  refused([&] { World(scene, 2, with([](WorldSettings& s) { s.tolerance = 1e-3; })); }, "settings.tolerance");
  refused(
      [&] {
        World(scene, 2, with([](WorldSettings& s) {
                s.solver = Solver::Nncg;
                s.iterations = 4;
              }));
      },
      "settings.solver");
  refused([&] { World(scene, 2, with([](WorldSettings& s) { s.positionCorrections = 1; })); }, "settings.positionCorrections");
  refused([&] { World(scene, 2, with([](WorldSettings& s) { s.jointStabilization = JointStabilization::Post; })); }, "settings.jointStabilization");
}

TEST_P(Environments, AreSeenByRaysOneAtATime) {
  for (const double far : {0.0, 40.0}) {  // a handful of shapes, and a tree
    Scene scene = corner();
    for (int k = 0; far > 0 && k < 12; ++k) scene.add(test::bodyAt({far + k, 5, 0}, ShapeDef::sphere(0.3)));
    World world(scene, 3, settings());
    world.setPose(world.bodyOf(1, kBox), {{0, 7, 0}, {0, 0, 0, 1}});
    world.setPose(world.bodyOf(2, 0), {{0, 8.5, 0}, {0, 0, 0, 1}});
    Ray down;
    down.origin = {0, 10, 0};
    down.direction = {0, -1, 0};
    std::vector<Ray> rays(5, down);
    for (int k = 0; k < 3; ++k) rays[static_cast<size_t>(k)].filter.environment = k;
    rays[3].filter.environment = -1;
    rays[4].filter.environment = 0;
    rays[4].origin = {-20, 10, 0};
    const std::vector<RayHit> hits = world.castRays(rays);
    EXPECT_EQ(hits[0].body, world.bodyOf(0, 2));
    EXPECT_EQ(hits[1].body, world.bodyOf(1, kBox));
    EXPECT_NEAR(hits[1].distance, 2.7, 1e-5);
    EXPECT_EQ(hits[2].body, world.bodyOf(2, 0));
    EXPECT_NEAR(hits[2].distance, 1.5, 1e-5);
    EXPECT_EQ(hits[3].body, hits[2].body) << "the nearest of all";
    EXPECT_EQ(hits[4].body, world.bodyOf(0, 0));
    rays[0].filter.environment = 3;
    EXPECT_THROW(world.castRays(rays), InvalidInput);
    World plain(scene, settings());
    EXPECT_THROW(plain.castRays(rays), InvalidInput);
  }
}

// All at one place: candidate pairs grow with the number of environments, not with its square.
TEST_P(Environments, AtOnePlaceCostNoPairs) {
  const int count = emulated() ? 20 : 512;
  World one(corner(), 1, settings()), many(corner(), count, settings());
  one.step(2);
  many.step(2);
  EXPECT_EQ(many.report().candidatePairs, count * one.report().candidatePairs);
  EXPECT_GT(one.report().candidatePairs, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, Environments, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const auto& which) { return std::string(which.param == Backend::Cuda ? "Cuda" : "Cpu"); });

}  // namespace
}  // namespace cairn
