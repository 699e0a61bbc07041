// Joints under other settings and on other bodies: threads, few colours, Jacobi, stabilizations, locked axes, kinematic bodies, contacts.
#include "tests/joints/joint_worlds.hpp"

#include <cairn/names.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>

namespace cairn {
namespace {

using namespace test;

// --- the same bits -------------------------------------------------------------------------------------------------

class JointDeterminism : public ::testing::TestWithParam<const char*> {
 protected:
  static Scene scene() {
    const std::string name = GetParam();
    return loadScene(name.find(".json") == std::string::npos ? name : CAIRN_SOURCE_DIR "/" + name);
  }
};

TEST_P(JointDeterminism, ThreadsGiveTheSameBits) {
  const Scene scene = JointDeterminism::scene();
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
      for (const int maxColours : {64, 2}) {
        WorldSettings settings = onOneThread(precision, solver);
        settings.maxColours = maxColours;
        const uint64_t expected = hashAfter(scene, settings, 30);
        EXPECT_EQ(hashAfter(scene, settings, 30), expected);
        settings.threads = 2;
        EXPECT_EQ(hashAfter(scene, settings, 30), expected);
      }
    }
  }
}
TEST_P(JointDeterminism, AChangedInputChangesTheHash) {
  Scene scene = JointDeterminism::scene();
  const uint64_t expected = hashAfter(scene, onOneThread(Precision::Float), 20);
  scene.joints[scene.joints.size() / 2].frameB.p.x += 1e-3;
  EXPECT_NE(hashAfter(scene, onOneThread(Precision::Float), 20), expected);
}
INSTANTIATE_TEST_SUITE_P(Scenes, JointDeterminism, ::testing::Values("skeletons:count=2", "scenes/joints.json"),
                         [](const auto& each) { return asTestName(each.param); });

TEST(JointDeterminism, StepsOneByOneAreTheSameAsStepsTogether) {
  // Neither the caches that a step keeps for the next one nor looking make a difference.
  const Scene scene = loadScene("skeletons:count=2");
  World together(scene, onOneThread(Precision::Float)), apart(scene, onOneThread(Precision::Float));
  together.step(40);
  for (int k = 0; k < 40; ++k) {
    apart.step();
    apart.jointStates();
    apart.report();
    apart.castRays({{{0, 5, 0}, {0, -1, 0}}});
  }
  EXPECT_EQ(together.stateHash(), apart.stateHash());
}

// --- few colours ---------------------------------------------------------------------------------------------------

// A star of eight chains on one floating body: more joints on it than colours.
Scene star() {
  Scene scene;
  const int base = scene.add(anchorAt({0, 0.4, 0}));
  const int hub = scene.add(ballOf(4, {0, 0, 0}, 0.2));
  scene.joints.push_back(scene.joint(JointType::Point, base, hub, {{0, 0.4, 0}, kNoTurn}));
  for (int arm = 0; arm < 8; ++arm) {
    const Vec3d out{std::cos(arm * kPi / 4), 0, std::sin(arm * kPi / 4)};
    int inner = hub;
    for (int k = 0; k < 3; ++k) {
      BodyDef link = ballOf(0.5, (0.4 + 0.3 * k) * out, 0.1);
      link.shapes[0].filter.group = -1;
      const int body = scene.add(link);
      scene.joints.push_back(scene.joint(k == 1 ? JointType::Hinge : JointType::Point, inner, body, {(0.25 + 0.3 * k) * out, kNoTurn}));
      inner = body;
    }
  }
  return scene;
}

TEST(JointColours, FewColoursAndJacobiKeepJointsTogether) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    for (const int maxColours : {0, 1, 2, 64, -1}) {  // -1: Jacobi
      WorldSettings settings = onOneThread(Precision::Double, solver);
      settings.maxColours = std::max(0, maxColours);
      if (maxColours < 0) settings.solver = Solver::Jacobi;
      World world(star(), settings);
      double worst = 0;
      for (int k = 0; k < 180; ++k) {
        world.step();
        worst = std::max(worst, world.report().jointErrorMax);
      }
      const std::string name =
          std::string(solver == JointSolver::Direct ? "direct" : "sweeps") + "_" + (maxColours < 0 ? "jacobi" : std::to_string(maxColours));
      record(name + "_joint_error_m", worst);
      EXPECT_LT(worst, solver == JointSolver::Direct ? 5e-8 : 0.01) << maxColours;
      // The hub has nine joints, each arm two more.
      if (maxColours <= 0) {
        EXPECT_EQ(world.report().tailConstraints, 25);
      } else {
        EXPECT_EQ(world.report().tailConstraints, maxColours == 64 ? 0 : maxColours == 1 ? 16 : 8);
      }
    }
  }
}

