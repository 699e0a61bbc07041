// ContactSolver against a World's step to the bit, contacts and joints; against the solution of the contact problem by other methods; and joints
// against closed forms.
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/caller.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace cairn {
namespace {

using test::Caller;
using test::CallerProblem;
using test::capacityOf;
using test::Outcome;
using test::settingsOn;

class CallerWorldsTest : public test::OnEachTarget {};

// All numbers of these scenes are sums of few powers of two, so that what a World and its caller compute from them in different ways is exact.
constexpr double kGap = 1.0 / 1024, kStep = 1.0 / 64;
constexpr Vec3d kPull{0, -8, 0};  // gravity [m/s^2]

BodyDef unitCube(Vec3d position, Vec3d velocity = {0, 0, 0}) {
  BodyDef body = test::bodyAt(position, ShapeDef::box({0.5, 0.5, 0.5}), velocity);
  body.mass = 1;
  body.shapes[0].material.friction = 0.5;
  body.shapes[0].material.restitution = 0.5;
  return body;
}

// A pyramid that is pushed, on a plate, with cubes that fly into it; beside it cubes apart, for joints.
Scene pushedPyramid(bool moving) {
  Scene scene;
  BodyDef plate = unitCube({0, -0.5, 0});
  plate.type = BodyType::Static;
  plate.mass.reset();
  plate.shapes[0] = ShapeDef::box({32, 0.5, 32});
  plate.shapes[0].material.friction = 0.5;
  plate.shapes[0].material.restitution = 0.5;
  scene.add(plate);
  for (int row = 0; row < 4; ++row) {
    for (int k = 0; k < 4 - row; ++k) {
      const double x = 1.0625 * k + 0.53125 * row, y = 0.5 + kGap + row * (1 + kGap);
      scene.add(unitCube({x, y, 0.125 * (k % 2)}, moving ? Vec3d{0.25 * row, -1.0 / (1 + k), 0.5} : Vec3d{0, 0, 0}));
    }
  }
  for (int k = 0; k < 12; ++k) scene.add(unitCube({-4.0 - 2 * k, 4, 0}, moving ? Vec3d{0, 0.25 * (k % 3), 1} : Vec3d{0, 0, 0}));
  scene.gravity = moving ? kPull : Vec3d{0, 0, 0};
  return scene;
}
constexpr int kFirstApart = 11;

// As a caller would have found them: the contacts of a World in which nothing moves.
template <class T> CallerProblem<T> callersOf(const Scene& scene, const WorldSettings& settings) {
  CallerProblem<T> problem;
  Scene still = pushedPyramid(false);
  World probe(still, settings);
  probe.step();
  for (const BodyDef& body : scene.bodies) {
    const bool dynamic = body.type == BodyType::Dynamic;
    problem.addCube(T(body.pose.p.x), T(body.pose.p.y), T(body.pose.p.z), dynamic);
    const Vec3d v = dynamic ? body.linearVelocity + kStep * kPull : Vec3d{0, 0, 0};
    const T linear[3] = {T(v.x), T(v.y), T(v.z)};
    std::memcpy(problem.bodies.back().linear, linear, sizeof linear);
  }
  for (const Contact& contact : probe.contacts()) {
    test::CallerContact<T>& own =
        problem.add(contact.bodyA.index, contact.bodyB.index, convert<T>(contact.point), convert<T>(contact.normal), T(contact.separation));
    own.restitution = T(0.5);
  }
  return problem;
}

template <class T> WorldSettings pyramidSettings(Target target) {
  WorldSettings settings = settingsOn<T>(target);
  settings.dt = kStep;
  settings.growEnvelope = false;
  return settings;
}

template <class T> void expectVelocitiesOf(const World& world, const CallerProblem<T>& solved) {
  const std::vector<BodyState> states = world.states();
  ASSERT_EQ(states.size(), solved.bodies.size());
  for (size_t i = 0; i < states.size(); ++i) {
    const T* const v = solved.bodies[i].linear;
    const T* const w = solved.bodies[i].angular;
    EXPECT_TRUE(states[i].linearVelocity.x == v[0] && states[i].linearVelocity.y == v[1] && states[i].linearVelocity.z == v[2]) << "body " << i;
    EXPECT_TRUE(states[i].angularVelocity.x == w[0] && states[i].angularVelocity.y == w[1] && states[i].angularVelocity.z == w[2]) << "body " << i;
  }
}

template <class T> void contactsAreThoseOfAWorld(Queue& queue) {
  const WorldSettings settings = pyramidSettings<T>(queue.target);
  const Scene scene = pushedPyramid(true);
  const CallerProblem<T> problem = callersOf<T>(scene, settings);
  ASSERT_GT(problem.contacts.size(), 40U);
  World world(scene, settings);
  world.step();
  const Outcome<T> outcome = Caller<T>(queue, capacityOf(problem), settings).solve(problem);
  ASSERT_EQ(outcome.status.flags, 0);
  expectVelocitiesOf(world, outcome.problem);
  const std::vector<Contact> contacts = world.contacts();
  ASSERT_EQ(contacts.size(), outcome.problem.contacts.size());
  for (size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_EQ(contacts[i].normalImpulse, double(outcome.problem.contacts[i].normalImpulse));
    EXPECT_EQ(contacts[i].frictionImpulse.x, double(outcome.problem.contacts[i].frictionImpulse[0]));
  }
  // And the bodies go where the World moves them.
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    const test::CallerBody<T>& body = outcome.problem.bodies[i];
    EXPECT_EQ(states[i].pose.p.y, double(T(body.position[1] + T(kStep) * body.linearMove[1]))) << "body " << i;
  }
}
TEST_P(CallerWorldsTest, ContactsAreThoseOfAWorldToTheBit) {
  contactsAreThoseOfAWorld<float>(queue);
  contactsAreThoseOfAWorld<double>(queue);
}

// --- joints ----------------------------------------------------------------------------------------------------

constexpr int kLinear = 7, kTurns = 56;  // all locked

std::vector<JointDef> jointsOfEachKind() {
  std::vector<JointDef> joints(6);
  joints[0].type = JointType::Point;

  joints[1].type = JointType::Hinge;
  JointAxis& hinge = joints[1].axes[3];
  hinge.friction = 0.25;
  hinge.motor = JointMotor::Velocity;
  hinge.target = 2;
  hinge.maxForce = 16;
  hinge.limits = {{-0.5, 0.015625}};

  joints[2].type = JointType::Prismatic;
  JointAxis& slide = joints[2].axes[0];
  slide.stiffness = 64;
  slide.damping = 2;
  slide.rest = 0.25;
  slide.motor = JointMotor::Position;
  slide.target = 0.5;
  slide.maxForce = 4;

  joints[3].type = JointType::Rigid;
  joints[4].type = JointType::Distance;
  joints[4].minDistance = 0.5;
  joints[4].maxDistance = 1;
  joints[5].type = JointType::Gear;
  joints[5].ratio = 2;
  return joints;
}

TEST(CallerJoints, AreAWorldsInNumbers) {
  const std::vector<JointDef> joints = jointsOfEachKind();
  EXPECT_EQ(lockedBits(joints[0]), kLinear);
  EXPECT_EQ(lockedBits(joints[1]), kLinear | 16 | 32);
  EXPECT_EQ(lockedBits(joints[2]), 6 | kTurns);
  EXPECT_EQ(lockedBits(joints[4]), 0);
  EXPECT_TRUE(axisRows(joints[3]).empty());
  const std::vector<SolverJointRow> hinge = axisRows(joints[1]);
  ASSERT_EQ(hinge.size(), 3U);
  EXPECT_EQ(hinge[1].kind, kSolverVelocityMotor);
  EXPECT_EQ(hinge[1].target, 2);
  EXPECT_EQ(hinge[2].kind, kSolverLimit);
  EXPECT_EQ(hinge[2].axis, 3);
  EXPECT_EQ(hinge[2].high, 0.015625);
  EXPECT_EQ(axisRows(joints[5])[0].ratio, 2);
  JointDef box;
  box.type = JointType::BlackBox;
  box.projection = [](const JointPose& pose) { return pose; };
  EXPECT_THROW(lockedBits(box), InvalidInput);
  JointDef wrong;
  wrong.axes[3].stiffness = -1;
  EXPECT_THROW(axisRows(wrong), InvalidInput);
}

// Beside the contacts, or without any.
template <class T> void jointsAreThoseOfAWorld(Queue& queue, bool contacts, JointStabilization stabilization) {
  WorldSettings settings = pyramidSettings<T>(queue.target);
  settings.jointSolver = JointSolver::Sweeps;
  settings.jointStabilization = stabilization;
  // A World puts joints right at the poses that its bodies have moved to, which a caller's bodies have not.
  settings.relaxations = 0;
  Scene scene = pushedPyramid(true);
  CallerProblem<T> problem = callersOf<T>(scene, settings);
  if (!contacts) {
    problem.contacts.clear();
    scene.bodies[0].shapes[0].filter.mask = 0;
    for (BodyDef& body : scene.bodies) body.shapes[0].filter.mask = 0;
  }
  int first = kFirstApart;
  for (JointDef joint : jointsOfEachKind()) {
    joint.bodyA = first;
    joint.bodyB = first + 1;
    const Vec3d onA{-0.875, 0.125, 0}, onB{1, 0.125, 0.0625};  // off target by an eighth of a metre and less
    joint.frameA.p = onA;
    joint.frameB.p = onB;
    scene.joints.push_back(joint);
    for (const SolverJointRow& row : axisRows(joint)) {
      test::CallerJointRow<T>& own = problem.addRow(row.axis, row.kind);
      own.low = T(row.low);
      own.high = T(row.high);
      own.target = T(row.target);
      own.maxForce = T(row.maxForce);
      own.stiffness = T(row.stiffness);
      own.damping = T(row.damping);
      own.ratio = T(row.ratio);
    }
    problem.join(first, first + 1, convert<T>(onA), convert<T>(onB), lockedBits(joint));
    first += 2;
  }
  World world(scene, settings);
  world.step();
  const Outcome<T> outcome = Caller<T>(queue, capacityOf(problem), settings).solve(problem);
  ASSERT_EQ(outcome.status.flags, 0);
  EXPECT_EQ(outcome.status.contactsNeeded > 0, contacts);
  expectVelocitiesOf(world, outcome.problem);
  EXPECT_EQ(outcome.problem.joints[0].linearImpulse[0] != 0, stabilization == JointStabilization::Baumgarte) << "of its error";
  EXPECT_NE(outcome.problem.rows[1].impulse, 0) << "of the motor";
}
TEST_P(CallerWorldsTest, JointsAreThoseOfAWorldToTheBit) {
  for (const bool contacts : {true, false}) {
    for (const JointStabilization stabilization : {JointStabilization::Baumgarte, JointStabilization::None}) {
      jointsAreThoseOfAWorld<float>(queue, contacts, stabilization);
      jointsAreThoseOfAWorld<double>(queue, contacts, stabilization);
    }
  }
}

// A cube that is held at the middle of a face and let go: it turns about that point, as if its inertia were I + m r^2.
TEST_P(CallerWorldsTest, APendulumOfTheWorldBeginsToSwing) {
  CallerProblem<double> problem;
  const int cube = problem.addCube(0.5, 2, 0);
  const double h = kStep, g = 8;
  problem.bodies[0].linear[1] = -h * g;
  problem.join(-1, cube, {0, 2, 0}, {-0.5, 0, 0}, kLinear);
  WorldSettings settings = pyramidSettings<double>(queue.target);
  settings.iterations = 60;
  settings.forceMixing = 0;
  settings.relaxations = 60;
  // With restitution the pass of impacts would take up the blow, whose impulses are not counted.
  const Outcome<double> outcome =
      Caller<double>(queue, capacityOf(problem), settings).solve(problem, {}, [](auto& call) { call.contacts.restitution = {}; });
  ASSERT_EQ(outcome.status.flags, 0);
  const double inertia = 1.0 / 6, arm = 0.5, spin = -h * g * arm / (inertia + arm * arm);
  EXPECT_NEAR(outcome.problem.bodies[0].angular[2], spin, 1e-9);
  EXPECT_NEAR(outcome.problem.bodies[0].linear[1], spin * arm, 1e-9);
  EXPECT_NEAR(outcome.problem.joints[0].linearImpulse[1], spin * arm + h * g, 1e-9);
}

TEST_P(CallerWorldsTest, FlawsOfJointsTouchNothing) {
  const auto flawed = [&](int flags, int badJoint, int badRow, const std::function<void(CallerProblem<float>&)>& spoil) {
    CallerProblem<float> problem = test::cubeOnTheWorld<float>();
    const int other = problem.addCube(0, 3, 0);
    problem.addRow(3, kSolverVelocityMotor).maxForce = 1;
    problem.join(0, other, {0, 1, 0}, {0, -1, 0}, kLinear);
    problem.addRow(3, kSolverLimit);
    problem.join(0, -1, {0, 1, 0}, {0, -1, 0}, kLinear);
    const ContactCapacity capacity = capacityOf(problem);
    spoil(problem);
    const Outcome<float> outcome = Caller<float>(queue, capacity, settingsOn<float>(queue.target)).solve(problem);
    EXPECT_EQ(outcome.status.flags, flags);
    EXPECT_EQ(outcome.status.badJoint, badJoint);
    EXPECT_EQ(outcome.status.badJointRow, badRow);
    EXPECT_EQ(test::sameBits(outcome.problem, problem), flags != 0);
  };
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  flawed(0, -1, -1, [](auto&) {});
  flawed(kSolverNotFinite, 1, -1, [&](auto& p) { p.joints[1].anchorB[2] = nan; });
  flawed(kSolverNotFinite, 0, -1, [&](auto& p) { p.joints[0].angularImpulse[0] = nan; });
  flawed(kSolverNotFinite, -1, 0, [&](auto& p) { p.rows[0].target = nan; });
  flawed(kSolverBodyIndex, 1, -1, [](auto& p) { p.joints[1].bodies[1] = 2; });
  flawed(kSolverBodyIndex, 0, -1, [](auto& p) { p.joints[0].bodies[1] = 0; });
  flawed(kSolverOutOfRange, 1, -1, [](auto& p) { p.joints[1].frameA[3] = 2; });
  flawed(kSolverOutOfRange, 1, -1, [](auto& p) { p.joints[1].locked |= 8; });
  flawed(kSolverOutOfRange, 1, -1, [](auto& p) { p.joints[1].rows[1] = 2; });
  flawed(kSolverOutOfRange, 1, -1, [](auto& p) { p.joints[1].rows[0] = -1; });
  flawed(kSolverOutOfRange, 0, 0, [](auto& p) { p.rows[0].axis = 6; });
  flawed(kSolverOutOfRange, -1, 1, [](auto& p) { p.rows[1].low = 1; });
  flawed(kSolverOutOfRange, -1, 1, [](auto& p) { p.rows[1].kind = 9; });
}

// --- the contact problem ---------------------------------------------------------------------------------------

SparseMatrix sparse(int columns, const std::vector<std::vector<double>>& rows) {
  SparseMatrix out;
  out.rows = static_cast<int>(rows.size());
  out.columns = columns;
  out.rowStart.push_back(0);
  for (const std::vector<double>& row : rows) {
    for (int c = 0; c < columns; ++c) {
      if (row[static_cast<size_t>(c)] == 0) continue;
      out.column.push_back(c);
      out.values.push_back(row[static_cast<size_t>(c)]);
    }
    out.rowStart.push_back(static_cast<int>(out.column.size()));
  }
  return out;
}

// The same problem as matrices: cubes of unit mass, inertia 1/6, without turns.
ContactProblem matricesOf(const CallerProblem<double>& problem, double h) {
  const auto dofs = 6 * problem.bodies.size(), columns = 3 * problem.contacts.size();
  std::vector<std::vector<double>> m(dofs, std::vector<double>(dofs, 0)), jacobian(dofs, std::vector<double>(columns, 0));
  ContactProblem out;
  out.form = ContactProblem::Form::Global;
  out.dofsPerBody = 6;
  out.f.resize(dofs);
  out.w.assign(columns, 0);
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    for (size_t k = 0; k < 3; ++k) {
      m[6 * b + k][6 * b + k] = 1;
      m[6 * b + 3 + k][6 * b + 3 + k] = 1.0 / 6;
      out.f[6 * b + k] = problem.bodies[b].linear[k];
      out.f[6 * b + 3 + k] = problem.bodies[b].angular[k] / 6;
    }
  }
  for (size_t c = 0; c < problem.contacts.size(); ++c) {
    const test::CallerContact<double>& contact = problem.contacts[c];
    const Vec3d n{contact.normal[0], contact.normal[1], contact.normal[2]}, point{contact.point[0], contact.point[1], contact.point[2]};
    Vec3d directions[3] = {n, {}, {}};
    tangentFrame(n, directions[1], directions[2]);
    for (size_t side = 0; side < 2; ++side) {
      if (contact.bodies[side] < 0) continue;
      const auto b = static_cast<size_t>(contact.bodies[side]);
      const double* x = problem.bodies[b].position;
      const Vec3d r = point - Vec3d{x[0], x[1], x[2]};
      for (size_t k = 0; k < 3; ++k) {
        const Vec3d d = (side == 0 ? -1.0 : 1.0) * directions[k], turn = cross(r, d);
        const double values[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
        for (size_t i = 0; i < 6; ++i) jacobian[6 * b + i][3 * c + k] = values[i];
      }
    }
    out.w[3 * c] = contact.separation / h;
    out.friction.push_back(contact.friction);
  }
  out.M = sparse(static_cast<int>(dofs), m);
  out.H = sparse(static_cast<int>(columns), jacobian);
  return out;
}

TEST_P(CallerWorldsTest, ManySweepsSolveTheContactProblem) {
  CallerProblem<double> problem;
  for (int k = 0; k < 3; ++k) {
    const int cube = problem.addCube(0.125 * k, 0.5 + k, 0);
    problem.bodies.back().linear[0] = 0.25 * (k + 1);
    problem.bodies.back().linear[1] = -1;
    // Three points: their impulses are no matter of choice.
    const double y = k, left = 0.125 * k - 0.5, right = 0.125 * (k > 0 ? k - 1 : k) + 0.5;
    problem.add(cube, cube - 1, {left, y, -0.5}, {0, -1, 0});
    problem.add(cube, cube - 1, {left, y, 0.5}, {0, -1, 0});
    problem.add(cube, cube - 1, {right, y, 0}, {0, -1, 0}, 1.0 / 512);
  }
  WorldSettings settings = pyramidSettings<double>(queue.target);
  settings.normalStabilization = NormalStabilization::None;
  settings.iterations = 4000;
  settings.relaxations = 0;
  settings.overRelaxation = 1;
  const Outcome<double> outcome = Caller<double>(queue, capacityOf(problem), settings).solve(problem, {}, [](auto& call) {
    call.measureResidual = true;
    call.contacts.restitution = {};
  });
  ASSERT_EQ(outcome.status.flags, 0);
  EXPECT_LT(outcome.status.residual, 1e-9F);
  ContactSolverSettings reference;
  reference.backend = Backend::Cpu;
  reference.threads = 1;
  reference.solver = ProblemSolver::Nncg;
  reference.tolerance = 1e-12;
  const ContactProblem matrices = matricesOf(problem, kStep);
  validate(matrices, "pile");
  const ContactSolveResult expected = solve(matrices, reference);
  ASSERT_EQ(expected.status, SolveStatus::Solved);
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(outcome.problem.bodies[b].linear[k], expected.solution.v[6 * b + k], 1e-7);
      EXPECT_NEAR(outcome.problem.bodies[b].angular[k], expected.solution.v[6 * b + 3 + k], 1e-7);
    }
  }
}

CAIRN_INSTANTIATE_TARGETS(CallerWorldsTest);

}  // namespace
}  // namespace cairn
