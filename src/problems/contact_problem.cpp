// Checks of stand-alone contact problems, and their local form.
#include "src/problems/contact_matrices.hpp"
#include "src/scene/text.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/error.hpp>

#include <cmath>

namespace cairn::v0 {
namespace {

// Matrices in files are rounded. Asymmetry up to this fraction of the largest entry disappears in the symmetric part; a negative eigenvalue down to
// this fraction of the largest absolute row sum, which bounds the largest eigenvalue, counts as the zero of a redundant contact.
constexpr double kAsymmetryOfRounding = 5e-3;
constexpr double kIndefinitenessOfRounding = 1e-6;

class Checker {
 public:
  explicit Checker(const std::string& path) : path_(path) {}

  [[noreturn]] void fail(const std::string& field, const std::string& why) const { throw InvalidInput(path_ + "/" + field, why); }
  void length(const char* field, size_t is, size_t wanted, const char* why) const {
    if (is != wanted) fail(field, text("has {} entries, must have {} ({})", is, wanted, why));
  }
  void finite(const char* field, const std::vector<double>& values) const {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) fail(text("{}/{}", field, i), text("must be a finite number, is {}", values[i]));
    }
  }
  // Row starts, columns in range and ascending.
  void pattern(const char* name, int rows, int columns, const std::vector<int>& rowStart, const std::vector<int>& column) const {
    const std::string starts = text("{}/row_ptr", name), indices = text("{}/col", name);
    length(starts.c_str(), rowStart.size(), static_cast<size_t>(rows) + 1, "rows + 1");
    if (rowStart.front() != 0) fail(starts + "/0", text("must be 0, is {}", rowStart.front()));
    length(indices.c_str(), column.size(), static_cast<size_t>(std::max(rowStart.back(), 0)), "the last row_ptr");
    for (size_t row = 0; row + 1 < rowStart.size(); ++row) {
      if (rowStart[row + 1] < rowStart[row] || rowStart[row + 1] > rowStart.back()) fail(text("{}/{}", starts, row + 1), "must not fall");
      for (int k = rowStart[row]; k < rowStart[row + 1]; ++k) {
        const int c = column[static_cast<size_t>(k)];
        if (c < 0 || c >= columns) fail(text("{}/{}", indices, k), text("must be from 0 to {}, is {}", columns - 1, c));
        if (k > rowStart[row] && c <= column[static_cast<size_t>(k) - 1]) fail(text("{}/{}", indices, k), "must ascend within a row");
      }
    }
  }
  void sparse(const char* name, const SparseMatrix& m) const {
    pattern(name, m.rows, m.columns, m.rowStart, m.column);
    length(text("{}/values", name).c_str(), m.values.size(), m.column.size(), "one for each col");
    finite(text("{}/values", name).c_str(), m.values);
  }
  void symmetric(const char* name, const EigenSparse& m) const {
    double largest = 0, asymmetry = 0;
    const EigenSparse difference = m - EigenSparse(m.transpose());
    for (int k = 0; k < m.nonZeros(); ++k) largest = std::max(largest, std::abs(m.valuePtr()[k]));
    for (int k = 0; k < difference.nonZeros(); ++k) asymmetry = std::max(asymmetry, std::abs(difference.valuePtr()[k]));
    if (asymmetry > kAsymmetryOfRounding * largest) {
      fail(name, text("must be symmetric, but entries differ from their mirror images by up to {} of the largest", textOf(asymmetry / largest, 2)));
    }
  }
  // m + shift must have a Cholesky factor.
  void definite(const char* name, const EigenSparse& m, double relativeShift, const char* wanted) const {
    if (m.rows() == 0) return;
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(m.rows());
    for (int row = 0; row < m.outerSize(); ++row) {
      for (EigenSparse::InnerIterator it(m, row); it; ++it) sums[row] += std::abs(it.value());
    }
    EigenSparse identity(m.rows(), m.rows());
    identity.setIdentity();
    const Eigen::SparseMatrix<double> shifted = 0.5 * (m + EigenSparse(m.transpose())) + relativeShift * sums.maxCoeff() * identity;
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(shifted);
    if (factor.info() != Eigen::Success) fail(name, wanted);
  }

 private:
  std::string path_;
};

