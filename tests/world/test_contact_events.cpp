// Contact events: against closed forms, against the contacts of the World, and the same wherever and however a World goes on.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace cairn {
namespace {

using test::bodyAt;

class ContactEvents : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings(Backend backend, double hitThreshold = std::numeric_limits<double>::infinity()) const {
    WorldSettings settings = test::onCpu();
    settings.backend = backend;
    settings.substeps = 4;
    settings.contactEvents = true;
    settings.hitThreshold = hitThreshold;
    return settings;
  }
  WorldSettings settings(double hitThreshold = std::numeric_limits<double>::infinity()) const { return settings(GetParam(), hitThreshold); }
};

using Key = std::tuple<int, int, int, int>;  // bodies' indices, shapes
Key keyOf(const ContactEvent& event) { return {event.bodyA.index, event.bodyB.index, event.shapeA, event.shapeB}; }

bool same(const ContactEvent& a, const ContactEvent& b) {
  const auto numbers = [](const ContactEvent& e) {
    return std::array<double, 8>{e.impulse, e.approachSpeed, e.point.x, e.point.y, e.point.z, e.normal.x, e.normal.y, e.normal.z};
  };
  return a.bodyA == b.bodyA && a.bodyB == b.bodyB && keyOf(a) == keyOf(b) && a.phase == b.phase && a.hit == b.hit && numbers(a) == numbers(b);
}
testing::AssertionResult sameEvents(const std::vector<ContactEvent>& a, const std::vector<ContactEvent>& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " events and " << b.size();
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return testing::AssertionFailure() << "event " << i << " of bodies " << a[i].bodyA.index << ", " << a[i].bodyB.index;
  }
  return testing::AssertionSuccess();
}

// --- closed forms ----------------------------------------------------------------------------------------------

constexpr double kRadius = 0.1, kDrop = 1, kDensity = 1000;

Scene droppedBall(double restitution) {
  Scene scene;
  Material material;
  material.restitution = restitution;
  scene.add(test::ground(material));
  ShapeDef ball = ShapeDef::sphere(kRadius);
  ball.density = kDensity;
  ball.material = material;
  scene.add(bodyAt({0.3, kRadius + kDrop, -0.2}, ball));
  return scene;
}

TEST_P(ContactEvents, AFallingBallBeginsToTouchWhenItHasFallenItsHeight) {
  for (const double restitution : {0.0, 0.6}) {
    World world(droppedBall(restitution), settings(1.0));
    const double mass = kDensity * 4 / 3 * 3.14159265358979 * kRadius * kRadius * kRadius;
    const double fall = std::sqrt(2 * kDrop / test::kGravity), speed = test::kGravity * fall;
    const int stepOfImpact = static_cast<int>(fall / world.settings().dt);  // steps are done before it
    for (int k = 0; k < stepOfImpact - 1; ++k) {
      world.step();
      ASSERT_TRUE(world.contactEvents().empty()) << "step " << k;
    }
    // The ball falls substep by substep, a little less deep than the parabola: it may be a step later, and its impulse a part of a step's weight off.
    int waited = 0;
    std::vector<ContactEvent> events;
    for (; events.empty() && waited < 3; ++waited) {
      world.step();
      events = world.contactEvents();
    }
    ASSERT_EQ(events.size(), 1u) << "restitution " << restitution;
    const ContactEvent& begin = events[0];
    EXPECT_EQ(begin.phase, ContactPhase::Begin);
    EXPECT_EQ(begin.bodyA.index, 0);
    EXPECT_EQ(begin.bodyB.index, 1);
    EXPECT_TRUE(begin.hit);
    double impulse = begin.impulse;
    EXPECT_NEAR(begin.approachSpeed, speed, 2 * test::kGravity * world.settings().dt);
    EXPECT_NEAR(begin.point.x, 0.3, 1e-4);
    EXPECT_NEAR(begin.point.y, 0, 1e-3);
    EXPECT_NEAR(begin.point.z, -0.2, 1e-4);
    EXPECT_NEAR(begin.normal.y, 1, 1e-6) << "from A, the ground, to B";
    world.step();
    for (const ContactEvent& event : world.contactEvents()) impulse += event.impulse;
    const double step = mass * test::kGravity * world.settings().dt;
    EXPECT_NEAR(impulse, mass * speed * (1 + restitution), 0.01 * mass * speed + 2 * step) << "restitution " << restitution;
    if (restitution == 0) continue;
    // Off again: the end, and nothing after it.
    int ends = 0, others = 0;
    for (int k = 0; k < 10; ++k) {
      for (const ContactEvent& event : world.contactEvents()) {
        ends += event.phase == ContactPhase::End ? 1 : 0;
        others += event.phase == ContactPhase::Begin ? 1 : 0;
      }
      world.step();
    }
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(others, 0);
  }
}

