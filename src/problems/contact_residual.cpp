// The residual of a solution of a stand-alone contact problem (formulas: docs/contact-problems.md), by the natural map of a World's report.
#include "kernels/rows/row_math.hpp"
#include "src/problems/solution_velocities.hpp"

#include <cairn/contact_problem.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cairn::v0 {
namespace {

// A contact counts as open up to this fraction of the largest impulse, and as sliding above this fraction of the largest velocity.
constexpr double kNegligible = 1e-6;

double norm(const std::vector<double>& v) { return v.empty() ? 0 : vectorOf(v).norm(); }
double ratio(double a, double b) { return b > 0 ? a / b : a; }

Vec3<double> contactOf(const std::vector<double>& v, int i) {
  const double* p = v.data() + 3 * i;
  return {p[0], p[1], p[2]};
}

double largestContact(const std::vector<double>& v) {
  double largest = 0;
  for (size_t i = 0; i + 2 < v.size(); i += 3) largest = std::max(largest, length(contactOf(v, static_cast<int>(i / 3))));
  return largest;
}

// rho_i = 3 / trace(W_ii).
std::vector<double> stepLengths(const BlockMatrix& W) {
  std::vector<double> rho;
  for (int i = 0; i < W.blockRows; ++i) {
    const int diagonal = findBlock(W, i, i);
    assert(diagonal >= 0);
    const double* block = W.values.data() + 9 * static_cast<size_t>(diagonal);
    const double trace = block[0] + block[4] + block[8];
    rho.push_back(trace > 0 ? 3 / trace : 1);
  }
  return rho;
}

void countStates(const ContactProblem& problem, const ContactSolution& solution, ContactResidual& out) {
  const double noImpulse = kNegligible * largestContact(solution.r),
               noSlip = kNegligible * std::max(largestContact(solution.u), largestContact(problem.q));
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vec3<double> r = contactOf(solution.r, i), u = contactOf(solution.u, i);
    if (r.x <= noImpulse) {
      ++out.open;
    } else if (std::hypot(u.y, u.z) > noSlip) {
      ++out.sliding;
    } else {
      ++out.sticking;
    }
  }
}

}  // namespace

ContactResidual contactResidual(const ContactProblem& problem, const ContactSolution& solution) {
  return contactResidual(problem, problem.form == ContactProblem::Form::Local ? problem : condensed(problem), solution);
}

ContactResidual contactResidual(const ContactProblem& problem, const ContactProblem& local, const ContactSolution& given) {
  ContactResidual out;
  ContactSolution solution = given;
  double balance = 0, balanceScale = 0;
  const bool isLocal = problem.form == ContactProblem::Form::Local;
  if (!isLocal) {
    const std::vector<double> Mv = multiply(problem.M, solution.v), Hr = multiply(problem.H, solution.r);
    std::vector<double> rest(Mv.size());
    for (size_t i = 0; i < rest.size(); ++i) rest[i] = -Mv[i] + Hr[i] + problem.f[i];
    balance = norm(rest);
    balanceScale = std::max({norm(problem.f), norm(Mv), norm(Hr)});
  }
  solution.u = relativeVelocities(problem, solution);
  const std::vector<double> rho = stepLengths(local.W);
  double squares = 0, largest = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto k = static_cast<size_t>(i);
    const Vec3<double> r = contactOf(solution.r, i), u = contactOf(solution.u, i);
    squares += lengthSquared(naturalMap(r, u, problem.friction[k], 1.0));
    largest = std::max(largest, length(naturalMap(r, u, problem.friction[k], rho[k])) / rho[k]);
  }
  out.etaSic = ratio(std::sqrt(squares), std::max({isLocal ? norm(problem.q) : 0, norm(solution.r), norm(solution.u)}));
  if (!isLocal) out.etaSic += ratio(balance, balanceScale);
  out.etaScl = ratio(largest, std::max(largestContact(local.q), largestContact(solution.u)));
  countStates(local, solution, out);
  return out;
}

}  // namespace cairn::v0
