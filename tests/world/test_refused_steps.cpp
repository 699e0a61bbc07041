// A World that could not get memory is as it was before. Every allocation fails once, those of the World's arrays and those of the host's own
// containers: of steps, of what changes a World, and of what asks it something. Requests to a device: tests/device/test_refused_requests.cpp.
#include "kernels/runtime/runtime.hpp"
#include "tests/runtime/failing_allocations.hpp"
#include "tests/support/seen.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <new>

namespace cairn {
namespace {

constexpr int kMostAllocations = 5000;

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

using Action = std::function<void(World&)>;

enum class Memory { OfArrays, OfTheHost };

// Runs `action` with its n-th allocation failing. Whether there was one so late.
bool refused(Memory memory, int n, const std::function<void()>& action) {
  if (memory == Memory::OfTheHost) {
    const test::FailingAllocation failing(n);
    try {
      action();
    } catch (const std::bad_alloc&) {
      return true;
    }
    return false;
  }
  failAllocation(n);
  bool thrown = false;
  try {
    action();
  } catch (const CapacityError&) {
    thrown = true;
  }
  failAllocation(0);
  return thrown;
}

void expectRefusalsToLeaveNothing(const Case& which, const Action& prepare, const Action& action, Memory memory, int least) {
  SCOPED_TRACE(which.name);
  const auto withheld = [memory](int n, const std::function<void()>& tried) { return refused(memory, n, tried); };
  test::expectRefusalsToLeaveNothing(pile(), settingsOf(which), prepare, action, withheld, least);
}

void expectRefusalsToLeaveNothing(const Action& prepare, const Action& action, int least) {
  for (const Memory memory : {Memory::OfArrays, Memory::OfTheHost}) {
    SCOPED_TRACE(memory == Memory::OfArrays ? "the World's arrays" : "the host's containers");
    expectRefusalsToLeaveNothing(cases().front(), prepare, action, memory, memory == Memory::OfArrays ? least : 0);
  }
}

void prepareNothing(World&) {}
void takeAStep(World& world) { world.step(); }
// With forces that the next step takes up.
void takeThreeSteps(World& world) {
  world.step(3);
  world.applyForce(world.bodies()[1], {0, 30, 5}, {1, 0, 0});
}

class RefusedSteps : public testing::TestWithParam<Memory> {};

TEST_P(RefusedSteps, AFirstStepThatRanOutOfMemoryCanBeTakenAgain) {
  for (const Case& which : cases()) expectRefusalsToLeaveNothing(which, prepareNothing, takeAStep, GetParam(), 1);
}

TEST_P(RefusedSteps, SoCanALaterOneThatGrowsWithItsContactsBodiesAndJoints) {
  const auto grow = [](World& world) {
    takeThreeSteps(world);
    addABodyAndAJoint(world);
  };
  for (const Case& which : cases()) expectRefusalsToLeaveNothing(which, grow, takeAStep, GetParam(), 1);
}

INSTANTIATE_TEST_SUITE_P(Memory, RefusedSteps, testing::Values(Memory::OfArrays, Memory::OfTheHost),
                         [](const auto& given) { return given.param == Memory::OfArrays ? "OfArrays" : "OfTheHost"; });

TEST(RefusedCalls, ABodyThatFoundNoRoomIsNotThereAndCanBeAddedAgain) {
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [](World& world) { world.addBody(addedBody()); }, 5);
}

// Nor does one of them stay in what a snapshot has.
TEST(RefusedCalls, ABodyOfHullsThatFoundNoRoomLeavesNone) {
  const auto bodyOfHulls = [](double width) {
    BodyDef body = bodyAt({0.3, 1.9, 0.1}, ShapeDef::hull({{0, 0, 0}, {width, 0, 0}, {0, 0.6, 0}, {0, 0, 0.5}}));
    body.shapes.push_back(ShapeDef::hull({{0, 0, 0}, {-width, 0, 0}, {0, 0.6, 0}, {0, 0, 0.5}, {0.2, 0.7, 0.4}}));
    return body;
  };
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [=](World& world) { world.addBody(bodyOfHulls(0.7)); }, 5);
  expectRefusalsToLeaveNothing(
      [=](World& world) {
        takeThreeSteps(world);
        world.addBody(bodyOfHulls(0.4));
      },
      [=](World& world) { world.addBody(bodyOfHulls(0.7)); }, 5);
}

TEST(RefusedCalls, ABodyThatCouldNotGoIsStillThere) {
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [](World& world) { world.removeBody(world.bodies()[1]); }, 0);
}

