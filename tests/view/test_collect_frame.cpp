#include "src/view/collect_frame.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn {
namespace {

struct Collected {
  ViewFrame frame;
  StepReport report;
};

Collected after(const Scene& scene, int steps, WorldSettings settings = {}, int contacts = 100000) {
  settings.backend = Backend::Cpu;
  World world(scene, settings);
  world.step(steps);
  FrameCollector collector(scene, world.settings(), contacts);
  return {collector.collect(world, steps * world.settings().dt), world.report()};
}

int coloursOf(const ViewFrame& frame) {
  const auto largest = std::max_element(frame.colours.begin(), frame.colours.end());
  return *largest + 1;
}

TEST(CollectFrame, ColoursAreThoseOfTheStep) {
  for (const char* name : {"pyramid:base=8", "rubble:count=60", "bridge", "terrain:count=12"}) {
    const Collected collected = after(loadScene(name), 20);
    EXPECT_EQ(coloursOf(collected.frame), collected.report.colours) << name;
    EXPECT_EQ(collected.frame.contactCount, static_cast<size_t>(collected.report.contactPoints)) << name;
  }
}

TEST(CollectFrame, WithoutColoursThereAreNone) {
  WorldSettings settings;
  settings.solver = Solver::Jacobi;
  const Collected collected = after(loadScene("pyramid:base=4"), 10, settings);
  EXPECT_EQ(coloursOf(collected.frame), 0);
}

TEST(CollectFrame, AStackIsAnIslandAndItsLowestBodyCarriesAll) {
  const Scene scene = loadScene("tower:height=4");
  const Collected collected = after(scene, 120);
  std::vector<int> islands;
  double most = 0;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) {
      EXPECT_EQ(collected.frame.islands[i], -1);
      continue;
    }
    islands.push_back(collected.frame.islands[i]);
    most = std::max(most, collected.frame.forces[i]);
  }
  EXPECT_EQ(std::count(islands.begin(), islands.end(), islands[0]), 4);
  // The lowest bears on the ground with the weight of four, and is borne on with that of three.
  const double weight = 9.81 * massProperties(scene.bodies.back()).mass;
  EXPECT_NEAR(most, 7 * weight, 0.2 * weight);
}

TEST(CollectFrame, OfManyContactsTheStrongestAreKept) {
  const Scene scene = loadScene("pyramid:base=6");
  const Collected all = after(scene, 60), some = after(scene, 60, {}, 10);
  ASSERT_EQ(some.frame.contacts.size(), 10u);
  EXPECT_EQ(some.frame.contactCount, all.frame.contacts.size());
  std::vector<double> forces;
  for (const ViewContact& c : all.frame.contacts) forces.push_back(c.force);
  std::sort(forces.rbegin(), forces.rend());
  for (const ViewContact& c : some.frame.contacts) EXPECT_GE(c.force, forces[9]);
  EXPECT_EQ(some.frame.forces, all.frame.forces);
}

}  // namespace
}  // namespace cairn
