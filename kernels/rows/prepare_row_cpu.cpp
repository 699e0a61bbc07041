// Rows on the CPU, tile by tile: what is filled lane by lane is still in the caches when packs of lanes come for the masses.
#include "kernels/rows/pack.hpp"
#include "kernels/rows/prepare_row.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct PackFields {
  T* first;
  Pack<T> get(int field) const { return LaneTraits<Pack<T>>::load(first + field * kStripOnCpu); }
  void put(int field, Pack<T> value) const { LaneTraits<Pack<T>>::store(first + field * kStripOnCpu, value); }
};

template <class T> CAIRN_FLATTEN void putMasses(const PrepareRow<T>& prepare, int slot) {
  prepare.masses.template at<Pack<T>>(slot, PackFields<T>{laneFields(prepare.rows, slot, kStripOnCpu)});
}

}  // namespace

template <class T> void PrepareTiles<T>::onCpu(const TeamLoop& team) const {
  const int tiles = prepare->rows.tileCount;
  const auto run = [this](int64_t begin, int64_t end) {
    for (int tile = static_cast<int>(begin); tile < end; ++tile) {
      const int first = tile * kTileLanes, last = first + prepare->preparedLanes(tile);
      for (int slot = first; slot < last; ++slot) prepare->fill(slot);
      for (int slot = first; slot < last; slot += Pack<T>::kWidth) putMasses(*prepare, slot);
    }
  };
  if (tiles < kSerialTiles) return run(0, tiles);
  team.run(tiles, run);
}

CpuPass preparePass(int place) { return PreparePasses::at(place); }

}  // namespace cairn::v0
