// The World's interface: bodies come and go, queries, bad input, refused steps.
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace cairn {
namespace {

using test::ground;
using test::onCpu;

BodyDef boxAt(Vec3d position, Vec3d halfExtents = {0.5, 0.5, 0.5}) { return test::bodyAt(position, ShapeDef::box(halfExtents)); }

TEST(World, ABoxRestsOnTheGroundAndItsContactsCarryItsWeight) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = onCpu();
    settings.precision = precision;
    Scene scene;
    scene.add(ground());
    BodyDef box = boxAt({0, 0.5, 0});
    box.name = "box";
    scene.add(box);
    World world(scene, settings);
    world.step(120);
    const BodyState state = world.state(world.findBody("box"));
    EXPECT_NEAR(state.pose.p.y, 0.5, 2e-3);
    EXPECT_NEAR(length(state.linearVelocity), 0, 1e-3);
    const std::vector<Contact> contacts = world.contacts();
    ASSERT_EQ(contacts.size(), 4u);
    double impulse = 0;
    for (const Contact& contact : contacts) {
      impulse += contact.normalImpulse;
      EXPECT_EQ(contact.bodyA, world.findBody("box"));
      EXPECT_EQ(contact.bodyB, world.findBody("ground"));
      EXPECT_NEAR(contact.normal.y, -1, 1e-6);  // from the box into the ground
    }
    const double h = settings.dt / settings.substeps;
    EXPECT_NEAR(impulse, 1000 * 9.81 * h, 0.01 * 1000 * 9.81 * h);
    const StepReport report = world.report();
    EXPECT_EQ(report.contactPoints, 4);
    EXPECT_EQ(report.activePoints, 4);
    EXPECT_EQ(report.colours, 1);
    EXPECT_EQ(report.step, 120);
    EXPECT_LT(report.residualMax, 1e-2);
    EXPECT_NEAR(report.potentialEnergy, 1000 * 9.81 * 0.5, 30);
    EXPECT_GT(report.memoryBytes, 0u);
  }
}

TEST(World, BodiesComeAndGo) {
  Scene scene;
  scene.add(ground());
  scene.add(boxAt({0, 0.5, 0}));
  scene.add(boxAt({0, 1.5, 0}));
  World world(scene, onCpu());
  world.step(30);
  const std::vector<BodyId> bodies = world.bodies();
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(world.bodyName(bodies[1]), "body-1");
  EXPECT_EQ(world.findBody("body-2"), bodies[2]);

  world.removeBody(bodies[1]);
  EXPECT_EQ(world.bodyCount(), 2);
  EXPECT_THROW(world.state(bodies[1]), InvalidInput);
  EXPECT_THROW(world.removeBody(bodies[1]), InvalidInput);
  EXPECT_TRUE(world.contacts().empty());  // both of its neighbours' contacts were with it
  world.step();
  for (const Contact& contact : world.contacts()) {
    EXPECT_NE(contact.bodyA, bodies[1]);
    EXPECT_NE(contact.bodyB, bodies[1]);
  }
  world.step(119);
  EXPECT_EQ(world.contacts().size(), 4u);
  EXPECT_NEAR(world.state(bodies[2]).pose.p.y, 0.5, 5e-3);  // fell into the gap

  BodyDef ball = boxAt({0, 3, 0});
  ball.name = "ball";
  ball.shapes = {ShapeDef::sphere(0.25)};
  const BodyId id = world.addBody(ball);
  EXPECT_EQ(id.index, bodies[1].index);  // the slot is used again,
  EXPECT_NE(id, bodies[1]);              // the handle is not
  EXPECT_THROW(world.addBody(ball), InvalidInput);
  world.step(180);
  EXPECT_NEAR(world.state(id).pose.p.y, 1.25, 1e-2);
  EXPECT_EQ(world.report().bodies, 3);
}

TEST(World, RemovingAndAddingTheSameBodyInASlotDoesNotInheritItsContacts) {
  Scene scene;
  scene.add(ground());
  const int box = scene.add(boxAt({0, 0.5, 0}));
  World world(scene, onCpu());
  world.step(60);
  world.removeBody(world.bodies()[static_cast<size_t>(box)]);
  const BodyId fresh = world.addBody(boxAt({0, 0.5, 0}, {0.05, 0.5, 0.05}));  // 100 times lighter: old impulses would kick it up
  world.step();
  EXPECT_LT(length(world.state(fresh).linearVelocity), 0.05);
}

