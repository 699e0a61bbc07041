// Worlds of triangle meshes: bodies rest, slide and roll on flat ones as on half-spaces, come to rest on hills, and everything that knows shapes
// knows meshes.
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/flat_meshes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

using namespace test;

double fastest(const World& world) {
  double speed = 0;
  for (const BodyState& state : world.states()) speed = std::max(speed, length(state.linearVelocity));
  return speed;
}

// The cosine of how far a body has tilted.
double uprightness(const BodyState& state) { return rotate(state.pose.q, Vec3d{0, 1, 0}).y; }

std::vector<ShapeDef> everyShape() {
  return {ShapeDef::box({0.3, 0.2, 0.25}),
          ShapeDef::sphere(0.25),
          ShapeDef::capsule(0.15, 0.2),
          ShapeDef::ellipsoid({0.3, 0.2, 0.25}),
          ShapeDef::hull(gem(3, 14, {0.3, 0.25, 0.28})),
          ShapeDef::cylinder(0.2, 0.25),
          ShapeDef::cone(0.25, 0.25)};
}

// One of each shape, dropped.
Scene mixedOn(const BodyDef& ground, int count = 14) {
  Scene scene;
  scene.add(ground);
  const std::vector<ShapeDef> shapes = everyShape();
  for (int k = 0; k < count; ++k) {
    BodyDef body = bodyAt({0.9 * (k % 4) - 1.3, 1.6 + 0.8 * (k / 8), 0.9 * (k / 4 % 2) - 0.4}, shapes[static_cast<size_t>(k) % shapes.size()]);
    body.pose.q = normalized(Quatd{0.1 * k, 0.3, -0.05 * k, 1});
    scene.add(body);
  }
  return scene;
}

BodyDef hills(int cells = 32) { return meshBody(loadMesh("terrain:size=8,height=0.8,cells=" + std::to_string(cells))); }

// --- flat ones -----------------------------------------------------------------------------------------------------

TEST(MeshWorlds, ABoxRestsAsOnAHalfSpace) {
  for (const int cells : {1, 3, 40}) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      const BodyDef box = bodyAt({0.1, 0.31, -0.2}, ShapeDef::box({0.5, 0.3, 0.4}));
      Scene flat, mesh;
      flat.bodies = {ground(), box};
      mesh.bodies = {meshBody(flatPatch(8, cells)), box};
      World expected(flat, onCpu(precision)), world(mesh, onCpu(precision));
      expected.step(200);
      world.step(200);
      EXPECT_NEAR(world.states()[1].pose.p.y, expected.states()[1].pose.p.y, 1e-6) << cells;
      EXPECT_LT(fastest(world), 1e-4) << cells;
      EXPECT_GT(uprightness(world.states()[1]), 1 - 1e-9) << cells;
    }
  }
}

// v0 t - mu g t^2 / 2, summed up by substeps: velocities change first, so that each has half a substep's more.
TEST(MeshWorlds, ABoxSlidesOverTenThousandTrianglesAsCoulombHasIt) {
  const double friction = 0.3, speed = 6;
  Scene scene;
  scene.add(meshBody(flatPatch(20, 71), {friction, 0}));
  ASSERT_GT(scene.bodies[0].shapes[0].triangles->triangles.size(), 10000u);
  BodyDef box = bodyAt({-6, 0.2, 1.3}, ShapeDef::box({0.5, 0.2, 0.4}));
  box.pose.q = normalized(Quatd{0, 0.3, 0, 1});
  box.shapes[0].material.friction = friction;
  scene.add(box);
  Scene flat = scene;
  flat.bodies[0] = ground({friction, 0});
  WorldSettings settings = onCpu(Precision::Double);
  settings.iterations = 20;  // to the end: what is left of four points' friction turns the box
  World world(scene, settings), plane(flat, settings);
  const double h = world.settings().dt / world.settings().substeps, along = std::hypot(speed, 0.5);
  // First it settles: until it is carried it presses less.
  for (World* const each : {&world, &plane}) {
    each->step(60);
    each->setVelocity(each->bodies()[1], {speed, 0, 0.5}, {0, 0, 0});
  }
  const BodyState start = world.states()[1];
  double offPath = 0, offPlane = 0, offHeight = 0, offUpright = 0;
  for (int step = 1; step <= 60; ++step) {
    world.step();
    plane.step();
    const BodyState now = world.states()[1], expected = plane.states()[1];
    const double t = step * world.settings().dt, way = along * t - 0.5 * friction * kGravity * t * (t + h);
    const Vec3d path = start.pose.p + (way / along) * Vec3d{speed, 0, 0.5};
    offPath = std::max(offPath, std::hypot(now.pose.p.x - path.x, now.pose.p.z - path.z));
    offPlane = std::max(offPlane, length(now.pose.p - expected.pose.p));
    offHeight = std::max(offHeight, std::abs(now.pose.p.y - start.pose.p.y));
    offUpright = std::max(offUpright, 1 - uprightness(now));
  }
  record("off the path", offPath);
  record("off the half-space's", offPlane);
  record("off the height", offHeight);
  EXPECT_LT(offPath, 1e-4);
  EXPECT_LT(offPlane, 1e-6);
  EXPECT_LT(offHeight, 1e-4);
  EXPECT_LT(offUpright, 1e-7);
}

