// Narrow phase on the CPU, pairs with a hull: two polyhedra with packs of their faces and corners, all others as on a device.
#include "kernels/collide/collide_hull_packs.hpp"
#include "kernels/collide/convex_pairs.hpp"
#include "kernels/runtime/tuning.hpp"

#include <type_traits>

namespace cairn::v0 {
namespace {

// Packs of two bring less than they cost.
using Scan = std::conditional_t<(kSeveral > 2), hull::InPacks, hull::OneByOne>;

bool isPolyhedron(int type) { return isHull(type) || (type & (kSensor - 1)) == kBox; }

struct TwoPolyhedra {
  static bool takes(int typeA, int typeB) { return WithHull::takes(typeA, typeB) && isPolyhedron(typeA) && isPolyhedron(typeB); }
  template <class T> static void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
    collideHullsOf<Scan>(a, b, hulls, margin, out);
  }
};

}  // namespace

template <class T> void HullPairsInPacks<T>::onCpu(const TeamLoop& team) const {
  const CollideConvexPair<T, TwoPolyhedra> polyhedra{pairs.all, pairs.hulls};
  const auto run = [&](int64_t begin, int64_t end) {
    int64_t others = begin;  // from here on none has been met
    for (int64_t i = begin; i < end; ++i) {
      if (!polyhedra.takes(static_cast<int>(i))) continue;
      if (others < i) oneByOne(&pairs, others, i);
      others = i + 1;
      polyhedra.meet(static_cast<int>(i));
    }
    if (others < end) oneByOne(&pairs, others, end);
  };
  const int count = pairs.all.pairs.pairCount;
  if (count < kHeavyGrain) return run(0, count);
  team.run(count, run);
}

CpuPass hullPass(int place) { return HullPasses::at(place); }

}  // namespace cairn::v0