TEST(World, PosesVelocitiesAndForces) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = boxAt({1, 2, 3});
  body.shapes[0].localPose.p = {0.25, 0, 0};  // the centre of mass is not the origin
  const int index = scene.add(body);
  World world(scene, onCpu());
  const BodyId id = world.bodies()[static_cast<size_t>(index)];
  EXPECT_NEAR(length(world.state(id).pose.p - Vec3d{1, 2, 3}), 0, 1e-6);
  const Quatd turned = quatFromRotationVector(Vec3d{0, 1, 0});
  world.setPose(id, {{4, 5, 6}, turned});
  EXPECT_NEAR(length(world.state(id).pose.p - Vec3d{4, 5, 6}), 0, 1e-6);
  EXPECT_NEAR(world.state(id).pose.q.y, turned.y, 1e-6);

  world.setVelocity(id, {0, 0, 0}, {0, 0, 0});
  world.applyForce(id, {600, 0, 0});
  world.applyForce(id, {600, 0, 0}, {0, 10, 0});
  world.step();
  EXPECT_NEAR(world.state(id).linearVelocity.x, 1200.0 / 1000 / 60, 1e-6);
  EXPECT_NEAR(world.state(id).angularVelocity.y, 10.0 / (1000.0 / 6) / 60, 1e-6);
  const double speed = world.state(id).linearVelocity.x;
  world.step();  // forces act for one step only
  EXPECT_NEAR(world.state(id).linearVelocity.x, speed, 1e-7);
  EXPECT_THROW(world.setPose(id, {{0, 0, 0}, {0, 0, 0, 0}}), InvalidInput);
  EXPECT_THROW(world.setVelocity(id, {std::nan(""), 0, 0}, {0, 0, 0}), InvalidInput);
  EXPECT_THROW(world.applyForce(id, {INFINITY, 0, 0}), InvalidInput);
}

TEST(World, LockedDegreesOfFreedomStayLocked) {
  Scene scene;
  scene.add(ground());
  BodyDef body = boxAt({0, 2, 0});
  body.pose.q = quatFromRotationVector(Vec3d{0, 0, 0.4});
  body.lockTranslation = {false, false, true};
  body.lockRotation = {true, true, false};
  body.linearVelocity = {1, 0, 0};
  const int index = scene.add(body);
  BodyDef pinned = boxAt({0.2, 4, 0.1});
  pinned.lockTranslation = {true, true, true};
  const int pinnedIndex = scene.add(pinned);
  World world(scene, onCpu());
  world.step(180);
  const BodyState planar = world.state(world.bodies()[static_cast<size_t>(index)]);
  EXPECT_EQ(planar.pose.p.z, 0);
  EXPECT_EQ(planar.angularVelocity.x, 0);
  EXPECT_EQ(planar.angularVelocity.y, 0);
  EXPECT_NEAR(planar.pose.p.y, 0.5, 5e-3);  // fell flat, and friction stopped it
  EXPECT_NEAR(planar.linearVelocity.x, 0, 1e-3);
  const BodyState still = world.state(world.bodies()[static_cast<size_t>(pinnedIndex)]);
  EXPECT_EQ(still.pose.p.y, 4);
}

TEST(World, ANonFiniteStateRefusesTheStepAndNamesTheBody) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = boxAt({0, 0, 0});
  body.name = "runaway";
  scene.add(boxAt({10, 0, 0}));
  scene.add(body);
  World world(scene, onCpu());
  world.setVelocity(world.bodies()[0], {1, 0, 0}, {0, 0, 0});
  world.step();
  const uint64_t before = world.stateHash();
  world.setVelocity(world.findBody("runaway"), {3.3e38, 0, 0}, {0, 0, 0});
  const uint64_t given = world.stateHash();
  EXPECT_NE(before, given);
  EXPECT_THROW(world.applyForce(world.findBody("runaway"), {3.5e38, 0, 0}), InvalidInput);  // no float
  try {
    for (int k = 0; k < 4000; ++k) world.step();
    FAIL() << "ran on";
  } catch (const NonFiniteState& error) {
    EXPECT_EQ(error.body, "runaway");
  }
  EXPECT_TRUE(std::isfinite(world.state(world.findBody("runaway")).pose.p.x));
  world.setVelocity(world.findBody("runaway"), {0, 0, 0}, {0, 0, 0});
  world.setPose(world.findBody("runaway"), {{0, 0, 0}, {0, 0, 0, 1}});
  EXPECT_NO_THROW(world.step());
}

TEST(World, OverlappingBodiesAreLegalAndComeApartGently) {
  Scene scene;
  scene.add(ground());
  for (int i = 0; i < 6; ++i) scene.add(boxAt({0.1 * i, 0.5 + 0.02 * i, 0.05 * i}));
  scene.add(boxAt({0, 0.5, 0}));  // twice in the same place
  World world(scene, onCpu());
  double fastest = 0;
  for (int k = 0; k < 600; ++k) {
    world.step();
    fastest = std::max(fastest, world.report().maxSpeed);
  }
  EXPECT_LT(fastest, 8);
  EXPECT_LT(world.report().penetrationMax, 0.01);
  for (const BodyState& state : world.states()) EXPECT_LT(length(state.pose.p), 10);
}

TEST(World, BadSettingsAreRefused) {
  Scene scene;
  WorldSettings settings = onCpu();
  settings.dt = 0;
  EXPECT_THROW(World(scene, settings), InvalidInput);
  settings = onCpu();
  settings.iterations = 0;
  EXPECT_THROW(World(scene, settings), InvalidInput);
  settings = onCpu();
  settings.maxColours = 65;
  EXPECT_THROW(World(scene, settings), InvalidInput);
  EXPECT_NO_THROW(World(scene, onCpu()).step());  // an empty scene is a scene
}

