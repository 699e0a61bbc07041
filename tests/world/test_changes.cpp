// Changes between steps: a World that was changed to what a scene says has the bits of one that was made from that scene, and what cannot be leaves
// it as it was.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace cairn {
namespace {

class Changes : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings() const {
    WorldSettings settings = test::onCpu();
    settings.backend = GetParam();
    settings.substeps = 2;
    return settings;
  }
  // The World of `from`, changed, against that of `to`: at once, and after some steps the change still acts.
  void expectSame(const Scene& from, const Scene& to, const std::function<void(World&)>& change, int steps = 60) const {
    World changed(from, settings()), made(to, settings());
    change(changed);
    changed.step(steps);
    made.step(steps);
    EXPECT_EQ(changed.stateHash(), made.stateHash());
    World unchanged(from, settings());
    unchanged.step(steps);
    EXPECT_NE(unchanged.stateHash(), made.stateHash()) << "the change must make a difference";
    World late(from, settings());
    late.step(5);
    change(late);
    late.step(steps - 5);
    EXPECT_NE(late.stateHash(), unchanged.stateHash());
  }
};

// A box and a ball on a slope of the gravity, and a door on a hinge.
Scene slope() {
  Scene scene;
  scene.gravity = {3, -9.81, 0};
  scene.add(test::ground());
  scene.add(test::bodyAt({0, 0.3, 0}, ShapeDef::box({0.3, 0.3, 0.3})));
  scene.add(test::bodyAt({2, 1.5, 0}, ShapeDef::sphere(0.25)));
  BodyDef post = test::bodyAt({-3, 1, 0}, ShapeDef::box({0.05, 1, 0.05}));
  post.type = BodyType::Static;
  const int a = scene.add(post), b = scene.add(test::bodyAt({-2.5, 1, 0}, ShapeDef::box({0.4, 0.5, 0.03}), {0, 0, 1}));
  scene.joints.push_back(scene.joint(JointType::Hinge, a, b, {{-3, 1, 0}, {0, 0, std::sqrt(0.5), std::sqrt(0.5)}}));
  return scene;
}

TEST_P(Changes, OfGravity) {
  Scene to = slope();
  to.gravity = {0, -1.62, 0.5};
  expectSame(slope(), to, [](World& world) { world.setGravity({0, -1.62, 0.5}); });
}

TEST_P(Changes, OfAMaterial) {
  Scene to = slope();
  to.bodies[2].shapes[0].material = {0.1, 0.8};
  expectSame(slope(), to, [](World& world) { world.setMaterial(world.bodies()[2], 0, {0.1, 0.8}); });
  expectSame(to, slope(), [](World& world) { world.setMaterial(world.bodies()[2], 0, {}); });
}

TEST_P(Changes, OfAFilter) {
  Scene to = slope();
  to.bodies[1].shapes[0].filter = {2, 0, 0};  // falls through the ground
  expectSame(slope(), to, [](World& world) { world.setFilter(world.bodies()[1], 0, {2, 0, 0}); });
  expectSame(
      to, slope(), [](World& world) { world.setFilter(world.bodies()[1], 0, {}); }, 40);
}

TEST_P(Changes, OfTheScaleOfGravity) {
  Scene to = slope();
  to.bodies[2].gravityScale = -0.25;
  expectSame(slope(), to, [](World& world) { world.setGravityScale(world.bodies()[2], -0.25); });
}

TEST_P(Changes, OfMass) {
  Scene from = slope(), to = slope();
  for (Scene* scene : {&from, &to}) {
    scene->bodies[1].lockRotation = {true, false, false};
    scene->bodies[4].lockTranslation = {false, true, false};
    scene->add(test::bodyAt({0, 0.85, 0}, ShapeDef::box({0.2, 0.2, 0.3}), {1, 0, 0}));
  }
  to.bodies[1].mass = 7;
  to.bodies[4].mass = 3.5;
  expectSame(from, to, [](World& world) {
    world.setMass(world.bodies()[1], 7);
    world.setMass(world.bodies()[4], 3.5);
  });
}

