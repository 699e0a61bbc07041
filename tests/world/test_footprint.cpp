// Memory a body: bytes of a World's arrays, as they are counted, against what was reached once. Nothing of it depends on the machine.
#include "kernels/runtime/owned_queue.hpp"
#include "src/world/simulation.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

// Few sweeps: where the bytes are does not depend on them.
struct Footprint {
  WorldSettings settings;
  std::unique_ptr<Simulation> simulation;

  Footprint(const std::string& scene, int steps) {
    settings.backend = Backend::Cpu;
    settings.threads = 1;
    settings.substeps = 1;
    settings.relaxations = 1;
    simulation = makeSimulation<float>(loadScene(scene), settings, Target::Cpu);
    for (int k = 0; k < steps; ++k) simulation->step();
  }
  double aBody() const { return double(simulation->memory().current) / simulation->bodyCount(); }
  double aBodyAtMost() const { return double(simulation->memory().peak) / simulation->bodyCount(); }
};

// Two contacts with four points each a box.
TEST(Footprint, OfAWall) { EXPECT_LT(Footprint("wall:width=500,height=20", 3).aBody(), 2600); }

// Boxes that fall side by side have up to seven contacts ahead of them each; once they lie there is one.
TEST(Footprint, OfAPileThatHasComeToRest) {
  const Footprint pile("pile:count=8000,shape=box", 120);
  EXPECT_LT(pile.aBody(), 2500);
  EXPECT_LT(pile.aBodyAtMost(), 6500);
}

}  // namespace
}  // namespace cairn
