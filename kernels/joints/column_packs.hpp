// Columns of the factor side by side, on a CPU: up to eight of one level, whose joints have three rows each, as have all that depend
// on them. Their numbers lie together, the first of each, then the second of each, so that a vector holds the same number of several columns. What is
// computed is what joint_factor.hpp and joint_substitution.hpp say, operation by operation, and a row is taken off its products in the same order.
//
// Structure: src/joints/column_packs.hpp.
#pragma once

#include "kernels/joints/joint_system.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

constexpr int kPackColumns = 8;  // of which a machine takes as many at a time as its vectors hold
constexpr int kPackRows = 3, kDiagonalNumbers = 6, kBlockNumbers = 9;
constexpr int kMostBelow = 8;  // blocks below the diagonal of a column

// Such a joint has its three rows at all times.
inline bool hasThreeRows(const SystemNode& node) { return node.holdsPoint != 0 && node.rows == kPackRows; }
// Where the arm of a node's joint on body B or A is, in arms as single numbers.
inline int armPlace(int node, int isB) { return (2 * node + (isB != 0 ? 1 : 0)) * int(sizeof(Vec3<double>) / sizeof(double)); }

CAIRN_HD inline int numbersOfColumn(int below) { return kDiagonalNumbers + below * kBlockNumbers; }

// A column of a pack, once it is done, to where it lies side by side with others. Its blocks lie one after the other; what it lacks stays zero.
inline void storeInPack(const SystemView& view, const ColumnPack& pack, int column) {
  const SystemNode& node = view.nodes[view.packs.nodes[pack.firstNode + column]];
  const double* const from = view.values + view.blocks[node.firstBlock].value;
  double* const to = view.packs.values + pack.value + column;
  const int count = numbersOfColumn(node.blockCount - 1);
  for (int k = 0; k < count; ++k) to[k * kPackColumns] = from[k];
}
// The columns of components that lack a factor, which somebody has just made.
struct StoreColumnPacks {
  const SystemView* view;
  void onCpu(const TeamLoop& team) const;
};
// A pack whose columns all lack their factor, if it has sources: what they are made of, rows of kPackColumns numbers, one a column, in the order in
// which they are read.
//   where the diagonal lies in values; whether a component has a loop (one number), and if so 1 for those that have
//   for sides A and B of its joint: the slot of the body, -1 if it takes no impulses, and where the arm is, in arms as single numbers
//   of the diagonal, then of each block below:
//     below, where it lies in values, which is behind the zeros for columns that lack it
//     below, how many contributions there are (one number), and of each: by side B of the column's joint (1) or A (0), with which sign, and where
//       the row's arm is; the sign is 0 for columns that have fewer
//     how many updates there are (one number), and of each: where in values the left block is and, below, the right one; zeros behind the last
//       block, for columns that have fewer
// Where the columns before that take something off these have other than three rows, there are none.
constexpr int kNoSource = -1;
template <class T> struct FactorBlock;
template <class T> void factorPack(const FactorBlock<T>& factor, const ColumnPack& pack);
// A pack's part of L y = r, and of L^T lambda = S y.
void forwardPack(const SystemView& view, const ColumnPack& pack);
void backPack(const SystemView& view, const ColumnPack& pack);

}  // namespace cairn::v0
