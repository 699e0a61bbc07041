// Mass properties against closed forms and against counting random points; what validate refuses, and in which words.
#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

#include "tests/support/expect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using test::messageOf;

BodyDef bodyOf(std::vector<ShapeDef> shapes) {
  BodyDef body;
  body.shapes = std::move(shapes);
  return body;
}

void expectNear(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  EXPECT_NEAR(a.xx, b.xx, tolerance);
  EXPECT_NEAR(a.yy, b.yy, tolerance);
  EXPECT_NEAR(a.zz, b.zz, tolerance);
  EXPECT_NEAR(a.xy, b.xy, tolerance);
  EXPECT_NEAR(a.xz, b.xz, tolerance);
  EXPECT_NEAR(a.yz, b.yz, tolerance);
}

// --- mass properties -------------------------------------------------------------------------------------------

TEST(MassProperties, OfABox) {
  ShapeDef box = ShapeDef::box({0.5, 1, 2});
  box.density = 300;
  const MassProperties m = massProperties(bodyOf({box}));
  EXPECT_DOUBLE_EQ(m.mass, 300 * 1 * 2 * 4);
  // m/12 (b^2 + c^2) with the full edges.
  expectNear(m.inertia, {m.mass / 12 * (4 + 16), m.mass / 12 * (1 + 16), m.mass / 12 * (1 + 4), 0, 0, 0}, 1e-9);
}

TEST(MassProperties, OfASphere) {
  const MassProperties m = massProperties(bodyOf({ShapeDef::sphere(0.3)}));
  EXPECT_DOUBLE_EQ(m.mass, 1000 * 4.0 / 3 * kPi * 0.027);
  const double i = 0.4 * m.mass * 0.09;
  expectNear(m.inertia, {i, i, i, 0, 0, 0}, 1e-12 * i);
}

TEST(MassProperties, OfACapsuleBetweenItsLimits) {
  // Without a cylinder it is a ball; with thin caps a rod.
  const MassProperties ball = massProperties(bodyOf({ShapeDef::capsule(0.3, 1e-9)}));
  const MassProperties sphere = massProperties(bodyOf({ShapeDef::sphere(0.3)}));
  EXPECT_NEAR(ball.mass, sphere.mass, 1e-5);
  expectNear(ball.inertia, sphere.inertia, 1e-6);
  const MassProperties rod = massProperties(bodyOf({ShapeDef::capsule(1e-4, 2)}));
  EXPECT_NEAR(rod.inertia.xx, rod.mass * 16 / 12, 2e-4 * rod.inertia.xx);
  EXPECT_NEAR(rod.inertia.yy, rod.mass * 0.5e-8, 1e-3 * rod.inertia.yy);
}

TEST(MassProperties, HalfSpacesCarryNone) {
  const MassProperties alone = massProperties(bodyOf({ShapeDef::halfSpace()}));
  EXPECT_EQ(alone.mass, 0);
  expectNear(alone.inertia, {0, 0, 0, 0, 0, 0}, 0);
  const MassProperties with = massProperties(bodyOf({ShapeDef::halfSpace(), ShapeDef::sphere(1)}));
  const MassProperties without = massProperties(bodyOf({ShapeDef::sphere(1)}));
  EXPECT_EQ(with.mass, without.mass);
  expectNear(with.inertia, without.inertia, 0);
}

// A box cut in eight, each part at its place and turned by a quarter, is the box.
TEST(MassProperties, OfACompoundAreTheWholes) {
  const Vec3d half{0.4, 0.7, 1.1}, offset{3, -2, 5};
  ShapeDef whole = ShapeDef::box(half);
  whole.localPose.p = offset;
  std::vector<ShapeDef> parts;
  for (int i = 0; i < 8; ++i) {
    // Quarter turns about x swap the part's y and z extents. The quaternion's length does not matter.
    const bool turned = i % 3 == 0;
    ShapeDef part = ShapeDef::box(turned ? Vec3d{0.2, 0.55, 0.35} : Vec3d{0.2, 0.35, 0.55});
    if (turned) part.localPose.q = {7, 0, 0, 7};
    part.localPose.p = offset + Vec3d{i & 1 ? 0.2 : -0.2, i & 2 ? 0.35 : -0.35, i & 4 ? 0.55 : -0.55};
    parts.push_back(part);
  }
  const MassProperties expected = massProperties(bodyOf({whole})), got = massProperties(bodyOf(parts));
  EXPECT_NEAR(got.mass, expected.mass, 1e-9);
  EXPECT_NEAR(length(got.centre - expected.centre), 0, 1e-12);
  EXPECT_NEAR(length(expected.centre - offset), 0, 0);
  expectNear(got.inertia, expected.inertia, 1e-8);
}

