// Bodies of every size behave alike: a scene and settings in other units of length and time go the same way, to the bit where the units are powers of
// two. Bodies that are small for the default settings gain no energy.
#include "tests/support/expect.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cairn_test_paths.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <sstream>

namespace cairn {
namespace {

using namespace test;

// --- other units -------------------------------------------------------------------------------------------------

struct Case {
  std::string name, scene;
  int steps;
  std::function<void(WorldSettings&)> change = {};
  double digits = 1e-6;  // in float; in double 1e-15
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

std::vector<Case> cases() {
  const auto normal = [](NormalStabilization choice) { return [choice](WorldSettings& s) { s.normalStabilization = choice; }; };
  const auto joint = [](JointStabilization choice) { return [choice](WorldSettings& s) { s.jointStabilization = choice; }; };
  const std::string joints = std::string(CAIRN_SOURCE_DIR) + "/scenes/joints.json";
  return {
      {"tower", "tower:height=8", 30},
      {"boxes", "pile:count=40,shape=box", 60},
      {"capsules", "pile:count=40,shape=capsule", 60},
      {"mixed", "pile:count=40,shape=mixed", 60},
      {"compounds", "rubble:count=30", 60},
      {"drum", "drum:count=30", 50},
      {"cylinders", "logs:base=3,rows=2", 40},
      {"hulls", "convex_pile:side=2,layers=3", 40},
      {"all_on_hills", "terrain:count=24,size=4,height=0.5,cells=8", 25},
      {"all_on_a_field", "terrain:count=24,size=4,height=0.5,cells=8,ground=heights", 25},
      // Balls that touch break up what was lost while they lay still, to the last digit of a ball that spins with 300 rad/s:
      // 3.05e-5.
      {"bounces", "billiard-break", 20, {}, 3.1e-5},
      {"arch", "arch", 20},
      {"dominoes", "dominoes:count=8", 50},
      {"materials", std::string(CAIRN_SOURCE_DIR) + "/scenes/materials.json", 40},
      {"none", "pyramid:base=4", 20, normal(NormalStabilization::None)},
      {"anitescu_hart", "pyramid:base=4", 20, normal(NormalStabilization::AnitescuHart)},
      {"soft", "pyramid:base=4", 20, normal(NormalStabilization::Soft)},
      {"silcowitz", "pyramid:base=4", 20,
       [](WorldSettings& s) {
         s.normalStabilization = NormalStabilization::Silcowitz;
         s.frictionStabilization = true;
       }},
      {"nncg", "pyramid:base=4", 20,
       [](WorldSettings& s) {
         s.solver = Solver::Nncg;
         s.iterations = 5;
       }},
      {"jacobi", "pile:count=30,shape=box", 40, [](WorldSettings& s) { s.solver = Solver::Jacobi; }},
      {"shock", "mass-ratio", 30, [](WorldSettings& s) { s.shockPropagation = true; }},
      {"tolerance", "pile:count=30,shape=box", 40,
       [](WorldSettings& s) {
         s.tolerance = 1e-3;
         s.maxIterations = 60;
       }},
      {"position_corrections", "skeletons:count=1", 36, [](WorldSettings& s) { s.positionCorrections = 1; }},
      {"skeletons", "skeletons:count=1", 40},
      {"skeletons_by_sweeps", "skeletons:count=1", 40, [](WorldSettings& s) { s.jointSolver = JointSolver::Sweeps; }},
      {"joints", joints, 40},
      {"limits", "limits", 40},
      {"motor", "motor", 40},
      {"net", "net:meshes=4,boxes=2", 30},
      {"bridge", "bridge", 10},
      {"magnets", "magnets:letters=6", 30},
      {"tank", "tank", 15},
      {"joints_baumgarte", "double-pendulum", 40, joint(JointStabilization::Baumgarte)},
      {"joints_post", "cline-pai-chain:links=6", 40, joint(JointStabilization::Post)},
      {"joints_anitescu_hart", "double-pendulum", 40, joint(JointStabilization::AnitescuHart)},
  };
}

// The largest difference between two states, in the units of `a`: lengths, speeds, turns and angular speeds alike.
double difference(const World& a, const World& b, const Scale& by) {
  const std::vector<BodyId> ids = a.bodies(), others = b.bodies();
  double most = ids.size() == others.size() ? 0 : 1e300;
  for (size_t k = 0; k < ids.size() && k < others.size(); ++k) {
    const BodyState x = a.state(ids[k]), y = b.state(others[k]);
    const Quatd turn = conjugate(x.pose.q) * y.pose.q;
    for (const double each : {length(x.pose.p - (1 / by.length) * y.pose.p), length(x.linearVelocity - (1 / by.speed()) * y.linearVelocity),
                              length(x.angularVelocity - by.time * y.angularVelocity), 2 * length(Vec3d{turn.x, turn.y, turn.z})}) {
      if (!(each <= most)) most = each;
    }
  }
  return most;
}

class Scales : public ::testing::TestWithParam<Case> {};

// From a thousandth to a thousand times the size. What may differ is what is lost where numbers come near the smallest that there are.
TEST_P(Scales, ByPowersOfFourGiveTheSameDigits) {
  const Case& each = GetParam();
  const Scene scene = loadScene(each.scene);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = onCpu(precision);
    if (each.change) each.change(settings);
    World plain(scene, settings);
    plain.step(each.steps);
    for (const int power : {-5, -2, 1, 4, 5}) {
      SCOPED_TRACE("lengths times 4^" + std::to_string(power) + (precision == Precision::Float ? ", float" : ", double"));
      const Scale by(std::pow(4.0, power));
      World other(scaled(scene, by), scaled(settings, by));
      other.step(each.steps);
      EXPECT_LE(difference(plain, other, by), precision == Precision::Float ? each.digits : 1e-15);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Scales, ::testing::ValuesIn(cases()), [](const auto& each) { return each.param.name; });

// Every type of joint with a motor, a spring, friction or limits on each kind of axis that it leaves free.
Scene everyJoint() {
  Scene scene;
  scene.bodies = {ground()};
  const auto hang = [&](const JointDef& def) {
    const double x = 2.0 * static_cast<double>(scene.joints.size());
    BodyDef box = bodyAt({x, 3, 0}, ShapeDef::box({0.2, 0.4, 0.3}));
    box.angularVelocity = {0.5, 0.3, -0.4};
    scene.bodies.push_back(box);
    JointDef joint = def;
    joint.bodyA = 0;
    joint.bodyB = static_cast<int>(scene.bodies.size()) - 1;
    joint.frameA.p = {x, 3.4, 0};
    joint.frameB.p = {0, 0.4, 0};
    scene.joints.push_back(joint);
  };
  for (const JointType type : {JointType::Point, JointType::Hinge, JointType::Twist, JointType::Rigid, JointType::Prismatic, JointType::Planar,
                               JointType::Universal, JointType::SixDof}) {
    JointDef joint;
    joint.type = type;
    if (type == JointType::SixDof) joint.axes[1].free = joint.axes[5].free = true;
    const std::array<bool, 6> free = freeAxes(joint);
    int kind = 0;
    for (size_t k = 0; k < 6; ++k) {
      if (!free[k]) continue;
      JointAxis& axis = joint.axes[k];
      if (kind % 3 == 0) axis.limits = {{-0.2, 0.3}};
      if (kind % 3 == 1) axis.stiffness = 400, axis.damping = 20, axis.rest = 0.1;
      if (kind % 3 == 2) axis.friction = 2;
      if (kind++ == 0) axis.motor = JointMotor::Velocity, axis.target = 1.5, axis.maxForce = 600;
    }
    hang(joint);
  }
  JointDef rope;
  rope.type = JointType::Distance;
  rope.minDistance = 0.1;
  rope.maxDistance = 0.3;
  hang(rope);
  JointDef held;
  held.type = JointType::BlackBox;
  held.projection = [](const JointPose& pose) {
    const double far = length(pose.offset);
    return far > 0.25 ? JointPose{(0.25 / far) * pose.offset, pose.rotation} : pose;
  };
  hang(held);
  JointDef gear;
  gear.type = JointType::Gear;
  gear.bodyA = scene.joints[1].bodyB;
  gear.bodyB = scene.joints[6].bodyB;
  gear.ratio = 2;
  scene.joints.push_back(gear);
  return scene;
}

TEST(Scales, EveryJointTurnsAndSlidesAlike) {
  const Scene scene = everyJoint();
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    WorldSettings settings = onCpu(Precision::Double);
    settings.jointSolver = solver;
    World plain(scene, settings);
    plain.step(60);
    for (const int power : {-5, -1, 2, 5}) {
      const Scale by(std::pow(4.0, power));
      World other(scaled(scene, by), scaled(settings, by));
      other.step(60);
      EXPECT_LE(difference(plain, other, by), 1e-15) << "4^" << power << (solver == JointSolver::Direct ? ", direct" : ", sweeps");
    }
  }
}

// Round scales round otherwise: what is left after a second is no more than that, seen through a hundred contacts.
TEST(Scales, FromAMillimetreToAKilometreSettleAlike) {
  const Scene scene = loadScene("tower:height=6");
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const WorldSettings settings = onCpu(precision);
    World plain(scene, settings);
    plain.step(60);
    for (const double length : {1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3}) {
      const Scale by(length);
      World other(scaled(scene, by), scaled(settings, by));
      other.step(60);
      EXPECT_LT(difference(plain, other, by), precision == Precision::Float ? 5e-3 : 1e-9) << length;
    }
  }
}

// --- sizes under default settings --------------------------------------------------------------------------------

class Thrown {
 public:
  explicit Thrown(int number) : random_(static_cast<unsigned>(number) * 977u + 13u) {}

