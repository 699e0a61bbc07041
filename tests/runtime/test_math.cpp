#include <cairn/math.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace cairn {
namespace {

TEST(Math, SineAndCosineAgreeWithTheLibrary) {
  std::mt19937_64 random(20261120);
  std::uniform_real_distribution<double> angle(-1e4, 1e4), small(-1, 1);
  for (int i = 0; i < 200000; ++i) {
    const double a = i % 2 == 0 ? angle(random) : small(random);
    const SinCos<double> s = sinCos(a);
    ASSERT_NEAR(s.sine, std::sin(a), 5e-16) << a;
    ASSERT_NEAR(s.cosine, std::cos(a), 5e-16) << a;
    const SinCos<float> f = sinCos(static_cast<float>(a));
    ASSERT_NEAR(f.sine, std::sin(static_cast<double>(static_cast<float>(a))), 6e-8) << a;
  }
}

// Processors differ in what they make of a number that is too large for an integer.
TEST(Math, AnglesBeyondAllIntegersCountAsNone) {
  for (const double angle : {1.5e19, 1e30, 1e300}) {
    for (const double sign : {-1.0, 1.0}) {
      const SinCos<double> s = sinCos(sign * angle);
      EXPECT_EQ(s.sine, 0) << angle;
      EXPECT_EQ(s.cosine, 1) << angle;
      if (angle > 1e38) continue;
      EXPECT_EQ(sinCos(static_cast<float>(sign * angle)).cosine, 1) << angle;
    }
  }
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double angle : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sinCos(angle).sine));
    EXPECT_TRUE(std::isnan(sinCos(angle).cosine));
  }
}

TEST(Math, ExponentialMapIsARotationByItsLengthAcrossTheSeriesBoundary) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20000; ++i) {
    const Vec3<double> direction = normalizedOr(Vec3<double>{normal(random), normal(random), normal(random)}, {1, 0, 0});
    const double angle = i % 3 == 0 ? 0.1 + 1e-4 * normal(random) : std::abs(3 * normal(random));
    const Quat<double> q = quatFromRotationVector(angle * direction);
    EXPECT_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1, 1e-14);
    EXPECT_NEAR(q.w, std::cos(angle / 2), 1e-14);
    EXPECT_NEAR(dot(Vec3<double>{q.x, q.y, q.z}, direction), std::sin(angle / 2), 1e-14);
  }
  const Quat<float> none = quatFromRotationVector(Vec3<float>{0, 0, 0});
  EXPECT_EQ(none.w, 1.0f);
  EXPECT_EQ(none.x, 0.0f);
}

TEST(Math, TangentFrameIsRightHandedAndOrthonormal) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20000; ++i) {
    Vec3<double> n = normalizedOr(Vec3<double>{normal(random), normal(random), normal(random)}, {0, 0, 1});
    if (i < 3) n = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? -1.0 : 0.0};
    Vec3<double> t1, t2;
    tangentFrame(n, t1, t2);
    EXPECT_NEAR(dot(n, t1), 0, 1e-15);
    EXPECT_NEAR(dot(n, t2), 0, 1e-15);
    EXPECT_NEAR(length(cross(n, t1) - t2), 0, 1e-14);
  }
}

TEST(Math, SymmetricInverseAndRotation) {
  const Sym3<double> m{4, 5, 6, 1, 0.5, -0.25};
  const Sym3<double> i = inverse(m);
  const Vec3<double> a{1, -2, 3};
  const Vec3<double> b = i * (m * a);
  EXPECT_NEAR(length(b - a), 0, 1e-14);
  const Quat<double> q = quatFromRotationVector(Vec3<double>{0.3, -1.2, 0.7});
  const Mat3<double> r = rotationMatrix(q);
  EXPECT_NEAR(length(r * a - rotate(q, a)), 0, 1e-14);
  EXPECT_NEAR(length(rotated(r, m) * a - rotate(q, m * inverseRotate(q, a))), 0, 1e-13);
}

}  // namespace
}  // namespace cairn
