// The states that joints allow: targets are allowed states, allowed states are their own targets, and nothing that is free is touched.
#include "kernels/joints/joint_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn::joint {
namespace {

using Vec = Vec3<double>;

std::mt19937& generator() {
  static std::mt19937 random(99);
  return random;
}
double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator()); }
State<double> randomState(double turn) {
  return {{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, quatFromRotationVector(turn * Vec{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)})};
}
// Angle between two rotations [rad].
double angleBetween(Quat<double> a, Quat<double> b) {
  const double d = std::min(1.0, std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
  return 2 * std::acos(d);
}

TEST(ArcTangent, IsThatOfTheLibrary) {
  for (int i = 0; i < 20000; ++i) {
    const double x = uniform(-1, 1) * std::pow(10, uniform(-6, 6)), y = uniform(-1, 1) * std::pow(10, uniform(-6, 6));
    EXPECT_NEAR(arcTangent(y, x), std::atan2(y, x), 2e-15);
    EXPECT_NEAR(arcTangent(float(y), float(x)), std::atan2(float(y), float(x)), 3e-7);
  }
  EXPECT_EQ(arcTangent(0.0, 0.0), 0);
  EXPECT_DOUBLE_EQ(arcTangent(1.0, 0.0), M_PI / 2);
  EXPECT_DOUBLE_EQ(arcTangent(0.0, -1.0), M_PI);
  EXPECT_DOUBLE_EQ(arcTangent(-1.0, -1.0), -3 * M_PI / 4);
}

struct JointCase {
  const char* name;
  Freedom<double> freedom;
};
std::vector<JointCase> joints() {
  return {{"rigid", rigidJoint<double>()},
          {"point", pointJoint<double>()},
          {"hinge", hingeJoint<double>()},
          {"twist", hingeJoint<double>(1)},
          {"limited_hinge", hingeJoint<double>(2, {-0.4, 0.9})},
          {"universal", universalJoint<double>()},
          {"limited_universal", universalJoint<double>({-0.5, 0.5}, {-0.2, 0.3})},
          {"slider", prismaticJoint<double>(1, {-0.3, 0.2})},
          {"two_axes", prismaticJoint<double>(2)},
          {"three_axes", prismaticJoint<double>(3)},
          {"planar", planarJoint<double>()},
          {"rope", distanceJoint<double>({0, 0.5})},
          {"rod", distanceJoint<double>({0.7, 0.7})}};
}

TEST(JointProjection, ATargetIsItsOwnTarget) {
  for (const JointCase& joint : joints()) {
    for (int i = 0; i < 500; ++i) {
      const State<double> once = project(joint.freedom, randomState(2.5)), twice = project(joint.freedom, once);
      EXPECT_LT(length(twice.x - once.x), 1e-12) << joint.name;
      EXPECT_LT(angleBetween(twice.q, once.q), 1e-6) << joint.name;
      EXPECT_NEAR(once.q.x * once.q.x + once.q.y * once.q.y + once.q.z * once.q.z + once.q.w * once.q.w, 1, 1e-12);
    }
  }
}

TEST(JointProjection, BothSignsOfARotationAreOne) {
  for (const JointCase& joint : joints()) {
    for (int i = 0; i < 100; ++i) {
      const State<double> state = randomState(2.5), other{state.x, {-state.q.x, -state.q.y, -state.q.z, -state.q.w}};
      EXPECT_LT(angleBetween(project(joint.freedom, state).q, project(joint.freedom, other).q), 1e-6) << joint.name;
    }
  }
}

TEST(JointProjection, AHingeTurnsAboutItsAxisAlone) {
  for (int i = 0; i < 200; ++i) {
    const double angle = uniform(-3, 3);
    const Vec off{0, uniform(-0.1, 0.1), uniform(-0.1, 0.1)};
    const Quat<double> q = quatFromRotationVector(off) * turnAbout(0, angle);
    const Quat<double> target = projectRotation(hingeJoint<double>(), q);
    EXPECT_EQ(target.y, 0);
    EXPECT_EQ(target.z, 0);
    EXPECT_LT(angleBetween(target, turnAbout(0, angle)), 0.01);
    // No other turn about the axis is nearer.
    for (const double more : {-0.01, 0.01}) EXPECT_LE(angleBetween(target, q), angleBetween(turnAbout(0, more) * target, q) + 1e-7);
  }
}

TEST(JointProjection, LimitsCut) {
  const Freedom<double> hinge = hingeJoint<double>(2, {-0.4, 0.9});
  for (const auto& [angle, expected] : {std::pair(0.5, 0.5), std::pair(1.5, 0.9), std::pair(-1.0, -0.4), std::pair(3.0, 0.9)}) {
    EXPECT_NEAR(twistAngle(projectRotation(hinge, turnAbout(2, angle)), 2), expected, 1e-12);
    EXPECT_NEAR(jointAngles(hinge, turnAbout(2, angle)).z, angle, 1e-12);
  }
  const Vec cut = projectOffset(prismaticJoint<double>(1, {-0.3, 0.2}), Vec{0.7, 0.1, -0.1});
  EXPECT_EQ(cut.x, 0.2);
  EXPECT_EQ(cut.y, 0);
  const Vec rope = projectOffset(distanceJoint<double>({0, 0.5}), Vec{0, 3, 4});
  EXPECT_NEAR(length(rope), 0.5, 1e-15);
  EXPECT_NEAR(rope.z / rope.y, 4.0 / 3, 1e-12);
  EXPECT_EQ(projectOffset(distanceJoint<double>({0, 0.5}), Vec{0.1, 0.2, 0.3}).z, 0.3);
}

TEST(JointProjection, AUniversalJointKeepsItsCrossAtRightAngles) {
  for (int i = 0; i < 300; ++i) {
    const Quat<double> q = projectRotation(universalJoint<double>(), randomState(1.5).q);
    EXPECT_NEAR(rotate(q, Vec{0, 1, 0}).x, 0, 1e-12) << "x of the parent is across y of the child";
  }
  const Vec angles = cardanAngles(turnAbout(0, 0.3) * turnAbout(1, -0.4) * turnAbout(2, 1.1));
  EXPECT_NEAR(angles.x, 0.3, 1e-12);
  EXPECT_NEAR(angles.y, -0.4, 1e-12);
  EXPECT_NEAR(angles.z, 1.1, 1e-12);
  EXPECT_LT(angleBetween(projectRotation(universalJoint<double>(), turnAbout(1, M_PI / 2)), turnAbout(1, M_PI / 2)), 1e-5)
      << "at the end of its range";
}

TEST(JointProjection, WhatIsFreeStaysAsItIs) {
  for (int i = 0; i < 100; ++i) {
    const State<double> state = randomState(2.5);
    const State<double> point = project(pointJoint<double>(), state), slides = project(prismaticJoint<double>(3), state),
                        plane = project(planarJoint<double>(), state);
    EXPECT_EQ(point.q.w, state.q.w);
    EXPECT_EQ(length(point.x), 0);
    EXPECT_EQ(length(slides.x - state.x), 0);
    EXPECT_EQ(slides.q.w, 1);
    EXPECT_EQ(plane.x.x, state.x.x);
    EXPECT_EQ(plane.x.y, state.x.y);
    EXPECT_EQ(plane.x.z, 0);
  }
}

}  // namespace
}  // namespace cairn::joint