TEST(MassProperties, AnExplicitMassScalesTheInertia) {
  BodyDef body = bodyOf({ShapeDef::box({0.5, 1, 2}), ShapeDef::sphere(0.5)});
  body.shapes[1].localPose.p = {2, 0, 1};
  const MassProperties own = massProperties(body);
  body.mass = 7;
  const MassProperties given = massProperties(body);
  EXPECT_EQ(given.mass, 7);
  EXPECT_EQ(length(given.centre - own.centre), 0);
  const double f = 7 / own.mass;
  expectNear(given.inertia, {f * own.inertia.xx, f * own.inertia.yy, f * own.inertia.zz, f * own.inertia.xy, f * own.inertia.xz, f * own.inertia.yz},
             1e-12 * f * own.inertia.xx);
}

TEST(MassProperties, TypeAndLocksMakeNoDifference) {
  BodyDef body = bodyOf({ShapeDef::capsule(0.2, 0.6)});
  const MassProperties free = massProperties(body);
  body.lockRotation = body.lockTranslation = {true, true, true};
  body.type = BodyType::Kinematic;
  const MassProperties locked = massProperties(body);
  EXPECT_EQ(free.mass, locked.mass);
  expectNear(free.inertia, locked.inertia, 0);
}

bool inside(const ShapeDef& shape, Vec3d bodyPoint) {
  const Vec3d p = inverseRotate(normalized(shape.localPose.q), bodyPoint - shape.localPose.p);
  switch (shape.type) {
    case ShapeType::Sphere:
      return length(p) < shape.radius;
    case ShapeType::Capsule:
      return length(p - Vec3d{0, clampTo(p.y, -shape.halfHeight, shape.halfHeight), 0}) < shape.radius;
    case ShapeType::Box:
      return std::abs(p.x) < shape.halfExtents.x && std::abs(p.y) < shape.halfExtents.y && std::abs(p.z) < shape.halfExtents.z;
    default:
      return false;
  }
}

// Random points, one in each cell of a grid around the body: mass, centre and inertia by counting, overlaps once for each shape.
TEST(MassProperties, AgreeWithCountedPoints) {
  const unsigned seed = 4711;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  ShapeDef box = ShapeDef::box({0.3, 0.5, 0.2}), capsule = ShapeDef::capsule(0.25, 0.4), sphere = ShapeDef::sphere(0.35);
  box.localPose = {{0.4, -0.3, 0.1}, {0.1, 0.7, -0.4, 0.5}};
  capsule.localPose = {{-0.5, 0.2, 0.3}, {0.6, -0.2, 0.3, 0.4}};
  sphere.localPose = {{0.3, 0.5, -0.4}, {0, 0, 0, 1}};
  capsule.density = 2500;
  sphere.density = 400;
  const BodyDef body = bodyOf({box, capsule, sphere});
  const double side = 1.3;  // half the cube's edge
  const int cells = 128;
  const double cell = 2 * side / cells, volume = cell * cell * cell;
  double mass = 0;
  Vec3d moment{0, 0, 0};
  Sym3<double> atOrigin{0, 0, 0, 0, 0, 0};
  for (int n = 0; n < cells * cells * cells; ++n) {
    const double x = -side + cell * (n % cells + uniform(engine)), y = -side + cell * (n / cells % cells + uniform(engine)),
                 z = -side + cell * (n / cells / cells + uniform(engine));
    const Vec3d p{x, y, z};
    double dm = 0;
    for (const ShapeDef& shape : body.shapes)
      if (inside(shape, p)) dm += volume * shape.density;
    if (dm == 0) continue;
    mass += dm;
    moment += dm * p;
    atOrigin = atOrigin + Sym3<double>{dm * (y * y + z * z), dm * (x * x + z * z), dm * (x * x + y * y), -dm * x * y, -dm * x * z, -dm * y * z};
  }
  const Vec3d c = (1 / mass) * moment;
  const Sym3<double> counted{atOrigin.xx - mass * (c.y * c.y + c.z * c.z),
                             atOrigin.yy - mass * (c.x * c.x + c.z * c.z),
                             atOrigin.zz - mass * (c.x * c.x + c.y * c.y),
                             atOrigin.xy + mass * c.x * c.y,
                             atOrigin.xz + mass * c.x * c.z,
                             atOrigin.yz + mass * c.y * c.z};
  const MassProperties m = massProperties(body);
  EXPECT_NEAR(mass / m.mass, 1, 1e-3);
  EXPECT_NEAR(length(c - m.centre), 0, 1e-3);
  expectNear(counted, m.inertia, 3e-3 * m.inertia.xx);
}

