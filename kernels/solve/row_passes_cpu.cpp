// The passes over contact rows on the CPU: packs of lanes within a tile, tiles over the threads.
#include "kernels/solve/row_passes.hpp"
#include "kernels/solve/tile_runner.hpp"

namespace cairn::v0 {

template <class T, class Body> void RowPass<T, Body>::onCpu(const TeamLoop& team) const { runTiles(team, *rows, *body, 0, rows->tileCount); }

CpuPass rowPass(int place) { return RowPasses::at(place); }

}  // namespace cairn::v0
