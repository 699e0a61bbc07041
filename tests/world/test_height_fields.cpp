// Worlds of height fields: they are the meshes of their triangles to the bit, carry bodies as planes do, and answer rays as interpolation has it.
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/height_fields.hpp"
#include "tests/support/hulls.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

using namespace test;

HeightField hills() {
  return fieldOf(41, 33, {0.2, 0.25}, [](double x, double z) { return 0.3 * std::sin(1.1 * x) * std::cos(0.9 * z); });
}

// One of each shape, in two layers above this ground.
Scene shapesOver(const BodyDef& ground) {
  Scene scene;
  scene.add(ground);
  const ShapeDef shapes[] = {ShapeDef::box({0.3, 0.2, 0.25}),
                             ShapeDef::cylinder(0.2, 0.25),
                             ShapeDef::hull(gem(3, 14, {0.3, 0.25, 0.28})),
                             ShapeDef::ellipsoid({0.3, 0.2, 0.25}),
                             ShapeDef::cone(0.25, 0.25),
                             ShapeDef::capsule(0.15, 0.2),
                             ShapeDef::sphere(0.25)};
  double angle = 0;
  for (const double y : {1.0, 1.8}) {
    for (const ShapeDef& shape : shapes) {
      angle += 0.7;
      BodyDef body = bodyAt({1.5 * std::cos(angle), y, 1.5 * std::sin(angle)}, shape);
      body.pose.q = normalized(Quatd{std::sin(angle), 0.4, 0.2, 1});
      scene.add(body);
    }
  }
  return scene;
}

// --- the same as a mesh --------------------------------------------------------------------------------------------

TEST(HeightFields, HaveTheBitsOfTheirTrianglesAsAMesh) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    Scene field = shapesOver(fieldBody(hills())), mesh = field;
    mesh.bodies[0].shapes[0] = ShapeDef::mesh(triangulated(hills()));
    World world(field, onCpu(precision)), other(mesh, onCpu(precision));
    for (int k = 0; k < 12; ++k) {
      world.step(10);
      other.step(10);
      ASSERT_EQ(world.stateHash(), other.stateHash()) << k;
    }
    const std::vector<Contact> a = world.contacts(), b = other.contacts();
    EXPECT_GT(a.size(), 20u);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(sameBits(a[i].point, b[i].point) && sameBits(a[i].normal, b[i].normal) && a[i].feature == b[i].feature) << i;
      EXPECT_TRUE(sameBits(a[i].separation, b[i].separation) && sameBits(a[i].normalImpulse, b[i].normalImpulse)) << i;
    }
    EXPECT_EQ(world.save().bytes, other.save().bytes);
  }
}

TEST(HeightFields, CudaAndThreadsGiveTheCpusBits) { expectTheSameBitsEverywhere(shapesOver(fieldBody(hills())), 60); }

TEST(HeightFields, OfOneOwnerAreToldApart) {
  struct Level {
    HeightField low, high;
    TriangleMesh lowMesh, highMesh;
  };
  const auto level = std::make_shared<Level>();
  level->low = fieldOf(5, 5, {1, 1}, [](double, double) { return 0.0; });
  level->high = fieldOf(5, 5, {1, 1}, [](double, double) { return 1.0; });
  level->lowMesh = triangulated(level->low);
  level->highMesh = triangulated(level->high);
  const auto topOf = [](const ShapeDef& first, const ShapeDef& second) {
    Scene scene;
    for (const ShapeDef& shape : {first, second}) {
      scene.add(bodyAt({scene.bodies.empty() ? 0.0 : 10.0, 0, 0}, shape));
      scene.bodies.back().type = BodyType::Static;
    }
    const World world(scene, onCpu());
    Ray ray;
    ray.origin = {10.1, 5, 0.3};
    ray.direction = {0, -1, 0};
    return 5 - world.castRays({ray})[0].distance;
  };
  using Field = std::shared_ptr<const HeightField>;
  using Mesh = std::shared_ptr<const TriangleMesh>;
  EXPECT_NEAR(topOf(ShapeDef::heightField(Field(level, &level->low)), ShapeDef::heightField(Field(level, &level->high))), 1, 1e-6);
  EXPECT_NEAR(topOf(ShapeDef::mesh(Mesh(level, &level->lowMesh)), ShapeDef::mesh(Mesh(level, &level->highMesh))), 1, 1e-6);
  // And those that nobody owns.
  const Field low(Field(), &level->low), high(Field(), &level->high);
  EXPECT_NEAR(topOf(ShapeDef::heightField(low), ShapeDef::heightField(high)), 1, 1e-6);
}

