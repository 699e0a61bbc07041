// The passes over contact rows on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/tile_runner.hpp"

namespace cairn {

template <class T, class Body> void overRowsOnCpu(ThreadTeam& team, const RowView<T>& rows, const Body& body) {
  runTiles(team, rows, body, 0, rows.tileCount);
}

#define CAIRN_INSTANTIATE_ROWS(T, Body) template void overRowsOnCpu(ThreadTeam&, const RowView<T>&, const Body<T>&);
#define CAIRN_INSTANTIATE_ALL(T)             \
  CAIRN_INSTANTIATE_ROWS(T, UpdateBias)      \
  CAIRN_INSTANTIATE_ROWS(T, UpdateSilcowitz) \
  CAIRN_INSTANTIATE_ROWS(T, RollArms)        \
  CAIRN_INSTANTIATE_ROWS(T, UpdateSlip)      \
  CAIRN_INSTANTIATE_ROWS(T, MeasureGaps)     \
  CAIRN_INSTANTIATE_ROWS(T, BeginConjugate)  \
  CAIRN_INSTANTIATE_ROWS(T, GradientNorm)
CAIRN_INSTANTIATE_ALL(float)
CAIRN_INSTANTIATE_ALL(double)
#undef CAIRN_INSTANTIATE_ALL
#undef CAIRN_INSTANTIATE_ROWS

}  // namespace cairn
