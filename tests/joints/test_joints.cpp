// Joints as a World keeps them: coming and going, names, errors, breaking, collisions of joined bodies, refused steps.
#include "tests/joints/joint_worlds.hpp"
#include "tests/support/expect.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace cairn {
namespace {

using namespace test;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A static anchor and balls of 1 kg below it, joined in a row by points.
Scene rowOf(int balls) {
  Scene scene;
  int above = scene.add(anchorAt());
  for (int k = 0; k < balls; ++k) {
    const int ball = scene.add(ballOf(1, {0, -0.5 * (k + 1), 0}));
    scene.joints.push_back(scene.joint(JointType::Point, above, ball, {{0, -0.5 * k, 0}, kNoTurn}));
    above = ball;
  }
  return scene;
}
// The joint's frames where the bodies are now.
JointDef jointHere(const World& world, JointType type, BodyId a, BodyId b, Vec3d place) {
  JointDef def;
  def.type = type;
  const Eigen::Isometry3d frame = eigen(Posed{place, kNoTurn});
  def.frameA = pose(eigen(world.state(a).pose).inverse() * frame);
  def.frameB = pose(eigen(world.state(b).pose).inverse() * frame);
  return def;
}
class Joints : public EachJointSolver {};
CAIRN_INSTANTIATE_JOINT_SOLVERS(Joints);

// --- coming and going ----------------------------------------------------------------------------------------------

TEST_P(Joints, IdsOfAScenesJointsAreHandedOutInItsOrder) {
  Scene scene = rowOf(3);
  scene.joints[1].name = "middle";
  World world(scene, settings());
  ASSERT_EQ(world.jointCount(), 3);
  const std::vector<JointId> ids = world.joints();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(ids[size_t(k)].index, k);
  EXPECT_EQ(world.findJoint("middle"), ids[1]);
  EXPECT_EQ(world.findJoint("joint-2"), ids[2]);
  EXPECT_EQ(world.jointName(ids[0]), "joint-0");
  EXPECT_EQ(world.jointName(ids[1]), "middle");
  EXPECT_EQ(world.jointState(ids[1]).bodyA, world.bodies()[1]);
  EXPECT_EQ(world.jointState(ids[1]).bodyB, world.bodies()[2]);
  EXPECT_EQ(world.jointState(ids[1]).type, JointType::Point);
  EXPECT_FALSE(world.jointState(ids[1]).broken);
  EXPECT_EQ(world.report().joints, 3);
  EXPECT_EQ(world.jointStates().size(), 3u);
}

TEST_P(Joints, ARemovedJointActsNoLonger) {
  World world(rowOf(1), settings());
  world.step(30);
  EXPECT_NEAR(world.states()[1].pose.p.y, -0.5, 1e-3);
  world.removeJoint(world.joints()[0]);
  EXPECT_EQ(world.jointCount(), 0);
  EXPECT_TRUE(world.jointStates().empty());
  world.step(30);
  EXPECT_LT(world.states()[1].pose.p.y, -1.6);
}

TEST_P(Joints, AnAddedJointHolds) {
  Scene scene = rowOf(1);
  scene.joints.clear();
  World world(scene, settings());
  world.step(30);
  const std::vector<BodyId> bodies = world.bodies();
  const double there = world.states()[1].pose.p.y;
  EXPECT_LT(there, -1.6);
  const JointId id = world.addJoint(bodies[0], bodies[1], jointHere(world, JointType::Point, bodies[0], bodies[1], {0, 0, 0}));
  EXPECT_EQ(world.jointState(id).bodyA, bodies[0]);
  EXPECT_EQ(length(world.jointState(id).force), 0);
  world.step(60);
  EXPECT_NEAR(world.states()[1].pose.p.y, there, 1e-2);
  EXPECT_LT(world.jointState(id).error, 1e-3);
}

TEST_P(Joints, SlotsAreReusedWithANewGeneration) {
  World world(rowOf(3), settings());
  world.step();
  const std::vector<BodyId> bodies = world.bodies();
  const std::vector<JointId> before = world.joints();
  world.removeJoint(before[1]);
  EXPECT_THROW(world.jointState(before[1]), InvalidInput);
  EXPECT_THROW(world.removeJoint(before[1]), InvalidInput);
  EXPECT_THROW(world.jointName(before[1]), InvalidInput);
  EXPECT_THROW(world.setMotor(before[1], 3, JointMotor::Off, 0, 0), InvalidInput);
  const JointId fresh = world.addJoint(bodies[1], bodies[2], jointHere(world, JointType::Point, bodies[1], bodies[2], {0, -0.5, 0}));
  EXPECT_EQ(fresh.index, before[1].index);
  EXPECT_NE(fresh.generation, before[1].generation);
  EXPECT_NE(fresh, before[1]);
  EXPECT_THROW(world.jointState(before[1]), InvalidInput);
  EXPECT_EQ(world.joints()[1], fresh);
  world.step(60);
  EXPECT_LT(world.report().jointErrorMax, 1e-3);
}

TEST_P(Joints, JointsComeAndGoWhileOthersAct) {
  World world(rowOf(4), settings());
  const std::vector<BodyId> bodies = world.bodies();
  Source source(3);
  for (int k = 0; k < 40; ++k) {
    const JointId extra = world.addJoint(bodies[size_t(source.below(4)) + 1], bodies[0], [&] {
      JointDef rope;
      rope.type = JointType::Distance;
      rope.maxDistance = 10;
      return rope;
    }());
    world.step(2);
    world.removeJoint(extra);
    world.step();
  }
  EXPECT_EQ(world.jointCount(), 4);
  EXPECT_LT(world.report().jointErrorMax, 1e-3);
  EXPECT_NEAR(world.states()[4].pose.p.y, -2, 5e-3);
}

TEST_P(Joints, RemovingABodyRemovesItsJoints) {
  World world(rowOf(4), settings());
  world.step(10);
  const std::vector<JointId> joints = world.joints();
  world.removeBody(world.bodies()[2]);
  EXPECT_EQ(world.joints(), (std::vector<JointId>{joints[0], joints[3]}));
  EXPECT_THROW(world.jointState(joints[1]), InvalidInput);
  world.step(60);
  EXPECT_NEAR(world.states()[1].pose.p.y, -0.5, 1e-3);
  EXPECT_LT(world.states()[2].pose.p.y, -5);  // the two below fall together
  EXPECT_LT(world.jointState(joints[3]).error, 1e-3);
  // The slot of the removed body goes to another one, which the old joints must not hold.
  const BodyId fresh = world.addBody(ballOf(1, {3, 0, 0}));
  world.step(30);
  EXPECT_LT(world.state(fresh).pose.p.y, -1);
}

// --- names and errors ----------------------------------------------------------------------------------------------

TEST_P(Joints, NamesAreUniqueAndFreeAgainAfterRemoval) {
  World world(rowOf(2), settings());
  const std::vector<BodyId> bodies = world.bodies();
  JointDef def = jointHere(world, JointType::Point, bodies[0], bodies[2], {0, 0, 0});
  def.name = "rope";
  const JointId first = world.addJoint(bodies[0], bodies[2], def);
  EXPECT_EQ(world.findJoint("rope"), first);
  EXPECT_NE(messageOf([&] { world.addJoint(bodies[0], bodies[1], def); }).find("rope"), std::string::npos);
  EXPECT_EQ(world.jointCount(), 3);
  world.removeJoint(first);
  EXPECT_THROW(world.findJoint("rope"), InvalidInput);
  EXPECT_THROW(world.findJoint("joint-17"), InvalidInput);
  const JointId second = world.addJoint(bodies[0], bodies[2], def);
  EXPECT_EQ(world.findJoint("rope"), second);
}

TEST_P(Joints, BodiesThatCannotBeJoinedAreRefusedAndNothingChanges) {
  Scene scene = rowOf(2);
  scene.add(anchorAt({5, 0, 0}));
  scene.add(anchorAt({6, 0, 0}, BodyType::Kinematic));
  World world(scene, settings());
  const std::vector<BodyId> bodies = world.bodies();
  const JointDef def;
  EXPECT_THROW(world.addJoint(bodies[1], bodies[1], def), InvalidInput);
  EXPECT_THROW(world.addJoint(bodies[0], bodies[3], def), InvalidInput);  // both static
  EXPECT_THROW(world.addJoint(bodies[3], bodies[4], def), InvalidInput);  // static and kinematic
  EXPECT_THROW(world.addJoint(bodies[1], BodyId{99, 0}, def), InvalidInput);
  EXPECT_THROW(world.addJoint(BodyId{}, bodies[1], def), InvalidInput);
  world.removeBody(bodies[2]);
  EXPECT_THROW(world.addJoint(bodies[1], bodies[2], def), InvalidInput);  // removed
  EXPECT_THROW(world.jointState(JointId{}), InvalidInput);
  EXPECT_THROW(world.jointState(JointId{7, 0}), InvalidInput);
  EXPECT_THROW(world.removeJoint(JointId{0, 5}), InvalidInput);
  JointDef bad;
  bad.type = JointType::Gear;
  bad.ratio = 0;
  EXPECT_NE(messageOf([&] { world.addJoint(bodies[0], bodies[1], bad); }).find("ratio"), std::string::npos);
  EXPECT_EQ(world.jointCount(), 1);
  world.step(30);
  EXPECT_NEAR(world.states()[1].pose.p.y, -0.5, 1e-3);
}

TEST_P(Joints, MotorsAreCheckedAndTakeEffect) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  const int base = scene.add(anchorAt()), wheel = scene.add(ballOf(1, {0, 0, 0}));
  scene.joints = {scene.joint(JointType::Hinge, base, wheel, {{0, 0, 0}, kNoTurn})};
  World world(scene, settings());
  const JointId hinge = world.joints()[0];
  for (const int axis : {0, 2, 4, 5, 6, -1}) EXPECT_THROW(world.setMotor(hinge, axis, JointMotor::Velocity, 1, 1), InvalidInput) << axis;
  EXPECT_THROW(world.setMotor(hinge, 3, JointMotor::Velocity, std::nan(""), 1), InvalidInput);
  try {
    world.setMotor(hinge, 3, JointMotor::Velocity, 1, -1);
    FAIL();
  } catch (const InvalidInput& error) {  // the joint is named once
    EXPECT_STREQ(error.what(),
                 ("joint '" + world.jointName(hinge) + "': /axes/about_x/motor/max_force: must be a number >= 0 or infinity, is -1").c_str());
  }
  EXPECT_THROW(world.setMotor(hinge, 3, JointMotor::Velocity, 1, 0), InvalidInput);
  const auto spin = [&] { return world.states()[1].angularVelocity.x; };
  world.step();
  EXPECT_EQ(spin(), 0);
  world.setMotor(hinge, 3, JointMotor::Velocity, 4, kInfinity);
  world.step();
  EXPECT_NEAR(spin(), 4, 1e-5);
  world.setMotor(hinge, 3, JointMotor::Velocity, -3, 1e4);
  world.step();
  EXPECT_NEAR(spin(), -3, 1e-5);
  world.setMotor(hinge, 3, JointMotor::Position, 1.0, kInfinity);
  world.step(60);
  EXPECT_NEAR(world.jointState(hinge).coordinates[3], 1, 1e-3);
  EXPECT_NEAR(spin(), 0, 1e-3);
  world.setMotor(hinge, 3, JointMotor::Off, 0, 0);
  world.setVelocity(world.bodies()[1], {0, 0, 0}, {2, 0, 0});
  world.step(10);
  EXPECT_NEAR(spin(), 2, 1e-4);
}

