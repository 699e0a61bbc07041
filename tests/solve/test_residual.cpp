// The report's residual against the formulas at the top of kernels/solve/residual.cu, evaluated in double from what the public interface shows:
// contacts with their impulses, and the bodies before and after a step of one substep.
#include "kernels/runtime/runtime.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cairn {
namespace {

constexpr double kFriction = 0.3;

// A pile that has just been dropped, on a plate that moves: open, sliding and sticking points, several bodies a contact chain.
Scene droppedPile() {
  Scene scene;
  const auto add = [&](const char* name, BodyType type, const ShapeDef& shape, Posed pose, Vec3d velocity, Vec3d spin) {
    BodyDef body;
    body.name = name;
    body.type = type;
    body.shapes = {shape};
    body.shapes.front().material.friction = kFriction;
    body.shapes.front().material.restitution = 0;
    body.pose = pose;
    body.linearVelocity = velocity;
    body.angularVelocity = spin;
    scene.add(body);
  };
  const Quatd straight{0, 0, 0, 1}, turned = quatFromRotationVector(Vec3d{0, 0.4, 0});
  add("plate", BodyType::Kinematic, ShapeDef::box({2, 0.1, 2}), {{0, -0.1, 0}, straight}, {0.2, 0.1, 0}, {0, 0.3, 0});
  add("box", BodyType::Dynamic, ShapeDef::box({0.5, 0.25, 0.4}), {{0, 0.249, 0}, turned}, {1, -0.2, 0.1}, {0.2, 0, 0.1});
  add("ball", BodyType::Dynamic, ShapeDef::sphere(0.3), {{0.1, 0.799, 0.1}, straight}, {0, -1, 0.5}, {1, 2, 0});
  add("second-ball", BodyType::Dynamic, ShapeDef::sphere(0.2), {{-1.2, 0.205, 0.3}, straight}, {0.4, -0.1, 0}, {0, 0, 3});
  add("third-ball", BodyType::Dynamic, ShapeDef::sphere(0.2), {{-0.82, 0.19, 0.3}, straight}, {-0.7, -0.3, 0.2}, {0, 0, 0});
  return scene;
}

struct Expected {
  double max = 0, rms = 0, penetrationMax = 0, penetrationMean = 0;
  double second = 0;  // the largest but one: the worst contact is one contact
  int worst = -1, active = 0;
};

// r - P(r - rho (u + mu |u_t| n)) with the projection P on the cone |r_t| <= mu r_n.
Vec3d naturalMapOf(Vec3d r, Vec3d u, double mu, double rho) {
  const Vec3d x = r - rho * Vec3d{u.x + mu * std::hypot(u.y, u.z), u.y, u.z};
  const double tangential = std::hypot(x.y, x.z);
  if (x.x >= 0 && tangential <= mu * x.x) return r - x;
  if (mu * tangential <= -x.x) return r;
  const double normal = (x.x + mu * tangential) / (1 + mu * mu);
  return r - Vec3d{normal, mu * normal / tangential * x.y, mu * normal / tangential * x.z};
}

struct Inverses {
  double mass = 0;
  Mat3<double> turn{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Sym3<double> inertia{0, 0, 0, 0, 0, 0};  // in body axes
  Vec3d turned(Vec3d torque) const { return turn * (inertia * transposeTimes(turn, torque)); }
};

// The offset of a row from the relative velocity: the speed of its gap, and with the stabilization that of its correction.
double offsetOf(const WorldSettings& settings, double separation) {
  const double gap = std::max(separation, 0.0) / settings.dt;
  if (settings.relaxations > 0) return gap;
  return gap + std::max(settings.errorReduction / settings.dt * (std::min(separation, 0.0) + settings.slop), -settings.maxCorrectionSpeed);
}

Expected expectedOf(const Scene& scene, const WorldSettings& settings, const std::vector<BodyState>& before, const World& world) {
  const std::vector<Contact> contacts = world.contacts();
  const std::vector<BodyState> after = world.states();
  std::vector<Inverses> inverses(scene.bodies.size());
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    const MassProperties body = massProperties(scene.bodies[i]);
    inverses[i] = {1 / body.mass, rotationMatrix(before[i].pose.q), inverse(body.inertia)};
  }
  // Velocities without the contacts' impulses: those after the step less what the impulses did.
  std::vector<Vec3d> freeV, freeW;
  for (const BodyState& state : after) {
    freeV.push_back(state.linearVelocity);
    freeW.push_back(state.angularVelocity);
  }
  struct Arms {
    size_t a, b;
    Vec3d rA, rB;
  };
  std::vector<Arms> arms;
  for (const Contact& c : contacts) {
    const auto a = static_cast<size_t>(c.bodyA.index), b = static_cast<size_t>(c.bodyB.index);
    // World::contacts() puts the arm on A's pose of now; rows have both arms from the step's beginning.
    const Vec3d rA = c.point - after[a].pose.p, rB = rA + before[a].pose.p - before[b].pose.p;
    arms.push_back({a, b, rA, rB});
    const Vec3d impulse = c.normalImpulse * c.normal + c.frictionImpulse;
    freeV[a] += inverses[a].mass * impulse;
    freeW[a] += inverses[a].turned(cross(rA, impulse));
    freeV[b] -= inverses[b].mass * impulse;
    freeW[b] -= inverses[b].turned(cross(rB, impulse));
  }
  Expected expected;
  double scale = 0, squares = 0;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    const Arms& at = arms[i];
    Vec3d directions[3] = {c.normal, {}, {}};
    tangentFrame(c.normal, directions[1], directions[2]);
    const Vec3d relative = after[at.b].linearVelocity + cross(after[at.b].angularVelocity, at.rB) - after[at.a].linearVelocity -
                           cross(after[at.a].angularVelocity, at.rA);
    const Vec3d relativeFree = freeV[at.b] + cross(freeW[at.b], at.rB) - freeV[at.a] - cross(freeW[at.a], at.rA);
    double trace = 0;
    for (const Vec3d d : directions) {
      const Vec3d turnA = cross(at.rA, d), turnB = cross(at.rB, d);
      trace += inverses[at.a].mass + inverses[at.b].mass + dot(turnA, inverses[at.a].turned(turnA)) + dot(turnB, inverses[at.b].turned(turnB));
    }
    const double offset = offsetOf(settings, c.separation), rho = 3 / trace;
    const auto inFrame = [&](Vec3d v, double added) { return Vec3d{dot(directions[0], v) + added, dot(directions[1], v), dot(directions[2], v)}; };
    const Vec3d u = inFrame(relative, offset), q = inFrame(relativeFree, offset);
    const Vec3d impulse = inFrame(c.frictionImpulse, c.normalImpulse);
    const double residual = length(naturalMapOf(impulse, u, kFriction, rho)) / rho;
    scale = std::max({scale, length(u), length(q)});
    squares += residual * residual;
    if (residual > expected.max) {
      expected.second = expected.max;
      expected.max = residual;
      expected.worst = static_cast<int>(i);
    } else {
      expected.second = std::max(expected.second, residual);
    }
    expected.penetrationMax = std::max(expected.penetrationMax, -c.separation);
    expected.penetrationMean += std::max(-c.separation, 0.0) / static_cast<double>(contacts.size());
    expected.active += c.normalImpulse > 0 ? 1 : 0;
  }
  expected.max /= scale;
  expected.second /= scale;
  expected.rms = std::sqrt(squares / static_cast<double>(contacts.size())) / scale;
  return expected;
}

