// Torsional and rolling friction against the closed forms of rigid bodies: a ball of radius r on a plane that presses it with m g meets moments of at
// most torsional m g about the normal and rolling m g about the tangents.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

constexpr double kRadius = 0.2, kTorsional = 0.02, kRolling = 0.01, kFelt = 0.8;

Material felt(double torsional = kTorsional, double rolling = kRolling) {
  Material material;
  material.friction = kFelt;
  material.torsionalFriction = torsional;
  material.rollingFriction = rolling;
  return material;
}

BodyDef ball(Vec3d position, const Material& material) {
  BodyDef body = test::bodyAt(position, ShapeDef::sphere(kRadius));
  body.shapes[0].material = material;
  return body;
}

// One ball on the ground, under gravity that is tilted by `slope` towards x.
Scene ballOnGround(const Material& ofBall, const Material& ofGround, double slope = 0) {
  Scene scene;
  scene.gravity = {test::kGravity * std::sin(slope), -test::kGravity * std::cos(slope), 0};
  scene.add(test::ground(ofGround));
  scene.add(ball({0, kRadius, 0}, ofBall));
  return scene;
}

class RollingFriction : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings(Precision precision = Precision::Float) const {
    WorldSettings settings = test::onCpu(precision);
    settings.backend = GetParam();
    return settings;
  }
};

// A ball that rolls without sliding slows down by rolling g / (r (1 + 2/5)), stops, and stays.
TEST_P(RollingFriction, ARollingBallSlowsDownAndStops) {
  Scene scene = ballOnGround(felt(), {});
  scene.bodies[1].linearVelocity = {1, 0, 0};
  scene.bodies[1].angularVelocity = {0, 0, -1 / kRadius};
  World world(scene, settings());
  const BodyId id = world.bodies()[1];
  const double slowing = kRolling * test::kGravity / (kRadius * 1.4);
  world.step(60);
  EXPECT_NEAR(world.state(id).linearVelocity.x, 1 - slowing * 1, 0.005);
  world.step(150);
  const BodyState still = world.state(id);
  EXPECT_NEAR(still.pose.p.x, 1 / (2 * slowing), 0.02);
  EXPECT_LT(length(still.linearVelocity) + length(still.angularVelocity), 1e-4);
  world.step(30);
  EXPECT_NEAR(world.state(id).pose.p.x, still.pose.p.x, 1e-4);
  EXPECT_LT(world.report().residualMax, 1e-3);
}

// A ball that spins about the vertical: torsional m g / I less each second.
TEST_P(RollingFriction, ASpinningBallStops) {
  Scene scene = ballOnGround(felt(), {});
  scene.bodies[1].angularVelocity = {0, 10, 0};
  World world(scene, settings());
  const BodyId id = world.bodies()[1];
  const double slowing = kTorsional * test::kGravity / (0.4 * kRadius * kRadius);
  world.step(30);
  EXPECT_NEAR(world.state(id).angularVelocity.y, 10 - slowing * 0.5, 0.05);
  world.step(60);
  EXPECT_LT(std::abs(world.state(id).angularVelocity.y), 1e-4);
  EXPECT_LT(length(world.state(id).linearVelocity), 1e-4);
}

// It stays on slopes up to atan(rolling / r), and goes down steeper ones with what is left.
TEST_P(RollingFriction, ASlopeHoldsABallUpToItsAngle) {
  const double most = std::atan(kRolling / kRadius);
  {
    World world(ballOnGround(felt(), {}, 0.95 * most), settings());
    world.step(120);
    EXPECT_NEAR(world.states()[1].pose.p.x, 0, 2e-4);
  }
  const double steep = 2 * most;
  World world(ballOnGround(felt(), {}, steep), settings());
  world.step(60);
  const double along = test::kGravity * (std::sin(steep) - kRolling / kRadius * std::cos(steep)) / 1.4;
  EXPECT_NEAR(world.states()[1].linearVelocity.x, along, 0.02 * along);
}

TEST_P(RollingFriction, TheLargerOfTwoShapesCounts) {
  const auto wayOf = [&](const Material& ofBall, const Material& ofGround) {
    Scene scene = ballOnGround(ofBall, ofGround);
    scene.bodies[1].linearVelocity = {0.5, 0, 0};
    scene.bodies[1].angularVelocity = {0, 3, -0.5 / kRadius};
    World world(scene, settings());
    world.step(20);
    return world.stateHash();
  };
  const uint64_t both = wayOf(felt(), felt());
  EXPECT_EQ(wayOf(felt(), felt(0, 0)), both);
  EXPECT_EQ(wayOf(felt(0.001, 0), felt()), both);
  EXPECT_NE(wayOf(felt(0, 0), felt(0, 0)), both);
}