// --- bodies on planes ----------------------------------------------------------------------------------------------

TEST(HeightFields, ABallRestsAsOnAHalfSpace) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const BodyDef ball = bodyAt({0.21, 0.26, -0.13}, ShapeDef::sphere(0.25));
    Scene flat, field;
    flat.bodies = {ground(), ball};
    field.bodies = {fieldBody(fieldOf(9, 14, {0.4, 0.6}, [](double, double) { return 0.0; })), ball};
    World expected(flat, onCpu(precision)), world(field, onCpu(precision));
    expected.step(240);
    world.step(240);
    EXPECT_NEAR(length(world.states()[1].pose.p - expected.states()[1].pose.p), 0, 1e-6);
    EXPECT_LT(length(world.states()[1].linearVelocity), 1e-6);
  }
}

// A plane whose normal leans towards +x and -z, over 10,000 cells.
struct Slope {
  double x = 0.25, z = -0.15;  // how much it falls along each
  double fall = std::hypot(x, z);
  double angle = std::atan(fall);
  Vec3d normal = normalizedOr(Vec3d{x, 1, z}, {0, 1, 0});
  Vec3d down = Vec3d{x / fall * std::cos(angle), -std::sin(angle), z / fall* std::cos(angle)};

  BodyDef ground(double friction) const {
    return fieldBody(fieldOf(101, 101, {0.15, 0.2}, [this](double px, double pz) { return -x * px - z * pz; }), {friction, 0});
  }
  Quatd turn() const {
    const Vec3d axis = cross(Vec3d{0, 1, 0}, normal);
    return normalized(Quatd{axis.x, axis.y, axis.z, 1 + normal.y});
  }
  // The same as a half-space.
  BodyDef plane(double friction) const {
    BodyDef body = test::ground({friction, 0});
    body.pose.q = turn();
    return body;
  }
  // A body that touches the plane at its middle, this high above it, moved up the slope.
  BodyDef on(const ShapeDef& shape, double height, double back) const {
    BodyDef body = bodyAt(height * normal - back * down, shape);
    body.shapes[0].material.friction = 1;
    body.pose.q = turn();
    return body;
  }
};

// g (sin a - mu cos a) t^2 / 2, summed up by substeps: velocities change first, so that each has half a substep's more.
TEST(HeightFields, ABoxSlidesOverTenThousandCellsAsCoulombHasIt) {
  const Slope slope;
  const double friction = 0.12;  // of the two together
  Scene scene;
  scene.add(slope.ground(friction * friction));
  scene.add(slope.on(ShapeDef::box({0.4, 0.2, 0.3}), 0.2, 4));
  WorldSettings settings = onCpu(Precision::Double);
  settings.iterations = 20;
  World world(scene, settings);
  const double h = world.settings().dt / world.settings().substeps;
  const double acceleration = kGravity * (std::sin(slope.angle) - friction * std::cos(slope.angle));
  double off = 0, aside = 0;
  for (int step = 1; step <= 110; ++step) {
    world.step();
    const double t = step * world.settings().dt, way = 0.5 * acceleration * t * (t + h);
    const Vec3d moved = world.states()[1].pose.p - scene.bodies[1].pose.p;
    off = std::max(off, std::abs(dot(moved, slope.down) - way));
    aside = std::max(aside, std::abs(dot(moved, cross(slope.normal, slope.down))));
  }
  EXPECT_GT(dot(world.states()[1].pose.p - scene.bodies[1].pose.p, slope.down), 2);
  record("off along the slope", off);
  record("off across it", aside);
  EXPECT_LT(off, 1e-4);
  EXPECT_LT(aside, 1e-4);
}

