#include "kernels/rows/row_math.hpp"
#include "kernels/state/integrate_body.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cairn {
namespace {

using D = double;

TEST(RowMath, ProjectionOnTheConeIsTheNearestPoint) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<D> uniform(-2, 2);
  for (int i = 0; i < 2000; ++i) {
    const Vec3<D> r{uniform(random), uniform(random), uniform(random)};
    const D mu = i % 3 == 0 ? 0 : 0.1 + std::abs(uniform(random));
    const Vec3<D> p = projectOnCone(r, mu);
    ASSERT_LE(std::sqrt(p.y * p.y + p.z * p.z), mu * p.x + 1e-12);
    // Optimality: r - p is in the polar cone and orthogonal to p.
    ASSERT_NEAR(dot(r - p, p), 0, 1e-12);
    const Vec3<D> d = r - p;
    ASSERT_LE(d.x + mu * std::sqrt(d.y * d.y + d.z * d.z), 1e-12);
  }
}

TEST(RowMath, NaturalMapByHand) {
  const D mu = 0.5;
  // Open: no impulse, separating.
  EXPECT_EQ(length(naturalMap(Vec3<D>{0, 0, 0}, Vec3<D>{1, 0.2, 0}, mu, D(1))), 0);
  // Sticking: impulse inside the cone, no velocity.
  EXPECT_EQ(length(naturalMap(Vec3<D>{1, 0.2, 0.1}, Vec3<D>{0, 0, 0}, mu, D(1))), 0);
  // Sliding: impulse on the cone, against the slip.
  EXPECT_NEAR(length(naturalMap(Vec3<D>{2, -1, 0}, Vec3<D>{0, 3, 0}, mu, D(0.7))), 0, 1e-15);
  // Approaching without an impulse: the residual is what the normal lacks.
  EXPECT_NEAR(naturalMap(Vec3<D>{0, 0, 0}, Vec3<D>{-1, 0, 0}, mu, D(2)).x, -2, 1e-15);
  // Pulling is no solution.
  EXPECT_GT(length(naturalMap(Vec3<D>{-1, 0, 0}, Vec3<D>{0, 0, 0}, mu, D(1))), 0.9);
  // Without friction the cone is a ray: what separates straight along it is open.
  EXPECT_EQ(length(naturalMap(Vec3<D>{0, 0, 0}, Vec3<D>{1, 0, 0}, D(0), D(1))), 0);
  EXPECT_EQ(length(naturalMap(Vec3<D>{0, 0, 0}, Vec3<D>{1, 0.2, 0}, D(0), D(1))), 0);
}

TEST(RowMath, FrictionUpdateHasTheLawsSolutionsAsFixedPoints) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<D> uniform(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const D k11 = 1 + uniform(random) * 0.5, k22 = 2 + uniform(random), k12 = 0.4 * uniform(random);
    const TangentBlock<D> block = tangentBlock(k11, k12, k22);
    const Tangential<D> free{3 * uniform(random), 3 * uniform(random)};  // slip without friction
    const D radius = std::abs(uniform(random));
    Tangential<D> lambda{0, 0};
    Tangential<D> u = free;
    for (int k = 0; k < 500; ++k) {
      lambda = projectedFriction(lambda, u, block, radius);
      u = {free.first + k11 * lambda.first + k12 * lambda.second, free.second + k12 * lambda.first + k22 * lambda.second};
    }
    const D slip = std::sqrt(u.first * u.first + u.second * u.second);
    const D force = std::sqrt(lambda.first * lambda.first + lambda.second * lambda.second);
    ASSERT_LE(force, radius + 1e-12);
    if (slip > 1e-9) {
      // Slides: the force is on the disk and against the slip.
      ASSERT_NEAR(force, radius, 1e-9);
      ASSERT_NEAR(lambda.first * u.first + lambda.second * u.second, -force * slip, 1e-8);
    }
  }
}

TEST(RowMath, TangentBlockWithoutMobilityInOneDirection) {
  const TangentBlock<D> block = tangentBlock(D(2), D(0), D(0));
  EXPECT_DOUBLE_EQ(block.rho, 0.5);
  EXPECT_DOUBLE_EQ(block.inv11, 0.5);
  const TangentBlock<D> none = tangentBlock(D(0), D(0), D(0));
  EXPECT_EQ(none.rho, 0);
}

TEST(RowMath, BiasOfGapsAndPenetrations) {
  const NormalBias<D> bias{100, 20, 0.001, 2, 0.02};
  EXPECT_DOUBLE_EQ(normalBias(D(0.01), bias), 1.02);     // may close within the substep, and on to the resting depth
  EXPECT_DOUBLE_EQ(normalBias(D(-0.001), bias), 0);      // at rest
  EXPECT_DOUBLE_EQ(normalBias(D(-0.0005), bias), 0.01);  // short of it
  EXPECT_DOUBLE_EQ(normalBias(D(-0.011), bias), -0.2);   // 20/s of the 10 mm beyond it
  EXPECT_DOUBLE_EQ(normalBias(D(-1.5), bias), -2);       // capped
  EXPECT_DOUBLE_EQ(gapSpeed(D(1.02), D(0.02)), 1);
  EXPECT_DOUBLE_EQ(gapSpeed(D(-0.2), D(0.02)), 0);
}

TEST(RowMath, PointMotionIsTheExactDisplacement) {
  const Quat<D> turn = quatFromRotationVector(Vec3<D>{0.2, -0.4, 0.3});
  const Vec3<D> r{0.5, 0.25, -1}, dp{0.1, 0, -0.2};
  EXPECT_NEAR(length(pointMotion(dp, turn, r) - (dp + rotate(turn, r) - r)), 0, 1e-15);
  EXPECT_EQ(length(pointMotion(Vec3<D>{0, 0, 0}, identityQuat<D>(), r)), 0);
}

template <class T> void spinKeepsEnergyAndMomentum(double energyTolerance) {
  // The unstable middle axis of a brick: flips over and over.
  const Sym3<T> inertia{T(1), T(2), T(3.5), T(0), T(0), T(0)};
  Vec3<T> w{T(0.01), T(6), T(0.01)};
  const auto energy = [&](Vec3<T> a) { return double(dot(a, inertia * a)); };
  const double energy0 = energy(w), momentum0 = double(length(inertia * w));
  double last = energy0;
  bool flipped = false;
  for (int i = 0; i < 20000; ++i) {
    w = gyroscopicStep(inertia, w, T(1.0 / 240));
    ASSERT_LE(energy(w), last * (1 + 1e-6));
    last = energy(w);
    flipped = flipped || w.y < T(-5);
  }
  EXPECT_TRUE(flipped);
  EXPECT_LE(last, energy0 * (1 + 1e-6));
  EXPECT_NEAR(last / energy0, 1, energyTolerance);
  EXPECT_NEAR(double(length(inertia * w)) / momentum0, 1, energyTolerance);
}

TEST(Integration, TorqueFreeSpinGainsNoEnergy) {
  spinKeepsEnergyAndMomentum<double>(1e-9);
  spinKeepsEnergyAndMomentum<float>(2e-3);
}

}  // namespace
}  // namespace cairn
