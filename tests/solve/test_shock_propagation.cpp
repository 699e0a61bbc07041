// Shock propagation: stacks carried from the ground up, whatever their mass ratios; joints keep their true masses.
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

WorldSettings shocks(bool on) {
  WorldSettings settings = test::onCpu();
  settings.shockPropagation = on;
  return settings;
}

double lowestOver(const Scene& scene, const World& world) {
  double ratio = 1;
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    if (scene.bodies[i].type == BodyType::Dynamic) ratio = std::min(ratio, states[i].pose.p.y / scene.bodies[i].pose.p.y);
  }
  return ratio;
}

// Ten boxes with one on top that weighs a thousand times as much.
TEST(ShockPropagation, AHeavyBoxOnLightOnesSinksLess) {
  const Scene scene = loadScene("mass-ratio:count=10,ratio=1000");
  World without(scene, shocks(false)), with(scene, shocks(true));
  without.step(300);
  with.step(300);
  EXPECT_GT(without.report().penetrationMax, 0.01);
  EXPECT_LT(with.report().penetrationMax, 1e-3);
  EXPECT_GT(lowestOver(scene, with), 0.999);
  EXPECT_LT(with.report().maxSpeed, 1e-2);
}

TEST(ShockPropagation, ATowerStaysAtRest) {
  const Scene scene = loadScene("tower:height=20");
  World world(scene, shocks(true));
  world.step(300);
  EXPECT_GT(lowestOver(scene, world), 0.999);
  EXPECT_LT(world.report().maxSpeed, 1e-2);
}

// The contacts' levels take the bodies below for immovable, joints do not: they stay as close as without shocks, and the heap comes to rest. It lies
// deeper, though: what a joint passes down to a lower body, the levels do not see.
TEST(ShockPropagation, JointsHoldInAHeap) {
  const Scene scene = loadScene("skeletons:count=3");
  World without(scene, shocks(false)), with(scene, shocks(true));
  without.step(300);
  with.step(300);
  const StepReport shocked = with.report(), plain = without.report();
  test::record("joint_error_m", shocked.jointErrorMax);
  test::record("kinetic_energy_j", shocked.kineticEnergy);
  test::record("penetration_m", shocked.penetrationMax);
  ASSERT_GT(shocked.contactPoints, 20);
  EXPECT_NE(with.stateHash(), without.stateHash());
  EXPECT_LT(shocked.jointErrorMax, 5e-6);
  EXPECT_LT(shocked.jointErrorMax, plain.jointErrorMax + 2e-6);
  EXPECT_LT(shocked.kineticEnergy, 0.01);
  EXPECT_LT(shocked.penetrationMax, 0.03);
}

TEST(ShockPropagation, ThreadsGiveTheSameBits) {
  const Scene scene = loadScene("skeletons:count=2");
  uint64_t hash[2];
  for (const int threads : {1, 2}) {
    WorldSettings settings = shocks(true);
    settings.threads = threads;
    World world(scene, settings);
    world.step(120);
    hash[threads - 1] = world.stateHash();
  }
  EXPECT_EQ(hash[0], hash[1]);
  World without(scene, shocks(false));
  without.step(120);
  EXPECT_NE(without.stateHash(), hash[0]);
}

TEST(ShockPropagation, IsRefusedWithTheReference) {
  WorldSettings settings = shocks(true);
  settings.solver = Solver::Lemke;
  EXPECT_THROW(validate(settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