// 5/7 g sin a, and all of the height that it loses is motion: to a thousandth, since it sinks in by a third of a millimetre, which shortens the arm
// that it rolls on. On a half-space it does the same.
TEST(HeightFields, ASphereRollsDownWithTheEnergyOfItsHeight) {
  const Slope slope;
  Scene scene;
  scene.add(slope.ground(1));
  scene.add(slope.on(ShapeDef::sphere(0.25), 0.25, 5));
  Scene flat = scene;
  flat.bodies[0] = slope.plane(1);
  World world(scene, onCpu(Precision::Double)), expected(flat, onCpu(Precision::Double));
  const double h = world.settings().dt / world.settings().substeps, acceleration = 5.0 / 7 * kGravity * std::sin(slope.angle);
  double offPlane = 0;
  for (int step = 1; step <= 100; ++step) {
    world.step();
    expected.step();
    offPlane = std::max(offPlane, length(world.states()[1].pose.p - expected.states()[1].pose.p));
  }
  const double mass = massProperties(scene.bodies[1]).mass, t = 100 * world.settings().dt, way = 0.5 * acceleration * t * (t + h);
  const double off = std::abs(dot(world.states()[1].pose.p - scene.bodies[1].pose.p, slope.down) - way) / way;
  const double lost = mass * kGravity * (scene.bodies[1].pose.p.y - world.states()[1].pose.p.y);
  record("off the path, of its length", off);
  record("off the half-space's", offPlane);
  record("energy", world.report().kineticEnergy / lost);
  EXPECT_LT(off, 1e-3);
  EXPECT_LT(offPlane, 1e-6);
  EXPECT_NEAR(world.report().kineticEnergy / lost, t / (t + h), 1e-3);  // what the substeps' half takes
}

TEST(HeightFields, ASphereThatRollsOverALevelOneKeepsItsEnergy) {
  Scene scene;
  scene.add(fieldBody(fieldOf(101, 101, {0.15, 0.2}, [](double, double) { return 0.0; })));
  BodyDef ball = bodyAt({-5, 0.25, 0.7}, ShapeDef::sphere(0.25), {4, 0, 0.4});
  ball.angularVelocity = {0.4 / 0.25, 0, -4 / 0.25};
  scene.add(ball);
  Scene flat = scene;
  flat.bodies[0] = ground();
  World world(scene, onCpu(Precision::Double)), expected(flat, onCpu(Precision::Double));
  const double energy = world.report().kineticEnergy;
  world.step(120);
  expected.step(120);
  EXPECT_NEAR(world.report().kineticEnergy / energy, 1, 1e-4);
  EXPECT_NEAR(length(world.states()[1].pose.p - expected.states()[1].pose.p), 0, 1e-6);
}

TEST(HeightFields, AKinematicOneCarriesWhatLiesOnIt) {
  Scene scene;
  BodyDef lift = fieldBody(fieldOf(9, 9, {0.5, 0.5}, [](double, double) { return 0.0; }), {}, BodyType::Kinematic);
  lift.linearVelocity = {0.3, 0.8, 0.1};
  scene.add(lift);
  scene.add(bodyAt({0.1, 0.2, 0.3}, ShapeDef::cylinder(0.3, 0.2), lift.linearVelocity));
  World world(scene, onCpu());
  world.step(60);
  EXPECT_NEAR(length(world.states()[1].pose.p - Vec3d{0.4, 1.0, 0.4}), 0, 5e-3);
}