TEST_P(ContactEvents, ARestingBoxPersistsAndCarriesItsWeight) {
  Scene scene;
  scene.add(test::ground());
  const int box = scene.add(bodyAt({0, 0.5, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  World world(scene, settings(100));
  world.step(60);
  const double weight = 1000 * test::kGravity * world.settings().dt;
  for (int k = 0; k < 20; ++k) {
    world.step();
    const std::vector<ContactEvent> events = world.contactEvents();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].phase, ContactPhase::Persist);
    EXPECT_EQ(events[0].bodyB.index, box);
    EXPECT_NEAR(events[0].impulse, weight, 0.01 * weight);
    EXPECT_TRUE(events[0].hit) << "a load at rest is above a small threshold";
    EXPECT_NEAR(events[0].approachSpeed, 0, 1e-3);
    EXPECT_NEAR(events[0].point.x, 0, 0.01);
    EXPECT_NEAR(events[0].point.y, 0, 2e-3);
  }
}

TEST_P(ContactEvents, TwoBallsGiveTheImpulseOfTheirSpeeds) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  ShapeDef ball = ShapeDef::sphere(0.2);
  ball.material.restitution = 1;
  scene.add(bodyAt({0.5, 0, 0}, ball, {-1.5, 0, 0}));
  scene.add(bodyAt({-0.5, 0, 0}, ball, {1.5, 0, 0}));
  World world(scene, settings(1));
  double impulse = 0;
  int begins = 0, ends = 0;
  for (int k = 0; k < 40; ++k) {
    world.step();
    for (const ContactEvent& event : world.contactEvents()) {
      impulse += event.impulse;
      begins += event.phase == ContactPhase::Begin ? 1 : 0;
      ends += event.phase == ContactPhase::End ? 1 : 0;
      if (event.phase != ContactPhase::Begin) continue;
      EXPECT_TRUE(event.hit);
      EXPECT_NEAR(event.normal.x, -1, 1e-6) << "from the first to the second";
      EXPECT_NEAR(event.approachSpeed, 3, 1e-5);
    }
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
  const double mass = 1000 * 4 / 3.0 * 3.14159265358979 * 0.2 * 0.2 * 0.2;
  EXPECT_NEAR(impulse, mass * 3, 1e-3 * mass * 3) << "reduced mass m / 2, approach 3, elastic";
}

TEST_P(ContactEvents, AFastBallHitsWhereThePlateIs) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef plate = bodyAt({0, 0, 0}, ShapeDef::box({0.01, 2, 2}));
  plate.type = BodyType::Static;
  scene.add(plate);
  scene.add(bodyAt({-3, 0.4, 0.3}, ShapeDef::sphere(0.05), {150, 0, 0}));
  World world(scene, settings(1));
  world.step(2);
  const std::vector<ContactEvent> events = world.contactEvents();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].hit);
  EXPECT_NEAR(events[0].approachSpeed, 150, 1e-3);
  EXPECT_NEAR(events[0].point.x, -0.01, 0.01);
  EXPECT_NEAR(events[0].point.y, 0.4, 1e-3);
  EXPECT_NEAR(events[0].point.z, 0.3, 1e-3);
  EXPECT_NEAR(events[0].normal.x, -1, 1e-5) << "from the plate to the ball";
}

// --- what is in them -------------------------------------------------------------------------------------------

