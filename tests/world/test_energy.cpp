// No energy out of nothing: without restitution, motors and moving targets a scene's energy never rises above what it began with.
#include "tests/support/expect.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

namespace cairn {
namespace {

using namespace test;

constexpr int kShapes = 12;
constexpr int kSubsteps[] = {1, 2, 8, 32};

std::vector<ShapeDef> shapesOf(int shape, double s) {
  switch (shape) {
    case 0:
      return {ShapeDef::sphere(s)};
    case 1:
      return {ShapeDef::capsule(0.4 * s, s)};
    case 2:
      return {ShapeDef::box({s, 0.7 * s, 0.5 * s})};
    case 3:
      return {ShapeDef::box({s, 0.08 * s, 0.8 * s})};
    case 4:
      return {ShapeDef::ellipsoid({s, 0.6 * s, 0.4 * s})};
    case 5:
      return {ShapeDef::capsule(0.05 * s, s)};
    case 6:
      return {ShapeDef::cylinder(0.5 * s, 0.8 * s)};
    case 7:
      return {ShapeDef::cylinder(s, 0.06 * s)};
    case 8:
      return {ShapeDef::cone(0.6 * s, 0.8 * s)};
    case 9:
      return {ShapeDef::hull(gem(7, 12, {s, 0.6 * s, 0.4 * s}))};
    case 10:
      return {ShapeDef::solidMesh(angleMesh(1.4 * s, 0.4 * s), 0.1 * s)};
    default: {
      std::vector<ShapeDef> parts{ShapeDef::sphere(0.5 * s), ShapeDef::box({0.3 * s, 0.3 * s, 0.3 * s}), ShapeDef::capsule(0.1 * s, 0.6 * s)};
      parts[0].localPose.p = {0, 0.8 * s, 0};
      parts[1].localPose.p = {0.1 * s, -0.7 * s, 0};
      return parts;
    }
  }
}

struct Throw {
  Scene scene;
  WorldSettings settings;
  double size;  // [m]
  std::string description;
};

class Throws {
 public:
  explicit Throws(int number) : random_(static_cast<unsigned>(number) * 9176u + 5u), number_(number) {}

  // A body of some shape, spinning, above a slope or the top of a static box.
  Throw free() {
    Throw thrown = begin();
    BodyDef body = spinning(number_ % kShapes, thrown.size, 150 * uniform());
    body.linearVelocity = {2 * signedUniform(), -3 * uniform(), signedUniform()};
    body.pose.p = (thrown.size * (1.5 + uniform())) * normal_;
    thrown.scene.bodies.push_back(body);
    return finished(thrown);
  }