TEST(HeightFields, ShapesOfTheTerrainSceneStayAboveIt) {
  const Scene scene = loadScene("terrain:count=40,size=7,cells=28,ground=heights");
  ASSERT_EQ(scene.bodies[0].shapes[0].type, ShapeType::HeightField);
  World world(scene, onCpu());
  world.step(200);
  const std::vector<BodyState> states = world.states();
  for (size_t i = 5; i < states.size(); ++i) {
    Ray down;
    down.origin = {states[i].pose.p.x, 50, states[i].pose.p.z};
    down.direction = {0, -1, 0};
    const QueryHits<RayHit> hits = world.castRaysAll({down});
    const auto ground = std::find_if(hits.hits.begin(), hits.hits.end(), [](const RayHit& hit) { return hit.body.index == 0; });
    ASSERT_NE(ground, hits.hits.end()) << i;
    EXPECT_GT(states[i].pose.p.y, 50 - ground->distance) << i;
  }
}

// --- rays ----------------------------------------------------------------------------------------------------------

// Of the cell's two triangles by the three samples of the one that this place is over.
double interpolated(const HeightField& field, double x, double z) {
  const double u = x / field.spacing[0] + 0.5 * (field.columns - 1), v = z / field.spacing[1] + 0.5 * (field.rows - 1);
  const int column = int(std::floor(u)), row = int(std::floor(v));
  const double s = u - column, t = v - row;
  const double a = field.sample(row, column).y, b = field.sample(row + 1, column).y, c = field.sample(row + 1, column + 1).y,
               d = field.sample(row, column + 1).y;
  return t > s ? a + t * (b - a) + s * (c - b) : a + s * (d - a) + t * (c - d);
}

TEST(HeightFields, RaysFromAboveFindTheInterpolatedHeight) {
  const HeightField field = randomField(30, 23, {0.4, 0.3}, 1.5, 8);
  Scene scene;
  scene.add(fieldBody(field));
  const World world(scene, onCpu(Precision::Double));
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Ray> rays(2000);
  for (Ray& ray : rays) {
    ray.origin = {4.39 * uniform(random), 7, 4.34 * uniform(random)};
    ray.direction = {0, -2, 0};
  }
  std::vector<Ray> below = rays, beside = rays;
  for (Ray& ray : below) {
    ray.origin.y = -1;
    ray.direction.y = 1;
  }
  for (Ray& ray : beside) ray.origin.x += 8.81;
  const std::vector<RayHit> hits = world.castRays(rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    const double x = rays[i].origin.x, z = rays[i].origin.z, step = 1e-7;
    ASSERT_EQ(hits[i].body.index, 0) << i;
    EXPECT_NEAR(7 - hits[i].distance, interpolated(field, x, z), 1e-9) << i;
    const double slopeX = (interpolated(field, x + step, z) - interpolated(field, x - step, z)) / (2 * step);
    const double slopeZ = (interpolated(field, x, z + step) - interpolated(field, x, z - step)) / (2 * step);
    EXPECT_NEAR(length(hits[i].normal - normalizedOr(Vec3d{-slopeX, 1, -slopeZ}, {0, 1, 0})), 0, 1e-6) << i;
  }
  for (const RayHit& hit : world.castRays(below)) EXPECT_LT(hit.shape, 0);
  for (const RayHit& hit : world.castRays(beside)) EXPECT_LT(hit.shape, 0);
}

// Between the samples of a + b x + c z + d x z the two triangles of a cell differ from it by d / 4 of the cell's area at most.
TEST(HeightFields, ABilinearSurfaceIsMetToAQuarterOfItsTwistOverACell) {
  const double twist = 0.15;
  const auto surface = [=](double x, double z) { return 0.3 + 0.2 * x - 0.1 * z + twist * x * z; };
  const HeightField field = fieldOf(21, 21, {0.25, 0.2}, surface);
  Scene scene;
  scene.add(fieldBody(field));
  const World world(scene, onCpu(Precision::Double));
  std::vector<Ray> rays;
  for (int i = 0; i < 60; ++i) {
    for (int k = 0; k < 60; ++k) {
      Ray ray;
      ray.origin = {-2.45 + 0.083 * i, 9, -1.95 + 0.066 * k};
      ray.direction = {0, -1, 0};
      rays.push_back(ray);
    }
  }
  double most = 0;
  const std::vector<RayHit> hits = world.castRays(rays);
  for (size_t i = 0; i < rays.size(); ++i) most = std::max(most, std::abs(9 - hits[i].distance - surface(rays[i].origin.x, rays[i].origin.z)));
  EXPECT_LT(most, twist * 0.25 * 0.2 / 4 + 1e-9);
  EXPECT_GT(most, 0.9 * twist * 0.25 * 0.2 / 4);
}

