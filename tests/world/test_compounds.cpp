// Bodies of many shapes: few of their contacts stay, and they rest on those.
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

double fastest(const World& world) {
  double speed = 0;
  for (const BodyState& state : world.states()) speed = std::max(speed, length(state.linearVelocity));
  return speed;
}

TEST(Compounds, AStackComesToRestOnFewPoints) {
  World world(loadScene("compounds:count=4,rings=2"), onCpu());
  world.step(200);
  const StepReport report = world.report();
  record("points", report.contactPoints);
  record("fastest", fastest(world));
  EXPECT_LT(report.contactPoints, 4 * 100);
  EXPECT_LT(fastest(world), 1e-3);
  EXPECT_LT(report.penetrationMax, 2e-3);
}

TEST(Compounds, HaveTheSameBitsEverywhere) { expectTheSameBitsEverywhere(loadScene("compounds:count=3,rings=2"), 20); }

// What stayed is part of it.
TEST(Compounds, GoOnFromSnapshotsWithTheSameBits) {
  World world(loadScene("compounds:count=3,rings=2"), onCpu());
  world.step(15);
  World resumed(world.save(), onCpu());
  world.step(15);
  resumed.step(15);
  EXPECT_EQ(world.stateHash(), resumed.stateHash());
}

// A plate of many boxes is a plate: it rests, tips and slides as one box of its size, whatever it is cut into.
TEST(Compounds, APlateOfTilesLiesOnAnotherAsOneOfOnePieceDoes) {
  const auto plate = [](double y, int tiles, double turn) {
    BodyDef body;
    body.pose.p = {0, y, 0};
    body.pose.q = {0, std::sin(turn / 2), 0, std::cos(turn / 2)};
    const double half = 0.5 / tiles;
    for (int i = 0; i < tiles * tiles; ++i) {
      ShapeDef tile = ShapeDef::box({half, 0.05, half});
      tile.localPose.p = {half * (2 * (i % tiles) + 1) - 0.5, 0, half * (2 * (i / tiles) + 1) - 0.5};
      body.shapes.push_back(tile);
    }
    return body;
  };
  const auto heightOf = [&](int tiles) {
    Scene scene;
    scene.add(ground());
    for (int k = 0; k < 4; ++k) scene.add(plate(0.05 + 0.1 * k, tiles, 0.3 * k));
    World world(scene, onCpu());
    world.step(200);
    record("points", world.report().contactPoints);
    EXPECT_LT(fastest(world), 1e-3);
    EXPECT_LT(world.report().contactPoints, tiles == 1 ? 17 : 4 * 40);
    return world.states().back().pose.p.y;
  };
  EXPECT_NEAR(heightOf(5), heightOf(1), 1e-3);
}

}  // namespace
}  // namespace cairn
