// Pairs of bodies joined in every way and thrown: what is locked stays, what is free moves, momentum is kept, from poses that Eigen measures.
#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

struct Case {
  Kind kind;
  Precision precision;
  JointSolver solver;
};
std::string nameOf(const Case& each) {
  return each.kind.name + (each.precision == Precision::Float ? "_float" : "_double") + (each.solver == JointSolver::Direct ? "_direct" : "_sweeps");
}
std::vector<Case> casesOf(const std::vector<Kind>& kinds) {
  std::vector<Case> cases;
  for (const Kind& kind : kinds)
    for (const Precision precision : {Precision::Float, Precision::Double})
      for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) cases.push_back({kind, precision, solver});
  return cases;
}

// Two boxes, 2 kg and 1.5 kg, joined off both their centres, in flight without gravity.
Scene thrownPair(const Kind& kind, unsigned seed) {
  Source source(seed);
  Scene scene;
  scene.gravity = {0, 0, 0};
  for (int k = 0; k < 2; ++k) {
    BodyDef body = boxOf(2 - 0.5 * k, {0.5 * k, 0.1 * k, 0}, {0.2, 0.12, 0.15});
    body.pose.q = source.turn();
    body.linearVelocity = source.vector(1);
    body.angularVelocity = source.vector(3);
    scene.add(body);
  }
  scene.joints.push_back(jointOf(kind, scene, 0, 1, {{0.25, 0.05, 0.03}, source.turn()}));
  return scene;
}

struct Motion {
  double lockedOffset = 0, lockedTurn = 0;  // largest of each locked coordinate
  std::array<double, 6> least{}, most{};
  double coordinateError = 0;  // of jointState against Eigen
};

// The angular error of a kind's locked axes, from the columns of B's frame in A's.
double turnOff(const std::array<bool, 6>& free, const Eigen::Matrix3d& r) {
  const int count = free[3] + free[4] + free[5];
  if (count == 3) return 0;
  if (count == 0) return Eigen::AngleAxisd(r).angle();
  if (count == 1) {
    const int axis = free[3] ? 0 : free[4] ? 1 : 2;
    return std::acos(std::clamp(r(axis, axis), -1.0, 1.0));
  }
  return std::abs(angles(r)(!free[3] ? 0 : !free[4] ? 1 : 2));
}
std::array<double, 6> coordinatesOf(const std::array<bool, 6>& free, const Eigen::Isometry3d& m) {
  const Eigen::Vector3d x = m.translation();
  std::array<double, 6> out{x.x(), x.y(), x.z(), 0, 0, 0};
  if (free[3] + free[4] + free[5] == 1) {
    for (size_t k = 0; k < 3; ++k)
      if (free[3 + k]) out[3 + k] = angleAbout(m.linear(), int(k));
    return out;
  }
  const Eigen::Vector3d turn = angles(m.linear());
  for (int k = 0; k < 3; ++k) out[size_t(3 + k)] = turn(k);
  return out;
}
double turnApart(double a, double b) { return std::abs(std::remainder(a - b, 2 * kPi)); }

Motion follow(World& world, const Kind& kind, const JointDef& def, int steps) {
  const std::vector<BodyId> bodies = world.bodies();
  const JointId joint = world.joints()[0];
  Motion motion;
  for (int k = 0; k < steps; ++k) {
    world.step();
    const Eigen::Isometry3d m = relative(world, def, bodies[0], bodies[1]);
    const std::array<double, 6> here = coordinatesOf(kind.free, m);
    const JointState state = world.jointState(joint);
    for (size_t c = 0; c < 6; ++c) {
      motion.least[c] = std::min(motion.least[c], here[c]);
      motion.most[c] = std::max(motion.most[c], here[c]);
      if (c < 3 && !kind.free[c]) motion.lockedOffset = std::max(motion.lockedOffset, std::abs(here[c]));
      // Angles near a quarter turn about y say little; float reads its own poses, whose quaternions are unit ones to 1e-7.
      if (c >= 3 && kind.free[3] + kind.free[4] + kind.free[5] != 1 && std::abs(std::cos(here[4])) < 0.1) continue;
      motion.coordinateError =
          std::max(motion.coordinateError, c < 3 ? std::abs(state.coordinates[c] - here[c]) : turnApart(state.coordinates[c], here[c]));
    }
    motion.lockedTurn = std::max(motion.lockedTurn, turnOff(kind.free, m.linear()));
  }
  return motion;
}

class ThrownPair : public ::testing::TestWithParam<Case> {};

