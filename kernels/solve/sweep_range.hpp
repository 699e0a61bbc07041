// Which sweeps of how many.
#pragma once

namespace cairn::v0 {

// `count` sweeps from `first` on, of so many in `all`.
struct SweepRange {
  int first, count, all;
};
inline SweepRange allSweeps(int count) { return {0, count, count}; }

}  // namespace cairn::v0
