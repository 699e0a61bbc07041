// Loops of joints, joints that say the same twice or contradict each other, heavy ends of light chains.
#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

class JointLoops : public EachJointSolver {};
CAIRN_INSTANTIATE_JOINT_SOLVERS(JointLoops);

BodyDef rodBetween(Vec3d from, Vec3d to, double mass) {
  BodyDef rod = boxOf(mass, 0.5 * (from + to), {0.5 * length(to - from), 0.04, 0.04});
  rod.pose.q = quat(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), eigen(to - from)));
  rod.shapes[0].filter.group = -1;
  return rod;
}
// About z of the world, which hinges turn about by their x.
Posed hingeAt(Vec3d place) { return {place, quat(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitZ()))}; }

// --- linkages ------------------------------------------------------------------------------------------------------

// Ground pivots 1 m apart, crank 0.3 m, coupler 1 m, rocker 0.6 m (Grashof: 0.3 + 1 < 1 + 0.6): the rocker's angle follows the crank's.
TEST_P(JointLoops, AFourBarLinkageKeepsItsGeometry) {
  const double crank = 0.3, coupler = 1.0, rocker = 0.6, base = 1.0;
  const auto elbow = [&](double angle) {
    const Eigen::Vector2d a(crank * std::cos(angle), crank * std::sin(angle)), d(base, 0), way = d - a;
    const double far = way.norm(), along = (coupler * coupler - rocker * rocker + far * far) / (2 * far);
    const Eigen::Vector2d u = way / far, n(-u.y(), u.x());
    return Eigen::Vector2d(a + along * u + std::sqrt(coupler * coupler - along * along) * n);
  };
  Scene scene;
  scene.gravity = {0, 0, 0};
  const double start = 1.0;
  const Vec3d a{crank * std::cos(start), crank * std::sin(start), 0}, b{elbow(start).x(), elbow(start).y(), 0};
  const int ground = scene.add(anchorAt()), one = scene.add(rodBetween({0, 0, 0}, a, 1)), two = scene.add(rodBetween(a, b, 2)),
            three = scene.add(rodBetween(b, {base, 0, 0}, 1.5));
  scene.joints = {scene.joint(JointType::Hinge, ground, one, hingeAt({0, 0, 0})), scene.joint(JointType::Hinge, one, two, hingeAt(a)),
                  scene.joint(JointType::Hinge, two, three, hingeAt(b)), scene.joint(JointType::Hinge, three, ground, hingeAt({base, 0, 0}))};
  scene.joints[0].axes[3].motor = JointMotor::Velocity;
  scene.joints[0].axes[3].target = 4;
  scene.joints[0].axes[3].maxForce = 1000;
  World world(scene, settings());
  double worst = 0, turned = 0, before = 0;
  JointCourse errors;
  for (int k = 0; k < 300; ++k) {
    const JointCourse now = follow(world, 1);
    errors.offset = std::max(errors.offset, now.offset);
    errors.turn = std::max(errors.turn, now.turn);
    const double angle = world.jointStates()[0].coordinates[3];
    turned += std::remainder(angle - before, 2 * kPi);
    before = angle;
    const Eigen::Vector2d expected = elbow(start + angle);
    const BodyState rockerState = world.states()[size_t(three)];
    const Vec3d end = transform(rockerState.pose, {-0.5 * rocker, 0, 0});
    worst = std::max(worst, std::hypot(end.x - expected.x(), end.y - expected.y()));
  }
  record("joint_error_m", errors.offset);
  record("elbow_off_m", worst);
  EXPECT_NEAR(std::abs(turned), 4 * 5, 0.5);
  EXPECT_LT(errors.offset, direct() ? 5e-6 : 4e-3);
  EXPECT_LT(errors.turn, 5e-6);
  EXPECT_LT(worst, direct() ? 5e-6 : 5e-3);
}