// Begins and ends follow from which pairs touch; and that from what contacts() says where an impulse or a depth shows it.
TEST_P(ContactEvents, PhasesFollowFromWhatTouches) {
  World world(loadScene("pile:count=60,shape=mixed"), settings());
  std::set<Key> before;
  size_t begins = 0, ends = 0;
  for (int k = 0; k < 90; ++k) {
    world.step();
    const std::vector<ContactEvent> events = world.contactEvents();
    std::set<Key> now;
    for (size_t i = 0; i < events.size(); ++i) {
      const Key key = keyOf(events[i]);
      if (i > 0) {
        ASSERT_LT(keyOf(events[i - 1]), key) << "step " << k;
      }
      ASSERT_LT(events[i].bodyA.index, events[i].bodyB.index);
      const bool touched = before.count(key) > 0;
      switch (events[i].phase) {
        case ContactPhase::Begin:
          ASSERT_FALSE(touched);
          ++begins;
          break;
        case ContactPhase::Persist:
          ASSERT_TRUE(touched);
          break;
        case ContactPhase::End:
          ASSERT_TRUE(touched);
          EXPECT_EQ(events[i].impulse, 0);
          ++ends;
          break;
      }
      if (events[i].phase != ContactPhase::End) now.insert(key);
    }
    std::set<Key> ended;
    for (const ContactEvent& event : events) {
      if (event.phase == ContactPhase::End) ended.insert(keyOf(event));
    }
    for (const Key& key : before) ASSERT_TRUE(now.count(key) + ended.count(key) == 1) << "step " << k;
    for (const Contact& contact : world.contacts()) {
      if (contact.normalImpulse <= 0 && contact.separation > 0) continue;
      Key key{contact.bodyA.index, contact.bodyB.index, contact.shapeA, contact.shapeB};
      if (contact.bodyA.index > contact.bodyB.index) key = {contact.bodyB.index, contact.bodyA.index, contact.shapeB, contact.shapeA};
      ASSERT_EQ(now.count(key), 1u) << "step " << k;
    }
    before = now;
  }
  EXPECT_GT(begins, 60u);
  EXPECT_GT(ends, 5u);
}

TEST_P(ContactEvents, TellShapesOfABodyApart) {
  Scene scene;
  scene.add(test::ground());
  BodyDef table = bodyAt({0, 0.499, 0}, ShapeDef::box({0.1, 0.5, 0.1}));
  table.shapes.push_back(table.shapes[0]);
  table.shapes[0].localPose.p = {-1, 0, 0};
  table.shapes[1].localPose.p = {1, 0, 0};
  scene.add(table);
  World world(scene, settings());
  world.step(3);
  const std::vector<ContactEvent> events = world.contactEvents();
  ASSERT_EQ(events.size(), 2u);
  for (int shape = 0; shape < 2; ++shape) {
    EXPECT_EQ(events[static_cast<size_t>(shape)].shapeB, shape);
    EXPECT_NEAR(events[static_cast<size_t>(shape)].point.x, shape == 0 ? -1 : 1, 0.12);
  }
}

TEST_P(ContactEvents, ABodyThatGoesEndsWhatItTouched) {
  Scene scene;
  scene.add(test::ground());
  scene.add(bodyAt({0, 0.25, 0}, ShapeDef::box({0.25, 0.25, 0.25})));
  scene.add(bodyAt({0, 0.75, 0}, ShapeDef::box({0.25, 0.25, 0.25})));
  World world(scene, settings());
  world.step(10);
  const std::vector<ContactEvent> before = world.contactEvents();
  ASSERT_EQ(before.size(), 2u);
  const BodyId lower = world.bodies()[1];
  world.removeBody(lower);
  EXPECT_TRUE(sameEvents(world.contactEvents(), before)) << "those of the step that was done";
  BodyDef other = bodyAt({0, 0.25, 0}, ShapeDef::box({0.25, 0.25, 0.25}));
  const BodyId fresh = world.addBody(other);
  EXPECT_EQ(fresh.index, lower.index);
  world.step();
  const std::vector<ContactEvent> after = world.contactEvents();
  ASSERT_EQ(after.size(), 4u);
  int ends = 0, begins = 0;
  for (const ContactEvent& event : after) {
    const bool old = event.bodyA == lower || event.bodyB == lower, isNew = event.bodyA == fresh || event.bodyB == fresh;
    EXPECT_TRUE(old != isNew);
    EXPECT_EQ(event.phase, old ? ContactPhase::End : ContactPhase::Begin);
    ends += old ? 1 : 0;
    begins += isNew ? 1 : 0;
  }
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(begins, 2);
  world.step();
  for (const ContactEvent& event : world.contactEvents()) EXPECT_EQ(event.phase, ContactPhase::Persist);
}

TEST_P(ContactEvents, GoIntoMemoryOfTheCallers) {
  World world(loadScene("pyramid:base=4"), settings());
  world.step(5);
  const std::vector<ContactEvent> all = world.contactEvents();
  ASSERT_GT(all.size(), 4u);
  std::vector<ContactEvent> some(3);
  EXPECT_EQ(world.contactEvents(some.data(), some.size()), all.size());
  for (size_t i = 0; i < some.size(); ++i) EXPECT_TRUE(same(some[i], all[i]));
}

// --- the same wherever and however a World goes on -------------------------------------------------------------

