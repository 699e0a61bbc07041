#include "src/problems/solution_velocities.hpp"

#include <cassert>

namespace cairn::v0 {

std::vector<double> relativeVelocities(const ContactProblem& problem, const ContactSolution& solution) {
  const bool local = problem.form == ContactProblem::Form::Local;
  assert(solution.r.size() == 3 * problem.friction.size() && (local || solution.v.size() == problem.f.size()));
  std::vector<double> u = local ? multiply(problem.W, solution.r) : multiplyTransposed(problem.H, solution.v);
  const std::vector<double>& given = local ? problem.q : problem.w;
  for (size_t i = 0; i < u.size(); ++i) u[i] += given[i];
  return u;
}

SolutionVelocities::SolutionVelocities(const ContactProblem& problem) : problem_(problem) {
  if (problem.form == ContactProblem::Form::Global) factor_.compute(Eigen::SparseMatrix<double>(toEigen(problem.M)));
}

void SolutionVelocities::complete(ContactSolution& solution) const {
  if (problem_.form == ContactProblem::Form::Global) {
    std::vector<double> momentum = multiply(problem_.H, solution.r);
    for (size_t i = 0; i < momentum.size(); ++i) momentum[i] += problem_.f[i];
    const Eigen::VectorXd v = factor_.solve(vectorOf(momentum));
    solution.v.assign(v.data(), v.data() + v.size());
  }
  solution.u = relativeVelocities(problem_, solution);
}

}  // namespace cairn::v0
