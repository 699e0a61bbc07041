// Mixed complementarity problems: the free unknowns are eliminated by a complete orthogonal decomposition, Lemke's method solves the rest.
#include "src/problems/reference/dense.hpp"

#include <algorithm>

namespace cairn::v0::reference {

MixedLcpResult solveMixedLcp(const MixedLcp& problem, const LcpSettings& settings) {
  const int free = static_cast<int>(problem.a.size()), bounded = static_cast<int>(problem.b.size());
  requireMatrix(problem.A, free, free, "A");
  requireMatrix(problem.C, free, bounded, "C");
  requireMatrix(problem.D, bounded, free, "D");
  requireMatrix(problem.B, bounded, bounded, "B");
  requireVector(problem.a, free, "a");
  requireVector(problem.b, bounded, "b");
  MixedLcpResult result;
  if (free == 0) {
    result.lcp = solveLcp(problem.B, problem.b, settings);
    return result;
  }
  const Eigen::MatrixXd A = mapOf(problem.A), C = mapOf(problem.C), D = mapOf(problem.D);
  const VectorXd a = mapOf(problem.a);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(A);
  decomposition.setThreshold(1e-11);
  const Eigen::MatrixXd solvedC = decomposition.solve(C);
  const VectorXd solvedA = decomposition.solve(a);
  // Equality rows contradict each other where a, or a column of C, is not in the range of A.
  constexpr double kReached = 1e-8;
  const double unreached = largest(a - A * solvedA) / std::max(1e-300, largest(a));
  const double unreachedC = C.size() > 0 ? (C - A * solvedC).cwiseAbs().maxCoeff() / std::max(1e-300, C.cwiseAbs().maxCoeff()) : 0;
  DenseMatrix M = DenseMatrix::zero(bounded, bounded);
  mapOf(M) = mapOf(problem.B) - D * solvedC;
  const VectorXd q = mapOf(problem.b) - D * solvedA;
  if ((largest(a) > 0 && unreached > kReached) || unreachedC > kReached) {
    result.lcp.status = LcpStatus::Contradictory;
    result.lcp.z.assign(static_cast<size_t>(bounded), 0.0);
    result.lcp.w.assign(q.data(), q.data() + bounded);
    result.u.assign(solvedA.data(), solvedA.data() + free);
    for (double& value : result.u) value = -value;
    result.equalityResidual = unreached;
    return result;
  }
  result.lcp = solveLcp(M, std::vector<double>(q.data(), q.data() + bounded), settings);
  const VectorXd v = mapOf(result.lcp.z);
  const VectorXd u = -(solvedA + solvedC * v);
  result.u.assign(u.data(), u.data() + free);
  const VectorXd Cv = C * v;
  result.equalityResidual = largest(A * u + Cv + a) / std::max({1e-300, largest(a), largest(Cv)});
  return result;
}

}  // namespace cairn::v0::reference
