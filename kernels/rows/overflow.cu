// Overflow: which bodies the constraints that no colour holds act on, how many of them on each, and their changes added up (OverflowView says why).
//
// In: tiles of contacts and of joints. Out: sides by body, in CSR, and each body's number of parts. The sort is stable and the changes are added to a
// body in the order of its sides, so that no thread decides the order of a sum. Memory: 16 bytes a place, and 12 scalars for its changes.
#include "kernels/rows/overflow.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// Places of contacts, then those of joints; in each the lanes from the first overflow tile on.
struct OverflowSide {
  TileView contacts, joints;
  uint32_t* keys;
  int* sides;
  int* counts;
  int bodySlots;

  // Places beyond the lanes that there are touch no body.
  CAIRN_HD static int bodyAt(const TileView& tiles, int place, bool first) {
    const int slot = tiles.counts->firstOverflowTile * kTileLanes + place;
    if (slot >= tiles.counts->laneCount) return -1;
    return first ? tiles.bodyA[slot] : tiles.bodyB[slot];
  }
  CAIRN_HD void operator()(int side) const {
    const int place = side / 2, contactPlaces = contacts.overflowTiles * kTileLanes;
    const bool first = (side & 1) == 0;
    const int body = place < contactPlaces ? bodyAt(contacts, place, first) : bodyAt(joints, place - contactPlaces, first);
    keys[side] = static_cast<uint32_t>(body < 0 ? bodySlots : body);  // what is never written goes last
    sides[side] = side;
    if (body >= 0) atomicAddInt(counts + body, 1);
  }
};

template <class T> struct PartCount {
  const int* offsets;
  T* partCounts;
  CAIRN_HD void operator()(int body) const {
    const int k = offsets[body + 1] - offsets[body];
    partCounts[body] = T(k > 1 ? k : 1);
  }
};

template <class T> struct GatherOverflow {
  OverflowView<T> overflow;
  BodyVelocity<T>* velocities;

  CAIRN_HD void operator()(int body) const {
    const int begin = overflow.offsets[body], end = overflow.offsets[body + 1];
    if (begin == end || (overflow.stopped != nullptr && *overflow.stopped != 0)) return;
    BodyVelocity<T> velocity = velocities[body];
    for (int i = begin; i < end; ++i) {
      const int64_t slot = overflow.sides[i] / 2, side = overflow.sides[i] & 1;
      const T* from = overflow.changes + 6 * side * overflow.slotCount + slot;
      const int64_t n = overflow.slotCount;
      velocity.v += Vec3<T>{from[0], from[n], from[2 * n]};
      velocity.w += Vec3<T>{from[3 * n], from[4 * n], from[5 * n]};
    }
    velocities[body] = velocity;
  }
};

}  // namespace

template <class T> void buildOverflow(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots,
                                      const OverflowArrays<T>& out) {
  const int sideCount = (contacts.overflowTiles + joints.overflowTiles) * kTileLanes * 2;
  const OverflowSide side{contacts, joints, out.keys, out.sides, out.offsets, bodySlots};
  fillBytes(queue, out.offsets, 0, (static_cast<size_t>(bodySlots) + 1) * sizeof(int));
  forEach(queue, "solve/overflow_sides", sideCount, side);
  sortByKey(queue, scratch, out.keys, out.sides, sideCount);
  exclusiveScan(queue, scratch, out.offsets, out.offsets, bodySlots);
  forEach(queue, "solve/overflow_parts", bodySlots, PartCount<T>{out.offsets, out.partCounts});
}

template <class T> void gatherOverflow(Queue& queue, const OverflowView<T>& overflow, int bodySlots, BodyVelocity<T>* velocities) {
  forEach(queue, "solve/overflow_gather", bodySlots, GatherOverflow<T>{overflow, velocities});
}

#define CAIRN_INSTANTIATE(T)                                                                                               \
  template void buildOverflow(Queue&, PrimitiveScratch&, const TileView&, const TileView&, int, const OverflowArrays<T>&); \
  template void gatherOverflow(Queue&, const OverflowView<T>&, int, BodyVelocity<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
