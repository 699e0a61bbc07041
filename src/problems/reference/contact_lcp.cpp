// The velocity-level contact problem with a friction polygon as a linear complementarity problem.
#include "src/problems/contact_matrices.hpp"
#include "src/problems/reference/dense.hpp"
#include "src/problems/solution_velocities.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/math.hpp>
#include <cairn/reference.hpp>

namespace cairn::v0::reference {
namespace {

// Direction k of m in the tangent plane: angle 2 pi k / m.
Vec3<double> directionOf(int k, int m) {
  const SinCos<double> angle = sinCos(2 * kPi * k / m);
  return {0, angle.cosine, angle.sine};
}

void checkSettings(const ContactProblem& problem, const ContactLcpSettings& settings) {
  if (settings.directions < 4 || settings.directions % 2 != 0) {
    throw InvalidInput("settings.directions", text("must be even and at least 4, is {}", settings.directions));
  }
  if (problem.contacts() > kMostContacts && !settings.force) {
    throw InvalidInput("problem", text("has {} contacts; Lemke's method takes at most {} unless forced", problem.contacts(), kMostContacts));
  }
}

// Columns: (n, d_1..d_m) of each contact in the coordinates of its impulse.
Eigen::MatrixXd generators(int contacts, int m) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(3 * contacts, contacts * (1 + m));
  for (int i = 0; i < contacts; ++i) {
    G(3 * i, i) = 1;
    for (int k = 0; k < m; ++k) {
      const Vec3<double> d = directionOf(k, m);
      G(3 * i + 1, contacts + i * m + k) = d.y;
      G(3 * i + 2, contacts + i * m + k) = d.z;
    }
  }
  return G;
}

// Redundant contacts leave W with eigenvalues of rounding size on either side of zero, on which pivots break down or run into a ray that the problem
// itself does not have. A diagonal of 1e-12 of W's mean and more removes them; the residual of the solution is that of the problem without it.
LcpResult solveRegularized(const DenseMatrix& M, const std::vector<double>& q, int rows, const LcpSettings& settings) {
  LcpResult best = solveLcp(M, q, settings);
  for (double diagonal = 1e-12; best.status != LcpStatus::Solved && best.status != LcpStatus::Stopped && diagonal < 1e-8; diagonal *= 10) {
    DenseMatrix shifted = M;
    for (int i = 0; i < rows; ++i) shifted.at(i, i) += diagonal;
    LcpResult trial = solveLcp(shifted, q, settings);
    if (trial.status == LcpStatus::Stopped) best.status = trial.status;
    if (trial.status != LcpStatus::Solved) continue;
    trial.residual = lcpResidual(M, q, trial.z);
    if (trial.residual <= settings.tolerance) best = trial;
  }
  return best;
}

}  // namespace

void assembleContactLcp(const ContactProblem& problem, const ContactLcpSettings& settings, DenseMatrix& M, std::vector<double>& q) {
  validate(problem, "problem");
  checkSettings(problem, settings);
  const ContactProblem local = condensed(symmetrized(problem));
  const int contacts = local.contacts(), m = settings.directions, rows = contacts * (1 + m), n = rows + contacts;
  const Eigen::MatrixXd G = generators(contacts, m);
  const Eigen::MatrixXd W = toEigen(local.W);
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
  full.topLeftCorner(rows, rows) = G.transpose() * W * G;
  for (int i = 0; i < contacts; ++i) {
    const double mu = local.friction[static_cast<size_t>(i)];
    full(rows + i, i) = mu;
    if (settings.formulation == Formulation::Relaxed) full(i, rows + i) = -mu;
    for (int k = 0; k < m; ++k) {
      full(contacts + i * m + k, rows + i) = 1;
      full(rows + i, contacts + i * m + k) = -1;
    }
  }
  M = DenseMatrix::zero(n, n);
  mapOf(M) = full;
  const Eigen::VectorXd velocities = G.transpose() * vectorOf(local.q);
  q.assign(static_cast<size_t>(n), 0.0);
  std::copy(velocities.data(), velocities.data() + rows, q.begin());
}

ContactLcpResult solveContactLcp(const ContactProblem& problem, const ContactLcpSettings& settings) {
  DenseMatrix M;
  std::vector<double> q;
  assembleContactLcp(problem, settings, M, q);
  // Impulses get a unit of their own, so that the entries of M are of one size whatever the masses: W / scale goes with scale r, while mu and the
  // ones stay as they are.
  const int contacts = problem.contacts(), m = settings.directions, rows = contacts * (1 + m);
  double scale = 0;
  for (int i = 0; i < rows; ++i) scale += M.at(i, i) / rows;
  if (!(scale > 0)) scale = 1;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) M.at(i, j) /= scale;
  }
  const LcpResult lcp = solveRegularized(M, q, rows, settings.lcp);
  ContactLcpResult result;
  result.status = lcp.status;
  result.pivots = lcp.pivots;
  result.residual = lcp.residual;
  const Eigen::VectorXd r = generators(contacts, m) * vectorOf(lcp.z).head(rows) / scale;
  result.solution.r.assign(r.data(), r.data() + r.size());
  SolutionVelocities(problem).complete(result.solution);
  return result;
}

