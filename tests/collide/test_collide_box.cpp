// Box manifolds as stacks need them: symmetric, spread, with features that stay.
#include "tests/collide/collide_oracle.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cairn::test {
namespace {

template <class T> class CollideBox : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CollideBox, Scalars);

template <class T> PlacedShape<T> box(Vec3<T> half, Vec3<T> p, Quat<T> q = {T(0), T(0), T(0), T(1)}) { return {kBox, half, {p, q}}; }
template <class T> LocalManifold<T> touch(const PlacedShape<T>& a, const PlacedShape<T>& b, T margin = T(0.02)) {
  LocalManifold<T> m;
  collide(a, b, margin, m);
  return m;
}
template <class T> std::set<uint32_t> features(const LocalManifold<T>& m) {
  std::set<uint32_t> out;
  for (int p = 0; p < m.pointCount; ++p) out.insert(m.points[p].feature);
  return out;
}
template <class T> double areaOf(const LocalManifold<T>& m) {
  // The area of four points in convex position, in any order: the largest of the three ways to pair diagonals.
  const auto area = [&](int a, int b, int c, int d) {
    return 0.5 * double(length(cross(m.points[b].position - m.points[a].position, m.points[d].position - m.points[c].position)));
  };
  return std::max({area(0, 1, 2, 3), area(0, 2, 1, 3), area(0, 3, 1, 2)});
}

TYPED_TEST(CollideBox, StackedBoxesTouchInFourCornersToTheBit) {
  using T = TypeParam;
  const Vec3<T> half{T(0.5), T(0.25), T(0.375)};
  const Vec3<T> ground{T(50), T(1), T(50)};
  for (const T gap : {T(0.01), T(0), T(-0.001)}) {
    for (const bool onGround : {false, true}) {
      const PlacedShape<T> lower = onGround ? box(ground, {T(0), T(-1.25) - gap, T(0)}) : box(half, {T(0), T(-0.5) - gap, T(0)});
      const LocalManifold<T> m = touch(box(half, {T(0), T(0), T(0)}), lower);
      ASSERT_EQ(m.pointCount, 4);
      EXPECT_EQ(m.normal.x, T(0));
      EXPECT_EQ(m.normal.y, T(-1));
      EXPECT_EQ(m.normal.z, T(0));
      std::set<std::pair<T, T>> corners;
      for (int p = 0; p < 4; ++p) {
        EXPECT_EQ(std::abs(m.points[p].position.x), half.x);
        EXPECT_EQ(std::abs(m.points[p].position.z), half.z);
        EXPECT_EQ(m.points[p].position.y, m.points[0].position.y);
        EXPECT_EQ(m.points[p].separation, m.points[0].separation);
        EXPECT_NEAR(m.points[p].separation, gap, 1e-6);
        corners.insert({m.points[p].position.x, m.points[p].position.z});
      }
      EXPECT_EQ(corners.size(), 4u);
    }
  }
}

TYPED_TEST(CollideBox, BoxOnGroundHalfSpaceTouchesInFourCornersToTheBit) {
  using T = TypeParam;
  const Vec3<T> half{T(0.5), T(0.25), T(0.375)};
  LocalManifold<T> m;
  collide(box(half, {T(0), T(0.25), T(0)}), PlacedShape<T>{kHalfSpace, {}, identityPose<T>()}, T(0.02), m);
  ASSERT_EQ(m.pointCount, 4);
  for (int p = 0; p < 4; ++p) {
    EXPECT_EQ(std::abs(m.points[p].position.x), half.x);
    EXPECT_EQ(std::abs(m.points[p].position.z), half.z);
    EXPECT_EQ(m.points[p].separation, T(0));
  }
  EXPECT_EQ(features(m).size(), 4u);
}

TYPED_TEST(CollideBox, RunningBondTouchesOverTheSharedHalf) {
  using T = TypeParam;
  const Vec3<T> brick{T(0.5), T(0.25), T(0.25)};
  const LocalManifold<T> m = touch(box(brick, {T(0), T(0), T(0)}), box(brick, {T(0.5), T(-0.5), T(0)}));
  ASSERT_EQ(m.pointCount, 4);
  for (int p = 0; p < 4; ++p) {
    EXPECT_NEAR(std::abs(m.points[p].position.x - T(0.25)), 0.25, 1e-6);
    EXPECT_EQ(std::abs(m.points[p].position.z), T(0.25));
  }
  EXPECT_NEAR(areaOf(m), 0.25, 1e-6);
}

