// Gaps, overlaps and casts of convex shapes against signed distances by enumeration (collide_oracle.hpp) and against FCL.
#include "tests/collide/crowd.hpp"
#include "tests/collide/fcl_shapes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace cairn::test {
namespace {

// Gap of two shapes by FCL; at most 0 where they overlap.
double fclDistance(const Shape& a, const Shape& b) {
  const fcl::CollisionObjectd objectA = fclObject(a), objectB = fclObject(b);
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_INDEP;
  request.distance_tolerance = 1e-9;
  fcl::DistanceResultd result;
  return fcl::distance(&objectA, &objectB, request, result);
}

class ConvexPairs : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int typeA() const { return std::get<0>(GetParam()); }
  int typeB() const { return std::get<1>(GetParam()); }
  bool anyEllipsoid() const { return typeA() == kEllipsoid || typeB() == kEllipsoid; }
};

TEST_P(ConvexPairs, GapsAreSignedDistancesOfShapesThatAreApart) {
  if (anyEllipsoid()) GTEST_SKIP() << "compared with FCL below";
  ShapeSource source(501);
  for (int i = 0; i < 3000; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    const auto [a, b] = source.pair(typeA(), typeB(), -0.1, 0.4);
    const double distance = signedDistance(a, b);
    const ConvexGap gap = gapBetween(convexOf(a), convexOf(b));
    if (distance < -1e-9) {
      EXPECT_LE(gap.gap, 0);
    } else {
      EXPECT_NEAR(gap.gap, distance, 1e-9);
    }
    if (distance < 1e-6) continue;
    ASSERT_TRUE(gap.known);
    EXPECT_NEAR(length(gap.normal), 1, 1e-12);
    EXPECT_NEAR(gapAlong(a, b, gap.normal), distance, 1e-9);
    EXPECT_LT(pointToShape(gap.onB, b), 1e-8);
    EXPECT_NEAR(pointToShape(gap.onB, a), distance, 1e-8);
    if (HasFailure()) return;
  }
}

// Seeds whose boxes have led the simplex to a tetrahedron so flat that rounding put the origin into it.
TEST(ConvexGaps, BoxesThatAreApartDoNotOverlap) {
  for (const unsigned seed : {48u, 79u, 140u}) {
    ShapeSource source(seed);
    for (int i = 0; i < 1400; ++i) {
      Shape a = source.shape(kBox), b = source.shape(kBox);
      a.pose.p = {0, 0, 0};
      b.pose.p = source.uniform(0, 1.5) * source.direction();
      const double distance = signedDistance(a, b), gap = gapBetween(convexOf(a), convexOf(b)).gap;
      if (distance > 1e-9) {
        ASSERT_NEAR(gap, distance, 1e-9) << "seed " << seed << ", pair " << i;
      } else if (distance < -1e-9) {
        ASSERT_LE(gap, 0) << "seed " << seed << ", pair " << i;
      }
    }
  }
}

TEST_P(ConvexPairs, GapsAreThoseOfFcl) {
  if (typeB() == kHalfSpace) GTEST_SKIP() << "FCL measures no distance to a half-space";
  ShapeSource source(601);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    Shape a = source.shape(typeA()), b = source.shape(typeB());
    b.pose.p = source.uniform(1.5, 4) * source.direction();
    const double distance = fclDistance(a, b);
    if (distance < 1e-3) continue;
    EXPECT_NEAR(gapBetween(convexOf(a), convexOf(b)).gap, distance, anyEllipsoid() ? 2e-5 : 1e-6);
  }
}

