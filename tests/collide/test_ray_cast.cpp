// Rays through the tree against every shape one by one, and closed forms.
#include "kernels/collide/collide_ray.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn {
namespace {

Scene mixedScene(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.pose.p = {0, -12, 0};
  ground.pose.q = quatFromRotationVector(Vec3d{0.1, 0, 0.2});
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  for (int i = 0; i < count; ++i) {
    BodyDef body;
    body.pose.p = {10 * uniform(random), 10 * uniform(random), 10 * uniform(random)};
    body.pose.q = quatFromRotationVector(Vec3d{3 * uniform(random), 3 * uniform(random), 3 * uniform(random)});
    ShapeDef shape = i % 3 == 0   ? ShapeDef::sphere(0.3 + 0.2 * uniform(random))
                     : i % 3 == 1 ? ShapeDef::box({0.3, 0.5, 0.2})
                                  : ShapeDef::capsule(0.2, 0.4);
    shape.localPose.p = {0.1, 0.2 * uniform(random), 0};
    body.shapes = {shape};
    scene.add(body);
  }
  return scene;
}

// Rays that are neighbours go through the tree together on the CPU; those that ignore a body go alone.
void expectNeighboursHitAsEachAlone(Scene scene) {
  for (const Vec3d& p : {Vec3d{2, 1, 4}, {0, 1e4, 0}}) {
    BodyDef body;
    body.shapes = {p.y > 10 ? ShapeDef::sphere(1) : ShapeDef::ellipsoid({1.5, 0.5, 1})};
    body.pose.p = p;
    scene.add(body);
  }
  std::vector<Ray> rays;
  for (int i = 0; i < 40 * 40 + 3; ++i) {  // the last pack is not full
    Ray ray;
    ray.origin = {1, 2, i % 7 == 0 ? 3.5 : 20};
    ray.direction = {0.02 * (i % 40 - 20), 0.02 * (i / 40 - 20), -1};  // some along a plane of two axes
    if (i % 11 == 0) ray.maxDistance = 17;
    rays.push_back(ray);
  }
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings;
    settings.backend = Backend::Cpu;
    settings.precision = precision;
    const World world(scene, settings);
    std::vector<Ray> alone = rays;
    for (Ray& ray : alone) ray.filter.ignored = world.bodies().back();
    const std::vector<RayHit> together = world.castRays(rays), each = world.castRays(alone);
    int found = 0;
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_EQ(together[i].body, each[i].body) << i;
      ASSERT_EQ(together[i].shape, each[i].shape) << i;
      ASSERT_EQ(together[i].distance, each[i].distance) << i;
      ASSERT_EQ(length(together[i].normal - each[i].normal), 0) << i;
      found += together[i].body.index >= 0 ? 1 : 0;
    }
    EXPECT_GT(found, 500);
  }
}

TEST(RayCast, NeighboursHitWhatEachHitsByItself) { expectNeighboursHitAsEachAlone(mixedScene(7, 600)); }

TEST(RayCast, NeighboursAmongHullsHitWhatEachHitsByItself) {
  Scene scene = mixedScene(7, 600);
  BodyDef hull;
  hull.shapes = {ShapeDef::hull({{-1, -1, -1}, {1, -1, -1}, {0, -1, 1}, {0, 1, 0}})};
  hull.pose.p = {0, 0, 3};
  scene.add(hull);
  expectNeighboursHitAsEachAlone(scene);
}

