// Joints among contacts: loops under blows, limits that a blow runs into, and that what swings is fed nothing.
#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cairn {
namespace {

using namespace test;

// Contacts of resting bodies must not count: contacts anywhere in the World change how joints are brought up to date within a step (docs/joints.md).
TEST(JointsAmongContacts, ABoxThatRestsElsewhereFeedsASwingingBridgeNothing) {
  Scene scene = loadScene("bridge:friction=0");
  for (BodyDef& body : scene.bodies)
    for (ShapeDef& shape : body.shapes) shape.filter.group = body.type == BodyType::Dynamic ? -1 : 0;
  scene.add(boxOf(1, {20, 0.2, 0}, {0.2, 0.2, 0.2}));
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(scene, onOneThread(precision));
    double most = 0, worst = 0;
    for (int k = 1; k <= 300; ++k) {
      world.step();
      const StepReport report = world.report();
      if (k > 100) most = std::max(most, report.kineticEnergy);
      worst = std::max(worst, report.jointErrorMax);
    }
    record("kinetic_energy_j", most);
    record("joint_error_m", worst);
    EXPECT_GT(world.report().contactPoints, 0);
    EXPECT_LT(most, 0.3);  // arms that stay behind make it 4 J
    EXPECT_LT(worst, 2e-5);
  }
}

// Ropes that a blow pulls taut: with impulses that give way too little the stresses of the loops tear them apart.
TEST(JointsAmongContacts, ABridgeUnderFallingBlocksHolds) {
  for (const int substeps : {4, 8, 16}) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      WorldSettings settings = onOneThread(precision);
      settings.substeps = substeps;
      World world(loadScene("bridge:load=blocks"), settings);
      double worst = 0;
      for (int k = 0; k < 120; ++k) {
        world.step();
        worst = std::max(worst, world.report().jointErrorMax);
      }
      record("joint_error_m_" + std::to_string(substeps) + "_substeps", worst);
      EXPECT_LT(worst, 1e-3);
    }
  }
}

TEST(JointsAmongContacts, ANetWithBoxesComesToRest) {
  World world(loadScene("net:meshes=6,boxes=2"), onOneThread(Precision::Float));
  double worst = 0;
  double fastest = 0;
  for (int k = 1; k <= 600; ++k) {
    world.step();
    const StepReport report = world.report();
    worst = std::max(worst, report.jointErrorMax);
    if (k > 400) fastest = std::max(fastest, report.maxSpeed);
  }
  record("joint_error_m", worst);
  record("max_speed_m_s", fastest);
  EXPECT_LT(worst, 2e-4);
  EXPECT_LT(fastest, 0.1);  // boxes rock on the knots
}

// A limit that is out of reach as the step begins, and a blow of a ball a hundred times heavier that has the arm there before it ends. A substep at
// that speed is 0.07 rad. Sweeps give way, the fewer the more.
TEST(JointsAmongContacts, ALimitHoldsThatABlowRunsInto) {
  struct Way {
    JointSolver solver;
    int relaxations;
    double beyond;  // most [rad]
  };
  const int usual = WorldSettings{}.relaxations;
  for (const auto& [solver, relaxations, beyond] :
       {Way{JointSolver::Direct, usual, 0.08}, Way{JointSolver::Sweeps, usual, 0.5}, Way{JointSolver::Sweeps, 3, 0.45}}) {
    for (const double limit : {0.15, 0.5}) {
      Scene scene;
      scene.gravity = {0, 0, 0};
      const int post = scene.add(anchorAt());
      const int arm = scene.add(boxOf(0.2, {0, -0.3, 0}, {0.03, 0.3, 0.03}));
      BodyDef ball = ballOf(20, {-0.5, -0.5, 0}, 0.1);
      ball.linearVelocity = {15, 0, 0};
      scene.add(ball);
      scene.joints.push_back(scene.joint(JointType::Hinge, post, arm,
                                         {{0, 0, 0}, quat(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitZ()))}));
      scene.joints[0].axes[3].limits = {{-limit, limit}};
      WorldSettings settings = onOneThread(Precision::Double, solver);
      settings.relaxations = relaxations;
      World world(scene, settings);
      double most = 0, fastest = 0;
      for (int k = 0; k < 30; ++k) {
        world.step();
        most = std::max(most, std::abs(world.jointStates()[0].coordinates[3]));
        fastest = std::max(fastest, length(world.states()[size_t(arm)].angularVelocity));
      }
      record((solver == JointSolver::Direct ? "direct_" : "sweeps_") + std::to_string(relaxations) + "_beyond_rad_" + std::to_string(limit),
             most - limit);
      EXPECT_GT(fastest, 20);  // rad/s: it was a blow
      EXPECT_GT(most, 0.9 * limit);
      EXPECT_LT(most, limit + beyond);
    }
  }
}

// Three turns of one joint at their limits, in small bones between large ones that land on each other. What a blow does depends on when it comes, to
// the last digit of the start, so several starts are tried.
TEST(JointsAmongContacts, LimitsOfSeveralTurnsHoldInAHeap) {
  double offset = 0, turn = 0, late = 0;
  for (int start = 0; start < 4; ++start) {
    Scene scene = loadScene("skeletons:count=6");
    std::mt19937 random(static_cast<unsigned>(start));
    std::uniform_real_distribution<double> nudge(-2e-3, 2e-3);  // m/s
    for (BodyDef& body : scene.bodies) {
      if (body.type == BodyType::Dynamic) body.linearVelocity += Vec3d{nudge(random), nudge(random), nudge(random)};
    }
    World world(scene, onOneThread(Precision::Float));
    for (int k = 0; k < 200; ++k) {
      world.step();
      const StepReport report = world.report();
      offset = std::max(offset, report.jointErrorMax);
      turn = std::max(turn, report.jointAngularErrorMax);
    }
    late = std::max(late, world.report().jointAngularErrorMax);
  }
  record("joint_error_m", offset);
  record("joint_error_rad", turn);
  record("joint_error_rad_at_the_end", late);
  EXPECT_LT(offset, 5e-4);
  EXPECT_LT(turn, 1);
  EXPECT_LT(late, 0.02);
}

}  // namespace
}  // namespace cairn