// A body of two shapes, whose centre of mass is not its origin. A float holds its place with and without it: what is moved there and back is where it
// was.
BodyDef hammer(Vec3d position) {
  BodyDef body = test::bodyAt(position, ShapeDef::box({0.25, 0.125, 0.125}));
  body.shapes.push_back(ShapeDef::sphere(0.25));
  body.shapes[1].localPose.p = {0.5, 0, 0};
  body.shapes[1].density = 3000;
  body.centreOfMass = {0.375, 0, 0};
  return body;
}

TEST_P(Changes, OfInertiaAndCentreOfMass) {
  Scene from = slope();
  from.add(hammer({0.25, 1.5, 0}));
  from.joints.push_back(from.joint(JointType::Point, 2, 5, {{1, 1.5, 0}, {0, 0, 0, 1}}));
  Scene to = from;
  to.bodies[1].inertia = {3, 4, 5, 0.5, -0.25, 1};
  to.bodies[5].mass = 40;
  to.bodies[5].inertia = {2, 1.5, 1, 0, 0, 0.125};
  to.bodies[5].centreOfMass = {-0.125, 0, 0.0625};
  expectSame(from, to, [](World& world) {
    world.setInertia(world.bodies()[1], {3, 4, 5, 0.5, -0.25, 1});
    world.setMass(world.bodies()[5], 40);
    world.setInertia(world.bodies()[5], {2, 1.5, 1, 0, 0, 0.125});
    world.setCentreOfMass(world.bodies()[5], {-0.125, 0, 0.0625});
  });
}

TEST_P(Changes, OfDamping) {
  Scene to = slope();
  to.bodies[1].linearDamping = 2;
  to.bodies[4].angularDamping = 0.5;
  const auto damp = [](World& world) {
    world.setDamping(world.bodies()[1], 2, 0);
    world.setDamping(world.bodies()[4], 0, 0.5);
  };
  expectSame(slope(), to, damp);
  expectSame(to, slope(), [](World& world) {
    world.setDamping(world.bodies()[1], 0, 0);
    world.setDamping(world.bodies()[4], 0, 0);
  });
}

TEST_P(Changes, OfType) {
  const BodyType types[] = {BodyType::Static, BodyType::Kinematic, BodyType::Dynamic};
  for (const BodyType before : types) {
    for (const BodyType after : types) {
      if (before == after) continue;
      Scene from = slope();
      from.add(hammer({0.25, 1.5, 0}));
      from.bodies[5].lockRotation = {false, true, false};
      from.bodies[5].angularDamping = 1;
      from.bodies[5].gravityScale = 0.5;
      Scene to = from;
      from.bodies[5].type = before;
      to.bodies[5].type = after;
      if (before == BodyType::Kinematic && after == BodyType::Dynamic) from.bodies[5].linearVelocity = to.bodies[5].linearVelocity = {0, 0, 1};
      const auto change = [after](World& world) {
        world.setType(world.bodies()[5], after);
        EXPECT_EQ(world.type(world.bodies()[5]), after);
      };
      // A static body and a kinematic one at rest are the same to everybody else.
      if (before == BodyType::Dynamic || after == BodyType::Dynamic) {
        expectSame(from, to, change);
      } else {
        World changed(from, settings()), made(to, settings());
        change(changed);
        changed.setVelocity(changed.bodies()[5], {0, 0, after == BodyType::Kinematic ? 1.0 : 0.0}, {0, 0, 0});
        made.setVelocity(made.bodies()[5], {0, 0, after == BodyType::Kinematic ? 1.0 : 0.0}, {0, 0, 0});
        changed.step(60);
        made.step(60);
        EXPECT_EQ(changed.stateHash(), made.stateHash());
      }
    }
  }
}

