// Worlds of cylinders and cones: they roll, stand, tip and come to rest as closed forms have it, make no energy, and everything that knows shapes
// knows them.
#include "kernels/collide/convex_distance.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/revolved.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

const Quatd kOnSide{0.70710678118654752, 0, 0, 0.70710678118654752};  // y to z

double fastest(const World& world) {
  double speed = 0;
  for (const BodyState& state : world.states()) speed = std::max(speed, length(state.linearVelocity) + 0.2 * length(state.angularVelocity));
  return speed;
}
double energyOf(const World& world) {
  const StepReport report = world.report();
  return report.kineticEnergy + report.potentialEnergy;
}

// All kinds, on each other.
Scene heap(int count) {
  Scene scene;
  scene.add(ground());
  for (int k = 0; k < count; ++k) {
    const int layer = k / 9, place = k % 9;
    const Vec3d p{0.62 * (place % 3 - 1) + 0.05 * (layer % 3), 0.6 + 0.7 * layer, 0.62 * (place / 3 - 1) - 0.05 * (layer % 2)};
    const ShapeDef shapes[] = {ShapeDef::cylinder(0.2, 0.3), ShapeDef::cone(0.25, 0.3), ShapeDef::cylinder(0.28, 0.06)};
    BodyDef body = bodyAt(p, shapes[k % 3]);
    body.pose.q = normalized(Quatd{0.3 * (k % 4) - 0.4, 0.1 * k, 0.2 * (k % 3), 1});
    scene.add(body);
  }
  return scene;
}

// --- mass ------------------------------------------------------------------------------------------------------

// By slices across the axis.
TEST(RevolvedMass, IsTheSumOfItsSlices) {
  const double r = 0.3, h = 0.7, density = 800;
  for (const bool cone : {false, true}) {
    BodyDef body;
    body.shapes = {cone ? ShapeDef::cone(r, h) : ShapeDef::cylinder(r, h)};
    body.shapes[0].density = density;
    const MassProperties own = massProperties(body);
    constexpr int kSlices = 20000;
    double mass = 0, moment = 0, along = 0, across = 0;
    for (int k = 0; k < kSlices; ++k) {
      const double y = h * (2 * (k + 0.5) / kSlices - 1), radius = cone ? r * (h - y) / (2 * h) : r;
      const double slice = density * kPi * radius * radius * 2 * h / kSlices;
      mass += slice;
      moment += slice * y;
      along += slice * 0.5 * radius * radius;
      across += slice * (0.25 * radius * radius + y * y);
    }
    const double centre = moment / mass;
    EXPECT_NEAR(own.mass, mass, 1e-6 * mass);
    EXPECT_NEAR(own.centre.y, centre, 1e-7);
    EXPECT_NEAR(own.inertia.yy, along, 1e-6 * along);
    EXPECT_NEAR(own.inertia.xx, across - mass * centre * centre, 1e-6 * across);
    EXPECT_EQ(own.inertia.xx, own.inertia.zz);
    EXPECT_EQ(own.inertia.xy, 0);
  }
}

// --- motion ----------------------------------------------------------------------------------------------------

// Down a slope without slipping with two thirds of g sin a, if friction holds.
TEST(RevolvedMotion, ACylinderRollsDownASlope) {
  const double slope = 0.3;
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    Scene scene;
    BodyDef plane = ground();
    plane.pose.q = {0, 0, std::sin(slope / 2), std::cos(slope / 2)};
    scene.add(plane);
    BodyDef roller = bodyAt(rotate(plane.pose.q, Vec3d{0, 0.2, 0}), ShapeDef::cylinder(0.2, 0.4));
    roller.pose.q = plane.pose.q * kOnSide;
    scene.add(roller);
    World world(scene, onCpu(precision));
    world.step(120);
    const BodyState state = world.states()[1];
    const double speed = 2.0 / 3 * kGravity * std::sin(slope) * 120 * world.settings().dt;
    record("speed", length(state.linearVelocity));
    EXPECT_NEAR(length(state.linearVelocity), speed, 0.02 * speed);
    EXPECT_NEAR(length(state.angularVelocity), speed / 0.2, 0.03 * speed / 0.2);
    // It stays on the slope.
    EXPECT_NEAR(dot(rotate(plane.pose.q, Vec3d{0, 1, 0}), state.pose.p), 0.2, 2e-3);
  }
}