// Twelve links in a ring, thrown: it stays a ring and keeps its momentum.
TEST_P(JointLoops, AClosedRingStaysClosed) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  const int links = 12;
  const auto corner = [&](int k) { return Vec3d{std::cos(2 * kPi * k / links), std::sin(2 * kPi * k / links), 0}; };
  Source source(5);
  for (int k = 0; k < links; ++k) {
    BodyDef rod = rodBetween(corner(k), corner(k + 1), 1);
    rod.linearVelocity = source.vector(0.5);
    scene.add(rod);
  }
  for (int k = 0; k < links; ++k) scene.joints.push_back(scene.joint(JointType::Point, k, (k + 1) % links, {corner(k + 1), kNoTurn}));
  World world(scene, settings());
  const StepReport before = world.report();
  const JointCourse errors = follow(world, 300);
  const StepReport after = world.report();
  record("joint_error_m", errors.offset);
  EXPECT_LT(errors.offset, direct() ? 2e-6 : 5e-4);
  EXPECT_NEAR(length(after.linearMomentum - before.linearMomentum), 0, 1e-3);
  EXPECT_NEAR(after.kineticEnergy / before.kineticEnergy, 0.367, 0.02);  // the first substep takes what speeds do not fit a ring, joints nothing
}

// --- the same twice, and contradictions ----------------------------------------------------------------------------

TEST_P(JointLoops, TwoHingesOnOneAxisAreADoor) {
  Scene scene;
  scene.gravity = {-kGravity, 0, 0};
  const int frame = scene.add(anchorAt()), door = scene.add(boxOf(20, {0, 1, 0.45}, {0.02, 1, 0.45}));
  const Quatd up = quat(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()));
  scene.joints = {scene.joint(JointType::Hinge, frame, door, {{0, 0.3, 0}, up}), scene.joint(JointType::Hinge, frame, door, {{0, 1.7, 0}, up})};
  World world(scene, settings());
  const JointCourse errors = follow(world, 300);
  record("joint_error_m", errors.offset);
  EXPECT_LT(errors.offset, direct() ? 2e-6 : 2e-4);
  EXPECT_LT(errors.turn, direct() ? 2e-6 : 2e-4);
  EXPECT_NEAR(std::abs(world.jointStates()[0].coordinates[3]), std::abs(world.jointStates()[1].coordinates[3]), 5e-3);
  double swing = 0;
  for (int k = 0; k < 300; ++k) {
    world.step();
    swing = std::max(swing, std::abs(world.jointStates()[0].coordinates[3]));
  }
  EXPECT_GT(swing, 1.4);  // it swings freely, level to level
}

TEST_P(JointLoops, TwoRigidJointsBetweenTheSamePairAreOne) {
  Scene scene;
  const int wall = scene.add(anchorAt()), beam = scene.add(boxOf(4, {0.75, 0, 0}, {0.75, 0.05, 0.05}));
  scene.joints = {scene.joint(JointType::Rigid, wall, beam, {{0, 0, 0}, kNoTurn}), scene.joint(JointType::Rigid, wall, beam, {{0.2, 0, 0}, kNoTurn})};
  World world(scene, settings());
  const JointCourse errors = follow(world, 300);
  record("joint_error_m", errors.offset);
  EXPECT_LT(errors.offset, direct() ? 2e-7 : 2e-4);
  EXPECT_LT(errors.turn, direct() ? 2e-7 : 2e-4);
  EXPECT_LT(length(world.states()[1].linearVelocity), 1e-2);
  // Together they carry the weight and its torque about the wall.
  const std::vector<JointState> states = world.jointStates();
  const Vec3d force = states[0].force + states[1].force;
  const Vec3d torque = states[0].torque + states[1].torque + cross(Vec3d{0.2, 0, 0}, states[1].force);
  EXPECT_NEAR(length(force - Vec3d{0, 4 * kGravity, 0}), 0, 0.01 * 4 * kGravity);
  EXPECT_NEAR(length(torque - Vec3d{0, 0, 4 * kGravity * 0.75}), 0, 0.02 * 4 * kGravity * 0.75);
}

// Three bodies whose rigid joints want them 20 cm apart where they are to meet.
TEST_P(JointLoops, ContradictingRigidLoopsStayFiniteAndStill) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  const int one = scene.add(boxOf(1, {0, 0, 0})), two = scene.add(boxOf(2, {1, 0, 0})), three = scene.add(boxOf(1.5, {0.5, 1, 0}));
  scene.joints = {scene.joint(JointType::Rigid, one, two, {{0.5, 0, 0}, kNoTurn}),
                  scene.joint(JointType::Rigid, two, three, {{0.75, 0.5, 0}, kNoTurn}),
                  scene.joint(JointType::Rigid, three, one, {{0.25, 0.5, 0}, kNoTurn})};
  scene.joints[2].frameB.p.x += 0.2;
  scene.joints[2].frameB.q = quatFromRotationVector(Vec3d{0, 0, 0.3});
  World world(scene, settings());
  const JointCourse errors = follow(world, 300);
  const StepReport report = world.report();
  record("joint_error_m", report.jointErrorMax);
  record("max_speed_m_s", report.maxSpeed);
  // They give way to each other: nobody wins, and none is off by more than what contradicts itself.
  EXPECT_GT(report.jointErrorMax, 0.05);
  EXPECT_LT(errors.offset, 0.2);
  EXPECT_LT(errors.turn, 0.4);
  EXPECT_NEAR(length(report.linearMomentum), 0, 1e-2);
  EXPECT_LT(report.maxSpeed, 1e-3);
}

