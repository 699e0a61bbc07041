// Contacts of bodies of many shapes: two such bodies have a manifold for each two shapes that touch, hundreds of them, of which few carry anything
// that the others do not. Launched only where there are such bodies.
//
// In: the step's manifolds. Out: those of them that stay, with the points that stay, in the same order. A point is as it was found or it is gone, so
// that shapes, materials, normals and features are its own, and contact tracking finds it again.
//
// Manifolds of two bodies are brought together by sorting their numbers by the pair. Where they are more than kManifoldsLeftAlone, these points stay:
//   - what stayed in the last step and carried an impulse then, or overlaps now,
//   - and of each group of similar normals what touches first, the deepest when the bodies come straight at each other, and one for each of eight
//     directions and two angles when they tilt towards it on the way: those at the least height over a plane through all places that leans so.
// A group begins with the first manifold that has none yet, and takes in all of the same friction and restitution whose normals are within 18 degrees
// of its own. So what goes neither carries anything nor is the first to do so, however the bodies move next: bodies that come closer where nothing
// stayed touch at a point that is the first there, and that point stays from then on. Four points by place, as of two faces, are not enough: shapes
// side by side do not lie in one plane, and a body that rests on some of their points falls onto the others when these go.
//
// Groups begin in the order of the manifolds and not with the deepest, so that they do not change with roundings. Their number has no limit but that
// of normals 18 degrees apart, and materials: no direction is given up.
//
// What stayed in the last step is its memory (contact_tracking.hpp), which is part of a snapshot, and which steps that are undone do not change.
//
// Deterministic: sorting is stable, and one item does a pair of bodies.
//
// Memory: 168 bytes a manifold in float, 8 a manifold and 16 for each that is listed.
#include "kernels/collide/contact_reduction.hpp"

#include "kernels/collide/tracked_partner.hpp"
#include "kernels/runtime/launch.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Cosine of the angle up to which normals are of one group.
constexpr double kSimilarNormal = 0.951;
// Directions that bodies tilt in, and the angles: what a body at rest may do in a step, and one that falls.
constexpr int kDirections = 8, kTilts = 2;
constexpr double kSlightTilt = 1e-3, kWideTilt = 0.1;  // [rad]
constexpr double kDiagonal = 0.70710678118654752;
// All points of a manifold.
constexpr int kAllPoints = (1 << kMaxManifoldPoints) - 1;

template <class T> struct MarkCompound {
  const ShapeRecord<T>* shapes;
  CompoundBodies out;

  // One shape of a body has each index, so that no two items write to one place.
  CAIRN_HD void operator()(int i) const {
    if (shapes[i].body < 0) return;
    if (shapes[i].indexInBody == kSeveralShapes - 1) out.several[shapes[i].body] = 1;
    if (shapes[i].indexInBody == kManyShapes - 1) out.many[shapes[i].body] = 1;
  }
};

template <class T> struct ListCompoundContact {
  AllManifolds<T> all;
  CompoundBodies compounds;
  int* listed;
  int* masks;

  CAIRN_HD void operator()(int i) const {
    const bool there = all.found == nullptr || i < *all.found;
    listed[i] = 0;
    masks[i] = there ? kAllPoints : 0;
    if (!there) return;
    const int a = all.manifolds[i].bodyA, b = all.manifolds[i].bodyB;
    listed[i] = compounds.many[a] | compounds.many[b] | (compounds.several[a] & compounds.several[b]);
  }
};

template <class T> struct PairKey {
  const Manifold<T>* manifolds;
  CompoundList list;

  CAIRN_HD void operator()(int k) const {
    int first = list.bodySlots, second = 0;
    if (k < *list.count) {
      const Manifold<T>& m = manifolds[list.items[k]];
      first = minOf(m.bodyA, m.bodyB);
      second = maxOf(m.bodyA, m.bodyB);
    } else {
      list.items[k] = -1;
    }
    list.keys[k] = static_cast<uint64_t>(first) << list.bits | static_cast<uint64_t>(second);
  }
};

using Vec = Vec3<double>;