// Rolling on a plane costs nothing.
TEST(RevolvedMotion, ARollingCylinderKeepsItsSpeed) {
  Scene scene;
  scene.add(ground());
  BodyDef roller = bodyAt({0, 0.2, 0}, ShapeDef::cylinder(0.2, 0.4), {2, 0, 0});
  roller.pose.q = kOnSide;
  roller.angularVelocity = {0, 0, -10};
  scene.add(roller);
  World world(scene, onCpu());
  world.step(240);
  const BodyState state = world.states()[1];
  record("speed", state.linearVelocity.x);
  EXPECT_NEAR(state.linearVelocity.x, 2, 0.04);
  EXPECT_NEAR(state.angularVelocity.z, -10, 0.2);
  EXPECT_NEAR(state.pose.p.z, 0, 0.01);
}

// On a slope that is held by friction it stands up to tan a = radius / half height, in whatever direction the slope falls against its frame.
TEST(RevolvedMotion, ACylinderTipsWhereItsCentreLeavesItsBase) {
  for (const double heading : {0.0, 0.39, 1.0}) {
    for (const double part : {0.85, 1.1}) {
      const double slope = std::atan(part * 0.2 / 0.6);
      Scene scene;
      BodyDef plane = ground();
      plane.pose.q = {0, 0, std::sin(slope / 2), std::cos(slope / 2)};
      plane.shapes[0].material.friction = 2;
      scene.add(plane);
      BodyDef post = bodyAt(rotate(plane.pose.q, Vec3d{0, 0.6, 0}), ShapeDef::cylinder(0.2, 0.6));
      post.pose.q = plane.pose.q * quatFromRotationVector(Vec3d{0, heading, 0});
      post.shapes[0].material.friction = 2;
      scene.add(post);
      World world(scene, onCpu());
      world.step(300);
      const Vec3d up = rotate(world.states()[1].pose.q, Vec3d{0, 1, 0});
      const bool stands = dot(up, rotate(plane.pose.q, Vec3d{0, 1, 0})) > 0.9;
      EXPECT_EQ(stands, part < 1) << heading << ' ' << part;
    }
  }
}

TEST(RevolvedMotion, AConeRestsOnItsBaseAndOnItsSide) {
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::cone(0.4, 0.5)));
  const double half = std::atan2(0.4, 1.0);
  BodyDef lying = bodyAt({3, 0.5 * std::sin(half), 0}, ShapeDef::cone(0.4, 0.5));
  lying.pose.q = quatFromRotationVector(Vec3d{0, 0, kPi / 2 + half});
  scene.add(lying);
  World world(scene, onCpu());
  world.step(240);
  EXPECT_LT(fastest(world), 0.01);
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.5, 2e-3);
  EXPECT_NEAR(world.states()[2].pose.p.y, 0.5 * std::sin(half), 2e-3);
  EXPECT_LT(world.report().penetrationMax, 2e-3);
}

// Rolling on its side it goes round its apex.
TEST(RevolvedMotion, ARollingConeGoesRoundItsApex) {
  const double r = 0.4, h = 0.5, half = std::atan2(r, 2 * h);
  Scene scene;
  scene.add(ground());
  BodyDef cone = bodyAt({0, 0, 0}, ShapeDef::cone(r, h));
  // Apex at the origin, the line of contact along x.
  cone.pose.q = quatFromRotationVector(Vec3d{0, 0, kPi / 2 + half});
  const Vec3d apex = rotate(cone.pose.q, Vec3d{0, h, 0});
  cone.pose.p = -apex;
  // Round y with `turn`, and without slip: the line of contact is the instantaneous axis.
  const double turn = 1.0;
  const Vec3d line{1, 0, 0};
  const double spin = turn * std::cos(half) / std::sin(half);
  cone.angularVelocity = (dot(cone.pose.p, line) > 0 ? 1.0 : -1.0) * spin * line;
  cone.linearVelocity = cross(cone.angularVelocity, transform(cone.pose, Vec3d{0, -0.5 * h, 0}));
  scene.add(cone);
  World world(scene, onCpu());
  double furthest = 0, swept = 0;
  Vec3d last = cone.pose.p;
  for (int k = 0; k < 120; ++k) {
    world.step();
    const Posed pose = world.states()[1].pose;
    furthest = std::max(furthest, length(transform(pose, Vec3d{0, h, 0})));
    swept += std::atan2(last.z * pose.p.x - last.x * pose.p.z, last.x * pose.p.x + last.z * pose.p.z);
    last = pose.p;
  }
  record("apex wanders", furthest);
  record("angle", swept);
  EXPECT_LT(furthest, 0.08);
  EXPECT_NEAR(std::abs(swept), turn * 120 * world.settings().dt, 0.2 * turn * 120 * world.settings().dt);
}

