// The report's energy balance against closed forms, in both precisions, on the CPU and where there is one on a device.
#include "kernels/runtime/devices.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

using namespace test;

// What a scene of a few bodies does within some steps.
struct Sums {
  double kinetic = 0, potential = 0, force = 0, joint = 0, contact = 0;
};

class EnergyBalances : public ::testing::TestWithParam<std::tuple<Backend, Precision>> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()) == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings() const {
    WorldSettings settings = onCpu(std::get<1>(GetParam()));
    settings.backend = std::get<0>(GetParam());
    return settings;
  }
  double tolerance() const { return std::get<1>(GetParam()) == Precision::Float ? 1e-4 : 1e-10; }
};

template <class Before> Sums sumOf(World& world, int steps, const Before& before) {
  Sums sums;
  for (int k = 0; k < steps; ++k) {
    before();
    world.step();
    const EnergyBalance balance = world.report().energyBalance;
    EXPECT_TRUE(balance.known);
    EXPECT_NEAR(balance.kineticChange + balance.potentialChange, balance.forceWork + balance.dampingWork + balance.jointWork + balance.contactWork,
                1e-9);
    sums.kinetic += balance.kineticChange;
    sums.potential += balance.potentialChange;
    sums.force += balance.forceWork;
    sums.joint += balance.jointWork;
    sums.contact += balance.contactWork;
  }
  return sums;
}
Sums sumOf(World& world, int steps) {
  return sumOf(world, steps, [] {});
}

BodyDef brick(Vec3d position, double mass = 2) {
  BodyDef body = bodyAt(position, ShapeDef::box({0.5, 0.25, 0.5}));
  body.mass = mass;
  return body;
}

BodyDef post() {
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::sphere(0.05));
  body.type = BodyType::Static;
  return body;
}

// To the post, about the world's z.
JointDef hingeAtPost() {
  JointDef hinge;
  hinge.type = JointType::Hinge;
  hinge.bodyA = 0;
  hinge.bodyB = 1;
  hinge.frameA.q = hinge.frameB.q = {0, -std::sqrt(0.5), 0, std::sqrt(0.5)};
  return hinge;
}

TEST_P(EnergyBalances, TheChangesAreThoseOfTheReport) {
  Scene scene;
  scene.add(brick({0, 3, 0}));
  scene.bodies[0].angularVelocity = {1, 2, 3};
  World world(scene, settings());
  const StepReport before = world.report();
  EXPECT_FALSE(before.energyBalance.known);
  const Sums sums = sumOf(world, 30);
  const StepReport after = world.report();
  EXPECT_NEAR(sums.kinetic, after.kineticEnergy - before.kineticEnergy, 1e-9);
  EXPECT_NEAR(sums.potential, after.potentialEnergy - before.potentialEnergy, 1e-9);
  EXPECT_EQ(sums.force, 0);
  EXPECT_EQ(sums.joint, 0);
}

TEST_P(EnergyBalances, AForceDoesTheWorkOfItsWay) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  const int body = scene.add(brick({0, 0, 0}));
  World world(scene, settings());
  const BodyId id = world.bodies()[static_cast<size_t>(body)];
  const Sums sums = sumOf(world, 60, [&] { world.applyForce(id, {4, 0, 0}, {0, 0.5, 0}); });
  const BodyState state = world.states()[0];
  const double turned = 2 * std::atan2(state.pose.q.y, state.pose.q.w);
  EXPECT_NEAR(sums.force, 4 * state.pose.p.x + 0.5 * turned, tolerance() * sums.force);
  // Speeds are ahead of the way by half a substep.
  EXPECT_NEAR(sums.kinetic, sums.force, 0.01 * sums.force);
}

TEST_P(EnergyBalances, OfAStepWithoutForcesKnowsNothingOfTheNextSteps) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(brick({0, 0, 0}));
  World world(scene, settings());
  const BodyId id = world.bodies()[0];
  world.applyForce(id, {4, 0, 0});
  world.step();
  const double work = world.report().energyBalance.forceWork;
  EXPECT_GT(work, 0);
  world.applyForce(id, {-100, 0, 0});
  EXPECT_EQ(world.report().energyBalance.forceWork, work);
  world.step();
  EXPECT_NE(world.report().energyBalance.forceWork, work);
  world.step();
  EXPECT_EQ(world.report().energyBalance.forceWork, 0);
}

TEST_P(EnergyBalances, FrictionTakesWhatSlidingHad) {
  Scene scene;
  Material rough;
  rough.friction = 0.4;
  scene.add(ground(rough));
  BodyDef body = brick({0, 0.25, 0});
  body.shapes[0].material = rough;
  body.linearVelocity = {1, 0, 0};
  scene.add(body);
  World world(scene, settings());
  const Sums sums = sumOf(world, 60);  // it rests after 0.25 s
  EXPECT_NEAR(sums.contact, -0.5 * 2 * 1 + sums.potential, 1e-3);
  EXPECT_NEAR(sums.potential, 0, 0.02);  // the slop
  EXPECT_EQ(sums.joint, 0);
}

