// Cairn for bench/compare: its defaults, on the CPU.
#include "bench/engine_line.hpp"

#include <memory>

int main(int argc, char** argv) {
  using namespace cairn::bench;
  return engineProgram("cairn", argc, argv, [](const cairn::Scene& scene, int threads) {
    cairn::WorldSettings settings;
    settings.backend = cairn::Backend::Cpu;
    settings.threads = threads;
    settings.dt = kEngineStep;
    const auto world = std::make_shared<cairn::World>(scene, settings);
    Engine engine;
    engine.threads = world->threads();
    engine.step = [world] { world->step(); };
    engine.contactPoints = [world] { return world->report().contactPoints; };
    engine.states = [world] { return world->states(); };
    return engine;
  });
}
