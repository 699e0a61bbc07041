// Shapes that are cast, and overlaps, in a World: through the tree against shape after shape, and closed forms. Two shapes by themselves are tested
// in test_collide_convex.cpp.
#include "kernels/runtime/runtime.hpp"
#include "tests/collide/crowd.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <set>

namespace cairn::test {
namespace {

class ShapeQueries : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  World worldOf(const Scene& scene, Precision precision = Precision::Double) const {
    WorldSettings settings;
    settings.backend = GetParam();
    settings.precision = precision;
    settings.threads = 1;
    return World(scene, settings);
  }
};

TEST_P(ShapeQueries, OverlapsThroughTheTreeAreThoseOfEveryShape) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const Crowd c = crowd(71, 200);
    const World world = worldOf(c.scene, precision);
    ShapeSource source(72);
    std::vector<OverlapQuery> queries(150);
    int expected = 0, disagreed = 0;
    for (size_t i = 0; i < queries.size(); ++i) {
      queries[i].shape = shapeDefOf(source.shape(i % 4 == 3 ? kEllipsoid : int(i % 4)));
      queries[i].pose = {source.uniform(0, 7) * source.direction(), source.turn(3)};
    }
    const QueryHits<Overlap> found = world.overlapShapes(queries);
    for (size_t i = 0; i < queries.size(); ++i) {
      std::set<std::pair<int, int>> answered;
      for (size_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) answered.insert({found.hits[k].body.index, found.hits[k].shape});
      const ShapeDef& def = queries[i].shape;
      const bool round = def.type == ShapeType::Sphere || def.type == ShapeType::Capsule;
      const Vec3d size = round ? Vec3d{def.radius, def.halfHeight, 0} : def.halfExtents;
      const ConvexShape probe{static_cast<int>(def.type), size, queries[i].pose};
      for (size_t body = 0; body < c.shapes.size(); ++body) {
        for (size_t shape = 0; shape < c.shapes[body].size(); ++shape) {
          const bool overlaps = gapBetween(probe, convexOf(c.shapes[body][shape])).gap <= 0;
          expected += overlaps ? 1 : 0;
          disagreed += overlaps == (answered.count({int(body), int(shape)}) > 0) ? 0 : 1;
        }
      }
    }
    EXPECT_GT(expected, 200);
    EXPECT_LE(disagreed, precision == Precision::Float ? 2 : 0);  // those that just touch
  }
}

TEST_P(ShapeQueries, CastsThroughTheTreeMeetWhatEveryShapeWouldAnswer) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const Crowd c = crowd(41, 300);
    const World world = worldOf(c.scene, precision);
    ShapeSource source(42);
    std::vector<ShapeCast> casts;
    std::vector<Shape> probes;
    for (int i = 0; i < 200; ++i) {
      Shape probe = source.shape(i % 4 == 3 ? kEllipsoid : i % 4);
      probe.pose.p = source.uniform(0, 9) * source.direction();
      ShapeCast cast;
      cast.shape = shapeDefOf(probe);
      cast.pose = probe.pose;
      cast.direction = source.uniform(0.1, 5) * source.direction();
      if (i % 3 == 0) cast.maxDistance = 2;
      casts.push_back(cast);
      probes.push_back(probe);
    }
    const std::vector<ShapeHit> nearest = world.castShapes(casts);
    const QueryHits<ShapeHit> all = world.castShapesAll(casts);
    ASSERT_EQ(nearest.size(), casts.size());
    const double tolerance = precision == Precision::Float ? 1e-4 : 1e-7;
    int met = 0, disagreed = 0;
    for (size_t i = 0; i < casts.size(); ++i) {
      const Vec way = normalizedOr(casts[i].direction, Vec{1, 0, 0});
      std::vector<double> distances;
      for (const std::vector<Shape>& body : c.shapes) {
        for (const Shape& shape : body) {
          const ConvexHit hit = castConvex(convexOf(probes[i]), way, casts[i].maxDistance, 1e-8, convexOf(shape));
          if (hit.hit && hit.distance <= casts[i].maxDistance) distances.push_back(hit.distance);
        }
      }
      std::sort(distances.begin(), distances.end());
      const size_t first = all.offsets[i], end = all.offsets[i + 1];
      met += int(end - first);
      if (end - first != distances.size()) {
        ++disagreed;
        continue;
      }
      for (size_t k = first; k < end; ++k) {
        if (std::abs(all.hits[k].distance - distances[k - first]) > tolerance * 10) ++disagreed;  // grazed
        if (k > first && all.hits[k - 1].distance > all.hits[k].distance) ADD_FAILURE() << "not in order";
      }
      ASSERT_EQ(nearest[i].body.index >= 0, first < end);
      if (first == end) continue;
      EXPECT_EQ(nearest[i].distance, all.hits[first].distance);
      EXPECT_EQ(nearest[i].normal.x, all.hits[first].normal.x);
      EXPECT_LE(dot(nearest[i].normal, way), 1e-9);
    }
    EXPECT_GT(met, 1000);
    EXPECT_LE(disagreed, precision == Precision::Float ? 4 : 1);
  }
}