// --- stabilizations ------------------------------------------------------------------------------------------------

TEST(JointStabilizations, EachKeepsOrLosesWhatItIsSaidTo) {
  for (const JointStabilization stabilization : {JointStabilization::None, JointStabilization::Baumgarte, JointStabilization::AnitescuHart,
                                                 JointStabilization::Post, JointStabilization::Pre}) {
    // A double pendulum from level, and one that starts 2 cm apart.
    for (const double apart : {0.0, 0.02}) {
      Scene scene;
      int above = scene.add(anchorAt());
      for (int k = 0; k < 2; ++k) {
        const int rod = scene.add(boxOf(1, {0.5 + k, 0, 0}, {0.5, 0.1, 0.1}));
        scene.joints.push_back(scene.joint(JointType::Point, above, rod, {{double(k), 0, 0}, kNoTurn}));
        above = rod;
      }
      scene.joints[1].frameB.p.y += apart;
      WorldSettings settings = onOneThread();
      settings.jointStabilization = stabilization;
      World world(scene, settings);
      world.step();
      const double first = world.report().jointErrorMax;
      world.step(119);
      const double last = world.report().jointErrorMax;
      record(std::string(nameOf(stabilization)) + (apart > 0 ? "_apart" : "") + "_joint_error_m", last);
      switch (stabilization) {
        case JointStabilization::None:
          EXPECT_NEAR(first, apart, 1e-4);
          EXPECT_GT(last, apart + 5e-3);  // drifts,
          EXPECT_LT(last, 0.1);           // and no more than that
          break;
        case JointStabilization::Baumgarte:
          EXPECT_LT(first, apart == 0 ? 1e-6 : 0.25 * apart);
          if (apart > 0) {
            EXPECT_GT(first, 0.1 * apart);  // a share a substep, not all at once
          }
          EXPECT_LT(last, 2e-3);
          break;
        case JointStabilization::AnitescuHart:
          EXPECT_LT(first, 1e-6);
          EXPECT_LT(last, 1e-3);
          break;
        case JointStabilization::Post:
          EXPECT_LT(first, 5e-4);
          EXPECT_LT(last, 5e-6);
          break;
        case JointStabilization::Pre:
          EXPECT_LT(first, 1e-9);
          EXPECT_LT(last, 1e-8);
      }
    }
  }
}

// --- locked axes and kinematic bodies ------------------------------------------------------------------------------

// A trolley on rails along x with a pendulum: it swings through, and x of the common centre of mass stays.
void expectPendulumOnATrolley(bool trolleyFirst) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
      Scene scene;
      BodyDef trolley = boxOf(2, {0, 0, 0}, {0.2, 0.1, 0.1}), rod = boxOf(1, {0.5, 0, 0}, {0.5, 0.05, 0.05});
      trolley.lockTranslation = {false, true, true};
      trolley.lockRotation = {true, true, true};
      const int first = scene.add(trolleyFirst ? trolley : rod), second = scene.add(trolleyFirst ? rod : trolley);
      const int t = trolleyFirst ? first : second, r = trolleyFirst ? second : first;
      scene.joints = {scene.joint(JointType::Point, t, r, {{0, 0, 0}, kNoTurn})};
      World world(scene, onOneThread(precision, solver));
      double worst = 0, off = 0, lowest = 0;
      for (int k = 0; k < 300; ++k) {
        world.step();
        const std::vector<BodyState> states = world.states();
        const Vec3d x = states[size_t(t)].pose.p;
        EXPECT_EQ(x.y, 0);
        EXPECT_EQ(x.z, 0);
        EXPECT_EQ(length(states[size_t(t)].angularVelocity), 0);
        off = std::max(off, std::abs((2 * x.x + states[size_t(r)].pose.p.x) / 3 - 0.5 / 3));
        worst = std::max(worst, world.report().jointErrorMax);
        lowest = std::min(lowest, states[size_t(r)].pose.p.y);
      }
      EXPECT_LT(worst, 1e-3);
      EXPECT_LT(off, 1e-4);
      EXPECT_NEAR(lowest, -0.5, 5e-3);
    }
  }
}
TEST(JointBodies, LockedAxesStayLockedAndTheirJointsHold) { expectPendulumOnATrolley(true); }

