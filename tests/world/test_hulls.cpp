// Worlds of hulls: they rest as boxes do where they are boxes, come to rest in piles, go through nothing, and everything that knows shapes knows
// them.
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

// The same scene with hulls instead of its dynamic boxes.
Scene withHulls(Scene scene) {
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    for (ShapeDef& shape : body.shapes) {
      if (shape.type != ShapeType::Box) continue;
      ShapeDef hull = ShapeDef::hull(cornersOfBox(shape.halfExtents));
      hull.localPose = shape.localPose;
      hull.material = shape.material;
      hull.density = shape.density;
      hull.filter = shape.filter;
      shape = hull;
    }
  }
  return scene;
}

ShapeDef rock(unsigned seed, double radius, int corners = 16) { return ShapeDef::hull(gem(seed, corners, {radius, 0.8 * radius, 0.9 * radius})); }

Scene rocks(int count, unsigned seed = 1) {
  Scene scene;
  scene.add(ground());
  for (int k = 0; k < count; ++k) {
    const int layer = k / 9, place = k % 9;
    const Vec3d p{0.62 * (place % 3 - 1) + 0.05 * (layer % 3), 0.5 + 0.6 * layer, 0.62 * (place / 3 - 1) - 0.05 * (layer % 2)};
    scene.add(bodyAt(p, rock(seed + static_cast<unsigned>(k % 7), 0.3)));
  }
  return scene;
}

double fastest(const World& world) {
  double speed = 0;
  for (const BodyState& state : world.states()) speed = std::max(speed, length(state.linearVelocity));
  return speed;
}

class HullStacks : public testing::TestWithParam<const char*> {};

TEST_P(HullStacks, RestAsThoseOfBoxes) {
  const Scene boxes = loadScene(GetParam()), hulls = withHulls(boxes);
  World of(boxes, onCpu()), other(hulls, onCpu());
  of.step(400);
  other.step(400);
  const StepReport expected = of.report(), report = other.report();
  EXPECT_EQ(report.contactPoints, expected.contactPoints);
  record("penetration of boxes", expected.penetrationMean);
  record("penetration of hulls", report.penetrationMean);
  EXPECT_NEAR(report.penetrationMean, expected.penetrationMean, 0.1 * expected.penetrationMean + 1e-6);
  EXPECT_LT(fastest(other), 1e-2);
  const std::vector<BodyState> a = of.states(), b = other.states();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(length(a[i].pose.p - b[i].pose.p), 0, 5e-3) << i;
}
INSTANTIATE_TEST_SUITE_P(Scenes, HullStacks, testing::Values("tower:height=10", "pyramid:base=8"),
                         [](const auto& each) { return asTestName(each.param); });

TEST(HullWorlds, APileComesToRest) {
  World world(rocks(54), onCpu());
  world.step(900);
  const StepReport report = world.report();
  record("fastest", fastest(world));
  record("deepest", report.penetrationMax);
  EXPECT_LT(fastest(world), 0.02);
  EXPECT_LT(report.penetrationMax, 0.01);
  for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, -0.01);
}

// On a slope flatter than friction allows it stays, on a steeper one it slides with g (sin a - mu cos a).
TEST(HullWorlds, OneSlidesDownASlopeAsCoulombHasIt) {
  for (const double slope : {0.3, 0.7}) {
    Scene scene;
    BodyDef plane = ground();
    plane.pose.q = {0, 0, std::sin(slope / 2), std::cos(slope / 2)};
    plane.shapes[0].material.friction = 0.5;
    scene.add(plane);
    BodyDef slab = bodyAt(rotate(plane.pose.q, Vec3d{0, 0.1, 0}), ShapeDef::hull(cornersOfBox({0.4, 0.1, 0.3})));
    slab.pose.q = plane.pose.q;
    slab.shapes[0].material.friction = 0.5;
    scene.add(slab);
    World world(scene, onCpu());
    world.step(60);
    const double acceleration = std::max(0.0, kGravity * (std::sin(slope) - 0.5 * std::cos(slope)));
    EXPECT_NEAR(length(world.states()[1].linearVelocity), acceleration * 60 * world.settings().dt, 0.02 + 0.01 * acceleration);
  }
}