// --- breaking ------------------------------------------------------------------------------------------------------

TEST_P(Joints, BreakAboveTheirImpulseAndNotBelow) {
  const double impulse = 1 * kGravity / 60;  // of the weight in a step
  for (const double share : {0.9, 1.1}) {
    Scene scene = rowOf(2);
    scene.joints[1].breakImpulse = share * impulse;
    World world(scene, settings());
    world.step(90);
    const std::vector<JointState> states = world.jointStates();
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[1].broken, share < 1);
    EXPECT_FALSE(states[0].broken);
    EXPECT_NEAR(world.states()[1].pose.p.y, -0.5, 1e-3);
    if (share < 1) {
      EXPECT_LT(world.states()[2].pose.p.y, -8);
      EXPECT_EQ(length(states[1].force), 0);
      EXPECT_LT(world.report().jointErrorMax, 1e-3);  // a broken joint has no error
    } else {
      EXPECT_NEAR(world.states()[2].pose.p.y, -1, 2e-3);
    }
    EXPECT_EQ(world.jointCount(), 2);
    world.removeJoint(world.joints()[1]);
    EXPECT_EQ(world.jointCount(), 1);
  }
}

// --- collisions ----------------------------------------------------------------------------------------------------

TEST_P(Joints, JoinedBodiesCollideIfTheyAreToldTo) {
  for (const bool collide : {false, true}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    scene.add(boxOf(1, {0, 0, 0}, {0.5, 0.5, 0.5}));
    scene.add(boxOf(1, {0.8, 0.2, 0}, {0.5, 0.5, 0.5}));
    JointDef rope = scene.joint(JointType::Distance, 0, 1, {{0, 0, 0}, kNoTurn});
    rope.maxDistance = 100;
    rope.collide = collide;
    scene.joints = {rope};
    World world(scene, settings());
    world.step(60);
    const double apart = length(world.states()[1].pose.p - world.states()[0].pose.p);
    if (collide) {
      EXPECT_GT(apart, 0.95);
    } else {
      EXPECT_TRUE(world.contacts().empty());
      EXPECT_NEAR(apart, std::hypot(0.8, 0.2), 1e-6);
      // And again once nothing joins them.
      world.removeJoint(world.joints()[0]);
      world.step(60);
      EXPECT_GT(length(world.states()[1].pose.p - world.states()[0].pose.p), 0.95);
    }
  }
}
TEST_P(Joints, OneOfTwoJointsThatForbidsCollisionsIsEnough) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(boxOf(1, {0, 0, 0}, {0.5, 0.5, 0.5}));
  scene.add(boxOf(1, {0.8, 0, 0}, {0.5, 0.5, 0.5}));
  JointDef rope = scene.joint(JointType::Distance, 0, 1, {{0, 0, 0}, kNoTurn});
  rope.maxDistance = 100;
  scene.joints = {rope, rope};
  scene.joints[1].collide = true;
  World world(scene, settings());
  world.step(5);
  EXPECT_TRUE(world.contacts().empty());
  world.removeJoint(world.joints()[0]);
  world.step(5);
  EXPECT_FALSE(world.contacts().empty());
}