// A ball that is cast at a ball is a ray at one of both radii; at a box's face it stops its radius before it.
TEST_P(ShapeQueries, ClosedForms) {
  Scene scene;
  BodyDef ball, wall;
  ball.pose.p = {5, 0.3, 0};
  ball.shapes = {ShapeDef::sphere(0.5)};
  wall.pose.p = {0, 0, 7};
  wall.shapes = {ShapeDef::box({2, 2, 1})};
  scene.add(ball);
  scene.add(wall);
  const World world = worldOf(scene);
  ShapeCast cast;
  cast.shape = ShapeDef::sphere(0.25);
  cast.direction = {2, 0, 0};
  const ShapeHit hit = world.castShapes({cast})[0];
  const double way = 5 - std::sqrt(0.75 * 0.75 - 0.3 * 0.3);
  EXPECT_EQ(hit.body, world.bodies()[0]);
  EXPECT_NEAR(hit.distance, way, 1e-7);
  EXPECT_NEAR(length(hit.normal - (1 / 0.75) * Vec3d{way - 5, -0.3, 0}), 0, 1e-6);
  EXPECT_NEAR(length(hit.point - (Vec3d{5, 0.3, 0} + 0.5 * hit.normal)), 0, 1e-6);
  cast.direction = {0, 0, 1};
  cast.shape = ShapeDef::capsule(0.25, 1);
  EXPECT_NEAR(world.castShapes({cast})[0].distance, 5.75, 1e-7);
  EXPECT_NEAR(world.castShapes({cast})[0].normal.z, -1, 1e-9);
  cast.maxDistance = 5.74;
  EXPECT_EQ(world.castShapes({cast})[0].body.index, -1);
  EXPECT_EQ(world.castShapes({cast})[0].distance, 0);
  // Inside: at once, against the way.
  cast.pose.p = {0.1, 0, 7};
  const ShapeHit inside = world.castShapes({cast})[0];
  EXPECT_EQ(inside.distance, 0);
  EXPECT_EQ(inside.normal.z, -1);
  EXPECT_NEAR(length(inside.point - cast.pose.p), 0, 1e-12);
  // A box that lies on the wall slides along it and leaves it, and does not go into it.
  cast.shape = ShapeDef::box({0.5, 0.5, 0.5});
  cast.pose.p = {0, 0, 5.5};
  cast.direction = {1, 0, 0};
  EXPECT_EQ(world.castShapes({cast})[0].body.index, -1);
  cast.direction = {0, 0, -1};
  EXPECT_EQ(world.castShapes({cast})[0].body.index, -1);
  cast.direction = {0, 0, 1};
  EXPECT_EQ(world.castShapes({cast})[0].body, world.bodies()[1]);
}

TEST_P(ShapeQueries, FiltersAndIgnoredBodiesAreNotSeen) {
  const Crowd c = crowd(51, 80);
  const World world = worldOf(c.scene);
  OverlapQuery query;
  query.shape = ShapeDef::sphere(4);
  const auto overlaps = [&] { return world.overlapShapes({query}).hits; };
  const std::vector<Overlap> every = overlaps();
  ASSERT_GT(every.size(), 40u);
  query.filter.collision = CollisionFilter{1, 4, 0};
  for (const Overlap& seen : overlaps()) EXPECT_EQ(seen.shape, 1);
  const size_t second = overlaps().size();
  query.filter.collision = CollisionFilter{1, 1, 0};
  EXPECT_EQ(overlaps().size() + second, every.size());
  query.filter.collision = CollisionFilter{0, 0xffffffffu, 0};
  EXPECT_TRUE(overlaps().empty());
  query.filter.collision = CollisionFilter{};
  EXPECT_EQ(overlaps().size(), every.size());
  query.filter.ignored = every.front().body;
  for (const Overlap& seen : overlaps()) EXPECT_NE(seen.body, query.filter.ignored);
  EXPECT_LT(overlaps().size(), every.size());
  // The same for rays and casts.
  Ray ray{{-20, 0, 0}, {1, 0, 0}};
  ShapeCast cast;
  cast.shape = ShapeDef::sphere(0.5);
  cast.pose.p = ray.origin;
  cast.direction = ray.direction;
  for (int k = 0; k < 3; ++k) {
    const RayHit hit = world.castRays({ray})[0];
    const ShapeHit shape = world.castShapes({cast})[0];
    ASSERT_GE(hit.body.index, 0);
    ASSERT_GE(shape.body.index, 0);
    ray.filter.ignored = hit.body;
    cast.filter.ignored = shape.body;
    EXPECT_NE(world.castRays({ray})[0].body, hit.body);
    EXPECT_NE(world.castShapes({cast})[0].body, shape.body);
    for (const RayHit& other : world.castRaysAll({ray}).hits) EXPECT_NE(other.body, hit.body);
    ray.filter = cast.filter = {CollisionFilter{1, k == 0 ? 1u : 4u, 0}, {}};
    EXPECT_EQ(world.castRays({ray})[0].shape, k == 0 ? 0 : 1);
  }
}

