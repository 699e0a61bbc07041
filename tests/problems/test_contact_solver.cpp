// Stand-alone contact problems: residual, every solver on the public problems, one contact by itself, Lemke beside the sweeps. Files and
// what is refused: test_contact_problem.cpp.
#include "kernels/problems/problem_sweep.hpp"
#include "tests/problems/problems.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/contact_problem.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>

#include <cmath>
#include <filesystem>
#include <random>

namespace cairn {
namespace {

using test::onCpu;
using test::pointProblem;
using test::towerProblem;

std::string publicProblems() { return std::string(CAIRN_SOURCE_DIR) + "/tests/data/problems"; }

ContactSolverSettings settingsFor(ProblemSolver solver, double tolerance = 1e-8) {
  ContactSolverSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.solver = solver;
  settings.tolerance = tolerance;
  return settings;
}

// --- one contact -----------------------------------------------------------------------------------------------

TEST(OneContact, SolvesTheLawForRandomBlocks) {
  for (unsigned seed = 1; seed <= 20000; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const int rank = 1 + static_cast<int>(seed % 5);
    double factor[3][5], w[9] = {};
    for (auto& row : factor) {
      for (double& value : row) value = normal(random);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < std::max(rank, 2); ++k) w[3 * i + j] += factor[i][k] * factor[j][k];
      }
    }
    const double scale = std::pow(10.0, 3 * normal(random)), mu = std::abs(normal(random));
    for (double& value : w) value *= scale;
    const Vec3<double> q{normal(random), normal(random), normal(random)};
    const Vec3<double> r = OneContact<double>(w, q, mu).solve();
    const Vec3<double> u{q.x + w[0] * r.x + w[1] * r.y + w[2] * r.z, q.y + w[3] * r.x + w[4] * r.y + w[5] * r.z,
                         q.z + w[6] * r.x + w[7] * r.y + w[8] * r.z};
    // A singular block may leave a velocity that no impulse in the cone can stop; regular ones are solved to rounding.
    const double slack = rank < 3 ? 1e-5 : 1e-9;
    const double slip = std::hypot(u.y, u.z), unit = length(q);
    ASSERT_GE(r.x, 0) << "seed " << seed;
    ASSERT_LE(std::hypot(r.y, r.z), mu * r.x * (1 + 1e-12) + 1e-300) << "seed " << seed;
    if (rank < 3 && !(std::abs(u.x) < slack * unit)) continue;
    ASSERT_GE(u.x, -slack * unit) << "seed " << seed;
    if (r.x > 0) {
      ASSERT_NEAR(u.x, 0, slack * unit * std::max(1.0, slack * scale)) << "seed " << seed;
    }
    if (r.x > 0 && slip > 1e-6 * unit && rank >= 3) {
      ASSERT_NEAR(r.y * slip + mu * r.x * u.y, 0, 1e-6 * mu * r.x * slip + 1e-12 * r.x) << "seed " << seed;
      ASSERT_NEAR(r.z * slip + mu * r.x * u.z, 0, 1e-6 * mu * r.x * slip + 1e-12 * r.x) << "seed " << seed;
    }
  }
}

TEST(ContactSolver, APointMassFollowsCoulomb) {
  const auto impulse = [](Vec3d q, double mu) { return solve(pointProblem(q, mu), settingsFor(ProblemSolver::Pgs)).solution.r; };
  EXPECT_EQ(impulse({1, 5, 0}, 0.5), (std::vector<double>{0, 0, 0})) << "separating";
  const std::vector<double> sticking = impulse({-1, 0.3, 0}, 0.5), sliding = impulse({-1, 3, 4}, 0.5), slippery = impulse({-1, 3, 4}, 0);
  EXPECT_NEAR(sticking[0], 2, 1e-12);
  EXPECT_NEAR(sticking[1], -0.6, 1e-12);
  EXPECT_NEAR(sliding[0], 2, 1e-12);
  EXPECT_NEAR(sliding[1], -0.6, 1e-12);
  EXPECT_NEAR(sliding[2], -0.8, 1e-12);
  EXPECT_NEAR(slippery[0], 2, 1e-12);
  EXPECT_NEAR(slippery[1], 0, 1e-12);
}

// --- residual --------------------------------------------------------------------------------------------------

