// Lemke's method (Cottle, Pang and Stone, "The Linear Complementarity Problem", 1992, algorithm 4.4.5) with an explicit basis inverse.
//
// I w - M z - d z0 = q. The covering vector d is all ones after scaling. The basis inverse B^-1 is updated by one rank-1 product a pivot and made
// anew when it has drifted: making it costs as much as n pivots. Ties of the ratio test are broken lexicographically by the rows of B^-1, which
// start out as the unit matrix.
#include "src/problems/reference/dense.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace cairn::v0::reference {
namespace {

constexpr long kPivotsBetweenChecks = 20;
constexpr double kMostDrift = 1e-11;  // of B x from q, whose largest entry is 1; few problems' drift reaches it before their end
// Entries of the entering column below this fraction of its largest count as rounding. Redundant rows need a large fraction, nearly dependent rows a
// small one: each is tried in turn, and the residual decides which solution is kept.
constexpr double kPivotTolerances[] = {1e-7, 1e-9, 1e-11};
constexpr double kTieTolerance = 1e-11;  // ratios this close, of the largest basic variable, are tied

class Lemke {
 public:
  Lemke(const RowMajor& M, const VectorXd& q, const LcpSettings& settings, double pivotTolerance)
      : M_(M),
        q_(q),
        n_(static_cast<int>(q.size())),
        settings_(settings),
        pivotTolerance_(pivotTolerance),
        basis_(static_cast<size_t>(n_)),
        inverse_(RowMajor::Identity(n_, n_)) {
    for (int i = 0; i < n_; ++i) basis_[static_cast<size_t>(i)] = i;
  }

  LcpStatus run() {
    value_ = q_;
    if (n_ == 0 || q_.minCoeff() >= 0) return LcpStatus::Solved;
    const long maxPivots = settings_.maxPivots > 0 ? settings_.maxPivots : 50L * n_ + 1000;
    // z0 comes in for the lexicographically smallest row: everything is feasible from then on.
    int entering = artificial();
    int row = smallestRow();
    for (pivots = 1;; ++pivots) {
      const int leaving = basis_[static_cast<size_t>(row)];
      if (!pivot(row, entering)) return LcpStatus::Singular;
      if (leaving == artificial()) return LcpStatus::Solved;
      if (pivots >= maxPivots) return LcpStatus::IterationLimit;
      if (settings_.progress && !settings_.progress(pivots)) return LcpStatus::Stopped;
      entering = complementOf(leaving);
      column_ = inverse_ * columnOf(entering);
      row = ratioTest();
      if (row < 0) return LcpStatus::RayTermination;
    }
  }