// What one body loses the other gains. Without sliding friction, whose arms are those of the step's beginning.
TEST_P(RollingFriction, MomentumIsKept) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef plate = test::bodyAt({0, -0.1, 0}, ShapeDef::box({1, 0.1, 1}));
  Material smooth = felt(0.1, 0.1);
  smooth.friction = 0;
  plate.shapes[0].material = smooth;
  scene.add(plate);
  BodyDef spinning = ball({0.2, kRadius + 0.01, 0}, {});
  spinning.linearVelocity = {0, -2, 0};
  spinning.angularVelocity = {3, 20, -4};
  scene.add(spinning);
  World world(scene, settings(Precision::Double));
  const StepReport before = world.report();
  world.step(10);
  const StepReport after = world.report();
  EXPECT_LT(world.states()[1].angularVelocity.y, 19);
  EXPECT_LT(length(after.linearMomentum - before.linearMomentum), 1e-9 * length(before.linearMomentum));
  EXPECT_LT(length(after.angularMomentum - before.angularMomentum), 1e-4 * length(before.angularMomentum));
  EXPECT_LT(after.kineticEnergy, before.kineticEnergy);
}

// Heaps of balls: with joints, in overflow, by Jacobi, in either precision, stored, resumed and replicated.
Scene heap() {
  Scene scene = loadScene("pile:count=60,shape=sphere");
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material = felt(0.01, 0.005);
  }
  return scene;
}

TEST_P(RollingFriction, AHeapHasTheBitsOfTheCpu) {
  const auto same = [&](const char* what, const auto& change) {
    WorldSettings here = settings(), onCpu = test::onCpu();
    change(here);
    change(onCpu);
    onCpu.threads = 2;
    World world(heap(), here), reference(heap(), onCpu);
    world.step(40);
    reference.step(40);
    EXPECT_EQ(world.stateHash(), reference.stateHash()) << what;
    EXPECT_EQ(world.report().residualMax, reference.report().residualMax) << what;
  };
  same("as it is", [](WorldSettings&) {});
  same("overflow", [](WorldSettings& s) { s.maxColours = 2; });
  same("jacobi, double", [](WorldSettings& s) {
    s.solver = Solver::Jacobi;
    s.precision = Precision::Double;
  });
  same("tolerance", [](WorldSettings& s) { s.tolerance = 1e-3; });
  same("anchors", [](WorldSettings& s) { s.frictionStabilization = true; });
  same("graph", [](WorldSettings& s) { s.cudaGraph = true; });
}

// Balls that slide only go on spinning where they lie.
TEST(RollingFrictionHeaps, ComeToRest) {
  Scene sliding = heap();
  for (BodyDef& body : sliding.bodies) {
    for (ShapeDef& shape : body.shapes) shape.material = felt(0, 0);
  }
  World still(heap(), test::onCpu()), spinning(sliding, test::onCpu());
  still.step(600);
  spinning.step(600);
  EXPECT_LT(still.report().kineticEnergy, 1e-6);
  EXPECT_GT(spinning.report().kineticEnergy, 1e-4);
}

TEST_P(RollingFriction, ASnapshotGoesOnWithTheSameBits) {
  World world(heap(), settings());
  world.step(30);
  World resumed(world.save(), settings());
  EXPECT_EQ(resumed.save().bytes, world.save().bytes);
  world.step(20);
  resumed.step(20);
  EXPECT_EQ(resumed.stateHash(), world.stateHash());
}

TEST_P(RollingFriction, MaterialsChangeBetweenSteps) {
  // Given later is as good as given at first, and taken away again is as if there had never been any.
  World later(ballOnGround({}, {}), settings()), first(ballOnGround(felt(), {}), settings());
  later.setMaterial(later.bodies()[1], 0, felt());
  later.step(10);
  first.step(10);
  EXPECT_EQ(later.stateHash(), first.stateHash());
  World never(ballOnGround(felt(0, 0), {}), settings()), taken(ballOnGround(felt(), {}), settings());
  taken.setMaterial(taken.bodies()[1], 0, felt(0, 0));
  never.step(10);
  taken.step(10);
  EXPECT_EQ(taken.stateHash(), never.stateHash());

  // Off and on: nothing of the time before is gone on from. A body that comes has its own.
  first.setMaterial(first.bodies()[1], 0, felt(0, 0));
  first.step(2);
  first.setMaterial(first.bodies()[1], 0, felt());
  first.step(2);
  BodyDef more = ball({1, kRadius, 0}, felt(0, 0.05));
  more.linearVelocity = {1, 0, 0};
  more.angularVelocity = {0, 0, -1 / kRadius};
  const BodyId id = first.addBody(more);
  first.step(30);
  EXPECT_NEAR(first.state(id).linearVelocity.x, 1 - 0.5 * 0.05 * test::kGravity / (kRadius * 1.4), 0.03);
  first.removeBody(first.bodies()[1]);
  first.step(30);
  EXPECT_LT(length(first.state(id).linearVelocity), 0.2);
}

