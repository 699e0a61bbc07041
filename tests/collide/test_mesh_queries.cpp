// Rays, distances, casts and times of impact against meshes: closed forms, and brute force over all triangles.
#include "tests/support/collision_meshes.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/revolved.hpp"

#include "kernels/collide/collide_ray_mesh.hpp"
#include "kernels/collide/mesh_shapes.hpp"

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

TriangleMesh hills(unsigned seed) {
  return patch(12, 2, seed, [](double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(3 * z); });
}

// By Cramer's rule for origin + t d = a + u (b - a) + v (c - a), triangle by triangle.
double firstAlong(const TriangleMesh& mesh, Vec origin, Vec d, bool twoSided) {
  double best = 1e300;
  for (const auto& t : mesh.triangles) {
    const Vec a = mesh.vertices[size_t(t[0])], e = mesh.vertices[size_t(t[1])] - a, f = mesh.vertices[size_t(t[2])] - a, s = origin - a;
    const Vec n = cross(e, f);
    const double det = -dot(d, n);
    if (det == 0 || (det < 0 && !twoSided)) continue;
    const double along = dot(s, n) / det, u = dot(cross(s, d), f) / det, v = -dot(cross(s, d), e) / det;
    if (along >= 0 && u >= 0 && v >= 0 && u + v <= 1) best = std::min(best, along);
  }
  return best;
}

TEST(MeshRays, HitWhatBruteForceHits) {
  for (const bool twoSided : {false, true}) {
    const TriangleMesh given = hills(3);
    const OneMesh mesh(given, twoSided);
    const MeshShape shape = mesh.view().of(kMesh);
    ShapeSource source(1);
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
      const Vec origin{source.uniform(-2, 2), source.uniform(-1, 1), source.uniform(-2, 2)}, d = source.direction();
      const double expected = firstAlong(given, origin, d, twoSided);
      const RayImpact<double> impact = rayAgainstMesh(origin, d, shape);
      ASSERT_EQ(impact.hit, expected < 1e299) << i;
      if (!impact.hit) continue;
      ++hits;
      EXPECT_NEAR(impact.distance, expected, 1e-12) << i;
      EXPECT_NEAR(length(impact.normal), 1, 1e-12);
      EXPECT_LT(dot(impact.normal, d), 0);
      EXPECT_FALSE(rayAgainstMesh(origin, d, shape, 0.99 * expected).hit) << "further than asked";
    }
    EXPECT_GT(hits, 500);
  }
}

// Aimed at corners and at edges of a closed mesh, from all sides: none gets inside unseen.
TEST(MeshRays, NoneSlipsBetweenTriangles) {
  const OneMesh box(boxMesh({1, 0.5, 0.7}));
  const MeshShape shape = box.view().of(kMesh);
  ShapeSource source(2);
  for (int i = 0; i < 20000; ++i) {
    const int t = int(source.uniform(0, 11.99)), k = int(source.uniform(0, 2.99)), next = (k + 1) % 3;
    const double part = i % 3 == 0 ? 0.0 : (i % 3 == 1 ? 0.5 : source.uniform(0, 1));
    const Vec target = (1 - part) * shape.corner(t, k) + part * shape.corner(t, next), origin = 5.0 * source.direction();
    // On the way to a point of an edge, and on to the middle if that is seen first.
    const Vec d = normalizedOr(target - origin, Vec{0, 1, 0});
    const RayImpact<double> through = rayAgainstMesh(origin, normalizedOr(-1.0 * origin, d), shape);
    ASSERT_TRUE(through.hit);
    const RayImpact<double> impact = rayAgainstMesh(origin, normalizedOr(0.999999 * target - origin, d), shape);
    ASSERT_TRUE(impact.hit) << i;
    EXPECT_LE(impact.distance, length(target - origin) + 1e-5);
  }
}

TEST(MeshRays, OnOneSidedMeshesBeginOutside) {
  const OneMesh floor(flatPatch(10, 2, 1)), both(flatPatch(10, 2, 1), true);
  const Vec up{0, 1, 0}, down{0, -1, 0}, above{0.3, 2, 0.2}, below{0.3, -2, 0.2};
  const RayImpact<double> impact = rayAgainstMesh(above, down, floor.view().of(kMesh));
  EXPECT_TRUE(impact.hit && impact.distance == 2 && length(impact.normal - up) < 1e-15);
  EXPECT_FALSE(rayAgainstMesh(below, up, floor.view().of(kMesh)).hit);
  EXPECT_LT(length(rayAgainstMesh(below, up, both.view().of(kMesh)).normal - down), 1e-15);
  EXPECT_FALSE(rayAgainstMesh(above, up, both.view().of(kMesh)).hit);
  // On the surface: hit by what goes in, not by what leaves.
  const Vec on{0.3, 0, 0.2};
  EXPECT_TRUE(rayAgainstMesh(on, down, floor.view().of(kMesh)).hit);
  EXPECT_FALSE(rayAgainstMesh(on, up, floor.view().of(kMesh)).hit);
  EXPECT_FALSE(rayAgainstMesh(on, Vec{1, 0, 0}, floor.view().of(kMesh)).hit) << "along the plane";
}

