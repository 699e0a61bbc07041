// What the narrow phase does to one candidate pair, and the pass over all pairs on the CPU.
#pragma once

#include "kernels/collide/broad_phase_walk.hpp"
#include "kernels/collide/pair_manifold.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

template <class T> struct CollidePair {
  using ForAvx2 = void;

  PairView pairs;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const T* shapeMargins;
  JoinedPairs joined;
  Manifold<T>* pairManifolds;
  int* found;

  CAIRN_HD void operator()(int i) const {
    if (!mayTouch(i)) {
      found[i] = 0;
      return;
    }
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    const ShapeRecord<T>& recordA = shapes[a];
    const ShapeRecord<T>& recordB = shapes[b];
    const BodyPose<T>& poseA = poses[recordA.body];
    const BodyPose<T>& poseB = poses[recordB.body];
    LocalManifold<T> local;
    collide(placed(recordA, poseA, poseA.x), placed(recordB, poseB, poseA.x), shapeMargins[a] + shapeMargins[b], local);
    write(i, local);
  }

  // Whether it is a pair of this step, of bodies that no joint keeps apart.
  CAIRN_HD bool mayTouch(int i) const {
    if (pairs.pairsFound != nullptr && i >= *pairs.pairsFound) return false;
    return joined.count == 0 || !isJoined(joined, shapes[pairs.shapeA[i]].body, shapes[pairs.shapeB[i]].body);
  }

  CAIRN_HD void write(int i, const LocalManifold<T>& local) const {
    found[i] = local.pointCount > 0 ? 1 : 0;
    if (local.pointCount == 0) return;
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    const PairOfShapes<T> pair{a, b, shapes[a], shapes[b]};
    pair.write(local, poses[pair.recordB.body].x - poses[pair.recordA.body].x, pairManifolds[i]);
  }
};

// The CPU's side, in collide_pair_cpu.cpp: packs of pairs of boxes, compiled by the host compiler for each CPU level.
template <class T> struct CollideInPacks {
  const CollidePair<T>* collidePair;
  void (*oneByOne)(const void* collidePair, int64_t begin, int64_t end);  // for all other pairs
  void onCpu(const TeamLoop& team) const;
};
using CollidePasses = CpuPassList<CollideInPacks<float>, CollideInPacks<double>>;

}  // namespace cairn::v0