TEST_P(RollingFriction, EnvironmentsHaveTheBitsOfOne) {
  const Scene scene = heap();
  World one(scene, 1, settings()), three(scene, 3, settings());
  one.step(20);
  three.step(20);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(three.stateHashOf(k), one.stateHashOf(0)) << k;
  // One that is reset has forgotten what it pressed with.
  three.resetEnvironments({0, 1, 0});
  three.step(20);
  EXPECT_EQ(three.stateHashOf(1), one.stateHashOf(0));
  one.step(20);
  EXPECT_EQ(three.stateHashOf(2), one.stateHashOf(0));
}

// Where no environment has any left, balls go on as if there had never been any.
TEST_P(RollingFriction, EnvironmentsMayLoseTheirs) {
  Scene scene = ballOnGround(felt(), {});
  scene.bodies[1].linearVelocity = {1, 0, 0};
  Scene without = scene;
  without.bodies[1].shapes[0].material = felt(0, 0);
  World world(scene, 2, settings()), never(without, 2, settings());
  for (int k = 0; k < 2; ++k) world.setMaterial(world.bodyOf(k, 1), 0, felt(0, 0));
  world.step(10);
  never.step(10);
  EXPECT_EQ(world.states()[1].linearVelocity.x, never.states()[1].linearVelocity.x);
  EXPECT_GT(never.states()[1].linearVelocity.x, 0.7);
  EXPECT_EQ(world.stateHash(), never.stateHash());
}

INSTANTIATE_TEST_SUITE_P(Backends, RollingFriction, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

template <class Call> std::string refusalOf(const Call& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(RollingFrictionRefusals, NameWhatIsWrong) {
  for (const double wrong : {-0.1, std::nan(""), double(INFINITY), 1e16}) {
    EXPECT_NE(refusalOf([&] { World(ballOnGround(felt(wrong, 0), {}), test::onCpu()); }).find("torsional_friction"), std::string::npos) << wrong;
    EXPECT_NE(refusalOf([&] { World(ballOnGround(felt(0, wrong), {}), test::onCpu()); }).find("rolling_friction"), std::string::npos) << wrong;
    World world(ballOnGround({}, {}), test::onCpu());
    EXPECT_NE(refusalOf([&] { world.setMaterial(world.bodies()[1], 0, felt(0, wrong)); }).find("rolling_friction"), std::string::npos) << wrong;
  }
  for (const Solver solver : {Solver::Lemke, Solver::Nncg}) {
    WorldSettings settings = test::onCpu();
    settings.solver = solver;
    settings.iterations = 4;
    EXPECT_NE(refusalOf([&] { World(ballOnGround(felt(), {}), settings); }).find("settings.solver"), std::string::npos);
    EXPECT_NE(refusalOf([&] { World(ballOnGround(felt(), {}), 2, settings); }).find("settings.solver"), std::string::npos);
    World world(ballOnGround({}, {}), settings);
    EXPECT_NE(refusalOf([&] { world.setMaterial(world.bodies()[1], 0, felt()); }).find("settings.solver"), std::string::npos);
    EXPECT_NE(refusalOf([&] { world.addBody(ball({2, 1, 0}, felt())); }).find("settings.solver"), std::string::npos);
  }
  World world(ballOnGround(felt(), {}), test::onCpu());
  EXPECT_NE(refusalOf([&] { world.contactProblem(); }).find("rolling friction"), std::string::npos);
  EXPECT_NE(refusalOf([&] { world.accelerationProblem(1e-3, 1e-3); }).find("rolling friction"), std::string::npos);
  World plain(ballOnGround({}, {}), 2, test::onCpu());
  EXPECT_NE(refusalOf([&] { plain.setMaterial(plain.bodies()[1], 0, felt()); }).find("rolling friction"), std::string::npos);
}

TEST(RollingFrictionScenes, GoThroughText) {
  const Scene scene = ballOnGround(felt(), {});
  const Scene again = parseScene(writeScene(scene), "text");
  EXPECT_EQ(again.bodies[1].shapes[0].material.torsionalFriction, kTorsional);
  EXPECT_EQ(again.bodies[1].shapes[0].material.rollingFriction, kRolling);
  EXPECT_EQ(again.bodies[0].shapes[0].material.rollingFriction, 0);
}

}  // namespace
}  // namespace cairn