template <class T> struct ReducePair {
  const Manifold<T>* manifolds;
  CompoundList list;
  ReducedPairs<T> out;

  // Items of the list that belong to one group.
  struct Group {
    int end, first;
    Vec normal, u, v;
    double size;
  };

  CAIRN_HD void operator()(int k) const {
    const int count = minOf(*list.count, list.capacity);
    if (k > 0 && list.keys[k - 1] == list.keys[k]) return;
    int end = k + 1;
    while (end < count && list.keys[end] == list.keys[k]) ++end;
    if (end - k <= kManifoldsLeftAlone) return;
    int points = 0, kept = 0;
    for (int j = k; j < end; ++j) {
      points += at(j).pointCount;
      out.groups[j] = -1;
      out.masks[list.items[j]] = stayed(at(j));
      kept += bitsOf(out.masks[list.items[j]]);
    }
    for (int first = k; first < end; ++first) {
      if (out.groups[first] < 0) kept += reduce(groupOf(end, first));
    }
    if (kept < points) atomicAddInt(out.reduced, 1);
  }

  CAIRN_HD static int bitsOf(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1); }

  // Points that stayed in the last step, and carried something then or overlap now.
  CAIRN_HD int stayed(const Manifold<T>& m) const {
    int mask = 0;
    if (!remembered(m.shapeA) || !remembered(m.shapeB)) return mask;
    const int first = findPartner(out.tracked, m.shapeA, m.shapeB);
    if (first < 0) return mask;
    // All of a run, of a pair with a mesh.
    const int end = out.tracked.offsets[m.shapeA + 1], partner = out.tracked.manifolds[first].partner;
    for (int k = first; k < end && out.tracked.manifolds[k].partner == partner; ++k) {
      const TrackedManifold<T>& old = out.tracked.manifolds[k];
      for (int q = 0; q < old.pointCount; ++q) {
        for (int p = 0; p < m.pointCount; ++p) {
          if ((old.impulses.points[q].x > T(0) || m.points[p].separation <= T(0)) && old.features[q] == m.points[p].feature) mask |= 1 << p;
        }
      }
    }
    return mask;
  }
  CAIRN_HD bool remembered(int shape) const { return shape < out.tracked.shapeSlots && out.shapes[shape].birthStep < out.stepsDone; }

  CAIRN_HD const Manifold<T>& at(int j) const { return manifolds[list.items[j]]; }

  // Normals and places are seen from the body with the smaller slot, whichever shape of the two is A.
  CAIRN_HD static bool turned(const Manifold<T>& m) { return m.bodyB < m.bodyA; }
  CAIRN_HD static Vec normalOf(const Manifold<T>& m) {
    const Vec n = convert<double>(m.normal);
    return turned(m) ? -n : n;
  }

  CAIRN_HD Group groupOf(int end, int first) const {
    const Manifold<T>& m = at(first);
    Group group{end, first, normalOf(m), {0, 0, 0}, {0, 0, 0}, 0};
    const Mat3<double> axes = rotationMatrix(normalized(convert<double>(out.poses[turned(m) ? m.bodyB : m.bodyA].q)));
    const Vec axis = absOf(dot(axes.c0, group.normal)) < 0.9 ? axes.c0 : axes.c2;
    group.u = normalizedOr(axis - dot(axis, group.normal) * group.normal, Vec{1, 0, 0});
    group.v = cross(group.normal, group.u);
    const double radiusA = double(out.shapes[m.shapeA].boundingRadius), radiusB = double(out.shapes[m.shapeB].boundingRadius);
    group.size = radiusB > 0 ? minOf(radiusA, radiusB) : radiusA;  // none of a half-space
    for (int j = first; j < end; ++j) {
      const Manifold<T>& other = at(j);
      const bool alike = other.friction == m.friction && other.restitution == m.restitution && dot(normalOf(other), group.normal) > kSimilarNormal;
      if (out.groups[j] < 0 && (alike || j == first)) out.groups[j] = first;
    }
    return group;
  }

  // The point that touches first, and its height.
  struct First {
    double value;
    int item, point;
  };

  CAIRN_HD int keep(const First& first) const {
    int& mask = out.masks[list.items[first.item]];
    const int bit = 1 << first.point;
    const int more = (mask & bit) == 0 ? 1 : 0;
    mask |= bit;
    return more;
  }

  CAIRN_HD int reduce(const Group& group) const {
    // A later point has to be better by more than a rounding.
    First straight{1e300, group.first, 0}, tilted[kTilts][kDirections];
    for (int t = 0; t < kTilts; ++t) {
      for (int k = 0; k < kDirections; ++k) tilted[t][k] = straight;
    }
    const double clearly = 1e-6 * group.size;
    for (int j = group.first; j < group.end; ++j) {
      if (out.groups[j] != group.first) continue;
      const Manifold<T>& m = at(j);
      for (int p = 0; p < m.pointCount; ++p) {
        const Vec place = convert<double>(turned(m) ? m.points[p].rB : m.points[p].rA);
        const double separation = double(m.points[p].separation);
        const double along = dot(group.u, place), beside = dot(group.v, place);
        const double a = along + 0.3 * beside, b = beside - 0.3 * along;
        const double reach[4] = {a, kDiagonal * (a + b), b, kDiagonal * (b - a)};
        if (separation < straight.value) straight = {separation, j, p};
        for (int t = 0; t < kTilts; ++t) {
          const double tilt = t == 0 ? kSlightTilt : kWideTilt;
          for (int k = 0; k < kDirections; ++k) {
            const double value = separation - tilt * (k < 4 ? reach[k] : -reach[k - 4]);
            if (value < tilted[t][k].value - tilt * clearly) tilted[t][k] = {value, j, p};
          }
        }
      }
    }
    int kept = keep(straight);
    for (int t = 0; t < kTilts; ++t) {
      for (int k = 0; k < kDirections; ++k) kept += keep(tilted[t][k]);
    }
    return kept;
  }
};

