// Ellipsoids against every shape: signed distances by search over all directions, FCL, and spheres for which the answer is known.
#include "kernels/collide/collide.hpp"

#include <cairn/cairn.hpp>
#include <cairn/reference.hpp>

#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace cairn {
namespace {

using Vec = Vec3<double>;
using Shape = PlacedShape<double>;

const char* const kNames[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid"};

// Highest point of a shape along n, from the origin.
double support(const Shape& shape, Vec n) {
  const Vec local = inverseRotate(shape.pose.q, n);
  const double centre = dot(n, shape.pose.p);
  switch (shape.type) {
    case kSphere:
      return centre + shape.size.x;
    case kCapsule:
      return centre + shape.size.x + shape.size.y * std::abs(local.y);
    case kBox:
      return centre + dot(shape.size, absOf(local));
    default:
      return centre + length(scale(shape.size, local));
  }
}

double gapAlong(const Shape& a, const Shape& b, Vec n) { return -support(b, -n) - support(a, n); }

// The signed distance is the largest gap over all directions: a coarse search, then ever smaller steps around the best.
double signedDistance(const Shape& a, const Shape& b) {
  Vec best{0, 1, 0};
  double gap = gapAlong(a, b, best);
  const auto consider = [&](Vec n) {
    n = normalizedOr(n, Vec{0, 1, 0});
    const double now = gapAlong(a, b, n);
    if (now > gap) gap = now, best = n;
  };
  constexpr int kDirections = 2000;
  for (int i = 0; i < kDirections; ++i) {  // Fibonacci's sphere
    const double z = 1 - 2 * (i + 0.5) / kDirections, angle = i * M_PI * (3 - std::sqrt(5.0)), r = std::sqrt(1 - z * z);
    consider({r * std::cos(angle), r * std::sin(angle), z});
  }
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (double step = 0.05; step > 1e-8; step *= 0.7) {
    for (int i = 0; i < 60; ++i) consider(best + step * Vec{normal(random), normal(random), normal(random)});
  }
  return gap;
}

Quat<double> randomTurn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return normalized(Quat<double>{normal(random), normal(random), normal(random), normal(random)});
}

Shape randomShape(int type, std::mt19937& random) {
  std::uniform_real_distribution<double> size(0.3, 1.0);
  return {type, {size(random), size(random), size(random)}, {{0, 0, 0}, randomTurn(random)}};
}

// An ellipsoid and another shape at a signed distance of about `wanted`.
std::pair<Shape, Shape> placed(int other, double wanted, std::mt19937& random) {
  Shape a = randomShape(kEllipsoid, random), b = randomShape(other, random);
  const Vec n = rotate(randomTurn(random), Vec{0, 1, 0});
  b.pose.p = (support(a, n) + support(b, -n) + wanted) * n;
  const Vec off = 0.15 * rotate(randomTurn(random), Vec{1, 0, 0});
  b.pose.p += off - dot(off, n) * n;
  // Along the line between them to where they are wanted.
  const Vec d = normalizedOr(b.pose.p, n);
  for (int i = 0; i < 4; ++i) b.pose.p += (wanted - signedDistance(a, b)) * d;
  return {a, b};
}

template <class T> LocalManifold<T> contacts(const Shape& a, const Shape& b, double margin) {
  LocalManifold<T> out;
  const auto converted = [](const Shape& s) { return PlacedShape<T>{s.type, convert<T>(s.size), {convert<T>(s.pose.p), convert<T>(s.pose.q)}}; };
  collide(converted(a), converted(b), T(margin), out);
  return out;
}

class EllipsoidPairs : public ::testing::TestWithParam<int> {};

TEST_P(EllipsoidPairs, AgreeWithSignedDistances) {
  for (const unsigned seed : {11u, 12u}) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> wanted(-0.02, 0.02);
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", configuration " + std::to_string(i));
      const auto [a, b] = placed(GetParam(), wanted(random), random);
      const LocalManifold<double> m = contacts<double>(a, b, 0.1);
      ASSERT_EQ(m.pointCount, 1);
      ASSERT_NEAR(length(m.normal), 1, 1e-9);
      // Where a shape has edges the search is good to some 1e-4 only, and the answer may be better.
      const double distance = std::max(signedDistance(a, b), gapAlong(a, b, m.normal));
      EXPECT_LE(m.points[0].separation, distance + 1e-6);
      EXPECT_GE(m.points[0].separation, distance - 1e-4);
      EXPECT_NEAR(gapAlong(a, b, m.normal), m.points[0].separation, 1e-6) << "the separation is that along the normal";
      // The point lies midway between the surfaces: as far within one as within the other, along the normal.
      const double fromA = support(a, m.normal) - dot(m.normal, m.points[0].position);
      EXPECT_NEAR(fromA, -0.5 * m.points[0].separation, 1e-6);
      const LocalManifold<double> swapped = contacts<double>(b, a, 0.1);
      ASSERT_EQ(swapped.pointCount, 1);
      EXPECT_LT(length(swapped.normal + m.normal), GetParam() == kEllipsoid ? 1e-5 : 1e-12);
      const LocalManifold<float> single = contacts<float>(a, b, 0.1);
      ASSERT_EQ(single.pointCount, 1);
      EXPECT_NEAR(single.points[0].separation, m.points[0].separation, 2e-5);
      EXPECT_EQ(contacts<double>(a, b, distance - 0.01).pointCount, 0) << "beyond the margin";
    }
  }
}

