// Inertia and centre of mass of a body's own: those that its shapes have, given as numbers, change no bit; others are those of Euler's equations.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn {
namespace {

class OwnMass : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  }
  WorldSettings settings(Precision precision = Precision::Float) const {
    WorldSettings settings = test::onCpu(precision);
    settings.backend = GetParam();
    return settings;
  }
};

// Nothing but mass, inertia and where the centre is.
BodyDef pointless(Vec3d position, double mass, const Sym3<double>& inertia) {
  BodyDef body;
  body.pose.p = position;
  body.mass = mass;
  body.inertia = inertia;
  return body;
}

TEST_P(OwnMass, ThoseOfTheShapesAsNumbersChangeNoBit) {
  Scene scene = loadScene("skeletons:count=1");
  const uint64_t hash = test::hashAfter(scene, settings(), 60);
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    const MassProperties mass = massProperties(body);
    body.mass = mass.mass;
    body.inertia = mass.inertia;
    body.centreOfMass = mass.centre;
    for (ShapeDef& shape : body.shapes) shape.density = 1;
  }
  EXPECT_EQ(test::hashAfter(scene, settings(), 60), hash);
}

// A torque turns it by the inverse of its inertia, products included, and a force moves the centre of mass and nothing else.
TEST_P(OwnMass, ForcesActByTheOwnInertia) {
  const Sym3<double> inertia{2, 3, 4, 0.5, -0.25, 0.75};
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = pointless({1, 2, 3}, 5, inertia);
  body.centreOfMass = {0.5, -0.25, 0};
  scene.add(body);
  World world(scene, settings(Precision::Double));
  const BodyId id = world.bodies()[0];
  const Vec3d torque{0.3, -0.2, 0.1}, force{1, 2, -3};
  world.applyForce(id, force, torque);
  world.setTimeStep(1e-4);
  world.step();
  const Vec3d spin = (1 / 1e-4) * world.state(id).angularVelocity;
  EXPECT_NEAR(length(inertia * spin - torque), 0, 1e-6);
  EXPECT_NEAR(length((5 / 1e-4) * world.state(id).linearVelocity - force), 0, 1e-9);
  EXPECT_EQ(world.report().shapes, 0);
}

// A free top keeps energy and angular momentum, whose parts along its own axes change as Euler's equations say: dw/dt = I^-1 (I w x w).
TEST_P(OwnMass, AFreeTopKeepsEnergyAndMomentum) {
  const Sym3<double> inertia{1, 2, 2.5, 0, 0, 0};
  Scene scene;
  scene.gravity = {0, 0, 0};
  BodyDef body = pointless({0, 0, 0}, 1, inertia);
  body.angularVelocity = {3, 0.5, 1};
  scene.add(body);
  WorldSettings small = settings(Precision::Double);
  small.dt = 1e-3;
  World world(scene, small);
  Vec3d w{3, 0.5, 1};
  const double energy = 0.5 * dot(w, inertia * w);
  const auto slope = [&](Vec3d at) { return inverse(inertia) * cross(inertia * at, at); };
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) {  // Runge and Kutta's, of fourth order
    const double h = small.dt;
    const Vec3d a = slope(w), b = slope(w + 0.5 * h * a), c = slope(w + 0.5 * h * b), d = slope(w + h * c);
    w += (h / 6) * (a + 2.0 * b + 2.0 * c + d);
  }
  world.step(kSteps);
  const BodyState state = world.states()[0];
  EXPECT_NEAR(world.report().kineticEnergy, energy, 1e-6 * energy);
  EXPECT_NEAR(length(world.report().angularMomentum), length(inertia * Vec3d{3, 0.5, 1}), 1e-6);
  EXPECT_NEAR(length(inverseRotate(state.pose.q, state.angularVelocity) - w), 0, 2e-3 * length(w));
}

// A wheel of even thickness whose weight lies beside its axle swings as a pendulum of its own inertia: T = 2 pi sqrt((I + m d^2) / (m g d)).
TEST_P(OwnMass, AnOffCentreBodySwingsAsAPendulum) {
  Scene scene;
  BodyDef post = test::bodyAt({0, 0, 0}, ShapeDef::box({0.1, 0.1, 0.1}));
  post.type = BodyType::Static;
  const int a = scene.add(post);
  BodyDef wheel = pointless({0, 0, 0}, 3, {0.4, 0.5, 0.7, 0, 0, 0});
  const double d = 0.6, amplitude = 0.05;
  wheel.centreOfMass = {d * std::sin(amplitude), -d * std::cos(amplitude), 0};
  const int b = scene.add(wheel);
  scene.joints.push_back(scene.joint(JointType::Hinge, a, b, {{0, 0, 0}, {0, -std::sqrt(0.5), 0, std::sqrt(0.5)}}));  // about z
  WorldSettings fine = settings(Precision::Double);
  fine.dt = 1e-3;
  World world(scene, fine);
  const double period = 2 * M_PI * std::sqrt((0.7 + 3 * d * d) / (3 * test::kGravity * d));
  const auto angle = [&] { return rotationVector(world.states()[1].pose.q).z; };  // -amplitude hangs straight down
  double crossed = 0, before = angle();
  for (int k = 1; k < 1000 && crossed == 0; ++k) {
    world.step();
    const double now = angle();
    if (before > -amplitude && now <= -amplitude) crossed = (k - 1 + (before + amplitude) / (before - now)) * fine.dt;
    before = now;
  }
  EXPECT_NEAR(crossed, period / 4, 0.002 * period);
}

// Bodies without shapes come and go, are cast at and saved, among others.
TEST_P(OwnMass, BodiesWithoutShapes) {
  Scene scene = loadScene("pyramid:base=3");
  World world(scene, settings()), same(scene, settings());
  const BodyId none = world.addBody(pointless({0, 50, 0}, 2, {1, 1, 1, 0, 0, 0}));
  world.step(20);
  same.step(20);
  EXPECT_NEAR(world.state(none).linearVelocity.y, -test::kGravity * 20.0 / 60, 1e-4);
  EXPECT_TRUE(world.contactsOf(none).empty());
  EXPECT_EQ(World(world.save(), settings()).stateHash(), world.stateHash());
  world.removeBody(none);
  EXPECT_EQ(world.stateHash(), same.stateHash());
  Scene alone;
  alone.add(pointless({0, 0, 0}, 2, {1, 1, 1, 0, 0, 0}));
  World one(alone, settings());
  one.step(10);
  EXPECT_LT(one.states()[0].pose.p.y, 0);
  EXPECT_LT(one.castRays({{{0, 5, 0}, {0, -1, 0}}})[0].body.index, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, OwnMass, testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const testing::TestParamInfo<Backend>& tested) { return tested.param == Backend::Cpu ? "Cpu" : "Cuda"; });

}  // namespace
}  // namespace cairn