TEST(ContactResidual, ByHand) {
  const ContactProblem problem = pointProblem({-1, 0, 0}, 0.5);
  ContactSolution nothing;
  nothing.r = {0, 0, 0};
  // u = q = (-1, 0, 0): P(r - u) = (1, 0, 0), so the residual is 1 over max(|q|, |u|) = 1; scaled: rho = 3/1.5 = 2, |(-2)|/2 / 1.
  EXPECT_NEAR(contactResidual(problem, nothing).etaSic, 1, 1e-15);
  EXPECT_NEAR(contactResidual(problem, nothing).etaScl, 1, 1e-15);
  EXPECT_EQ(contactResidual(problem, nothing).open, 1);
  ContactSolution right;
  right.r = {2, 0, 0};
  EXPECT_EQ(contactResidual(problem, right).etaSic, 0);
  EXPECT_EQ(contactResidual(problem, right).sticking, 1);
  ContactSolution sliding;
  sliding.r = {2, 1, 0};
  const ContactResidual outside = contactResidual(pointProblem({-1, -2, 0}, 0.5), sliding);
  EXPECT_EQ(outside.sliding, 1);
  EXPECT_NEAR(outside.etaSic, 0, 1e-15) << "u_t = -1.5, r_t = mu r_n against it";
}

// --- the public problems ---------------------------------------------------------------------------------------

class PublicProblem : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = publicProblems() + "/" + GetParam() + ".json";
    problem_ = readContactProblem(path_);
  }
  std::string path_;
  ContactProblem problem_;
};

TEST_P(PublicProblem, IsSolvedTo1e8) {
  const ContactSolveResult result = solve(problem_, settingsFor(ProblemSolver::Auto));
  EXPECT_EQ(result.status, SolveStatus::Solved);
  EXPECT_LE(result.residual.etaSic, 1e-8);
  EXPECT_EQ(contactResidual(problem_, result.solution).etaSic, result.residual.etaSic);
}

// A polygon's corners are on the cone, its sides within it.
TEST(LemkesStatus, SaysWhetherTheConesProblemIsSolvedOrThePolygons) {
  const ContactProblem problem = pointProblem({-1, 3, 4}, 0.5);  // it slides between two directions of the octagon
  ContactSolverSettings settings = settingsFor(ProblemSolver::Lemke);
  long pivots = 0;
  settings.progress = [&](long done, double residual) {
    EXPECT_TRUE(std::isnan(residual));
    pivots = done;
  };
  const ContactSolveResult byPolygon = solve(problem, settings);
  EXPECT_GT(byPolygon.residual.etaSic, settings.tolerance);
  EXPECT_EQ(byPolygon.status, SolveStatus::PolygonSolved);
  EXPECT_GT(pivots, 0);
  settings.tolerance = 2 * byPolygon.residual.etaSic;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::Solved);
  settings.maxIterations = 1;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::IterationLimit);
  settings.maxIterations = 1000000;
  settings.timeLimit = 1e-9;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::TimeLimit);
}

TEST_P(PublicProblem, IsSolvedInFloatTo1e4) {
  ContactSolverSettings settings = settingsFor(ProblemSolver::Auto, 1e-4);
  settings.precision = Precision::Float;
  EXPECT_EQ(solve(problem_, settings).status, SolveStatus::Solved);
}

TEST_P(PublicProblem, ItsReferenceSolutionHasNoResidual) {
  ASSERT_FALSE(problem_.reference.r.empty());
  const ContactResidual residual = contactResidual(problem_, problem_.reference);
  // For the problem with the symmetric part of W, from which some files' W differ by up to 1e-3.
  EXPECT_LE(residual.etaSic, 3e-5);
}

TEST_P(PublicProblem, ThreadsDoNotShowInTheBits) {
  ContactSolverSettings settings = settingsFor(ProblemSolver::Nncg, 1e-30);
  settings.maxIterations = 50;
  const ContactSolveResult one = solve(problem_, settings);
  settings.threads = 2;
  const ContactSolveResult two = solve(problem_, settings);
  EXPECT_EQ(one.solution.r, two.solution.r);
}