// Along the way there is a gap; at its end there is none.
TEST_P(ConvexPairs, CastsEndWhereTheGapDoes) {
  ShapeSource source(701);
  int hits = 0, misses = 0;
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("configuration " + std::to_string(i));
    Shape a = source.shape(typeA()), b = source.shape(typeB());
    b.pose.p = source.uniform(2.5, 5) * source.direction();
    if (b.type == kHalfSpace) b.pose.p = -source.uniform(2.5, 5) * rotate(b.pose.q, Vec{0, 1, 0});
    const Vec way = normalizedOr(b.pose.p + source.uniform(0, 1.5) * source.direction(), Vec{1, 0, 0});
    constexpr double kFar = 9, kTouch = 1e-7;
    const ConvexHit hit = castConvex(convexOf(a), way, kFar, kTouch, convexOf(b));
    const auto gapAt = [&](double distance) {
      Shape moved = a;
      moved.pose.p += distance * way;
      return anyEllipsoid() ? gapBetween(convexOf(moved), convexOf(b)).gap : signedDistance(moved, b);
    };
    (hit.hit ? hits : misses) += 1;
    const double end = hit.hit ? hit.distance : kFar;
    for (int k = 0; k < 40; ++k) ASSERT_GT(gapAt(end * k / 40), 0) << k;
    if (!hit.hit) continue;
    EXPECT_NEAR(gapAt(end), 0, 2e-7);
    EXPECT_NEAR(length(hit.normal), 1, 1e-9);
    EXPECT_LT(dot(hit.normal, way), 0);
    Shape moved = a;
    moved.pose.p += end * way;
    if (!anyEllipsoid()) {
      EXPECT_LT(pointToShape(hit.point, b), 1e-6);
      EXPECT_LT(pointToShape(hit.point, moved), 1e-6);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(hits, 300);
  EXPECT_TRUE(misses > 50 || typeB() == kHalfSpace);
}

std::string nameOf(const testing::TestParamInfo<std::tuple<int, int>>& tested) {
  const char* const names[] = {"Sphere", "Capsule", "Box", "HalfSpace", "Ellipsoid"};
  return std::string(names[std::get<0>(tested.param)]) + names[std::get<1>(tested.param)];
}
INSTANTIATE_TEST_SUITE_P(Shapes, ConvexPairs,
                         testing::Values(std::tuple(kSphere, kSphere), std::tuple(kSphere, kCapsule), std::tuple(kSphere, kBox),
                                         std::tuple(kCapsule, kCapsule), std::tuple(kCapsule, kBox), std::tuple(kBox, kBox),
                                         std::tuple(kSphere, kHalfSpace), std::tuple(kCapsule, kHalfSpace), std::tuple(kBox, kHalfSpace),
                                         std::tuple(kEllipsoid, kSphere), std::tuple(kEllipsoid, kBox), std::tuple(kEllipsoid, kEllipsoid)),
                         nameOf);

TEST(ConvexShapes, OverlapsInAWorldAreThoseOfFcl) {
  const Crowd c = crowd(31, 120);
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.precision = Precision::Double;
  const World world(c.scene, settings);
  ShapeSource source(32);
  std::vector<OverlapQuery> queries;
  std::vector<Shape> probes;
  for (int i = 0; i < 120; ++i) {
    Shape probe = source.shape(i % 4 == 3 ? kEllipsoid : i % 4);
    probe.pose.p = source.uniform(0, 7) * source.direction();
    OverlapQuery query;
    query.shape = shapeDefOf(probe);
    // By the pose of the query and the one of the shape in it.
    query.shape.localPose = {{0.5, 0, 0}, {0, 0, 0, 1}};
    query.pose = probe.pose * Posed{{-0.5, 0, 0}, {0, 0, 0, 1}};
    queries.push_back(query);
    probes.push_back(probe);
  }
  const QueryHits<Overlap> found = world.overlapShapes(queries);
  ASSERT_EQ(found.offsets.size(), queries.size() + 1);
  int overlaps = 0;
  for (size_t i = 0; i < probes.size(); ++i) {
    std::set<std::pair<int, int>> set;
    for (size_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) set.insert({found.hits[k].body.index, found.hits[k].shape});
    EXPECT_EQ(set.size(), found.offsets[i + 1] - found.offsets[i]) << "each once";
    for (size_t k = found.offsets[i] + 1; k < found.offsets[i + 1]; ++k) {
      const Overlap &a = found.hits[k - 1], &b = found.hits[k];
      EXPECT_LT(std::tie(a.body.index, a.shape), std::tie(b.body.index, b.shape)) << "in order";
    }
    for (size_t body = 0; body < c.shapes.size(); ++body) {
      for (size_t shape = 0; shape < c.shapes[body].size(); ++shape) {
        const Shape& other = c.shapes[body][shape];
        const fcl::CollisionObjectd a = fclObject(probes[i]), b = fclObject(other);
        fcl::CollisionRequestd request;
        request.gjk_solver_type = fcl::GST_LIBCCD;
        fcl::CollisionResultd result;
        const bool expected = fcl::collide(&a, &b, request, result) > 0, answered = set.count({int(body), int(shape)}) > 0;
        overlaps += expected ? 1 : 0;
        if (expected == answered) continue;
        // FCL's iterations end within some 1e-6 of touching.
        Shape smaller = probes[i], larger = probes[i];
        for (Shape* each : {&smaller, &larger}) each->size = (each == &smaller ? 1 - 1e-4 : 1 + 1e-4) * each->size;
        const auto gap = [&](const Shape& s) { return gapBetween(convexOf(s), convexOf(other)).gap; };
        EXPECT_TRUE(gap(smaller) > 0 && gap(larger) <= 0) << "query " << i << ", body " << body << ", shape " << shape;
      }
    }
  }
  EXPECT_GT(overlaps, 100);
}

}  // namespace
}  // namespace cairn::test