TEST_P(ThrownPair, LockedCoordinatesStayAndFreeOnesMove) {
  const Case& c = GetParam();
  // Sweeps give way by forceMixing, for loops that contradict themselves.
  // Trees are on target when nothing is off by more than 2e-5 m in float (OffTarget).
  const double most = c.solver == JointSolver::Sweeps ? 1e-3 : (c.precision == Precision::Float ? 3.5e-5 : 1e-5);
  double offset = 0, turn = 0;
  for (const unsigned seed : {2u, 3u, 6u}) {
    const Scene scene = thrownPair(c.kind, seed);
    World world(scene, onOneThread(c.precision, c.solver));
    const Motion motion = follow(world, c.kind, scene.joints[0], 120);
    offset = std::max(offset, motion.lockedOffset);
    turn = std::max(turn, motion.lockedTurn);
    EXPECT_LT(world.report().jointErrorMax, most);
    EXPECT_LT(world.report().jointAngularErrorMax, 1e-3);
    EXPECT_LT(motion.coordinateError, c.precision == Precision::Float ? 1e-5 : 1e-9);
    for (size_t k = 0; k < 6; ++k) {
      if (!c.kind.free[k]) continue;
      EXPECT_GT(motion.most[k] - motion.least[k], k < 3 ? 0.05 : 0.1) << "coordinate " << k << ", seed " << seed;
    }
  }
  EXPECT_LT(offset, most);
  EXPECT_LT(turn, 1e-3);
  RecordProperty("offset", std::to_string(offset));
  RecordProperty("turn", std::to_string(turn));
}

TEST_P(ThrownPair, MomentumIsKept) {
  const Case& c = GetParam();
  for (const unsigned seed : {2u, 3u, 6u}) {
    World world(thrownPair(c.kind, seed), onOneThread(c.precision, c.solver));
    const StepReport before = world.report();
    world.step(120);
    const StepReport after = world.report();
    const double rounding = c.precision == Precision::Float ? 2e-5 : 1e-12;
    EXPECT_NEAR(length(after.linearMomentum - before.linearMomentum), 0, rounding * 4);
    // A substep turns spinning boxes with a gyroscopic term that keeps their energy, not to the last digit their angular momentum.
    EXPECT_NEAR(length(after.angularMomentum - before.angularMomentum), 0, 1e-3 * length(before.angularMomentum));
    EXPECT_LT(after.kineticEnergy, before.kineticEnergy * (1 + 1e-4));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThrownPair, ::testing::ValuesIn(casesOf(lockingKinds())), [](const auto& each) { return nameOf(each.param); });

// --- distances -----------------------------------------------------------------------------------------------------

std::vector<Kind> distances() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {{"rod", JointType::Distance, 1, {}, 0.7, 0.7},
          {"rope", JointType::Distance, 1, {}, 0, 0.8},
          {"strut", JointType::Distance, 1, {}, 0.6, infinity},
          {"both", JointType::Distance, 1, {}, 0.6, 0.8}};
}
class ThrownDistance : public ::testing::TestWithParam<Case> {};

TEST_P(ThrownDistance, StaysInItsRangeAndReachesWhatItMay) {
  const Case& c = GetParam();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Source source(seed);
    Scene scene;
    scene.gravity = {0, 0, 0};
    for (int k = 0; k < 2; ++k) {
      BodyDef body = boxOf(2 - 0.5 * k, {0.7 * k, 0, 0}, {0.15, 0.1, 0.12});
      body.linearVelocity = source.vector(1);
      body.angularVelocity = source.vector(3);
      scene.add(body);
    }
    JointDef def = scene.joint(JointType::Distance, 0, 1, {{0, 0, 0}, kNoTurn});
    def.frameA.p = {0, 0, 0.05};
    def.frameB.p = {0, 0, 0.05};
    def.minDistance = c.kind.low;
    def.maxDistance = c.kind.high;
    scene.joints = {def};
    World world(scene, onOneThread(c.precision, c.solver));
    const StepReport before = world.report();
    double least = 1e9, most = 0;
    for (int k = 0; k < 120; ++k) {
      world.step();
      const double d = relative(world, def, world.bodies()[0], world.bodies()[1]).translation().norm();
      least = std::min(least, d);
      most = std::max(most, d);
      // A quaternion of floats is of length 1 to within 1.5e-7, and turns a distance into one longer by twice that.
      EXPECT_NEAR(world.jointStates()[0].coordinates[0], d, 1e-6 * std::max(1.0, d));
      EXPECT_NEAR(world.jointStates()[0].error, std::max({0.0, c.kind.low - d, d - c.kind.high}), 1e-6);
    }
    EXPECT_GT(least, c.kind.low - 1e-3) << "seed " << seed;
    EXPECT_LT(most, c.kind.high + 1e-3) << "seed " << seed;
    const StepReport after = world.report();
    EXPECT_NEAR(length(after.linearMomentum - before.linearMomentum), 0, c.precision == Precision::Float ? 1e-4 : 1e-11);
    EXPECT_NEAR(length(after.angularMomentum - before.angularMomentum), 0, 5e-3 * length(before.angularMomentum));
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, ThrownDistance, ::testing::ValuesIn(casesOf(distances())), [](const auto& each) { return nameOf(each.param); });

