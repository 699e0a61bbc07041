// Positions in float far from the origin: what a step moves a body by is not lost in them.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace cairn {
namespace {

using namespace test;

class PositionRemainders : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "no CUDA device";
  }
  static WorldSettings settings() {
    WorldSettings s = onCpu();
    s.backend = GetParam();
    return s;
  }
  static Scene floating(Vec3d position, Vec3d velocity) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    scene.bodies = {bodyAt(position, ShapeDef::box({0.5, 0.5, 0.5}), velocity)};
    return scene;
  }
};

// At a kilometre the last place of a float is 61 um; a step moves the body by 1.7 um.
TEST_P(PositionRemainders, ASlowBodyFarAwayArrives) {
  World world(floating({1000, 0, -1000}, {1e-4, 0, 2e-4}), settings());
  world.step(600);
  const Vec3d p = world.state(world.bodies()[0]).pose.p;
  constexpr double kPlace = 6.2e-5;
  EXPECT_NEAR(p.x, 1000 + 1e-3, kPlace);
  EXPECT_NEAR(p.z, -1000 + 2e-3, kPlace);
}

// What the position of a moment ago lacked says nothing about another place.
TEST_P(PositionRemainders, WhoIsPutElsewhereBeginsAnew) {
  const Scene scene = floating({1000, 0, 0}, {1e-4, 2e-4, -1e-4});
  World drifted(scene, settings()), fresh(scene, settings());
  drifted.step(7);
  for (World* world : {&drifted, &fresh}) {
    const BodyId body = world->bodies()[0];
    world->setPose(body, {{-2000, 3, 1}, kNoTurn});
    world->setVelocity(body, {1e-4, 0, 1e-4}, {0, 0, 0});
    world->step(100);
  }
  EXPECT_EQ(drifted.stateHash(), fresh.stateHash());
}

// Each contact of a stack wants a depth of micrometres. Rounded to 30 um, the boxes would shiver for ever.
TEST_P(PositionRemainders, AStackFarAwayComesToRest) {
  Scene scene = loadScene("tower:height=10");
  for (BodyDef& body : scene.bodies) body.pose.p += Vec3d{500, 0, 300};
  World world(scene, settings());
  world.step(400);
  const double settled = world.report().kineticEnergy;
  EXPECT_LT(settled, 1e-6);  // [J]; the boxes weigh a tonne each. As it was: 1e-5
}

INSTANTIATE_TEST_SUITE_P(Backends, PositionRemainders, ::testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const auto& backend) { return std::string(backend.param == Backend::Cpu ? "Cpu" : "Cuda"); });

}  // namespace
}  // namespace cairn
