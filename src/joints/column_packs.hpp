// Which columns of the joints' factor lie side by side for a CPU's substitution (kernels/joints/column_packs.hpp).
#pragma once

#include "src/joints/symbolic_factor.hpp"

#include <vector>

namespace cairn::v0 {

struct ColumnPacks {
  std::vector<ColumnPack> packs;
  std::vector<int> nodes, rows;
  int64_t values = 0;
};

// Makes packOrder and packLevels: part after part of the system, of which each fits the caches, in each level after level, in each columns of one
// shape one after the other. They stay empty where less than half of all columns come into packs by that.
void sortForPacks(SymbolicFactor& factor);
// Packs in that order; none without it.
ColumnPacks makeColumnPacks(const SymbolicFactor& factor);

}  // namespace cairn::v0