TEST_P(EllipsoidPairs, GapsAreDistancesFarAwayToo) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> wanted(0.02, 0.3);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const auto [a, b] = placed(GetParam(), wanted(random), random);
    const LocalManifold<double> m = contacts<double>(a, b, 1);
    ASSERT_EQ(m.pointCount, 1);
    const double distance = std::max(signedDistance(a, b), gapAlong(a, b, m.normal));
    EXPECT_NEAR(m.points[0].separation, distance, 1e-3);
  }
}

TEST_P(EllipsoidPairs, TouchExactly) {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const auto [a, b] = placed(GetParam(), 0, random);
    const LocalManifold<double> m = contacts<double>(a, b, 0.1);
    ASSERT_EQ(m.pointCount, 1);
    EXPECT_NEAR(m.points[0].separation, signedDistance(a, b), 3e-4);
  }
}

TEST_P(EllipsoidPairs, DeepOnesArePushedApart) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> offset(-0.2, 0.2);
  for (int i = 0; i < 200; ++i) {
    const Shape a = randomShape(kEllipsoid, random);
    Shape b = randomShape(GetParam(), random);
    b.pose.p = i == 0 ? Vec{0, 0, 0} : Vec{offset(random), offset(random), offset(random)};
    const LocalManifold<double> m = contacts<double>(a, b, 0.02);
    ASSERT_EQ(m.pointCount, 1);
    ASSERT_NEAR(length(m.normal), 1, 1e-9);
    ASSERT_LT(m.points[0].separation, 0);
    EXPECT_NEAR(gapAlong(a, b, m.normal), m.points[0].separation, 1e-6) << "moved along the normal by its depth they part";
  }
}

INSTANTIATE_TEST_SUITE_P(With, EllipsoidPairs, ::testing::Values(kSphere, kCapsule, kBox, kEllipsoid),
                         [](const auto& each) { return std::string(kNames[each.param]); });