TEST(MeshWorlds, ASphereRollsOverTenThousandTrianglesAndKeepsItsEnergy) {
  Scene scene;
  scene.add(meshBody(flatPatch(20, 71)));
  BodyDef ball = bodyAt({-6, 0.25, 0.7}, ShapeDef::sphere(0.25), {5, 0, 0.4});
  ball.angularVelocity = {0.4 / 0.25, 0, -5 / 0.25};
  scene.add(ball);
  Scene flat = scene;
  flat.bodies[0] = ground();
  World world(scene, onCpu(Precision::Double)), plane(flat, onCpu(Precision::Double));
  const double energy = world.report().kineticEnergy;
  world.step(120);
  plane.step(120);
  EXPECT_NEAR(world.report().kineticEnergy / energy, plane.report().kineticEnergy / energy, 1e-4);
  EXPECT_NEAR(length(world.states()[1].pose.p - plane.states()[1].pose.p), 0, 1e-4);
}

// --- others --------------------------------------------------------------------------------------------------------

// But for a few cylinders and cones that a direction of least overlap, which is found approximately, moves now and then.
TEST(MeshWorlds, ShapesComeToRestOnHillsAndNoneGoesThrough) {
  const Scene scene = loadScene("terrain:count=500");
  World world = worldOnTwoThreads(scene);
  world.step(600);
  const StepReport report = world.report();
  int moving = 0;
  for (const BodyState& state : world.states()) moving += length(state.linearVelocity) > 0.02 ? 1 : 0;
  record("moving", moving);
  record("fastest", fastest(world));
  record("deepest", report.penetrationMax);
  EXPECT_LE(moving, 15);
  EXPECT_LT(fastest(world), 0.25);
  EXPECT_LT(report.penetrationMean, 5e-4);
  // From above each body the ground is below it.
  const std::vector<BodyState> states = world.states();
  std::vector<Ray> rays;
  for (size_t i = 5; i < states.size(); ++i) {
    Ray ray;
    ray.origin = {states[i].pose.p.x, 50, states[i].pose.p.z};
    ray.direction = {0, -1, 0};
    rays.push_back(ray);
  }
  const QueryHits<RayHit> hits = world.castRaysAll(rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    double ground = -1e9;
    for (size_t k = hits.offsets[i]; k < hits.offsets[i + 1]; ++k) {
      if (hits.hits[k].body.index == 0) ground = 50 - hits.hits[k].distance;
    }
    EXPECT_GT(states[i + 5].pose.p.y, ground) << i;
  }
}

// A valley of two planes holds a box on both of its lower edges: as two half-spaces do.
TEST(MeshWorlds, AValleyHoldsABoxAsTwoHalfSpacesDo) {
  Scene scene, planes;
  TriangleMesh valley;
  valley.vertices = {{-4, 4, -4}, {-4, 4, 4}, {0, 0, -4}, {0, 0, 4}, {4, 4, -4}, {4, 4, 4}};
  valley.triangles = {{0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}};
  scene.add(meshBody(valley));
  for (const double side : {-1.0, 1.0}) {
    BodyDef plane = ground();
    plane.name = side < 0 ? "left" : "right";
    plane.pose.q = {0, 0, side * std::sin(kPi / 8), std::cos(kPi / 8)};
    planes.add(plane);
  }
  const BodyDef box = bodyAt({0.02, 1.2, 0}, ShapeDef::box({0.5, 0.3, 0.4}));
  scene.add(box);
  planes.add(box);
  World world(scene, onCpu(Precision::Double)), expected(planes, onCpu(Precision::Double));
  world.step(240);
  expected.step(240);
  EXPECT_LT(fastest(world), 1e-3);
  EXPECT_NEAR(length(world.states()[1].pose.p - expected.states()[2].pose.p), 0, 1e-4);
  EXPECT_EQ(world.report().contactPoints, expected.report().contactPoints);
  // One pair with two manifolds.
  EXPECT_EQ(world.report().manifolds, 2);
}

