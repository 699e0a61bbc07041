// Bullet for bench/compare.
#include "bench/bullet_world.hpp"
#include "bench/engine_line.hpp"

int main(int argc, char** argv) {
  using namespace cairn::bench;
  return engineProgram("bullet", argc, argv, [](const cairn::Scene& scene, int) {
    const auto world = std::make_shared<BulletWorld>(scene);
    Engine engine;
    engine.step = [world] { world->step(kEngineStep); };
    engine.contactPoints = [world] { return world->contactPoints(); };
    engine.states = [world] { return world->states(); };
    return engine;
  });
}