TEST(World, RaysSeeTheCurrentPoses) {
  Scene scene;
  scene.add(ground());
  const int index = scene.add(boxAt({0, 3, 0}));
  World world(scene, onCpu());
  const BodyId box = world.bodies()[static_cast<size_t>(index)];
  std::vector<RayHit> hits = world.castRays({{{0, 10, 0}, {0, -2, 0}}, {{5, 10, 0}, {0, -1, 0}}, {{5, 10, 0}, {0, 1, 0}}});
  ASSERT_EQ(hits.size(), 3u);
  EXPECT_EQ(hits[0].body, box);
  EXPECT_NEAR(hits[0].distance, 6.5, 1e-5);
  EXPECT_NEAR(hits[0].normal.y, 1, 1e-6);
  EXPECT_EQ(hits[1].body, world.findBody("ground"));
  EXPECT_NEAR(hits[1].distance, 10, 1e-5);
  EXPECT_EQ(hits[2].body.index, -1);
  world.setPose(box, {{5, 3, 0}, {0, 0, 0, 1}});
  hits = world.castRays({{{0, 10, 0}, {0, -1, 0}}, {{5, 10, 0}, {0, -1, 0}}});
  EXPECT_EQ(hits[0].body, world.findBody("ground"));
  EXPECT_EQ(hits[1].body, box);
  EXPECT_THROW(world.castRays({{{0, 0, 0}, {0, 0, 0}}}), InvalidInput);
}

TEST(World, LevelsCountFromTheGroundUp) {
  Scene scene;
  scene.add(ground());
  for (int i = 0; i < 5; ++i) scene.add(boxAt({0, 0.5 + i, 0}));
  scene.add(boxAt({20, 20, 0}));
  World world(scene, onCpu());
  world.step();
  const std::vector<int> levels = world.contactLevels();
  EXPECT_EQ(levels, (std::vector<int>{-1, 0, 1, 2, 3, 4, -1}));
}

template <class Time, class = void> struct StepsBy : std::false_type {};
template <class Time> struct StepsBy<Time, std::void_t<decltype(std::declval<World&>().step(std::declval<Time>()))>> : std::true_type {};

TEST(World, StepsByCountsAndByTime) {
  static_assert(StepsBy<int>::value && !StepsBy<double>::value && !StepsBy<float>::value, "seconds are no count");
  World world(Scene{}, onCpu());
  EXPECT_EQ(world.stepBy(0), 0);
  EXPECT_EQ(world.stepBy(0.01), 0);
  EXPECT_EQ(world.stepBy(0.01), 1);
  int steps = 1;
  for (int frame = 0; frame < 144; ++frame) steps += world.stepBy(1.0 / 144);
  EXPECT_EQ(steps, 61);
  EXPECT_EQ(world.stepBy(0.5), 30);
  World exact(Scene{}, onCpu());
  for (int frame = 0; frame < 600; ++frame) ASSERT_EQ(exact.stepBy(1.0 / 60), 1) << frame;
  for (const double seconds : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e9}) EXPECT_THROW(world.stepBy(seconds), InvalidInput);
  EXPECT_THROW(world.step(-5), InvalidInput);
}

TEST(World, MessagesNameThingsOnce) {
  World world(Scene{}, onCpu());
  BodyDef body = boxAt({0, 0, 0});
  body.name = "crate";
  body.mass = -1;
  try {
    world.addBody(body);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "body 'crate': /mass: must be a finite number > 0, is -1");
  }
}

TEST(World, VelocitiesAndForcesAreForBodiesThatMove) {
  Scene scene;
  scene.add(ground());
  BodyDef belt = boxAt({0, 5, 0});
  belt.type = BodyType::Kinematic;
  scene.add(belt);
  World world(scene, onCpu());
  const BodyId fixed = world.bodies()[0], moving = world.bodies()[1];
  EXPECT_THROW(world.setVelocity(fixed, {1, 0, 0}, {0, 0, 0}), InvalidInput);
  EXPECT_THROW(world.applyForce(fixed, {1, 0, 0}), InvalidInput);
  EXPECT_THROW(world.applyForce(moving, {1, 0, 0}), InvalidInput);
  EXPECT_THROW(world.setVelocity(fixed, {1e-200, 0, 0}, {0, 0, 0}), InvalidInput) << "its square is zero";
  BodyDef walking = boxAt({0, 9, 0});
  walking.type = BodyType::Static;
  walking.angularVelocity = {0, 1, 0};
  EXPECT_THROW(world.addBody(walking), InvalidInput);
  EXPECT_THROW(world.setVelocity(moving, {1e300, 0, 0}, {0, 0, 0}), InvalidInput);
  EXPECT_THROW(world.setPose(moving, {{1e300, 0, 0}, {0, 0, 0, 1}}), InvalidInput);
  world.setVelocity(fixed, {0, 0, 0}, {0, 0, 0});
  world.setVelocity(moving, {1, 0, 0}, {0, 0, 0});
  EXPECT_EQ(world.report().kineticEnergy, 0);
}

}  // namespace
}  // namespace cairn