TEST(MeshWorlds, AKinematicOneCarriesBoxes) {
  Scene scene;
  BodyDef lift = meshBody(flatPatch(4, 8), {}, false, BodyType::Kinematic);
  lift.linearVelocity = {0.4, 1, 0};
  scene.add(lift);
  for (int k = 0; k < 5; ++k) scene.add(bodyAt({0.6 * k - 1.2, 0.2, 0}, ShapeDef::box({0.2, 0.2, 0.2}), {0.4, 1, 0}));
  World world(scene, onCpu());
  world.step(120);
  for (int k = 0; k < 5; ++k) {
    const Vec3d p = world.states()[static_cast<size_t>(k) + 1].pose.p;
    EXPECT_NEAR(p.y, 2.2, 5e-3);
    EXPECT_NEAR(p.x, 0.6 * k - 1.2 + 0.8, 5e-3);
  }
}

// A body that lies still is not passed by a fast one either.
TEST(MeshWorlds, AFastKinematicOneTakesAlongWhatIsInItsWay) {
  for (const double speed : {20.0, 60.0, 200.0}) {
    Scene scene;
    scene.gravity = {0, 0, 0};
    BodyDef plate = meshBody(flatPatch(4, 4), {}, true, BodyType::Kinematic);
    plate.linearVelocity = {0, speed, 0};
    scene.add(plate);
    scene.add(bodyAt({0.13, 1.7, 0.2}, ShapeDef::sphere(0.05)));
    scene.add(bodyAt({-0.63, 1.3, 0.2}, ShapeDef::box({0.05, 0.04, 0.03})));
    World world(scene, onCpu());
    world.step(12);
    const std::vector<BodyState> states = world.states();
    EXPECT_GT(states[1].pose.p.y, states[0].pose.p.y) << speed;
    EXPECT_GT(states[2].pose.p.y, states[0].pose.p.y) << speed;
  }
}

TEST(MeshWorlds, OneSidedOnesAreOpenFromBehindAndTwoSidedOnesAreNot) {
  for (const bool twoSided : {false, true}) {
    Scene scene;
    scene.add(meshBody(turnedOver(flatPatch(4, 4)), {}, twoSided));
    scene.add(bodyAt({0.1, 0.6, 0.2}, ShapeDef::sphere(0.2)));
    scene.add(bodyAt({-0.9, 0.6, 0.2}, ShapeDef::box({0.2, 0.2, 0.2})));
    World world(scene, onCpu());
    world.step(120);
    for (size_t i : {size_t(1), size_t(2)}) {
      if (twoSided) {
        EXPECT_NEAR(world.states()[i].pose.p.y, 0.2, 2e-3);
      } else {
        EXPECT_LT(world.states()[i].pose.p.y, -1);
      }
    }
  }
}