TEST_P(PublicProblem, ComesBackFromBothKindsOfFiles) {
  for (const char* ending : {".json", ".hdf5"}) {
    const std::string path = testing::TempDir() + "/cairn_problem_" + GetParam() + ending;
    writeContactProblem(problem_, path);
    const ContactProblem back = readContactProblem(path);
    std::filesystem::remove(path);
    EXPECT_EQ(back.friction, problem_.friction);
    EXPECT_EQ(back.q, problem_.q);
    EXPECT_EQ(back.f, problem_.f);
    EXPECT_EQ(back.reference.r, problem_.reference.r);
    const ContactSolution solution = problem_.reference;
    EXPECT_EQ(contactResidual(back, solution).etaSic, contactResidual(problem_, solution).etaSic) << ending;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, PublicProblem,
                         ::testing::Values("Box_Stacks-i0122-82-5", "BoxesStack1-i100000-32", "Capsules-i101-404", "Capsules-i125-1213",
                                           "Confeti-ex03-Fc3D-SBM", "FC2D_00237__2din3d", "FrictionContact3D_1c", "GFC3D_TwoRods1",
                                           "KaplasTower-i1061-4", "LMGC_GFC3D-i00501-4-00000", "NESpheres_10_1", "OneObject-i100000-316",
                                           "OneObject-i1028-138", "Rover1040", "Rover4396", "Spheres-i099-356-679"),
                         [](const auto& each) { return test::asTestName(each.param); });

// --- Worlds, and Lemke beside the sweeps -----------------------------------------------------------------------

TEST(ContactSolver, LemkeAndSweepsAgreeOnStacks) {
  for (int height = 1; height <= 5; ++height) {
    const ContactProblem problem = towerProblem(height);
    const reference::ContactLcpResult exact = reference::solveContactLcp(problem);
    ASSERT_EQ(exact.status, reference::LcpStatus::Solved) << height << " boxes: " << reference::toString(exact.status);
    const ContactSolveResult sweeps = solve(problem, settingsFor(ProblemSolver::Nncg, 1e-11));
    ASSERT_EQ(sweeps.status, SolveStatus::Solved);
    for (size_t i = 0; i < sweeps.solution.v.size(); ++i)
      EXPECT_NEAR(sweeps.solution.v[i], exact.solution.v[i], 1e-8) << height << " boxes, dof " << i;
  }
}

TEST(ContactSolver, AWorldRunsWithLemke) {
  WorldSettings settings = onCpu(Precision::Double);
  settings.solver = Solver::Lemke;
  // A box slides down an incline and rests on another; beside it the sweeps, solved to rounding.
  Scene scene = loadScene("tower:height=2");
  scene.bodies.back().pose.p.x = 0.3;
  scene.bodies.back().linearVelocity = {1, 0, 0};
  World exact(scene, settings);
  settings.solver = Solver::Pgs;
  settings.tolerance = 1e-8;
  settings.maxIterations = 10000;
  World sweeps(scene, settings);
  for (int k = 0; k < 24; ++k) {
    exact.step();
    sweeps.step();
  }
  // The box slides along x, which is one of the octagon's directions. Forces give way a little in the sweeps (forceMixing), so depths differ by that.
  const std::vector<BodyState> a = exact.states(), b = sweeps.states();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_LT(length(a[i].pose.p - b[i].pose.p), 1e-3) << "body " << i;
  EXPECT_LT(exact.report().residualMax, 1e-6);
}

TEST(ContactSolver, LemkeRefusesAStepThatIsTooLargeAndLeavesTheWorld) {
  WorldSettings settings = onCpu();
  settings.solver = Solver::Lemke;
  World world(loadScene("tower:height=20"), settings);
  const uint64_t before = world.stateHash();
  EXPECT_THROW(world.step(), InvalidInput);
  EXPECT_EQ(world.stateHash(), before);
}

TEST(ContactSolver, ABlockOnAnInclineSticksUpToTheFrictionAngle) {
  for (const double mu : {0.2, 0.6, 1.2}) {
    for (const double factor : {0.5, 0.999, 1.001, 1.5}) {
      // tan(angle) = factor mu; gravity's pull within a step along the incline and into it, in one of the polygon's directions.
      const double tangent = factor * mu, cosine = 1 / std::sqrt(1 + tangent * tangent);
      const ContactProblem problem = pointProblem({-0.1 * cosine, 0.1 * tangent * cosine, 0}, mu);
      const reference::ContactLcpResult exact = reference::solveContactLcp(problem);
      const ContactSolveResult sweeps = solve(problem, settingsFor(ProblemSolver::Pgs, 1e-12));
      ASSERT_EQ(exact.status, reference::LcpStatus::Solved);
      const double slip = factor <= 1 ? 0 : 0.1 * cosine * (tangent - mu);
      EXPECT_NEAR(exact.solution.u[1], slip, 1e-13) << mu << " " << factor;
      EXPECT_NEAR(sweeps.solution.u[1], slip, 1e-13) << mu << " " << factor;
      EXPECT_EQ(sweeps.residual.sliding, factor > 1 ? 1 : 0);
    }
  }
}

// A chain of boxes with ball joints between them, the first one fixed to the world by one, the last one resting on another box.
TEST(ContactSolver, LemkeSolvesAChainWithContacts) {
  WorldSettings settings = onCpu(Precision::Double);
  settings.normalStabilization = NormalStabilization::None;  // which would let the box down to its resting depth
  Scene scene;
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  for (int i = 0; i < 4; ++i) {
    BodyDef link;
    link.shapes = {ShapeDef::box({0.4, 0.1, 0.1})};
    link.pose.p = {1.0 * i, i < 3 ? 1.0 : 0.1, 0};
    if (i == 3) link.pose.p.x = 2;  // lies on the ground below the last link
    scene.add(link);
  }
  const ContactProblem problem = World(scene, settings).contactProblem();
  ASSERT_EQ(problem.contacts(), 4);
  const int dofs = problem.M.rows;
  reference::EqualityRows joints;
  joints.J = reference::DenseMatrix::zero(12, dofs);
  joints.upsilon.assign(12, 0.0);
  // Joint k couples link k - 1's end (the world's for k = 0) to link k's other end; the fourth repeats the third: redundant.
  for (int k = 0; k < 4; ++k) {
    const int child = std::min(k, 2);
    for (int axis = 0; axis < 3; ++axis) {
      const int row = 3 * k + axis;
      const auto addPoint = [&](int body, double x, double sign) {
        joints.J.at(row, 6 * body + axis) += sign;
        // (w x (x, 0, 0)) = (0, w_z x, -w_y x)
        if (axis == 1) joints.J.at(row, 6 * body + 5) += sign * x;
        if (axis == 2) joints.J.at(row, 6 * body + 4) -= sign * x;
      };
      addPoint(child, -0.5, 1);
      if (child > 0) addPoint(child - 1, 0.5, -1);
    }
  }
  const reference::JointedContactResult result = reference::solveJointedContactLcp(problem, joints);
  ASSERT_EQ(result.contacts.status, reference::LcpStatus::Solved) << reference::toString(result.contacts.status);
  EXPECT_LT(result.jointResidual, 1e-10);
  EXPECT_LT(result.contacts.residual, 1e-8);
  // The fixed end stays, the links swing down, the box on the ground stays where it is.
  EXPECT_NEAR(result.contacts.solution.v[1] - 0.5 * result.contacts.solution.v[5], 0, 1e-10);
  EXPECT_LT(result.contacts.solution.v[13], -1e-3);
  EXPECT_GE(result.contacts.solution.v[19], -1e-6);
  EXPECT_THROW(reference::solveJointedContactLcp(condensed(problem), joints), InvalidInput);
}

TEST(ContactSolver, TheConvexRelaxationHasOneVelocity) {
  // A box thrown sideways at a plane: with the polygon's directions along its slip polygon and disk agree.
  for (const double mu : {0.0, 0.3, 1.0}) {
    ContactProblem problem = pointProblem({-1, 2, 0}, mu);
    reference::ContactLcpSettings settings;
    settings.formulation = reference::Formulation::Relaxed;
    const reference::ContactLcpResult relaxed = reference::solveContactLcp(problem, settings);
    ASSERT_EQ(relaxed.status, reference::LcpStatus::Solved);
    // min |u - q|^2 with u_n >= mu |u_t|: the projection of q on the dual cone.
    const double slip = mu < 2 ? (2 - mu) / (1 + mu * mu) : 0;
    EXPECT_NEAR(relaxed.solution.u[0], mu * slip, 1e-12);
    EXPECT_NEAR(relaxed.solution.u[1], slip, 1e-12);
  }
}

TEST(ContactSolver, EverySolverAgreesOnAStack) {
  const ContactProblem problem = towerProblem(3);
  for (const ProblemSolver solver : {ProblemSolver::Pgs, ProblemSolver::Jacobi, ProblemSolver::Nncg, ProblemSolver::Newton, ProblemSolver::Auto}) {
    const ContactSolveResult result = solve(problem, settingsFor(solver));
    EXPECT_EQ(result.status, SolveStatus::Solved) << static_cast<int>(solver);
    EXPECT_LE(result.residual.etaSic, 1e-8) << static_cast<int>(solver);
    EXPECT_EQ(result.solution.v.size(), 18u);
  }
}

TEST(ContactSolver, BodiesVelocitiesAndWGiveTheSameSolution) {
  World pile(loadScene("pile:count=100,shape=sphere"), onCpu());
  pile.step(60);
  const ContactProblem problem = pile.contactProblem();
  ASSERT_GT(problem.contacts(), 60);
  ContactProblem scattered = problem;
  scattered.dofsPerBody = 0;  // nobody says that these are bodies: W is made
  for (const ProblemSolver solver : {ProblemSolver::Pgs, ProblemSolver::Nncg}) {
    const ContactSolveResult byBodies = solve(problem, settingsFor(solver, 1e-9)), byW = solve(scattered, settingsFor(solver, 1e-9));
    ASSERT_EQ(byBodies.status, SolveStatus::Solved);
    ASSERT_EQ(byW.status, SolveStatus::Solved);
    ContactSolverSettings threads = settingsFor(solver, 1e-9);
    threads.threads = 2;
    EXPECT_EQ(solve(problem, threads).solution.r, byBodies.solution.r);
  }
  // Without friction the velocity is unique.
  ContactProblem smooth = problem;
  smooth.friction.assign(smooth.friction.size(), 0.0);
  scattered.friction = smooth.friction;
  const ContactSolveResult a = solve(smooth, settingsFor(ProblemSolver::Pgs, 1e-10)), b = solve(scattered, settingsFor(ProblemSolver::Pgs, 1e-10));
  for (size_t i = 0; i < a.solution.v.size(); ++i) EXPECT_NEAR(a.solution.v[i], b.solution.v[i], 1e-8);
  ContactSolverSettings settings = settingsFor(ProblemSolver::Auto, 1e-4);
  settings.precision = Precision::Float;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::Solved);
}

