// Physical laws against closed forms.
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn {
namespace {

using namespace test;

BodyDef plane(double angle = 0, double friction = 0.6, double restitution = 0) {
  BodyDef body = ground({friction, restitution});
  body.pose.q = quatFromRotationVector(Vec3d{0, 0, angle});
  return body;
}

// A flat box, `half` its half height, on a plane that falls towards +x.
Scene boxOnIncline(double angle, double friction, double half) {
  Scene scene;
  scene.add(plane(-angle, friction));
  BodyDef body = bodyAt(half * Vec3d{std::sin(angle), std::cos(angle), 0}, ShapeDef::box({0.5, half, 0.5}));
  body.pose.q = quatFromRotationVector(Vec3d{0, 0, -angle});
  body.shapes[0].material.friction = friction;
  scene.add(body);
  return scene;
}

class Physics : public ::testing::TestWithParam<Precision> {};

TEST_P(Physics, FreeFlightFollowsTheParabola) {
  Scene scene;
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::box({0.2, 0.3, 0.4}));
  body.linearVelocity = {3, 4, -1};
  body.angularVelocity = {1, 2, 3};
  scene.add(body);
  World world(scene, onCpu(GetParam()));
  world.step(60);
  // Semi-implicit Euler: y = v t - g t (t + h) / 2, exactly.
  const double h = world.settings().dt / world.settings().substeps;
  const BodyState state = world.states()[0];
  const double rounding = GetParam() == Precision::Float ? 1e-4 : 1e-12;
  EXPECT_NEAR(state.pose.p.x, 3, rounding);
  EXPECT_NEAR(state.pose.p.y, 4 - 0.5 * kGravity * (1 + h), rounding);
  EXPECT_NEAR(state.pose.p.z, -1, rounding);
  EXPECT_NEAR(state.linearVelocity.y, 4 - kGravity, rounding);
}

TEST_P(Physics, ASpinningBoxKeepsItsEnergyAndNeverGainsAny) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = bodyAt({0, 0, 0}, ShapeDef::box({0.1, 0.3, 0.6}));
  body.angularVelocity = {0.05, 8, 0.05};  // about the middle axis: tumbles
  scene.add(body);
  World world(scene, onCpu(GetParam()));
  const double start = world.report().kineticEnergy;
  const double rounding = GetParam() == Precision::Float ? 1e-4 : 1e-10;  // of 9,600 rotations of the velocity
  for (int k = 0; k < 1200; ++k) {
    world.step();
    ASSERT_LE(world.report().kineticEnergy, start * (1 + rounding));
  }
  EXPECT_NEAR(world.report().kineticEnergy / start, 1, 5e-3);
}

TEST_P(Physics, CollisionsKeepMomentum) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  for (int i = 0; i < 30; ++i) {
    BodyDef body = bodyAt({1.2 * (i % 5) - 2.4, 1.2 * ((i / 5) % 3) - 1.2, 1.2 * (i / 15) - 0.6}, i % 3 == 0   ? ShapeDef::sphere(0.4)
                                                                                                  : i % 3 == 1 ? ShapeDef::box({0.4, 0.3, 0.5})
                                                                                                               : ShapeDef::capsule(0.3, 0.4));
    body.linearVelocity = -2.0 * body.pose.p;  // all towards the middle
    body.angularVelocity = {0.3 * i, 1, -0.2 * i};
    body.shapes[0].material.restitution = i % 2 == 0 ? 0.5 : 0;
    scene.add(body);
  }
  World world(scene, onCpu(GetParam()));
  const StepReport before = world.report();
  world.step(120);
  const StepReport after = world.report();
  const double scale = before.bodies * 500.0;  // kg m/s of the masses that move
  test::record("linear", length(after.linearMomentum - before.linearMomentum) / scale);
  test::record("angular", length(after.angularMomentum - before.angularMomentum) / scale);
  EXPECT_LT(after.kineticEnergy, 0.9 * before.kineticEnergy);
  EXPECT_LT(length(after.linearMomentum - before.linearMomentum), (GetParam() == Precision::Float ? 1e-5 : 1e-13) * scale);
  EXPECT_LT(length(after.angularMomentum - before.angularMomentum), 2e-2 * scale);
}