TEST(HeightFields, SlantedRaysMeetAPlaneWhereItsEquationHasIt) {
  const Slope slope;
  Scene scene;
  BodyDef ground = slope.ground(1);
  ground.pose = {{3, -2, 1}, normalized(Quatd{0.2, 0.5, -0.1, 1})};
  scene.add(ground);
  const World world(scene, onCpu(Precision::Double));
  const Vec3d normal = rotate(ground.pose.q, slope.normal);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Ray> rays(500);
  for (Ray& ray : rays) {
    const Vec3d target = transform(ground.pose, Vec3d{5 * uniform(random), 0, 5 * uniform(random)});
    ray.origin = target + 6.0 * normal + Vec3d{2 * uniform(random), uniform(random), 2 * uniform(random)};
    ray.direction = normalizedOr(target - ray.origin, {0, -1, 0});
  }
  const std::vector<RayHit> hits = world.castRays(rays);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_EQ(hits[i].body.index, 0) << i;
    EXPECT_NEAR(hits[i].distance, dot(ground.pose.p - rays[i].origin, normal) / dot(rays[i].direction, normal), 1e-9) << i;
    EXPECT_NEAR(length(hits[i].normal - normal), 0, 1e-9) << i;
  }
}

// --- snapshots, and what is refused --------------------------------------------------------------------------------

TEST(HeightFields, GoOnFromSnapshotsAndAreKnownAgain) {
  World world(shapesOver(fieldBody(hills())), onCpu());
  world.step(50);
  World resumed(world.save(), onCpu());
  for (World* const each : {&world, &resumed}) {
    const size_t before = each->save().bytes.size();
    BodyDef below = fieldBody(hills());
    below.name = "below";
    below.pose.p.y = -9;
    const BodyId added = each->addBody(below);
    const size_t known = each->save().bytes.size() - before;
    EXPECT_LT(known, 2000u);  // a body and a shape, and no geometry
    each->step(50);
    each->removeBody(added);
  }
  EXPECT_EQ(world.stateHash(), resumed.stateHash());
}

TEST(HeightFields, EnvironmentsShareOneAndHaveItsBits) {
  const Scene scene = shapesOver(fieldBody(hills()));
  World one(scene, 1, onCpu()), three(scene, 3, onCpu());
  one.step(40);
  three.step(40);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(three.stateHashOf(k), one.stateHashOf(0)) << k;
}

TEST(HeightFields, AreNotCastAndDoNotBecomeDynamic) {
  Scene scene;
  scene.add(fieldBody(hills()));
  World world(scene, onCpu());
  ShapeCast cast;
  cast.shape = scene.bodies[0].shapes[0];
  cast.direction = {0, -1, 0};
  EXPECT_EQ(messageOf([&] { world.castShapes({cast}); }), "cast 0: the shape must not be a height field");
  EXPECT_EQ(messageOf([&] { world.setType(world.bodies()[0], BodyType::Dynamic); }),
            "type of body 'ground': cannot be dynamic: it has a mesh that is not solid or a height field, which has no inside");
  HeightField holed = hills();
  holed.heights[40] = std::nan("");
  BodyDef more = fieldBody(holed);
  more.name = "more";
  EXPECT_EQ(messageOf([&] { world.addBody(more); }),
            "body 'more': /shapes/0/heights: must be finite and at most 1000000000000000 in size, that of row 1 and column 7 is nan");
}

}  // namespace
}  // namespace cairn