// The point of the body that it turns about moves on as it did.
TEST_P(Changes, OfTypeKeepHowABodyMoves) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = hammer({1, 2, 3});
  body.type = BodyType::Kinematic;
  body.linearVelocity = {0.5, 0, 0};
  body.angularVelocity = {0, 0, 2};
  scene.add(body);
  WorldSettings precise = settings();
  precise.precision = Precision::Double;
  World world(scene, precise);
  const BodyId id = world.bodies()[0];
  const double arm = massProperties(body).centre.x;
  EXPECT_GT(arm, 0.1);
  world.setType(id, BodyType::Dynamic);
  EXPECT_NEAR(world.state(id).linearVelocity.y, 2 * arm, 1e-12);
  EXPECT_NEAR(world.state(id).linearVelocity.x, 0.5, 1e-12);
  EXPECT_NEAR(world.state(id).pose.p.x, 1, 1e-12);
  world.step(10);
  const BodyState moved = world.state(id);
  world.setType(id, BodyType::Kinematic);
  EXPECT_NEAR(length(world.state(id).pose.p - moved.pose.p), 0, 1e-12);
  EXPECT_NEAR(length(world.state(id).angularVelocity - moved.angularVelocity), 0, 1e-12);
  world.setType(id, BodyType::Static);
  EXPECT_EQ(length(world.state(id).angularVelocity), 0);
  const Vec3d place = world.state(id).pose.p;
  world.step(10);
  EXPECT_EQ(length(world.state(id).pose.p - place), 0);
}

TEST_P(Changes, OfLimits) {
  Scene to = slope();
  to.joints[0].axes[3].limits = {{-0.1, 0.05}};
  expectSame(slope(), to, [](World& world) { world.setLimits(world.joints()[0], 3, {{-0.1, 0.05}}); });
  expectSame(to, slope(), [](World& world) { world.setLimits(world.joints()[0], 3, std::nullopt); });
}

TEST_P(Changes, OfTheTimeStep) {
  World world(slope(), settings());
  world.step(30);
  world.setTimeStep(1.0 / 240);
  EXPECT_EQ(world.settings().dt, 1.0 / 240);
  EXPECT_EQ(world.stepBy(0.1), 24);
  EXPECT_NEAR(world.report().time, 0.6, 1e-12);
  World late(world.save(), settings());
  EXPECT_EQ(late.report().time, world.report().time);
  // A ball in free fall knows how long its steps were.
  Scene fall;
  fall.add(test::bodyAt({0, 0, 0}, ShapeDef::sphere(0.1)));
  World falling(fall, settings());
  falling.step(10);
  falling.setTimeStep(0.001);
  falling.step(100);
  EXPECT_NEAR(falling.states()[0].linearVelocity.y, -test::kGravity * (10 / 60.0 + 0.1), 1e-4);
}

TEST_P(Changes, ForcesAndImpulsesAtPoints) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef rod = test::bodyAt({1, 2, 3}, ShapeDef::box({0.5, 0.1, 0.1}));
  rod.mass = 2;
  scene.add(rod);
  BodyDef guided = test::bodyAt({5, 0, 0}, ShapeDef::sphere(0.1));
  guided.mass = 2;
  guided.lockTranslation = {false, true, false};
  guided.lockRotation = {true, true, true};
  scene.add(guided);
  World world(scene, settings());
  const BodyId body = world.bodies()[0], other = world.bodies()[1];
  world.applyImpulseAt(body, {0, 4, 0}, {1.5, 2, 3});
  const double inertia = 2 * (1.0 * 1.0 + 0.2 * 0.2) / 12;
  EXPECT_NEAR(world.state(body).linearVelocity.y, 2, 1e-6);
  EXPECT_NEAR(world.state(body).angularVelocity.z, 0.5 * 4 / inertia, 1e-5);
  world.applyImpulse(other, {2, 2, 2}, {1, 1, 1});
  EXPECT_NEAR(world.state(other).linearVelocity.x, 1, 1e-6);
  EXPECT_EQ(world.state(other).linearVelocity.y, 0);
  EXPECT_EQ(length(world.state(other).angularVelocity), 0);

  world.setVelocity(body, {0, 0, 0}, {0, 0, 0});
  world.setPose(body, {{1, 2, 3}, {0, 0, 0, 1}});
  world.applyForceAt(body, {0, 60, 0}, {1.5, 2, 3});
  world.step();
  EXPECT_NEAR(world.state(body).linearVelocity.y, 0.5, 1e-5);
  EXPECT_NEAR(world.state(body).angularVelocity.z, 0.5 * 1 / inertia, 1e-2);  // the rod turns a little meanwhile
}

