// The stage against the pure functions pair by pair, on each target.
#include "src/collide/narrow_phase.hpp"
#include "tests/collide/collide_oracle.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace cairn {
namespace {

using test::OnEachTarget;
using test::ShapeSource;

// Shapes of all types on bodies in a heap, `centre` away from the origin, and every pair that may touch.
template <class T> struct Heap {
  std::vector<ShapeRecord<T>> shapes;
  std::vector<BodyPose<T>> poses;
  std::vector<T> margins;
  std::vector<int> offsets, shapeA, shapeB;

  Heap(unsigned seed, int bodyCount, Vec3<double> centre, double spread) {
    ShapeSource source(seed);
    for (int body = 0; body < bodyCount; ++body) {
      BodyPose<T> pose{};
      pose.x = convert<T>(centre + spread * Vec3<double>{source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(-1, 1)});
      pose.q = convert<T>(source.orientation());
      poses.push_back(pose);
      const int shapeCount = body % 5 == 0 ? 2 : 1;
      for (int k = 0; k < shapeCount; ++k) {
        ShapeRecord<T> record{};
        record.type = body == bodyCount - 1 ? kHalfSpace : int(source.uniform(0, 2.999));
        record.size = {T(source.uniform(0.1, 0.5)), T(source.uniform(0.1, 0.5)), T(source.uniform(0.1, 0.5))};
        record.localPose = identityPose<T>();
        if (shapeCount == 2) record.localPose = {convert<T>(0.3 * source.direction()), convert<T>(source.orientation())};
        record.body = body;
        record.indexInBody = k;
        record.friction = T(source.uniform(0, 1));
        record.restitution = T(source.uniform(0, 1));
        shapes.push_back(record);
        margins.push_back(T(source.uniform(0.005, 0.05)));
      }
    }
    offsets.push_back(0);
    for (int a = 0; a < int(shapes.size()); ++a) {
      for (int b = a + 1; b < int(shapes.size()); ++b) {
        if (shapes[a].type == kHalfSpace || shapes[a].body == shapes[b].body) continue;
        shapeA.push_back(a);
        shapeB.push_back(b);
      }
      offsets.push_back(int(shapeA.size()));
    }
  }
};

template <class T> struct Result {
  std::vector<Manifold<T>> manifolds;
  std::vector<int> offsets;
};

template <class T> Result<T> runStage(Queue& queue, NarrowPhase<T>& stage, PrimitiveScratch& scratch, const Heap<T>& heap) {
  Buffer<ShapeRecord<T>> shapes;
  Buffer<BodyPose<T>> poses;
  Buffer<T> margins;
  Buffer<int> offsets, shapeA, shapeB;
  shapes.upload(queue, heap.shapes);
  poses.upload(queue, heap.poses);
  margins.upload(queue, heap.margins);
  offsets.upload(queue, heap.offsets);
  shapeA.upload(queue, heap.shapeA);
  shapeB.upload(queue, heap.shapeB);
  const PairView pairs{offsets.data(), shapeA.data(), shapeB.data(), int(heap.shapeA.size())};
  const ManifoldView<T> view = stage.update(queue, scratch, pairs, {shapes.data(), int(heap.shapes.size()), poses.data(), margins.data()});
  Result<T> result;
  result.manifolds.resize(size_t(view.count));
  result.offsets.resize(heap.shapes.size() + 1);
  downloadBytes(queue, result.manifolds.data(), view.manifolds, result.manifolds.size() * sizeof(Manifold<T>));
  downloadBytes(queue, result.offsets.data(), view.offsets, result.offsets.size() * sizeof(int));
  return result;
}

template <class T> PlacedShape<T> place(const ShapeRecord<T>& shape, const BodyPose<T>& pose, Vec3<T> origin) {
  return {shape.type, shape.size, {(pose.x - origin) + rotate(pose.q, shape.localPose.p), pose.q * shape.localPose.q}};
}

template <class T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }
template <class T> bool sameBits(Vec3<T> a, Vec3<T> b) { return sameBits(a.x, b.x) && sameBits(a.y, b.y) && sameBits(a.z, b.z); }

class NarrowPhaseTest : public OnEachTarget {
 protected:
  // Heaps of so many bodies, one after the other.
  template <class T> void checkAgainstPairs(unsigned seed, const std::vector<int>& bodyCounts);
};

