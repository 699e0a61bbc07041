// Memory a body: bytes of a World's arrays, as they are counted, against what was reached once. Nothing of it depends on the machine.
#include "kernels/runtime/owned_queue.hpp"
#include "src/world/simulation.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

struct Footprint {
  WorldSettings settings;
  std::unique_ptr<Simulation> simulation;

  Footprint(const std::string& scene, int steps) {
    settings.backend = Backend::Cpu;
    settings.threads = 1;
    simulation = makeSimulation<float>(loadScene(scene), settings, Target::Cpu);
    for (int k = 0; k < steps; ++k) simulation->step();
  }
  double aBody() const { return double(simulation->memory().current) / simulation->bodyCount(); }
  double aBodyAtMost() const { return double(simulation->memory().peak) / simulation->bodyCount(); }
};

// Two contacts with four points each a box.
TEST(Footprint, OfAWall) { EXPECT_LT(Footprint("wall:width=500,height=20", 3).aBody(), 2230); }

// Boxes that fall side by side have up to seven contacts ahead of them each; once they lie there is one, and some steps later the rest is given back.
TEST(Footprint, OfAPileThatHasComeToRest) {
  const Footprint pile("pile:count=8000,shape=box", 190);
  EXPECT_LT(pile.aBody(), 2340);
  EXPECT_LT(pile.aBodyAtMost(), 5600);
}

}  // namespace
}  // namespace cairn