// A coin that spins on its edge, and falls over: never more energy than at first, and at rest on its face in the end.
TEST(RevolvedMotion, ASpinningCoinComesToRest) {
  for (const double spin : {5.0, 30.0}) {
    Scene scene;
    scene.add(ground());
    BodyDef coin = bodyAt({0, 0.1, 0}, ShapeDef::cylinder(0.1, 0.008));
    coin.pose.q = quatFromRotationVector(Vec3d{kPi / 2 - 0.1, 0, 0});
    coin.angularVelocity = {0, spin, 0};
    scene.add(coin);
    World world(scene, onCpu());
    const double start = energyOf(world);
    double most = start;
    for (int k = 0; k < 1500; ++k) {
      world.step();
      if (k % 5 == 0) most = std::max(most, energyOf(world));
    }
    const BodyState state = world.states()[1];
    record("gained", (most - start) / start);
    record("speed at last", fastest(world));
    EXPECT_LT(most, 1.01 * start);
    EXPECT_LT(fastest(world), 0.1);
    EXPECT_NEAR(state.pose.p.y, 0.008, 4e-3);
  }
}

// --- rest ------------------------------------------------------------------------------------------------------

TEST(RevolvedRest, TenCylindersStandOnEachOther) {
  Scene scene;
  scene.add(ground());
  for (int k = 0; k < 10; ++k) {
    BodyDef drum = bodyAt({0, 0.25 + 0.5 * k, 0}, ShapeDef::cylinder(0.3, 0.25));
    drum.pose.q = quatFromRotationVector(Vec3d{0, 0.7 * k, 0});
    scene.add(drum);
  }
  World world(scene, onCpu());
  world.step(600);
  record("fastest", fastest(world));
  record("deepest", world.report().penetrationMax);
  EXPECT_LT(fastest(world), 5e-3);
  EXPECT_LT(world.report().penetrationMax, 5e-3);
  for (int k = 0; k < 10; ++k) {
    const Vec3d p = world.states()[static_cast<size_t>(k + 1)].pose.p;
    EXPECT_LT(std::hypot(p.x, p.z), 0.01) << k;
    EXPECT_NEAR(p.y, 0.25 + 0.5 * k, 0.02) << k;
  }
}

TEST(RevolvedRest, LogsLieInTheirRows) {
  const Scene scene = loadScene("logs:base=6,rows=4");
  World world(scene, onCpu());
  world.step(600);
  record("fastest", fastest(world));
  record("deepest", world.report().penetrationMax);
  EXPECT_LT(fastest(world), 0.02);
  EXPECT_LT(world.report().penetrationMax, 6e-3);
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) EXPECT_LT(length(states[i].pose.p - scene.bodies[i].pose.p), 0.05) << i;
}

// What rolls away from it on the plane stops by rolling friction alone.
TEST(RevolvedRest, AHeapComesToRest) {
  Scene scene = heap(36);
  for (BodyDef& body : scene.bodies) body.shapes[0].material.rollingFriction = body.shapes[0].material.torsionalFriction = 0.02;
  World world(scene, onCpu());
  world.step(1200);
  record("fastest", fastest(world));
  record("deepest", world.report().penetrationMax);
  EXPECT_LT(fastest(world), 0.02);
  EXPECT_LT(world.report().penetrationMax, 0.01);
  for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, -0.01);
}