// A body whose shape's centre of mass is not its frame's origin falls and turns about the former.
TEST(HullWorlds, TheCentreOfMassFallsFreely) {
  Scene scene;
  BodyDef body = bodyAt({0, 5, 0}, ShapeDef::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  body.angularVelocity = {1, 2, 3};
  scene.add(body);
  World world(scene, onCpu(Precision::Double));
  const Vec3d local = massProperties(body).centre;
  const auto centre = [&] { return transform(world.states()[0].pose, local); };
  const Vec3d start = centre();
  EXPECT_NEAR(length(start - Vec3d{0.25, 5.25, 0.25}), 0, 1e-12);
  const double energy = world.report().kineticEnergy;
  world.step(30);
  const Vec3d end = centre();
  EXPECT_NEAR(end.x, start.x, 1e-9);
  EXPECT_NEAR(end.z, start.z, 1e-9);
  EXPECT_NEAR(end.y, start.y - 0.5 * kGravity * 0.25, 0.06);
  EXPECT_GT(energy, 0);
}

// Thrown at each other and the ground without friction's help from outside: kinetic and potential energy never exceed what there was.
TEST(HullWorlds, MakeNoEnergy) {
  Scene scene = rocks(27, 4);
  for (size_t i = 1; i < scene.bodies.size(); ++i) {
    scene.bodies[i].linearVelocity = {3.0 * (i % 3) - 3, -2.0 * (i % 2), 2.0 * (i % 5) - 4};
    scene.bodies[i].angularVelocity = {4.0 * (i % 4), -3, 5.0 * (i % 2)};
  }
  World world(scene, onCpu());
  const StepReport before = world.report();
  const double start = before.kineticEnergy + before.potentialEnergy;
  double most = start;
  for (int k = 0; k < 200; ++k) {
    world.step();
    const StepReport report = world.report();
    most = std::max(most, report.kineticEnergy + report.potentialEnergy);
  }
  record("gained", (most - start) / start);
  EXPECT_LT(most, start + 0.01 * std::abs(start));
}

TEST(HullWorlds, AskedByRaysCastsAndOverlapsAnswerAsBoxes) {
  const Vec3d half{0.5, 0.3, 0.7};
  Scene boxes, hulls;
  for (int k = 0; k < 20; ++k) {
    BodyDef body = bodyAt({1.7 * (k % 5) - 3, 1.5 * (k / 5), 0.4 * (k % 3)}, ShapeDef::box(half));
    body.pose.q = normalized(Quatd{0.1 * k, 0.3, -0.05 * k, 1});
    boxes.add(body);
    ShapeDef hull = ShapeDef::hull(cornersOfBox(half));
    body.shapes = {hull};
    hulls.add(body);
  }
  const World of(boxes, onCpu(Precision::Double)), other(hulls, onCpu(Precision::Double));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto direction = [&] { return Vec3d{uniform(random), uniform(random), uniform(random)}; };
  std::vector<Ray> rays(500);
  std::vector<ShapeCast> casts(200), hullCasts;
  std::vector<OverlapQuery> queries(200);
  for (Ray& ray : rays) ray.origin = 5.0 * direction(), ray.direction = direction();
  for (ShapeCast& cast : casts) {
    cast.shape = ShapeDef::box({0.2, 0.4, 0.3});
    cast.pose = {6.0 * direction(), normalized(Quatd{uniform(random), uniform(random), uniform(random), 1})};
    cast.direction = direction() - 0.5 * cast.pose.p;
  }
  hullCasts = casts;
  for (ShapeCast& cast : hullCasts) cast.shape = ShapeDef::hull(cornersOfBox({0.2, 0.4, 0.3}));
  for (OverlapQuery& query : queries) {
    query.shape = rock(2, 0.7);
    query.pose = {4.0 * direction(), normalized(Quatd{uniform(random), uniform(random), uniform(random), 1})};
  }
  const std::vector<RayHit> a = of.castRays(rays), b = other.castRays(rays);
  int hits = 0;
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_EQ(a[i].body.index, b[i].body.index) << i;
    if (a[i].shape < 0) continue;
    ++hits;
    EXPECT_NEAR(a[i].distance, b[i].distance, 1e-9);
    EXPECT_NEAR(length(a[i].normal - b[i].normal), 0, 1e-9);
  }
  EXPECT_GT(hits, 50);
  const std::vector<ShapeHit> c = of.castShapes(casts), d = other.castShapes(casts), e = other.castShapes(hullCasts);
  hits = 0;
  for (size_t i = 0; i < casts.size(); ++i) {
    ASSERT_EQ(c[i].body.index, d[i].body.index) << i;
    ASSERT_EQ(c[i].body.index, e[i].body.index) << i;
    if (c[i].shape < 0) continue;
    ++hits;
    EXPECT_NEAR(c[i].distance, d[i].distance, 1e-6);
    EXPECT_NEAR(c[i].distance, e[i].distance, 1e-6);
  }
  EXPECT_GT(hits, 30);
  const QueryHits<Overlap> f = of.overlapShapes(queries), g = other.overlapShapes(queries);
  ASSERT_EQ(f.hits.size(), g.hits.size());
  EXPECT_GT(f.hits.size(), 30u);
  for (size_t i = 0; i < f.hits.size(); ++i) EXPECT_EQ(f.hits[i].body.index, g.hits[i].body.index);
}