TEST_P(ContactEvents, AreTheSameOnEveryBackendAndForAnyThreads) {
  for (const char* const name : {"pile:count=40,shape=mixed", "tower:height=5", "rubble:count=30"}) {
    const Scene scene = loadScene(name);
    WorldSettings threaded = settings(Backend::Cpu, 5);
    threaded.threads = 2;
    World world(scene, settings(5)), other(scene, threaded);
    for (int k = 0; k < 60; ++k) {
      world.step();
      other.step();
      if (k % 7 != 0) continue;  // several steps under way on a device
      ASSERT_TRUE(sameEvents(world.contactEvents(), other.contactEvents())) << name << ", step " << k;
    }
  }
}

TEST_P(ContactEvents, ChangeNoBits) {
  for (const char* const name : {"pile:count=40,shape=mixed", "billiard-break"}) {
    WorldSettings with = settings(1), without = with;
    without.contactEvents = false;
    EXPECT_EQ(test::hashAfter(loadScene(name), with, 60), test::hashAfter(loadScene(name), without, 60)) << name;
  }
}

TEST_P(ContactEvents, GoOnFromASnapshot) {
  World world(loadScene("pile:count=30,shape=mixed"), settings());
  world.step(40);
  world.removeBody(world.bodies()[7]);
  const Snapshot snapshot = world.save();
  World resumed(snapshot, settings());
  EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
  for (int k = 0; k < 10; ++k) {
    world.step();
    resumed.step();
    ASSERT_TRUE(sameEvents(world.contactEvents(), resumed.contactEvents())) << "step " << k;
    if (k == 0) {
      EXPECT_FALSE(world.contactEvents().empty());
    }
  }
}

TEST_P(ContactEvents, AnEnvironmentThatIsResetHasForgotten) {
  Scene scene;
  scene.add(test::ground());
  scene.add(bodyAt({0, 0.249, 0}, ShapeDef::box({0.25, 0.25, 0.25})));
  World world(scene, 3, settings());
  world.step(5);
  for (const ContactEvent& event : world.contactEvents()) EXPECT_EQ(event.phase, ContactPhase::Persist);
  world.resetEnvironments({0, 1, 0});
  world.step();
  const std::vector<ContactEvent> events = world.contactEvents();
  ASSERT_EQ(events.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    const ContactEvent& event = events[static_cast<size_t>(k)];
    EXPECT_EQ(world.environmentOf(event.bodyA), k);
    EXPECT_EQ(event.phase, k == 1 ? ContactPhase::Begin : ContactPhase::Persist);
  }
}

// A step that is refused has neither begun nor ended anything.
TEST_P(ContactEvents, ARefusedStepIsForgotten) {
  const Scene scene = loadScene("pile:count=20,shape=box");
  World world(scene, settings()), other(scene, settings());
  world.step(40);
  other.step(40);
  const BodyId body = world.bodies()[5];
  const BodyState state = world.state(body);
  world.setVelocity(body, {1e30, 0, 0}, {0, 1e30, 0});
  EXPECT_ANY_THROW({
    world.step();
    world.wait();
  });
  EXPECT_TRUE(world.contactEvents().empty());
  world.setVelocity(body, state.linearVelocity, state.angularVelocity);
  for (int k = 0; k < 3; ++k) {
    world.step();
    other.step();
    ASSERT_TRUE(sameEvents(world.contactEvents(), other.contactEvents())) << "step " << k;
  }
}

TEST_P(ContactEvents, EnqueuedStepsHaveThem) {
  const Scene scene = loadScene("pile:count=20,shape=box");
  World world(scene, settings()), other(scene, settings());
  world.makeRoom({4000, 2000, 0});
  world.step(3);
  other.step(3);
  for (int k = 0; k < 40; ++k) {
    world.enqueueStep();
    other.step();
    if (k % 9 != 0) continue;
    ASSERT_TRUE(sameEvents(world.contactEvents(), other.contactEvents())) << "step " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ContactEvents, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

// --- refusals --------------------------------------------------------------------------------------------------

TEST(ContactEventSettings, AreRefusedWhereTheyMakeNoSense) {
  WorldSettings settings = test::onCpu();
  for (const double threshold : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    settings.hitThreshold = threshold;
    EXPECT_THROW(validate(settings), InvalidInput) << threshold;
  }
  settings.hitThreshold = 0;
  EXPECT_NO_THROW(validate(settings));
}

TEST(ContactEventSettings, NobodyIsAskedWhoWasNotToLook) {
  World world(loadScene("tower:height=3"), test::onCpu());
  world.step();
  EXPECT_THROW(world.contactEvents(), InvalidInput);
  WorldSettings settings = test::onCpu();
  settings.contactEvents = true;
  World looking(loadScene("tower:height=3"), settings);
  EXPECT_TRUE(looking.contactEvents().empty()) << "before the first step";
}

}  // namespace
}  // namespace cairn
