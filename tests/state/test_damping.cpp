// Damping against its closed form: after n substeps of length h a velocity is its first value by (1 + h c)^n, and a falling body ends at g / c.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

class Damping : public testing::TestWithParam<std::tuple<Backend, Precision>> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()) == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings() const {
    WorldSettings settings = test::onCpu(std::get<1>(GetParam()));
    settings.backend = std::get<0>(GetParam());
    settings.substeps = 3;
    return settings;
  }
  double rounding() const { return std::get<1>(GetParam()) == Precision::Float ? 1e-5 : 1e-12; }
};

BodyDef thrown(double linear, double angular) {
  BodyDef body = test::bodyAt({0, 0, 0}, ShapeDef::sphere(0.2), {3, -1, 2});
  body.angularVelocity = {1, 4, -2};
  body.linearDamping = linear;
  body.angularDamping = angular;
  return body;
}

TEST_P(Damping, SlowsDownByItsClosedForm) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  for (int k = 0; k < 40; ++k) {  // more than a pack of bodies
    scene.add(thrown(0.1 * k, 0.05 * k));
    scene.bodies.back().pose.p.x = 20.0 * k;
  }
  WorldSettings three = settings();
  World world(scene, three);
  constexpr int kSteps = 30;
  world.step(kSteps);
  const std::vector<BodyState> states = world.states();
  for (int k = 0; k < 40; ++k) {
    const double h = three.dt / 3, v = std::pow(1 + h * 0.1 * k, -3 * kSteps), w = std::pow(1 + h * 0.05 * k, -3 * kSteps);
    EXPECT_NEAR(length(states[size_t(k)].linearVelocity - v * Vec3d{3, -1, 2}), 0, 4 * rounding()) << k;
    EXPECT_NEAR(length(states[size_t(k)].angularVelocity - w * Vec3d{1, 4, -2}), 0, 4 * rounding()) << k;
  }
}

TEST_P(Damping, AFallEndsAtItsFinalSpeed) {
  Scene scene;
  scene.add(thrown(5, 0));
  World world(scene, settings());
  world.step(600);
  EXPECT_NEAR(world.states()[0].linearVelocity.y, -test::kGravity / 5, 10 * rounding());
  EXPECT_NEAR(world.states()[0].linearVelocity.x, 0, rounding());
}

TEST_P(Damping, LockedAxesKeepTheirVelocity) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = thrown(2, 3);
  body.lockTranslation = {true, false, false};
  body.lockRotation = {false, false, true};
  scene.add(body);
  World world(scene, settings());
  world.step(60);
  const BodyState state = world.states()[0];
  EXPECT_EQ(state.linearVelocity.x, 3);
  EXPECT_EQ(state.angularVelocity.z, -2);
  EXPECT_LT(std::abs(state.linearVelocity.y), 0.2);
  EXPECT_LT(std::abs(state.angularVelocity.y), 0.3);
}

TEST_P(Damping, LeavesKinematicBodiesAndTheOthersAlone) {
  Scene scene = loadScene("pyramid:base=4");
  BodyDef lift = test::bodyAt({30, 0, 0}, ShapeDef::box({0.5, 0.5, 0.5}), {0, 1, 0});
  lift.type = BodyType::Kinematic;
  scene.add(lift);
  const uint64_t hash = test::hashAfter(scene, settings(), 40);
  scene.bodies.back().linearDamping = scene.bodies.back().angularDamping = 7;
  EXPECT_EQ(test::hashAfter(scene, settings(), 40), hash);
  // A damped body far away: a pass more, and no other bit.
  World world(scene, settings()), other(scene, settings());
  BodyDef far = thrown(1, 1);
  far.pose.p = {0, 500, 500};
  const BodyId id = world.addBody(far);
  world.step(40);
  other.step(40);
  world.removeBody(id);
  EXPECT_EQ(world.stateHash(), other.stateHash());
  EXPECT_EQ(other.stateHash(), hash);
}

// What it takes is the energy that a body loses by nothing else, and is not said to be the contacts' work.
TEST_P(Damping, ItsWorkIsInTheBalance) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = test::bodyAt({0, 0, 0}, ShapeDef::box({0.3, 0.2, 0.1}), {3, -1, 2});
  body.angularVelocity = {1, 4, -2};
  body.linearDamping = 0.7;
  body.angularDamping = 1.5;
  scene.add(body);
  World world(scene, settings());
  double work = 0, change = 0;
  const double start = world.report().kineticEnergy;
  for (int k = 0; k < 60; ++k) {
    world.step();
    const EnergyBalance balance = world.report().energyBalance;
    ASSERT_TRUE(balance.known);
    EXPECT_LT(balance.dampingWork, 0);
    EXPECT_NEAR(balance.kineticChange + balance.potentialChange, balance.dampingWork + balance.contactWork, 1e-9);
    work += balance.dampingWork;
    change += balance.kineticChange + balance.potentialChange;
  }
  EXPECT_NEAR(work, change, 1e-3 * start);  // the gyroscopic step may lose a little
}

TEST_P(Damping, GoesOnFromASnapshotAndWhereBodiesComeAndGo) {
  Scene scene = loadScene("pile:count=30,shape=mixed");
  for (size_t k = 0; k < scene.bodies.size(); k += 2) scene.bodies[k].linearDamping = 0.5, scene.bodies[k].angularDamping = 0.25;
  World world(scene, settings());
  world.step(30);
  World resumed(world.save(), settings());
  for (World* each : {&world, &resumed}) {
    each->removeBody(each->bodies()[4]);
    each->addBody(thrown(0, 2));
    each->addBody(thrown(0, 0));
  }
  world.step(30);
  resumed.step(30);
  EXPECT_EQ(world.stateHash(), resumed.stateHash());
}

TEST_P(Damping, IsTheSameOnBothBackends) {
  if (std::get<0>(GetParam()) != Backend::Cuda) GTEST_SKIP() << "skipped: compares with the CPU";
  Scene scene = loadScene("pile:count=60,shape=mixed");
  for (size_t k = 0; k < scene.bodies.size(); k += 3) scene.bodies[k].linearDamping = 0.5, scene.bodies[k].angularDamping = 2;
  WorldSettings cpu = settings();
  cpu.backend = Backend::Cpu;
  EXPECT_EQ(test::hashAfter(scene, settings(), 60), test::hashAfter(scene, cpu, 60));
}

INSTANTIATE_TEST_SUITE_P(Backends, Damping,
                         testing::Combine(testing::Values(Backend::Cpu, Backend::Cuda), testing::Values(Precision::Float, Precision::Double)),
                         [](const testing::TestParamInfo<std::tuple<Backend, Precision>>& tested) {
                           return std::string(std::get<0>(tested.param) == Backend::Cpu ? "Cpu" : "Cuda") +
                                  (std::get<1>(tested.param) == Precision::Float ? "Float" : "Double");
                         });

}  // namespace
}  // namespace cairn