TEST(HullWorlds, SensorsOverlapWhatTheyHold) {
  Scene scene;
  BodyDef watcher = bodyAt({0, 0, 0}, ShapeDef::hull(cornersOfBox({1, 1, 1})));
  watcher.type = BodyType::Static;
  watcher.shapes[0].sensor = true;
  scene.add(watcher);
  scene.add(bodyAt({0.5, 0.2, 0}, rock(3, 0.3)));
  scene.add(bodyAt({1.9, 0, 0}, rock(3, 0.3)));
  const World world(scene, onCpu());
  const std::vector<SensorOverlap> overlaps = world.sensorOverlaps();
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].body.index, 1);
}

TEST(HullWorlds, GoOnFromSnapshotsWithTheSameBits) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(rocks(18), onCpu(precision));
    world.step(40);
    const Snapshot snapshot = world.save();
    World resumed(snapshot, onCpu());
    EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
    world.step(60);
    resumed.step(60);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
    // The geometry is known again: the same hull needs no more room.
    resumed.addBody(bodyAt({3, 2, 0}, rock(1, 0.3)));
    world.addBody(bodyAt({3, 2, 0}, rock(1, 0.3)));
    world.step(30);
    resumed.step(30);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
    EXPECT_EQ(world.save().bytes.size(), resumed.save().bytes.size());
  }
}

// Ellipsoids were refused once.
TEST(HullWorlds, EveryShapeSurvivesASnapshot) {
  Scene scene;
  scene.add(ground());
  const ShapeDef shapes[] = {ShapeDef::sphere(0.3), ShapeDef::capsule(0.2, 0.3), ShapeDef::box({0.3, 0.3, 0.3}), ShapeDef::ellipsoid({0.3, 0.2, 0.4}),
                             rock(1, 0.4)};
  for (int k = 0; k < 5; ++k) scene.add(bodyAt({1.5 * k, 1, 0}, shapes[k]));
  World world(scene, onCpu());
  world.step(30);
  World resumed(world.save(), onCpu());
  world.step(30);
  resumed.step(30);
  EXPECT_EQ(world.stateHash(), resumed.stateHash());
}

TEST(HullWorlds, BodiesComeAndGo) {
  World world(rocks(9), onCpu());
  for (int k = 0; k < 40; ++k) {
    const BodyId added = world.addBody(bodyAt({0.3 * (k % 3), 3, 0.1 * (k % 5)}, rock(static_cast<unsigned>(20 + k), 0.25, 8 + k % 20)));
    world.step(10);
    if (k % 3 == 0) world.removeBody(added);
  }
  world.step(200);
  for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, -0.02);
}

TEST(HullWorlds, EnvironmentsHaveTheBitsOfOne) {
  const Scene scene = rocks(9);
  World one(scene, 1, onCpu()), many(scene, 4, onCpu());
  one.step(60);
  many.step(60);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(many.stateHashOf(k), one.stateHashOf(0)) << k;
}

TEST(HullWorlds, ContactsHaveNoAccelerationLevelRows) {
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::hull(cornersOfBox({0.5, 0.5, 0.5}))));
  const World world(scene, onCpu());
  EXPECT_EQ(messageOf([&] { world.accelerationProblem(1e-3, 1e-2); }),
            "body 'body-1': a hull's contact has no acceleration-level row: how its normal turns is not known here");
}

// Those within the envelope that do not touch are none of the problem's.
TEST(HullWorlds, ThatOnlyComeNearAreNoneOfTheAccelerationProblem) {
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.51, 0}, ShapeDef::hull(cornersOfBox({0.5, 0.5, 0.5}))));
  scene.add(bodyAt({3, 0.51, 0}, ShapeDef::cylinder(0.5, 0.5)));
  scene.add(bodyAt({6, 0.41, 0}, ShapeDef::ellipsoid({0.5, 0.4, 0.5})));
  scene.add(bodyAt({9, 0.5, 0}, ShapeDef::cone(0.5, 0.5), {0, 1, 0}));  // leaves
  scene.add(bodyAt({12, 0.5, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  const World world(scene, onCpu());
  EXPECT_GT(world.contactProblem().contacts(), 12);
  EXPECT_EQ(world.accelerationProblem(1e-3, 1e-2).contacts.size(), 4u);
}

TEST(HullWorlds, CudaAndThreadsGiveTheCpusBits) {
  Scene scene = rocks(18);
  scene.add(bodyAt({0.1, 6, 0}, ShapeDef::capsule(0.2, 0.3)));
  scene.add(bodyAt({0.1, 7, 0.2}, ShapeDef::sphere(0.2)));
  scene.add(bodyAt({0.4, 7, 0.2}, ShapeDef::box({0.2, 0.3, 0.2}), {0, -30, 0}));
  scene.add(bodyAt({-0.4, 7, 0.2}, ShapeDef::ellipsoid({0.2, 0.3, 0.2})));
  scene.add(bodyAt({-0.2, 8, 0.2}, rock(11, 0.2), {0, -60, 0}));
  expectTheSameBitsEverywhere(scene, 80);
}

}  // namespace
}  // namespace cairn
