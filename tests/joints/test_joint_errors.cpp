// Joint errors as the report has them: found where the World runs, and the largest of those that each joint reports by itself.
#include "src/world/simulation.hpp"
#include "tests/joints/black_box_worlds.hpp"
#include "tests/joints/joint_worlds.hpp"

namespace cairn {
namespace {

using test::Source;

// Pairs of bodies whose joints, of all types, start off what they allow.
Scene strainedJoints(unsigned seed, int count) {
  Source source(seed);
  Scene scene = test::manyBlackBoxes<double>(count, test::BoxesBy::Both);
  const JointType types[] = {JointType::Point,     JointType::Hinge,  JointType::Twist,    JointType::Prismatic, JointType::Planar,
                             JointType::Universal, JointType::SixDof, JointType::Distance, JointType::Rigid,     JointType::Gear};
  for (int k = 0; k < count * 10; ++k) {
    const double x = 3.0 * k;
    const int a = scene.add(test::boxOf(1, {x, 20, 0})), b = scene.add(test::boxOf(2, {x + 0.5, 20, 0.1}));
    JointDef joint;
    joint.type = types[k % 10];
    joint.bodyA = a;
    joint.bodyB = b;
    joint.frameA = {source.vector(0.3), source.turn()};
    joint.frameB = {source.vector(0.3), source.turn()};
    if (joint.type == JointType::Distance) joint.maxDistance = source(0.05, 2);
    if (joint.type == JointType::SixDof) {
      for (JointAxis& axis : joint.axes) axis.free = source.below(2) == 0;
    }
    const std::array<bool, 6> free = freeAxes(joint);
    for (size_t axis = 0; axis < 6; ++axis) {
      if (free[axis] && source.below(2) == 0) joint.axes[axis].limits = {{source(-0.6, 0), source(0, 0.6)}};
    }
    if (k % 30 == 0) joint.breakImpulse = 1e-3;
    scene.joints.push_back(joint);
  }
  return scene;
}

struct Largest {
  double offset = 0, turn = 0;
};
Largest largestOf(const World& world) {
  Largest largest;
  for (const JointState& joint : world.jointStates()) {
    if (joint.broken) continue;
    largest.offset = std::max(largest.offset, joint.error);
    largest.turn = std::max(largest.turn, joint.angularError);
  }
  return largest;
}

void expectTheLargest(const World& world) {
  const StepReport report = world.report();
  const Largest largest = largestOf(world);
  EXPECT_EQ(report.jointErrorMax, largest.offset);
  EXPECT_EQ(report.jointAngularErrorMax, largest.turn);
}

class JointErrors : public ::testing::TestWithParam<std::tuple<Backend, Precision>> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()) == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings() const {
    WorldSettings settings = test::onCpu(std::get<1>(GetParam()));
    settings.backend = std::get<0>(GetParam());
    settings.substeps = 2;
    return settings;
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, JointErrors,
                         ::testing::Combine(::testing::Values(Backend::Cpu, Backend::Cuda), ::testing::Values(Precision::Float, Precision::Double)),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param) == Backend::Cpu ? "Cpu" : "Cuda") +
                                  (std::get<1>(each.param) == Precision::Float ? "Float" : "Double");
                         });

TEST_P(JointErrors, AreTheLargestOfTheJoints) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    World world(strainedJoints(seed, 3), settings());
    EXPECT_GT(world.report().jointErrorMax, 0.01);
    EXPECT_GT(world.report().jointAngularErrorMax, 0.01);
    expectTheLargest(world);
    for (int k = 0; k < 3; ++k) {
      world.step();
      expectTheLargest(world);
    }
  }
}

// One joint of a kind at a time, so that none hides behind a larger one.
TEST_P(JointErrors, AreThoseOfTheOnlyJoint) {
  const Scene all = strainedJoints(7, 2);
  for (const JointDef& joint : all.joints) {
    SCOPED_TRACE(joint.name + " of type " + std::to_string(static_cast<int>(joint.type)));
    Scene scene = all;
    scene.joints = {joint};
    World world(scene, settings());
    expectTheLargest(world);
    world.step();
    expectTheLargest(world);
  }
}