TEST(JointBodies, AKinematicBodyDragsWhatIsJoinedToIt) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
      Scene scene;
      scene.gravity = {0, 0, 0};
      BodyDef cart = anchorAt({0, 0, 0}, BodyType::Kinematic);
      cart.linearVelocity = {1.5, 0, 0};
      cart.angularVelocity = {0, 2, 0};
      const int a = scene.add(cart), b = scene.add(boxOf(2, {0.5, 0, 0}));
      scene.joints = {scene.joint(JointType::Rigid, a, b, {{0.2, 0, 0}, kNoTurn})};
      World world(scene, onOneThread(precision, solver));
      world.step(60);
      const std::vector<BodyState> states = world.states();
      EXPECT_NEAR(states[0].pose.p.x, 1.5, 1e-5);
      const Vec3d expected = transform(states[0].pose, {0.5, 0, 0});
      EXPECT_NEAR(length(states[1].pose.p - expected), 0, 1e-3);
      EXPECT_NEAR(length(states[1].angularVelocity - Vec3d{0, 2, 0}), 0, 1e-3);
      EXPECT_LT(world.report().jointErrorMax, 1e-3);
      // Round and round: m w^2 r towards the cart.
      EXPECT_NEAR(length(world.jointStates()[0].force), 2 * 4 * 0.5, 0.02);
    }
  }
}

// --- contacts ------------------------------------------------------------------------------------------------------

TEST(JointContacts, AChainLaidOnTheGroundComesToRestOnIt) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    Scene scene;
    BodyDef ground = anchorAt();
    ground.shapes = {ShapeDef::halfSpace()};
    scene.add(ground);
    int before = -1;
    for (int k = 0; k < 8; ++k) {
      const int box = scene.add(boxOf(1, {0.4 * k, 0.3, 0}, {0.15, 0.1, 0.1}));
      if (before >= 0) scene.joints.push_back(scene.joint(JointType::Point, before, box, {{0.4 * k - 0.2, 0.3, 0}, kNoTurn}));
      before = box;
    }
    World world(scene, onOneThread(Precision::Float, solver));
    world.step(300);
    const StepReport report = world.report();
    EXPECT_LT(report.jointErrorMax, 1e-3);
    EXPECT_LT(report.penetrationMax, 5e-3);
    EXPECT_LT(report.maxSpeed, 1e-2);
    for (size_t k = 1; k <= 8; ++k) EXPECT_NEAR(world.states()[k].pose.p.y, 0.1, 5e-3);
  }
}

TEST(JointContacts, SkeletonsInAPileStayTogether) {
  World world(loadScene("skeletons:count=3"), onOneThread(Precision::Float));
  double worst = 0, turn = 0;
  for (int k = 0; k < 240; ++k) {
    world.step();
    worst = std::max(worst, world.report().jointErrorMax);
    turn = std::max(turn, world.report().jointAngularErrorMax);
  }
  const StepReport report = world.report();
  record("joint_error_m", worst);
  record("joint_error_rad", turn);
  EXPECT_LT(worst, 5e-5);
  EXPECT_LT(turn, 0.5);
  EXPECT_GT(report.contactPoints, 20);
  EXPECT_LT(report.maxSpeed, 5);
}

// The direct solve takes the rod as the root then, and the trolley, which takes no impulse along y, as its child.
TEST(JointBodies, WhichBodyHasLockedAxesMakesNoDifference) { expectPendulumOnATrolley(false); }

// At most maxCorrectionSpeed, 3 m/s: 2 cm are within it at once, 0.2 of them in 1/420 s being 1.7 m/s.
TEST(JointStabilizations, BaumgarteTakesBackItsShareOfTwoCentimetresInASubstep) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.add(anchorAt());
  scene.add(boxOf(1, {0, 0, 0}));
  scene.joints = {scene.joint(JointType::Rigid, 0, 1, {{0, 0, 0}, kNoTurn})};
  scene.joints[0].frameB.p.y = 0.02;
  WorldSettings settings = onOneThread();
  settings.jointStabilization = JointStabilization::Baumgarte;
  World world(scene, settings);
  world.step();
  EXPECT_NEAR(world.jointStates()[0].error, 0.02 * std::pow(0.8, settings.substeps), 1e-5);
}

}  // namespace
}  // namespace cairn