// --- validation ------------------------------------------------------------------------------------------------

Scene sceneOfTwo() {
  Scene scene;
  scene.name = "two";
  BodyDef ground = bodyOf({ShapeDef::halfSpace()});
  ground.name = "ground";
  ground.type = BodyType::Static;
  scene.add(ground);
  scene.add(bodyOf({ShapeDef::box({0.5, 0.5, 0.5}), ShapeDef::capsule(0.1, 0.2), ShapeDef::sphere(0.1)}));
  return scene;
}

void expectRefused(const std::string& message, const std::function<void(Scene&)>& change) { test::expectRefused(sceneOfTwo(), message, change); }

TEST(ValidateScene, NamesBodyAndField) {
  expectRefused("scene 'two': /gravity: must be three finite numbers, is [0, nan, 0]", [](Scene& s) { s.gravity.y = kNan; });
  expectRefused("scene 'two': /default_steps: must be a whole number > 0, is 0", [](Scene& s) { s.defaultSteps = 0; });
  expectRefused("scene 'two': /bodies/1/position: must be three finite numbers, is [0, inf, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].pose.p.y = kInfinity; });
  expectRefused("scene 'two': /bodies/0/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'ground')",
                [](Scene& s) {
                  s.bodies[0].pose.q = {0, 0, 0, 0};
                });
  expectRefused("scene 'two': /bodies/0/orientation: must be a quaternion of finite length other than 0, is [0, nan, 0, 1] (body 'ground')",
                [](Scene& s) { s.bodies[0].pose.q.y = kNan; });
  expectRefused("scene 'two': /bodies/1/linear_velocity: must be three finite numbers, is [nan, 0, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].linearVelocity.x = kNan; });
  expectRefused("scene 'two': /bodies/1/angular_velocity: must be three finite numbers, is [0, 0, -inf] (body 'body-1')",
                [](Scene& s) { s.bodies[1].angularVelocity.z = -kInfinity; });
  expectRefused("scene 'two': /bodies/1/mass: must be a finite number > 0, is 0 (body 'body-1')", [](Scene& s) { s.bodies[1].mass = 0; });
  expectRefused("scene 'two': /bodies/1/mass: must be a finite number > 0, is -2.5 (body 'body-1')", [](Scene& s) { s.bodies[1].mass = -2.5; });
  expectRefused("scene 'two': /bodies/1/gravity_scale: must be a finite number, is nan (body 'body-1')",
                [](Scene& s) { s.bodies[1].gravityScale = kNan; });
  expectRefused("scene 'two': /bodies/1/shapes: a dynamic body needs one shape at least, or mass and inertia of its own (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes.clear(); });
  expectRefused("scene 'two': /bodies/1/shapes: a dynamic body needs one shape at least, or mass and inertia of its own (body 'body-1')",
                [](Scene& s) {
                  s.bodies[1].shapes.clear();
                  s.bodies[1].mass = 1;
                });
  expectRefused("scene 'two': /bodies/1/inertia: must be positive definite, is [1, 1, 0, 0, 0, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].inertia = {1, 1, 0, 0, 0, 0}; });
  expectRefused("scene 'two': /bodies/1/inertia: must be positive definite, is [1, 1, 1, 1.5, 0, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].inertia = {1, 1, 1, 1.5, 0, 0}; });
  expectRefused(
      "scene 'two': /bodies/1/inertia: must have no principal moment larger than the other two together, is [1, 1, 2.1, 0, 0, 0] (body 'body-1')",
      [](Scene& s) { s.bodies[1].inertia = {1, 1, 2.1, 0, 0, 0}; });
  expectRefused(
      "scene 'two': /bodies/1/inertia: must have no principal moment larger than the other two together, is [2, 2, 1, 1.8, 0, 0] (body 'body-1')",
      [](Scene& s) { s.bodies[1].inertia = {2, 2, 1, 1.8, 0, 0}; });  // 3.8, 0.2 and 1
  expectRefused("scene 'two': /bodies/1/inertia: must be six finite numbers of at most 1e30 in size, is [1, 1, 1, nan, 0, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].inertia = {1, 1, 1, kNan, 0, 0}; });
  expectRefused("scene 'two': /bodies/1/centre_of_mass: must be three finite numbers, is [0, nan, 0] (body 'body-1')", [](Scene& s) {
    s.bodies[1].centreOfMass = {0, kNan, 0};
  });
  expectRefused("scene 'two': /bodies/1/linear_damping: must be a finite number >= 0, is -1 (body 'body-1')",
                [](Scene& s) { s.bodies[1].linearDamping = -1; });
  expectRefused("scene 'two': /bodies/1/angular_damping: must be a finite number >= 0, is inf (body 'body-1')",
                [](Scene& s) { s.bodies[1].angularDamping = kInfinity; });
  expectRefused("scene 'two': /bodies/1/shapes/0/half_extents: must be three finite numbers > 0, is [0.5, 0, 0.5] (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[0].halfExtents.y = 0; });
  expectRefused("scene 'two': /bodies/1/shapes/1/radius: must be a finite number > 0, is -0.1 (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[1].radius = -0.1; });
  expectRefused("scene 'two': /bodies/1/shapes/1/half_height: must be a finite number > 0, is nan (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[1].halfHeight = kNan; });
  expectRefused("scene 'two': /bodies/1/shapes/2/radius: must be a finite number > 0, is inf (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[2].radius = kInfinity; });
  expectRefused("scene 'two': /bodies/1/shapes/2/density: must be a finite number > 0, is 0 (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[2].density = 0; });
  expectRefused("scene 'two': /bodies/1/shapes/2/orientation: must be a quaternion of finite length other than 0, is [0, 0, 0, 0] (body 'body-1')",
                [](Scene& s) { s.bodies[1].shapes[2].localPose.q.w = 0; });
  expectRefused("scene 'two': /bodies/0/shapes/0/material/friction: must be a finite number >= 0, is -0.5 (body 'ground')",
                [](Scene& s) { s.bodies[0].shapes[0].material.friction = -0.5; });
  expectRefused("scene 'two': /bodies/0/shapes/0/material/restitution: must be a number from 0 to 1, is 1.5 (body 'ground')",
                [](Scene& s) { s.bodies[0].shapes[0].material.restitution = 1.5; });
  expectRefused("scene 'two': /bodies/0/shapes/0/type: half_space must be on a static or kinematic body, is on a dynamic one (body 'ground')",
                [](Scene& s) { s.bodies[0].type = BodyType::Dynamic; });
  expectRefused("scene 'two': /bodies/1/type: must be one of static, kinematic, dynamic, is 9 (body 'body-1')",
                [](Scene& s) { s.bodies[1].type = BodyType(9); });
  expectRefused(
      "scene 'two': /bodies/1/shapes/0/type: must be one of sphere, capsule, box, half_space, ellipsoid, hull, cylinder, cone, mesh, height_field, "
      "is -1 "
      "(body 'body-1')",
      [](Scene& s) { s.bodies[1].shapes[0].type = ShapeType(-1); });
  expectRefused("scene 'two': /bodies/1/name: is the name of an earlier body as well; names must be unique (body 'ground')",
                [](Scene& s) { s.bodies[1].name = "ground"; });
  expectRefused("scene 'two': /bodies/0/name: is what body 1, which has no name, goes by; names must be unique (body 'body-1')",
                [](Scene& s) { s.bodies[0].name = "body-1"; });
  expectRefused("scene 'two': /bodies/0/name: must not contain control characters", [](Scene& s) { s.bodies[0].name = "a\nb"; });
  expectRefused("scene: /name: must not contain control characters", [](Scene& s) { s.name = "a\nb"; });
  expectRefused("scene 'two': /bodies/0/name: must be UTF-8", [](Scene& s) { s.bodies[0].name = "\xc3("; });
  expectRefused("scene 'two': /bodies/1/position: must be at most 1000000000000000 in size, is -1e+16 (body 'body-1')",
                [](Scene& s) { s.bodies[1].pose.p.y = -1e16; });
  expectRefused("scene 'two': /bodies/1/linear_velocity: must be at most 1000000000000000 in size, is 2000000000000000 (body 'body-1')",
                [](Scene& s) { s.bodies[1].linearVelocity.x = 2e15; });
  expectRefused("scene 'two': /bodies/1/mass: must be at most 1000000000000000 in size, is 1e+300 (body 'body-1')",
                [](Scene& s) { s.bodies[1].mass = 1e300; });
}

TEST(ValidateScene, RefusesMassesBeyondADouble) {
  Scene scene = sceneOfTwo();
  scene.bodies[1].shapes[0].halfExtents = {1e-150, 1e-150, 1e-150};
  scene.bodies[1].shapes.resize(1);
  EXPECT_THROW(validate(scene), InvalidInput);
  scene.bodies[1].shapes[0].halfExtents = {1e150, 1e150, 1e150};
  EXPECT_THROW(validate(scene), InvalidInput);
}

TEST(ValidateScene, AcceptsWhatIsUnusualButLegal) {
  Scene scene = sceneOfTwo();
  scene.bodies[0].name = "body-0";     // what it would be called anyway
  scene.bodies[1].pose.p = {0, 0, 0};  // inside the ground
  scene.bodies[1].gravityScale = -1;
  scene.bodies[1].shapes[0].filter = {0, 0, -3};
  scene.bodies[1].shapes[0].material = {0, 1};
  scene.bodies[1].shapes[2].halfExtents.x = kNan;  // a sphere has none
  scene.bodies[1].pose.q = {0, 0, 0, -3};
  BodyDef marker;  // nothing can touch it
  marker.type = BodyType::Kinematic;
  scene.add(marker);
  EXPECT_EQ(messageOf([&] { validate(scene); }), "accepted");
}

TEST(ValidateScene, PutsThePlaceFirst) {
  Scene scene = sceneOfTwo();
  scene.bodies[1].mass = -1;
  EXPECT_EQ(messageOf([&] { validate(scene, "two.json"); }), "two.json: /bodies/1/mass: must be a finite number > 0, is -1 (body 'body-1')");
  EXPECT_EQ(messageOf([&] { validate(scene.bodies[1], "new body"); }), "new body: /mass: must be a finite number > 0, is -1");
}

// --- settings --------------------------------------------------------------------------------------------------

TEST(ValidateSettings, NamesSettingValueAndRange) {
  validate(WorldSettings());
  const auto message = [](const std::function<void(WorldSettings&)>& change) {
    WorldSettings settings;
    change(settings);
    return messageOf([&] { validate(settings); });
  };
  EXPECT_EQ(message([](WorldSettings& s) { s.dt = 0; }), "settings.dt: must be a finite number > 0, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.dt = kNan; }), "settings.dt: must be a finite number > 0, is nan");
  EXPECT_EQ(message([](WorldSettings& s) { s.threads = -1; }), "settings.threads: must be a whole number from 0 to 1024, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.threads = 1025; }), "settings.threads: must be a whole number from 0 to 1024, is 1025");
  EXPECT_EQ(message([](WorldSettings& s) { s.substeps = 0; }), "settings.substeps: must be a whole number >= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.iterations = 0; }), "settings.iterations: must be a whole number >= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.relaxations = -1; }), "settings.relaxations: must be a whole number >= 0, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.tolerance = -1e-3; }), "settings.tolerance: must be a finite number >= 0, is -0.001");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxIterations = 0; }), "settings.maxIterations: must be a whole number >= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.errorReduction = 1.5; }), "settings.errorReduction: must be a number from 0 to 1, is 1.5");
  EXPECT_EQ(message([](WorldSettings& s) { s.normalPasses = 0; }), "settings.normalPasses: must be a whole number >= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.overRelaxation = 2; }), "settings.overRelaxation: must be a number > 0 and < 2, is 2");
  EXPECT_EQ(message([](WorldSettings& s) { s.forceMixing = 1; }), "settings.forceMixing: must be a number >= 0 and < 1, is 1");
  EXPECT_EQ(message([](WorldSettings& s) { s.slop = -1; }), "settings.slop: must be a finite number >= 0, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxCorrectionSpeed = 0; }), "settings.maxCorrectionSpeed: must be a finite number > 0, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.softFrequency = kInfinity; }), "settings.softFrequency: must be a finite number > 0, is inf");
  EXPECT_EQ(message([](WorldSettings& s) { s.softDamping = -1; }), "settings.softDamping: must be a finite number >= 0, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.envelope = 0; }), "settings.envelope: must be a finite number > 0, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.restitutionThreshold = kNan; }), "settings.restitutionThreshold: must be a finite number >= 0, is nan");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxLinearSpeed = 0; }), "settings.maxLinearSpeed: must be a number > 0 or infinity, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxAngularSpeed = kNan; }), "settings.maxAngularSpeed: must be a number > 0 or infinity, is nan");
  EXPECT_EQ(message([](WorldSettings& s) { s.gamma = 0; }), "settings.gamma: must be a number > 0 and <= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.slipTolerance = -1; }), "settings.slipTolerance: must be a finite number >= 0, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.slipReduction = 2; }), "settings.slipReduction: must be a number from 0 to 1, is 2");
  EXPECT_EQ(message([](WorldSettings& s) { s.positionCorrections = -1; }), "settings.positionCorrections: must be a whole number >= 0, is -1");
  EXPECT_EQ(message([](WorldSettings& s) { s.positionSweeps = 0; }), "settings.positionSweeps: must be a whole number >= 1, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxPositionCorrection = 0; }), "settings.maxPositionCorrection: must be a finite number > 0, is 0");
  EXPECT_EQ(message([](WorldSettings& s) { s.solver = Solver::Nncg; }),
            "settings.iterations: must be at least 2 with the solver nncg: one sweep has no conjugate direction");
  EXPECT_EQ(message([](WorldSettings& s) {
              s.normalStabilization = NormalStabilization::Soft;
              s.positionCorrections = 1;
            }),
            "settings.positionCorrections: must be 0 with soft contacts: their springs carry by the depth that it removes");
  EXPECT_EQ(message([](WorldSettings& s) { s.maxColours = 65; }), "settings.maxColours: must be a whole number from 0 to 64, is 65");
  EXPECT_EQ(message([](WorldSettings& s) { s.solver = Solver(7); }), "settings.solver: must be one of pgs, jacobi, nncg, lemke, is 7");
}

TEST(SettingsNames, GoBothWays) {
  EXPECT_STREQ(nameOf(Backend::Cuda), "cuda");
  EXPECT_STREQ(nameOf(Backend(17)), "?");
  EXPECT_EQ(enumFromName<Precision>("double", "--precision"), Precision::Double);
  EXPECT_EQ(messageOf([] { enumFromName<NormalStabilization>("hard", "--normal-stabilization"); }),
            "--normal-stabilization: must be one of " + nameList<NormalStabilization>() + ", is 'hard'");
  for (const NamedValue<Solver>& entry : namedValues<Solver>()) EXPECT_EQ(enumFromName<Solver>(entry.name, ""), entry.value);
}

}  // namespace
}  // namespace cairn
