// Small dense blocks, the pieces of a sparse factor: up to six rows and columns, one row after the other; triangles packed, row after row.
#pragma once

#include <cairn/math.hpp>

namespace cairn::v0::block {

// A pivot below these parts of its own, within its block and before any elimination, is no pivot: what it stands for is asked for already.
constexpr double kMinPivotInBlock = 1e-9, kMinPivot = 1e-13;

CAIRN_HD inline int at(int row, int column) { return row * (row + 1) / 2 + column; }

// In place; the diagonal holds inverses, zero where there is no pivot: such a row gets no answer.
template <int n> CAIRN_HD inline void factorizeOf(double* m, const double* whole) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      double sum = m[at(i, j)];
      for (int k = 0; k < j; ++k) sum -= m[at(i, k)] * m[at(j, k)];
      m[at(i, j)] = sum * m[at(j, j)];
    }
    const double before = m[at(i, i)];
    double sum = before;
    for (int k = 0; k < i; ++k) sum -= m[at(i, k)] * m[at(i, k)];
    m[at(i, i)] = sum > kMinPivotInBlock * before && sum > kMinPivot * whole[i] ? 1 / squareRoot(sum) : 0;
  }
}
// x := L^-1 x, and x := L^-T x.
template <int n, class V> CAIRN_HD inline void forwardOf(const V* l, V* x) {
  for (int i = 0; i < n; ++i) {
    V sum = x[i];
    for (int k = 0; k < i; ++k) sum -= l[at(i, k)] * x[k];
    x[i] = sum * l[at(i, i)];
  }
}
template <int n> CAIRN_HD inline void backwardOf(const double* l, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= l[at(k, i)] * x[k];
    x[i] = sum * l[at(i, i)];
  }
}

// Loops of a size that the compiler knows: visit.at<n>(). Three is what point joints have: where they are beside each other both sizes are known.
template <class Visit> CAIRN_HD inline void withRows(int n, const Visit& visit) {
  switch (n) {
    case 3:
      return visit.template at<3>();
    case 5:
      return visit.template at<5>();
    case 6:
      return visit.template at<6>();
    case 4:
      return visit.template at<4>();
    case 2:
      return visit.template at<2>();
    default:
      return visit.template at<1>();
  }
}
struct Factorize {
  double* m;
  const double* whole;
  template <int n> CAIRN_HD void at() const { factorizeOf<n>(m, whole); }
};
struct Forward {
  const double* l;
  double* x;
  template <int n> CAIRN_HD void at() const { forwardOf<n>(l, x); }
};
struct Backward {
  const double* l;
  double* x;
  template <int n> CAIRN_HD void at() const { backwardOf<n>(l, x); }
};
// Each row of a block below the diagonal, divided by its column's pivots.
struct Divide {
  const double* l;
  double* x;
  int rows;
  double sign;
  template <int n> CAIRN_HD void at() const { n == 3 && rows == 3 ? over<n>(3) : over<n>(rows); }
  template <int n> CAIRN_HD void over(int count) const {
    for (int r = 0; r < count; ++r) {
      forwardOf<n>(l, x + r * n);
      for (int k = 0; k < n; ++k) x[r * n + k] *= sign;
    }
  }
};
// out -= sign * left * right^T, both with n columns; of a diagonal block the lower triangle.
struct SubtractProduct {
  double* out;
  const double* left;
  const double* right;
  int rows, columns;
  bool triangle;
  double sign;
  template <int n> CAIRN_HD void at() const { n == 3 && rows == 3 && columns == 3 ? over<n>(3, 3) : over<n>(rows, columns); }
  template <int n> CAIRN_HD void over(int height, int width) const {
    for (int r = 0; r < height; ++r) {
      const int end = triangle ? r + 1 : width;
      for (int c = 0; c < end; ++c) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += left[r * n + k] * right[c * n + k];
        out[triangle ? r * (r + 1) / 2 + c : r * width + c] -= sign * sum;
      }
    }
  }
};

// x -= B y, or x -= B^T y.
struct SubtractRows {
  const double* b;
  const double* y;
  double* x;
  int rows;
  template <int n> CAIRN_HD void at() const { n == 3 && rows == 3 ? over<n>(3) : over<n>(rows); }
  template <int n> CAIRN_HD void over(int count) const {
    for (int r = 0; r < count; ++r) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += b[r * n + k] * y[k];
      x[r] -= sum;
    }
  }
};
struct SubtractColumns {
  const double* b;
  const double* y;
  double* x;
  int rows;
  template <int n> CAIRN_HD void at() const { n == 3 && rows == 3 ? over<n>(3) : over<n>(rows); }
  template <int n> CAIRN_HD void over(int count) const {
    for (int r = 0; r < count; ++r) {
      for (int k = 0; k < n; ++k) x[k] -= b[r * n + k] * y[r];
    }
  }
};

}  // namespace cairn::v0::block