  // Ellipsoids up to 1:5, thrown at the ground or a box, `count` above each other.
  Scene ellipsoids(double size, bool onBox, int count) {
    Scene scene;
    scene.bodies = {ground()};
    if (onBox) {
      const double wide = std::max(30 * size, 3.0);
      scene.bodies = {bodyAt({0, -10 * size, 0}, ShapeDef::box({wide, 10 * size, wide}))};
      scene.bodies[0].type = BodyType::Static;
    }
    const double aside = count > 1 ? 0.8 * size : 0, speed = std::sqrt(kGravity * size);
    for (int k = 0; k < count; ++k) {
      Vec3d axes{size * std::pow(5.0, -uniform()), size * std::pow(5.0, -uniform()), size};
      if (uniform() < 0.3) axes.y = axes.x;
      if (uniform() < 0.5) std::swap(axes.x, axes.z);
      BodyDef body = bodyAt({aside * signedUniform(), (1.2 + 2.1 * k) * size, aside * signedUniform()}, ShapeDef::ellipsoid(axes));
      body.pose.q = normalized(Quatd{signedUniform(), signedUniform(), signedUniform(), signedUniform()});
      body.linearVelocity = speed * Vec3d{signedUniform(), -uniform(), signedUniform()};
      body.angularVelocity = (3 * uniform() * speed / size) * Vec3d{signedUniform(), signedUniform(), signedUniform()};
      scene.bodies.push_back(body);
    }
    return scene;
  }