TYPED_TEST(CollideBox, OctagonBecomesFourSpreadPoints) {
  using T = TypeParam;
  const Vec3<T> half{T(0.5), T(0.5), T(0.5)};
  const double angle = std::atan(1.0) / 2;
  const Quat<T> turned{T(0), T(std::sin(angle)), T(0), T(std::cos(angle))};
  const LocalManifold<T> m = touch(box(half, {T(0), T(0), T(0)}), box(half, {T(0), T(0.999), T(0)}, turned));
  ASSERT_EQ(m.pointCount, 4);
  Vec sum{0, 0, 0};
  for (int p = 0; p < 4; ++p) {
    EXPECT_NEAR(m.points[p].separation, -0.001, 1e-6);
    sum += convert<double>(m.points[p].position);
  }
  EXPECT_NEAR(sum.x, 0, 1e-5);
  EXPECT_NEAR(sum.z, 0, 1e-5);
  EXPECT_GT(areaOf(m), 0.7 * 0.8284);  // of the octagon's
}

TYPED_TEST(CollideBox, FeaturesStayWhileARestingBoxJitters) {
  using T = TypeParam;
  const unsigned seed = 3001;
  SCOPED_TRACE("seed " + std::to_string(seed));
  ShapeSource source(seed);
  const double angle = std::atan(1.0) / 2;
  struct Case {
    const char* name;
    Vec halfA, halfB, offset;
    double yaw;
  };
  const Case cases[] = {{"equal boxes", {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, -1, 0}, 0},
                        {"on the ground", {0.5, 0.5, 0.5}, {50, 1, 50}, {3, -1.5, -7}, 0},
                        {"running bond", {0.5, 0.25, 0.25}, {0.5, 0.25, 0.25}, {0.515, -0.5, 0}, 0},
                        {"turned", {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, -1, 0}, angle},
                        {"shifted", {0.4, 0.3, 0.2}, {0.5, 0.2, 0.3}, {0.21, -0.5, 0.13}, 0.2}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Quat<T> yaw{T(0), T(std::sin(c.yaw)), T(0), T(std::cos(c.yaw))};
    const PlacedShape<T> upper = box(convert<T>(c.halfA), Vec3<T>{T(0), T(0), T(0)});
    const std::set<uint32_t> atRest = features(touch(upper, box(convert<T>(c.halfB), convert<T>(c.offset), yaw)));
    ASSERT_EQ(atRest.size(), 4u);
    for (int i = 0; i < 500; ++i) {
      const Vec jitter = source.uniform(0, 2e-5) * source.direction();
      const Quat<T> turn = convert<T>(source.turn(2e-5));
      const LocalManifold<T> m = touch(upper, box(convert<T>(c.halfB), convert<T>(c.offset + jitter), normalized(turn * yaw)));
      ASSERT_EQ(features(m), atRest) << "jitter " << i;
    }
  }
}

TYPED_TEST(CollideBox, CrossedEdgesTouchInOnePoint) {
  using T = TypeParam;
  // Both stand on edges, turned against each other by a right angle.
  const double angle = std::atan(1.0) / 2;
  const Vec3<T> half{T(0.5), T(0.5), T(0.5)};
  const Quat<T> aboutX{T(std::sin(angle)), T(0), T(0), T(std::cos(angle))}, aboutZ{T(0), T(0), T(std::sin(angle)), T(std::cos(angle))};
  const double height = 2 * std::sqrt(0.5);
  for (const double gap : {0.01, -0.01}) {
    const LocalManifold<T> m = touch(box(half, {T(0), T(0), T(0)}, aboutX), box(half, {T(0.1), T(height + gap), T(-0.2)}, aboutZ));
    ASSERT_EQ(m.pointCount, 1);
    EXPECT_NEAR(m.normal.y, 1, 1e-6);
    EXPECT_NEAR(m.points[0].separation, gap, 1e-6);
    EXPECT_NEAR(m.points[0].position.x, 0.1, 1e-6);
    EXPECT_NEAR(m.points[0].position.z, 0, 1e-6);
    EXPECT_EQ(m.points[0].feature >> 8, 2u);
  }
}

