// Contact forces at the acceleration level, and Painleve's rod at both levels.
#include <cairn/error.hpp>
#include <cairn/reference.hpp>
#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cairn::reference {
namespace {

using Vec = Vec3<double>;
constexpr double kGravity = 9.81;

AccelerationBody ground() { return {}; }

AccelerationBody body(double mass, Vec inertia) {
  AccelerationBody out;
  out.invMass = {1 / mass, 1 / mass, 1 / mass};
  out.inertia = {inertia.x, inertia.y, inertia.z, 0, 0, 0};
  out.invInertia = {1 / inertia.x, 1 / inertia.y, 1 / inertia.z, 0, 0, 0};
  out.force = {0, -mass * kGravity, 0};
  return out;
}

AccelerationContact corner(double x, double z) {
  AccelerationContact c;
  c.bodyA = 0;
  c.bodyB = 1;
  c.rA = {x, 0, z};
  c.rB = {x, -0.5, z};
  return c;
}

TEST(Acceleration, ABoxOnFourRedundantCornersIsCarried) {
  const std::vector<AccelerationBody> bodies{ground(), body(600, {100, 100, 100})};
  const AccelerationResult result = solveAccelerations(bodies, {corner(-0.5, -0.5), corner(0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5)});
  ASSERT_EQ(result.status, LcpStatus::Solved) << toString(result.status);
  double sum = 0, momentX = 0, momentZ = 0;
  const double x[4] = {-0.5, 0.5, -0.5, 0.5}, z[4] = {-0.5, -0.5, 0.5, 0.5};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_GE(result.forces[i], 0);
    EXPECT_NEAR(result.accelerations[i], 0, 1e-9);
    sum += result.forces[i];
    momentX += result.forces[i] * x[i];
    momentZ += result.forces[i] * z[i];
  }
  EXPECT_NEAR(sum, 600 * kGravity, 1e-6);
  EXPECT_NEAR(momentX, 0, 1e-6);
  EXPECT_NEAR(momentZ, 0, 1e-6);
}

TEST(Acceleration, ABoxThatTipsOverAnEdgeLeavesTheOther) {
  std::vector<AccelerationBody> bodies{ground(), body(600, {100, 100, 100})};
  bodies[1].torque = {0, 0, -5000};  // more than the weight's 600 g 0.5 about the edge at x = 0.5
  const AccelerationResult result = solveAccelerations(bodies, {corner(-0.5, 0), corner(0.5, 0)});
  ASSERT_EQ(result.status, LcpStatus::Solved);
  EXPECT_NEAR(result.forces[0], 0, 1e-9);
  EXPECT_GT(result.accelerations[0], 0);
  // Smooth ground: the centre moves up only, by 0.5 alpha: f = m (g + 0.5 alpha), 5000 - 0.5 f = I alpha; the far edge rises with 1 m times alpha.
  EXPECT_NEAR(result.accelerations[0], (5000 - 300 * kGravity) / (100 + 150), 1e-9);
}

TEST(Acceleration, ASpinningWheelPressesByItsCentripetalForce) {
  // A point on top of a body that turns with w: held there, its acceleration along the normal is -w^2 r without a force.
  std::vector<AccelerationBody> bodies{ground(), body(2, {1, 1, 1})};
  bodies[1].force = {0, 0, 0};
  bodies[1].w = {0, 0, 3};
  AccelerationContact c = corner(0, 0);
  DenseMatrix A;
  std::vector<double> b;
  assembleAccelerations(bodies, {c}, A, b);
  EXPECT_NEAR(b[0], 9 * 0.5, 1e-12) << "the lowest point accelerates towards the centre: away from the ground";
  EXPECT_NEAR(A.at(0, 0), 0.5, 1e-12);
}

