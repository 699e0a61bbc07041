// Contacts with triangle meshes, against closed forms: of planes, ridges, valleys, steps and bowls.
#include "src/scene/convex_hull.hpp"
#include "src/state/hull_table.hpp"
#include "tests/support/collision_meshes.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/revolved.hpp"

#include "kernels/runtime/owned_queue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cairn::test {
namespace {

constexpr double kMargin = 0.02;

// A hull of box corners, and its view.
class HullBox {
 public:
  explicit HullBox(Vec3d half) : queue_(Target::Cpu, 1), made_(hullOf(ShapeDef::hull(cornersOfBox(half)))), type_(table_.typeOf(*made_)) {
    table_.upload(queue_.queue);
  }
  HullView view() const { return table_.view(); }
  Shape shape() const { return {type_, {made_->inner, made_->outer, 0}, identityPose<double>()}; }

 private:
  OwnedQueue queue_;
  HullTable table_;
  std::shared_ptr<const ConvexHull> made_;
  int type_;
};

Quat<double> turnAbout(Vec axis, double angle) {
  const Vec v = (std::sin(0.5 * angle) / length(axis)) * axis;
  return {v.x, v.y, v.z, std::cos(0.5 * angle)};
}

// How far a shape reaches down from its middle.
double reachDown(const Shape& s, const HullView& hulls) {
  const ConvexShape convex = convexShape(s, &hulls);
  return s.pose.p.y - supportOfCore(convex, {0, -1, 0}).y + radiusOfCore(convex);
}

struct Kind {
  const char* name;
  Shape shape;
  int points;  // that carry it as it lies
};
std::vector<Kind> allKinds(const HullBox& hull) {
  const Quat<double> lying = turnAbout({1, 0, 0}, 0.5 * kPi);
  return {{"sphere", {kSphere, {0.4, 0, 0}, identityPose<double>()}, 1},
          {"lying capsule", {kCapsule, {0.2, 0.5, 0}, {{0, 0, 0}, lying}}, 2},
          {"standing capsule", {kCapsule, {0.2, 0.5, 0}, identityPose<double>()}, 1},
          {"box", {kBox, {0.5, 0.3, 0.4}, identityPose<double>()}, 4},
          {"hull", hull.shape(), 4},
          {"ellipsoid", {kEllipsoid, {0.5, 0.3, 0.4}, identityPose<double>()}, 1},
          {"standing cylinder", cylinderAt(0.4, 0.3), 4},
          {"lying cylinder", cylinderAt(0.3, 0.5, {0, 0, 0}, lying), 2},
          {"cone", coneAt(0.4, 0.3), 4}};
}

// Slid in small steps over 10,000 triangles: the contact is that of the plane, in every place, without a trace of what lies beneath.
TEST(CollideMesh, FlatMeshesAreOnePlane) {
  const OneMesh floor(flatPatch(71, 5, 3));
  EXPECT_GE(floor.made().triangles.size(), 10000u);
  const HullBox hull({0.5, 0.3, 0.4});
  for (const Kind& kind : allKinds(hull)) {
    for (const double depth : {-0.005, 0.0, 0.001, 0.02, 0.1}) {
      for (int step = 0; step < 300; ++step) {
        Shape s = kind.shape;
        s.pose.q = turnAbout({0, 1, 0}, 0.013 * step) * s.pose.q;
        s.pose.p = {-3 + 0.0201 * step, reachDown(s, hull.view()) - depth, -2 + 0.0117 * step};
        const MeshContacts found = floor.contacts(s, kMargin, hull.view());
        ASSERT_EQ(found.count, 1) << kind.name << " " << depth << " " << step;
        const LocalManifold<double>& m = found.manifolds[0];
        ASSERT_EQ(m.pointCount, kind.points) << kind.name << " " << depth << " " << step;
        ASSERT_LT(length(m.normal - Vec{0, -1, 0}), 1e-9) << kind.name;
        std::set<uint32_t> features;
        for (int p = 0; p < m.pointCount; ++p) {
          ASSERT_NEAR(m.points[p].separation, -depth, 1e-9) << kind.name;
          ASSERT_NEAR(m.points[p].position.y, -0.5 * depth, 1e-9) << kind.name;
          features.insert(m.points[p].feature);
        }
        ASSERT_EQ(features.size(), size_t(m.pointCount)) << kind.name;
      }
    }
  }
}

// The points of a box, a hull or a standing capsule are the same from step to step.
TEST(CollideMesh, FeaturesStayWhileShapesSlide) {
  const OneMesh floor(flatPatch(71, 5, 3));
  const HullBox hull({0.5, 0.3, 0.4});
  for (const Kind& kind : allKinds(hull)) {
    if (isRevolved(kind.shape.type)) continue;  // rims have no corners
    std::set<uint32_t> first;
    for (int step = 0; step < 200; ++step) {
      Shape s = kind.shape;
      s.pose.p = {-3 + 0.0201 * step, reachDown(s, hull.view()) - 0.001, -2 + 0.0117 * step};
      const MeshContacts found = floor.contacts(s, kMargin, hull.view());
      std::set<uint32_t> features;
      for (int p = 0; p < found.manifolds[0].pointCount; ++p) features.insert(found.manifolds[0].points[p].feature);
      if (step == 0) first = features;
      EXPECT_EQ(features, first) << kind.name << " " << step;
    }
  }
}

// Leaning shapes: points at their true heights along the plane's normal, the lowest one among them.
TEST(CollideMesh, LeaningShapesSeeThePlane) {
  const OneMesh floor(flatPatch(71, 5, 3));
  const HullBox hull({0.5, 0.3, 0.4});
  ShapeSource source(2);
  for (const Kind& kind : allKinds(hull)) {
    for (int i = 0; i < 300; ++i) {
      Shape s = kind.shape;
      s.pose.q = normalized(source.turn(i % 2 == 0 ? 0.04 : 3) * s.pose.q);
      const double depth = source.uniform(-0.01, 0.02);
      s.pose.p = {source.uniform(-3, 3), reachDown(s, hull.view()) - depth, source.uniform(-3, 3)};
      const MeshContacts found = floor.contacts(s, kMargin, hull.view());
      ASSERT_EQ(found.count, 1) << kind.name << " " << i;
      const LocalManifold<double>& m = found.manifolds[0];
      EXPECT_LT(length(m.normal - Vec{0, -1, 0}), 1e-9) << kind.name << " " << i;
      EXPECT_GE(deepest(m), -depth - 1e-9) << kind.name << " " << i;
      EXPECT_LE(deepest(m), -depth + 2e-4) << kind.name << " " << i;
    }
  }
}

// The same wherever mesh and shape are together.
TEST(CollideMesh, ContactsMoveAlongWithTheMesh) {
  const OneMesh hills(patch(20, 3, 4, [](double x, double z) { return 0.2 * std::sin(2 * x) * std::cos(3 * z); }));
  const HullBox hull({0.5, 0.3, 0.4});
  ShapeSource source(5);
  for (const Kind& kind : allKinds(hull)) {
    for (int i = 0; i < 20; ++i) {
      Shape s = kind.shape;
      s.pose.p = {source.uniform(-2, 2), 0.45, source.uniform(-2, 2)};
      const Pose<double> moved{{source.uniform(-3, 3), 2, 1}, normalized(source.turn(3))};
      Shape there = s;
      there.pose = moved * s.pose;
      const MeshContacts here = hills.contacts(s, 0.1, hull.view()), found = hills.contacts(there, 0.1, hull.view(), moved);
      ASSERT_EQ(here.count, found.count) << kind.name;
      for (int m = 0; m < here.count; ++m) {
        ASSERT_EQ(here.manifolds[m].pointCount, found.manifolds[m].pointCount) << kind.name;
        EXPECT_LT(length(rotate(moved.q, here.manifolds[m].normal) - found.manifolds[m].normal), 1e-4) << kind.name;
        EXPECT_NEAR(deepest(here.manifolds[m]), deepest(found.manifolds[m]), 1e-7) << kind.name;
      }
    }
  }
}

// --- edges -------------------------------------------------------------------------------------------------------

// Two slopes that meet along z: down to both sides, or up.
TriangleMesh folded(int cells, double slope) {
  TriangleMesh mesh = flatPatch(cells, 4, 6);
  for (int j = 0; j <= cells; ++j) mesh.vertices[size_t(cells / 2 * (cells + 1) + j)].x = 0;
  for (Vec3d& v : mesh.vertices) v.y = -slope * std::abs(v.x);
  return mesh;
}

TEST(CollideMesh, BoxesLieOnRidges) {
  for (const int cells : {2, 40}) {
    for (const double slope : {0.01, 0.1, 1.0, 5.0}) {
      const OneMesh ridge(folded(cells, slope));
      for (const double depth : {-0.003, 0.001, 0.01}) {
        const Shape box{kBox, {0.5, 0.3, 0.4}, {{0.1, 0.3 - depth, 0.05}, identityQuat<double>()}};
        const MeshContacts found = ridge.contacts(box, kMargin);
        ASSERT_GE(found.count, 1) << slope << " " << depth;
        const LocalManifold<double>& m = found.manifolds[0];
        EXPECT_LT(length(m.normal - Vec{0, -1, 0}), 1e-9) << cells << " " << slope << " " << depth;
        EXPECT_NEAR(deepest(m), -depth, 1e-9);
        // The ridge's stretch beneath the box.
        double low = 1, high = -1;
        for (int p = 0; p < m.pointCount; ++p) {
          if (m.points[p].separation > -depth + 1e-3) continue;
          low = std::min(low, m.points[p].position.z);
          high = std::max(high, m.points[p].position.z);
          EXPECT_LE(std::abs(m.points[p].position.x), 1e-3 / slope);
        }
        EXPECT_NEAR(low, -0.35, 1e-3) << cells << " " << slope << " " << depth;
        EXPECT_NEAR(high, 0.45, 1e-3) << cells << " " << slope << " " << depth;
      }
    }
  }
}

TEST(CollideMesh, CapsulesAndCylindersLieAcrossRidges) {
  const OneMesh ridge(folded(40, 0.5));
  const Quat<double> across = turnAbout({0, 0, 1}, 0.5 * kPi);
  for (const Shape& shape : {Shape{kCapsule, {0.3, 0.6, 0}, {{0.05, 0.299, 0.03}, across}}, cylinderAt(0.3, 0.6, {0.05, 0.299, 0.03}, across)}) {
    const MeshContacts found = ridge.contacts(shape, kMargin);
    ASSERT_GE(found.count, 1) << shape.type;
    EXPECT_LT(length(found.manifolds[0].normal - Vec{0, -1, 0}), 1e-5) << shape.type;
    EXPECT_NEAR(deepest(found.manifolds[0]), -0.001, 1e-6) << shape.type;
    EXPECT_NEAR(found.manifolds[0].points[0].position.x, 0, 1e-3) << shape.type;
  }
}

// A ball, a capsule, a cylinder along a valley, and a box with its edge in it: both slopes carry, the bottom does not.
TEST(CollideMesh, ValleysCarryWithBothSides) {
  const double slope = 1, cosine = std::sqrt(0.5), depth = 0.002;
  const OneMesh valley(folded(40, -slope));
  const Quat<double> along = turnAbout({1, 0, 0}, 0.5 * kPi);
  const double height = (0.3 - depth) / cosine;
  const std::vector<Shape> shapes{{kSphere, {0.3, 0, 0}, {{0, height, 0.1}, identityQuat<double>()}},
                                  {kCapsule, {0.3, 0.4, 0}, {{0, height, 0.1}, along}},
                                  cylinderAt(0.3, 0.4, {0, height, 0.1}, along),
                                  {kBox, {0.3, 0.3, 0.5}, {{0, height, 0.1}, turnAbout({0, 0, 1}, 0.25 * kPi)}}};
  for (const Shape& shape : shapes) {
    const MeshContacts found = valley.contacts(shape, 0.01);
    ASSERT_EQ(found.count, 2) << shape.type;
    const int points = shape.type == kSphere ? 1 : (shape.type == kBox ? 4 : 2);
    for (int m = 0; m < 2; ++m) {
      const LocalManifold<double>& manifold = found.manifolds[m];
      EXPECT_EQ(manifold.pointCount, points) << shape.type;
      EXPECT_NEAR(manifold.normal.y, -cosine, 1e-9) << shape.type;
      EXPECT_NEAR(std::abs(manifold.normal.x), cosine, 1e-9) << shape.type;
      for (int p = 0; p < manifold.pointCount; ++p) EXPECT_NEAR(manifold.points[p].separation, -depth, 1e-9) << shape.type;
    }
    EXPECT_LT(found.manifolds[0].normal.x * found.manifolds[1].normal.x, 0);
  }
}

// A floor, a vertical face, and the floor above it, of triangles as small as wanted: x < 0 is higher by 1.
TriangleMesh step(int cells) {
  TriangleMesh mesh;
  const auto sheet = [&](const auto& at) {
    const auto first = static_cast<int32_t>(mesh.vertices.size());
    for (int i = 0; i <= cells; ++i) {
      for (int j = 0; j <= cells; ++j) mesh.vertices.push_back(at(double(i) / cells, 4.0 * j / cells - 2));
    }
    for (int32_t i = 0; i < cells; ++i) {
      for (int32_t j = 0; j < cells; ++j) {
        const int32_t a = first + i * (cells + 1) + j, b = a + 1, c = a + cells + 1, d = c + 1;
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({b, d, c});
      }
    }
  };
  sheet([](double s, double z) { return Vec3d{2 * s - 2, 1, z}; });
  sheet([](double s, double z) { return Vec3d{0, 1 - s, z}; });
  sheet([](double s, double z) { return Vec3d{2 * s, 0, z}; });
  return mesh;
}

// What stands on the lower floor and leans on the step is pushed away from it, and not up onto it.
TEST(CollideMesh, StepsPushSideways) {
  for (const int cells : {1, 3, 16, 200}) {
    const OneMesh mesh(step(cells));
    for (const double into : {0.0005, 0.004}) {
      for (const Shape& shape :
           {Shape{kBox, {0.5, 0.9, 0.4}, {{0.5 - into, 0.899, 0.1}, identityQuat<double>()}}, cylinderAt(0.5, 0.9, {0.5 - into, 0.899, 0.1})}) {
        const MeshContacts found = mesh.contacts(shape, 0.01);
        bool side = false, below = false;
        for (int m = 0; m < found.count; ++m) {
          const LocalManifold<double>& manifold = found.manifolds[m];
          side = side || length(manifold.normal - Vec{-1, 0, 0}) < 1e-6;
          below = below || length(manifold.normal - Vec{0, -1, 0}) < 1e-9;
          EXPECT_GE(deepest(manifold), -std::max(into, 0.001) - 1e-9) << cells << " " << into << " " << shape.type;
        }
        EXPECT_TRUE(side && below) << cells << " " << into << " " << shape.type;
      }
    }
  }
}

// On the upper floor, over its end: the part on it carries.
TEST(CollideMesh, BoxesHangOverSteps) {
  for (const int cells : {1, 3, 16, 200}) {
    const OneMesh mesh(step(cells));
    for (const double x : {-0.2, 0.0, 0.3}) {
      const Shape box{kBox, {0.5, 0.3, 0.4}, {{x, 1.299, 0.1}, identityQuat<double>()}};
      const MeshContacts found = mesh.contacts(box, 0.01);
      ASSERT_EQ(found.count, 1) << cells << " " << x;
      const LocalManifold<double>& m = found.manifolds[0];
      EXPECT_LT(length(m.normal - Vec{0, -1, 0}), 1e-9);
      ASSERT_EQ(m.pointCount, 4);
      double low = 9, high = -9;
      for (int p = 0; p < 4; ++p) {
        EXPECT_NEAR(m.points[p].separation, -0.001, 1e-9);
        low = std::min(low, m.points[p].position.x);
        high = std::max(high, m.points[p].position.x);
      }
      EXPECT_NEAR(low, x - 0.5, 2e-3);
      EXPECT_NEAR(high, 0, 2e-3);
    }
  }
}

// Slid down past the step's edge, and up against it from below the edge's height: nothing but sideways.
TEST(CollideMesh, BordersPushSideways) {
  const OneMesh tile(flatPatch(4, 1, 1));
  const Shape box{kBox, {0.5, 0.3, 0.4}, {{1.499, 0.2, 0}, identityQuat<double>()}};
  const MeshContacts found = tile.contacts(box, 0.01);
  ASSERT_EQ(found.count, 1);
  EXPECT_LT(length(found.manifolds[0].normal - Vec{-1, 0, 0}), 1e-9);
  EXPECT_NEAR(deepest(found.manifolds[0]), -0.001, 1e-9);
  // What sinks in by less than a slop slides on, as from one tile to the next.
  Shape sliding = box;
  sliding.pose.p = {1.499, 0.2999, 0};
  for (int m = 0; m < tile.contacts(sliding, 0.01).count; ++m) {
    EXPECT_LT(length(tile.contacts(sliding, 0.01).manifolds[m].normal - Vec{0, -1, 0}), 1e-9);
  }
}

// --- sides -------------------------------------------------------------------------------------------------------

TEST(CollideMesh, OneSidedMeshesAreMetFromOutside) {
  const HullBox hull({0.5, 0.3, 0.4});
  const OneMesh oneSided(flatPatch(10, 3, 2)), twoSided(flatPatch(10, 3, 2), true);
  for (const Kind& kind : allKinds(hull)) {
    Shape above = kind.shape, below = kind.shape;
    above.pose.p = {0.1, reachDown(above, hull.view()) - 0.001, 0.2};
    below.pose.q = turnAbout({1, 0, 0}, kPi) * below.pose.q;
    below.pose.p = -above.pose.p;
    EXPECT_EQ(oneSided.contacts(above, kMargin, hull.view()).count, 1) << kind.name;
    EXPECT_EQ(oneSided.contacts(below, kMargin, hull.view()).count, 0) << kind.name;
    const MeshContacts over = twoSided.contacts(above, kMargin, hull.view()), under = twoSided.contacts(below, kMargin, hull.view());
    ASSERT_EQ(over.count, 1) << kind.name;
    ASSERT_EQ(under.count, 1) << kind.name;
    EXPECT_LT(length(over.manifolds[0].normal - Vec{0, -1, 0}), 1e-9) << kind.name;
    EXPECT_LT(length(under.manifolds[0].normal - Vec{0, 1, 0}), 1e-9) << kind.name;
    EXPECT_NEAR(deepest(under.manifolds[0]), -0.001, 1e-9) << kind.name;
    EXPECT_EQ(under.manifolds[0].pointCount, kind.points) << kind.name;
  }
}

// --- bowls -------------------------------------------------------------------------------------------------------

// Within the facets' own error: the normal by half a facet's angle, the gap by its sagitta.
TEST(CollideMesh, BallsLieInBowls) {
  const double radius = 2, ball = 0.4;
  const int cells = 60;
  const OneMesh bowl(patch(cells, 1.2, 4, [&](double x, double z) { return radius - std::sqrt(radius * radius - x * x - z * z); }));
  const double width = 1.8 * 2.4 / cells, sagitta = width * width / (4 * radius);
  ShapeSource source(3);
  for (int i = 0; i < 500; ++i) {
    const Vec down = normalizedOr(Vec{source.uniform(-0.4, 0.4), -1, source.uniform(-0.4, 0.4)}, Vec{0, -1, 0});
    const double gap = source.uniform(-0.01, 0.01);
    const Shape shape{kSphere, {ball, 0, 0}, {Vec{0, radius, 0} + (radius - ball - gap) * down, identityQuat<double>()}};
    const MeshContacts found = bowl.contacts(shape, kMargin);
    ASSERT_GE(found.count, 1);
    EXPECT_LT(length(found.manifolds[0].normal - down), 0.8 * width / radius);
    EXPECT_NEAR(deepest(found.manifolds[0]), gap, sagitta);
    for (int m = 0; m < found.count; ++m) EXPECT_EQ(found.manifolds[m].pointCount, 1);
  }
}

// And on a dome, on which a box lies with the normal of its face.
TEST(CollideMesh, BoxesLieOnDomes) {
  const double radius = 2;
  const OneMesh dome(patch(61, 1.2, 4, [&](double x, double z) { return std::sqrt(radius * radius - x * x - z * z) - radius; }));
  ShapeSource source(3);
  for (int i = 0; i < 200; ++i) {
    const Shape box{
        kBox, {0.5, 0.2, 0.5}, {{source.uniform(-0.3, 0.3), 0.199, source.uniform(-0.3, 0.3)}, turnAbout({0, 1, 0}, source.uniform(0, 3))}};
    const MeshContacts found = dome.contacts(box, 0.005);
    ASSERT_GE(found.count, 1) << i;
    for (int m = 0; m < found.count; ++m) EXPECT_LT(length(found.manifolds[m].normal - Vec{0, -1, 0}), 1e-6) << i;
    EXPECT_LE(deepest(found.manifolds[0]), 0) << i;
    EXPECT_GE(deepest(found.manifolds[0]), -0.001) << i;
  }
}

}  // namespace
}  // namespace cairn::test