TEST(RevolvedRest, HeapsMakeNoEnergy) {
  Scene scene = heap(27);
  for (size_t i = 1; i < scene.bodies.size(); ++i) {
    scene.bodies[i].linearVelocity = {3.0 * (i % 3) - 3, -2.0 * (i % 2), 2.0 * (i % 5) - 4};
    scene.bodies[i].angularVelocity = {4.0 * (i % 4), -3, 5.0 * (i % 2)};
  }
  World world(scene, onCpu());
  const double start = energyOf(world);
  double most = start;
  for (int k = 0; k < 200; ++k) {
    world.step();
    most = std::max(most, energyOf(world));
  }
  record("gained", (most - start) / start);
  EXPECT_LT(most, start + 0.01 * std::abs(start));
}

// --- queries ---------------------------------------------------------------------------------------------------

bool holds(bool cone, double r, double h, Vec3d p) {
  const double radius = cone ? r * (h - p.y) / (2 * h) : r;
  return std::abs(p.y) < h && p.x * p.x + p.z * p.z < radius * radius;
}

// Against the first place along the ray that is inside.
TEST(RevolvedQueries, RaysEnterWhereTheShapeBegins) {
  const double r = 0.7, h = 0.9;
  for (const bool cone : {false, true}) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      Scene scene;
      BodyDef body = bodyAt({0.5, -0.3, 0.2}, cone ? ShapeDef::cone(r, h) : ShapeDef::cylinder(r, h));
      body.pose.q = normalized(Quatd{0.2, -0.5, 0.4, 1});
      scene.add(body);
      const World world(scene, onCpu(precision));
      std::mt19937 random(3);
      std::uniform_real_distribution<double> uniform(-1, 1);
      std::vector<Ray> rays(1600);
      for (size_t i = 0; i < rays.size(); ++i) {
        rays[i].origin = transform(body.pose, Vec3d{2 * uniform(random), 2 * uniform(random), 2 * uniform(random)});
        rays[i].direction = rotate(body.pose.q, Vec3d{uniform(random), uniform(random), uniform(random)});
        if (i % 7 == 0) rays[i].direction = rotate(body.pose.q, Vec3d{0, i % 2 == 0 ? 1.0 : -1.0, 0});
      }
      const std::vector<RayHit> hits = world.castRays(rays);
      int met = 0, grazed = 0;
      for (size_t i = 0; i < rays.size(); ++i) {
        const Vec3d p = inverseTransform(body.pose, rays[i].origin), d = inverseRotate(body.pose.q, normalizedOr(rays[i].direction, Vec3d{1, 0, 0}));
        double enters = -1;
        constexpr double kStep = 1e-3;
        for (double t = 0; t < 7; t += kStep) {
          if (!holds(cone, r, h, p + t * d)) continue;
          enters = t;
          for (int k = 0; k < 40 && t > 0; ++k) {
            const double half = kStep / std::pow(2.0, k + 1);
            if (holds(cone, r, h, p + (enters - half) * d)) enters -= half;
          }
          break;
        }
        if ((hits[i].shape >= 0) != (enters >= 0)) {
          ++grazed;
          continue;
        }
        if (enters < 0) continue;
        ++met;
        EXPECT_NEAR(hits[i].distance, enters, precision == Precision::Float ? 2e-5 : 1e-6) << i;
        EXPECT_LE(dot(hits[i].normal, normalizedOr(rays[i].direction, Vec3d{1, 0, 0})), 1e-6);
        if (enters == 0) continue;
        // Outside just above the surface.
        const Vec3d at = p + enters * d, n = inverseRotate(body.pose.q, hits[i].normal);
        EXPECT_FALSE(holds(cone, r, h, at + 1e-3 * n));
        EXPECT_TRUE(holds(cone, r, h, at - 1e-3 * n) || std::abs(std::abs(at.y) - h) < 0.01) << i;
      }
      EXPECT_GT(met, 80);
      EXPECT_LE(grazed, 4);
    }
  }
}

