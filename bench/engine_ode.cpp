// The Open Dynamics Engine for bench/compare.
#include "bench/engine_line.hpp"
#include "bench/ode_world.hpp"

int main(int argc, char** argv) {
  using namespace cairn::bench;
  return engineProgram("ode", argc, argv, [](const cairn::Scene& scene, int) {
    const auto world = std::make_shared<OdeWorld>(scene);
    Engine engine;
    engine.step = [world] { world->step(kEngineStep); };
    engine.contactPoints = [world] { return world->contactPoints(); };
    engine.states = [world] { return world->states(); };
    return engine;
  });
}