TEST(CollideEllipsoid, FclSeesTheSameCollisions) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> wanted(-0.05, 0.05);
  const auto object = [](const Shape& shape) {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    if (shape.type == kBox) {
      geometry = std::make_shared<fcl::Boxd>(2 * shape.size.x, 2 * shape.size.y, 2 * shape.size.z);
    } else {
      geometry = std::make_shared<fcl::Ellipsoidd>(shape.size.x, shape.size.y, shape.size.z);
    }
    const Quat<double> q = shape.pose.q;
    return fcl::CollisionObjectd(geometry, Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix(),
                                 fcl::Vector3d(shape.pose.p.x, shape.pose.p.y, shape.pose.p.z));
  };
  int compared = 0;
  for (const int type : {kBox, kEllipsoid}) {
    for (int i = 0; i < 100; ++i) {
      const auto [a, b] = placed(type, wanted(random), random);
      const LocalManifold<double> m = contacts<double>(a, b, 0.2);
      ASSERT_EQ(m.pointCount, 1);
      if (std::abs(m.points[0].separation) < 3e-3) continue;
      ++compared;
      const fcl::CollisionObjectd first = object(a), second = object(b);
      fcl::CollisionResultd collision;
      fcl::collide(&first, &second, fcl::CollisionRequestd(), collision);
      EXPECT_EQ(collision.isCollision(), m.points[0].separation < 0) << m.points[0].separation;
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(CollideEllipsoid, WithEqualAxesItIsASphere) {
  std::mt19937 random(9);
  for (const int type : {kSphere, kCapsule, kBox, kHalfSpace}) {
    int touching = 0;
    for (int i = 0; i < 50; ++i) {
      Shape round{kEllipsoid, {0.4, 0.4, 0.4}, {rotate(randomTurn(random), Vec{0.2, 1.1, 0.1}), randomTurn(random)}};
      const Shape ball{kSphere, {0.4, 0.4, 0.4}, round.pose};
      const Shape other = type == kHalfSpace ? Shape{kHalfSpace, {0, 0, 0}, identityPose<double>()} : randomShape(type, random);
      const LocalManifold<double> m = contacts<double>(round, other, 0.6), expected = contacts<double>(ball, other, 0.6);
      ASSERT_EQ(m.pointCount, expected.pointCount);
      if (m.pointCount == 0) continue;
      ++touching;
      EXPECT_NEAR(m.points[0].separation, expected.points[0].separation, 1e-6);
      EXPECT_LT(length(m.normal - expected.normal), 1e-5);
      EXPECT_LT(length(m.points[0].position - expected.points[0].position), 1e-5);
    }
    EXPECT_GT(touching, 20) << kNames[type];
  }
}

TEST(CollideEllipsoid, StandsOnAPlaneByItsSupport) {
  const Shape plane{kHalfSpace, {0, 0, 0}, identityPose<double>()};
  for (const double angle : {0.0, 0.4, M_PI / 2, 2.0}) {
    const Shape a{kEllipsoid, {4, 2, 1}, {{0, 5, 0}, quatFromRotationVector(Vec{0, 0, angle})}};
    const double height = std::hypot(4 * std::sin(angle), 2 * std::cos(angle));
    const LocalManifold<double> m = contacts<double>(a, plane, 10);
    ASSERT_EQ(m.pointCount, 1);
    EXPECT_NEAR(m.points[0].separation, 5 - height, 1e-12);
    EXPECT_NEAR(m.normal.y, -1, 1e-12);
    EXPECT_NEAR(m.points[0].position.y, 0.5 * (5 - height), 1e-12);
    EXPECT_NEAR(m.points[0].position.x, -(16 - 4) * std::sin(angle) * std::cos(angle) / height, 1e-9);
  }
}

TEST(Ellipsoid, DroppedOnAPlaneStaysOnItsFlatSide) {
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  BodyDef body;
  body.shapes = {ShapeDef::ellipsoid({0.4, 0.2, 0.3})};
  body.pose.p = {0, 0.25, 0};
  body.pose.q = quatFromRotationVector(Vec3d{0.03, 0, 0.05});
  scene.add(body);
  EXPECT_NEAR(massProperties(body).mass, 1000 * 4.0 / 3 * M_PI * 0.4 * 0.2 * 0.3, 1e-9);
  EXPECT_NEAR(massProperties(body).inertia.zz, massProperties(body).mass * 0.2 * (0.16 + 0.04), 1e-9);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  World world(scene, settings);
  world.step(3000);
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.2, 0.005);
}

TEST(Ellipsoid, HeapsOfAllShapesLoseNothingAndKeepTheirBits) {
  const auto heap = [] {
    Scene scene = loadScene("pile:count=200,shape=mixed");
    for (size_t i = 0; i < scene.bodies.size(); i += 2) {
      if (scene.bodies[i].type == BodyType::Dynamic) scene.bodies[i].shapes = {ShapeDef::ellipsoid({0.3, 0.15, 0.22})};
    }
    return scene;
  }();
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  World one(heap, settings);
  settings.threads = 2;
  World two(heap, settings);
  one.step(240);
  two.step(240);
  EXPECT_EQ(one.stateHash(), two.stateHash());
  for (const BodyState& state : one.states()) EXPECT_GT(state.pose.p.y, -0.6);
  EXPECT_LT(one.report().penetrationMax, 0.05);
}

TEST(Ellipsoid, HasNoAccelerationRowAndSaysSo) {
  Scene scene;
  BodyDef ground, body;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  body.name = "egg";
  body.shapes = {ShapeDef::ellipsoid({0.4, 0.2, 0.3})};
  body.pose.p = {0, 0.2, 0};
  scene.add(ground);
  scene.add(body);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  try {
    World(scene, settings).accelerationProblem();
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("egg"), std::string::npos) << error.what();
  }
}

TEST(Ellipsoid, RaysHitItWhereItIs) {
  Scene scene;
  BodyDef body;
  body.type = BodyType::Static;
  body.shapes = {ShapeDef::ellipsoid({2, 1, 0.5})};
  scene.add(body);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.precision = Precision::Double;
  const std::vector<RayHit> hits =
      World(scene, settings).castRays({{{5, 0, 0}, {-2, 0, 0}}, {{1, 5, 0}, {0, -1, 0}}, {{5, 1.2, 0}, {-1, 0, 0}}, {{0, 0.1, 0}, {0, 1, 0}}});
  EXPECT_NEAR(hits[0].distance, 3, 1e-12);
  EXPECT_NEAR(hits[1].distance, 5 - std::sqrt(0.75), 1e-12);
  const Vec3d gradient = normalizedOr(Vec3d{1.0 / 4, std::sqrt(0.75), 0}, Vec3d{0, 1, 0});
  EXPECT_LT(length(hits[1].normal - gradient), 1e-12);
  EXPECT_EQ(hits[2].body.index, -1);
  EXPECT_EQ(hits[3].distance, 0);
}

}  // namespace
}  // namespace cairn
