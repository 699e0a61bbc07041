// Columns of the factor side by side, for substitution on a CPU: up to eight of one level, whose joints have three rows each, as have all that depend
// on them. Their numbers lie together, the first of each, then the second of each, so that a vector holds the same number of several columns. What is
// computed is what joint_substitution.hpp says, operation by operation, and a row is taken off its products in the same order.
//
// Structure: src/joints/column_packs.hpp.
#pragma once

#include "kernels/joints/joint_system.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

constexpr int kPackColumns = 8;  // of which a machine takes as many at a time as its vectors hold
constexpr int kPackRows = 3, kDiagonalNumbers = 6, kBlockNumbers = 9;
constexpr int kMostBelow = 8;  // blocks below the diagonal of a column

CAIRN_HD inline int numbersOfColumn(int below) { return kDiagonalNumbers + below * kBlockNumbers; }

// A column of a pack, once it is done, to where it lies side by side with others. Its blocks lie one after the other.
inline void storeInPack(const SystemView& view, const ColumnPack& pack, int column) {
  const SystemNode& node = view.nodes[view.packs.nodes[pack.firstNode + column]];
  const double* const from = view.values + view.blocks[node.firstBlock].value;
  double* const to = view.packs.values + pack.value + column;
  const int count = numbersOfColumn(pack.below);
  for (int k = 0; k < count; ++k) to[k * kPackColumns] = from[k];
}
// The columns of components that lack a factor, which somebody has just made.
struct StoreColumnPacks {
  const SystemView* view;
  void onCpu(const TeamLoop& team) const;
};
// Diagonals side by side, before any elimination and as what is left of them, to their factors: block::factorizeOf for each.
void factorizeInPack(double (&diagonals)[kDiagonalNumbers][kPackColumns], const double (&whole)[kPackRows][kPackColumns]);
// A pack's part of L y = r, and of L^T lambda = S y.
void forwardPack(const SystemView& view, const ColumnPack& pack);
void backPack(const SystemView& view, const ColumnPack& pack);

}  // namespace cairn::v0