template <class T> void NarrowPhaseTest::checkAgainstPairs(unsigned seed, const std::vector<int>& bodyCounts) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  NarrowPhase<T> stage;
  PrimitiveScratch scratch;
  // One stage for heaps of different sizes: nothing of the last update may be left.
  for (const int bodyCount : bodyCounts) {
    const Heap<T> heap(seed + unsigned(bodyCount), bodyCount, {0, 0, 0}, 1.2);
    const Result<T> result = runStage(queue, stage, scratch, heap);
    size_t next = 0;
    for (size_t a = 0; a < heap.shapes.size(); ++a) {
      ASSERT_EQ(result.offsets[a], int(next));
      for (int pair = heap.offsets[a]; pair < heap.offsets[a + 1]; ++pair) {
        const int b = heap.shapeB[size_t(pair)];
        const ShapeRecord<T>&recordA = heap.shapes[a], &recordB = heap.shapes[size_t(b)];
        const BodyPose<T>&poseA = heap.poses[size_t(recordA.body)], &poseB = heap.poses[size_t(recordB.body)];
        LocalManifold<T> expected;
        collide(place(recordA, poseA, poseA.x), place(recordB, poseB, poseA.x), heap.margins[a] + heap.margins[size_t(b)], expected);
        if (expected.pointCount == 0) continue;
        ASSERT_LT(next, result.manifolds.size());
        const Manifold<T>& m = result.manifolds[next++];
        ASSERT_EQ(m.shapeA, int(a));
        ASSERT_EQ(m.shapeB, b);
        EXPECT_EQ(m.bodyA, recordA.body);
        EXPECT_EQ(m.bodyB, recordB.body);
        EXPECT_TRUE(sameBits(m.normal, expected.normal));
        EXPECT_EQ(m.friction, squareRoot(recordA.friction * recordB.friction));
        EXPECT_EQ(m.restitution, std::max(recordA.restitution, recordB.restitution));
        ASSERT_EQ(m.pointCount, expected.pointCount);
        for (int p = 0; p < m.pointCount; ++p) {
          EXPECT_TRUE(sameBits(m.points[p].rA, expected.points[p].position));
          EXPECT_TRUE(sameBits(m.points[p].rB, expected.points[p].position - (poseB.x - poseA.x)));
          EXPECT_TRUE(sameBits(m.points[p].separation, expected.points[p].separation));
          EXPECT_EQ(m.points[p].feature, expected.points[p].feature);
        }
      }
    }
    EXPECT_EQ(result.offsets.back(), int(next));
    EXPECT_EQ(result.manifolds.size(), next);
    if (bodyCount > 50) {
      EXPECT_GT(next, 50u);
    }
  }
}

TEST_P(NarrowPhaseTest, AgreesWithPairByPair) {
  checkAgainstPairs<float>(4001, {60, 7, 90, 2});
  checkAgainstPairs<double>(4002, {60, 7, 90, 2});
}

// More pairs than the CPU takes at a time: 43,000 and 29,000.
TEST_P(NarrowPhaseTest, AgreesWithPairByPairWhereTheyAreTakenInParts) { checkAgainstPairs<float>(4006, {245, 20, 200}); }

TEST_P(NarrowPhaseTest, GivesTheBitsOfOneThread) {
  const Heap<float> heap(4003, 150, {0, 0, 0}, 1.6);
  NarrowPhase<float> stage, referenceStage;
  PrimitiveScratch scratch, referenceScratch;
  Queue reference = makeCpuQueue(1);
  const Result<float> here = runStage(queue, stage, scratch, heap), there = runStage(reference, referenceStage, referenceScratch, heap);
  EXPECT_EQ(here.offsets, there.offsets);
  ASSERT_EQ(here.manifolds.size(), there.manifolds.size());
  ASSERT_GT(here.manifolds.size(), 100u);
  EXPECT_EQ(std::memcmp(here.manifolds.data(), there.manifolds.data(), here.manifolds.size() * sizeof(Manifold<float>)), 0);
  releaseQueue(reference);
}

TEST_P(NarrowPhaseTest, NoPairsNoManifolds) {
  Heap<float> heap(4004, 5, {0, 0, 0}, 1);
  heap.shapeA.clear();
  heap.shapeB.clear();
  heap.offsets.assign(heap.shapes.size() + 1, 0);
  NarrowPhase<float> stage;
  PrimitiveScratch scratch;
  const Result<float> result = runStage(queue, stage, scratch, heap);
  EXPECT_TRUE(result.manifolds.empty());
  EXPECT_EQ(result.offsets, std::vector<int>(heap.shapes.size() + 1, 0));
}

// A contact a kilometre away is as exact as the poses are: two boxes on each other with poses that float holds exactly.
TEST_P(NarrowPhaseTest, FarFromTheOriginAContactKeepsItsDigits) {
  Heap<float> heap(4005, 2, {0, 0, 0}, 1);
  heap.shapes.resize(2);
  heap.poses.resize(2);
  for (int i = 0; i < 2; ++i) {
    ShapeRecord<float>& record = heap.shapes[size_t(i)];
    record.type = kBox;
    record.size = {0.5f, 0.5f, 0.5f};
    record.localPose = identityPose<float>();
    record.body = i;
    heap.poses[size_t(i)].x = {1024.0f, 1024.0f + float(i), -1024.0f};
    heap.poses[size_t(i)].q = identityQuat<float>();
  }
  heap.margins = {0.01f, 0.01f};
  heap.offsets = {0, 1, 1};
  heap.shapeA = {0};
  heap.shapeB = {1};
  NarrowPhase<float> stage;
  PrimitiveScratch scratch;
  const Result<float> result = runStage(queue, stage, scratch, heap);
  ASSERT_EQ(result.manifolds.size(), 1u);
  const Manifold<float>& m = result.manifolds[0];
  ASSERT_EQ(m.pointCount, 4);
  for (const ManifoldPoint<float>& p : m.points) {
    EXPECT_EQ(p.separation, 0.0f);
    EXPECT_EQ(std::abs(p.rA.x), 0.5f);
    EXPECT_EQ(p.rA.y, 0.5f);
    EXPECT_EQ(p.rB.y, -0.5f);
  }
}

CAIRN_INSTANTIATE_TARGETS(NarrowPhaseTest);

}  // namespace
}  // namespace cairn
