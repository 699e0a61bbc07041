// Scene files there and back: what is written is read again to the last bit, bodies and joints.
#include "tests/support/expect.hpp"
#include "tests/support/flat_meshes.hpp"
#include "tests/support/fuzz.hpp"
#include "tests/support/height_fields.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/scene.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace cairn {
namespace {

using namespace test;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expectSame(const ShapeDef& a, const ShapeDef& b) {
  ASSERT_EQ(a.type, b.type);
  ASSERT_TRUE(sameBits(a.localPose, b.localPose));
  if (a.type == ShapeType::Box) {
    ASSERT_TRUE(sameBits(a.halfExtents, b.halfExtents));
  }
  if (a.type == ShapeType::Hull) {
    ASSERT_EQ(a.maxVertices, b.maxVertices);
    ASSERT_EQ(a.points.size(), b.points.size());
    for (size_t i = 0; i < a.points.size(); ++i) ASSERT_TRUE(sameBits(a.points[i], b.points[i]));
  }
  if (a.type == ShapeType::Mesh) {
    ASSERT_EQ(a.twoSided, b.twoSided);
    ASSERT_EQ(a.triangles->triangles, b.triangles->triangles);
    ASSERT_EQ(a.triangles->vertices.size(), b.triangles->vertices.size());
    for (size_t i = 0; i < a.triangles->vertices.size(); ++i) ASSERT_TRUE(sameBits(a.triangles->vertices[i], b.triangles->vertices[i]));
  }
  if (a.type == ShapeType::HeightField) {
    ASSERT_EQ(a.heights->rows, b.heights->rows);
    ASSERT_EQ(a.heights->columns, b.heights->columns);
    ASSERT_TRUE(sameBits(a.heights->spacing, b.heights->spacing));
    ASSERT_EQ(a.heights->heights.size(), b.heights->heights.size());
    for (size_t i = 0; i < a.heights->heights.size(); ++i) ASSERT_TRUE(sameBits(a.heights->heights[i], b.heights->heights[i])) << i;
  }
  if (a.type == ShapeType::Sphere || a.type == ShapeType::Capsule) {
    ASSERT_TRUE(sameBits(a.radius, b.radius));
  }
  if (a.type == ShapeType::Capsule) {
    ASSERT_TRUE(sameBits(a.halfHeight, b.halfHeight));
  }
  if (a.type != ShapeType::HalfSpace) {
    ASSERT_TRUE(sameBits(a.density, b.density));
  }
  ASSERT_TRUE(sameBits(a.material.friction, b.material.friction) && sameBits(a.material.restitution, b.material.restitution));
  ASSERT_EQ(a.filter.category, b.filter.category);
  ASSERT_EQ(a.filter.mask, b.filter.mask);
  ASSERT_EQ(a.filter.group, b.filter.group);
}

void expectSame(const BodyDef& a, const BodyDef& b) {
  ASSERT_EQ(a.name, b.name);
  ASSERT_EQ(a.type, b.type);
  ASSERT_TRUE(sameBits(a.pose, b.pose));
  ASSERT_TRUE(sameBits(a.linearVelocity, b.linearVelocity) && sameBits(a.angularVelocity, b.angularVelocity));
  ASSERT_EQ(a.mass.has_value(), b.mass.has_value());
  ASSERT_TRUE(!a.mass || sameBits(*a.mass, *b.mass));
  ASSERT_EQ(a.inertia.has_value(), b.inertia.has_value());
  if (a.inertia) {
    ASSERT_TRUE(sameBits(Vec3d{a.inertia->xx, a.inertia->yy, a.inertia->zz}, Vec3d{b.inertia->xx, b.inertia->yy, b.inertia->zz}));
    ASSERT_TRUE(sameBits(Vec3d{a.inertia->xy, a.inertia->xz, a.inertia->yz}, Vec3d{b.inertia->xy, b.inertia->xz, b.inertia->yz}));
  }
  ASSERT_EQ(a.centreOfMass.has_value(), b.centreOfMass.has_value());
  ASSERT_TRUE(!a.centreOfMass || sameBits(*a.centreOfMass, *b.centreOfMass));
  ASSERT_TRUE(sameBits(a.linearDamping, b.linearDamping) && sameBits(a.angularDamping, b.angularDamping));
  ASSERT_TRUE(sameBits(a.gravityScale, b.gravityScale));
  ASSERT_EQ(a.lockTranslation, b.lockTranslation);
  ASSERT_EQ(a.lockRotation, b.lockRotation);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (size_t j = 0; j < a.shapes.size(); ++j) expectSame(a.shapes[j], b.shapes[j]);
}

void expectSame(const JointDef& a, const JointDef& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.type, b.type);
  EXPECT_EQ(a.bodyA, b.bodyA);
  EXPECT_EQ(a.bodyB, b.bodyB);
  EXPECT_TRUE(sameBits(a.frameA, b.frameA));
  EXPECT_TRUE(sameBits(a.frameB, b.frameB));
  for (size_t k = 0; k < 6; ++k) {
    SCOPED_TRACE("axis " + std::to_string(k));
    const JointAxis &p = a.axes[k], &q = b.axes[k];
    EXPECT_EQ(p.free, q.free);
    ASSERT_EQ(p.limits.has_value(), q.limits.has_value());
    EXPECT_TRUE(!p.limits || (sameBits((*p.limits)[0], (*q.limits)[0]) && sameBits((*p.limits)[1], (*q.limits)[1])));
    EXPECT_EQ(p.motor, q.motor);
    EXPECT_TRUE(sameBits(p.target, q.target) && sameBits(p.maxForce, q.maxForce));
    EXPECT_TRUE(sameBits(p.stiffness, q.stiffness) && sameBits(p.damping, q.damping) && sameBits(p.rest, q.rest));
    EXPECT_TRUE(sameBits(p.friction, q.friction));
  }
  if (a.type == JointType::Prismatic) {
    EXPECT_EQ(a.slides, b.slides);
  }
  if (a.type == JointType::Distance) {
    EXPECT_TRUE(sameBits(a.minDistance, b.minDistance) && sameBits(a.maxDistance, b.maxDistance));
  }
  if (a.type == JointType::Gear) {
    EXPECT_TRUE(sameBits(a.ratio, b.ratio));
  }
  EXPECT_TRUE(sameBits(a.breakImpulse, b.breakImpulse));
  EXPECT_EQ(a.collide, b.collide);
}

