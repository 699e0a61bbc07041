#include "src/problems/contact_matrices.hpp"

#include <algorithm>
#include <cassert>

namespace cairn::v0 {

EigenSparse toEigen(const SparseMatrix& m) {
  return Eigen::Map<const EigenSparse>(m.rows, m.columns, static_cast<Eigen::Index>(m.column.size()), m.rowStart.data(), m.column.data(),
                                       m.values.data());
}

EigenSparse toEigen(const BlockMatrix& m) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(m.values.size());
  for (int row = 0; row < m.blockRows; ++row) {
    for (int k = m.rowStart[static_cast<size_t>(row)]; k < m.rowStart[static_cast<size_t>(row) + 1]; ++k) {
      const int column = m.column[static_cast<size_t>(k)];
      for (int i = 0; i < 9; ++i)
        entries.emplace_back(3 * row + i / 3, 3 * column + i % 3, m.values[9 * static_cast<size_t>(k) + static_cast<size_t>(i)]);
    }
  }
  EigenSparse out(3 * m.blockRows, 3 * m.blockRows);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

SparseMatrix fromEigen(const EigenSparse& from) {
  EigenSparse m = from;
  m.makeCompressed();
  SparseMatrix out;
  out.rows = static_cast<int>(m.rows());
  out.columns = static_cast<int>(m.cols());
  out.rowStart.assign(m.outerIndexPtr(), m.outerIndexPtr() + m.rows() + 1);
  out.column.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
  out.values.assign(m.valuePtr(), m.valuePtr() + m.nonZeros());
  return out;
}

BlockMatrix toBlocks(const EigenSparse& m) {
  assert(m.rows() == m.cols() && m.rows() % 3 == 0);
  BlockMatrix out;
  out.blockRows = static_cast<int>(m.rows() / 3);
  out.rowStart = {0};
  std::vector<int> blockOf(static_cast<size_t>(out.blockRows), -1);
  for (int row = 0; row < out.blockRows; ++row) {
    std::vector<int> columns{row};
    for (int d = 0; d < 3; ++d) {
      for (EigenSparse::InnerIterator it(m, 3 * row + d); it; ++it) {
        if (it.value() != 0) columns.push_back(static_cast<int>(it.col()) / 3);
      }
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const size_t first = out.column.size();
    for (size_t k = 0; k < columns.size(); ++k) blockOf[static_cast<size_t>(columns[k])] = static_cast<int>(first + k);
    out.column.insert(out.column.end(), columns.begin(), columns.end());
    out.values.resize(9 * out.column.size(), 0);
    for (int d = 0; d < 3; ++d) {
      for (EigenSparse::InnerIterator it(m, 3 * row + d); it; ++it) {
        if (it.value() == 0) continue;
        const auto block = static_cast<size_t>(blockOf[static_cast<size_t>(it.col() / 3)]);
        out.values[9 * block + 3 * static_cast<size_t>(d) + static_cast<size_t>(it.col() % 3)] = it.value();
      }
    }
    out.rowStart.push_back(static_cast<int>(out.column.size()));
  }
  return out;
}

BlockMatrix symmetricPart(const BlockMatrix& m) {
  const EigenSparse full = toEigen(m);
  return toBlocks(0.5 * (full + EigenSparse(full.transpose())));
}

int findBlock(const BlockMatrix& m, int row, int column) {
  assert(row >= 0 && row < m.blockRows && column >= 0 && column < m.blockRows);
  const auto begin = m.column.begin() + m.rowStart[static_cast<size_t>(row)], end = m.column.begin() + m.rowStart[static_cast<size_t>(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? static_cast<int>(found - m.column.begin()) : -1;
}

std::vector<double> multiply(const BlockMatrix& m, const std::vector<double>& x) {
  assert(x.size() == 3 * static_cast<size_t>(m.blockRows));
  std::vector<double> y(x.size(), 0);
  for (int row = 0; row < m.blockRows; ++row) {
    double* out = y.data() + 3 * row;
    for (int k = m.rowStart[static_cast<size_t>(row)]; k < m.rowStart[static_cast<size_t>(row) + 1]; ++k) {
      const double* block = m.values.data() + 9 * static_cast<size_t>(k);
      const double* in = x.data() + 3 * m.column[static_cast<size_t>(k)];
      for (int d = 0; d < 3; ++d) out[d] += block[3 * d] * in[0] + block[3 * d + 1] * in[1] + block[3 * d + 2] * in[2];
    }
  }
  return y;
}

std::vector<double> multiply(const SparseMatrix& m, const std::vector<double>& x) {
  assert(x.size() == static_cast<size_t>(m.columns));
  std::vector<double> y(static_cast<size_t>(m.rows), 0);
  for (size_t row = 0; row < y.size(); ++row) {
    for (int k = m.rowStart[row]; k < m.rowStart[row + 1]; ++k) {
      y[row] += m.values[static_cast<size_t>(k)] * x[static_cast<size_t>(m.column[static_cast<size_t>(k)])];
    }
  }
  return y;
}

std::vector<double> multiplyTransposed(const SparseMatrix& m, const std::vector<double>& x) {
  assert(x.size() == static_cast<size_t>(m.rows));
  std::vector<double> y(static_cast<size_t>(m.columns), 0);
  for (size_t row = 0; row < x.size(); ++row) {
    for (int k = m.rowStart[row]; k < m.rowStart[row + 1]; ++k) {
      y[static_cast<size_t>(m.column[static_cast<size_t>(k)])] += m.values[static_cast<size_t>(k)] * x[row];
    }
  }
  return y;
}

}  // namespace cairn::v0
