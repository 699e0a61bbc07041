// Lemke's method: textbook problems, random matrices by the thousand, degenerate and unsolvable ones.
#include <cairn/error.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn::reference {
namespace {

DenseMatrix matrix(int n, std::vector<double> values) { return {n, n, std::move(values)}; }

void expectSolution(const LcpResult& result, const std::vector<double>& z) {
  ASSERT_EQ(result.status, LcpStatus::Solved) << toString(result.status);
  ASSERT_EQ(result.z.size(), z.size());
  for (size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(result.z[i], z[i], 1e-12) << "entry " << i;
  EXPECT_LT(result.residual, 1e-12);
}

// A x A^T of a random factor with the given number of columns: positive semidefinite of that rank.
DenseMatrix gram(std::mt19937& random, int n, int rank) {
  std::normal_distribution<double> normal;
  std::vector<double> factor(static_cast<size_t>(n * rank));
  for (double& value : factor) value = normal(random);
  DenseMatrix m = DenseMatrix::zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < rank; ++k) m.at(i, j) += factor[static_cast<size_t>(i * rank + k)] * factor[static_cast<size_t>(j * rank + k)];
    }
  }
  return m;
}

TEST(Lcp, TextbookProblems) {
  // Positive q: nothing to do.
  expectSolution(solveLcp(matrix(2, {2, 1, 1, 2}), {1, 3}), {0, 0});
  // Murty, "Linear Complementarity, Linear and Nonlinear Programming", 1988, example 1.2: M = [2 1; 1 2], q = (-5, -6).
  expectSolution(solveLcp(matrix(2, {2, 1, 1, 2}), {-5, -6}), {4.0 / 3, 7.0 / 3});
  // Cottle, Pang and Stone 1992, example 4.4.7: its solution is unique.
  expectSolution(solveLcp(matrix(3, {1, 0, 0, 2, 1, 0, 2, 2, 1}), {-8, -12, -14}), {8, 0, 0});
  // Murty's matrix of size n, on which pivots may take exponentially many steps; q = -1: z = (0, .., 0, 1).
  const int n = 8;
  DenseMatrix m = DenseMatrix::zero(n, n);
  for (int i = 0; i < n; ++i) {
    m.at(i, i) = 1;
    for (int j = i + 1; j < n; ++j) m.at(i, j) = 2;
  }
  std::vector<double> z(n, 0.0);
  z.back() = 1;
  expectSolution(solveLcp(m, std::vector<double>(n, -1.0)), z);
  expectSolution(solveLcp(DenseMatrix{}, {}), {});
}

TEST(Lcp, LinearProgramsAndQuadraticProgramsComeOut) {
  // max 3 x + 2 y with x + y <= 4, x + 3 y <= 6, x <= 3 as a complementarity problem: x = 3, y = 1.
  const LcpResult result = solveLcp(matrix(5, {0,  0,  1, 1, 1,  //
                                               0,  0,  1, 3, 0,  //
                                               -1, -1, 0, 0, 0,  //
                                               -1, -3, 0, 0, 0,  //
                                               -1, 0,  0, 0, 0}),
                                    {-3, -2, 4, 6, 3});
  ASSERT_EQ(result.status, LcpStatus::Solved);
  EXPECT_NEAR(result.z[0], 3, 1e-12);
  EXPECT_NEAR(result.z[1], 1, 1e-12);
}

TEST(Lcp, NoSolutionIsSaid) {
  // w_1 = -1 - z_1 can not be positive.
  EXPECT_EQ(solveLcp(matrix(1, {-1}), {-1}).status, LcpStatus::RayTermination);
  // An infeasible linear program: x <= -1, x >= 0.
  EXPECT_EQ(solveLcp(matrix(2, {0, 1, -1, 0}), {1, -1}).status, LcpStatus::RayTermination);
  EXPECT_EQ(solveLcp(matrix(1, {0}), {-1}).status, LcpStatus::RayTermination);
}

TEST(Lcp, RandomPositiveDefiniteMatrices) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const int n = 1 + static_cast<int>(seed % 20);
    DenseMatrix m = gram(random, n, n);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) {
      m.at(i, i) += 0.1;
      // A skew part keeps a P-matrix.
      for (int j = 0; j < i; ++j) {
        const double skew = normal(random);
        m.at(i, j) += skew;
        m.at(j, i) -= skew;
      }
    }
    std::vector<double> q;
    for (int i = 0; i < n; ++i) q.push_back(normal(random));
    const LcpResult result = solveLcp(m, q);
    ASSERT_EQ(result.status, LcpStatus::Solved) << "seed " << seed;
    ASSERT_LT(result.residual, 1e-9) << "seed " << seed;
  }
}

TEST(Lcp, RandomSemidefiniteMatricesWithASolution) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const int n = 2 + static_cast<int>(seed % 24), rank = 1 + static_cast<int>(random() % static_cast<unsigned>(n));
    const DenseMatrix m = gram(random, n, rank);
    // q = w - M z for complementary z and w >= 0: feasible, so a solution exists.
    std::uniform_real_distribution<double> uniform(0.1, 1);
    std::vector<double> q(static_cast<size_t>(n), 0.0);
    for (int j = 0; j < n; ++j) {
      if (random() % 2 == 0) {
        q[static_cast<size_t>(j)] += uniform(random);
        continue;
      }
      const double z = uniform(random);
      for (int i = 0; i < n; ++i) q[static_cast<size_t>(i)] -= m.at(i, j) * z;
    }
    const LcpResult result = solveLcp(m, q);
    ASSERT_EQ(result.status, LcpStatus::Solved) << "seed " << seed << ": " << toString(result.status);
    ASSERT_LT(result.residual, 1e-8) << "seed " << seed;
  }
}

