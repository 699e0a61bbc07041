// Joints that ask for what cannot be had: that contradict each other, whirl, pull with any force. They stay finite, say how far they are off, and do
// not feed energy into what they hold; contacts win against motors.
#include "tests/joints/joint_worlds.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn {
namespace {

using namespace test;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kHalf = std::sqrt(0.5);

class ExtremeJoints : public EachJointSolver {};
CAIRN_INSTANTIATE_JOINT_SOLVERS(ExtremeJoints);

void drive(JointAxis& axis, double speed, double force) {
  axis.motor = JointMotor::Velocity;
  axis.target = speed;
  axis.maxForce = force;
}

// --- contradictions ------------------------------------------------------------------------------------------------

// Three balls on the ground, tied to each other at 1 m, 1 m and `third`.
Scene triangle(double third) {
  Scene scene;
  scene.add(ground());
  for (int k = 0; k < 3; ++k) scene.add(bodyAt({0.58 * std::cos(2.0944 * k), 0.6, 0.58 * std::sin(2.0944 * k)}, ShapeDef::sphere(0.1)));
  for (int k = 0; k < 3; ++k) {
    JointDef joint;
    joint.type = JointType::Distance;
    joint.bodyA = 1 + k;
    joint.bodyB = 1 + (k + 1) % 3;
    joint.minDistance = joint.maxDistance = k == 2 ? third : 1.0;
    scene.joints.push_back(joint);
  }
  return scene;
}

TEST_P(ExtremeJoints, ATriangleThatCannotCloseShares) {
  for (const double third : {2.01, 2.1, 5.0}) {
    SCOPED_TRACE(third);
    World world(triangle(third), settings());
    const JointCourse course = follow(world, 600);
    EXPECT_LT(course.fastest, 8) << "it fell by half a metre, and stretched at 3 m/s";
    EXPECT_LT(world.report().maxSpeed, 0.5) << "balls roll on, but nothing more";
    const double missing = third - 2;
    EXPECT_NEAR(world.report().jointErrorMax, missing, 0.7 * missing) << "no joint hides what is missing";
  }
}

// Three wheels in a circle that all mesh cannot turn, whatever drives them.
TEST_P(ExtremeJoints, GearsThatBlockEachOtherHoldAMotor) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(anchorAt({0, 0, -1}));
  for (int k = 0; k < 3; ++k) scene.add(bodyAt({1.0 * k, 0, 0}, ShapeDef::box({0.2, 0.3, 0.3})));
  for (int k = 0; k < 3; ++k) {
    JointDef hinge;
    hinge.type = JointType::Hinge;
    hinge.bodyB = 1 + k;
    hinge.bodyA = 0;
    hinge.frameA.p = {1.0 * k, 0, 1};
    if (k == 0) drive(hinge.axes[3], 5, kInfinity);
    scene.joints.push_back(hinge);
    JointDef gear;
    gear.type = JointType::Gear;
    gear.bodyA = 1 + k;
    gear.bodyB = 1 + (k + 1) % 3;
    scene.joints.push_back(gear);
  }
  World world(scene, settings());
  follow(world, 300);
  const double slipped = world.report().jointAngularErrorMax;
  follow(world, 600);
  EXPECT_LT(slipped, 2);
  EXPECT_NEAR(world.report().jointAngularErrorMax, slipped, 0.01) << "they slip on";
}

TEST_P(ExtremeJoints, ARopeThatBeginsFarTooLongIsHauledIn) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(anchorAt({0, 0, 0}));
  scene.add(bodyAt({30, 0, 0}, ShapeDef::sphere(0.1)));
  JointDef rope;
  rope.type = JointType::Distance;
  rope.bodyA = 0;
  rope.bodyB = 1;
  rope.maxDistance = 1;
  scene.joints.push_back(rope);
  World world(scene, settings());
  const JointCourse course = follow(world, 900);
  EXPECT_LT(course.fastest, 3.1) << "maxCorrectionSpeed";
  EXPECT_LT(world.report().jointErrorMax, 0.01);
}

TEST_P(ExtremeJoints, ALimitThatIsFarAwayIsGoneTo) {
  Scene scene;
  scene.add(anchorAt({0, 0, 0}));
  scene.add(bodyAt({0.5, 0, 0}, ShapeDef::box({0.3, 0.1, 0.2})));
  JointDef slide;
  slide.type = JointType::Prismatic;
  slide.bodyA = 0;
  slide.bodyB = 1;
  slide.axes[0].limits = {{100, 101}};
  scene.joints.push_back(slide);
  World world(scene, settings());
  const double before = world.report().jointErrorMax;
  const JointCourse course = follow(world, 300);
  EXPECT_LT(course.fastest, 3.1);
  EXPECT_LT(world.report().jointErrorMax, before);
}

// --- motors ----------------------------------------------------------------------------------------------------------

