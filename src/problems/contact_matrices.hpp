// The matrices of contact problems as Eigen sees them, and back.
#pragma once

#include "src/problems/eigen.hpp"

#include <cairn/contact_problem.hpp>

namespace cairn::v0 {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

EigenSparse toEigen(const SparseMatrix& m);
EigenSparse toEigen(const BlockMatrix& m);
SparseMatrix fromEigen(const EigenSparse& m);
// Blocks with an entry that is not 0, and the diagonal.
BlockMatrix toBlocks(const EigenSparse& m);
BlockMatrix symmetricPart(const BlockMatrix& m);

// Position of a block, -1: there is none.
int findBlock(const BlockMatrix& m, int row, int column);

inline Eigen::Map<const Eigen::VectorXd> vectorOf(const std::vector<double>& v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

// y = M x.
std::vector<double> multiply(const BlockMatrix& m, const std::vector<double>& x);
std::vector<double> multiply(const SparseMatrix& m, const std::vector<double>& x);
std::vector<double> multiplyTransposed(const SparseMatrix& m, const std::vector<double>& x);

}  // namespace cairn::v0
