// Rows on free axes: limits, motors, servos, springs, friction, against closed forms.
#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

#include <complex>

namespace cairn {
namespace {

using namespace test;

const double kStep = 1.0 / 60, kSubstep = kStep / WorldSettings{}.substeps;

class JointAxes : public EachJointSolver {};
CAIRN_INSTANTIATE_JOINT_SOLVERS(JointAxes);

// A joint between a static body and a box of 2 kg that is nowhere near any other; its axis along x of the world.
struct Rig {
  Scene scene;
  int base, box;
  explicit Rig(Vec3d gravity, Vec3d boxPlace = {0, 0, 0}) : base(scene.add(anchorAt())), box(scene.add(boxOf(2, boxPlace))) {
    scene.gravity = gravity;
  }
  JointDef& join(JointType type, Posed frame = {{0, 0, 0}, kNoTurn}) {
    scene.joints.push_back(scene.joint(type, base, box, frame));
    return scene.joints.back();
  }
};
// About x of a box of 2 kg with the default half extents: m (b^2 + c^2) / 3.
constexpr double kInertiaX = 2 * (0.15 * 0.15 + 0.2 * 0.2) / 3;

// --- limits --------------------------------------------------------------------------------------------------------

// Falls or is driven to each bound of its range, and stays there under the load.
void expectHeld(const Rig& rig, WorldSettings settings, size_t axis, double bound, double tolerance) {
  World world(rig.scene, settings);
  double low = 1e9, high = -1e9;
  for (int k = 0; k < 240; ++k) {
    world.step();
    const double at = world.jointStates()[0].coordinates[axis];
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double at = world.jointStates()[0].coordinates[axis];
  EXPECT_NEAR(at, bound, tolerance);
  const std::array<double, 2> limits = *rig.scene.joints[0].axes[axis].limits;
  // It arrives with up to 5 m/s or 5 rad/s: a substep's way of that is as far as it may be beyond for a moment.
  EXPECT_GT(low, limits[0] - 5 * kSubstep);
  EXPECT_LT(high, limits[1] + 5 * kSubstep);
}

TEST_P(JointAxes, HingeLimitsHoldFromBothSides) {
  for (const double g : {-kGravity, kGravity}) {
    // The box hangs out along z: gravity turns it about x, down for y < 0 by a positive angle.
    Rig rig({0, g, 0}, {0, 0, 0.5});
    rig.join(JointType::Hinge).axes[3].limits = {{-0.4, 0.7}};
    expectHeld(rig, settings(), 3, g < 0 ? 0.7 : -0.4, 1e-3);
  }
}
TEST_P(JointAxes, PrismaticLimitsHoldFromBothSides) {
  for (const double g : {-kGravity, kGravity}) {
    Rig rig({g, 0, 0});
    rig.join(JointType::Prismatic).axes[0].limits = {{-0.3, 0.5}};
    expectHeld(rig, settings(), 0, g < 0 ? -0.3 : 0.5, 1e-3);
  }
}
TEST_P(JointAxes, UniversalLimitsHoldFromBothSides) {
  for (const double g : {-kGravity, kGravity}) {
    Rig about_x({0, g, 0}, {0, 0, 0.5});
    JointDef& x = about_x.join(JointType::Universal);
    x.axes[3].limits = {{-0.4, 0.7}};
    x.axes[4].limits = {{-0.5, 0.5}};
    expectHeld(about_x, settings(), 3, g < 0 ? 0.7 : -0.4, 1e-3);
    Rig about_y({g, 0, 0}, {0, 0, 0.5});
    JointDef& y = about_y.join(JointType::Universal);
    y.axes[3].limits = {{-0.4, 0.7}};
    y.axes[4].limits = {{-0.5, 0.6}};
    expectHeld(about_y, settings(), 4, g < 0 ? -0.5 : 0.6, 1e-3);
  }
}
TEST_P(JointAxes, SixDofLimitsHoldFromBothSidesOnEachAxis) {
  for (size_t axis = 0; axis < 6; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      // Pushed along a linear axis; about x, y, z by gravity on an arm across it.
      const double g = sign * kGravity;
      const Vec3d gravity = axis % 3 == 0   ? Vec3d{axis == 0 ? g : 0, axis == 0 ? 0 : -g, 0}
                            : axis % 3 == 1 ? Vec3d{axis == 1 ? 0 : g, axis == 1 ? g : 0, 0}
                                            : Vec3d{0, axis == 2 ? 0 : g, axis == 2 ? g : 0};
      const Vec3d arm = axis < 3 ? Vec3d{0, 0, 0} : axis == 5 ? Vec3d{0.5, 0, 0} : Vec3d{0, 0, 0.5};
      Rig rig(gravity, arm);
      JointDef& def = rig.join(JointType::SixDof);
      def.axes[axis].free = true;
      def.axes[axis].limits = {{-0.4, 0.3}};
      expectHeld(rig, settings(), axis, sign < 0 ? -0.4 : 0.3, 1e-3);
    }
  }
}
TEST_P(JointAxes, ALimitCarriesTheWeightThatRestsOnIt) {
  Rig rig({-kGravity, 0, 0});
  rig.join(JointType::Prismatic).axes[0].limits = {{0, 1}};
  World world(rig.scene, settings());
  world.step(60);
  EXPECT_NEAR(world.jointStates()[0].force.x, 2 * kGravity, 2e-3 * 2 * kGravity);
  EXPECT_NEAR(length(world.jointStates()[0].torque), 0, 1e-3);
}

// --- motors --------------------------------------------------------------------------------------------------------

TEST_P(JointAxes, AMotorSpeedsUpAsItsTorqueAllowsAndHoldsItsSpeed) {
  Rig rig({0, 0, 0});
  JointAxis& axis = rig.join(JointType::Hinge).axes[3];
  axis.motor = JointMotor::Velocity;
  axis.target = 8;
  axis.maxForce = 0.25;
  World world(rig.scene, settings());
  const double rate = axis.maxForce / kInertiaX, arrival = axis.target / rate;
  for (int k = 1; k <= 150; ++k) {
    world.step();
    const double t = k * kStep, w = world.states()[1].angularVelocity.x;
    if (t < arrival - kSubstep) {
      EXPECT_NEAR(w, rate * t, 1e-4 * axis.target) << "step " << k;  // w = tau t / I
      EXPECT_NEAR(world.jointStates()[0].torque.x, axis.maxForce, 1e-3 * axis.maxForce);
    } else if (t > arrival + 2 * kStep) {
      EXPECT_NEAR(w, axis.target, 1e-4 * axis.target) << "step " << k;
      EXPECT_NEAR(world.jointStates()[0].torque.x, 0, 1e-3 * axis.maxForce);
    }
  }
  EXPECT_GT(150 * kStep, arrival + 2 * kStep);
  EXPECT_LT(arrival, 1.5);
}
TEST_P(JointAxes, AMotorThatIsTooWeakForAFrictionStaysWhereItIsAndAStrongerOneIsSlowed) {
  for (const double torque : {0.05, 0.2}) {
    Rig rig({0, 0, 0});
    JointAxis& axis = rig.join(JointType::Hinge).axes[3];
    axis.motor = JointMotor::Velocity;
    axis.target = 100;
    axis.maxForce = torque;
    axis.friction = 0.1;
    World world(rig.scene, settings());
    world.step(60);
    const double expected = std::max(0.0, torque - 0.1) / kInertiaX;
    EXPECT_NEAR(world.states()[1].angularVelocity.x, expected, 1e-3 * (1 + expected)) << torque;
  }
}
TEST_P(JointAxes, ASliderMotorLiftsWhatItsForceCarries) {
  for (const double force : {15.0, 30.0}) {  // of a weight of 19.62 N
    Rig rig({-kGravity, 0, 0});
    JointAxis& axis = rig.join(JointType::Prismatic).axes[0];
    axis.motor = JointMotor::Velocity;
    axis.target = 1;
    axis.maxForce = force;
    World world(rig.scene, settings());
    world.step(10);
    const double a = force / 2 - kGravity, v = world.states()[1].linearVelocity.x;
    EXPECT_NEAR(v, a * 10 * kStep, 1e-3);
  }
}
TEST_P(JointAxes, APositionServoArrivesAndHolds) {
  for (const double target : {0.8, -1.2}) {
    Rig rig({0, -kGravity, 0}, {0, 0, 0.3});
    JointAxis& axis = rig.join(JointType::Hinge).axes[3];
    axis.motor = JointMotor::Position;
    axis.target = target;
    axis.maxForce = 40;
    World world(rig.scene, settings());
    world.step(180);
    EXPECT_NEAR(world.jointStates()[0].coordinates[3], target, 2e-3);
    EXPECT_LT(length(world.states()[1].angularVelocity), 1e-3);
    // Holds against m g l cos.
    EXPECT_NEAR(world.jointStates()[0].torque.x, -2 * kGravity * 0.3 * std::cos(target), 0.02);
  }
}
// A servo sees the inertia of its two bodies, and bears a load that has many times that about the hinge: it neither swings nor shakes.
TEST_P(JointAxes, AServoHoldsALoadFarFromItsHingeAtRest) {
  for (const double arm : {1.0, 3.0}) {
    Rig rig({0, -kGravity, 0}, {0, 0, arm});
    JointAxis& axis = rig.join(JointType::Hinge).axes[3];
    axis.motor = JointMotor::Position;
    axis.target = 0;
    axis.maxForce = 1e4;
    World world(rig.scene, settings());
    world.step(600);
    // It sags by half a substep times its impulse over its row's mass.
    const double torque = 2 * kGravity * arm, sag = 0.5 * kSubstep * torque * kSubstep / kInertiaX;
    for (int k = 0; k < 20; ++k) {
      world.step();
      EXPECT_NEAR(world.jointStates()[0].coordinates[3], sag, 0.1 * sag + 1e-5) << arm;
      EXPECT_LT(length(world.states()[1].angularVelocity), inFloat() ? 1e-3 : 1e-5) << arm;
    }
    EXPECT_NEAR(world.jointStates()[0].torque.x, -torque, 0.01 * torque) << arm;
  }
}
// Four links, each with a servo that holds all of those behind it out level.
TEST_P(JointAxes, ServosHoldAnArmOfLinksAtRest) {
  Scene scene;
  int before = scene.add(anchorAt());
  for (int k = 0; k < 4; ++k) {
    const int link = scene.add(boxOf(1, {0, 0, 0.3 * k + 0.15}, {0.05, 0.05, 0.15}));
    scene.joints.push_back(scene.joint(JointType::Hinge, before, link, {{0, 0, 0.3 * k}, kNoTurn}));
    JointAxis& axis = scene.joints.back().axes[3];
    axis.motor = JointMotor::Position;
    axis.maxForce = 1e3;
    before = link;
  }
  World world(scene, settings());
  world.step(600);
  for (int k = 0; k < 20; ++k) {
    world.step();
    for (const BodyState& body : world.states()) EXPECT_LT(length(body.linearVelocity), inFloat() ? 1e-3 : 1e-5);
  }
  for (const JointState& joint : world.jointStates()) EXPECT_LT(std::abs(joint.coordinates[3]), 0.01);
}
TEST_P(JointAxes, AServoThatIsTooWeakSinksAndStopsWhereItsTorqueIsEnough) {
  // Holds where m g l cos a = most, if something slows it on the way.
  Rig rig({0, -kGravity, 0}, {0, 0, 0.3});
  JointAxis& axis = rig.join(JointType::Hinge).axes[3];
  axis.motor = JointMotor::Position;
  axis.target = 0;
  axis.maxForce = 3;
  axis.damping = 2;
  World world(rig.scene, settings());
  world.step(900);
  EXPECT_NEAR(world.jointStates()[0].coordinates[3], std::acos(3 / (2 * kGravity * 0.3)), 5e-3);
}

// --- springs -------------------------------------------------------------------------------------------------------

// A slider on a spring: crossings of zero and peaks, against the damped oscillation. Besides, peaks lose w^2 h / 2 of
// themselves a second by an implicit substep, and as much again by the relaxation, which asks the spring once more where the body has come to.
TEST_P(JointAxes, ASpringHasItsFrequencyAndItsDecay) {
  for (const double damping : {0.0, 2.0}) {
    const double k = 80, m = 2, decay = damping / (2 * m), w = std::sqrt(k / m - decay * decay);
    Rig rig({0, 0, 0});
    JointAxis& axis = rig.join(JointType::Prismatic).axes[0];
    axis.stiffness = k;
    axis.damping = damping;
    axis.rest = 0.1;
    rig.scene.bodies[1].pose.p.x = 0.3;
    World world(rig.scene, settings());
    std::vector<double> crossings;
    double before = 0.2, last = 0, peak = 0;
    std::vector<double> peaks;
    for (int step = 1; step <= 240; ++step) {
      world.step();
      const double x = world.states()[1].pose.p.x - 0.1;
      if (before * x < 0) {
        crossings.push_back((step - 1 + before / (before - x)) * kStep);
        peaks.push_back(peak);
        peak = 0;
      }
      peak = std::max(peak, std::abs(x));
      before = last = x;
    }
    ASSERT_GT(crossings.size(), 6u);
    const double halves = double(crossings.size() - 1);
    EXPECT_NEAR((crossings.back() - crossings.front()) / halves, kPi / w, 0.005 * kPi / w) << "damping " << damping;
    // Peaks shrink by exp(-decay T / 2) each, and by what an implicit step takes.
    const double shrink = std::log(peaks[1] / peaks.back()) / (double(peaks.size() - 2) * kPi / w);
    EXPECT_GT(shrink, decay - 0.01);
    EXPECT_LT(shrink, decay + 1.05 * (k / m) * kSubstep) << "damping " << damping;
    EXPECT_LT(std::abs(last), 0.2);
  }
}
TEST_P(JointAxes, ASpringComesToRestWhereItsForceIsTheWeight) {
  Rig rig({-kGravity, 0, 0});
  JointAxis& axis = rig.join(JointType::Prismatic).axes[0];
  axis.stiffness = 200;
  axis.damping = 20;
  axis.rest = 0.5;
  World world(rig.scene, settings());
  world.step(600);
  EXPECT_NEAR(world.states()[1].pose.p.x, 0.5 - 2 * kGravity / 200, 1e-4);
  EXPECT_NEAR(world.jointStates()[0].force.x, 2 * kGravity, 1e-3 * 2 * kGravity);
}
// Beside contacts the rows of joints that hardly turn are moved along within a step instead of being made anew: a spring has to follow all the same.
TEST_P(JointAxes, ASpringBesideABoxAtRestHasItsFrequency) {
  Rig rig({0, -kGravity, 0});
  rig.join(JointType::Prismatic).axes[0].stiffness = 80;
  const double amplitude = 0.004;  // no way that would have it made anew
  rig.scene.bodies[1].pose.p.x = amplitude;
  BodyDef floor, box;
  floor.type = BodyType::Static;
  floor.pose.p = {50, -0.5, 0};
  floor.shapes = {ShapeDef::box({1, 0.5, 1})};
  box.pose.p = {50, 0.25, 0};
  box.shapes = {ShapeDef::box({0.25, 0.25, 0.25})};
  rig.scene.bodies.push_back(floor);
  rig.scene.bodies.push_back(box);
  World world(rig.scene, settings());
  const double quarter = 0.5 * kPi / std::sqrt(80 / 2.0);
  double before = amplitude;
  int crossings = 0;
  for (int step = 1; step <= 240; ++step) {
    world.step();
    const double x = world.states()[1].pose.p.x;
    if (before * x < 0) {
      const double time = (step - 1 + before / (before - x)) * kStep;
      EXPECT_NEAR(time, (2 * crossings + 1) * quarter, 0.01 * quarter * (2 * crossings + 1));
      ++crossings;
    }
    before = x;
  }
  EXPECT_GE(crossings, 7);
}
TEST_P(JointAxes, AStiffSpringIsStable) {
  Rig rig({0, 0, 0});
  JointAxis& axis = rig.join(JointType::Prismatic).axes[0];
  axis.stiffness = 1e9;
  rig.scene.bodies[1].pose.p.x = 0.2;
  World world(rig.scene, settings());
  double most = 0;
  for (int k = 0; k < 60; ++k) {
    world.step();
    most = std::max(most, std::abs(world.states()[1].pose.p.x));
  }
  EXPECT_LE(most, 0.2);
  EXPECT_NEAR(world.states()[1].pose.p.x, 0, 1e-4);
}

// --- friction ------------------------------------------------------------------------------------------------------

TEST_P(JointAxes, FrictionStopsASliderAfterItsWay) {
  Rig rig({0, 0, 0});
  rig.join(JointType::Prismatic).axes[0].friction = 5;  // 2.5 m/s^2
  rig.scene.bodies[1].linearVelocity = {2, 0, 0};
  World world(rig.scene, settings());
  world.step(120);
  // v0^2 / (2 a), and semi-implicit steps fall short by v0 h / 2.
  EXPECT_NEAR(world.states()[1].pose.p.x, 2 * 2 / (2 * 2.5) - 2 * kSubstep / 2, inFloat() ? 2e-4 : 5e-5);
  EXPECT_NEAR(world.states()[1].linearVelocity.x, 0, 1e-6);
}
TEST_P(JointAxes, FrictionHoldsASliderOnASlopeUpToItsForce) {
  for (const double friction : {19.0, 20.0}) {  // of a weight of 19.62 N
    Rig rig({-kGravity, 0, 0});
    rig.join(JointType::Prismatic).axes[0].friction = friction;
    World world(rig.scene, settings());
    world.step(60);
    const double expected = friction < 19.62 ? -(kGravity - friction / 2) : 0;
    EXPECT_NEAR(world.states()[1].linearVelocity.x, expected, 1e-3);
  }
}

TEST_P(JointAxes, WhatRestsOnALimitIsAtRest) {
  for (const size_t axis : {3u, 4u, 5u}) {
    Rig rig(axis == 4 ? Vec3d{kGravity, 0, 0} : Vec3d{0, -kGravity, 0}, axis == 5 ? Vec3d{0.5, 0, 0} : Vec3d{0, 0, 0.5});
    JointDef& def = rig.join(JointType::SixDof);
    def.axes[axis].free = true;
    def.axes[axis].limits = {{-0.4, 0.3}};
    World world(rig.scene, settings());
    world.step(240);
    EXPECT_LT(length(world.states()[1].linearVelocity), 2e-3) << axis;
    EXPECT_LT(length(world.states()[1].angularVelocity), 2e-3) << axis;
  }
}

}  // namespace
}  // namespace cairn