TEST(Acceleration, TheNormalsRateIsThatOfFiniteDifferences) {
  std::vector<AccelerationBody> bodies{body(1, {1, 1, 1}), body(1, {1, 1, 1})};
  bodies[0].w = {0.3, -0.7, 0.2};
  bodies[1].w = {-0.5, 0.1, 0.9};
  AccelerationContact c;
  c.bodyA = 0;
  c.bodyB = 1;
  c.owner = NormalSource::Edges;
  c.edgeA = {1, 0.2, -0.1};
  c.edgeB = {-0.3, 0.1, 1};
  const auto normalAfter = [&](double t) {
    const Vec a = rotate(quatFromRotationVector(t * bodies[0].w), c.edgeA), b = rotate(quatFromRotationVector(t * bodies[1].w), c.edgeB);
    const Vec n = cross(a, b);
    return (1 / length(n)) * n;
  };
  c.normal = normalAfter(0);
  const double h = 1e-6;
  const Vec difference = (0.5 / h) * (normalAfter(h) - normalAfter(-h));
  EXPECT_LT(length(difference - normalRate(bodies, c)), 1e-8);
  c.owner = NormalSource::FaceOfB;
  EXPECT_LT(length(normalRate(bodies, c) - cross(bodies[1].w, c.normal)), 1e-15);
}

// Two bodies in free, torqueless motion whose cores are at `distance` along y; the gap by its definition at any time.
struct Approach {
  AccelerationBody a = body(1, {1, 1, 1}), b = body(1, {1, 1, 1});
  Vec xA{0.3, -1, 0.2}, xB{-0.4, 1.3, 0.1}, coreA{0, 0, 0}, coreB{0, 0.25, 0};
  Vec edgeA{1, 0, 0.3}, edgeB{0.2, 0, 1};  // across the normal
  NormalSource owner = NormalSource::Points;

  double gap(double t) const {
    const auto at = [&](const AccelerationBody& moving, Vec x, Vec core) {
      return x + t * moving.v + rotate(quatFromRotationVector(t * moving.w), core - x);
    };
    const auto turned = [&](const AccelerationBody& moving, Vec direction) { return rotate(quatFromRotationVector(t * moving.w), direction); };
    const Vec d = at(b, xB, coreB) - at(a, xA, coreA), y{0, 1, 0};
    const Vec across = cross(turned(a, edgeA), turned(b, edgeB));
    const auto fromEdge = [&](Vec edge) { return length(cross(d, edge)) / length(edge); };
    switch (owner) {
      case NormalSource::FaceOfA:
        return dot(turned(a, y), d);
      case NormalSource::FaceOfB:
        return dot(turned(b, y), d);
      case NormalSource::Edges:
        return std::abs(dot(across, d)) / length(across);
      case NormalSource::Points:
        return length(d);
      case NormalSource::EdgeOfA:
        return fromEdge(turned(a, edgeA));
      case NormalSource::EdgeOfB:
        return fromEdge(turned(b, edgeB));
    }
    return 0;
  }
  AccelerationContact contact() const {
    AccelerationContact c;
    c.bodyA = 0;
    c.bodyB = 1;
    c.owner = owner;
    c.edgeA = edgeA;
    c.edgeB = edgeB;
    c.radiusA = 0.1;
    c.radiusB = 0.15;
    c.rA = coreA + Vec{0, c.radiusA, 0} - xA;
    c.rB = coreB - Vec{0, c.radiusB, 0} - xB;
    return c;
  }
};

TEST(Acceleration, TheGapsSecondDerivativeIsThatOfFiniteDifferences) {
  for (const NormalSource owner :
       {NormalSource::FaceOfA, NormalSource::FaceOfB, NormalSource::Edges, NormalSource::Points, NormalSource::EdgeOfA, NormalSource::EdgeOfB}) {
    Approach approach;
    approach.owner = owner;
    approach.a.force = approach.b.force = {0, 0, 0};
    approach.a.v = {0.4, 0.2, -0.3};
    approach.b.v = {-0.5, 0.1, 0.6};
    approach.a.w = {0.3, -0.7, 0.5};
    approach.b.w = {-0.4, 0.2, 0.9};
    DenseMatrix A;
    std::vector<double> b;
    assembleAccelerations({approach.a, approach.b}, {approach.contact()}, A, b);
    const double h = 1e-4, difference = (approach.gap(h) - 2 * approach.gap(0) + approach.gap(-h)) / (h * h);
    EXPECT_NEAR(b[0], difference, 1e-5) << "owner " << static_cast<int>(owner);
  }
}