  // One that a ball joint or a hinge holds at its end, to the world or to another one, and that strikes the ground or not.
  Throw joined() {
    Throw thrown = begin();
    const double s = thrown.size, spin = 40 + 110 * uniform();
    BodyDef body = spinning(number_ % 3 == 0 ? 5 : number_ % kShapes, s, spin);
    JointDef joint;
    joint.type = number_ % 2 == 0 ? JointType::Point : JointType::Hinge;
    const Vec3d end{0, s, 0};
    if (uniform() < 0.5) {
      if (joint.type == JointType::Hinge) body.angularVelocity = spin * rotate(body.pose.q, Vec3d{1, 0, 0});
      body.pose.p = (s * (uniform() < 0.7 ? 1.4 : 2.2)) * normal_;  // no shape reaches farther: what overlaps may rise
      const Vec3d held = transform(body.pose, end);
      body.linearVelocity = cross(body.angularVelocity, body.pose.p - held);
      const Posed ground = thrown.scene.bodies[0].pose;
      joint.collide = true;
      joint.bodyA = 0;
      joint.bodyB = 1;
      joint.frameA = {inverseTransform(ground, held), conjugate(ground.q) * body.pose.q};
      joint.frameB.p = end;
    } else {
      BodyDef other = body;
      other.shapes = {ShapeDef::capsule(0.1 * s, 0.5 * s)};
      const Vec3d between = rotate(body.pose.q, Vec3d{0, 1.7 * s, 0});
      body.pose.p = (1.8 * s + std::max(0.0, -dot(between, normal_))) * normal_;
      other.pose.p = body.pose.p + between;
      other.linearVelocity = cross(body.angularVelocity, between);
      joint.bodyA = 1;
      joint.bodyB = 2;
      joint.frameA.p = end;
      joint.frameB.p = {0, -0.7 * s, 0};
      thrown.scene.bodies.push_back(other);
    }
    thrown.scene.bodies.insert(thrown.scene.bodies.begin() + 1, body);
    thrown.scene.joints = {joint};
    return finished(thrown);
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double signedUniform() { return 2 * uniform() - 1; }

  Throw begin() {
    Throw thrown;
    thrown.size = 0.1 * std::pow(5, signedUniform());
    thrown.settings = onCpu(uniform() < 0.5 ? Precision::Double : Precision::Float);
    thrown.settings.substeps = kSubsteps[number_ / kShapes % 4];
    slope_ = 0.6 * std::max(0.0, uniform() - 0.3);
    const Quatd tilt = quatFromRotationVector(Vec3d{0, 0, slope_});
    normal_ = rotate(tilt, Vec3d{0, 1, 0});
    BodyDef target = ground();
    if (uniform() < 0.5) target = bodyAt(-0.5 * normal_, ShapeDef::box({30 * thrown.size, 0.5, 30 * thrown.size}));
    target.type = BodyType::Static;
    target.pose.q = tilt;
    thrown.scene.bodies = {target};
    return thrown;
  }

  BodyDef spinning(int shape, double size, double spin) {
    BodyDef body;
    body.shapes = shapesOf(shape, size);
    body.pose.q = normalized(Quatd{signedUniform(), signedUniform(), signedUniform(), signedUniform()});
    const Vec3d axis{signedUniform(), signedUniform(), signedUniform()};
    body.angularVelocity = (spin / length(axis)) * axis;
    return body;
  }

  Throw finished(Throw& thrown) {
    const double friction = uniform();
    for (BodyDef& body : thrown.scene.bodies) {
      for (ShapeDef& shape : body.shapes) shape.material = {friction, 0};
    }
    std::ostringstream text;
    text << "throw " << number_ << ": shape " << number_ % kShapes << " of " << thrown.size << " m, friction " << friction << ", slope " << slope_
         << ", " << thrown.settings.substeps << " substeps";
    thrown.description = text.str();
    return thrown;
  }

  std::mt19937 random_;
  int number_;
  double slope_ = 0;
  Vec3d normal_{0, 1, 0};
};

// Velocities are those of half a substep later than the poses, as in every method that moves bodies by the velocities of a substep's end: what such
// methods conserve of a conservative motion is H + h/2 g . sum(m v) to second order in h (Hairer, Lubich, Wanner, "Geometric Numerical Integration",
// 2006, section IX.3), and the energy that a report gives swings about it by the second part.
enum class Energies { Reported, AtOneTime };

// By how much the energy rises above its start at most, as a fraction of what there is: the motion, and a fall by the body's size.
double largestRise(const Throw& thrown, Energies energies = Energies::Reported, int steps = 120) {
  World world(thrown.scene, thrown.settings);
  const double half = energies == Energies::AtOneTime ? 0.5 * thrown.settings.dt / thrown.settings.substeps : 0;
  const auto energyOf = [&](const StepReport& report) {
    return report.kineticEnergy + report.potentialEnergy + half * dot(thrown.scene.gravity, report.linearMomentum);
  };
  const StepReport start = world.report();
  double mass = 0, most = -1e300;
  for (size_t k = 1; k < thrown.scene.bodies.size(); ++k) mass += massProperties(thrown.scene.bodies[k]).mass;
  for (int k = 0; k < steps; ++k) {
    world.step();
    most = std::max(most, energyOf(world.report()) - energyOf(start));
  }
  return most / (start.kineticEnergy + mass * 9.81 * 2 * thrown.size);
}

void expectNoneRises(int first, int count) {
  double most = 0;
  for (int number = first; number < first + count; ++number) {
    const Throw thrown = Throws(number).free();
    const double rise = largestRise(thrown);
    EXPECT_LT(rise, 0.01) << thrown.description;
    most = std::max(most, rise);
  }
  record("mostRise", most);
}

TEST(Energy, OfSpinningBodiesThatStrikeSlopesDoesNotRise) { expectNoneRises(0, 480); }
TEST(Energy, OfThousandsOfSpinningBodiesDoesNotRise) { expectNoneRises(480, 9600); }

// The energy that a joint keeps to 1 % while it swings by so much within a substep at most [rad].
constexpr double kWideSwing = 0.5;

// With as many substeps as the swing at the start asks for.
void expectJointsToKeepIt(int first, int count) {
  double most = 0;
  int refined = 0;
  for (int number = first; number < first + count; ++number) {
    Throw thrown = Throws(number).joined();
    const double swing = World(thrown.scene, thrown.settings).report().jointSwingMax;
    if (swing > kWideSwing) {
      thrown.settings.substeps = static_cast<int>(std::ceil(thrown.settings.substeps * swing / kWideSwing));
      ++refined;
    }
    const double rise = largestRise(thrown, Energies::AtOneTime, 60);
    EXPECT_LT(rise, 0.01) << thrown.description << " at first, then " << thrown.settings.substeps;
    most = std::max(most, rise);
  }
  record("mostRise", most);
  record("refined", refined);
}

TEST(Energy, OfSpinningBodiesWithJointsDoesNotRise) { expectJointsToKeepIt(0, 480); }
TEST(Energy, OfThousandsOfSpinningBodiesWithJointsDoesNotRise) { expectJointsToKeepIt(480, 9600); }

// With wider swings, of up to 2.5 rad with one substep, a joint may gain some, or tear, which is refused by name: never without end.
void expectWideSwingsToHaveALimit(int first, int count) {
  int torn = 0;
  double most = 0;
  for (int number = first; number < first + count; ++number) {
    const Throw thrown = Throws(number).joined();
    if (World(thrown.scene, thrown.settings).report().jointSwingMax <= kWideSwing) continue;
    try {
      const double rise = largestRise(thrown, Energies::AtOneTime, 60);
      EXPECT_LT(rise, 10) << thrown.description;
      most = std::max(most, rise);
    } catch (const TornJoint&) {
      ++torn;
    }
  }
  record("mostRise", most);
  record("torn", torn);
}

TEST(Energy, OfSpinningBodiesWithTooFewSubstepsHasALimit) { expectWideSwingsToHaveALimit(0, 480); }
TEST(Energy, OfThousandsOfSpinningBodiesWithTooFewSubstepsHasALimit) { expectWideSwingsToHaveALimit(480, 9600); }

}  // namespace
}  // namespace cairn