struct MarkKept {
  const int* masks;
  int* places;
  CAIRN_HD void operator()(int i) const { places[i] = masks[i] != 0 ? 1 : 0; }
};

// Item i is a manifold, and a shape slot.
template <class T> struct GatherKept {
  AllManifolds<T> all;
  KeptManifolds<T> out;

  CAIRN_HD void operator()(int i) const {
    if (i < all.count && out.masks[i] != 0 && out.places[i] < out.room) gather(all.manifolds[i], out.masks[i], out.manifolds[out.places[i]]);
    if (i <= out.shapeSlots) out.offsetsKept[i] = out.places[minOf(out.offsets[i], all.count)];
  }

  CAIRN_HD static void gather(const Manifold<T>& m, int mask, Manifold<T>& to) {
    Manifold<T> kept = m;
    int count = 0;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      if (p < m.pointCount && (mask >> p & 1) != 0) kept.points[count++] = m.points[p];
    }
    kept.pointCount = count;
    // Points that are not there are zero, as in pair_manifold.hpp.
    const Vec3<T> zero{T(0), T(0), T(0)};
    for (int p = count; p < kMaxManifoldPoints; ++p) kept.points[p] = {zero, T(0), zero, 0u};
    to = kept;
  }
};

}  // namespace

template <class T> void markCompounds(Queue& queue, const ShapeRecord<T>* shapes, int shapeSlots, const CompoundBodies& out) {
  forEach(queue, "narrow_phase/compounds", shapeSlots, MarkCompound<T>{shapes, out});
}

template <class T> void listCompoundContacts(Queue& queue, const AllManifolds<T>& all, const CompoundBodies& compounds, int* listed, int* masks) {
  forEach(queue, "narrow_phase/list_compounds", all.count, ListCompoundContact<T>{all, compounds, listed, masks});
}

template <class T> void pairKeys(Queue& queue, const Manifold<T>* manifolds, const CompoundList& list) {
  forEach(queue, "narrow_phase/pair_keys", list.capacity, PairKey<T>{manifolds, list});
}

template <class T> void reducePairs(Queue& queue, const Manifold<T>* manifolds, const CompoundList& list, const ReducedPairs<T>& out) {
  forEachHeavy(queue, "narrow_phase/reduce", list.count, list.capacity, ReducePair<T>{manifolds, list, out}, kMediumGrain);
}

void markKept(Queue& queue, const int* masks, int count, int* places) { forEach(queue, "narrow_phase/kept", count, MarkKept{masks, places}); }

template <class T> void gatherKept(Queue& queue, const AllManifolds<T>& all, const KeptManifolds<T>& out) {
  forEach(queue, "narrow_phase/gather_kept", std::max(all.count, out.shapeSlots + 1), GatherKept<T>{all, out}, kMediumGrain);
}

#define CAIRN_INSTANTIATE(T)                                                                             \
  template void markCompounds(Queue&, const ShapeRecord<T>*, int, const CompoundBodies&);                \
  template void listCompoundContacts(Queue&, const AllManifolds<T>&, const CompoundBodies&, int*, int*); \
  template void pairKeys(Queue&, const Manifold<T>*, const CompoundList&);                               \
  template void reducePairs(Queue&, const Manifold<T>*, const CompoundList&, const ReducedPairs<T>&);    \
  template void gatherKept(Queue&, const AllManifolds<T>&, const KeptManifolds<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
