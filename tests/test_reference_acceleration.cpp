// Contact forces at the acceleration level, and Painleve's rod at both levels.
#include <cairn/error.hpp>
#include <cairn/reference.hpp>

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
  c.owner = NormalOwner::Edges;
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
  c.owner = NormalOwner::FaceOfB;
  EXPECT_LT(length(normalRate(bodies, c) - cross(bodies[1].w, c.normal)), 1e-15);
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
