// Every pair of shapes against signed distances by enumeration (collide_oracle.hpp) and against FCL, on random and on nearly aligned configurations.
#include "tests/collide/fcl_shapes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace cairn::test {
namespace {

const char* const kTypeNames[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid"};

// The size that the slops of collide_box.hpp and collide_capsule.hpp are relative to.
double meanSize(const Shape& shape) {
  if (shape.type == kHalfSpace) return 1;
  return shape.type == kBox ? (shape.size.x + shape.size.y + shape.size.z) / 3 : shape.size.x;
}

class ShapePairs : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  template <class T> void checkAgainstDistances(unsigned seed, double low, double high);

  int typeA() const { return std::get<0>(GetParam()); }
  int typeB() const { return std::get<1>(GetParam()); }
};

template <class T> void ShapePairs::checkAgainstDistances(unsigned seed, double low, double high) {
  SCOPED_TRACE("seed " + std::to_string(seed) + (sizeof(T) == 4 ? ", float" : ", double"));
  const double rounding = sizeof(T) == 4 ? 1e-5 : 1e-6;
  const double margin = 0.05;
  ShapeSource source(seed);
  for (int i = 0; i < 4000; ++i) {
    const auto drawn = source.pair(typeA(), typeB(), low, high);
    const Shape a = rounded<T>(drawn.first), b = rounded<T>(drawn.second);
    const double distance = signedDistance(a, b);
    const LocalManifold<T> m = contacts<T>(a, b, margin);
    SCOPED_TRACE("configuration " + std::to_string(i) + ", signed distance " + std::to_string(distance));
    if (std::abs(distance - margin) < 1e-4) continue;
    ASSERT_EQ(m.pointCount > 0, distance < margin);
    if (m.pointCount == 0) continue;
    ASSERT_LE(m.pointCount, kMaxManifoldPoints);

    const Vec n = convert<double>(m.normal);
    ASSERT_NEAR(length(n), 1, 1e-6);
    // A face preferred to edges or to the other box's face costs the slops of collide_box.hpp and collide_capsule.hpp: two thousandths of the
    // mean extent, and a fiftieth of a deep penetration.
    const double preference = 4.1e-3 * std::min(meanSize(a), meanSize(b)) + 0.02 * std::max(0.0, -distance);
    const double tolerance = typeB() == kHalfSpace || typeA() == kSphere ? rounding : preference + rounding;
    EXPECT_NEAR(deepest(m), distance, tolerance + (typeA() == kCapsule && typeB() != kHalfSpace ? 0.005 : 0));
    // From A to B, and no point claims more penetration than there is along it.
    const double along = gapAlong(a, b, n);
    for (int p = 0; p < m.pointCount; ++p) {
      const double separation = m.points[p].separation;
      EXPECT_LE(separation, margin);
      EXPECT_GE(separation, along - rounding);
      const Vec position = convert<double>(m.points[p].position);
      EXPECT_LE(pointToShape(position, a), 0.5 * std::abs(separation) + 2e-3 * meanSize(b) + rounding);
      EXPECT_LE(pointToShape(position, b), 0.5 * std::abs(separation) + 2e-3 * meanSize(a) + rounding);
      for (int q = 0; q < p; ++q) EXPECT_NE(m.points[p].feature, m.points[q].feature);
    }
    if (along > 0) {
      EXPECT_LE(deepest(m), distance + tolerance + 0.005);
    }

    if (typeB() != kHalfSpace) {
      const LocalManifold<T> swapped = contacts<T>(b, a, margin);
      ASSERT_GT(swapped.pointCount, 0);
      EXPECT_NEAR(deepest(swapped), deepest(m), tolerance + (typeA() == kCapsule ? 0.002 : 0));
      if (typeA() != typeB()) {
        EXPECT_EQ(swapped.pointCount, m.pointCount);
        EXPECT_EQ(length(swapped.normal + m.normal), T(0));
      }
    }
    if (HasFailure()) return;
  }
}

TEST_P(ShapePairs, AgreeWithSignedDistancesApart) {
  checkAgainstDistances<float>(1001, 0.001, 0.1);
  checkAgainstDistances<double>(1002, 0.001, 0.1);
}
TEST_P(ShapePairs, AgreeWithSignedDistancesTouching) {
  checkAgainstDistances<float>(1003, -0.02, 0.02);
  checkAgainstDistances<double>(1004, -0.02, 0.02);
}
TEST_P(ShapePairs, AgreeWithSignedDistancesDeep) {
  checkAgainstDistances<float>(1005, -0.3, -0.02);
  checkAgainstDistances<double>(1006, -0.3, -0.02);
}

TEST_P(ShapePairs, AgreeWithFcl) {
  const unsigned seed = 2001;
  int compared = 0;
  SCOPED_TRACE("seed " + std::to_string(seed));
  ShapeSource source(seed);
  for (int i = 0; i < 4000; ++i) {
    const auto [a, b] = source.pair(typeA(), typeB(), -0.1, 0.1);
    SCOPED_TRACE("configuration " + std::to_string(i));
    const LocalManifold<double> m = contacts<double>(a, b, 0.2);
    ASSERT_GT(m.pointCount, 0);
    const fcl::CollisionObjectd objectA = fclObject(a), objectB = fclObject(b);
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    fcl::collide(&objectA, &objectB, request, result);
    const double band = typeA() == kSphere || typeB() == kHalfSpace ? 1e-6 : 4.1e-3 * std::min(meanSize(a), meanSize(b)) + 1e-3;
    if (std::abs(deepest(m)) > band) {
      ASSERT_EQ(result.isCollision(), deepest(m) < 0) << "deepest " << deepest(m);
      ++compared;
    }
    if (typeB() != kHalfSpace && deepest(m) > band) {
      fcl::DistanceRequestd distanceRequest;
      fcl::DistanceResultd distanceResult;
      ASSERT_NEAR(fcl::distance(&objectA, &objectB, distanceRequest, distanceResult), deepest(m), band + 1e-3);
    }
  }
  EXPECT_GT(compared, 3000);
}

INSTANTIATE_TEST_SUITE_P(Collide, ShapePairs,
                         ::testing::Values(std::make_tuple(kSphere, kSphere), std::make_tuple(kSphere, kCapsule), std::make_tuple(kSphere, kBox),
                                           std::make_tuple(kSphere, kHalfSpace), std::make_tuple(kCapsule, kCapsule), std::make_tuple(kCapsule, kBox),
                                           std::make_tuple(kCapsule, kHalfSpace), std::make_tuple(kBox, kBox), std::make_tuple(kBox, kHalfSpace)),
                         [](const auto& parameters) {
                           return std::string(kTypeNames[std::get<0>(parameters.param)]) + kTypeNames[std::get<1>(parameters.param)];
                         });

// --- shapes in each other's middle -------------------------------------------------------------------------------

// Finite, unit, and along it the shapes part after `depth`.
template <class T> void expectPushedOut(const Shape& a, const Shape& b, double depth) {
  const LocalManifold<T> m = contacts<T>(a, b, 0.02);
  ASSERT_GT(m.pointCount, 0);
  const Vec n = convert<double>(m.normal);
  ASSERT_NEAR(length(n), 1, 1e-6);
  EXPECT_NEAR(gapAlong(a, b, n), -depth, 1e-5);
  EXPECT_NEAR(deepest(m), -depth, 1e-5);
  for (int p = 0; p < m.pointCount; ++p) {
    const Vec position = convert<double>(m.points[p].position);
    EXPECT_TRUE(std::isfinite(position.x) && std::isfinite(position.y) && std::isfinite(position.z));
  }
}

void expectPushedOut(const Shape& a, const Shape& b, double depth) {
  expectPushedOut<float>(a, b, depth);
  expectPushedOut<double>(a, b, depth);
}

Shape at(int type, Vec size, Vec p = {0, 0, 0}, Quat<double> q = {0, 0, 0, 1}) { return {type, size, {p, q}}; }
const double kRoot = std::sqrt(0.5);
const Quat<double> kAboutZ{0, 0, kRoot, kRoot}, kAboutX{kRoot, 0, 0, kRoot};  // quarter turns

TEST(CollideCoincident, Spheres) { expectPushedOut(at(kSphere, {0.5, 0, 0}), at(kSphere, {0.25, 0, 0}), 0.75); }
TEST(CollideCoincident, SphereOnCapsuleCore) {
  expectPushedOut(at(kSphere, {0.5, 0, 0}), at(kCapsule, {0.25, 1, 0}), 0.75);
  expectPushedOut(at(kSphere, {0.5, 0, 0}, {0.5, 0, 0}), at(kCapsule, {0.25, 1, 0}, {0, 0, 0}, kAboutZ), 0.75);
}
TEST(CollideCoincident, SphereInsideBox) {
  expectPushedOut(at(kSphere, {0.1, 0, 0}), at(kBox, {0.5, 0.3, 0.4}), 0.4);
  expectPushedOut(at(kSphere, {0.1, 0, 0}, {-0.45, 0.1, 0.1}), at(kBox, {0.5, 0.3, 0.4}), 0.15);
  expectPushedOut(at(kSphere, {0.1, 0, 0}, {0.1, 0.3, 0.1}), at(kBox, {0.5, 0.3, 0.4}), 0.1);  // centre on a face
}
TEST(CollideCoincident, SphereUnderGround) { expectPushedOut(at(kSphere, {0.1, 0, 0}, {0, -3, 0}), at(kHalfSpace, {0, 0, 0}), 3.1); }
TEST(CollideCoincident, Capsules) {
  const Shape capsule = at(kCapsule, {0.25, 1, 0});
  expectPushedOut(capsule, capsule, 0.5);
  expectPushedOut(capsule, at(kCapsule, {0.25, 1, 0}, {0, 0, 0}, kAboutZ), 0.5);
  expectPushedOut(capsule, at(kCapsule, {0.25, 1, 0}, {0, 0.7, 0}), 0.5);  // in line, overlapping
}
TEST(CollideCoincident, CapsuleThroughBox) {
  expectPushedOut(at(kCapsule, {0.1, 2, 0}), at(kBox, {0.5, 0.3, 0.4}), 0.5);
  expectPushedOut(at(kCapsule, {0.1, 2, 0}, {0, 0, 0}, kAboutZ), at(kBox, {0.5, 0.3, 0.4}), 0.4);
  expectPushedOut(at(kCapsule, {0.1, 0.01, 0}), at(kBox, {0.5, 0.3, 0.4}), 0.41);
}
TEST(CollideCoincident, Boxes) {
  expectPushedOut(at(kBox, {0.5, 0.3, 0.4}), at(kBox, {0.5, 0.3, 0.4}), 0.6);
  expectPushedOut(at(kBox, {0.5, 0.3, 0.4}), at(kBox, {0.1, 0.1, 0.1}), 0.4);
  expectPushedOut(at(kBox, {0.5, 0.3, 0.4}, {0, 0, 0}, kAboutX), at(kBox, {0.1, 0.2, 0.1}), 0.4);
}

// --- capsules at rest --------------------------------------------------------------------------------------------

TEST(CollideCapsule, LiesOnTwoPoints) {
  const Shape lying = at(kCapsule, {0.25, 0.5, 0}, {0, 0.25, 0}, kAboutZ);  // along x
  for (const Shape& ground : {at(kHalfSpace, {0, 0, 0}), at(kBox, {3, 1, 3}, {0, -1, 0})}) {
    const LocalManifold<double> m = contacts<double>(lying, ground, 0.02);
    ASSERT_EQ(m.pointCount, 2);
    EXPECT_NEAR(length(m.normal - Vec{0, -1, 0}), 0, 1e-12);
    for (int p = 0; p < 2; ++p) {
      EXPECT_NEAR(m.points[p].separation, 0, 1e-12);
      EXPECT_NEAR(std::abs(m.points[p].position.x), 0.5, 1e-12);
      EXPECT_NEAR(m.points[p].position.y, 0, 1e-12);
    }
    EXPECT_NEAR(m.points[0].position.x + m.points[1].position.x, 0, 1e-12);
  }
}

TEST(CollideCapsule, OverhangingABoxRestsOnItsRim) {
  const Shape lying = at(kCapsule, {0.25, 1, 0}, {0.5, 1.24, 0}, kAboutZ);  // from x = -0.5 to 1.5
  const LocalManifold<double> m = contacts<double>(lying, at(kBox, {1, 1, 1}), 0.02);
  ASSERT_EQ(m.pointCount, 2);
  const double low = std::min(m.points[0].position.x, m.points[1].position.x), high = std::max(m.points[0].position.x, m.points[1].position.x);
  EXPECT_NEAR(low, -0.5, 1e-12);
  EXPECT_NEAR(high, 1, 1e-12);
  for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].separation, -0.01, 1e-12);
}