  // Positions of z that are basic.
  std::vector<int> basicZ() const {
    std::vector<int> out;
    for (const int variable : basis_) {
      if (variable >= n_ && variable < 2 * n_) out.push_back(variable - n_);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  VectorXd z() const {
    VectorXd out = VectorXd::Zero(n_);
    for (int i = 0; i < n_; ++i) {
      const int variable = basis_[static_cast<size_t>(i)];
      if (variable >= n_ && variable < 2 * n_) out[variable - n_] = std::max(0.0, value_[i]);
    }
    return out;
  }

  long pivots = 0;

 private:
  // Variables: w_i is i, z_i is n + i, z0 is 2 n.
  int artificial() const { return 2 * n_; }
  int complementOf(int variable) const {
    assert(variable < artificial());
    return variable < n_ ? variable + n_ : variable - n_;
  }
  VectorXd columnOf(int variable) const {
    if (variable < n_) return VectorXd::Unit(n_, variable);
    if (variable < 2 * n_) return -M_.col(variable - n_);
    return -VectorXd::Ones(n_);
  }

  // The first pivot: the row with the smallest (q_i, e_i), lexicographically: of equal q the last one, whose unit comes last.
  int smallestRow() {
    column_ = columnOf(artificial());
    int row = 0;
    for (int i = 1; i < n_; ++i) {
      if (q_[i] < q_[row] || (settings_.lexicographic && q_[i] == q_[row])) row = i;
    }
    return row;
  }

  // True if row i's vector (value, B^-1 row) / column is lexicographically smaller than row k's.
  bool lexicographicallySmaller(int i, int k) const {
    const double ci = 1 / column_[i], ck = 1 / column_[k];
    for (int j = 0; j < n_; ++j) {
      const double a = inverse_(i, j) * ci, b = inverse_(k, j) * ck;
      if (std::abs(a - b) > kTieTolerance * (1 + std::abs(a) + std::abs(b))) return a < b;
    }
    return false;
  }

  int ratioTest() const {
    const double smallestPivot = pivotTolerance_ * std::max(1e-300, largest(column_)), scale = std::max(1e-300, largest(value_));
    int row = -1;
    double best = 0;
    for (int i = 0; i < n_; ++i) {
      if (!(column_[i] > smallestPivot)) continue;
      const double ratio = std::max(0.0, value_[i]) / column_[i];
      const double tie = kTieTolerance * (scale / std::max(column_[i], smallestPivot) + ratio);
      if (row < 0 || ratio < best - tie) {
        row = i;
        best = ratio;
      } else if (ratio <= best + tie) {
        // z0 leaves whenever it can: that is a solution.
        const bool artificialHere = basis_[static_cast<size_t>(i)] == artificial(),
                   artificialThere = basis_[static_cast<size_t>(row)] == artificial();
        if (artificialHere || (!artificialThere && settings_.lexicographic && lexicographicallySmaller(i, row))) {
          row = i;
          best = std::min(best, ratio);
        }
      }
    }
    return row;
  }

  bool pivot(int row, int entering) {
    assert(row >= 0 && row < n_ && entering >= 0 && entering <= artificial());
    const double p = column_[row];
    if (!(std::abs(p) > 0)) return false;
    const Eigen::RowVectorXd pivotRow = inverse_.row(row) / p;
    const double pivotValue = value_[row] / p;
    VectorXd factor = column_;
    factor[row] = 0;
    inverse_.noalias() -= factor * pivotRow;
    value_ -= pivotValue * factor;
    inverse_.row(row) = pivotRow;
    value_[row] = pivotValue;
    basis_[static_cast<size_t>(row)] = entering;
    return pivots % kPivotsBetweenChecks != 0 || drift() <= kMostDrift || factorise();
  }

  double drift() const {
    VectorXd difference = -q_;
    for (int i = 0; i < n_; ++i) difference += value_[i] * columnOf(basis_[static_cast<size_t>(i)]);
    return difference.allFinite() ? largest(difference) : std::numeric_limits<double>::infinity();
  }

  bool factorise() {
    RowMajor B(n_, n_);
    for (int i = 0; i < n_; ++i) B.col(i) = columnOf(basis_[static_cast<size_t>(i)]);
    const Eigen::PartialPivLU<RowMajor> lu(B);
    inverse_ = lu.inverse();
    value_ = inverse_ * q_;
    return inverse_.allFinite();
  }

  const RowMajor& M_;
  const VectorXd& q_;
  int n_;
  const LcpSettings& settings_;
  double pivotTolerance_;
  std::vector<int> basis_;
  RowMajor inverse_;
  VectorXd value_, column_;
};

// z anew from the set of its positive entries: M_ss z_s = -q_s, with one step of refinement.
VectorXd solvedFromBasis(const RowMajor& M, const VectorXd& q, const std::vector<int>& basic) {
  const auto m = static_cast<Eigen::Index>(basic.size());
  Eigen::MatrixXd S(m, m);
  VectorXd rhs(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    rhs[i] = -q[basic[static_cast<size_t>(i)]];
    for (Eigen::Index j = 0; j < m; ++j) S(i, j) = M(basic[static_cast<size_t>(i)], basic[static_cast<size_t>(j)]);
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(S);
  VectorXd z = lu.solve(rhs);
  z += lu.solve(rhs - S * z);
  VectorXd out = VectorXd::Zero(q.size());
  for (Eigen::Index i = 0; i < m; ++i) out[basic[static_cast<size_t>(i)]] = std::max(0.0, z[i]);
  return out;
}

double residualOf(const RowMajor& M, const VectorXd& q, const VectorXd& z) {
  if (q.size() == 0) return 0;
  if (!z.allFinite()) return std::numeric_limits<double>::infinity();
  const double unitW = std::max(1e-300, largest(q));
  const double largestEntry = M.cwiseAbs().maxCoeff();
  const double unitZ = largestEntry > 0 ? unitW / largestEntry : 1;
  return (z / unitZ).cwiseMin((M * z + q) / unitW).cwiseAbs().maxCoeff();
}

struct Path {
  LcpStatus status = LcpStatus::Singular;
  VectorXd z;
  long pivots = 0;
  double residual = 0;
};

Path followPath(const RowMajor& M, const VectorXd& q, const LcpSettings& settings, double pivotTolerance) {
  Lemke lemke(M, q, settings, pivotTolerance);
  Path path;
  path.status = lemke.run();
  path.pivots = lemke.pivots;
  path.z = lemke.z();
  path.residual = residualOf(M, q, path.z);
  if (path.status != LcpStatus::Solved) return path;
  const VectorXd again = solvedFromBasis(M, q, lemke.basicZ());
  const double residualAgain = residualOf(M, q, again);
  if (residualAgain <= path.residual) {
    path.z = again;
    path.residual = residualAgain;
  }
  if (!(path.residual <= settings.tolerance)) path.status = LcpStatus::Singular;
  return path;
}

}  // namespace

std::string toString(LcpStatus status) {
  switch (status) {
    case LcpStatus::Solved:
      return "solved";
    case LcpStatus::RayTermination:
      return "no solution found (ray termination)";
    case LcpStatus::IterationLimit:
      return "iteration limit";
    case LcpStatus::Singular:
      return "numerically singular";
    case LcpStatus::Stopped:
      return "stopped";
    default:
      return "contradictory equality rows";
  }
}

LcpResult solveLcp(const DenseMatrix& givenM, const std::vector<double>& givenQ, const LcpSettings& settings) {
  const int n = static_cast<int>(givenQ.size());
  requireMatrix(givenM, n, n, "M");
  requireVector(givenQ, n, "q");
  if (!(settings.tolerance > 0)) throw InvalidInput("settings.tolerance", text("must be > 0, is {}", settings.tolerance));

  // Units: rows by the largest |q|, z so that M's largest entry is 1.
  RowMajor M = mapOf(givenM);
  VectorXd q = mapOf(givenQ);
  const double unitM = n > 0 ? std::max(1e-300, M.cwiseAbs().maxCoeff()) : 1, unitQ = n > 0 ? std::max(1e-300, largest(q)) : 1;
  M /= unitM;
  q /= unitQ;

  Path path;
  for (const double pivotTolerance : kPivotTolerances) {
    Path trial = followPath(M, q, settings, pivotTolerance);
    const bool first = path.z.size() == 0, ended = trial.status == LcpStatus::Solved || trial.status == LcpStatus::Stopped;
    if (first || ended) path = std::move(trial);
    if (ended) break;
  }
  LcpResult result;
  result.status = path.status;
  result.pivots = path.pivots;
  result.residual = path.residual;
  const VectorXd w = unitQ * (M * path.z + q), z = unitQ / unitM * path.z;
  result.z.assign(z.data(), z.data() + n);
  result.w.assign(w.data(), w.data() + n);
  return result;
}

double lcpResidual(const DenseMatrix& M, const std::vector<double>& q, const std::vector<double>& z) {
  const int n = static_cast<int>(q.size());
  requireMatrix(M, n, n, "M");
  requireVector(z, n, "z");
  return residualOf(mapOf(M), mapOf(q), mapOf(z));
}

}  // namespace cairn::v0::reference
