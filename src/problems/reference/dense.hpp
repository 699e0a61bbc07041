// Dense matrices of the reference as Eigen sees them, and the checks of its callers' input.
#pragma once

#include "src/problems/eigen.hpp"

#include <cairn/reference.hpp>

namespace cairn::v0::reference {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

// Throw InvalidInput, naming `name`, for another size and for entries that are not finite.
void requireMatrix(const DenseMatrix& m, int rows, int columns, const char* name);
void requireVector(const std::vector<double>& v, int size, const char* name);

inline Eigen::Map<const RowMajor> mapOf(const DenseMatrix& m) { return {m.values.data(), m.rows, m.columns}; }
inline Eigen::Map<RowMajor> mapOf(DenseMatrix& m) { return {m.values.data(), m.rows, m.columns}; }
inline Eigen::Map<const VectorXd> mapOf(const std::vector<double>& v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

inline double largest(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0; }

}  // namespace cairn::v0::reference