TEST_P(Changes, ManyAtOnceAreThoseOfOneAfterTheOther) {
  World one(slope(), settings()), many(slope(), settings());
  const std::vector<BodyId> bodies{one.bodies()[4], one.bodies()[1], one.bodies()[2]};
  const std::vector<Posed> poses{{{-2.4, 1, 0.1}, {0, 0, 0, 2}}, {{0, 0.5, 1}, {0.1, 0, 0, 1}}, {{2, 2, 2}, {0, 0, 0, 1}}};
  const std::vector<Vec3d> linear{{0, 0, 1}, {1, 2, 3}, {0, -1, 0}}, angular{{0, 0.1, 0}, {3, 2, 1}, {0, 0, 5}};
  for (int round = 0; round < 2; ++round) {
    many.setPoses(bodies, poses);
    many.setVelocities(bodies, linear, angular);
    many.applyForces(bodies, linear, angular);
    many.applyForces(bodies, angular);
    for (size_t k = 0; k < bodies.size(); ++k) {
      one.setPose(bodies[k], poses[k]);
      one.setVelocity(bodies[k], linear[k], angular[k]);
      one.applyForce(bodies[k], linear[k], angular[k]);
      one.applyForce(bodies[k], angular[k]);
    }
    one.step(20);
    many.step(20);
    EXPECT_EQ(one.stateHash(), many.stateHash());
  }
}

TEST_P(Changes, ContactsOfABodyAndIntoMemoryOfTheCallers) {
  World world(loadScene("pyramid:base=3"), settings());
  world.step(10);
  const std::vector<Contact> all = world.contacts();
  ASSERT_FALSE(all.empty());
  std::vector<Contact> into(all.size() + 1);
  EXPECT_EQ(world.contacts(into.data(), into.size()), all.size());
  EXPECT_EQ(into[all.size() - 1].feature, all.back().feature);
  EXPECT_EQ(into[all.size() - 1].normalImpulse, all.back().normalImpulse);
  into.assign(into.size(), {});
  EXPECT_EQ(world.contacts(into.data(), 2), all.size());
  EXPECT_EQ(into[2].bodyA, BodyId{});
  size_t sides = 0;
  for (const BodyId body : world.bodies()) {
    for (const Contact& contact : world.contactsOf(body)) EXPECT_TRUE(contact.bodyA == body || contact.bodyB == body);
    sides += world.contactsOf(body).size();
  }
  EXPECT_EQ(sides, 2 * all.size());
}

TEST_P(Changes, UserDataStaysWithItsBody) {
  World world(slope(), settings());
  const BodyId body = world.bodies()[2], other = world.bodies()[1];
  EXPECT_EQ(world.userData(body), 0u);
  world.setUserData(body, 0xfedcba9876543210u);
  world.step(2);
  EXPECT_EQ(world.userData(body), 0xfedcba9876543210u);
  EXPECT_EQ(world.userData(other), 0u);
  EXPECT_EQ(World(world.save(), settings()).userData(body), 0xfedcba9876543210u);
  world.removeBody(body);
  EXPECT_THROW(world.userData(body), InvalidInput);
  EXPECT_EQ(world.userData(world.addBody(test::bodyAt({0, 5, 0}, ShapeDef::sphere(0.1)))), 0u);
}

