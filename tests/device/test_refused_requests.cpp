// A World whose device refuses something is as it was before: of every request for memory, pinned memory, streams and events in turn. What the
// World's own memory refuses on the CPU: tests/world/test_refused_steps.cpp.
#include "tests/device/arena.hpp"
#include "tests/device/emulated_devices.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/seen.hpp"

#include <cairn/error.hpp>
#include <cairn/reference.hpp>
#include <cairn/world.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace cairn {
namespace {

using emulated::settings;
using test::nowAndLater;
using test::Seen;
using test::seenOf;

constexpr int kMostRequests = 2000;
constexpr int kStepsAfterwards = 10;

using Action = std::function<void(World&)>;

class RefusedRequests : public emulated::EmulatedDevices {};

WorldSettings onTheDevice() {
  WorldSettings wanted;
  wanted.backend = Backend::Cuda;
  wanted.threads = 1;
  wanted.substeps = 1;
  wanted.relaxations = 1;
  return wanted;
}

// Balls that reach the ground one after the other, so that contacts come to later steps, and a pendulum of two among them.
Scene fallingBalls() {
  Scene scene;
  scene.add(test::ground());
  for (int k = 0; k < 6; ++k) scene.add(test::bodyAt({0.19 * k, 0.11 + 0.008 * k * k, 0}, ShapeDef::sphere(0.1), {0, -1, 0}));
  BodyDef anchor;
  anchor.type = BodyType::Static;
  anchor.pose.p = {0, 3, 0};
  scene.add(anchor);
  for (int k = 0; k < 2; ++k) {
    scene.add(test::bodyAt({0.5 + 0.5 * k, 3, 0}, ShapeDef::sphere(0.1)));
    JointDef joint;
    joint.type = k == 0 ? JointType::Hinge : JointType::Point;
    joint.bodyA = 7 + k;
    joint.bodyB = 8 + k;
    joint.frameB.p = {-0.5, 0, 0};
    if (k == 0) joint.axes[3].limits = {{-0.2, 0.2}};
    scene.joints.push_back(joint);
  }
  return scene;
}

// Amid the others, with more shapes than there was room for.
BodyDef addedBody() {
  BodyDef body = test::bodyAt({0.3, 0.9, 0.1}, ShapeDef::sphere(0.1));
  body.name = "added";
  for (int k = 0; k < 20; ++k) {
    body.shapes.push_back(ShapeDef::sphere(0.1));
    body.shapes.back().localPose.p = {0, 0.05 * k, 0};
  }
  return body;
}

void addAJoint(World& world) {
  JointDef joint;
  joint.type = JointType::Distance;
  joint.maxDistance = 0.4;
  joint.name = "added";
  const std::vector<BodyId> bodies = world.bodies();
  world.addJoint(bodies[1], bodies[2], joint);
}

struct Attempt {
  bool refused = false;  // the request was made
  bool thrown = false;
};
Attempt attempt(int n, const std::function<void()>& action) {
  Attempt made;
  settings().failRequest = n;
  try {
    action();
  } catch (const CapacityError&) {
    made.thrown = true;
  } catch (const DeviceError&) {
    made.thrown = true;
  }
  made.refused = settings().failRequest == 0;
  settings().failRequest = 0;
  return made;
}
bool refused(int n, const std::function<void()>& action) {
  const Attempt made = attempt(n, action);
  EXPECT_EQ(made.thrown, made.refused) << "request " << n << " was refused, and nobody said so";
  return made.refused;
}

void expectRefusalsToLeaveNothing(const Action& prepare, const Action& action, int least) {
  test::expectRefusalsToLeaveNothing(fallingBalls(), onTheDevice(), prepare, action, refused, least);
}

void prepareNothing(World&) {}
void takeThreeSteps(World& world) { world.step(3); }

TEST_F(RefusedRequests, OfAFirstStep) {
  expectRefusalsToLeaveNothing(
      prepareNothing, [](World& world) { world.step(); }, 20);
}

TEST_F(RefusedRequests, OfAStepWithANewBodyANewJointAndForces) {
  expectRefusalsToLeaveNothing(
      [](World& world) {
        world.step(2);
        world.addBody(addedBody());
        addAJoint(world);
        world.applyForce(world.bodies()[1], {0, 30, 5}, {1, 0, 0});
      },
      [](World& world) { world.step(); }, 20);
}

TEST_F(RefusedRequests, OfANewBody) {
  expectRefusalsToLeaveNothing(
      [](World& world) {
        world.step(3);
        world.applyForce(world.bodies()[1], {0, 30, 5}, {1, 0, 0});
      },
      [](World& world) { world.addBody(addedBody()); }, 5);
}

TEST_F(RefusedRequests, OfANewJoint) { expectRefusalsToLeaveNothing(takeThreeSteps, addAJoint, 0); }

TEST_F(RefusedRequests, OfAForce) {
  expectRefusalsToLeaveNothing(
      takeThreeSteps,
      [](World& world) {
        world.applyForce(world.bodies()[1], {0, 30, 5}, {1, 0, 0});
      },
      1);
}

TEST_F(RefusedRequests, OfQueries) {
  const std::vector<Ray> rays{{{0, 5, 0}, {0, -1, 0}, 10}, {{0.4, 5, 0}, {0, -1, 0}, 10}};
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [](World& world) { world.report(); }, 10);
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [rays](World& world) { world.castRays(rays); }, 5);
  expectRefusalsToLeaveNothing(
      takeThreeSteps,
      [](World& world) {
        world.contacts();
        world.contactLevels();
        world.contactProblem();
        world.accelerationProblem();
        world.jointStates();
        world.states();
      },
      5);
}

