// A World that could not get memory is as it was before. Every allocation of a step, of addBody and after addJoint fails once.
#include "kernels/runtime/runtime.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace cairn {
namespace {

constexpr int kMostAllocations = 1000;
constexpr int kStepsAfterwards = 2;

struct Case {
  const char* name;
  std::function<void(WorldSettings&)> set;
};

std::vector<Case> cases() {
  return {
      {"defaults", [](WorldSettings&) {}},
      {"anchors, position corrections, shocks",
       [](WorldSettings& s) {
         s.frictionStabilization = true;
         s.positionCorrections = 1;
         s.shockPropagation = true;
       }},
      {"conjugate directions to a tolerance, overflow constraints",
       [](WorldSettings& s) {
         s.solver = Solver::Nncg;
         s.tolerance = 1e-3;
         s.maxIterations = 8;
         s.maxColours = 2;
         s.precision = Precision::Double;
       }},
      {"joints swept and put right afterwards",
       [](WorldSettings& s) {
         s.jointSolver = JointSolver::Sweeps;
         s.jointStabilization = JointStabilization::Post;
       }},
  };
}

WorldSettings settingsOf(const Case& which) {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.substeps = 2;
  settings.iterations = 3;
  which.set(settings);
  return settings;
}

BodyDef bodyAt(Vec3d position, ShapeDef shape) {
  BodyDef body;
  body.pose.p = position;
  body.shapes = {shape};
  return body;
}

// Shapes of all kinds that fall on each other, and a chain among them that bounces, has a limit and breaks.
Scene pile() {
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  const std::vector<ShapeDef> shapes = {ShapeDef::box({0.5, 0.5, 0.5}), ShapeDef::sphere(0.5), ShapeDef::capsule(0.3, 0.4),
                                        ShapeDef::ellipsoid({0.5, 0.4, 0.3})};
  for (int k = 0; k < 12; ++k) {
    BodyDef body = bodyAt({0.3 * (k % 3), 0.52 + 0.9 * (k / 3), 0.25 * (k % 2)}, shapes[static_cast<size_t>(k) % shapes.size()]);
    body.shapes[0].material.restitution = k % 5 == 0 ? 0.3 : 0;
    scene.add(body);
  }
  for (int k = 0; k < 3; ++k) {
    JointDef joint;
    joint.type = k == 0 ? JointType::Hinge : JointType::Point;
    joint.bodyA = 1 + k;
    joint.bodyB = 4 + k;
    joint.frameA.p = {0, 0.45, 0};
    joint.frameB.p = {0, -0.45, 0};
    if (k == 0) joint.axes[3].limits = {{-0.2, 0.2}};
    if (k == 2) joint.breakImpulse = 0.5;
    scene.joints.push_back(joint);
  }
  return scene;
}

// Amid the others, with many shapes, so that the contacts multiply.
BodyDef addedBody() {
  BodyDef body = bodyAt({0.3, 1.6, 0.1}, ShapeDef::box({0.6, 0.7, 0.4}));
  body.name = "added";
  for (int k = 0; k < 7; ++k) {
    body.shapes.push_back(ShapeDef::sphere(0.5 + 0.05 * k));
    body.shapes.back().localPose.p = {0, 0.2 * (k - 3), 0};
  }
  return body;
}

void addABodyAndAJoint(World& world) {
  const BodyId body = world.addBody(addedBody());
  JointDef joint;
  joint.type = JointType::Point;
  joint.frameB.p = {0, 1, 0};
  world.addJoint(world.bodies()[1], body, joint);
}

std::vector<uint64_t> hashesOf(World& world, int steps) {
  std::vector<uint64_t> hashes;
  for (int k = 0; k < steps; ++k) {
    world.step();
    hashes.push_back(world.stateHash());
  }
  return hashes;
}

// Runs `action` with its n-th allocation failing. Whether there was one so late.
template <class Action> bool failed(int n, const Action& action) {
  failAllocation(n);
  bool refused = false;
  try {
    action();
  } catch (const CapacityError&) {
    refused = true;
  }
  failAllocation(0);
  return refused;
}

// A World that was prepared the same way takes a step whose n-th allocation fails, for every n, and goes on.
void expectRefusedStepsToLeaveNothing(const Case& which, const std::function<void(World&)>& prepare) {
  SCOPED_TRACE(which.name);
  const Scene scene = pile();
  World reference(scene, settingsOf(which));
  prepare(reference);
  const std::vector<uint64_t> expected = hashesOf(reference, kStepsAfterwards);
  int n = 1;
  for (; n < kMostAllocations; ++n) {
    World world(scene, settingsOf(which));
    prepare(world);
    const uint64_t before = world.stateHash();
    const int stepsBefore = static_cast<int>(world.report().step);
    if (!failed(n, [&] { world.step(); })) break;
    ASSERT_EQ(world.stateHash(), before) << "allocation " << n;
    ASSERT_EQ(world.report().step, stepsBefore) << "allocation " << n;
    ASSERT_EQ(hashesOf(world, kStepsAfterwards), expected) << "allocation " << n;
  }
  EXPECT_GT(n, 1) << "no allocation was made to fail";
  EXPECT_LT(n, kMostAllocations);
}

TEST(RefusedSteps, AFirstStepThatRanOutOfMemoryCanBeTakenAgain) {
  for (const Case& which : cases()) expectRefusedStepsToLeaveNothing(which, [](World&) {});
}

TEST(RefusedSteps, SoCanALaterOneThatGrowsWithItsContactsBodiesAndJoints) {
  for (const Case& which : cases()) {
    expectRefusedStepsToLeaveNothing(which, [](World& world) {
      world.step(3);
      addABodyAndAJoint(world);
    });
  }
}

TEST(RefusedSteps, ABodyThatFoundNoRoomIsNotThereAndCanBeAddedAgain) {
  const Case which = cases().front();
  World reference(pile(), settingsOf(which));
  reference.step(2);
  reference.applyForce(reference.bodies()[1], {1, 0, 0}, {0, 0, 0});
  reference.addBody(addedBody());
  const std::vector<uint64_t> expected = hashesOf(reference, kStepsAfterwards);
  int n = 1;
  for (; n < kMostAllocations; ++n) {
    World world(pile(), settingsOf(which));
    world.step(2);
    world.applyForce(world.bodies()[1], {1, 0, 0}, {0, 0, 0});
    const uint64_t before = world.stateHash();
    const int bodies = world.bodyCount();
    if (!failed(n, [&] { world.addBody(addedBody()); })) break;
    EXPECT_EQ(world.stateHash(), before) << "allocation " << n;
    EXPECT_EQ(world.bodyCount(), bodies);
    EXPECT_THROW(world.findBody("added"), InvalidInput);
    world.addBody(addedBody());
    ASSERT_EQ(hashesOf(world, kStepsAfterwards), expected) << "allocation " << n;
  }
  EXPECT_GT(n, 5) << "bodies, forces and shapes grow";
  EXPECT_LT(n, kMostAllocations);
}

// Without the body, too, a World goes on as if nobody had tried.
TEST(RefusedSteps, AStepAfterABodyThatFoundNoRoomIsTheStepWithoutIt) {
  const Case which = cases().front();
  World reference(pile(), settingsOf(which));
  reference.step(2);
  const std::vector<uint64_t> expected = hashesOf(reference, kStepsAfterwards);
  for (int n = 1; n < kMostAllocations; ++n) {
    World world(pile(), settingsOf(which));
    world.step(2);
    if (!failed(n, [&] { world.addBody(addedBody()); })) break;
    ASSERT_EQ(hashesOf(world, kStepsAfterwards), expected) << "allocation " << n;
  }
}

}  // namespace
}  // namespace cairn
