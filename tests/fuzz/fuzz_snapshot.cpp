// Snapshots: a sound one with bytes changed and the right hash over them is refused with InvalidInput, or is a World that can be asked and stepped.
// The input is which one it is, and a list of changes: three bytes say where, one says what.
#include "src/world/fnv1a.hpp"

#include <cairn/cairn.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace {

using namespace cairn;

constexpr size_t kHeadBytes = 32, kHashAt = 24;

WorldSettings settings() {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.substeps = 1;
  return settings;
}

Scene boxesOnTheGround() {
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  for (int k = 0; k < 4; ++k) {
    BodyDef box;
    box.pose.p = {0.1 * k, 0.5 + k, 0};
    box.shapes = {ShapeDef::box({0.5, 0.5, 0.5})};
    scene.add(box);
  }
  return scene;
}

// A gap where a body was, a hinge with a motor, forces.
Snapshot withJoint() {
  Scene scene = boxesOnTheGround();
  JointDef joint = scene.joint(JointType::Hinge, 3, 4, {{0.5, 3, 0}, {0, 0, 0, 1}});
  joint.axes[3].motor = JointMotor::Velocity;
  joint.axes[3].target = 1;
  joint.axes[3].maxForce = 10;
  joint.axes[3].limits = {{-1, 1}};
  scene.joints.push_back(joint);
  World world(scene, settings());
  world.step(3);
  world.removeBody(world.bodies()[1]);
  world.step(2);
  world.applyForce(world.bodies()[1], {1, 2, 3});
  return world.save();
}

Snapshot ofEnvironments() {
  World world(boxesOnTheGround(), 3, settings());
  world.setGravityOf(1, {0, -5, 0});
  world.step(3);
  return world.save();
}

// Two hulls, one of them twice.
Snapshot ofHulls() {
  Scene scene = boxesOnTheGround();
  const ShapeDef wedge = ShapeDef::hull({{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5}, {-0.5, 0.5, 0}, {0.5, 0.5, 0}});
  scene.bodies[1].shapes = scene.bodies[3].shapes = {wedge};
  scene.bodies[2].shapes = {ShapeDef::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})};
  World world(scene, settings());
  world.step(3);
  return world.save();
}

// On each other, on a box and on a hull.
Snapshot ofCylindersAndCones() {
  Scene scene = boxesOnTheGround();
  scene.bodies[1].shapes = {ShapeDef::cylinder(0.4, 0.5)};
  scene.bodies[2].shapes = {ShapeDef::cone(0.5, 0.5)};
  scene.bodies[4].shapes = {ShapeDef::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), ShapeDef::cylinder(0.2, 0.3)};
  World world(scene, settings());
  world.step(3);
  return world.save();
}

// One-sided, twice, and two-sided and moving.
Snapshot ofMeshes() {
  Scene scene = boxesOnTheGround();
  TriangleMesh tent;
  tent.vertices = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0, 0.5, 0}};
  tent.triangles = {{1, 0, 4}, {2, 1, 4}, {3, 2, 4}, {0, 3, 4}};
  BodyDef body;
  body.type = BodyType::Static;
  body.pose.p = {0, 0.3, 0};
  body.shapes = {ShapeDef::mesh(tent), ShapeDef::mesh(tent)};
  scene.add(body);
  body.type = BodyType::Kinematic;
  body.shapes = {ShapeDef::mesh(tent, true)};
  body.linearVelocity = {0.5, 0, 0};
  scene.add(body);
  World world(scene, settings());
  world.step(3);
  return world.save();
}

// Asleep, with pairs that touched, a sensor, and materials that resist rolling.
Snapshot ofThingsKept() {
  Scene scene = boxesOnTheGround();
  for (BodyDef& body : scene.bodies) body.shapes[0].material.rollingFriction = 0.01;
  ShapeDef watched = ShapeDef::sphere(1);
  watched.sensor = true;
  scene.bodies[2].shapes.push_back(watched);
  WorldSettings kept = settings();
  kept.sleeping = kept.contactEvents = true;
  kept.sleepTime = 0.02;
  kept.sleepSpeed = 1;
  World world(scene, kept);
  world.step(5);
  return world.save();
}

// Numbers that are allowed and make a step take minutes.
bool costly(const WorldSettings& s) {
  constexpr int kFew = 8;
  const int most = std::max(
      {s.substeps, s.iterations, s.relaxations, s.solidRelaxations, s.normalPasses, s.positionCorrections, s.positionSweeps / 2, s.jointSweeps});
  return most > kFew || s.tolerance > 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::array<Snapshot, 6> sound{withJoint(), ofEnvironments(), ofThingsKept(), ofHulls(), ofCylindersAndCones(), ofMeshes()};
  if (size == 0) return 0;
  Snapshot forged = sound[data[0] % sound.size()];
  const size_t room = forged.bytes.size() - kHeadBytes;
  for (size_t k = 1; k + 4 <= size; k += 4) {
    const size_t at = (size_t{data[k]} << 16 | size_t{data[k + 1]} << 8 | data[k + 2]) % room;
    forged.bytes[kHeadBytes + at] = static_cast<std::byte>(data[k + 3]);
  }
  Fnv1a hash;
  hash.add(forged.bytes.data() + kHeadBytes, room);
  const uint64_t value = hash.value();
  std::memcpy(forged.bytes.data() + kHashAt, &value, sizeof value);
  try {
    World world(forged, settings());
    if (costly(world.settings())) return 0;
    world.states();
    world.jointStates();
    if (world.environmentCount() == 0) {
      BodyDef ball;
      ball.pose.p = {0, 9, 0};
      ball.shapes = {ShapeDef::sphere(0.1)};
      world.addBody(ball);
    } else {
      std::vector<unsigned char> mask(static_cast<size_t>(world.environmentCount()), 0);
      mask[0] = 1;
      world.resetEnvironments(mask);
    }
    world.report();
    world.asleep();
    world.step(2);
    world.report();
    world.contacts();
    if (world.settings().contactEvents) world.contactEvents();
    world.save();
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