  // Shapes of extents from 0.1 mm to 3 m that overlap on the ground.
  Scene overlapping() {
    Scene scene;
    scene.bodies = {ground()};
    const int count = 2 + static_cast<int>(5 * uniform());
    for (int k = 0; k < count; ++k) {
      const Vec3d extents{anyExtent(), anyExtent(), anyExtent()};
      const int type = k == 0 ? 3 : static_cast<int>(4 * uniform());
      const ShapeDef shape = type == 0   ? ShapeDef::sphere(extents.x)
                             : type == 1 ? ShapeDef::capsule(extents.x, extents.y)
                             : type == 2 ? ShapeDef::box(extents)
                                         : ShapeDef::ellipsoid(extents);
      BodyDef body = bodyAt({signedUniform(), uniform(), signedUniform()}, shape);
      body.pose.q = normalized(Quatd{signedUniform(), signedUniform(), signedUniform(), signedUniform()});
      scene.bodies.push_back(body);
    }
    return scene;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double signedUniform() { return 2 * uniform() - 1; }
  double anyExtent() { return 1e-4 * std::pow(3e4, uniform()); }

  std::mt19937 random_;
};

// By how much the energy rises above its start at most, as a fraction of the motion and a fall through the scene; and the speed that is left.
struct Course {
  double rise, speed;
};
Course courseOf(const Scene& scene, const WorldSettings& settings, double height, int steps) {
  World world(scene, settings);
  const auto energyOf = [](const StepReport& report) { return report.kineticEnergy + report.potentialEnergy; };
  const StepReport start = world.report();
  double mass = 0, most = -1e300;
  for (size_t k = 1; k < scene.bodies.size(); ++k) mass += massProperties(scene.bodies[k]).mass;
  StepReport now = start;
  for (int k = 0; k < steps; ++k) {
    world.step();
    now = world.report();
    most = std::max(most, energyOf(now) - energyOf(start));
  }
  return {most / (start.kineticEnergy + mass * kGravity * height), now.maxSpeed};
}

constexpr double kSizes[] = {0.0005, 0.002, 0.005, 0.01, 0.1, 1, 10};

TEST(Sizes, EllipsoidsOfNoneGainEnergyWithDefaultSettings) {
  double most = -1e300;
  for (const double size : kSizes) {
    for (int number = 0; number < 12; ++number) {
      const int count = number < 10 ? 1 : 20;
      const WorldSettings settings = onCpu(number % 3 == 0 ? Precision::Double : Precision::Float);
      const Scene scene = Thrown(number).ellipsoids(size, number % 2 == 0, count);
      const Course course = courseOf(scene, settings, 2 * size * count, count > 1 ? 150 : 300);
      EXPECT_LT(course.rise, 0.01) << size << " m, number " << number;
      most = std::max(most, course.rise);
    }
  }
  record("mostRise", most);
}

TEST(Sizes, EllipsoidsOfAllComeToRestAlikeWithSettingsOfTheirSize) {
  for (const double size : kSizes) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      const WorldSettings settings = scaled(onCpu(precision), Scale(size));
      const Course course = courseOf(Thrown(3).ellipsoids(size, true, 20), settings, 40 * size, 300);
      EXPECT_LT(course.rise, 0.01) << size;
      EXPECT_LT(course.speed, 4 * std::sqrt(kGravity * size)) << size;  // some roll on: nothing but sliding friction stops them
    }
  }
}

TEST(Sizes, AThousandfoldInOneSceneStaysFinite) {
  for (int number = 0; number < 150; ++number) {
    const Scene scene = Thrown(number).overlapping();
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      World world(scene, onCpu(precision));
      EXPECT_NO_THROW(world.step(15)) << number;
    }
  }
}

// Semi-axes of 0.3 mm, 2 m and 1 m: a flat side along which the place of contact wanders by metres for a thousandth of a radian.
TEST(Sizes, ADiscAmongOverlappingShapesDoesNotExplode) {
  Scene scene;
  scene.bodies = {ground(), bodyAt({0, 0.4, 0}, ShapeDef::ellipsoid({0.0003, 2, 1})), bodyAt({0.2, 0.5, 0.1}, ShapeDef::box({0.5, 0.5, 0.5})),
                  bodyAt({-0.3, 0.5, -0.2}, ShapeDef::sphere(0.5)), bodyAt({0.1, 0.6, -0.4}, ShapeDef::capsule(0.3, 0.4))};
  scene.bodies[1].pose.q = normalized(Quatd{0.1, 0.2, 0.65, 0.7});
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(scene, onCpu(precision));
    for (int k = 0; k < 120; ++k) {
      world.step();
      ASSERT_LT(world.report().maxSpeed, 30) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace cairn