TEST(MeshWorlds, AreAskedByRaysCastsOverlapsAndSensors) {
  const Vec3d half{0.5, 0.3, 0.7};
  Scene boxes, meshes;
  for (int k = 0; k < 20; ++k) {
    BodyDef body = bodyAt({1.7 * (k % 5) - 3, 1.5 * (k / 5), 0.4 * (k % 3)}, ShapeDef::box(half));
    body.type = BodyType::Static;
    body.pose.q = normalized(Quatd{0.1 * k, 0.3, -0.05 * k, 1});
    boxes.add(body);
    body.shapes = {ShapeDef::mesh(boxMesh(half))};
    meshes.add(body);
  }
  const World of(boxes, onCpu(Precision::Double)), other(meshes, onCpu(Precision::Double));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto direction = [&] { return Vec3d{uniform(random), uniform(random), uniform(random)}; };
  std::vector<Ray> rays(500);
  std::vector<ShapeCast> casts(200);
  for (Ray& ray : rays) {
    ray.origin = 4.0 * direction() + Vec3d{0, 12, 0};
    ray.direction = direction() - 0.2 * ray.origin;
  }
  for (ShapeCast& cast : casts) {
    cast.shape = ShapeDef::capsule(0.2, 0.3);
    cast.pose = {4.0 * direction() + Vec3d{0, 12, 0}, normalized(Quatd{uniform(random), uniform(random), uniform(random), 1})};
    cast.direction = direction() - 0.5 * cast.pose.p;
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
  const std::vector<ShapeHit> c = of.castShapes(casts), d = other.castShapes(casts);
  hits = 0;
  for (size_t i = 0; i < casts.size(); ++i) {
    ASSERT_EQ(c[i].body.index, d[i].body.index) << i;
    if (c[i].shape < 0) continue;
    ++hits;
    EXPECT_NEAR(c[i].distance, d[i].distance, 1e-6);
  }
  EXPECT_GT(hits, 30);
}

TEST(MeshWorlds, OverlapsAndSensorsMeetTheSurface) {
  Scene scene;
  scene.add(meshBody(flatPatch(8, 8), {}, true));
  BodyDef watcher = bodyAt({1, 0.3, 0}, ShapeDef::sphere(0.4));
  watcher.type = BodyType::Static;
  watcher.shapes[0].sensor = true;
  scene.add(watcher);
  watcher.pose.p.y = 0.5;
  scene.add(watcher);
  const World world(scene, onCpu());
  const std::vector<SensorOverlap> overlaps = world.sensorOverlaps();
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].sensorBody.index, 1);
  EXPECT_EQ(overlaps[0].body.index, 0);
  std::vector<OverlapQuery> queries(4);
  const double heights[] = {0.19, 0.21, -0.19, -0.21};
  for (size_t i = 0; i < 4; ++i) {
    queries[i].shape = ShapeDef::box({0.3, 0.2, 0.3});
    queries[i].pose.p = {-1, heights[i], 0.4};
  }
  const QueryHits<Overlap> found = world.overlapShapes(queries);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(found.offsets[i + 1] - found.offsets[i], i % 2 == 0 ? 1u : 0u) << i;
}

TEST(MeshWorlds, ContactEventsAreOnePairHoweverManyManifolds) {
  Scene scene;
  TriangleMesh valley;
  valley.vertices = {{-4, 4, -4}, {-4, 4, 4}, {0, 0, -4}, {0, 0, 4}, {4, 4, -4}, {4, 4, 4}};
  valley.triangles = {{0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}};
  scene.add(meshBody(valley, {0, 0}));
  scene.add(bodyAt({0, 0.3 * std::sqrt(2.0) + 0.05, 0}, ShapeDef::sphere(0.3)));
  WorldSettings settings = onCpu();
  settings.contactEvents = true;
  World world(scene, settings);
  int begun = 0;
  for (int step = 0; step < 120; ++step) {
    world.step();
    const std::vector<ContactEvent> events = world.contactEvents();
    ASSERT_LE(events.size(), 1u) << step;
    for (const ContactEvent& event : events) {
      begun += event.phase == ContactPhase::Begin ? 1 : 0;
      EXPECT_NE(event.phase, ContactPhase::End) << step;
    }
  }
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(world.report().manifolds, 2);
  // Each side of the valley carries half of the weight across 45 degrees.
  const double weight = massProperties(scene.bodies[1]).mass * kGravity * settings.dt;
  EXPECT_NEAR(world.contactEvents()[0].impulse, std::sqrt(2.0) * weight, 0.02 * weight);
}

TEST(MeshWorlds, GoOnFromSnapshotsWithTheSameBits) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(mixedOn(hills()), onCpu(precision));
    world.step(60);
    const Snapshot snapshot = world.save();
    World resumed(snapshot, onCpu());
    EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
    world.step(60);
    resumed.step(60);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
    // The geometry is known again: the same mesh needs no more room.
    BodyDef another = hills();
    another.name = "again";
    another.pose.p = {0, -20, 0};
    resumed.addBody(another);
    world.addBody(another);
    world.step(30);
    resumed.step(30);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
    EXPECT_EQ(world.save().bytes.size(), resumed.save().bytes.size());
  }
}

TEST(MeshWorlds, AreTakenBackWhereABodyIsRefused) {
  World world(mixedOn(hills(8), 3), onCpu());
  const size_t before = world.save().bytes.size();
  BodyDef another = meshBody(flatPatch(3, 5));
  another.name = "ground";  // taken
  EXPECT_NE(messageOf([&] { world.addBody(another); }), "");
  EXPECT_EQ(world.save().bytes.size(), before);
}