// --- mass ratios ---------------------------------------------------------------------------------------------------

TEST_P(JointLoops, AThousandKilogramsHangOnAChainOfTenOneKilogramLinks) {
  Scene scene;
  int above = scene.add(anchorAt());
  for (int k = 0; k < 10; ++k) {
    const int link = scene.add(boxOf(1, {0, -0.2 * k - 0.1, 0}, {0.03, 0.1, 0.03}));
    scene.joints.push_back(scene.joint(JointType::Point, above, link, {{0, -0.2 * k, 0}, kNoTurn}));
    above = link;
  }
  const int weight = scene.add(boxOf(1000, {0, -2.5, 0}, {0.5, 0.5, 0.5}));
  scene.joints.push_back(scene.joint(JointType::Point, above, weight, {{0, -2, 0}, kNoTurn}));
  scene.bodies[size_t(weight)].linearVelocity = {1, 0, 0};
  World world(scene, settings());
  const JointCourse errors = follow(world, 300);
  record("joint_error_m", errors.offset);
  if (direct()) {
    EXPECT_LT(errors.offset, 1e-5);
    double most = 0;
    for (const JointState& state : world.jointStates()) most = std::max(most, length(state.force));
    EXPECT_GT(most, 0.9 * 1010 * kGravity);
    EXPECT_LT(most, 1.2 * 1010 * kGravity);
  } else {
    // Sweeps: an elastic band, which the direct solve is there for; it is as long as it ever gets, half a link, and nothing comes off.
    EXPECT_GT(errors.offset, 0.02);
    EXPECT_LT(errors.offset, 0.2);
    EXPECT_GT(world.states()[size_t(weight)].pose.p.y, -5);
  }
}

// Links of 10 g and 5 cm, `thick` in half, a ball of 10 kg thrown to swing with 2 m/s.
void expectItSwings(double thick, int substeps) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    Scene scene;
    int above = scene.add(anchorAt());
    for (int k = 0; k < 100; ++k) {
      const int link = scene.add(boxOf(0.01, {0, -0.05 * k - 0.025, 0}, {thick, 0.025, thick}));
      scene.joints.push_back(scene.joint(JointType::Point, above, link, {{0, -0.05 * k, 0}, kNoTurn}));
      above = link;
    }
    BodyDef ball = ballOf(10, {0, -5.2, 0}, 0.2);
    ball.linearVelocity = {2, 0, 0};
    const int weight = scene.add(ball);
    scene.joints.push_back(scene.joint(JointType::Point, above, weight, {{0, -5, 0}, kNoTurn}));
    WorldSettings swinging = onOneThread(precision);
    swinging.substeps = substeps;
    World world(scene, swinging);
    JointCourse errors;
    double highest = -1e9;
    for (int k = 0; k < 300; ++k) {
      errors.offset = std::max(errors.offset, follow(world, 1).offset);
      highest = std::max(highest, world.states()[size_t(weight)].pose.p.y);
    }
    record("joint_error_m", errors.offset);
    EXPECT_LT(errors.offset, 2e-3);
    // As a pendulum of 5.2 m it rises by v^2 / (2 g), but for what the ball's own turning takes.
    EXPECT_NEAR(highest, -5.2 + 4 / (2 * kGravity), 0.02);
    EXPECT_LT(length(world.states()[size_t(weight)].pose.p), 5.21);
  }
}
TEST(JointChains, AHundredLinksHoldAThousandTimesTheirMassWhileItSwings) { expectItSwings(0.02, 8); }

// The thinner the links the faster they turn under tension.
TEST(JointChains, AHundredThinLinksDoTheSame) {
  expectItSwings(0.01, 8);
  expectItSwings(0.01, 16);
}

}  // namespace
}  // namespace cairn