TEST(ContactSolver, ANormalImpulseCarriesTheWeight) {
  // Without stabilization, since that would push too.
  WorldSettings without = onCpu();
  without.normalStabilization = NormalStabilization::None;
  const ContactProblem problem = World(loadScene("tower:height=2"), without).contactProblem();
  const ContactSolveResult result = solve(problem, settingsFor(ProblemSolver::Auto, 1e-10));
  ASSERT_EQ(result.status, SolveStatus::Solved);
  // Gravity takes this much in a substep: from two boxes below the lower one, from one between them.
  double sum = 0;
  for (size_t i = 0; i < result.solution.r.size(); i += 3) sum += result.solution.r[i];
  const double weight = 1000 * 9.81 / 60 / without.substeps;
  EXPECT_NEAR(sum, 3 * weight, 1e-4 * weight);
}

TEST(ContactSolver, LimitsAreReported) {
  const ContactProblem problem = towerProblem(5);
  ContactSolverSettings settings = settingsFor(ProblemSolver::Pgs, 1e-14);
  settings.maxIterations = 3;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::IterationLimit);
  EXPECT_EQ(solve(problem, settings).iterations, 3);
  settings.maxIterations = 1000000000;
  settings.tolerance = 1e-300;
  settings.timeLimit = 0.05;
  EXPECT_EQ(solve(problem, settings).status, SolveStatus::TimeLimit);
  EXPECT_EQ(
      solve(ContactProblem{{}, {}, ContactProblem::Form::Local, {}, {0, {0}, {}, {}}, {}, {}, {}, {}, {}, 0, {}}, settingsFor(ProblemSolver::Auto))
          .status,
      SolveStatus::Solved)
      << "no contacts";
}

TEST(ContactSolver, LemkeRefusesLargeProblems) {
  const ContactProblem problem = towerProblem(20);
  EXPECT_THROW(reference::solveContactLcp(problem), InvalidInput);
  reference::ContactLcpSettings settings;
  settings.directions = 5;
  EXPECT_THROW(reference::solveContactLcp(towerProblem(1), settings), InvalidInput);
}

}  // namespace
}  // namespace cairn