// A ball that is cast at a flat end, a side and a rim stops its radius before it.
TEST(RevolvedQueries, CastsStopAtTheSurface) {
  Scene scene;
  scene.add(bodyAt({0, 0, 0}, ShapeDef::cylinder(0.5, 1)));
  const World world(scene, onCpu(Precision::Double));
  const auto cast = [&](ShapeDef shape, Vec3d from, Vec3d direction) {
    ShapeCast query;
    query.shape = std::move(shape);
    query.pose.p = from;
    query.direction = direction;
    return world.castShapes({query})[0];
  };
  const ShapeHit end = cast(ShapeDef::sphere(0.2), {0.1, 4, 0.2}, {0, -1, 0});
  EXPECT_NEAR(end.distance, 2.8, 1e-6);
  EXPECT_NEAR(end.normal.y, 1, 1e-6);
  const ShapeHit side = cast(ShapeDef::sphere(0.2), {4, 0.3, 0}, {-1, 0, 0});
  EXPECT_NEAR(side.distance, 3.3, 1e-6);
  EXPECT_NEAR(side.normal.x, 1, 1e-6);
  const ShapeHit rim = cast(ShapeDef::sphere(0.2), {0.6, 4, 0}, {0, -1, 0});
  EXPECT_NEAR(rim.distance, 4 - 1 - std::sqrt(0.04 - 0.01), 1e-6);
  // A cylinder at the cylinder, and a cone whose apex goes ahead.
  EXPECT_NEAR(cast(ShapeDef::cylinder(0.3, 0.4), {0.2, 4, 0}, {0, -1, 0}).distance, 2.6, 1e-6);
  ShapeDef cone = ShapeDef::cone(0.3, 0.5);
  cone.localPose.q = {1, 0, 0, 0};
  EXPECT_NEAR(cast(cone, {0.2, 4, 0.1}, {0, -1, 0}).distance, 2.5, 1e-6);
  EXPECT_LT(cast(ShapeDef::cylinder(0.3, 0.4), {0.81, 4, 0}, {0, -1, 0}).shape, 0);
}

TEST(RevolvedQueries, OverlapsAndSensorsAreThoseOfTheGap) {
  const Scene scene = heap(40);
  const World world(scene, onCpu(Precision::Double));
  ShapeSource source(8);
  std::vector<OverlapQuery> queries;
  std::vector<ConvexShape> probes;
  for (int k = 0; k < 100; ++k) {
    Shape probe =
        withInnerBall({k % 2 == 0 ? kCylinder : kCone, {source.uniform(0.1, 0.5), source.uniform(0.1, 0.8), 0}, {{0, 0, 0}, source.turn(3)}});
    probe.pose.p = {source.uniform(-1, 1), source.uniform(0, 3), source.uniform(-1, 1)};
    OverlapQuery query;
    query.shape = k % 2 == 0 ? ShapeDef::cylinder(probe.size.x, probe.size.y) : ShapeDef::cone(probe.size.x, probe.size.y);
    query.pose = probe.pose;
    queries.push_back(query);
    probes.push_back({probe.type, probe.size, probe.pose});
  }
  const QueryHits<Overlap> found = world.overlapShapes(queries);
  int expected = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    size_t count = 0;
    for (size_t b = 1; b < scene.bodies.size(); ++b) {
      const ShapeDef& def = scene.bodies[b].shapes[0];
      const Shape shape = withInnerBall({static_cast<int>(def.type), {def.radius, def.halfHeight, 0}, scene.bodies[b].pose});
      if (gapBetween(probes[i], {shape.type, shape.size, shape.pose}).gap <= 0) ++count;
    }
    size_t answered = 0;
    for (size_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) answered += found.hits[k].body.index > 0 ? 1 : 0;
    EXPECT_EQ(answered, count) << i;
    expected += static_cast<int>(count);
  }
  EXPECT_GT(expected, 50);

  Scene watched;
  BodyDef watcher = bodyAt({0, 0, 0}, ShapeDef::cylinder(1, 1));
  watcher.type = BodyType::Static;
  watcher.shapes[0].sensor = true;
  watched.add(watcher);
  watched.add(bodyAt({0.9, 0.2, 0.8}, ShapeDef::cone(0.1, 0.1)));  // in the corner of the box around it, not in it
  watched.add(bodyAt({0.5, 0.9, 0.5}, ShapeDef::cone(0.1, 0.3)));
  const std::vector<SensorOverlap> overlaps = World(watched, onCpu()).sensorOverlaps();
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].body.index, 2);
}

