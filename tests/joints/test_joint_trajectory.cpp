// Joined bodies against the same motion in reduced coordinates: Lagrange's equations of the double pendulum, integrated by Runge and Kutta's method.
#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace cairn {
namespace {

using namespace test;

// Two rods, 1 m and 0.8 m, 1 kg and 0.6 kg, in the plane x = 0; angles from straight down about x.
struct Rod {
  double mass, length, inertia;
};
constexpr double kThickness = 0.06;
constexpr double inertiaOf(double mass, double length) { return mass * (0.25 * length * length + kThickness * kThickness) / 3; }
constexpr Rod kUpper{1, 1, inertiaOf(1, 1)}, kLower{0.6, 0.8, inertiaOf(0.6, 0.8)};

using Angles = Eigen::Vector4d;  // angles, then their rates
Eigen::Vector2d accelerations(const Angles& s) {
  const double c = std::cos(s(0) - s(1)), d = std::sin(s(0) - s(1)), a = 0.5 * kUpper.length, b = 0.5 * kLower.length;
  const double across = kLower.mass * kUpper.length * b;
  Eigen::Matrix2d m;
  m << kUpper.inertia + kUpper.mass * a * a + kLower.mass * kUpper.length * kUpper.length, across * c, across * c,
      kLower.inertia + kLower.mass * b * b;
  const Eigen::Vector2d f(-across * d * s(3) * s(3) - (kUpper.mass * a + kLower.mass * kUpper.length) * kGravity * std::sin(s(0)),
                          across * d * s(2) * s(2) - kLower.mass * b * kGravity * std::sin(s(1)));
  return m.ldlt().solve(f);
}
Angles rate(const Angles& s) {
  Angles r;
  r << s.tail<2>(), accelerations(s);
  return r;
}
Angles advance(Angles s, double time) {
  const int steps = 2000;
  const double h = time / steps;
  for (int k = 0; k < steps; ++k) {
    const Angles k1 = rate(s), k2 = rate(s + 0.5 * h * k1), k3 = rate(s + 0.5 * h * k2), k4 = rate(s + h * k3);
    s += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return s;
}

Vec3d along(double angle, double length) { return {0, -length * std::cos(angle), -length * std::sin(angle)}; }
BodyDef rodAt(const Rod& rod, Vec3d top, double angle) {
  BodyDef body = boxOf(rod.mass, top + along(angle, 0.5 * rod.length), {0.05, 0.5 * rod.length, kThickness});
  body.pose.q = quatFromRotationVector(Vec3d{angle, 0, 0});
  return body;
}
Scene doublePendulum(double upper, double lower, JointType type) {
  Scene scene;
  const int base = scene.add(anchorAt()), one = scene.add(rodAt(kUpper, {0, 0, 0}, upper)), two = scene.add(rodAt(kLower, along(upper, 1), lower));
  scene.joints = {scene.joint(type, base, one, {{0, 0, 0}, kNoTurn}), scene.joint(type, one, two, {along(upper, 1), kNoTurn})};
  return scene;
}

// Largest distance of the lower rod's centre from where it should be, over a second and a half.
double distanceFrom(JointType type, WorldSettings settings, bool withBox = false) {
  Scene scene = doublePendulum(1.2, 0.4, type);
  if (withBox) {
    BodyDef ground = anchorAt({0, -10, 0});
    ground.shapes = {ShapeDef::halfSpace()};
    scene.add(ground);
    scene.add(boxOf(1, {50, -9.8, 0}, {0.2, 0.2, 0.2}));
  }
  World world(scene, settings);
  Angles s;
  s << 1.2, 0.4, 0, 0;
  double worst = 0;
  for (int k = 0; k < 90; ++k) {
    world.step();
    s = advance(s, settings.dt);
    worst = std::max(worst, length(world.states()[2].pose.p - (along(s(0), 1) + along(s(1), 0.4))));
  }
  return worst;
}

TEST(JointTrajectory, OfADoublePendulumIsThatOfReducedCoordinates) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    for (const JointType type : {JointType::Hinge, JointType::Point}) {
      WorldSettings settings = onOneThread(Precision::Double, solver);
      const double at8 = distanceFrom(type, settings);
      settings.substeps = 32;
      const double at32 = distanceFrom(type, settings);
      record(std::string(solver == JointSolver::Direct ? "direct" : "sweeps") + "_m_off", at8);
      EXPECT_LT(at8, 2e-2);
      EXPECT_LT(at32, 0.3 * at8);  // first order
    }
  }
}

// The force at the top: what gives both rods their accelerations.
TEST(JointTrajectory, ReactionsOfADoublePendulumAreThoseOfReducedCoordinates) {
  WorldSettings settings = onOneThread();
  settings.substeps = 32;
  World world(doublePendulum(1.2, 0.4, JointType::Point), settings);
  Angles s;
  s << 1.2, 0.4, 0, 0;
  const auto inWorld = [](double angle, double w, double alpha, double length) {
    // Second derivative of along(angle, length).
    return Vec3d{0, length * (alpha * std::sin(angle) + w * w * std::cos(angle)), length * (-alpha * std::cos(angle) + w * w * std::sin(angle))};
  };
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    world.step();
    const Angles middle = advance(s, 0.5 * settings.dt);  // a step's mean is its middle's, but for the curvature
    s = advance(s, settings.dt);
    const Eigen::Vector2d a = accelerations(middle);
    const Vec3d one = inWorld(middle(0), middle(2), a(0), 0.5), end = inWorld(middle(0), middle(2), a(0), 1),
                two = end + inWorld(middle(1), middle(3), a(1), 0.4);
    const Vec3d lower = kLower.mass * (two + Vec3d{0, kGravity, 0}), upper = kUpper.mass * (one + Vec3d{0, kGravity, 0}) + lower;
    worst = std::max({worst, length(world.jointStates()[0].force - upper), length(world.jointStates()[1].force - lower)});
  }
  record("n_off", worst);
  EXPECT_LT(worst, 0.3);  // of some 20 N
}

// Nor does it make a difference to a pendulum that there are contacts somewhere.
TEST(JointTrajectory, ABoxThatRestsFarAwayChangesNothing) {
  for (const JointSolver solver : {JointSolver::Direct, JointSolver::Sweeps}) {
    WorldSettings settings = onOneThread(Precision::Double, solver);
    for (const int substeps : {8, 32}) {
      settings.substeps = substeps;
      const double without = distanceFrom(JointType::Point, settings), with = distanceFrom(JointType::Point, settings, true);
      EXPECT_LT(with, 1.05 * without) << substeps << " substeps, without the box " << without;
    }
  }
}

}  // namespace
}  // namespace cairn