TEST(RayCast, TheTreeFindsWhatEveryShapeWouldAnswer) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const int count : {0, 1, 2, 40, 2000}) {
      const Scene scene = mixedScene(20261120 + static_cast<uint64_t>(count), count);
      WorldSettings settings;
      settings.backend = Backend::Cpu;
      settings.precision = precision;
      const World world(scene, settings);
      std::mt19937_64 random(5);
      std::normal_distribution<double> normal;
      std::vector<Ray> rays;
      for (int i = 0; i < 500; ++i) {
        Ray ray;
        ray.origin = {12 * normal(random), 12 * normal(random), 12 * normal(random)};
        ray.direction = {normal(random), normal(random), normal(random)};
        if (i % 10 == 0) ray.direction = {0, i % 20 == 0 ? -2.0 : 2.0, 0};
        if (i % 3 == 0) ray.maxDistance = 8;
        rays.push_back(ray);
      }
      const std::vector<RayHit> hits = world.castRays(rays);
      ASSERT_EQ(hits.size(), rays.size());
      const QueryHits<RayHit> all = world.castRaysAll(rays);
      ASSERT_EQ(all.offsets.size(), rays.size() + 1);
      ASSERT_EQ(all.offsets.back(), all.hits.size());
      const double tolerance = precision == Precision::Float ? 2e-4 : 1e-10;
      int found = 0, disagreed = 0;
      for (size_t i = 0; i < rays.size(); ++i) {
        double best = rays[i].maxDistance;
        int body = -1, met = 0;
        const Vec3d direction = (1 / length(rays[i].direction)) * rays[i].direction;
        for (size_t b = 0; b < scene.bodies.size(); ++b) {
          const ShapeDef& def = scene.bodies[b].shapes[0];
          ShapeRecord<double> record{};
          record.type = static_cast<int>(def.type);
          record.size = def.type == ShapeType::Box ? def.halfExtents : Vec3d{def.radius, def.halfHeight, 0};
          const RayImpact<double> impact = rayAgainstShape(rays[i].origin, direction, record, scene.bodies[b].pose * def.localPose);
          if (impact.hit && impact.distance <= rays[i].maxDistance) ++met;
          if (impact.hit && impact.distance < best) {
            best = impact.distance;
            body = static_cast<int>(b);
          }
        }
        const size_t first = all.offsets[i], end = all.offsets[i + 1];
        if (int(end - first) != met) ++disagreed;
        for (size_t k = first + 1; k < end; ++k) ASSERT_LE(all.hits[k - 1].distance, all.hits[k].distance);
        if (hits[i].body.index >= 0) {
          ASSERT_LT(first, end);
          EXPECT_EQ(all.hits[first].body, hits[i].body);
          EXPECT_EQ(all.hits[first].distance, hits[i].distance);
        }
        if (body < 0) {
          if (hits[i].body.index >= 0) {
            EXPECT_NEAR(hits[i].distance, rays[i].maxDistance, tolerance * 50);  // grazes its end
          }
          continue;
        }
        ++found;
        if (hits[i].body.index != body) {
          // Two surfaces within rounding of each other, or one that is grazed.
          if (!(std::abs(hits[i].distance - best) < tolerance * (1 + best))) ++disagreed;
          continue;
        }
        EXPECT_NEAR(hits[i].distance, best, tolerance * (1 + best));
        EXPECT_NEAR(length(hits[i].normal), 1, 1e-5);
        EXPECT_LE(dot(hits[i].normal, direction), 1e-5);
      }
      int agreed = 0;
      for (const RayHit& hit : hits) agreed += hit.body.index >= 0 ? 1 : 0;
      EXPECT_NEAR(agreed, found, 2 + found / 100);
      EXPECT_GT(found, 50);  // the plane by itself
      EXPECT_LE(disagreed, precision == Precision::Float ? 2 : 0);
    }
  }
}

TEST(RayCast, AnOriginInsideAShapeHitsAtDistanceZeroAgainstTheRay) {
  Scene scene;
  BodyDef body;
  body.shapes = {ShapeDef::box({1, 1, 1})};
  scene.add(body);
  const World world(scene);
  const RayHit hit = world.castRays({{{0.2, 0.1, 0}, {0, 0, 3}}})[0];
  EXPECT_EQ(hit.body.index, 0);
  EXPECT_EQ(hit.distance, 0);
  EXPECT_NEAR(hit.normal.z, -1, 1e-6);
}

}  // namespace
}  // namespace cairn