TEST_P(Physics, ABoxOnAnInclineSticksBelowTheFrictionAngle) {
  const double mu = 0.5;
  for (const double angle : {0.3, std::atan(mu) - 0.02}) {
    const Scene scene = boxOnIncline(angle, mu, 0.25);
    World world(scene, onCpu(GetParam()));
    world.step(600);
    EXPECT_LT(length(world.states()[1].pose.p - scene.bodies[1].pose.p), 5e-3) << angle;
    EXPECT_LT(length(world.states()[1].linearVelocity), 1e-4) << angle;
  }
}

TEST_P(Physics, ABoxOnASteepInclineSlidesWithTheAnalyticAcceleration) {
  const double mu = 0.3;
  for (const double angle : {0.4, 0.6}) {
    const Scene scene = boxOnIncline(angle, mu, 0.1);
    World world(scene, onCpu(GetParam()));
    world.step(120);
    const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * 2;
    EXPECT_NEAR(length(world.states()[1].linearVelocity), expected, 0.005 * expected) << angle;
  }
}

TEST_P(Physics, ASphereRollsDownWithFiveSeventhsOfTheSlope) {
  const double angle = 0.2;
  Scene scene;
  scene.add(plane(-angle, 0.8));
  scene.add(bodyAt(0.5 * Vec3d{std::sin(angle), std::cos(angle), 0}, ShapeDef::sphere(0.5)));
  scene.bodies[1].shapes[0].material.friction = 0.8;
  World world(scene, onCpu(GetParam()));
  world.step(120);
  const double expected = 5.0 / 7.0 * kGravity * std::sin(angle) * 2;
  const BodyState state = world.states()[1];
  EXPECT_NEAR(length(state.linearVelocity), expected, 0.01 * expected);
  EXPECT_NEAR(length(state.angularVelocity), expected / 0.5, 0.01 * expected / 0.5);
}

TEST_P(Physics, ABallBouncesToTheSquareOfItsRestitution) {
  for (const double restitution : {0.5, 0.8, 1.0}) {
    for (const bool isBox : {false, true}) {
      Scene scene;
      scene.add(plane(0, 0.6, restitution));
      BodyDef body = bodyAt({0, 2.25, 0}, isBox ? ShapeDef::box({0.25, 0.25, 0.25}) : ShapeDef::sphere(0.25));
      scene.add(body);
      World world(scene, onCpu(GetParam()));
      bool bounced = false;
      double highest = 0;
      for (int k = 0; k < 240; ++k) {
        world.step();
        const BodyState state = world.states()[1];
        if (state.linearVelocity.y > 0.1) bounced = true;
        if (bounced) highest = std::max(highest, state.pose.p.y - 0.25);
        if (bounced && state.linearVelocity.y < 0) break;
      }
      EXPECT_NEAR(highest, 2 * restitution * restitution, 0.04 * 2) << restitution << (isBox ? " box" : " sphere");
    }
  }
}

TEST_P(Physics, SlowContactsDoNotBounce) {
  Scene scene;
  scene.add(plane(0, 0.6, 1));
  scene.add(bodyAt({0, 0.252, 0}, ShapeDef::sphere(0.25)));
  World world(scene, onCpu(GetParam()));
  world.step(120);
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.25, 2e-3);
  EXPECT_LT(world.report().maxSpeed, 1e-3);
}

TEST_P(Physics, NewtonsCradleHandsTheBlowOn) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  for (int i = 0; i < 5; ++i) {
    BodyDef body = bodyAt({1.001 * i + (i == 0 ? -1.0 : 0.0), 0, 0}, ShapeDef::sphere(0.5));
    body.shapes[0].material = {0, 1};
    if (i == 0) body.linearVelocity = {3, 0, 0};
    scene.add(body);
  }
  World world(scene, onCpu(GetParam()));
  world.step(60);
  const std::vector<BodyState> states = world.states();
  EXPECT_NEAR(states[4].linearVelocity.x, 3, 0.01);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(states[i].linearVelocity.x, 0, 0.01);
}