TEST_P(ShapeQueries, WhatCannotBeAskedIsRefused) {
  Scene scene;
  scene.bodies.emplace_back().shapes = {ShapeDef::sphere(1)};
  World world = worldOf(scene);
  const BodyId body = world.bodies()[0];
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  ShapeCast good;
  good.shape = ShapeDef::sphere(1);
  good.direction = {1, 0, 0};
  const auto cast = [&](const auto& change) {
    ShapeCast bad = good;
    change(bad);
    return refused([&] { world.castShapes({good, bad}); });
  };
  EXPECT_EQ(cast([](ShapeCast& c) { c.shape.radius = -1; }), "cast 1: /shapes/0/radius: must be a finite number > 0, is -1");
  EXPECT_EQ(cast([](ShapeCast& c) { c.shape = ShapeDef::halfSpace(); }), "cast 1: the shape must not be a half-space");
  EXPECT_EQ(cast([](ShapeCast& c) { c.direction = {0, 0, 0}; }), "cast 1: the direction must not be zero");
  EXPECT_NE(cast([](ShapeCast& c) { c.direction.y = std::nan(""); }), "accepted");
  EXPECT_NE(cast([](ShapeCast& c) { c.pose.p.y = std::nan(""); }), "accepted");
  EXPECT_EQ(cast([](ShapeCast& c) { c.maxDistance = -1; }), "cast 1: maxDistance must be at least 0");
  EXPECT_NE(cast([](ShapeCast& c) { c.filter.ignored = {7, 0}; }).find("cast 1: the body to ignore"), std::string::npos);
  OverlapQuery query;
  query.shape.halfExtents.x = 0;
  EXPECT_NE(refused([&] { world.overlapShapes({query}); }).find("query 0: /shapes/0/half_extents"), std::string::npos);
  Ray ray{{0, 0, 0}, {1, 0, 0}};
  ray.filter.ignored = body;
  EXPECT_EQ(refused([&] { world.castRays({ray}); }), "accepted");
  world.removeBody(body);
  EXPECT_NE(refused([&] { world.castRays({ray}); }), "accepted");
  EXPECT_NE(refused([&] { world.castRaysAll({ray}); }), "accepted");
  EXPECT_TRUE(world.castShapes({}).empty());
  EXPECT_EQ(world.overlapShapes({}).offsets.size(), 1u);
}

TEST_P(ShapeQueries, AreTheSameOnBothBackends) {
  if (GetParam() != Backend::Cuda) GTEST_SKIP() << "skipped: compares with the CPU";
  const Crowd c = crowd(61, 150);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const World there = worldOf(c.scene, precision);
    WorldSettings settings;
    settings.backend = Backend::Cpu;
    settings.precision = precision;
    const World here(c.scene, settings);
    ShapeSource source(62);
    std::vector<ShapeCast> casts(80);
    std::vector<Ray> rays;
    for (size_t i = 0; i < casts.size(); ++i) {
      casts[i].shape = shapeDefOf(source.shape(i % 4 == 3 ? kEllipsoid : int(i % 4)));
      casts[i].pose = {source.uniform(0, 9) * source.direction(), source.turn(3)};
      casts[i].direction = source.direction();
      rays.push_back({casts[i].pose.p, casts[i].direction});
    }
    const QueryHits<ShapeHit> a = here.castShapesAll(casts), b = there.castShapesAll(casts);
    ASSERT_EQ(a.offsets, b.offsets);
    for (size_t k = 0; k < a.hits.size(); ++k) {
      EXPECT_EQ(a.hits[k].body, b.hits[k].body);
      EXPECT_EQ(a.hits[k].distance, b.hits[k].distance);
      EXPECT_EQ(length(a.hits[k].point - b.hits[k].point), 0);
      EXPECT_EQ(length(a.hits[k].normal - b.hits[k].normal), 0);
    }
    const QueryHits<RayHit> rayHere = here.castRaysAll(rays), rayThere = there.castRaysAll(rays);
    ASSERT_EQ(rayHere.offsets, rayThere.offsets);
    for (size_t k = 0; k < rayHere.hits.size(); ++k) EXPECT_EQ(rayHere.hits[k].distance, rayThere.hits[k].distance);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ShapeQueries, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

}  // namespace
}  // namespace cairn::test