// Steps that are queued, some of which do not keep to their plan: where they end after a refusal is a place that the World came through before.
void expectQueuedStepsToLeaveNothing(bool recorded) {
  constexpr int kBefore = 1, kQueued = 8;
  Scene scene = fallingBalls();
  // All of these touch the ground in one step: more than plans allow for.
  for (int k = 0; k < 300; ++k) scene.add(test::bodyAt({3 + 0.3 * (k % 20), 0.15, 0.3 * (k / 20)}, ShapeDef::sphere(0.1)));
  WorldSettings wanted = onTheDevice();
  wanted.cudaGraph = recorded;
  const auto prepare = [](World& world) {
    world.step(kBefore);
    world.applyForce(world.bodies()[1], {0, 30, 5}, {1, 0, 0});
  };
  World reference(scene, wanted);
  prepare(reference);
  std::vector<std::string> story{seenOf(reference)};  // after each step
  for (int k = 0; k < kQueued + kStepsAfterwards; ++k) {
    reference.step();
    story.push_back(seenOf(reference));
  }
  int n = 1;
  std::vector<int> ends;
  for (; n < kMostRequests; ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    World world(scene, wanted);
    prepare(world);
    const auto stepAndWait = [&] {
      world.step(kQueued);
      world.wait();
    };
    if (!refused(n, stepAndWait)) break;
    const long done = world.report().step - kBefore;
    ASSERT_GE(done, 0);
    ASSERT_LE(done, kQueued);
    ends.push_back(static_cast<int>(done));
    const auto at = static_cast<size_t>(done);
    ASSERT_EQ(nowAndLater(world), (Seen{story[at], story[at + kStepsAfterwards]}));
  }
  ASSERT_GT(n, 5);
  EXPECT_LT(n, kMostRequests);
  EXPECT_EQ(ends.front(), 0) << "the first planned step asks for what plans need";
  EXPECT_GT(ends.back(), 2) << "later steps find more contacts, and ask for room";
}

TEST_F(RefusedRequests, OfStepsThatNobodyWaitsFor) { expectQueuedStepsToLeaveNothing(false); }
TEST_F(RefusedRequests, OfStepsThatAreRecorded) { expectQueuedStepsToLeaveNothing(true); }

// An event that cannot be had costs the times of a step, and no more: not the step, unless it had not begun.
TEST_F(RefusedRequests, OfEventsForTheTimesOfStages) {
  const Scene scene = fallingBalls();
  WorldSettings wanted = onTheDevice();
  World reference(scene, wanted);
  std::vector<uint64_t> hashes{reference.stateHash()};
  for (int k = 0; k < 4; ++k) {
    reference.step();
    hashes.push_back(reference.stateHash());
  }
  wanted.stageTimes = true;
  int n = 1, spoilt = 0;
  for (; n < kMostRequests; ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    World world(scene, wanted);
    const Attempt made = attempt(n, [&] { world.step(); });
    if (!made.refused) break;
    const size_t done = made.thrown ? 0 : 1;
    ASSERT_EQ(world.stateHash(), hashes[done]);
    if (made.thrown) {
      EXPECT_NO_THROW(world.stageTimes());
    } else {
      ++spoilt;
      EXPECT_THROW(world.stageTimes(), DeviceError);
    }
    world.step(2);
    ASSERT_EQ(world.stateHash(), hashes[done + 2]);
    EXPECT_GE(world.stageTimes().size(), 5u);
    EXPECT_FALSE(world.report().stages.empty());
  }
  EXPECT_GT(spoilt, 5);
}

// A World that could not be made leaves nothing behind.
TEST_F(RefusedRequests, OfAWorld) {
  const Scene scene = fallingBalls();
  int n = 1;
  for (; n < kMostRequests; ++n) {
    const size_t before = emulated::bytesInUse(0);
    if (!refused(n, [&] { World world(scene, onTheDevice()); })) break;
    EXPECT_EQ(emulated::bytesInUse(0), before) << "request " << n;
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "request " << n;
  }
  EXPECT_GT(n, 5);
}

}  // namespace
}  // namespace cairn
