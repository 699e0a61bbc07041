// Narrow phase: candidate pairs become manifolds.
//
// In: candidate pairs, shapes, poses, a margin for each shape. Out: manifolds in the order of the pairs, with offsets by shape A.
//
// Each pair is one item, worked out by the pure functions of collide_*.hpp relative to A's centre of mass, so that float resolves a contact as well
// far from the origin as near it. Most candidates that have no contact leave before anything is written.
//
// Deterministic: a pair writes to a place of its own, and a scan of the found flags gives the manifold's place in the result. Nothing is appended in
// the order of arrival, and nothing can overflow.
//
// Memory: 168 bytes a manifold in float, as much a candidate pair, and 4.
#include "kernels/collide/narrow_phase.hpp"

#include "kernels/collide/collide.hpp"
#include "kernels/runtime/launch.hpp"
#include "kernels/runtime/search.hpp"

#include <algorithm>

namespace cairn {
namespace {

template <class T> CAIRN_HD inline PlacedShape<T> placed(const ShapeRecord<T>& shape, const BodyPose<T>& pose, Vec3<T> origin) {
  return {shape.type, shape.size, {(pose.x - origin) + rotate(pose.q, shape.localPose.p), pose.q * shape.localPose.q}};
}

CAIRN_HD inline bool isJoined(const JoinedPairs& joined, int a, int b) {
  const uint64_t key = a < b ? static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b) : static_cast<uint64_t>(b) << 32 | static_cast<uint32_t>(a);
  const int at = firstNotBelow(0, joined.count, [&](int k) { return joined.keys[k] < key; });
  return at < joined.count && joined.keys[at] == key;
}

template <class T> struct CollidePair {
  PairView pairs;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;
  const T* shapeMargins;
  JoinedPairs joined;
  Manifold<T>* pairManifolds;
  int* found;

  CAIRN_HD void operator()(int i) const {
    if (pairs.pairsFound != nullptr && i >= *pairs.pairsFound) {
      found[i] = 0;
      return;
    }
    const int a = pairs.shapeA[i], b = pairs.shapeB[i];
    const ShapeRecord<T>& recordA = shapes[a];
    const ShapeRecord<T>& recordB = shapes[b];
    if (joined.count > 0 && isJoined(joined, recordA.body, recordB.body)) {
      found[i] = 0;
      return;
    }
    const BodyPose<T>& poseA = poses[recordA.body];
    const BodyPose<T>& poseB = poses[recordB.body];
    LocalManifold<T> local;
    collide(placed(recordA, poseA, poseA.x), placed(recordB, poseB, poseA.x), shapeMargins[a] + shapeMargins[b], local);
    found[i] = local.pointCount > 0 ? 1 : 0;
    if (local.pointCount == 0) return;

    Manifold<T>& m = pairManifolds[i];
    m.shapeA = a;
    m.shapeB = b;
    m.bodyA = recordA.body;
    m.bodyB = recordB.body;
    m.normal = local.normal;
    m.pointCount = local.pointCount;
    m.friction = squareRoot(recordA.friction * recordB.friction);
    m.restitution = maxOf(recordA.restitution, recordB.restitution);
    const Vec3<T> between = poseB.x - poseA.x;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      // Points that are not there are zero, so that a manifold's bytes depend on the contact alone.
      const bool there = p < local.pointCount;
      const LocalPoint<T>& point = local.points[there ? p : 0];
      const Vec3<T> zero{T(0), T(0), T(0)};
      m.points[p] = {there ? point.position : zero, there ? point.separation : T(0), there ? point.position - between : zero,
                     there ? point.feature : 0u};
    }
  }
};

// Manifolds of pairs that have one, behind one another, and where those of a shape begin.
template <class T> struct GatherManifold {
  PairView pairs;
  const Manifold<T>* pairManifolds;
  const int* firstOf;
  ManifoldRoom<T> out;
  int shapeSlots;

  CAIRN_HD void operator()(int i) const {
    if (i < pairs.pairCount && (pairs.pairsFound == nullptr || i < *pairs.pairsFound)) gather(i);
    if (i > shapeSlots) return;
    const int pair = pairs.offsets[i];
    out.offsets[i] = firstOf[pair < pairs.pairCount ? pair : pairs.pairCount];
  }
  CAIRN_HD void gather(int i) const {
    const int at = firstOf[i];
    if (firstOf[i + 1] > at && at < out.room) out.manifolds[at] = pairManifolds[i];
  }
};

}  // namespace

template <class T> void collidePairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                     const T* shapeMargins, const JoinedPairs& joined, Manifold<T>* pairManifolds, int* found) {
  forEach(queue, "narrow_phase/collide", pairs.pairCount, CollidePair<T>{pairs, shapes, poses, shapeMargins, joined, pairManifolds, found},
          kHeavyGrain);
}

template <class T> void gatherManifolds(Queue& queue, const PairView& pairs, int shapeSlots, const Manifold<T>* pairManifolds, const int* firstOf,
                                        const ManifoldRoom<T>& out) {
  forEach(queue, "narrow_phase/gather", std::max(pairs.pairCount, shapeSlots + 1), GatherManifold<T>{pairs, pairManifolds, firstOf, out, shapeSlots});
}

template void collidePairs<float>(Queue&, const PairView&, const ShapeRecord<float>*, const BodyPose<float>*, const float*, const JoinedPairs&,
                                  Manifold<float>*, int*);
template void collidePairs<double>(Queue&, const PairView&, const ShapeRecord<double>*, const BodyPose<double>*, const double*, const JoinedPairs&,
                                   Manifold<double>*, int*);
template void gatherManifolds<float>(Queue&, const PairView&, int, const Manifold<float>*, const int*, const ManifoldRoom<float>&);
template void gatherManifolds<double>(Queue&, const PairView&, int, const Manifold<double>*, const int*, const ManifoldRoom<double>&);

}  // namespace cairn
