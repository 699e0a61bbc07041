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
// Memory: 168 bytes a manifold in float, and 4 a candidate pair. On CUDA 168 a candidate pair too; the CPU takes some thousand pairs at a time, pairs
// of boxes several at once as far as no branch parts them, with the same operations (collide_pair_cpu.cpp).
#include "kernels/collide/narrow_phase.hpp"

#include "kernels/collide/collide_pair.hpp"
#include "kernels/runtime/launch.hpp"

#include <algorithm>

CAIRN_CPU_PASSES(collidePass)

namespace cairn::v0 {
namespace {

template <class T> void collideOneByOne(const void* collidePair, int64_t begin, int64_t end) {
  const auto items = cpuLevel() == CpuLevel::Baseline ? runItems<CollidePair<T>> : runItemsForAvx2<CollidePair<T>>;
  items(*static_cast<const CollidePair<T>*>(collidePair), begin, end);
}

// Manifolds of pairs that have one, behind one another, and where those of a shape begin.
template <class T> struct GatherManifold {
  PairView pairs;
  const Manifold<T>* pairManifolds;
  const int* firstOf;
  ManifoldRoom<T> out;
  int shapeSlots, copiers;  // `copiers` neighbouring items copy a manifold together

  CAIRN_HD void operator()(int i) const {
    const int pair = i / copiers;
    if (pair < pairs.pairCount && (pairs.pairsFound == nullptr || pair < *pairs.pairsFound)) gather(pair, i % copiers);
    if (i > shapeSlots) return;
    const int first = pairs.offsets[i];
    out.offsets[i] = firstOf[first < pairs.pairCount ? first : pairs.pairCount];
  }
  CAIRN_HD void gather(int pair, int copier) const {
    const int at = firstOf[pair];
    if (firstOf[pair + 1] <= at || at >= out.room) return;
    if (copiers == 1) {
      out.manifolds[at] = pairManifolds[pair];
      return;
    }
    constexpr int kWords = sizeof(Manifold<T>) / sizeof(int);
    static_assert(sizeof(Manifold<T>) % sizeof(int) == 0, "copied word by word");
    const int* const from = reinterpret_cast<const int*>(pairManifolds + pair);
    int* const to = reinterpret_cast<int*>(out.manifolds + at);
    for (int word = copier; word < kWords; word += copiers) to[word] = from[word];
  }
};

struct OffsetOfParts {
  PairView pairs;
  PairParts parts;
  int* offsets;

  CAIRN_HD void operator()(int slot) const {
    const int pair = pairs.offsets[slot] < pairs.pairCount ? pairs.offsets[slot] : pairs.pairCount;
    const int part = (pair < pairs.pairCount ? pair : pairs.pairCount - 1) / parts.pairsOfPart;
    offsets[slot] = parts.firstOfPart[part] + parts.firstOf[pair];
  }
};

}  // namespace

template <class T> void collidePairs(Queue& queue, const PairView& pairs, const ShapeRecord<T>* shapes, const BodyPose<T>* poses,
                                     const T* shapeMargins, const JoinedPairs& joined, Manifold<T>* pairManifolds, int* found) {
  const CollidePair<T> collidePair{pairs, shapes, poses, shapeMargins, joined, pairManifolds, found};
  if (queue.target == Target::Cpu && pairs.pairCount > 0) {
    queue.label = "narrow_phase/collide";
    return runOnCpu<CollidePasses>(collidePassHere, *queue.team, CollideInPacks<T>{&collidePair, collideOneByOne<T>});
  }
  forEach(queue, "narrow_phase/collide", pairs.pairCount, collidePair, kHeavyGrain);
}

template <class T> void gatherManifolds(Queue& queue, const PairView& pairs, int shapeSlots, const Manifold<T>* pairManifolds, const int* firstOf,
                                        const ManifoldRoom<T>& out) {
  const int copiers = queue.target == Target::Cuda ? kManifoldCopiers : 1;
  forEach(queue, "narrow_phase/gather", std::max(int64_t{pairs.pairCount} * copiers, int64_t{shapeSlots} + 1),
          GatherManifold<T>{pairs, pairManifolds, firstOf, out, shapeSlots, copiers});
}

void offsetsOfParts(Queue& queue, const PairView& pairs, int shapeSlots, const PairParts& parts, int* offsets) {
  forEach(queue, "narrow_phase/offsets", shapeSlots + 1, OffsetOfParts{pairs, parts, offsets});
}

template void collidePairs<float>(Queue&, const PairView&, const ShapeRecord<float>*, const BodyPose<float>*, const float*, const JoinedPairs&,
                                  Manifold<float>*, int*);
template void collidePairs<double>(Queue&, const PairView&, const ShapeRecord<double>*, const BodyPose<double>*, const double*, const JoinedPairs&,
                                   Manifold<double>*, int*);
template void gatherManifolds<float>(Queue&, const PairView&, int, const Manifold<float>*, const int*, const ManifoldRoom<float>&);
template void gatherManifolds<double>(Queue&, const PairView&, int, const Manifold<double>*, const int*, const ManifoldRoom<double>&);

}  // namespace cairn::v0