TEST_P(JointErrors, FollowJointsThatComeGoBreakAndTurn) {
  World world(strainedJoints(4, 2), settings());
  expectTheLargest(world);
  world.removeJoint(world.joints().front());
  expectTheLargest(world);
  world.removeBody(world.bodies().back());
  expectTheLargest(world);
  world.step(2);
  JointDef gear;
  gear.type = JointType::Gear;
  gear.ratio = 2;
  const std::vector<BodyId> bodies = world.bodies();
  world.addJoint(bodies[bodies.size() - 1], bodies[bodies.size() - 3], gear);
  expectTheLargest(world);
  world.step();
  expectTheLargest(world);
  JointDef hinge;
  hinge.type = JointType::Hinge;
  hinge.frameA.p = {0, 3, 0};
  const JointId added = world.addJoint(bodies[bodies.size() - 2], bodies[bodies.size() - 4], hinge);
  expectTheLargest(world);
  world.setMotor(added, 3, JointMotor::Velocity, 1, 5);  // one row more: the gear's phase lies elsewhere
  expectTheLargest(world);
  world.step();
  expectTheLargest(world);
  world.setPose(bodies[bodies.size() - 1], {{0, 50, 0}, {0, 0, 0, 1}});
  expectTheLargest(world);
  const std::vector<JointState> joints = world.jointStates();
  EXPECT_TRUE(std::any_of(joints.begin(), joints.end(), [](const JointState& joint) { return joint.broken; }));
}

// A body that a joint holds at `anchor`, from its centre, spinning about z at 30 rad/s.
double swingOf(JointType type, Vec3d anchor, Quatd frame, const WorldSettings& settings) {
  Scene scene;
  BodyDef post, body;
  post.type = BodyType::Static;
  body.shapes = {ShapeDef::sphere(0.5)};  // its radius of gyration: 0.5 sqrt(0.6) about the centre's point
  body.angularVelocity = {0, 0, 30};
  scene.add(post);
  scene.add(body);
  JointDef joint;
  joint.type = type;
  joint.bodyA = 0;
  joint.bodyB = 1;
  joint.frameA = {anchor, frame};
  joint.frameB = {anchor, frame};
  scene.joints = {joint};
  return World(scene, settings).report().jointSwingMax;
}

TEST_P(JointErrors, SwingsAreOfAnchorsAndLockedAxes) {
  const WorldSettings settings = this->settings();
  const double whole = 30 * settings.dt / settings.substeps;
  const Quatd straight{0, 0, 0, 1}, hingeAlongZ = quatFromRotationVector(Vec3d{0, -1.5707963267948966, 0});  // hinges turn about x of their frame
  EXPECT_NEAR(swingOf(JointType::Point, {2, 0, 0}, straight, settings), whole, 1e-6 * whole) << "an anchor outside swings with its body";
  EXPECT_EQ(swingOf(JointType::Point, {0, 0, 2}, straight, settings), 0) << "one on the axis of the spin stays";
  EXPECT_EQ(swingOf(JointType::Point, {0, 0, 0}, straight, settings), 0);
  EXPECT_NEAR(swingOf(JointType::Point, {0.01, 0, 0}, straight, settings), whole * 0.01 / (0.5 * std::sqrt(0.6)), 1e-5 * whole);
  EXPECT_NEAR(swingOf(JointType::Hinge, {0, 0, 0}, hingeAlongZ, settings), 0, 1e-6) << "a wheel on its axle";
  EXPECT_NEAR(swingOf(JointType::Hinge, {0, 0, 0}, straight, settings), whole, 1e-6 * whole) << "an axle that turns across";
  EXPECT_NEAR(swingOf(JointType::Rigid, {0, 0, 0}, straight, settings), whole, 1e-6 * whole);
}

TEST(JointErrorsOnCuda, HaveTheBitsOfTheCpu) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  WorldSettings settings = test::onCpu();
  World here(strainedJoints(5, 3), settings);
  settings.backend = Backend::Cuda;
  World there(strainedJoints(5, 3), settings);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(there.report().jointErrorMax, here.report().jointErrorMax);
    EXPECT_EQ(there.report().jointAngularErrorMax, here.report().jointAngularErrorMax);
    EXPECT_EQ(there.report().jointSwingMax, here.report().jointSwingMax);
    here.step();
    there.step();
  }
}

// What reports copy, from the second on: the first one sends the joints' definitions.
int64_t bytesOfAReport(const std::string& scene) {
  WorldSettings settings;
  settings.backend = Backend::Cuda;
  settings.substeps = 1;
  LaunchLog log;
  std::unique_ptr<Simulation> world;
  {
    const LaunchLogging logging(log);
    world = makeSimulation<float>(loadScene(scene), settings, Target::Cuda);
  }
  for (int k = 0; k < 3; ++k) world->step();
  world->settle();
  EXPECT_GT(world->report().manifolds, 0);
  log.clear();
  EXPECT_GT(world->report().joints, 0);
  return log.now().bytes;
}

TEST(ReportOnCuda, CopiesNoMoreForManyBodiesJointsAndContacts) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  const int64_t few = bytesOfAReport("skeletons:count=1"), many = bytesOfAReport("skeletons:count=3");
  EXPECT_EQ(many, few);
  EXPECT_LT(many, 1000);
}

}  // namespace
}  // namespace cairn