// --- distances and casts -------------------------------------------------------------------------------------------

// From the side on which a point is.
double bruteGap(const OneMesh& mesh, const ConvexShape& shape, Vec seenFrom) {
  const MeshShape own = mesh.view().of(kMesh);
  double best = 1e300;
  for (int t = 0; t < own.triangleCount; ++t) {
    mesh::Facet facet;
    if (!mesh::facetOf(own, t, seenFrom, facet)) continue;
    best = std::min(best, gapOfCores(shape, mesh::coreOf(facet)).gap);
  }
  return best;
}

TEST(MeshQueries, GapsAreThoseOfTheNearestTriangle) {
  const OneMesh mesh(hills(5));
  ShapeSource source(3);
  int known = 0;
  for (const int type : {kSphere, kCapsule, kBox, kCylinder, kCone}) {
    for (int i = 0; i < 100; ++i) {
      Shape shape = withInnerBall(source.shape(type));
      shape.pose.p = {source.uniform(-2, 2), source.uniform(0, 2), source.uniform(-2, 2)};
      const ConvexShape convex = convexShape(shape, nullptr);
      const double expected = bruteGap(mesh, convex, convex.pose.p);
      const ConvexGap gap = gapToMesh(convex, mesh.shape(), mesh.view(), 5);
      if (expected > 0) {
        EXPECT_NEAR(gap.gap, expected, 1e-9) << type << " " << i;
        EXPECT_FALSE(gapToMesh(convex, mesh.shape(), mesh.view(), 0.99 * expected).known);
        ++known;
      } else {
        EXPECT_LE(gap.gap, 0) << type << " " << i;
      }
    }
  }
  EXPECT_GT(known, 200);
}

TEST(MeshQueries, CastsMeetPlanesWhereTheyAre) {
  const OneMesh floor(flatPatch(20, 3, 4));
  ShapeSource source(6);
  for (const int type : {kSphere, kCapsule, kBox, kEllipsoid, kCylinder, kCone}) {
    for (int i = 0; i < 50; ++i) {
      Shape shape = withInnerBall(source.shape(type));
      shape.pose.p = {source.uniform(-1, 1), 2.5, source.uniform(-1, 1)};
      const ConvexShape convex = convexShape(shape, nullptr);
      const double height = supportOfCore(convex, {0, -1, 0}).y - radiusOfCore(convex);
      const Vec along = normalizedOr(Vec{source.uniform(-0.3, 0.3), -1, source.uniform(-0.3, 0.3)}, Vec{0, -1, 0});
      const ConvexHit hit = castOnMesh(convex, along, 10, 1e-7, floor.shape(), floor.view());
      ASSERT_TRUE(hit.hit) << type << " " << i;
      EXPECT_NEAR(hit.distance, height / -along.y, 1e-6) << type << " " << i;
      EXPECT_LT(length(hit.normal - Vec{0, 1, 0}), 1e-4) << type << " " << i;
      EXPECT_NEAR(hit.point.y, 0, 1e-6);
      EXPECT_FALSE(castOnMesh(convex, along, 0.99 * hit.distance, 1e-7, floor.shape(), floor.view()).hit);
      EXPECT_FALSE(castOnMesh(convex, -along, 1e308, 1e-7, floor.shape(), floor.view()).hit);
      // Standing still: an overlap.
      EXPECT_FALSE(castOnMesh(convex, {0, 0, 0}, 0, 1e-7, floor.shape(), floor.view()).hit);
      ConvexShape deep = convex;
      deep.pose.p.y -= height + 0.01;
      EXPECT_TRUE(castOnMesh(deep, {0, 0, 0}, 0, 1e-7, floor.shape(), floor.view()).hit);
    }
  }
}