TEST(MeshWorlds, BodiesComeAndGo) {
  World world(mixedOn(hills(), 4), onCpu());
  const std::vector<ShapeDef> shapes = everyShape();
  for (int k = 0; k < 20; ++k) {
    const BodyId added = world.addBody(bodyAt({0.3 * (k % 3), 3, 0.1 * (k % 5)}, shapes[static_cast<size_t>(k) % shapes.size()]));
    BodyDef plank = meshBody(flatPatch(1, 1 + k % 3), {}, true);
    plank.name = "plank-" + std::to_string(k);
    plank.pose.p = {1, 1 + 0.1 * k, 0};
    const BodyId mesh = world.addBody(plank);
    world.step(10);
    if (k % 3 == 0) world.removeBody(added);
    world.removeBody(mesh);
  }
  world.step(200);
  for (const BodyState& state : world.states()) {
    const bool beside = std::abs(state.pose.p.x) > 3.9 || std::abs(state.pose.p.z) > 3.9;  // rolled over the rim
    EXPECT_TRUE(beside || state.pose.p.y > -0.5) << state.pose.p.x << ' ' << state.pose.p.y << ' ' << state.pose.p.z;
  }
}

TEST(MeshWorlds, EnvironmentsHaveTheBitsOfOne) {
  const Scene scene = mixedOn(hills(), 7);
  World one(scene, 1, onCpu()), many(scene, 4, onCpu());
  one.step(90);
  many.step(90);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(many.stateHashOf(k), one.stateHashOf(0)) << k;
}

TEST(MeshWorlds, SleepersSleepOnThem) {
  WorldSettings settings = onCpu();
  settings.sleeping = true;
  Scene scene = mixedOn(meshBody(flatPatch(8, 8)), 0);
  for (int k = 0; k < 4; ++k) scene.add(bodyAt({k - 2.0, 0.35, 0}, ShapeDef::box({0.3, 0.3, 0.3})));
  World world(scene, settings);
  world.step(300);
  for (const BodyId body : world.bodies()) {
    if (body.index == 0) continue;
    EXPECT_TRUE(world.asleep(body)) << body.index;
  }
}

// Whatever looks at contacts finds several of one pair.
TEST(MeshWorlds, CarryBodiesByEverySolver) {
  std::vector<WorldSettings> all(7, onCpu());
  all[0].frictionStabilization = true;
  all[1].solver = Solver::Jacobi;
  all[2].solver = Solver::Nncg;
  all[2].iterations = 10;
  all[3].shockPropagation = true;
  all[4].positionCorrections = 2;
  all[5].maxColours = 2;
  all[6].warmStart = false;
  for (size_t k = 0; k < all.size(); ++k) {
    World world(mixedOn(meshBody(loadMesh("terrain:size=8,height=0.4,cells=24")), 8), all[k]);
    world.step(240);
    const StepReport report = world.report();
    EXPECT_GE(report.manifolds, 8) << k;
    EXPECT_LT(report.penetrationMean, 5e-3) << k;
    EXPECT_TRUE(std::isfinite(report.kineticEnergy)) << k;
    for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, -0.25) << k;
  }
}

TEST(MeshWorlds, WhatTheyAreRefused) {
  Scene scene;
  scene.add(meshBody(flatPatch(4, 2)));
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  World world(scene, onCpu());
  EXPECT_EQ(messageOf([&] { world.accelerationProblem(1e-3, 1e-2); }),
            "body 'ground': a mesh or height field's contact has no acceleration-level row: how its normal turns is not known here");
  EXPECT_EQ(messageOf([&] { world.setType(world.bodies()[0], BodyType::Dynamic); }),
            "type of body 'ground': cannot be dynamic: it has a mesh that is not solid or a height field, which has no inside");
  ShapeCast cast;
  cast.shape = scene.bodies[0].shapes[0];
  cast.direction = {1, 0, 0};
  EXPECT_EQ(messageOf([&] { world.castShapes({cast}); }), "cast 0: the shape must not be a mesh");
}

TEST(MeshWorlds, CudaAndThreadsGiveTheCpusBits) {
  Scene scene = mixedOn(hills(), 21);
  scene.add(bodyAt({0.4, 7, 0.2}, ShapeDef::box({0.2, 0.3, 0.2}), {0, -30, 0}));
  scene.add(bodyAt({-0.2, 8, 0.2}, ShapeDef::hull(gem(11, 16, {0.2, 0.15, 0.2})), {0, -60, 0}));
  BodyDef lift = meshBody(flatPatch(1, 3), {}, true, BodyType::Kinematic);
  lift.name = "lift";
  lift.pose.p = {0, -1, 0};
  lift.linearVelocity = {0, 0.8, 0};
  lift.angularVelocity = {0, 0.5, 0.1};
  scene.add(lift);
  expectTheSameBitsEverywhere(scene, 100);
}

}  // namespace
}  // namespace cairn
