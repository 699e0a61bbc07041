#include <cairn/cairn.hpp>

#include <string>

// A ball on the ground, and in the end an exception that must be caught by its type though it was thrown in another library.
bool ballRests() {
  if (std::string(cairn::version()) != CAIRN_VERSION_STRING) return false;
#if defined(USE_IO)
  cairn::Scene scene = cairn::loadScene("tower:height=1");
#else
  cairn::Scene scene;
  cairn::BodyDef ground, ball;
  ground.type = cairn::BodyType::Static;
  ground.shapes = {cairn::ShapeDef::halfSpace()};
  ball.pose.p.y = 0.5;
  ball.shapes = {cairn::ShapeDef::sphere(0.5)};
  scene.add(ground);
  scene.add(ball);
#endif
  cairn::WorldSettings settings;
  settings.backend = cairn::Backend::Cpu;
  settings.threads = 1;
  cairn::World world(scene, settings);
  world.step(10);
  const double height = world.state(world.bodies().back()).pose.p.y;
  settings.dt = -1;
  try {
    cairn::World refused(scene, settings);
  } catch (const cairn::InvalidInput& error) {
    return height > 0.4 && height < 0.6 && error.place == "settings.dt";
  }
  return false;
}