TEST_P(Physics, ARockingBoxComesToRest) {
  Scene scene;
  scene.add(plane());
  BodyDef body = bodyAt({0, 0.72, 0}, ShapeDef::box({0.3, 0.6, 0.3}));
  body.pose.q = quatFromRotationVector(Vec3d{0, 0, 0.25});
  scene.add(body);
  World world(scene, onCpu(GetParam()));
  world.step(900);
  const BodyState state = world.states()[1];
  EXPECT_NEAR(state.pose.p.y, 0.6, 5e-3);
  EXPECT_LT(length(state.angularVelocity), 1e-2);
  EXPECT_NEAR(rotate(state.pose.q, Vec3d{0, 1, 0}).y, 1, 1e-3);
}

TEST_P(Physics, ColumnsOfTurnedBoxesGoQuiet) {
  // Faces that overlap in octagons: what a pile of boxes is made of.
  Scene scene;
  scene.add(plane());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> symmetric(-1, 1);
  for (int column = 0; column < 9; ++column) {
    for (int level = 0; level < 10; ++level) {
      BodyDef body = bodyAt({2.0 * (column % 3) + 0.02 * symmetric(random), 0.25 + 0.502 * level, 2.0 * (column / 3) + 0.02 * symmetric(random)},
                            ShapeDef::box({0.25, 0.25, 0.25}));
      body.pose.q = quatFromRotationVector(Vec3d{0, 0.05 * symmetric(random), 0});
      scene.add(body);
    }
  }
  World world(scene, onCpu(GetParam()));
  world.step(600);
  const StepReport report = world.report();
  EXPECT_LT(report.maxSpeed, 1e-3);
  EXPECT_NEAR(report.penetrationMean, 0.0006, 0.0003);
  const std::vector<BodyState> states = world.states();
  for (size_t i = 1; i < states.size(); ++i) EXPECT_NEAR(states[i].pose.p.y, 0.25 + 0.5 * double((i - 1) % 10), 0.01);
}

TEST_P(Physics, TenBoxesCarryOneAThousandTimesHeavier) {
  World world(loadScene("mass-ratio:count=10,ratio=1000"), onCpu(GetParam()));
  const std::vector<BodyState> start = world.states();
  world.step(1200);
  const std::vector<BodyState> end = world.states();
  for (size_t i = 1; i < end.size(); ++i) {
    EXPECT_GT(end[i].pose.p.y, 0.97 * start[i].pose.p.y);
    EXPECT_NEAR(end[i].pose.p.x, start[i].pose.p.x, 1e-3);
    EXPECT_NEAR(end[i].pose.p.z, start[i].pose.p.z, 1e-3);
  }
}

TEST_P(Physics, AKinematicBodyMovesAsGivenAndCarriesOthers) {
  Scene scene;
  BodyDef belt;
  belt.type = BodyType::Kinematic;
  belt.shapes = {ShapeDef::box({50, 0.5, 1})};
  belt.pose.p = {0, -0.5, 0};
  belt.linearVelocity = {1, 0, 0};
  scene.add(belt);
  scene.add(bodyAt({0, 0.25, 0}, ShapeDef::box({0.25, 0.25, 0.25})));
  World world(scene, onCpu(GetParam()));
  world.step(120);
  EXPECT_NEAR(world.states()[0].pose.p.x, 2, 1e-4);
  EXPECT_NEAR(world.states()[0].linearVelocity.x, 1, 0);
  EXPECT_NEAR(world.states()[1].linearVelocity.x, 1, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Physics, ::testing::Values(Precision::Float, Precision::Double),
                         [](const auto& each) { return each.param == Precision::Float ? "Float" : "Double"; });

}  // namespace
}  // namespace cairn
