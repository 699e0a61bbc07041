// Sensors: what they overlap, against every pair of shapes by itself; and that a World with them goes on as one without.
#include "kernels/runtime/runtime.hpp"
#include "tests/collide/crowd.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace cairn::test {
namespace {

using Key = std::tuple<int, int, int, int>;  // sensor's body and shape, the other's
std::vector<Key> keysOf(const std::vector<SensorOverlap>& overlaps) {
  std::vector<Key> keys;
  keys.reserve(overlaps.size());
  for (const SensorOverlap& o : overlaps) keys.emplace_back(o.sensorBody.index, o.sensorShape, o.body.index, o.shape);
  return keys;
}

class Sensors : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings(Precision precision = Precision::Float) const {
    WorldSettings settings = onCpu(precision);
    settings.backend = GetParam();
    return settings;
  }
};

// The rule of two shapes, written once more.
bool mayOverlap(const CollisionFilter& a, const CollisionFilter& b) {
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

TEST_P(Sensors, OverlapWhatEveryPairOfShapesByItselfDoes) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    Crowd c = crowd(91, 240);
    for (size_t body = 1; body < c.scene.bodies.size(); body += 3) {
      ShapeDef& sensor = c.scene.bodies[body].shapes[0];
      sensor.sensor = true;
      sensor.filter.mask = body % 2 == 0 ? 4u : 0xffffffffu;
    }
    const World world(c.scene, settings(precision));
    const std::vector<Key> found = keysOf(world.sensorOverlaps());
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    const std::set<Key> answered(found.begin(), found.end());
    EXPECT_EQ(answered.size(), found.size());
    size_t expected = 0, disagreed = 0;
    const auto defOf = [&](size_t body, size_t shape) -> const ShapeDef& { return c.scene.bodies[body].shapes[shape]; };
    for (size_t a = 0; a < c.shapes.size(); ++a) {
      if (!defOf(a, 0).sensor) continue;
      for (size_t b = 0; b < c.shapes.size(); ++b) {
        for (size_t shape = 0; shape < c.shapes[b].size(); ++shape) {
          const ShapeDef& other = defOf(b, shape);
          const bool overlaps = a != b && !other.sensor && mayOverlap(defOf(a, 0).filter, other.filter) &&
                                gapBetween(convexOf(c.shapes[a][0]), convexOf(c.shapes[b][shape])).gap <= 0;
          expected += overlaps ? 1 : 0;
          disagreed += overlaps == (answered.count({int(a), 0, int(b), int(shape)}) > 0) ? 0 : 1;
        }
      }
    }
    EXPECT_GT(expected, 100u);
    EXPECT_LE(disagreed, precision == Precision::Float ? 2u : 0u);  // those that just touch
  }
}

Scene gate() {
  Scene scene;
  scene.add(ground());
  BodyDef frame;
  frame.name = "gate";
  frame.type = BodyType::Static;
  frame.pose.p = {0, 1, 0};
  frame.shapes = {ShapeDef::box({0.3, 0.3, 0.3})};
  frame.shapes[0].sensor = true;
  frame.shapes[0].material.restitution = 1;
  scene.add(frame);
  scene.add(bodyAt({0, 2, 0}, ShapeDef::sphere(0.1)));
  return scene;
}

TEST_P(Sensors, ABallFallsThroughAndIsSeenWhileItIsInside) {
  World world(gate(), settings(Precision::Double));
  int seen = 0;
  for (int k = 0; k < 60; ++k) {
    world.step();
    const double height = world.states()[2].pose.p.y;
    const bool inside = height < 1.3 + 0.1 && height > 0.7 - 0.1;
    const std::vector<Key> found = keysOf(world.sensorOverlaps());
    EXPECT_EQ(found, inside ? std::vector<Key>({{1, 0, 2, 0}}) : std::vector<Key>()) << "height " << height;
    seen += inside ? 1 : 0;
    for (const Contact& contact : world.contacts()) EXPECT_NE(contact.bodyA.index, 1);
  }
  EXPECT_GT(seen, 3);
  EXPECT_NEAR(world.states()[2].pose.p.y, 0.1, 0.01);
}

TEST_P(Sensors, TheStepHasTheBitsOfOneWithoutThem) {
  Scene scene = gate();
  World with(scene, settings());
  scene.bodies[1].shapes.clear();
  World without(scene, settings());
  with.step(90);
  without.step(90);
  EXPECT_EQ(with.stateHash(), without.stateHash());
}

TEST_P(Sensors, QueriesDoNotSeeThem) {
  const World world(gate(), settings());
  const RayHit hit = world.castRays({{{0, 1.8, 0}, {0, -1, 0}}}).front();
  EXPECT_EQ(hit.body.index, 0);
  OverlapQuery query;
  query.shape = ShapeDef::sphere(0.1);
  query.pose.p = {0, 1, 0};
  EXPECT_TRUE(world.overlapShapes({query}).hits.empty());
  ShapeCast cast;
  cast.shape = ShapeDef::sphere(0.05);
  cast.pose.p = {0, 1.8, 0};
  cast.direction = {0, -1, 0};
  EXPECT_EQ(world.castShapes({cast}).front().body.index, 0);
}

