// Rows on the CPU, tile by tile: what is filled lane by lane is still in the caches when packs of lanes come for the masses.
#include "kernels/rows/pack.hpp"
#include "kernels/rows/prepare_row.hpp"
#include "kernels/runtime/fetch.hpp"

#include <algorithm>
#include <cstring>

namespace cairn::v0 {
namespace {

template <class T> struct PackFields {
  T* first;
  Pack<T> get(int field) const { return LaneTraits<Pack<T>>::load(first + field * kStripOnCpu); }
  void put(int field, Pack<T> value) const { LaneTraits<Pack<T>>::store(first + field * kStripOnCpu, value); }
};

// Of the lanes that are due; the others keep what they have.
template <class T> struct FieldsDue {
  PackFields<T> all;
  typename Pack<T>::Mask due;
  Pack<T> get(int field) const { return all.get(field); }
  void put(int field, Pack<T> value) const { all.put(field, select(due, value, all.get(field))); }
};

template <class T> PackFields<T> fieldsFrom(const PrepareRow<T>& prepare, int slot) { return {laneFields(prepare.rows, slot, kStripOnCpu)}; }
template <class T> CAIRN_FLATTEN void putMassesDue(const PrepareRow<T>& prepare, int slot, Pack<T> due) {
  prepare.masses.template at<Pack<T>>(slot, FieldsDue<T>{fieldsFrom(prepare, slot), due > Pack<T>(T(0))});
}
// Rows that are due are filled one by one, and get their masses in packs where a pack has several.
template <class T, class Row> void prepareDue(const Row& row, int first) {
  T due[Pack<T>::kWidth];
  int count = 0, last = 0;
  for (int lane = 0; lane < Pack<T>::kWidth; ++lane) {
    const bool isDue = row.isDue(first + lane);
    due[lane] = T(isDue ? 1 : 0);
    if (!isDue) continue;
    row.fill(first + lane);
    last = first + lane;
    ++count;
  }
  if (count == 1) row.prepare.putMasses(last);
  if (count > 1) putMassesDue(row.prepare, first, LaneTraits<Pack<T>>::load(due));
}

template <class T, class RunTile> void overTiles(const PrepareRow<T>& prepare, const TeamLoop& team, const RunTile& runTile) {
  const int tiles = prepare.rows.tileCount;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int tile = static_cast<int>(begin); tile < end; ++tile) runTile(tile * kTileLanes, tile * kTileLanes + prepare.preparedLanes(tile));
  };
  if (tiles < kSerialTiles) return run(0, tiles);
  team.run(tiles, run);
}
template <class T, class Row> void overDue(const Row& row, const TeamLoop& team) {
  overTiles(row.prepare, team, [&](int first, int last) {
    for (int slot = first; slot < last; slot += Pack<T>::kWidth) prepareDue<T>(row, slot);
  });
}

// A function of its own: g++ warns of numbers that are not there where it sees through to who calls.
template <class T> [[gnu::noinline]] CAIRN_FLATTEN void putMasses(const PrepareRow<T>& prepare, int slot, const PackFields<T>& fields) {
  prepare.masses.template at<Pack<T>>(slot, fields);
}

}  // namespace

// Manifolds lie in the order of the pairs, rows in that of the colours: no prefetcher of the machine's knows which is next.
constexpr int kRowsAhead = kStripOnCpu;
template <class T> CAIRN_FETCH void fetchManifold(const PrepareRow<T>& prepare, int slot) {
  if (slot >= prepare.rows.tileCount * kTileLanes) return;
  const int index = prepare.rows.manifold[slot];
  if (index < 0) return;
  fetch(prepare.manifolds + index);
  if (prepare.warmStart != nullptr) fetch(prepare.warmStart + index);
}

// A strip is made beside the rows and written as a whole: lane by lane, each number another line of memory, stores wait for what they overwrite.
// In lanes that no pack of this level reads there may be anything.
template <class T> void PrepareTiles<T>::onCpu(const TeamLoop& team) const {
  overTiles(*prepare, team, [this](int first, int last) {
    alignas(64) T strip[tileFields(kMaxManifoldPoints) * kStripOnCpu];
    const RowView<T>& rows = prepare->rows;
    const size_t size = sizeof(T) * kStripOnCpu * size_t(tileFields(rows.tilePoints[first / kTileLanes]));
    const int end = first + rows.tileLanes[first / kTileLanes];
    for (int slot = first; slot < last; slot += kStripOnCpu) {
      const int lanes = std::min(kStripOnCpu, (end - slot + Pack<T>::kWidth - 1) / Pack<T>::kWidth * Pack<T>::kWidth);
      for (int lane = 0; lane < lanes; ++lane) {
        fetchManifold(*prepare, slot + lane + kRowsAhead);
        prepare->fill(slot + lane, SlotFields<T>(strip + lane, kStripOnCpu));
      }
      for (int lane = 0; lane < lanes; lane += Pack<T>::kWidth) putMasses(*prepare, slot + lane, PackFields<T>{strip + lane});
      std::memcpy(laneFields(rows, slot, kStripOnCpu), strip, size);
    }
  });
}
template <class T> void PrepareTurningTiles<T>::onCpu(const TeamLoop& team) const { overDue<T>(*row, team); }
template <class T> void RefreshTurningTiles<T>::onCpu(const TeamLoop& team) const { overDue<T>(*row, team); }
template <class T> void CountPackLanes<T>::onCpu(const TeamLoop&) const { *lanes = kPackLanes<T>; }

CpuPass preparePass(int place) { return PreparePasses::at(place); }

}  // namespace cairn::v0