// --- everything else -----------------------------------------------------------------------------------------------

TEST(RevolvedWorlds, GoOnFromSnapshotsWithTheSameBits) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(heap(18), onCpu(precision));
    world.step(40);
    const Snapshot snapshot = world.save();
    World resumed(snapshot, onCpu());
    EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
    world.step(60);
    resumed.step(60);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
  }
}

// The first one comes to a World without any, and the last one goes.
TEST(RevolvedWorlds, ComeAndGo) {
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::box({0.5, 0.5, 0.5})));
  World world(scene, onCpu());
  world.step(10);
  const BodyId added = world.addBody(bodyAt({0, 1.4, 0}, ShapeDef::cylinder(0.3, 0.3)));
  world.step(120);
  EXPECT_NEAR(world.state(added).pose.p.y, 1.3, 5e-3);
  world.removeBody(added);
  world.step(10);
  EXPECT_NEAR(world.states()[1].pose.p.y, 0.5, 5e-3);
}

TEST(RevolvedWorlds, EnvironmentsHaveTheBitsOfOne) {
  const Scene scene = heap(9);
  World one(scene, 1, onCpu()), many(scene, 4, onCpu());
  one.step(60);
  many.step(60);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(many.stateHashOf(k), one.stateHashOf(0)) << k;
}

TEST(RevolvedWorlds, ContactsHaveNoAccelerationLevelRows) {
  Scene scene;
  scene.add(ground());
  scene.add(bodyAt({0, 0.5, 0}, ShapeDef::cylinder(0.5, 0.5)));
  const World world(scene, onCpu());
  EXPECT_EQ(messageOf([&] { world.accelerationProblem(1e-3, 1e-2); }),
            "body 'body-1': a cylinder's contact has no acceleration-level row: how its normal turns is not known here");
}

TEST(RevolvedWorlds, BadSizesAreRefused) {
  const auto refusal = [](const ShapeDef& shape) {
    Scene scene;
    scene.name = "s";
    scene.add(bodyAt({0, 0, 0}, shape));
    return messageOf([&] { validate(scene); });
  };
  EXPECT_EQ(refusal(ShapeDef::cylinder(-1, 1)), "scene 's': /bodies/0/shapes/0/radius: must be a finite number > 0, is -1 (body 'body-0')");
  EXPECT_EQ(refusal(ShapeDef::cone(1, 0)), "scene 's': /bodies/0/shapes/0/half_height: must be a finite number > 0, is 0 (body 'body-0')");
}

TEST(RevolvedWorlds, SurviveTheirJson) {
  Scene scene;
  scene.add(bodyAt({0, 1, 0}, ShapeDef::cylinder(0.3, 0.7)));
  scene.add(bodyAt({3, 1, 0}, ShapeDef::cone(0.1, 0.2)));
  const std::string text = writeScene(scene);
  EXPECT_EQ(writeScene(parseScene(text, "s.json")), text);
  EXPECT_EQ(parseScene(text, "s.json").bodies[1].shapes[0].type, ShapeType::Cone);
}

TEST(RevolvedWorlds, CudaAndThreadsGiveTheCpusBits) {
  Scene scene = heap(18);
  scene.add(bodyAt({0.1, 6, 0}, ShapeDef::capsule(0.2, 0.3)));
  scene.add(bodyAt({0.1, 7, 0.2}, ShapeDef::sphere(0.2)));
  scene.add(bodyAt({0.4, 7, 0.2}, ShapeDef::box({0.2, 0.3, 0.2}), {0, -30, 0}));
  scene.add(bodyAt({-0.4, 7, 0.2}, ShapeDef::ellipsoid({0.2, 0.3, 0.2})));
  scene.add(bodyAt({-0.2, 8, 0.2}, ShapeDef::hull(gem(11, 12, {0.2, 0.3, 0.2})), {0, -60, 0}));
  expectTheSameBitsEverywhere(scene, 80);
}

}  // namespace
}  // namespace cairn
