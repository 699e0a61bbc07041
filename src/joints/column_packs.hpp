// Which columns of the joints' factor lie side by side for a CPU's substitution (kernels/joints/column_packs.hpp).
#pragma once

#include "src/joints/symbolic_factor.hpp"

#include <vector>

namespace cairn::v0 {

struct ColumnPacks {
  std::vector<ColumnPack> packs;
  std::vector<int> nodes, rows, sources;
  int64_t values = 0;
};

// Sorts the nodes of each level so that columns of one shape follow each other, if at least half of all columns come into packs by that, and levels
// are not too long for the caches. Else they stay as they are, and the answer is no.
bool sortForPacks(SymbolicFactor& factor);
// Packs in the order of nodesByLevel; none where they are not sorted for them.
ColumnPacks makeColumnPacks(const SymbolicFactor& factor);

}  // namespace cairn::v0