void validateLocal(const ContactProblem& problem, const Checker& check) {
  const auto contacts = static_cast<size_t>(problem.contacts());
  check.length("q", problem.q.size(), 3 * contacts, "3 a contact");
  check.finite("q", problem.q);
  const BlockMatrix& W = problem.W;
  if (W.blockRows != problem.contacts()) check.fail("W/n_block_rows", text("must be {}, the number of contacts, is {}", contacts, W.blockRows));
  check.pattern("W", W.blockRows, W.blockRows, W.rowStart, W.column);
  check.length("W/blocks", W.values.size(), 9 * W.column.size(), "9 a block");
  check.finite("W/blocks", W.values);
  for (int row = 0; row < W.blockRows; ++row) {
    const int block = findBlock(W, row, row);
    if (block < 0) check.fail("W", text("block row {} has no diagonal block", row));
    for (size_t d = 0; d < 3; ++d) {
      const double value = W.values[9 * static_cast<size_t>(block) + 4 * d];
      if (!(value > 0)) check.fail("W", text("diagonal entry {} must be > 0, is {}", 3 * row + static_cast<int>(d), value));
    }
  }
  const EigenSparse m = toEigen(W);
  check.symmetric("W", m);
  check.definite("W", m, kIndefinitenessOfRounding, "must be positive semidefinite, but has a negative eigenvalue");
}

void validateGlobal(const ContactProblem& problem, const Checker& check) {
  const auto contacts = static_cast<size_t>(problem.contacts());
  if (problem.M.rows != problem.M.columns) check.fail("M", text("must be square, is {} x {}", problem.M.rows, problem.M.columns));
  check.sparse("M", problem.M);
  if (problem.H.rows != problem.M.rows) check.fail("H/rows", text("must be {}, the rows of M, is {}", problem.M.rows, problem.H.rows));
  if (problem.H.columns != 3 * problem.contacts()) {
    check.fail("H/cols", text("must be {}, 3 a contact, is {}", 3 * contacts, problem.H.columns));
  }
  check.sparse("H", problem.H);
  check.length("f", problem.f.size(), static_cast<size_t>(problem.M.rows), "the rows of M");
  check.finite("f", problem.f);
  check.length("w", problem.w.size(), 3 * contacts, "3 a contact");
  check.finite("w", problem.w);
  const EigenSparse m = toEigen(problem.M);
  check.symmetric("M", m);
  check.definite("M", m, 0, "must be positive definite, but has no Cholesky factor");
}

}  // namespace

void validate(const ContactProblem& problem, const std::string& path) {
  const Checker check(path);
  for (size_t i = 0; i < problem.friction.size(); ++i) {
    const double mu = problem.friction[i];
    if (!(std::isfinite(mu) && mu >= 0)) check.fail(text("mu/{}", i), text("must be a finite number >= 0, is {}", mu));
  }
  if (problem.form == ContactProblem::Form::Local) {
    validateLocal(problem, check);
  } else {
    validateGlobal(problem, check);
  }
  const ContactSolution& reference = problem.reference;
  if (reference.r.empty()) return;
  check.length("reference/r", reference.r.size(), 3 * problem.friction.size(), "3 a contact");
  check.finite("reference/r", reference.r);
}

ContactProblem symmetrized(ContactProblem problem) {
  if (problem.form == ContactProblem::Form::Local) {
    problem.W = symmetricPart(problem.W);
  } else {
    const EigenSparse m = toEigen(problem.M);
    problem.M = fromEigen(0.5 * (m + EigenSparse(m.transpose())));
  }
  return problem;
}

ContactProblem condensed(const ContactProblem& problem) {
  if (problem.form == ContactProblem::Form::Local) return problem;
  ContactProblem local;
  local.name = problem.name;
  local.source = problem.source;
  local.friction = problem.friction;
  const Eigen::SparseMatrix<double> M = toEigen(problem.M), H = toEigen(problem.H);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(M);
  if (factor.info() != Eigen::Success) throw InvalidInput("M", "must be positive definite, but has no Cholesky factor");
  const Eigen::SparseMatrix<double> solved = factor.solve(H);
  local.W = symmetricPart(toBlocks(EigenSparse(Eigen::SparseMatrix<double>(H.transpose()) * solved)));
  const Eigen::VectorXd q = H.transpose() * factor.solve(vectorOf(problem.f)).eval() + vectorOf(problem.w);
  local.q.assign(q.data(), q.data() + q.size());
  local.reference = problem.reference;
  local.reference.v.clear();
  return local;
}

}  // namespace cairn::v0