// --- gears ---------------------------------------------------------------------------------------------------------

// Wheels on hinges along x: the angles that each has turned by, counted by Eigen from step to step.
class Gears : public ::testing::TestWithParam<Case> {};

TEST_P(Gears, KeepTheirRatioOverManyTurns) {
  const Case& c = GetParam();
  for (const double ratio : {1.0, 2.5, -0.5}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    const int base = scene.add(anchorAt()), one = scene.add(boxOf(2, {0, 0, 0})), two = scene.add(boxOf(1, {0, 1, 0}));
    scene.joints = {scene.joint(JointType::Hinge, base, one, {{0, 0, 0}, kNoTurn}), scene.joint(JointType::Hinge, base, two, {{0, 1, 0}, kNoTurn}),
                    scene.joint(JointType::Gear, one, two, {{0, 0, 0}, kNoTurn})};
    scene.joints[2].ratio = ratio;
    scene.joints[0].axes[3].motor = JointMotor::Velocity;
    scene.joints[0].axes[3].target = 12;
    scene.joints[0].axes[3].maxForce = 3;
    World world(scene, onOneThread(c.precision, c.solver));
    double turned[2] = {0, 0}, worst = 0;
    Eigen::Quaterniond before[2] = {Eigen::Quaterniond::Identity(), Eigen::Quaterniond::Identity()};
    for (int k = 0; k < 600; ++k) {
      world.step();
      for (int wheel = 0; wheel < 2; ++wheel) {
        const Eigen::Quaterniond q = eigen(world.states()[size_t(1 + wheel)].pose.q);
        turned[wheel] += angleAbout((before[wheel].conjugate() * q).toRotationMatrix(), 0);
        before[wheel] = q;
      }
      worst = std::max(worst, std::abs(turned[0] + ratio * turned[1]));
    }
    EXPECT_GT(std::abs(turned[0]), 15 * 2 * kPi);
    EXPECT_LT(worst, 2e-2) << "ratio " << ratio;  // a degree in some 19 turns
    EXPECT_NEAR(world.jointStates()[2].coordinates[0], turned[0] + ratio * turned[1], 2e-3) << "ratio " << ratio;
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, Gears, ::testing::ValuesIn(casesOf({{"gear", JointType::Gear, 1, {}}})),
                         [](const auto& each) { return nameOf(each.param); });

// --- black boxes ---------------------------------------------------------------------------------------------------

class BlackBox : public ::testing::TestWithParam<Case> {};

TEST_P(BlackBox, KeepsAPointOnASphere) {
  const Case& c = GetParam();
  Scene scene;
  const int base = scene.add(anchorAt());
  BodyDef bob = ballOf(1, {0.6, 0, 0});
  bob.linearVelocity = {0, 0, 2};
  const int ball = scene.add(bob);
  JointDef def = scene.joint(JointType::BlackBox, base, ball, {{0, 0, 0}, kNoTurn});
  def.frameB = {{0, 0, 0}, kNoTurn};
  def.projection = [](const JointPose& p) -> JointPose { return {(0.6 / length(p.offset)) * p.offset, p.rotation}; };
  scene.joints = {def};
  World world(scene, onOneThread(c.precision, c.solver));
  double worst = 0, lowest = 0;
  for (int k = 0; k < 120; ++k) {
    world.step();
    const Vec3d x = world.states()[1].pose.p;
    worst = std::max(worst, std::abs(length(x) - 0.6));
    lowest = std::min(lowest, x.y);
    EXPECT_NEAR(world.jointStates()[0].error, std::abs(length(x) - 0.6), 1e-6);
  }
  EXPECT_LT(worst, 2e-3);
  EXPECT_LT(lowest, -0.4);  // it swings
}

TEST_P(BlackBox, KeepsAPointInsideABall) {
  const Case& c = GetParam();
  Scene scene;
  const int base = scene.add(anchorAt()), ball = scene.add(ballOf(1, {0.2, 0.3, 0}));
  JointDef def = scene.joint(JointType::BlackBox, base, ball, {{0, 0, 0}, kNoTurn});
  def.frameB = {{0, 0, 0}, kNoTurn};
  def.projection = [](const JointPose& p) -> JointPose {
    const double far = length(p.offset);
    return {far > 0.6 ? (0.6 / far) * p.offset : p.offset, p.rotation};
  };
  scene.joints = {def};
  World world(scene, onOneThread(c.precision, c.solver));
  world.step(6);
  // Inside it falls as if there were no joint.
  const double h = world.settings().dt / world.settings().substeps, t = 0.1;
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.3 - 0.5 * kGravity * t * (t + h), 1e-5);
  double most = 0;
  for (int k = 0; k < 300; ++k) {
    world.step();
    most = std::max(most, length(world.states()[1].pose.p));
  }
  EXPECT_LT(most, 0.602);
  EXPECT_GT(most, 0.59);
}
INSTANTIATE_TEST_SUITE_P(Kinds, BlackBox, ::testing::ValuesIn(casesOf({{"black_box", JointType::BlackBox, 1, {}}})),
                         [](const auto& each) { return nameOf(each.param); });

