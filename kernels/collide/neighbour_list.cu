// Neighbour list: candidate pairs of several steps from one search.
//
// In: bounds and filters of a step. Out: its candidate pairs, the same in the same order as a search for this step gives.
//
// The list (Verlet, "Computer Experiments on Classical Fluids", Phys. Rev. 159, 1967) has all pairs whose bounds overlap if each is wider by a skin.
// As long as each shape's bounds lie inside its wide ones and nobody's filter, body or kind is another, no pair overlaps that is not in the list. So
// what is left of the list when the step's own bounds are compared is what a search would find; the list's order is that of the pairs, and leaving
// some out does not change it. Half-spaces count as inside while they have their normal and have not risen above their wide plane: a bound's height
// over a plane is monotone in its corners, rounded too.
//
// Memory: 48 bytes a shape in float, 4 of offsets; 8 bytes a listed pair.
#include "kernels/collide/neighbour_list.hpp"

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/time_of_impact.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

// The skin of a dynamic body's shape as a fraction of its inner size; that of a kinematic one in margins, since it may be large and hardly move.
constexpr double kSkinFraction = 0.1, kSkinMargins = 4;

CAIRN_HD inline bool sameTag(const ShapeTag& a, const ShapeTag& b) {
  return a.body == b.body && a.category == b.category && a.mask == b.mask && a.group == b.group;
}

template <class T> CAIRN_HD inline bool contains(Vec3<T> lowA, Vec3<T> highA, Vec3<T> lowB, Vec3<T> highB) {
  return (int(lowA.x <= lowB.x) & int(lowA.y <= lowB.y) & int(lowA.z <= lowB.z) & int(highB.x <= highA.x) & int(highB.y <= highA.y) &
          int(highB.z <= highA.z)) != 0;
}

template <class T> struct WidenBounds {
  BroadPhaseInput<T> in;
  CurrentShapes<T> now;
  const T* margins;
  ListedShapes<T> listed;

  CAIRN_HD void operator()(int slot) const {
    ShapeBounds<T> wide = now.bounds[slot];
    const ShapeTag tag = now.tags[slot];
    if (wide.kind == kMoving || wide.kind == kFixed) {
      const T skin = skinOf(in.shapes[slot], in.constants[tag.body].flags, margins[slot]);
      wide.low -= Vec3<T>{skin, skin, skin};
      wide.high += Vec3<T>{skin, skin, skin};
    }
    listed.bounds[slot] = wide;
    listed.tags[slot] = tag;
  }
  CAIRN_HD static T skinOf(const ShapeRecord<T>& shape, int flags, T margin) {
    if ((flags & kBodyDynamic) != 0) return T(kSkinFraction) * innerSize(shape);
    return (flags & kBodyKinematic) != 0 ? T(kSkinMargins) * margin : T(0);
  }
};

template <class T> struct CountEscaped {
  using ForAvx2 = void;

  CurrentShapes<T> now;
  ListedShapes<T> listed;
  int* escaped;

  CAIRN_HD void operator()(int slot) const {
    const ShapeBounds<T>& own = now.bounds[slot];
    const ShapeBounds<T>& wide = listed.bounds[slot];
    const bool same = own.kind == wide.kind && sameTag(now.tags[slot], listed.tags[slot]);
    if (!(same && (own.kind == kAbsent || isInside(own, wide)))) atomicAddInt(escaped, 1);
  }
  CAIRN_HD static bool isInside(const ShapeBounds<T>& own, const ShapeBounds<T>& wide) {
    if (own.kind != kUnbounded) return contains(wide.low, wide.high, own.low, own.high);
    return own.low.x == wide.low.x && own.low.y == wide.low.y && own.low.z == wide.low.z && own.high.x <= wide.high.x;
  }
};

template <class T> struct KeepOverlapping {
  using ForAvx2 = void;

  CurrentShapes<T> now;
  NeighbourRows listed;
  int* kept;
  int* counts;

  CAIRN_HD void operator()(int slot) const {
    const int begin = listed.offsets[slot], end = listed.offsets[slot + 1];
    const ShapeBounds<T>& own = now.bounds[slot];
    int at = begin;
    for (int k = begin; k < end; ++k) {
      const int partner = listed.partners[k];
      const ShapeBounds<T>& other = now.bounds[partner];
      const bool meets = other.kind == kUnbounded ? reaches(own, other) : overlap(own.low, own.high, other.low, other.high);
      kept[at] = partner;
      at += meets ? 1 : 0;
    }
    counts[slot] = at - begin;
  }
};

struct WriteOverlapping {
  NeighbourRows kept;
  const int* offsets;
  int* shapeA;
  int* shapeB;

  CAIRN_HD void operator()(int slot) const {
    const int* const row = kept.partners + kept.offsets[slot];
    const int begin = offsets[slot], count = offsets[slot + 1] - begin;
    for (int k = 0; k < count; ++k) {
      shapeA[begin + k] = slot;
      shapeB[begin + k] = row[k];
    }
  }
};

}  // namespace

template <class T>
void widenBounds(Queue& queue, const BroadPhaseInput<T>& in, const CurrentShapes<T>& now, const T* margins, const ListedShapes<T>& listed) {
  forEach(queue, "broad_phase/widen", now.slots, WidenBounds<T>{in, now, margins, listed});
}

template <class T> void countEscaped(Queue& queue, const CurrentShapes<T>& now, const ListedShapes<T>& listed, int* escaped) {
  forEach(queue, "broad_phase/escaped", now.slots, CountEscaped<T>{now, listed, escaped});
}

template <class T> void keepOverlapping(Queue& queue, const CurrentShapes<T>& now, const NeighbourRows& listed, int* kept, int* counts) {
  forEach(queue, "broad_phase/neighbours", now.slots, KeepOverlapping<T>{now, listed, kept, counts});
}

void writeOverlapping(Queue& queue, int shapeSlots, const NeighbourRows& kept, const int* offsets, int* shapeA, int* shapeB) {
  forEach(queue, "broad_phase/neighbour_rows", shapeSlots, WriteOverlapping{kept, offsets, shapeA, shapeB});
}

#define CAIRN_INSTANTIATE(T)                                                                                               \
  template void widenBounds(Queue&, const BroadPhaseInput<T>&, const CurrentShapes<T>&, const T*, const ListedShapes<T>&); \
  template void countEscaped(Queue&, const CurrentShapes<T>&, const ListedShapes<T>&, int*);                               \
  template void keepOverlapping(Queue&, const CurrentShapes<T>&, const NeighbourRows&, int*, int*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
