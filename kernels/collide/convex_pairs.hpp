// What the narrow phase does to a pair with a hull, and the pass over all such pairs on the CPU.
#pragma once

#include "kernels/collide/collide_hull.hpp"
#include "kernels/collide/collide_pair.hpp"

namespace cairn::v0 {

// A pair of a family: those that it takes, and where they touch.
template <class T, class Family> struct CollideConvexPair {
  CollidePair<T> all;
  HullView hulls;

  CAIRN_HD void operator()(int i) const {
    if (takes(i)) meet(i);
  }
  CAIRN_HD bool takes(int i) const {
    return all.mayTouch(i) && Family::takes(all.shapes[all.pairs.shapeA[i]].type, all.shapes[all.pairs.shapeB[i]].type);
  }
  CAIRN_HD void meet(int i) const {
    const int a = all.pairs.shapeA[i], b = all.pairs.shapeB[i];
    const ShapeRecord<T>& recordA = all.shapes[a];
    const ShapeRecord<T>& recordB = all.shapes[b];
    const BodyPose<T>& poseA = all.poses[recordA.body];
    const BodyPose<T>& poseB = all.poses[recordB.body];
    LocalManifold<T> local;
    Family::meet(placed(recordA, poseA, poseA.x), placed(recordB, poseB, poseA.x), hulls, all.shapeMargins[a] + all.shapeMargins[b], local);
    all.write(i, local);
  }
};

// A hull and anything but cylinders, cones and meshes.
struct WithHull {
  CAIRN_HD static bool takes(int typeA, int typeB) {
    return (isHull(typeA) || isHull(typeB)) && !isRevolved(typeA) && !isRevolved(typeB) && !isMesh(typeA) && !isMesh(typeB);
  }
  template <class T>
  CAIRN_HD static void meet(const PlacedShape<T>& a, const PlacedShape<T>& b, const HullView& hulls, T margin, LocalManifold<T>& out) {
    collideHullsOf(a, b, hulls, margin, out);
  }
};

// The CPU's side of WithHull, in hull_pairs_cpu.cpp, compiled by the host compiler for each CPU level: of two polyhedra faces and corners are asked
// in packs.
template <class T> struct HullPairsInPacks {
  CollideConvexPair<T, WithHull> pairs;
  void (*oneByOne)(const void* pairs, int64_t begin, int64_t end);  // for all other pairs with a hull
  void onCpu(const TeamLoop& team) const;
};
using HullPasses = CpuPassList<HullPairsInPacks<float>, HullPairsInPacks<double>>;

}  // namespace cairn::v0