// --- refused steps -------------------------------------------------------------------------------------------------

TEST_P(Joints, AStepThatFailsLeavesBodiesAndJointsAsTheyWere) {
  Scene scene = rowOf(3);
  const int a = scene.add(ballOf(1, {4, 0, 0})), b = scene.add(ballOf(2, {4, 1, 0}));
  scene.joints.push_back(scene.joint(JointType::Gear, a, b, {{4, 0, 0}, kNoTurn}));
  scene.bodies[size_t(a)].angularVelocity = {5, 0, 0};
  World tried(scene, settings()), calm(scene, settings());
  tried.step(20);
  calm.step(20);
  const BodyId last = tried.bodies()[3];
  const BodyState before = tried.state(last);
  const double fast = settings().precision == Precision::Float ? 3e38 : 1e308;
  tried.setVelocity(last, {fast, fast, 0}, {0, 0, 0});
  const uint64_t hash = tried.stateHash();
  EXPECT_THROW(tried.step(), NonFiniteState);
  EXPECT_EQ(tried.stateHash(), hash);
  EXPECT_EQ(tried.jointCount(), 4);
  // With the velocity that it had the two go on alike: impulses to start from and the gear's phase are what they were.
  tried.setVelocity(last, before.linearVelocity, before.angularVelocity);
  EXPECT_EQ(tried.stateHash(), calm.stateHash());
  tried.step(20);
  calm.step(20);
  EXPECT_EQ(tried.stateHash(), calm.stateHash());
  EXPECT_EQ(tried.jointStates()[3].coordinates[0], calm.jointStates()[3].coordinates[0]);
}