TEST(Lcp, DegenerateProblemsEnd) {
  // Whole numbers, few of them different: ties at every step.
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    const int n = 3 + static_cast<int>(seed % 12);
    DenseMatrix factor = DenseMatrix::zero(n, n), m = DenseMatrix::zero(n, n);
    for (double& value : factor.values) value = static_cast<int>(random() % 3) - 1;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) m.at(i, j) += factor.at(i, k) * factor.at(j, k);
      }
    }
    std::vector<double> q;
    for (int i = 0; i < n; ++i) q.push_back(-static_cast<int>(random() % 2));
    const LcpResult result = solveLcp(m, q);
    ASSERT_NE(result.status, LcpStatus::IterationLimit) << "seed " << seed;
    if (result.status == LcpStatus::Solved) {
      ASSERT_LT(result.residual, 1e-8) << "seed " << seed;
    }
  }
}

TEST(Lcp, WithoutTheLexicographicRuleTiesCycle) {
  // Small whole numbers and q = -1: every row of the first ratio test is tied.
  int cycles = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const int n = 3 + static_cast<int>(seed % 12);
    DenseMatrix m = DenseMatrix::zero(n, n);
    for (double& value : m.values) value = static_cast<int>(random() % 5) - 2;
    const std::vector<double> q(static_cast<size_t>(n), -1.0);
    LcpSettings firstOfTies;
    firstOfTies.lexicographic = false;
    cycles += solveLcp(m, q, firstOfTies).status == LcpStatus::IterationLimit ? 1 : 0;
    ASSERT_NE(solveLcp(m, q).status, LcpStatus::IterationLimit) << "seed " << seed;
  }
  EXPECT_GT(cycles, 10);
}

TEST(Lcp, BealesDegenerateProgramIsSolved) {
  // On this linear program (Beale 1955) the simplex method with the first of tied rows cycles; here as a complementarity problem: costs, rows.
  const double c[4] = {-0.75, 150, -0.02, 6};
  const double A[3][4] = {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}};
  const double b[3] = {0, 0, 1};
  DenseMatrix m = DenseMatrix::zero(7, 7);
  std::vector<double> q(7);
  for (int j = 0; j < 4; ++j) {
    q[static_cast<size_t>(j)] = c[j];
    for (int i = 0; i < 3; ++i) {
      m.at(j, 4 + i) = A[i][j];
      m.at(4 + i, j) = -A[i][j];
    }
  }
  for (int i = 0; i < 3; ++i) q[static_cast<size_t>(4 + i)] = b[i];
  const LcpResult result = solveLcp(m, q);
  ASSERT_EQ(result.status, LcpStatus::Solved) << toString(result.status);
  // The optimum of Beale's example is -1/20.
  double cost = 0;
  for (int j = 0; j < 4; ++j) cost += c[j] * result.z[static_cast<size_t>(j)];
  EXPECT_NEAR(cost, -0.05, 1e-12);
}

TEST(Lcp, UnitsDoNotMatter) {
  for (const double unit : {1e-12, 1e-3, 1e9}) {
    const LcpResult result = solveLcp(matrix(2, {2 * unit, unit, unit, 2 * unit}), {-5e-6, -6e-6});
    ASSERT_EQ(result.status, LcpStatus::Solved);
    EXPECT_NEAR(result.z[0] * unit, 4e-6 / 3, 1e-17);
  }
}

TEST(Lcp, BadInputIsRefused) {
  EXPECT_THROW(solveLcp(matrix(2, {1, 0, 0, 1}), {1}), InvalidInput);
  EXPECT_THROW(solveLcp(matrix(2, {1, 0, 0}), {1, 1}), InvalidInput);
  EXPECT_THROW(solveLcp(matrix(1, {std::nan("")}), {1}), InvalidInput);
  EXPECT_THROW(solveLcp(matrix(1, {1}), {std::nan("")}), InvalidInput);
}

MixedLcp bouncedMass(double target) {
  // One mass of 2 kg with velocities v = v0 + (u + n)/2; the equality row asks for v_x = target, contact for v_y >= 0; v0 = (1, -3).
  MixedLcp p;
  p.A = matrix(1, {0.5});
  p.C = DenseMatrix{1, 1, {0.0}};
  p.D = DenseMatrix{1, 1, {0.0}};
  p.B = matrix(1, {0.5});
  p.a = {1 - target};
  p.b = {-3};
  return p;
}

TEST(MixedLcp, EqualityRowsAreEliminated) {
  const MixedLcpResult result = solveMixedLcp(bouncedMass(4));
  ASSERT_EQ(result.lcp.status, LcpStatus::Solved);
  EXPECT_NEAR(result.u[0], 6, 1e-12);
  EXPECT_NEAR(result.lcp.z[0], 6, 1e-12);
  EXPECT_LT(result.equalityResidual, 1e-12);
}

TEST(MixedLcp, RedundantRowsAreFineAndContradictoryOnesSaid) {
  MixedLcp p;
  p.A = matrix(2, {1, 1, 1, 1});
  p.C = DenseMatrix{2, 1, {1, 1}};
  p.D = DenseMatrix{1, 2, {1, 1}};
  p.B = matrix(1, {3});
  p.a = {-2, -2};
  p.b = {-4};
  const MixedLcpResult redundant = solveMixedLcp(p);
  ASSERT_EQ(redundant.lcp.status, LcpStatus::Solved);
  EXPECT_LT(redundant.equalityResidual, 1e-12);
  EXPECT_NEAR(redundant.u[0], redundant.u[1], 1e-12) << "the shortest";
  p.a = {-2, -3};
  EXPECT_EQ(solveMixedLcp(p).lcp.status, LcpStatus::Contradictory);
}

}  // namespace
}  // namespace cairn::reference