TEST_P(EnergyBalances, ABeltDrivesWhatLiesOnIt) {
  Scene scene;
  BodyDef belt = bodyAt({0, -0.5, 0}, ShapeDef::box({20, 0.5, 1}));
  belt.type = BodyType::Kinematic;
  belt.linearVelocity = {1, 0, 0};
  scene.add(belt);
  scene.add(brick({0, 0.25, 0}));
  World world(scene, settings());
  EXPECT_NEAR(sumOf(world, 60).contact, 0.5 * 2 * 1, 0.02);
}

// A wheel of 1 kg m^2 or so about the world's z, driven from rest.
TEST_P(EnergyBalances, AMotorGivesWhatItsWheelHas) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(post());
  scene.add(brick({0, 0, 0}));
  JointDef hinge = hingeAtPost();
  hinge.axes[3].motor = JointMotor::Velocity;
  hinge.axes[3].target = 100;
  hinge.axes[3].maxForce = 1;
  scene.joints.push_back(hinge);
  World world(scene, settings());
  const Sums sums = sumOf(world, 60);
  EXPECT_GT(sums.kinetic, 1);
  EXPECT_NEAR(sums.joint, sums.kinetic, 0.01 * sums.kinetic);
  EXPECT_NEAR(sums.contact, 0, 0.01 * sums.kinetic);
}

TEST_P(EnergyBalances, ASpringGivesBackWhatItTook) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(post());
  scene.add(brick({3, 0, 0}));
  JointDef slide;
  slide.type = JointType::Prismatic;
  slide.bodyA = 0;
  slide.bodyB = 1;
  slide.axes[0].stiffness = 8;
  slide.axes[0].rest = 2;
  scene.joints.push_back(slide);
  World world(scene, settings());
  // pi sqrt(m/k) / 2 to the middle
  const Sums out = sumOf(world, 47);
  EXPECT_NEAR(out.joint, 0.5 * 8 * 1, 0.08);
  EXPECT_NEAR(out.joint, out.kinetic, 0.02);
  const Sums back = sumOf(world, 47);
  EXPECT_NEAR(back.joint, -out.joint, 0.08);
}

TEST_P(EnergyBalances, ArmsThatSwingFastNeedNoWorkOfTheirJoints) {
  Scene scene;
  scene.add(post());
  BodyDef arm = brick({1, 0, 0});
  arm.angularVelocity = {0, 0, 5};
  arm.linearVelocity = {0, 5, 0};
  scene.add(arm);
  JointDef hinge = hingeAtPost();
  hinge.frameB.p = {-1, 0, 0};
  scene.joints.push_back(hinge);
  World world(scene, settings());
  const double start = world.report().kineticEnergy;
  EXPECT_NEAR(sumOf(world, 120).joint, 0, 0.01 * start);
}

TEST_P(EnergyBalances, IsNotKnownOnceSomethingWasChanged) {
  Scene scene;
  scene.add(brick({0, 3, 0}));
  scene.add(brick({3, 3, 0}));
  const auto knownAfter = [&](const auto& change) {
    World world(scene, settings());
    world.step(2);
    EXPECT_TRUE(world.report().energyBalance.known);
    change(world);
    const EnergyBalance balance = world.report().energyBalance;
    EXPECT_TRUE(balance.known || balance.kineticChange == 0);
    world.step();
    EXPECT_TRUE(world.report().energyBalance.known);
    return balance.known;
  };
  EXPECT_FALSE(knownAfter([](World& world) { world.setVelocity(world.bodies()[0], {1, 0, 0}, {0, 0, 0}); }));
  EXPECT_FALSE(knownAfter([](World& world) { world.setPose(world.bodies()[0], {{0, 5, 0}, kNoTurn}); }));
  EXPECT_FALSE(knownAfter([](World& world) { world.removeBody(world.bodies()[0]); }));
  EXPECT_FALSE(knownAfter([](World& world) { world.addBody(brick({9, 9, 9})); }));
  EXPECT_FALSE(knownAfter([](World& world) {
    JointDef rod;
    rod.type = JointType::Point;
    world.addJoint(world.bodies()[0], world.bodies()[1], rod);
  }));
  EXPECT_TRUE(knownAfter([](World& world) { world.contacts(); }));
}

// Steps that are planned and recorded keep the same numbers.
TEST_P(EnergyBalances, HaveTheSameBitsAsOnTheCpu) {
  const Scene scene = loadScene("skeletons:count=2");
  WorldSettings here = settings();
  here.backend = Backend::Cpu;
  World world(scene, settings()), cpu(scene, here);
  for (int k = 0; k < 3; ++k) {
    world.step(10);
    cpu.step(10);
    const EnergyBalance a = world.report().energyBalance, b = cpu.report().energyBalance;
    EXPECT_EQ(a.kineticChange, b.kineticChange);
    EXPECT_EQ(a.potentialChange, b.potentialChange);
    EXPECT_EQ(a.jointWork, b.jointWork);
    EXPECT_EQ(a.contactWork, b.contactWork);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EnergyBalances,
                         ::testing::Combine(::testing::Values(Backend::Cpu, Backend::Cuda), ::testing::Values(Precision::Float, Precision::Double)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param) == Backend::Cpu ? "Cpu" : "Cuda") +
                                  (std::get<1>(instance.param) == Precision::Float ? "Float" : "Double");
                         });

}  // namespace
}  // namespace cairn