Scene smoothScene() {
  Scene scene;
  scene.gravity = {0, -kGravity, 0};
  return scene;
}

BodyDef ball(const char* name, BodyType type, Vec3d x, double radius) {
  BodyDef out;
  out.name = name;
  out.type = type;
  out.pose.p = x;
  out.shapes = {ShapeDef::sphere(radius)};
  return out;
}

WorldSettings inDouble() {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.precision = Precision::Double;
  return settings;
}

TEST(AccelerationOfAWorld, ABallThatRunsOverAnotherLeavesItWhenItIsFastEnough) {
  for (const double speed : {1.0, 4.0}) {
    Scene scene = smoothScene();
    scene.add(ball("below", BodyType::Static, {0, 0, 0}, 0.6));
    BodyDef above = ball("above", BodyType::Dynamic, {0, 1, 0}, 0.4);
    above.linearVelocity = {speed, 0, 0};
    above.mass = 2;
    scene.add(above);
    const AccelerationProblem problem = World(scene, inDouble()).accelerationProblem();
    ASSERT_EQ(problem.contacts.size(), 1u);
    EXPECT_EQ(problem.contacts[0].owner, NormalSource::Points);
    AccelerationProblem smooth = problem;
    smooth.contacts[0].friction = 0;
    const AccelerationResult result = solveAccelerations(smooth);
    ASSERT_EQ(result.status, LcpStatus::Solved);
    const double lift = speed * speed / 1.0 - kGravity;  // v^2 / (R + r) - g
    EXPECT_NEAR(result.forces[0], std::max(0.0, -2 * lift), 1e-6);
    EXPECT_NEAR(result.accelerations[0], std::max(0.0, lift), 1e-6);
  }
}

TEST(AccelerationOfAWorld, AStackAtRestCarriesItsWeight) {
  World world(loadScene("tower:height=3"), inDouble());
  world.step(120);
  const AccelerationProblem problem = world.accelerationProblem(0.01);
  EXPECT_EQ(problem.approaching, 0);
  ASSERT_EQ(problem.contacts.size(), 12u);
  const AccelerationResult result = solveAccelerations(problem);
  ASSERT_EQ(result.status, LcpStatus::Solved) << toString(result.status);
  double onGround = 0, weight = 0;
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    EXPECT_TRUE(contact.owner == NormalSource::FaceOfA || contact.owner == NormalSource::FaceOfB);
    const bool fixed =
        problem.bodies[static_cast<size_t>(contact.bodyA)].invMass.y == 0 || problem.bodies[static_cast<size_t>(contact.bodyB)].invMass.y == 0;
    if (fixed) onGround += result.forces[i];
  }
  for (const AccelerationBody& one : problem.bodies) weight -= one.force.y;
  EXPECT_NEAR(onGround, weight, 1e-4 * weight);
}

TEST(AccelerationOfAWorld, EdgesAndCapsulesAreRecognised) {
  Scene scene = smoothScene();
  BodyDef lower;
  lower.name = "lower";
  lower.type = BodyType::Static;
  lower.shapes = {ShapeDef::box({0.5, 0.5, 2})};
  lower.pose.q = quatFromRotationVector(Vec3d{0, 0, M_PI / 4});
  scene.add(lower);
  BodyDef crossing;  // its lower edge runs along x and lies on the other's upper one
  crossing.name = "crossing";
  crossing.shapes = {ShapeDef::box({2, 0.5, 0.5})};
  crossing.pose.q = quatFromRotationVector(Vec3d{M_PI / 4, 0, 0});
  crossing.pose.p = {0.1, 2 * std::sqrt(0.5), 0.1};
  scene.add(crossing);
  const AccelerationProblem boxes = World(scene, inDouble()).accelerationProblem();
  ASSERT_EQ(boxes.contacts.size(), 1u);
  EXPECT_EQ(boxes.contacts[0].owner, NormalSource::Edges);
  const Vec product = cross(boxes.contacts[0].edgeA, boxes.contacts[0].edgeB);
  EXPECT_NEAR(std::abs(dot(product, boxes.contacts[0].normal)), 1, 1e-6);

  scene.bodies[1].shapes = {ShapeDef::capsule(0.25, 1)};
  scene.bodies[1].pose.q = quatFromRotationVector(Vec3d{0, 0, M_PI / 2});  // its axis along x
  scene.bodies[1].pose.p = {0.1, std::sqrt(0.5) + 0.25, 0.1};
  const AccelerationProblem capsule = World(scene, inDouble()).accelerationProblem();
  ASSERT_EQ(capsule.contacts.size(), 1u);
  EXPECT_EQ(capsule.contacts[0].owner, NormalSource::Edges);
  EXPECT_NEAR(capsule.contacts[0].radiusA + capsule.contacts[0].radiusB, 0.25, 1e-9);

  EXPECT_THROW(World(scene, inDouble()).accelerationProblem(-1), InvalidInput);
}

