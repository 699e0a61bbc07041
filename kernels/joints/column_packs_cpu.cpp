// Substitution through columns side by side: parts of a pack, of as many columns as a vector holds.
//
// The same bits, whatever the width: a number is the sum of the same products in the same order, and columns reach the rows below them one after the
// other.
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/joints/pack_numbers.hpp"

namespace cairn::v0 {
namespace {

using namespace beside;

// Columns first .. first + kWidth - 1 of a pack.
class PackPart {
 public:
  CAIRN_INLINE PackPart(const SystemView& view, const ColumnPack& pack, int first)
      : x_(view.vector),
        rows_(view.packs.rows + pack.firstRow + first),
        values_(view.packs.values + pack.value + first),
        forward_(view.packs.forward + (&pack - view.packs.packs) * (kPackColumns * kPackRows) + first),
        columns_(pack.columns - first < kWidth ? pack.columns - first : kWidth),
        below_(pack.below) {}

  CAIRN_INLINE void forward() const {
    V x[kPackRows];
    load(rows_, x);
    for (int i = 0; i < kPackRows; ++i) {
      V sum = x[i];
      for (int k = 0; k < i; ++k) sum -= diagonal(i, k) * x[k];
      x[i] = sum * diagonal(i, i);
      storeAt(forward_ + i * kPackColumns, x[i]);
    }
    double products[kMostBelow][kPackRows][kWidth];
    for (int b = 0; b < below_; ++b) {
      for (int r = 0; r < kPackRows; ++r) {
        V sum = V(0.0);
        for (int k = 0; k < kPackRows; ++k) sum += block(b, r, k) * x[k];
        storeAt(products[b][r], sum);
      }
    }
    // Several may have to do with the same row: column after column.
    for (int c = 0; c < columns_; ++c) {
      for (int b = 0; b < below_; ++b) {
        double* const to = x_ + rows_[(1 + b) * kPackColumns + c];
        for (int r = 0; r < kPackRows; ++r) to[r] -= products[b][r][c];
      }
    }
  }
  CAIRN_INLINE void back() const {
    V x[kPackRows];
    for (int i = 0; i < kPackRows; ++i) x[i] = loadAt(forward_ + i * kPackColumns);
    for (int b = 0; b < below_; ++b) {
      V y[kPackRows];
      load(rows_ + (1 + b) * kPackColumns, y);
      for (int r = 0; r < kPackRows; ++r) {
        for (int k = 0; k < kPackRows; ++k) x[k] -= block(b, r, k) * y[r];
      }
    }
    double found[kPackRows][kWidth];
    for (int i = kPackRows - 1; i >= 0; --i) {
      V sum = x[i];
      for (int k = i + 1; k < kPackRows; ++k) sum -= diagonal(k, i) * x[k];
      x[i] = sum * diagonal(i, i);
      storeAt(found[i], x[i]);
    }
    for (int c = 0; c < columns_; ++c) {
      for (int k = 0; k < kPackRows; ++k) x_[rows_[c] + k] = found[k][c];
    }
  }

 private:
  // Unknowns of one node for each column.
  CAIRN_INLINE void load(const int* rows, V (&x)[kPackRows]) const {
    const auto each = [this, rows](int k) { return LaneTraits<V>::fromLanes([this, rows, k](int lane) { return x_[rows[lane] + k]; }); };
    for (int k = 0; k < kPackRows; ++k) x[k] = each(k);
  }
  CAIRN_INLINE V diagonal(int row, int column) const { return loadAt(values_ + block::at(row, column) * kPackColumns); }
  CAIRN_INLINE V block(int b, int row, int column) const { return loadAt(values_ + (numbersOfColumn(b) + row * kPackRows + column) * kPackColumns); }

  double* const x_;
  const int* const rows_;
  const double* const values_;
  double* const forward_;
  const int columns_, below_;
};

}  // namespace

void StoreColumnPacks::onCpu(const TeamLoop&) const {
  for (int p = 0; p < view->packs.count; ++p) {
    const ColumnPack& pack = view->packs.packs[p];
    for (int c = 0; c < pack.columns; ++c) {
      if (isToFactorize(*view, view->packs.nodes[pack.firstNode + c])) storeInPack(*view, pack, c);
    }
  }
}

CAIRN_FLATTEN void forwardPack(const SystemView& view, const ColumnPack& pack) {
  for (int first = 0; first < pack.columns; first += kWidth) PackPart(view, pack, first).forward();
}
CAIRN_FLATTEN void backPack(const SystemView& view, const ColumnPack& pack) {
  for (int first = 0; first < pack.columns; first += kWidth) PackPart(view, pack, first).back();
}

}  // namespace cairn::v0