TEST(CollideCapsule, LiesAlongAnother) {
  const Shape lower = at(kCapsule, {0.25, 0.5, 0}, {0, 0, 0}, kAboutZ);
  const LocalManifold<double> m = contacts<double>(at(kCapsule, {0.25, 0.5, 0}, {0.3, 0.495, 0}, kAboutZ), lower, 0.02);
  ASSERT_EQ(m.pointCount, 2);
  EXPECT_NEAR(m.normal.y, -1, 1e-12);
  EXPECT_NEAR(std::min(m.points[0].position.x, m.points[1].position.x), -0.2, 1e-12);
  EXPECT_NEAR(std::max(m.points[0].position.x, m.points[1].position.x), 0.5, 1e-12);
  for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].separation, -0.005, 1e-12);
}

TEST(CollideCapsule, LiesAlongABoxEdge) {
  // The box stands on its edge; the capsule lies along the upper one, which runs along z.
  const double half = std::atan(1.0) / 2;
  const Shape box = at(kBox, {0.5, 0.5, 1}, {0, 0, 0}, {0, 0, std::sin(half), std::cos(half)});
  const Shape capsule = at(kCapsule, {0.25, 0.5, 0}, {0, kRoot + 0.26, 0.7}, kAboutX);
  const LocalManifold<double> m = contacts<double>(capsule, box, 0.02);
  ASSERT_EQ(m.pointCount, 2);
  EXPECT_NEAR(m.normal.y, -1, 1e-9);
  EXPECT_NEAR(std::max(m.points[0].position.z, m.points[1].position.z), 1, 2e-3);
  EXPECT_NEAR(std::min(m.points[0].position.z, m.points[1].position.z), 0.2, 1e-9);
  for (int p = 0; p < 2; ++p) EXPECT_NEAR(m.points[p].separation, 0.01, 1e-6);
}

}  // namespace
}  // namespace cairn::test