TEST_P(Changes, WhatCannotBeChangesNothing) {
  World world(slope(), settings()), same(slope(), settings());
  const BodyId ground = world.bodies()[0], box = world.bodies()[1];
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([&] { world.setMaterial(box, 0, {-1, 0}); }), "body 'body-1': /shapes/0/material/friction: must be a finite number >= 0, is -1");
  EXPECT_EQ(refused([&] { world.setMaterial(box, 1, {}); }), "shape of body 'body-1': must be a whole number from 0 to 0, is 1");
  EXPECT_EQ(refused([&] { world.setFilter(box, -1, {}); }), "shape of body 'body-1': must be a whole number from 0 to 0, is -1");
  EXPECT_NE(refused([&] { world.setGravityScale(box, kNan); }), "accepted");
  EXPECT_NE(refused([&] { world.setMass(box, 0); }), "accepted");
  EXPECT_NE(refused([&] { world.setMass(box, kInfinity); }), "accepted");
  EXPECT_EQ(refused([&] { world.setMass(ground, 1); }), "mass of body 'ground': cannot be set: the body is not dynamic");
  EXPECT_EQ(refused([&] {
              world.setInertia(box, {1, 1, 3, 0, 0, 0});
            }),
            "body 'body-1': /inertia: must have no principal moment larger than the other two together, is [1, 1, 3, 0, 0, 0]");
  EXPECT_EQ(refused([&] { world.setInertia(ground, {1, 1, 1, 0, 0, 0}); }), "inertia of body 'ground': cannot be set: the body is not dynamic");
  EXPECT_NE(refused([&] { world.setCentreOfMass(box, {0, kNan, 0}); }), "accepted");
  EXPECT_EQ(refused([&] { world.setCentreOfMass(ground, {0, 1, 0}); }), "centre of mass of body 'ground': cannot be set: the body is not dynamic");
  EXPECT_NE(refused([&] { world.setDamping(box, -1, 0); }), "accepted");
  EXPECT_NE(refused([&] { world.setDamping(box, 0, kInfinity); }), "accepted");
  EXPECT_EQ(refused([&] { world.setType(ground, BodyType::Dynamic); }), "type of body 'ground': cannot be dynamic: it has a half-space");
  EXPECT_EQ(refused([&] { world.setType(world.bodies()[4], BodyType::Kinematic); }),
            "type of body 'body-4': must stay dynamic: joint 'joint-0' joins it to 'body-3', which is not dynamic");
  EXPECT_NE(refused([&] { world.setType(box, BodyType(7)); }), "accepted");
  EXPECT_NE(refused([&] { world.setType(BodyId{77, 0}, BodyType::Static); }), "accepted");
  EXPECT_NE(refused([&] { world.setGravity({0, kNan, 0}); }), "accepted");
  EXPECT_NE(refused([&] { world.setTimeStep(0); }), "accepted");
  EXPECT_NE(refused([&] { world.setLimits(world.joints()[0], 0, {{0, 1}}); }), "accepted");
  EXPECT_NE(refused([&] { world.setLimits(world.joints()[0], 3, {{1, 0}}); }), "accepted");
  EXPECT_NE(refused([&] { world.setLimits(world.joints()[0], 6, std::nullopt); }), "accepted");
  EXPECT_EQ(refused([&] { world.applyImpulse(ground, {1, 0, 0}); }), "impulse on body 'ground': cannot act: the body is not dynamic");
  EXPECT_NE(refused([&] { world.applyImpulse(box, {kNan, 0, 0}); }), "accepted");
  EXPECT_NE(refused([&] { world.applyForceAt(box, {1, 0, 0}, {kInfinity, 0, 0}); }), "accepted");
  EXPECT_EQ(refused([&] { world.setPoses({box, ground}, {Posed{{0, 0, 0}, {0, 0, 0, 1}}}); }), "poses: must be as many as the bodies, 2, are 1");
  EXPECT_NE(refused([&] { world.setPoses({ground, box}, {Posed{{0, 1, 0}, {0, 0, 0, 1}}, Posed{{0, 1, 0}, {0, 0, 0, 0}}}); }), "accepted");
  EXPECT_NE(refused([&] { world.setVelocities({box, ground}, {{1, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}); }), "accepted");
  EXPECT_NE(refused([&] { world.applyForces({box, ground}, {{1, 0, 0}, {1, 0, 0}}); }), "accepted");
  EXPECT_NE(refused([&] { world.applyForces({box, BodyId{77, 0}}, {{1, 0, 0}, {1, 0, 0}}); }), "accepted");
  world.step(20);
  same.step(20);
  EXPECT_EQ(world.stateHash(), same.stateHash());
}

INSTANTIATE_TEST_SUITE_P(Backends, Changes, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

}  // namespace
}  // namespace cairn