TEST_P(ExtremeJoints, NoMotorPushesThroughAWall) {
  for (const double force : {1e3, 1e6, 1e9, kInfinity}) {
    for (const double speed : {1.0, 10.0}) {
      SCOPED_TRACE(testing::Message() << force << " N at " << speed << " m/s");
      Scene scene;
      scene.gravity = {0, 0, 0};
      BodyDef wall = bodyAt({2, 0, 0}, ShapeDef::box({0.5, 1, 1}));
      wall.type = BodyType::Static;
      scene.add(wall);
      scene.add(bodyAt({0.5, 0, 0}, ShapeDef::box({0.25, 0.25, 0.25})));
      JointDef ram;
      ram.type = JointType::Prismatic;
      ram.bodyA = 0;
      ram.bodyB = 1;
      ram.collide = true;
      ram.frameA.p = {-2, 0, 0};
      drive(ram.axes[0], speed, force);
      scene.joints.push_back(ram);
      World world(scene, settings());
      follow(world, 300);
      // What a contact takes back in a substep is a speed: the depth goes with the substep.
      EXPECT_LT(world.states()[1].pose.p.x, 1.25 + 0.16 / world.settings().substeps);
      const double used = world.jointStates()[0].force.x;
      EXPECT_GT(used, 0.99 * std::min(force, 1e6));
      EXPECT_LE(used, 1.01 * force);
    }
  }
}

TEST_P(ExtremeJoints, AMotorOfAnySpeedKeepsItsHinge) {
  for (const double speed : {100.0, 1e4, 1e6}) {
    SCOPED_TRACE(speed);
    Scene scene;
    scene.add(anchorAt({0, 0, 0}));
    scene.add(bodyAt({0.5, 0, 0}, ShapeDef::box({0.5, 0.05, 0.05})));
    JointDef hinge;
    hinge.type = JointType::Hinge;
    hinge.bodyA = 0;
    hinge.bodyB = 1;
    hinge.frameB.p = {-0.5, 0, 0};
    hinge.frameA.q = hinge.frameB.q = {0, 0, kHalf, kHalf};
    drive(hinge.axes[3], speed, kInfinity);
    scene.joints.push_back(hinge);
    World world(scene, settings());
    const JointCourse course = follow(world, 300);
    EXPECT_GT(course.fastest, 49);
    EXPECT_LT(course.offset, direct() ? 1e-3 : 0.1);
  }
}

// --- whirls ----------------------------------------------------------------------------------------------------------

Scene whirledChain(double spin) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef root = bodyAt({0, 0, 0}, ShapeDef::sphere(0.05));
  root.type = BodyType::Kinematic;
  root.angularVelocity = {0, spin, 0};
  scene.add(root);
  for (int k = 0; k < 10; ++k) {
    BodyDef link = bodyAt({0.75 + 0.5 * k, 0, 0}, ShapeDef::box({0.25, 0.03, 0.03}));
    link.angularVelocity = {0, spin, 0};
    link.linearVelocity = {0, 0, -spin * link.pose.p.x};
    scene.add(link);
    JointDef joint;
    joint.bodyA = k;
    joint.bodyB = k + 1;
    joint.frameA.p = {k == 0 ? 0.5 : 0.25, 0, 0};
    joint.frameB.p = {-0.25, 0, 0};
    scene.joints.push_back(joint);
  }
  return scene;
}

// Centrifugal force pulls the root with 25,000 times the weight of a link. What the sweeps cannot hold is refused by name, and not only once it is
// infinite: before it has let go of a joint by more than its arms, and has doubled its energy.
TEST_P(ExtremeJoints, AWhirledChainHoldsOrIsRefusedByName) {
  for (const double spin : {10.0, 20.0, 25.0, 30.0, 60.0, 100.0}) {
    SCOPED_TRACE(spin);
    World world(whirledChain(spin), settings());
    const double tip = spin * 5.25;
    if (direct() || spin <= 10) {
      const JointCourse course = follow(world, 300);
      EXPECT_LT(course.offset, direct() ? 1e-3 : 0.02);
      EXPECT_LT(course.fastest, 1.1 * tip);
      continue;
    }
    const double energy = world.report().kineticEnergy;
    double most = 0, error = 0;
    try {
      for (int k = 0; k < 300; ++k) {
        world.step();
        const StepReport report = world.report();
        most = std::max(most, report.kineticEnergy);
        error = std::max(error, report.jointErrorMax);
      }
      EXPECT_LT(spin, 30) << "what whirls faster is beyond the sweeps";
    } catch (const TornJoint& torn) {
      EXPECT_EQ(torn.joint.substr(0, 6), "joint-");
      EXPECT_NE(std::string(torn.what()).find("came apart"), std::string::npos);
      EXPECT_TRUE(std::isfinite(world.report().kineticEnergy));
    }
    EXPECT_LT(most, 2 * energy);
    EXPECT_LT(error, 0.75) << "the arms of the first joint";
  }
}

// A turbine turns as fast as it likes about its axle. With another number of substeps it is another speed: where a substep turns it by two thirds of
// a turn beyond whole ones, it loses some.
TEST(FastWheels, AreNotTorn) {
  Scene scene;
  scene.add(anchorAt());
  BodyDef wheel = bodyAt({0, 0, 0}, ShapeDef::box({0.5, 0.05, 0.05}));
  wheel.angularVelocity = {0, 0, 1e4};
  scene.add(wheel);
  JointDef hinge;
  hinge.type = JointType::Hinge;
  hinge.bodyA = 0;
  hinge.bodyB = 1;
  hinge.frameA.q = hinge.frameB.q = {0, -kHalf, 0, kHalf};
  scene.joints.push_back(hinge);
  WorldSettings settings = onOneThread(Precision::Float);
  settings.substeps = 8;
  World world(scene, settings);
  EXPECT_NO_THROW(world.step(120));
  EXPECT_NEAR(world.states()[1].angularVelocity.z, 1e4, 10);
}

}  // namespace
}  // namespace cairn