// --- convergence ---------------------------------------------------------------------------------------------------

// Two boxes joined at their ends, turning against each other by `turn` within the one substep of a step.
JointState afterOneStep(const Kind& kind, JointSolver solver, double turn) {
  Source source(7);
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(boxOf(2, {0, 0, 0}, {0.25, 0.12, 0.15}));
  scene.add(boxOf(1.5, {0.5, 0, 0}, {0.25, 0.12, 0.15}));
  for (BodyDef& body : scene.bodies) {
    const Vec3d axis = source.vector(1);
    body.angularVelocity = (0.5 * turn * 60 / length(axis)) * axis;
    body.linearVelocity = source.vector(1);
  }
  scene.joints = {jointOf(kind, scene, 0, 1, {{0.25, 0, 0}, kNoTurn})};
  WorldSettings settings = onOneThread(Precision::Double, solver);
  settings.substeps = 1;
  settings.iterations = 60;
  settings.forceMixing = 0;
  World world(scene, settings);
  world.step();
  return world.jointStates()[0];
}
constexpr double kArm = 0.25;  // [m]

void expectOnTarget(double turn) {
  for (const Kind& kind : lockingKinds()) {
    if (kind.type != JointType::Point && kind.type != JointType::Hinge && kind.type != JointType::Rigid) continue;
    for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
      const JointState state = afterOneStep(kind, solver, turn);
      EXPECT_LT(state.error, 1e-6 * kArm) << kind.name << (solver == JointSolver::Direct ? " direct " : " sweeps ") << turn;
      EXPECT_LT(state.angularError, 1e-6) << kind.name << (solver == JointSolver::Direct ? " direct " : " sweeps ") << turn;
    }
  }
}

// Weinstein, Teran and Fedkiw 2006, section IV: however far the bodies turn within the step.
TEST(JointConvergence, OneJointIsOnTargetAfterOneStepOfUpToARadian) {
  for (const double turn : {0.1, 0.5, 1.0}) expectOnTarget(turn);
}
TEST(JointConvergence, OneJointIsOnTargetAfterOneStepOfUpToHalfATurn) {
  for (const double turn : {2.0, 3.0}) expectOnTarget(turn);
}

// x of A and y of B stay across each other whatever the angle about y: a quarter turn is no special place for a universal joint.
TEST(JointQuarterTurn, AUniversalJointPassesIt) {
  const Kind kind = lockingKinds()[8];
  ASSERT_EQ(kind.type, JointType::Universal);
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    const Scene scene = thrownPair(kind, 1);
    World world(scene, onOneThread(Precision::Double, solver));
    world.step();
    const double start = world.report().kineticEnergy;
    double off = 0, beyond = 0, most = 0;
    for (int k = 0; k < 119; ++k) {
      world.step();
      const Eigen::Matrix3d r = relative(world, scene.joints[0], world.bodies()[0], world.bodies()[1]).linear();
      off = std::max(off, std::abs(r(0, 1)));
      beyond = std::max(beyond, std::abs(r(0, 2)));  // the sine of the angle about y
      most = std::max(most, world.report().kineticEnergy);
    }
    EXPECT_GT(beyond, 0.99);
    EXPECT_LT(off, 1e-3);
    EXPECT_LT(most, start * 1.001);
  }
}

}  // namespace
}  // namespace cairn