TEST_P(Sensors, HaveNoMassAndGoWithTheirBody) {
  BodyDef ball = bodyAt({0, 3, 0}, ShapeDef::sphere(0.1));
  ShapeDef reach = ShapeDef::sphere(1);
  reach.sensor = true;
  reach.localPose.p = {1, 0, 0};
  ball.shapes.push_back(reach);
  const MassProperties mass = massProperties(ball);
  ball.shapes.pop_back();
  EXPECT_EQ(mass.mass, massProperties(ball).mass);
  EXPECT_EQ(mass.centre.x, 0);
  EXPECT_EQ(mass.inertia.xx, massProperties(ball).inertia.xx);
  ball.shapes.push_back(reach);
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(ball);
  scene.add(bodyAt({1.5, 3, 0}, ShapeDef::sphere(0.1)));
  World world(scene, settings());
  const std::vector<Key> expected{{0, 1, 1, 0}};
  EXPECT_EQ(keysOf(world.sensorOverlaps()), expected);
  world.setPose(world.bodies()[0], {{0, 3, 0}, {0, 0, 1, 0}});  // half a turn about z
  EXPECT_TRUE(world.sensorOverlaps().empty());
}

// What a sensor is made of concerns nobody: neither given nor taken away does it touch what others resist rolling with.
TEST_P(Sensors, HaveNoFriction) {
  Scene scene;
  scene.add(ground());
  BodyDef ball = bodyAt({0, 0.5, 0}, ShapeDef::sphere(0.5), {1, 0, 0});
  ball.shapes[0].material.rollingFriction = 0.05;
  ShapeDef sensor = ShapeDef::sphere(0.4);
  sensor.sensor = true;
  sensor.material.rollingFriction = 0.2;
  ball.shapes.push_back(sensor);
  scene.add(ball);
  World changed(scene, settings()), other(scene, settings());
  const BodyId body = changed.bodies()[1];
  changed.setMaterial(body, 1, {});
  changed.step(20);
  other.step(20);
  EXPECT_EQ(changed.stateHash(), other.stateHash());
  changed.setMaterial(body, 1, sensor.material);
  changed.setMaterial(body, 0, {});  // the last that resisted
  other.setMaterial(body, 0, {});
  changed.step(20);
  other.step(20);
  EXPECT_EQ(changed.stateHash(), other.stateHash());
}

TEST_P(Sensors, SeeTheirOwnEnvironmentAlone) {
  Scene scene = gate();
  scene.bodies[2].pose.p = {0, 1, 0};
  World world(scene, 3, settings());
  world.setPose(world.bodyOf(1, 2), {{5, 1, 0}, kNoTurn});
  const int bodies = 3;
  const std::vector<Key> expected{{1, 0, 2, 0}, {2 * bodies + 1, 0, 2 * bodies + 2, 0}};
  EXPECT_EQ(keysOf(world.sensorOverlaps()), expected);
}

TEST_P(Sensors, GoThroughSnapshotsAndChanges) {
  World world(gate(), settings());
  world.step(10);
  world.setPose(world.bodies()[2], {{0, 1, 0}, kNoTurn});
  const std::vector<Key> expected{{1, 0, 2, 0}};
  EXPECT_EQ(keysOf(World(world.save(), settings()).sensorOverlaps()), expected);
  world.setFilter(world.bodies()[1], 0, {1, 2, 0});
  EXPECT_TRUE(world.sensorOverlaps().empty());
  world.setFilter(world.bodies()[1], 0, {});
  EXPECT_EQ(keysOf(world.sensorOverlaps()), expected);
  world.setMaterial(world.bodies()[1], 0, {0.1, 0.5});
  world.removeBody(world.bodies()[1]);
  EXPECT_TRUE(world.sensorOverlaps().empty());
  world.step(3);
}

INSTANTIATE_TEST_SUITE_P(Backends, Sensors, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

TEST(SensorDefs, AreRefusedWhereTheyCannotBe) {
  Scene scene;
  BodyDef body;
  body.type = BodyType::Static;
  body.shapes = {ShapeDef::halfSpace()};
  body.shapes[0].sensor = true;
  EXPECT_THROW(validate(body, "body"), InvalidInput);
  body.shapes = {ShapeDef::sphere(1)};
  body.shapes[0].sensor = true;
  EXPECT_NO_THROW(validate(body, "body"));
  body.type = BodyType::Dynamic;
  EXPECT_THROW(validate(body, "body"), InvalidInput) << "no mass";
  body.mass = 1;
  EXPECT_THROW(validate(body, "body"), InvalidInput) << "no inertia";
  body.inertia = Sym3<double>{1, 1, 1, 0, 0, 0};
  EXPECT_NO_THROW(validate(body, "body"));
}

TEST(SensorDefs, GoThroughSceneFiles) {
  const Scene scene = gate();
  const std::string text = writeScene(scene);
  const Scene read = parseScene(text, "gate.json");
  EXPECT_TRUE(read.bodies[1].shapes[0].sensor);
  EXPECT_FALSE(read.bodies[2].shapes[0].sensor);
  EXPECT_EQ(writeScene(read), text);
  EXPECT_THROW(parseScene(R"({"bodies": [{"shapes": [{"type": "sphere", "radius": 1, "sensor": 1}]}]})", "bad.json"), InvalidInput);
}

}  // namespace
}  // namespace cairn::test