class ResidualOn : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::Cuda && !cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
    settings.backend = GetParam();
    settings.threads = 1;
    settings.precision = Precision::Double;
    settings.substeps = 1;
    settings.iterations = 2;
    settings.relaxations = 0;
  }
  // After `steps` steps, the last of which is compared. Returns the residual.
  double compare(int steps) {
    const Scene scene = droppedPile();
    World world(scene, settings);
    world.step(steps - 1);
    const std::vector<BodyState> before = world.states();
    world.step();
    const StepReport report = world.report();
    const Expected expected = expectedOf(scene, settings, before, world);
    EXPECT_GE(report.contactPoints, 6);
    EXPECT_EQ(report.contactPoints, static_cast<int>(world.contacts().size()));
    EXPECT_EQ(report.activePoints, expected.active);
    EXPECT_NEAR(report.residualMax, expected.max, 1e-9 * (1e-3 + expected.max));
    EXPECT_NEAR(report.residualRms, expected.rms, 1e-9 * (1e-3 + expected.rms));
    EXPECT_NEAR(report.penetrationMax, expected.penetrationMax, 1e-12);
    EXPECT_NEAR(report.penetrationMean, expected.penetrationMean, 1e-12);
    if (expected.max > 1.001 * expected.second && expected.max > 1e-6) {
      EXPECT_EQ(report.residualMaxContact, expected.worst);
      ++worstCompared;
    }
    return report.residualMax;
  }

  WorldSettings settings;
  int worstCompared = 0;
};

TEST_P(ResidualOn, FewSweepsLeaveWhatTheFormulasSay) {
  for (const int steps : {1, 2, 3, 5, 9}) EXPECT_GT(compare(steps), 1e-4) << steps;
  EXPECT_GE(worstCompared, 3);
}

TEST_P(ResidualOn, RelaxedRowsAreJudgedWithoutTheCorrection) {
  settings.relaxations = 2;
  for (const int steps : {1, 2, 3, 5, 9}) EXPECT_GT(compare(steps), 1e-4) << steps;
  EXPECT_GE(worstCompared, 3);
}

TEST_P(ResidualOn, ASolvedStepHasNone) {
  settings.forceMixing = 0;
  settings.tolerance = 1e-9;
  settings.maxIterations = 100000;
  for (const int steps : {1, 3, 9}) EXPECT_LE(compare(steps), 1e-9) << steps;
}

INSTANTIATE_TEST_SUITE_P(Backends, ResidualOn, ::testing::Values(Backend::Cpu, Backend::Cuda),
                         [](const auto& each) { return each.param == Backend::Cpu ? "Cpu" : "Cuda"; });

}  // namespace
}  // namespace cairn