// Without contacts there is nothing complementary: the shortest impulses that make J v + upsilon zero.
static JointedContactResult solveJointsAlone(const Eigen::MatrixXd& J, const Eigen::VectorXd& upsilon, const Eigen::MatrixXd& solvedJ,
                                             const Eigen::VectorXd& freeV) {
  const Eigen::MatrixXd A = J * solvedJ;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(A);
  decomposition.setThreshold(1e-11);
  const Eigen::VectorXd before = J * freeV + upsilon, impulses = -decomposition.solve(before), v = freeV + solvedJ * impulses;
  JointedContactResult result;
  result.jointImpulses.assign(impulses.data(), impulses.data() + impulses.size());
  result.jointResidual = (J * v + upsilon).cwiseAbs().maxCoeff() / std::max(1e-300, before.cwiseAbs().maxCoeff());
  // Joints that contradict each other leave a velocity that no impulses can take out; solveMixedLcp has the same bound.
  const double asked = before.cwiseAbs().maxCoeff(), unreached = (before + A * impulses).cwiseAbs().maxCoeff();
  result.contacts.status = unreached > 1e-8 * asked ? LcpStatus::Contradictory : LcpStatus::Solved;
  result.contacts.solution.v.assign(v.data(), v.data() + v.size());
  return result;
}

JointedContactResult solveJointedContactLcp(const ContactProblem& given, const EqualityRows& joints, const ContactLcpSettings& settings) {
  if (given.form != ContactProblem::Form::Global) throw InvalidInput("problem", "must have the global form: joints act on its dofs");
  const ContactProblem problem = symmetrized(given);
  const auto dofs = static_cast<Eigen::Index>(problem.M.rows), rows = static_cast<Eigen::Index>(joints.upsilon.size());
  if (joints.J.rows != rows || joints.J.columns != dofs || joints.J.values.size() != static_cast<size_t>(rows * dofs)) {
    throw InvalidInput("joints/J", text("must be {} x {}, is {} x {}", rows, dofs, joints.J.rows, joints.J.columns));
  }
  const Eigen::Map<const RowMajor> J = mapOf(joints.J);
  const Eigen::VectorXd upsilon = vectorOf(joints.upsilon);
  const int contacts = problem.contacts(), m = settings.directions;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(Eigen::SparseMatrix<double>(toEigen(problem.M)));
  const Eigen::MatrixXd solvedJ = factor.solve(Eigen::MatrixXd(J.transpose()));
  const Eigen::VectorXd freeV = factor.solve(vectorOf(problem.f));
  if (contacts == 0 && rows > 0) return solveJointsAlone(J, upsilon, solvedJ, freeV);
  MixedLcp mixed;
  assembleContactLcp(given, settings, mixed.B, mixed.b);
  const Eigen::MatrixXd H = toEigen(problem.H) * generators(contacts, m);
  const int n = static_cast<int>(mixed.b.size());

  mixed.A = DenseMatrix::zero(static_cast<int>(rows), static_cast<int>(rows));
  mixed.C = DenseMatrix::zero(static_cast<int>(rows), n);
  mixed.D = DenseMatrix::zero(n, static_cast<int>(rows));
  mapOf(mixed.A) = J * solvedJ;
  const Eigen::MatrixXd coupling = solvedJ.transpose() * H;
  mapOf(mixed.C).leftCols(H.cols()) = coupling;
  mapOf(mixed.D).topRows(H.cols()) = coupling.transpose();
  const Eigen::VectorXd before = J * freeV + upsilon;
  mixed.a.assign(before.data(), before.data() + rows);

  const MixedLcpResult solved = solveMixedLcp(mixed, settings.lcp);
  JointedContactResult result;
  result.jointImpulses = solved.u;
  result.contacts.status = solved.lcp.status;
  result.contacts.pivots = solved.lcp.pivots;
  result.contacts.residual = solved.lcp.residual;
  const Eigen::VectorXd r = generators(contacts, m) * vectorOf(solved.lcp.z).head(H.cols());
  const Eigen::VectorXd v = freeV + solvedJ * vectorOf(solved.u) + factor.solve(toEigen(problem.H) * r);
  const Eigen::VectorXd u = toEigen(problem.H).transpose() * v + vectorOf(problem.w);
  ContactSolution& solution = result.contacts.solution;
  solution.r.assign(r.data(), r.data() + r.size());
  solution.v.assign(v.data(), v.data() + v.size());
  solution.u.assign(u.data(), u.data() + u.size());
  if (rows > 0) {
    result.jointResidual = (J * v + upsilon).cwiseAbs().maxCoeff() / std::max(1e-300, before.cwiseAbs().maxCoeff());
  }
  return result;
}

}  // namespace cairn::v0::reference