TEST_P(Joints, BodiesAreAddedWhileJointsAct) {
  World world(rowOf(3), settings());
  world.step(5);
  for (int k = 0; k < 200; ++k) world.addBody(ballOf(1, {2.0 + k, 0, 0}));
  world.step(25);
  EXPECT_LT(world.report().jointErrorMax, 1e-3);
  EXPECT_NEAR(world.states()[3].pose.p.y, -1.5, 2e-3);
  for (int k = 0; k < 200; ++k) EXPECT_NEAR(world.states()[size_t(4 + k)].pose.p.y, world.states()[4].pose.p.y, 1e-9);
}

TEST_P(Joints, ABrokenJointExertsNothingThoughItIsTheOnlyOne) {
  Scene scene = rowOf(1);
  scene.joints[0].breakImpulse = 0.01;
  World world(scene, settings());
  world.step(30);
  EXPECT_TRUE(world.jointStates()[0].broken);
  EXPECT_LT(world.states()[1].pose.p.y, -1);
  EXPECT_EQ(length(world.jointStates()[0].force), 0);
}

TEST_P(Joints, ANewJointInAnOldOnesSlotHasNothingOfIt) {
  Scene scene = rowOf(2);
  World world(scene, settings());
  world.step(30);
  const std::vector<BodyId> bodies = world.bodies();
  world.removeJoint(world.joints()[1]);
  world.setPose(bodies[2], {{5, 0, 0}, kNoTurn});
  world.setVelocity(bodies[2], {0, 0, 0}, {0, 0, 0});
  // A gear, which exerts nothing between bodies that do not turn.
  JointDef gear;
  gear.type = JointType::Gear;
  const JointId fresh = world.addJoint(bodies[1], bodies[2], gear);
  EXPECT_EQ(fresh.index, 1);
  EXPECT_EQ(length(world.jointState(fresh).force), 0);
  world.step();
  EXPECT_EQ(length(world.jointState(fresh).force), 0);
  const double h = 1.0 / 480;
  EXPECT_NEAR(world.state(bodies[2]).linearVelocity.y, -8 * h * kGravity, 1e-5);
}

}  // namespace
}  // namespace cairn
