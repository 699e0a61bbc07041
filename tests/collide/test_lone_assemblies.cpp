// What falls as one piece is, to itself, at rest: its limbs have the contacts that they would have there.
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

constexpr double kFast = 30;  // [m/s]: half a metre a step

int manifoldsAfterAStep(const Scene& scene) {
  World world(scene, onCpu(Precision::Double));
  world.step();
  return world.report().manifolds;
}

// One limp person, far from everything, at a speed.
Scene personAt(double speed) {
  Scene scene = loadScene("rain:side=1,people=1");
  scene.gravity = {0, 0, 0};
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    body.pose.p.y += 100;
    body.linearVelocity = {0, -speed, 0};
    body.angularVelocity = {0, 0, 0};
  }
  return scene;
}

Vec3d middleOf(const Scene& scene) {
  Vec3d sum{0, 0, 0};
  int count = 0;
  for (const BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Dynamic) sum += body.pose.p, ++count;
  }
  return (1.0 / count) * sum;
}

TEST(LoneAssemblies, WhoFallsAloneHasTheContactsOfOneAtRest) { EXPECT_EQ(manifoldsAfterAStep(personAt(kFast)), manifoldsAfterAStep(personAt(0))); }

TEST(LoneAssemblies, WithSomethingInTheWayEachLimbMayMeetEachOther) {
  Scene scene = personAt(kFast);
  const int alone = manifoldsAfterAStep(scene);
  BodyDef box = bodyAt(middleOf(scene) - Vec3d{0, 1.3, 0}, ShapeDef::box({0.2, 0.2, 0.2}));
  box.type = BodyType::Static;
  scene.add(box);
  EXPECT_GT(manifoldsAfterAStep(scene), alone + 5);
}

// Two rods that a small ball holds by their ends swing together and meet, while all three fly at a speed.
struct Scissors {
  Scene scene;
  int rods[2];

  explicit Scissors(double speed) {
    scene.gravity = {0, 0, 0};
    const Vec3d along{0, 0, speed};
    const int hub = scene.add(bodyAt({0, 0, 0}, ShapeDef::sphere(0.03), along));
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? -1 : 1, spin = sign * 2, off = 0.15;
      BodyDef rod = bodyAt({sign * off, 0.3, 0}, ShapeDef::capsule(0.03, 0.2), along + Vec3d{-0.3 * spin, 0, 0});
      rod.angularVelocity = {0, 0, spin};
      rods[side] = scene.add(rod);
      scene.joints.push_back(scene.joint(JointType::Point, hub, rods[side], {{sign * off, 0, 0}, kNoTurn}));
    }
  }
};

TEST(LoneAssemblies, WhatSwingsTogetherMeetsAtAnySpeed) {
  const Scissors still(0), fast(kFast);
  World slow(still.scene, onCpu(Precision::Double)), flying(fast.scene, onCpu(Precision::Double));
  double nearest = 1, nearestFlying = 1, deepest = 0;
  for (int step = 0; step < 60; ++step) {
    slow.step();
    flying.step();
    const auto apart = [](const World& world, const Scissors& of) {
      const std::vector<BodyState> states = world.states();
      return length(states[size_t(of.rods[1])].pose.p - states[size_t(of.rods[0])].pose.p);
    };
    nearest = std::min(nearest, apart(slow, still));
    nearestFlying = std::min(nearestFlying, apart(flying, fast));
    deepest = std::max(deepest, flying.report().penetrationMax);
  }
  EXPECT_LT(nearest, 0.2);  // they have come together
  EXPECT_NEAR(nearestFlying, nearest, 0.003);
  EXPECT_LT(deepest, 0.002);
}

}  // namespace
}  // namespace cairn
