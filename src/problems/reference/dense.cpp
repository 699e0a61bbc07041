#include "src/problems/reference/dense.hpp"

#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <cmath>

namespace cairn::v0::reference {
namespace {

void requireFinite(const std::vector<double>& values, const char* name) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw InvalidInput(text("{}/{}", name, i), "must be a finite number");
  }
}

}  // namespace

void requireMatrix(const DenseMatrix& m, int rows, int columns, const char* name) {
  if (m.rows != rows || m.columns != columns || m.values.size() != static_cast<size_t>(rows) * static_cast<size_t>(columns)) {
    throw InvalidInput(name, text("must be {} x {}, is {} x {} with {} values", rows, columns, m.rows, m.columns, m.values.size()));
  }
  requireFinite(m.values, name);
}

void requireVector(const std::vector<double>& v, int size, const char* name) {
  if (v.size() != static_cast<size_t>(size)) throw InvalidInput(name, text("must have {} entries, has {}", size, v.size()));
  requireFinite(v, name);
}

}  // namespace cairn::v0::reference
