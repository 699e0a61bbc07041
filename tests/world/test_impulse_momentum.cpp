// Warm starts with momentum: they calm what sweeps are slow at, change nothing that rests, and belong to bodies and rows alike.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace cairn {
namespace {

constexpr double kMomentum = 0.4;

WorldSettings with(double momentum, Precision precision = Precision::Float) {
  WorldSettings settings = test::onCpu(precision);
  settings.impulseMomentum = momentum;
  return settings;
}

// Boxes and balls that roll, spin and bounce, with a rod that turns fast among them.
Scene mixture() {
  Scene scene;
  scene.add(test::ground());
  const ShapeDef shapes[] = {ShapeDef::box({0.2, 0.15, 0.25}), ShapeDef::sphere(0.2), ShapeDef::capsule(0.05, 0.4),
                             ShapeDef::ellipsoid({0.2, 0.15, 0.1})};
  for (int i = 0; i < 24; ++i) {
    const ShapeDef& shape = shapes[i % 4];
    BodyDef body = test::bodyAt({0.3 * (i % 3), 0.3 + 0.35 * (i / 3), 0.2 * (i % 2)}, shape);
    body.angularVelocity = {0, 0, i % 4 == 2 ? 40.0 : 1.0};
    scene.add(body);
  }
  return scene;
}

Scene made(const std::string& name) {
  const bool rolls = name == "rolling", bounces = name == "bouncing";
  Scene scene = rolls || bounces || name == "mixed" ? mixture() : loadScene(name);
  for (BodyDef& body : scene.bodies) {
    for (ShapeDef& shape : body.shapes) {
      if (rolls) shape.material.rollingFriction = shape.material.torsionalFriction = 0.01;
      if (bounces) shape.material.restitution = 0.5;
    }
  }
  // Ellipsoids have impulses put on the bodies anew in each substep, by rows; without them these are carried on.
  if (rolls || bounces) {
    const auto isOne = [](const BodyDef& body) { return body.shapes[0].type == ShapeType::Ellipsoid; };
    scene.bodies.erase(std::remove_if(scene.bodies.begin(), scene.bodies.end(), isOne), scene.bodies.end());
  }
  return scene;
}

Vec3d momentumOf(const World& world) {
  const auto& sum = world.report().linearMomentum;
  return {sum.x, sum.y, sum.z};
}

// With six tenths of the leak that one relaxation needs without it (docs/defaults.md).
TEST(ImpulseMomentum, CalmsATowerWithFewSweeps) {
  const auto energy = [](double momentum) {
    WorldSettings settings = with(momentum);
    settings.relaxations = 1;
    settings.errorReduction = 0.1;
    settings.forceMixing = 0.03;
    settings.overRelaxation = 1;
    World world(loadScene("tower:height=60"), settings);
    world.step(600);
    return world.report().kineticEnergy;
  };
  const double without = energy(0), half = energy(kMomentum / 2), all = energy(kMomentum);
  EXPECT_LT(half, 0.1 * without);
  EXPECT_LT(all, 0.1 * half);
}

TEST(ImpulseMomentum, ChangesNothingThatRests) {
  for (const char* name : {"tower:height=10", "pyramid:base=6", "arch"}) {
    World plain(loadScene(name), with(0)), moved(loadScene(name), with(kMomentum));
    plain.step(600);
    moved.step(600);
    const double depth = plain.report().penetrationMean;
    EXPECT_NEAR(moved.report().penetrationMean, depth, 0.02 * depth) << name;
    EXPECT_LT(moved.report().kineticEnergy, 1e-4) << name;
  }
}

// What it adds are impulses of contacts, of which each has its opposite.
TEST(ImpulseMomentum, KeepsLinearMomentum) {
  for (const char* name : {"mixed", "rolling", "bouncing"}) {
    Scene scene = made(name);
    scene.gravity = {0, 0, 0};
    scene.bodies.erase(scene.bodies.begin());  // the ground
    for (BodyDef& body : scene.bodies) body.linearVelocity = -2.0 * body.pose.p;
    World world(scene, with(kMomentum, Precision::Double));
    const Vec3d before = momentumOf(world);
    world.step(40);
    EXPECT_GT(world.report().contactPoints, 0) << name;
    EXPECT_LT(length(momentumOf(world) - before), 1e-10 * length(before)) << name;
  }
}

TEST(ImpulseMomentum, BeginsWithTheThirdSubstep) {
  for (const int substeps : {1, 2, 3}) {
    const auto hash = [&](double momentum) {
      WorldSettings settings = with(momentum);
      settings.substeps = substeps;
      return test::hashAfter(loadScene("pyramid:base=5"), settings, 5);
    };
    EXPECT_EQ(hash(0) == hash(kMomentum), substeps < 3) << substeps;
  }
}

// Rows of what turns fast have no impulses to begin with, and what they did to their neighbours has no momentum either.
TEST(ImpulseMomentum, OfATowerDoesNotAskWhoTurnsElsewhere) {
  Scene alone = loadScene("tower:height=5"), beside = alone;
  BodyDef rod = test::bodyAt({30, 0.3, 0}, ShapeDef::capsule(0.05, 0.5));
  rod.angularVelocity = {0, 60, 20};
  beside.add(rod);
  World one(alone, with(kMomentum)), other(beside, with(kMomentum));
  one.step(40);
  other.step(40);
  const std::vector<BodyState> here = one.states(), there = other.states();
  for (size_t i = 0; i < here.size(); ++i) EXPECT_EQ(length(here[i].pose.p - there[i].pose.p), 0) << i;
}

class ImpulseMomentumBits : public ::testing::TestWithParam<const char*> {};

TEST_P(ImpulseMomentumBits, OfAnyNumberOfThreads) {
  WorldSettings settings = with(kMomentum);
  const uint64_t one = test::hashAfter(made(GetParam()), settings, 25);
  settings.threads = 2;
  EXPECT_EQ(test::hashAfter(made(GetParam()), settings, 25), one);
}

TEST_P(ImpulseMomentumBits, OfCudaAreThoseOfTheCpu) {
  if (!cudaUsable()) GTEST_SKIP() << "no CUDA device";
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = with(kMomentum, precision);
    const uint64_t cpu = test::hashAfter(made(GetParam()), settings, 10);
    settings.backend = Backend::Cuda;
    EXPECT_EQ(test::hashAfter(made(GetParam()), settings, 10), cpu);
  }
}

TEST_P(ImpulseMomentumBits, OfAWorldThatGoesOnFromASnapshot) {
  World world(made(GetParam()), with(kMomentum));
  world.step(10);
  World resumed(world.save(), test::onCpu());
  world.step(10);
  resumed.step(10);
  EXPECT_EQ(resumed.stateHash(), world.stateHash());
}

INSTANTIATE_TEST_SUITE_P(Scenes, ImpulseMomentumBits,
                         ::testing::Values("pyramid:base=5", "mixed", "rolling", "bouncing", "skeletons:count=2", "pile:count=60"),
                         [](const auto& scene) { return std::string(scene.param).substr(0, std::string(scene.param).find(':')); });

}  // namespace
}  // namespace cairn