void expectSame(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(sameBits(a.gravity, b.gravity));
  EXPECT_EQ(a.defaultSteps, b.defaultSteps);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (size_t i = 0; i < a.bodies.size(); ++i) {
    SCOPED_TRACE("body " + std::to_string(i));
    expectSame(a.bodies[i], b.bodies[i]);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (size_t i = 0; i < a.joints.size(); ++i) {
    SCOPED_TRACE("joint " + std::to_string(i));
    expectSame(a.joints[i], b.joints[i]);
  }
}

TEST(SceneJson, EveryGeneratorComesBackTheSame) {
  for (const SceneGenerator& generator : sceneGenerators()) {
    SCOPED_TRACE(generator.name);
    const Scene scene = loadScene(generator.name);
    expectSame(scene, parseScene(writeScene(scene), "s.json"));
  }
}

// Doubles of all sizes, signed zeros, every field.
TEST(SceneJson, AnythingComesBackTheSame) {
  const unsigned seed = 20240607;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto any = [&] { return anyDouble(engine); };
  // Sizes and densities whose masses stay within a double.
  const auto positive = [&] { return std::ldexp(1 + double(engine() % 1000003) / 1000003, int(engine() % 40) - 20); };
  const auto pose = [&] {
    Posed p;
    p.p = anyVector(engine);
    p.q = anyQuaternion(engine);
    return p;
  };
  Scene scene;
  scene.name = "a \"quoted\" name with \\ and \u00e4\u00f6\u00fc";
  scene.gravity = anyVector(engine);
  scene.defaultSteps = 1 + int(engine() % 1000);
  for (int i = 0; i < 300; ++i) {
    BodyDef b;
    if (engine() % 2) b.name = "n/~" + std::to_string(i);
    b.type = BodyType(engine() % 3);
    b.pose = pose();
    if (b.type != BodyType::Static) {
      b.linearVelocity = anyVector(engine);
      b.angularVelocity = anyVector(engine);
    }
    if (engine() % 3 == 0) b.mass = positive();
    if (engine() % 3 == 0) {
      const double long_ = positive();
      b.inertia = {long_, 0.5 * long_, 0.75 * long_, engine() % 2 ? 0.125 * long_ : -0.0, 0, engine() % 2 ? -0.01 * long_ : 0};
    }
    if (engine() % 3 == 0) b.centreOfMass = anyVector(engine);
    if (engine() % 3 == 0) b.linearDamping = positive();
    if (engine() % 3 == 0) b.angularDamping = positive();
    b.gravityScale = any();
    for (int k = 0; k < 3; ++k) {
      b.lockTranslation[size_t(k)] = engine() % 2;
      b.lockRotation[size_t(k)] = engine() % 2;
    }
    const int shapes = int(engine() % 4) + (b.type == BodyType::Dynamic ? 1 : 0);
    for (int j = 0; j < shapes; ++j) {
      ShapeDef s;
      s.type = ShapeType(engine() % (b.type == BodyType::Dynamic ? 3 : 4));
      s.localPose = pose();
      s.localPose.p = {positive(), -positive(), 0};
      s.halfExtents = {positive(), positive(), positive()};
      s.radius = positive();
      s.halfHeight = positive();
      if (engine() % 2) s.density = positive();
      if (engine() % 2) s.material = {positive(), double(engine() % 11) / 10};
      if (engine() % 2) s.filter = {uint32_t(engine()), uint32_t(engine()), int32_t(engine())};
      b.shapes.push_back(s);
    }
    scene.add(std::move(b));
  }
  const std::string text = writeScene(scene);
  const Scene back = parseScene(text, "s.json");
  expectSame(scene, back);
  EXPECT_EQ(writeScene(back), text);
}

// Doubles of all sizes, signed zeros, infinities, every field.
TEST(SceneJsonJoints, AnythingComesBackTheSame) {
  const unsigned seed = 20261121;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto any = [&] { return anyDouble(engine); };
  const auto notNegative = [&] {
    const double value = any();
    return value < 0 ? -value : value;
  };
  const auto pose = [&] {
    const Posed unit{{0, 0, 0}, {0, 0, 0, 1}};
    if (engine() % 4 == 0) return unit;
    Posed p;
    p.p = anyVector(engine);
    p.q = anyQuaternion(engine);
    return p;
  };
  Scene scene;
  for (int i = 0; i < 5; ++i) {
    BodyDef body;
    body.shapes = {ShapeDef::sphere(1)};
    scene.add(body);
  }
  for (int i = 0; i < 500; ++i) {
    JointDef j;
    if (engine() % 2) j.name = "j/~\"" + std::to_string(i);
    j.type = JointType(engine() % 10);
    j.bodyA = int(engine() % 5);
    j.bodyB = (j.bodyA + 1 + int(engine() % 4)) % 5;
    j.frameA = pose();
    j.frameB = pose();
    j.slides = 1 + int(engine() % 3);
    j.minDistance = notNegative();
    j.maxDistance = engine() % 3 ? j.minDistance + notNegative() : kInfinity;
    j.ratio = engine() % 3 ? any() : 1;
    if (j.ratio == 0) j.ratio = -1;
    if (j.type == JointType::SixDof)
      for (JointAxis& axis : j.axes) axis.free = engine() % 2;
    const std::array<bool, 6> free = freeAxes(j);
    for (size_t k = 0; k < 6; ++k) {
      if (!free[k] || engine() % 4 == 0) continue;
      JointAxis& axis = j.axes[k];
      if (engine() % 2) {
        const double low = k < 3 ? any() : (engine() % 2 ? -0.0 : -0.125);
        axis.limits = {low, engine() % 2 ? low : low + (k < 3 ? notNegative() : 1)};
      }
      axis.motor = JointMotor(engine() % 3);
      axis.target = any();
      axis.maxForce = engine() % 3 ? notNegative() : kInfinity;
      if (axis.motor != JointMotor::Off && !(axis.maxForce > 0)) axis.maxForce = 3;
      if (engine() % 2) {
        axis.stiffness = notNegative();
        axis.damping = notNegative();
        axis.rest = any();
      }
      axis.friction = notNegative();
    }
    if (engine() % 2) j.breakImpulse = 1 + notNegative();
    j.collide = engine() % 2;
    scene.joints.push_back(j);
  }
  const std::string text = writeScene(scene);
  const Scene back = parseScene(text, "s.json");
  expectSame(scene, back);
  EXPECT_EQ(writeScene(back), text);
}

TEST(SceneJson, HullsKeepTheirPoints) {
  Scene scene;
  for (const int most : {0, 6, 64}) {
    ShapeDef shape = ShapeDef::hull(gem(static_cast<unsigned>(most), 20, {0.1, 1.0 / 3, 7}), most);
    shape.sensor = most == 64;
    scene.add(bodyAt({0, 1, 0}, ShapeDef::sphere(1)));
    scene.bodies.back().shapes.push_back(shape);
  }
  const std::string text = writeScene(scene);
  const Scene again = parseScene(text, "again");
  for (size_t i = 0; i < scene.bodies.size(); ++i) expectSame(scene.bodies[i], again.bodies[i]);
  EXPECT_EQ(writeScene(again), text);
}

TEST(SceneJson, MeshesKeepTheirTrianglesAndWhatIsNamedTwiceIsOne) {
  Scene scene;
  for (const bool twoSided : {false, true}) scene.add(meshBody(flatPatch(1.0 / 3, 4), {}, twoSided));
  scene.bodies[1].name = "other";
  const std::string text = writeScene(scene);
  const Scene again = parseScene(text, "again");
  for (size_t i = 0; i < scene.bodies.size(); ++i) expectSame(scene.bodies[i], again.bodies[i]);
  EXPECT_EQ(writeScene(again), text);
  const std::string torus = R"({"type": "mesh", "generator": "torus:around=8,tube=6", "scale": 0.5})",
                    other = R"({"type": "mesh", "generator": "torus"})";
  const Scene named = parseScene(R"({"bodies": [{"type": "static", "shapes": [)" + torus + ", " + torus + ", " + other + "]}]}", "s.json");
  const std::vector<ShapeDef>& shapes = named.bodies[0].shapes;
  EXPECT_EQ(shapes[0].triangles->triangles.size(), 96u);
  EXPECT_EQ(shapes[0].triangles, shapes[1].triangles);
  EXPECT_NE(shapes[0].triangles, shapes[2].triangles);
  EXPECT_EQ(shapes[0].triangles->vertices[0].x, 0.5 * loadMesh("torus:around=8,tube=6").vertices[0].x);
}

TEST(SceneJson, HeightFieldsKeepTheirSamples) {
  Scene scene;
  scene.add(fieldBody(randomField(7, 4, {1.0 / 3, 0.7}, 2, 3)));
  HeightField zeros = randomField(2, 2, {1e-3, 1e5}, 0, 3);
  zeros.heights[1] = -0.0;
  scene.add(fieldBody(zeros, {}, BodyType::Kinematic));
  scene.bodies[1].name = "lift";
  scene.bodies[1].shapes[0].localPose.p = {1, 2, 3};
  const std::string text = writeScene(scene);
  const Scene again = parseScene(text, "again");
  for (size_t i = 0; i < scene.bodies.size(); ++i) expectSame(scene.bodies[i], again.bodies[i]);
  EXPECT_EQ(writeScene(again), text);
}

}  // namespace
}  // namespace cairn
