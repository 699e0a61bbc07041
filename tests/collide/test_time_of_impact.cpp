// Times of impact in closed form, for straight ways and turns.
#include "kernels/collide/time_of_impact.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

template <class T> MovingShape<T> shapeOf(int type, Vec3<T> size, Vec3<T> start, Vec3<T> motion, Vec3<T> turn = {0, 0, 0}) {
  const T arm = type == kSphere ? T(0) : type == kCapsule ? size.y : length(size);
  return {type, size, identityPose<T>(), arm, {start, motion, identityQuat<T>(), turn}};
}

constexpr double kTolerance = 1e-5;

template <class T> Impact<T> impactOf(const MovingShape<T>& a, const MovingShape<T>& b) {
  return timeOfImpact(a, b, ImpactRule<T>{T(0), T(0), T(kTolerance)});
}

template <class T> class TimeOfImpact : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TimeOfImpact, Scalars);

TYPED_TEST(TimeOfImpact, StraightWaysEndAtTheSurface) {
  using T = TypeParam;
  const MovingShape<T> wall = shapeOf<T>(kBox, {1, T(0.001), 1}, {0, 0, 0}, {0, 0, 0});
  for (const T speed : {T(0.1), T(1), T(5), T(50)}) {
    const T height = T(0.7) * speed;
    const Impact<T> ball = impactOf(shapeOf<T>(kSphere, {T(0.01), 0, 0}, {0, T(0.011) + height, 0}, {0, -speed, 0}), wall);
    ASSERT_TRUE(ball.met);
    EXPECT_NEAR(ball.time, 0.7, 1.1 * kTolerance / double(speed) + 1e-5);
    EXPECT_NEAR(ball.manifold.normal.y, -1, 1e-5);
    const Impact<T> cube = impactOf(shapeOf<T>(kBox, {T(0.01), T(0.01), T(0.01)}, {0, T(0.011) + height, 0}, {0, -speed, 0}), wall);
    ASSERT_TRUE(cube.met);
    EXPECT_NEAR(cube.time, 0.7, 1.1 * kTolerance / double(speed) + 1e-5);
    EXPECT_EQ(cube.manifold.pointCount, 4);
  }
}

// A rod at height h that turns about z comes down with its end when sin(turn) = h / half length, seen from its flat start.
TYPED_TEST(TimeOfImpact, ATurningRodComesDownWithItsEnd) {
  using T = TypeParam;
  MovingShape<T> ground = shapeOf<T>(kHalfSpace, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
  ground.arm = T(0);
  for (const double angle : {0.1, 0.5, 1.2}) {
    const T height = T(0.01 + 0.5 * std::sin(angle));
    MovingShape<T> rod = shapeOf<T>(kCapsule, {T(0.01), T(0.5), 0}, {0, height, 0}, {0, 0, 0}, {0, 0, T(1.6)});
    rod.path.q = quatFromRotationVector(Vec3<T>{0, 0, T(0.5 * kPi)});
    const Impact<T> impact = impactOf(rod, ground);
    ASSERT_TRUE(impact.met) << angle;
    EXPECT_NEAR(impact.time, angle / 1.6, 2e-4) << angle;
  }
}

TYPED_TEST(TimeOfImpact, WhatPassesBesideIsNotMet) {
  using T = TypeParam;
  const MovingShape<T> block = shapeOf<T>(kBox, {T(0.3), T(0.5), T(0.3)}, {0, T(-0.5), 0}, {0, 0, 0});
  EXPECT_FALSE(impactOf(shapeOf<T>(kSphere, {T(0.01), 0, 0}, {-1, T(0.0105), 0}, {3, 0, 0}), block).met);
  EXPECT_TRUE(impactOf(shapeOf<T>(kSphere, {T(0.01), 0, 0}, {-1, T(0.0095), 0}, {3, 0, 0}), block).met);
}

// Whose surfaces touch at the start is left alone, and whoever wants to go through is held in the middle of the way.
TYPED_TEST(TimeOfImpact, ShapesThatTouchAreKeptFromPassing) {
  using T = TypeParam;
  const MovingShape<T> plate = shapeOf<T>(kBox, {1, T(0.01), 1}, {0, 0, 0}, {0, 0, 0});
  const ImpactRule<T> rule{T(0.002), T(0.02), T(1e-5)};
  const auto ball = [](T y, Vec3<T> motion) { return shapeOf<T>(kSphere, {T(0.02), 0, 0}, {0, y, 0}, motion); };
  EXPECT_FALSE(timeOfImpact(ball(T(0.027), {T(0.5), 0, 0}), plate, rule).met);
  const Impact<T> through = timeOfImpact(ball(T(0.027), {0, T(-0.5), 0}), plate, rule);
  ASSERT_TRUE(through.met);
  EXPECT_TRUE(through.atStart);
  EXPECT_NEAR(through.time, (0.5 * 0.003 + 0.01 - 0.003) / 0.5, 1e-3);
}

}  // namespace
}  // namespace cairn
