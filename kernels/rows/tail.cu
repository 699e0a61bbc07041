// The tail: which bodies the constraints that no colour holds act on, how many of them on each, and their changes added up (TailView says why).
//
// In: tiles of contacts and of joints. Out: sides by body, in CSR, and each body's number of parts. The sort is stable and the changes are added to a
// body in the order of its sides, so that no thread decides the order of a sum. Memory: 16 bytes a place, and 12 scalars for its changes.
#include "kernels/rows/tail.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

struct TailSide {
  const int* bodyA;
  const int* bodyB;
  const int* jointA;
  const int* jointB;
  uint32_t* keys;
  int* sides;
  int* counts;
  int firstSlot, slots, firstJoint, bodySlots;

  CAIRN_HD void operator()(int side) const {
    const int place = side / 2, slot = firstSlot + place, joint = firstJoint + place - slots;
    const bool first = (side & 1) == 0;
    const int body = place < slots ? (first ? bodyA[slot] : bodyB[slot]) : (first ? jointA[joint] : jointB[joint]);
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

template <class T> struct GatherTail {
  TailView<T> tail;
  BodyVelocity<T>* velocities;

  CAIRN_HD void operator()(int body) const {
    const int begin = tail.offsets[body], end = tail.offsets[body + 1];
    if (begin == end) return;
    BodyVelocity<T> velocity = velocities[body];
    for (int i = begin; i < end; ++i) {
      const int64_t slot = tail.sides[i] / 2, side = tail.sides[i] & 1;
      const T* from = tail.changes + 6 * side * tail.slotCount + slot;
      const int64_t n = tail.slotCount;
      velocity.v += Vec3<T>{from[0], from[n], from[2 * n]};
      velocity.w += Vec3<T>{from[3 * n], from[4 * n], from[5 * n]};
    }
    velocities[body] = velocity;
  }
};

}  // namespace

template <class T>
void buildTail(Queue& queue, PrimitiveScratch& scratch, const TileView& contacts, const TileView& joints, int bodySlots, const TailArrays<T>& out) {
  const int sideCount = (contacts.tailTiles + joints.tailTiles) * kTileLanes * 2;
  TailSide side{};
  side.bodyA = contacts.bodyA;
  side.bodyB = contacts.bodyB;
  side.jointA = joints.bodyA;
  side.jointB = joints.bodyB;
  side.keys = out.keys;
  side.sides = out.sides;
  side.counts = out.offsets;
  side.firstSlot = (contacts.tileCount - contacts.tailTiles) * kTileLanes;
  side.slots = contacts.tailTiles * kTileLanes;
  side.firstJoint = (joints.tileCount - joints.tailTiles) * kTileLanes;
  side.bodySlots = bodySlots;
  fillBytes(queue, out.offsets, 0, (static_cast<size_t>(bodySlots) + 1) * sizeof(int));
  forEach(queue, "solve/tail_sides", sideCount, side);
  sortByKey(queue, scratch, out.keys, out.sides, sideCount);
  exclusiveScan(queue, scratch, out.offsets, out.offsets, bodySlots);
  forEach(queue, "solve/tail_parts", bodySlots, PartCount<T>{out.offsets, out.partCounts});
}

template <class T> void gatherTail(Queue& queue, const TailView<T>& tail, int bodySlots, BodyVelocity<T>* velocities) {
  forEach(queue, "solve/tail_gather", bodySlots, GatherTail<T>{tail, velocities});
}

#define CAIRN_INSTANTIATE(T)                                                                                       \
  template void buildTail(Queue&, PrimitiveScratch&, const TileView&, const TileView&, int, const TailArrays<T>&); \
  template void gatherTail(Queue&, const TailView<T>&, int, BodyVelocity<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