TEST(RefusedCalls, JointsThatCouldNotComeOrGo) {
  expectRefusalsToLeaveNothing(
      takeThreeSteps,
      [](World& world) {
        JointDef joint;
        joint.type = JointType::Distance;
        joint.maxDistance = 0.4;
        joint.name = "added";
        const std::vector<BodyId> bodies = world.bodies();
        world.addJoint(bodies[2], bodies[3], joint);
      },
      0);
  expectRefusalsToLeaveNothing(
      takeThreeSteps, [](World& world) { world.removeJoint(world.joints()[1]); }, 0);
}

TEST(RefusedCalls, PosesVelocitiesAndForces) {
  expectRefusalsToLeaveNothing(
      takeThreeSteps,
      [](World& world) {
        world.setPose(world.bodies()[2], {{0.4, 4, 0}, {0, 0, 0, 1}});
      },
      0);
  expectRefusalsToLeaveNothing(
      takeThreeSteps,
      [](World& world) {
        world.setVelocity(world.bodies()[2], {1, 2, 3}, {4, 5, 6});
      },
      0);
  expectRefusalsToLeaveNothing([](World& world) { world.step(2); }, [](World& world) { world.applyForce(world.bodies()[2], {40, 0, 0}); }, 0);
}

TEST(RefusedCalls, ChangesOfBodiesAndJoints) {
  const std::vector<Action> changes = {
      [](World& world) {
        world.setMaterial(world.bodies()[2], 0, {0.2, 0.5});
      },
      [](World& world) {
        world.setFilter(world.bodies()[2], 0, {2, 1, 0});
      },
      [](World& world) { world.setMass(world.bodies()[2], 3); },
      [](World& world) {
        world.setInertia(world.bodies()[2], {1, 1, 1, 0, 0, 0.25});
      },
      [](World& world) {
        world.setCentreOfMass(world.bodies()[2], {0.125, 0, 0});
      },
      [](World& world) { world.setDamping(world.bodies()[2], 1, 2); },
      [](World& world) { world.setType(world.bodies()[2], BodyType::Static); },
      [](World& world) { world.setMotor(world.joints()[0], 3, JointMotor::Velocity, 2, 50); },
      [](World& world) {
        world.setLimits(world.joints()[0], 3, {{-0.1, 0.1}});
      },
      [](World& world) {
        world.setVelocities({world.bodies()[2], world.bodies()[3]}, {{1, 2, 3}, {0, 1, 0}}, {{4, 5, 6}, {0, 0, 1}});
      },
      [](World& world) {
        world.applyForces({world.bodies()[2], world.bodies()[3]}, {{40, 0, 0}, {0, 60, 0}});
      },
      [](World& world) {
        world.applyImpulseAt(world.bodies()[2], {1, 0, 0}, {0, 1, 0});
      },
      [](World& world) { world.save(); },
  };
  for (const Action& change : changes) expectRefusalsToLeaveNothing(takeThreeSteps, change, 0);
}

TEST(RefusedCalls, Queries) {
  const std::vector<Ray> rays{{{0, 5, 0}, {0, -1, 0}, 10}, {{0.4, 5, 0}, {0, -1, 0}, 10}};
  ShapeCast cast;
  cast.pose.p = {0, 5, 0};
  cast.direction = {0, -1, 0};
  const std::vector<Action> queries = {
      [](World& world) { world.report(); },
      [rays](World& world) { world.castRays(rays); },
      [rays](World& world) { world.castRaysAll(rays); },
      [cast](World& world) {
        world.castShapes({cast});
        world.castShapesAll({cast, cast});
      },
      [cast](World& world) {
        world.overlapShapes({{cast.shape, cast.pose, {}}});
      },
      [](World& world) { world.contacts(); },
      [](World& world) { world.contactsOf(world.bodies()[2]); },
      [](World& world) { world.contactLevels(); },
      [](World& world) { world.contactProblem(); },
      [](World& world) {
        world.jointStates();
        world.states();
      },
  };
  for (const Action& query : queries) expectRefusalsToLeaveNothing(takeThreeSteps, query, 0);
}

// What a World that could not be made had taken, it gives back: address sanitizers tell.
TEST(RefusedCalls, AWorldThatCouldNotBeMade) {
  for (const Memory memory : {Memory::OfArrays, Memory::OfTheHost}) {
    int n = 1;
    for (; n < kMostAllocations; ++n) {
      if (!refused(memory, n, [] { World world(pile(), settingsOf(cases().front())); })) break;
    }
    EXPECT_GT(n, 5);
    EXPECT_LT(n, kMostAllocations);
  }
}

}  // namespace
}  // namespace cairn
