// A World whose neighbour lists last against one that has to search again and again: the same bits. The latter has a body far from all others that
// leaves its place and comes back.
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace cairn {
namespace {

using namespace test;

constexpr Vec3d kFarAway{0, 500, 0};

Scene withVagrant(Scene scene) {
  BodyDef vagrant = bodyAt(kFarAway, ShapeDef::sphere(0.1));
  vagrant.name = "vagrant";
  vagrant.type = BodyType::Kinematic;
  scene.bodies.push_back(vagrant);
  return scene;
}

// A loose tower, a shelf of boxes on a slope, balls in between, and a shot through all of it.
Scene stackAndBalls() {
  Scene scene;
  scene.bodies.push_back(ground());
  for (int i = 0; i < 60; ++i) {
    const double x = 1.02 * (i % 5), y = 0.5 + 1.005 * (i / 5);
    scene.bodies.push_back(bodyAt({x, y, i % 3 == 0 ? 0.1 : 0.0}, ShapeDef::box({0.5, 0.5, 0.5})));
  }
  for (int i = 0; i < 12; ++i) scene.bodies.push_back(bodyAt({0.45 * i, 14 + 0.9 * i, 0.1}, ShapeDef::sphere(0.3)));
  scene.bodies.push_back(bodyAt({-40, 3, 0.2}, ShapeDef::capsule(0.15, 0.2), {120, 2, 0}));
  return scene;
}

using Change = std::function<void(World&, int step)>;

void expectSameSteps(const Scene& scene, const WorldSettings& settings, int steps, const Change& change) {
  World keeps(withVagrant(scene), settings), searches(withVagrant(scene), settings);
  const BodyId vagrant = searches.findBody("vagrant");
  for (int step = 0; step < steps; ++step) {
    change(keeps, step);
    change(searches, step);
    keeps.setPose(vagrant, {kFarAway, kNoTurn});  // rows of joints are made anew where anybody was touched: in both
    searches.setPose(vagrant, {kFarAway + Vec3d{double(step % 2), 0, 0}, kNoTurn});
    keeps.step();
    searches.step();
    const std::vector<BodyState> expected = searches.states(), actual = keeps.states();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      if (searches.bodies()[i] == vagrant) continue;
      const auto same = [](const auto& a, const auto& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
      ASSERT_TRUE(same(actual[i].pose.p, expected[i].pose.p) && same(actual[i].pose.q, expected[i].pose.q) &&
                  same(actual[i].linearVelocity, expected[i].linearVelocity) && same(actual[i].angularVelocity, expected[i].angularVelocity))
          << "body " << i << " in step " << step;
    }
  }
}

class KeptNeighbours : public ::testing::TestWithParam<Precision> {};

TEST_P(KeptNeighbours, FallingShotAndResting) {
  expectSameSteps(stackAndBalls(), onCpu(GetParam()), 200, [](World&, int) {});
}

TEST_P(KeptNeighbours, ChangedFromOutside) {
  BodyId added{};
  expectSameSteps(stackAndBalls(), onCpu(GetParam()), 150, [&added](World& world, int step) {
    const std::vector<BodyId> bodies = world.bodies();
    if (step % 20 == 5) world.setPose(bodies[10], {{2.0, 12.0 + step, 0}, kNoTurn});
    if (step % 20 == 11) world.setVelocity(bodies[20], {0, 0, 80}, {0, 40, 0});
    if (step % 30 == 14) world.removeBody(bodies[30]);
    if (step % 30 == 15) added = world.addBody(bodyAt({1, 16, 0}, ShapeDef::box({0.2, 0.2, 0.2})));
    if (step % 30 == 16) world.removeBody(added);
    if (step % 30 == 16) world.addBody(bodyAt({1, 0.2, 1.5}, ShapeDef::box({0.2, 0.2, 0.6})));
  });
}

class KeptNeighboursOf : public ::testing::TestWithParam<const char*> {};

TEST_P(KeptNeighboursOf, DoNotShowInTheBits) {
  WorldSettings settings = onCpu();
  settings.threads = 2;
  expectSameSteps(loadScene(GetParam()), settings, 100, [](World&, int) {});
}

INSTANTIATE_TEST_SUITE_P(Scenes, KeptNeighboursOf,
                         ::testing::Values("pile:count=300,shape=mixed", "pyramid:base=12", "rubble:count=200", "drum:count=100",
                                           "skeletons:count=2"),
                         [](const auto& each) { return asTestName(each.param); });
INSTANTIATE_TEST_SUITE_P(Precisions, KeptNeighbours, ::testing::Values(Precision::Float, Precision::Double),
                         [](const auto& each) { return std::string(each.param == Precision::Float ? "Float" : "Double"); });

}  // namespace
}  // namespace cairn