TYPED_TEST(CollideBox, CornersThatPassEachOtherAreMeasuredDiagonally) {
  using T = TypeParam;
  const Vec3<T> half{T(0.5), T(0.5), T(0.5)};
  // Along each axis the gap is inside the margin; between the corners it is sqrt(3) times as large.
  const LocalManifold<T> near = touch(box(half, {T(0), T(0), T(0)}), box(half, {T(1.01), T(1.01), T(1.01)}));
  ASSERT_EQ(near.pointCount, 1);
  EXPECT_NEAR(near.points[0].separation, 0.01 * std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(length(near.normal - T(std::sqrt(1.0 / 3)) * Vec3<T>{T(1), T(1), T(1)}), 0, 1e-4);
  const LocalManifold<T> far = touch(box(half, {T(0), T(0), T(0)}), box(half, {T(1.015), T(1.015), T(1.015)}));
  EXPECT_EQ(far.pointCount, 0);
}

TYPED_TEST(CollideBox, TiltedBoxRestsOnAnEdge) {
  using T = TypeParam;
  const double tilt = 0.2;
  const Quat<T> q{T(0), T(0), T(std::sin(tilt / 2)), T(std::cos(tilt / 2))};
  const double height = 0.5 * std::cos(tilt) + 0.5 * std::sin(tilt);
  const LocalManifold<T> m =
      touch(box<T>({T(0.5), T(0.5), T(0.5)}, {T(0), T(0), T(0)}, q), box<T>({T(20), T(1), T(20)}, {T(0), T(-1 - height), T(0)}));
  ASSERT_EQ(m.pointCount, 2);
  for (int p = 0; p < 2; ++p) {
    EXPECT_NEAR(m.points[p].separation, 0, 1e-5);
    EXPECT_NEAR(std::abs(m.points[p].position.z), 0.5, 1e-5);
  }
  EXPECT_EQ(features(m).size(), 2u);
}

TYPED_TEST(CollideBox, TurnedFacesKeepTheirFourCornersWhileTheyRock) {
  using T = TypeParam;
  const Vec3<T> half{T(0.25), T(0.25), T(0.25)};
  for (const double turn : {0.01, 0.03, 0.1, 0.3, 0.7}) {
    std::set<std::set<uint32_t>> seen;
    for (const double tiltX : {-1e-4, -3e-5, 0.0, 3e-5, 1e-4}) {
      for (const double tiltZ : {-1e-4, 0.0, 1e-4}) {
        const Quat<double> q = quatFromRotationVector(Vec3<double>{tiltX, 0, tiltZ}) * quatFromRotationVector(Vec3<double>{0, turn, 0});
        const LocalManifold<T> m = touch(box(half, {T(0), T(0), T(0)}), box(half, {T(0), T(0.4995), T(0)}, convert<T>(q)));
        ASSERT_EQ(m.pointCount, 4);
        EXPECT_GT(areaOf(m), 0.125) << "turned by " << turn;
        seen.insert(features(m));
      }
    }
    EXPECT_EQ(seen.size(), 1u) << "turned by " << turn;
  }
}

TYPED_TEST(CollideBox, ACornerThatSinksIsNotLeftOut) {
  using T = TypeParam;
  // Eight corners of an octagon; tilted towards each of them in turn.
  const Vec3<T> half{T(0.25), T(0.25), T(0.25)};
  for (int k = 0; k < 8; ++k) {
    const double about = 3.14159265358979 * (0.125 + 0.25 * k), tilt = 0.01;
    const Quat<double> q = quatFromRotationVector(Vec3<double>{tilt * std::sin(about), 0, -tilt * std::cos(about)}) *
                           quatFromRotationVector(Vec3<double>{0, 0.7853981, 0});
    const LocalManifold<T> m = touch(box(half, {T(0), T(0), T(0)}), box(half, {T(0), T(0.499), T(0)}, convert<T>(q)));
    ASSERT_EQ(m.pointCount, 4);
    // The deepest of the octagon lies 0.25 / cos(pi/8) from its middle.
    EXPECT_NEAR(deepestOf(m), -0.001 - tilt * 0.25 / std::cos(3.14159265358979 / 8), 3e-4);
  }
}

TYPED_TEST(CollideBox, ThinPlatesKeepTheirContacts) {
  using T = TypeParam;
  // A card on edge leans against another: the contact is an edge on a face.
  const Vec3<T> card{T(0.5), T(0.7), T(0.01)};
  const double lean = 0.35;
  const double s = std::sin(lean / 2), c = std::cos(lean / 2);
  const double foot = 0.7 * std::sin(lean) + 0.01 / std::cos(lean);
  const LocalManifold<T> m =
      touch(box(card, {T(0), T(0), T(-foot)}, {T(s), T(0), T(0), T(c)}), box(card, {T(0), T(0), T(foot)}, {T(-s), T(0), T(0), T(c)}));
  ASSERT_GE(m.pointCount, 2);
  const Shape a{kBox, convert<double>(card), {{0, 0, -foot}, {s, 0, 0, c}}}, b{kBox, convert<double>(card), {{0, 0, foot}, {-s, 0, 0, c}}};
  EXPECT_NEAR(deepest(m), signedDistance(a, b), 5e-4);
}

}  // namespace
}  // namespace cairn::test
