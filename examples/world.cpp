// A World in twenty lines: a tower of boxes, two seconds, and how well its contacts were solved.
#include <cairn/cairn.hpp>

#include <cstdio>

int main() {
  cairn::Scene scene;
  cairn::BodyDef ground, box;
  ground.type = cairn::BodyType::Static;
  ground.shapes = {cairn::ShapeDef::halfSpace()};
  scene.add(ground);
  box.shapes = {cairn::ShapeDef::box({0.5, 0.5, 0.5})};  // half extents [m]
  for (int i = 0; i < 10; ++i) {
    box.pose.p = {0, 0.5 + i, 0};
    scene.add(box);
  }
  cairn::World world(scene);
  world.step(120);  // of 1/60 s
  const cairn::StepReport report = world.report();
  std::printf("top at %.2f m, residual %.0e\n", world.state(world.bodies().back()).pose.p.y, report.residualMax);
}