// Painleve's rod: half length 1, mass 1, inclined, its lower end slides on the ground into the rod's lean.
struct Rod {
  double angle = 0.9, friction = 3;  // of the rod over the ground [rad]
  Vec arm() const { return {-std::cos(angle), -std::sin(angle), 0}; }
  std::vector<AccelerationBody> bodies() const {
    AccelerationBody rod = body(1, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    rod.v = {-2, 0, 0};
    return {ground(), rod};
  }
  AccelerationContact contact() const {
    AccelerationContact c;
    c.bodyA = 0;
    c.bodyB = 1;
    c.rB = arm();
    c.friction = friction;
    return c;
  }
};

TEST(Acceleration, PainlevesRodHasNoSolution) {
  const Rod rod;
  DenseMatrix A;
  std::vector<double> b;
  assembleAccelerations(rod.bodies(), {rod.contact()}, A, b);
  ASSERT_LT(A.at(0, 0), 0) << "a push accelerates the tip into the ground";
  ASSERT_LT(b[0], 0);
  EXPECT_EQ(solveAccelerations(rod.bodies(), {rod.contact()}).status, LcpStatus::RayTermination);
  Rod smooth;
  smooth.friction = 0.2;
  const AccelerationResult solved = solveAccelerations(smooth.bodies(), {smooth.contact()});
  ASSERT_EQ(solved.status, LcpStatus::Solved);
  EXPECT_GT(solved.forces[0], 0);
}

TEST(Acceleration, AtTheVelocityLevelPainlevesRodIsSolved) {
  const Rod rod;
  const double h = 0.01;
  const AccelerationBody moving = rod.bodies()[1];
  const Vec directions[3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  ContactProblem problem;
  problem.friction = {rod.friction};
  problem.W.blockRows = 1;
  problem.W.rowStart = {0, 1};
  problem.W.column = {0};
  for (const Vec& d : directions) {
    problem.q.push_back(dot(d, moving.v + h * scale(moving.invMass, moving.force)));
    for (const Vec& e : directions) {
      const Vec turn = moving.invInertia * cross(rod.arm(), e);
      problem.W.values.push_back(dot(d, scale(moving.invMass, e)) + dot(d, cross(turn, rod.arm())));
    }
  }
  const ContactLcpResult result = solveContactLcp(problem);
  ASSERT_EQ(result.status, LcpStatus::Solved) << toString(result.status);
  EXPECT_GT(result.solution.r[0], 0);
  EXPECT_NEAR(result.solution.u[0], 0, 1e-9);
  // An impact without collision: the rod's tip stops.
  EXPECT_NEAR(result.solution.u[1], 0, 1e-9);
}

TEST(Acceleration, BadInputIsRefused) {
  const std::vector<AccelerationBody> bodies{ground(), body(1, {1, 1, 1})};
  AccelerationContact c = corner(0, 0);
  c.bodyB = 2;
  EXPECT_THROW(solveAccelerations(bodies, {c}), InvalidInput);
  c.bodyB = 0;
  EXPECT_THROW(solveAccelerations(bodies, {c}), InvalidInput);
  c = corner(0, 0);
  c.normal = {0, 2, 0};
  EXPECT_THROW(solveAccelerations(bodies, {c}), InvalidInput);
}

}  // namespace
}  // namespace cairn::reference