TEST(MeshQueries, CastsStopAtTheFirstTriangle) {
  const OneMesh mesh(hills(7));
  ShapeSource source(8);
  int hits = 0;
  for (const int type : {kSphere, kBox, kCylinder}) {
    for (int i = 0; i < 40; ++i) {
      Shape shape = withInnerBall(source.shape(type));
      shape.pose.p = {source.uniform(-2, 2), 1.8, source.uniform(-2, 2)};
      const ConvexShape convex = convexShape(shape, nullptr);
      if (bruteGap(mesh, convex, convex.pose.p) <= 0) continue;
      const Vec along = normalizedOr(Vec{source.uniform(-1, 1), -1, source.uniform(-1, 1)}, Vec{0, -1, 0});
      const ConvexHit hit = castOnMesh(convex, along, 10, 1e-7, mesh.shape(), mesh.view());
      ConvexShape there = convex;
      const double end = hit.hit ? hit.distance : 4;
      for (int k = 0; k < 20; ++k) {
        there.pose.p = convex.pose.p + (k / 20.0 * end) * along;
        EXPECT_GT(bruteGap(mesh, there, convex.pose.p), -1e-9) << type << " " << i;
      }
      if (!hit.hit) continue;
      ++hits;
      there.pose.p = convex.pose.p + hit.distance * along;
      EXPECT_NEAR(std::max(bruteGap(mesh, there, convex.pose.p), 0.0), 0, 1e-6) << type << " " << i;
    }
  }
  EXPECT_GT(hits, 60);
}

// --- times of impact ---------------------------------------------------------------------------------------------

class Flights {
 public:
  explicit Flights(const TriangleMesh& mesh) : mesh_(mesh), kinds_{{{}, mesh_.view(), true}} {}
  Impact<double> of(const Shape& shape, Vec way, const ImpactRule<double>& rule = {0, 0, 1e-4}) const {
    const Vec none{0, 0, 0};
    const double arm = shape.type == kSphere ? 0 : length(shape.size);
    const MovingShape<double> moving{shape.type, shape.size, identityPose<double>(), arm, {shape.pose.p, way, shape.pose.q, none}};
    const MovingShape<double> still{kMesh, none, identityPose<double>(), mesh_.made().outer, {none, none, identityQuat<double>(), none}};
    return timeOfImpact(moving, still, rule, kinds_);
  }

 private:
  OneMesh mesh_;
  MeshShapes kinds_;
};

TEST(MeshImpacts, FastShapesMeetThePlane) {
  const Flights flights(flatPatch(40, 6, 2));
  for (const Shape& shape : {Shape{kSphere, {0.1, 0, 0}, {{-2, 3, 0}, identityQuat<double>()}},
                             Shape{kBox, {0.1, 0.1, 0.1}, {{-2, 3, 0}, identityQuat<double>()}}, cylinderAt(0.2, 0.1, {-2, 3, 0})}) {
    const Impact<double> impact = flights.of(shape, {4, -30, 1});
    ASSERT_TRUE(impact.met) << shape.type;
    EXPECT_NEAR(impact.time, 2.9 / 30, 1e-4) << shape.type;
    EXPECT_LT(length(impact.manifold.normal - Vec{0, -1, 0}), 1e-9) << shape.type;
    EXPECT_FALSE(flights.of(shape, {4, -2.8, 1}).met) << shape.type;
  }
}

// What flies or slides along a plane of many triangles, however long the way and however near, meets nothing.
TEST(MeshImpacts, WaysAlongThePlaneMeetNothing) {
  const Flights flights(flatPatch(40, 6, 2));
  for (const double height : {1e-3, 0.01, 0.1}) {
    for (const Shape& shape : {Shape{kSphere, {0.01, 0, 0}, {{-5, 0.01 + height, 0}, identityQuat<double>()}},
                               Shape{kBox, {0.01, 0.01, 0.01}, {{-5, 0.01 + height, 0}, identityQuat<double>()}}}) {
      EXPECT_FALSE(flights.of(shape, {10, 0, 1}).met) << height << " " << shape.type;
      EXPECT_FALSE(flights.of(shape, {10, -0.5 * height, 1}).met) << height << " " << shape.type;
    }
  }
}

// Above a wall of the same mesh it stops there.
TEST(MeshImpacts, WallsStopWhatSlidesTowardsThem) {
  TriangleMesh mesh = patch(40, 6, 2, [](double x, double) { return x > 3 ? 4 * (x - 3) : 0.0; });
  const Flights flights(mesh);
  const Shape ball{kSphere, {0.1, 0, 0}, {{-5, 0.11, 0}, identityQuat<double>()}};
  const Impact<double> impact = flights.of(ball, {11, 0, 0});
  ASSERT_TRUE(impact.met);
  EXPECT_GT(-5 + 11 * impact.time, 2);
  EXPECT_LT(-5 + 11 * impact.time, 3.6);
}

}  // namespace
}  // namespace cairn::test
