// Candidate pairs against brute force: bounds in double, written apart from kernels/collide/broad_phase_bounds.cu.
#include "src/collide/broad_phase.hpp"

#include "tests/collide/collide_oracle.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cairn {
namespace {

using test::OnEachTarget;
using test::ShapeSource;
using test::TargetCase;
using Pair = std::pair<int, int>;

struct Heap {
  std::vector<ShapeRecord<float>> shapes;
  std::vector<BodyPose<float>> poses;
  std::vector<BodyVelocity<float>> velocities;
  std::vector<BodyConstants<float>> constants;

  int addBody(Vec3<double> centre, Quat<double> orientation, int flags, Vec3<double> v = {0, 0, 0}) {
    poses.push_back({convert<float>(centre), 0, convert<float>(orientation)});
    velocities.push_back({convert<float>(v), 1, {0, 0, 0}, 1});
    BodyConstants<float> constant{};
    constant.flags = flags | kBodyAlive;
    constants.push_back(constant);
    return int(poses.size()) - 1;
  }
  ShapeRecord<float>& addShape(int body, int type, Vec3<double> size, const Pose<double>& local = identityPose<double>()) {
    ShapeRecord<float> record{};
    record.type = type;
    record.size = convert<float>(size);
    record.localPose = convert<float>(local);
    record.body = body;
    record.category = 1;
    record.mask = 0xffffffffu;
    const double own = type == kSphere ? size.x : (type == kCapsule ? size.x + size.y : length(size));
    record.boundingRadius = type == kHalfSpace ? 0.0f : float(length(local.p) + own);
    shapes.push_back(record);
    return shapes.back();
  }
};

constexpr double kStep = 1.0 / 60;  // [s]

// A shape's bounds with its margin and, if it is fast, with its way; or its plane.
struct Bounds {
  bool absent, plane;
  Vec3<double> low, high;  // plane: low is the unit normal, high.x the offset along it
};

Bounds boundsOf(const Heap& heap, size_t slot, double margin) {
  const ShapeRecord<float>& shape = heap.shapes[slot];
  if (shape.body < 0) return {true, false, {0, 0, 0}, {0, 0, 0}};
  const BodyPose<float>& body = heap.poses[size_t(shape.body)];
  const Pose<double> pose = Pose<double>{convert<double>(body.x), normalized(convert<double>(body.q))} * convert<double>(shape.localPose);
  if (shape.type == kHalfSpace) {
    const Vec3<double> n = rotate(pose.q, Vec3<double>{0, 1, 0});
    return {false, true, n, {dot(n, pose.p) + margin, 0, 0}};
  }
  const test::Core core = test::coreOf({shape.type, convert<double>(shape.size), pose});
  const double r = core.radius + margin;
  Bounds bounds{false, false, {1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
  for (const Vec3<double>& v : core.vertices) {
    bounds.low = minOf(bounds.low, v - Vec3<double>{r, r, r});
    bounds.high = maxOf(bounds.high, v + Vec3<double>{r, r, r});
  }
  const Vec3<double> way = kStep * convert<double>(heap.velocities[size_t(shape.body)].v), zero{0, 0, 0};
  const bool moves = (heap.constants[size_t(shape.body)].flags & (kBodyDynamic | kBodyKinematic)) != 0;
  const float smallest = shape.type == kBox ? std::min({shape.size.x, shape.size.y, shape.size.z}) : shape.size.x;
  if (!moves || !(length(way) > double(smallest))) return bounds;
  return {false, false, bounds.low + minOf(way, zero), bounds.high + maxOf(way, zero)};
}

// By how much the bounds overlap; negative: apart.
double overlapOf(const Bounds& a, const Bounds& b) {
  if (a.plane || b.plane) {
    const Bounds& plane = a.plane ? a : b;
    const Bounds& box = a.plane ? b : a;
    const Vec3<double> n = plane.low;
    const Vec3<double> lowest{n.x > 0 ? box.low.x : box.high.x, n.y > 0 ? box.low.y : box.high.y, n.z > 0 ? box.low.z : box.high.z};
    return plane.high.x - dot(n, lowest);
  }
  const Vec3<double> overlap = minOf(a.high, b.high) - maxOf(a.low, b.low);
  return std::min({overlap.x, overlap.y, overlap.z});
}

bool dynamic(const Heap& heap, const ShapeRecord<float>& shape) { return (heap.constants[size_t(shape.body)].flags & kBodyDynamic) != 0; }

bool mayCollide(const Heap& heap, const ShapeRecord<float>& a, const ShapeRecord<float>& b) {
  if (a.body < 0 || b.body < 0 || a.body == b.body) return false;
  if (!dynamic(heap, a) && !dynamic(heap, b)) return false;
  if (a.type == kHalfSpace && b.type == kHalfSpace) return false;
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

struct Found {
  std::vector<Pair> pairs;
  std::vector<int> offsets;
  std::vector<float> margins;
};

// A heap where the broad phase finds it.
struct Uploaded {
  Buffer<ShapeRecord<float>> shapes;
  Buffer<BodyPose<float>> poses;
  Buffer<BodyVelocity<float>> velocities;
  Buffer<BodyConstants<float>> constants;
  BroadPhaseInput<float> input;

  Uploaded(Queue& queue, const Heap& heap, bool compounds, float dt = float(kStep)) {
    shapes.upload(queue, heap.shapes);
    poses.upload(queue, heap.poses);
    velocities.upload(queue, heap.velocities);
    constants.upload(queue, heap.constants);
    input = {shapes.data(), int(heap.shapes.size()), poses.data(), velocities.data(), constants.data(), dt, 0.02f};
    input.compounds = compounds;
  }
};

Found findPairs(Queue& queue, BroadPhase<float>& broadPhase, const Heap& heap, bool compounds = false) {
  const Uploaded uploaded(queue, heap, compounds);
  PrimitiveScratch scratch;
  const int slots = int(heap.shapes.size());
  const PairView view = broadPhase.update(queue, scratch, uploaded.input);
  const auto count = size_t(view.pairCount);
  std::vector<int> a(count), b(count);
  Found found;
  found.offsets.resize(heap.shapes.size() + 1);
  found.margins.resize(heap.shapes.size());
  downloadBytes(queue, a.data(), view.shapeA, count * sizeof(int));
  downloadBytes(queue, b.data(), view.shapeB, count * sizeof(int));
  if (slots > 0) {
    downloadBytes(queue, found.offsets.data(), view.offsets, found.offsets.size() * sizeof(int));
    downloadBytes(queue, found.margins.data(), broadPhase.shapeMargins(), found.margins.size() * sizeof(float));
  }
  for (size_t i = 0; i < count; ++i) found.pairs.push_back({a[i], b[i]});
  return found;
}

Found findPairs(Queue& queue, const Heap& heap) {
  BroadPhase<float> broadPhase;
  return findPairs(queue, broadPhase, heap);
}

// Every pair that overlaps by more than rounding is there, none that is apart by more than that, none twice, and the rows are those promised in
// views.hpp.
void expectBruteForcePairs(const Heap& heap, const Found& found) {
  const auto n = heap.shapes.size();
  std::vector<Bounds> bounds;
  double size = 1;
  for (size_t i = 0; i < n; ++i) {
    bounds.push_back(boundsOf(heap, i, double(found.margins[i])));
    if (!bounds.back().absent && !bounds.back().plane) size = std::max({size, length(bounds.back().low), length(bounds.back().high)});
  }
  const double rounding = 2e-6 * size;
  std::vector<unsigned char> there(n * n, 0);  // how often, by smaller and larger slot
  for (const auto& [a, b] : found.pairs) ++there[size_t(std::min(a, b)) * n + size_t(std::max(a, b))];
  size_t counted = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      const size_t times = there[i * n + j];
      ASSERT_LE(times, 1u) << "a pair is there twice";
      counted += times;
      if (!mayCollide(heap, heap.shapes[i], heap.shapes[j])) {
        ASSERT_EQ(times, 0u) << "shapes " << i << " and " << j << " must not meet";
        continue;
      }
      const double overlap = overlapOf(bounds[i], bounds[j]);
      if (overlap > rounding) {
        ASSERT_EQ(times, 1u) << "shapes " << i << " and " << j << " overlap by " << overlap;
      }
      if (overlap < -rounding) {
        ASSERT_EQ(times, 0u) << "shapes " << i << " and " << j << " are apart by " << -overlap;
      }
    }
  }
  EXPECT_EQ(counted, found.pairs.size());
  for (size_t i = 0; i < n; ++i) {
    for (int k = found.offsets[i]; k < found.offsets[i + 1]; ++k) {
      const auto [a, b] = found.pairs[size_t(k)];
      ASSERT_EQ(a, int(i));
      const ShapeRecord<float>&shapeA = heap.shapes[size_t(a)], &shapeB = heap.shapes[size_t(b)];
      EXPECT_TRUE(dynamic(heap, shapeA));
      EXPECT_TRUE(!dynamic(heap, shapeB) || b > a);
      if (k == found.offsets[i]) continue;
      const int before = found.pairs[size_t(k) - 1].second;
      const bool beforeDynamic = dynamic(heap, heap.shapes[size_t(before)]);
      EXPECT_TRUE(beforeDynamic == dynamic(heap, shapeB) ? before < b : beforeDynamic) << "row " << i << " is not in order";
    }
  }
}

// Shapes of all types, kinds of bodies, sizes, filters and speeds; some slots are empty.
Heap mixedHeap(unsigned seed, int bodies, double spread) {
  ShapeSource source(seed);
  Heap heap;
  for (int i = 0; i < bodies; ++i) {
    const double kind = source.uniform(0, 1);
    const int flags = kind < 0.8 ? int(kBodyDynamic) : (kind < 0.9 ? int(kBodyKinematic) : 0);
    const Vec3<double> centre = spread * Vec3<double>{source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(-1, 1)};
    const Vec3<double> v = source.uniform(0, 1) < 0.1 ? 50.0 * source.direction() : Vec3<double>{0, 0, 0};
    const int body = heap.addBody(centre, source.orientation(), flags, v);
    const int shapeCount = source.uniform(0, 1) < 0.2 ? 3 : 1;
    for (int k = 0; k < shapeCount; ++k) {
      const bool plane = flags == 0 && source.uniform(0, 1) < 0.1;
      const double size = std::pow(10.0, source.uniform(-2, source.uniform(0, 1) < 0.02 ? 2 : 0));
      const Pose<double> local =
          shapeCount == 1 ? identityPose<double>() : Pose<double>{source.uniform(0, 1) * source.direction(), source.orientation()};
      ShapeRecord<float>& shape = heap.addShape(body, plane ? kHalfSpace : int(source.uniform(0, 2.999)),
                                                {size, size * source.uniform(0.2, 1), size * source.uniform(0.2, 1)}, local);
      if (source.uniform(0, 1) < 0.2) shape.category = 2;
      if (source.uniform(0, 1) < 0.2) shape.mask = 1;
      if (source.uniform(0, 1) < 0.1) shape.group = int(source.uniform(-2.99, 2.99));
      if (source.uniform(0, 1) < 0.05) shape.body = -1;
    }
  }
  return heap;
}

// Balls of balls: so many shapes on the surface of each body, and a few single ones and a floor between them.
Heap heapOfCompounds(unsigned seed, int bodies, int shapesEach, double spread) {
  ShapeSource source(seed);
  Heap heap;
  heap.addShape(heap.addBody({0, -spread, 0}, identityQuat<double>(), 0), kHalfSpace, {0, 0, 0});
  for (int i = 0; i < bodies; ++i) {
    const double kind = source.uniform(0, 1);
    const int flags = kind < 0.9 ? int(kBodyDynamic) : (kind < 0.95 ? int(kBodyKinematic) : 0);
    const Vec3<double> centre = spread * Vec3<double>{source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(-1, 1)};
    const int body =
        heap.addBody(centre, source.orientation(), flags, source.uniform(0, 1) < 0.1 ? 50.0 * source.direction() : Vec3<double>{0, 0, 0});
    const int count = source.uniform(0, 1) < 0.2 ? 1 : int(source.uniform(1, 2 * shapesEach));
    for (int k = 0; k < count; ++k) {
      ShapeRecord<float>& shape = heap.addShape(body, kSphere, {0.15, 0, 0}, {0.5 * source.direction(), identityQuat<double>()});
      if (source.uniform(0, 1) < 0.1) shape.category = 2;
      if (source.uniform(0, 1) < 0.1) shape.mask = 1;
      if (source.uniform(0, 1) < 0.03) shape.body = -1;
    }
  }
  return heap;
}

class BroadPhaseTest : public OnEachTarget {};

TEST_P(BroadPhaseTest, CompoundsThatShareLeavesHaveThePairsOfBruteForce) {
  for (const auto& [bodies, shapesEach] : std::vector<std::pair<int, int>>{{2, 40}, {5, 37}, {60, 5}, {30, 40}, {6, 200}}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(bodies) + " bodies of " + std::to_string(shapesEach) + " shapes or so");
      const Heap heap = heapOfCompounds(seed, bodies, shapesEach, 0.5 * std::cbrt(bodies));
      BroadPhase<float> broadPhase;
      const Found found = findPairs(queue, broadPhase, heap, true), alone = findPairs(queue, heap);
      expectBruteForcePairs(heap, found);
      EXPECT_EQ(found.pairs, alone.pairs);
      EXPECT_EQ(found.offsets, alone.offsets);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BroadPhaseTest, ACompoundIsOneEntryOfTheTree) {
  const auto leavesOf = [this](const Heap& heap, bool compounds) {
    const Uploaded uploaded(queue, heap, compounds);
    PrimitiveScratch scratch;
    BroadPhase<float> broadPhase;
    TreeHeader header;
    downloadBytes(queue, &header, broadPhase.updateTree(queue, scratch, uploaded.input).header, sizeof header);
    return header.leafCount;
  };
  Heap heap;
  ShapeSource source(3);
  const auto add = [&](int flags, int shapes) {
    const int body = heap.addBody(3.0 * source.direction(), source.orientation(), flags);
    for (int k = 0; k < shapes; ++k) heap.addShape(body, kSphere, {0.1, 0, 0}, {0.5 * source.direction(), identityQuat<double>()});
  };
  for (int i = 0; i < 50; ++i) add(kBodyDynamic, 40);
  EXPECT_EQ(leavesOf(heap, false), 2000);
  EXPECT_EQ(leavesOf(heap, true), 50);
  // What does not move keeps an entry for each shape; a long run of shapes has several.
  add(0, 30);
  add(kBodyKinematic, 20);
  EXPECT_EQ(leavesOf(heap, true), 100);
  add(kBodyDynamic, 1000);
  const int more = leavesOf(heap, true) - 100;
  EXPECT_GE(more, 1000 / (2 * kEntryShapes));
  EXPECT_LE(more, 1000 / kEntryShapes + 1);
}

TEST_P(BroadPhaseTest, RandomHeapsGiveThePairsOfBruteForce) {
  for (const auto& [bodies, spread] :
       std::vector<std::pair<int, double>>{{1, 1}, {2, 0.1}, {3, 0.5}, {10, 1}, {33, 1}, {100, 2}, {1000, 5}, {3000, 12}}) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(bodies) + " bodies");
      const Heap heap = mixedHeap(seed, bodies, spread);
      expectBruteForcePairs(heap, findPairs(queue, heap));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BroadPhaseTest, AHugeGroundUnderAGridPairsWithWhatStandsOnIt) {
  Heap heap;
  heap.addShape(heap.addBody({0, -50, 0}, identityQuat<double>(), 0), kBox, {100, 50, 100});
  for (int i = 0; i < 1000; ++i) {
    heap.addShape(heap.addBody({double(i % 10), 0.5 + double(i / 100), double(i / 10 % 10)}, identityQuat<double>(), kBodyDynamic), kBox,
                  {0.5, 0.5, 0.5});
  }
  const Found found = findPairs(queue, heap);
  expectBruteForcePairs(heap, found);
  size_t onGround = 0;
  for (const Pair& pair : found.pairs) onGround += pair.second == 0;
  EXPECT_EQ(onGround, 100u);
}

TEST_P(BroadPhaseTest, CoincidentCentresAllMeet) {
  Heap heap;
  for (int i = 0; i < 300; ++i) heap.addShape(heap.addBody({1, 2, 3}, identityQuat<double>(), kBodyDynamic), kSphere, {0.5, 0, 0});
  const Found found = findPairs(queue, heap);
  EXPECT_EQ(found.pairs.size(), 300u * 299 / 2);
  expectBruteForcePairs(heap, found);
}

// Plates that lie across spheres, moving and fixed: their rows are longer than what is kept with each shape. One object serves one step after the
// other, with more and with fewer partners.
TEST_P(BroadPhaseTest, PlatesThatMeetHundreds) {
  BroadPhase<float> broadPhase;
  for (const int across : {12, 25, 7, 26}) {
    for (const bool platesFirst : {true, false}) {
      SCOPED_TRACE(std::to_string(across) + (platesFirst ? " across, plates first" : " across, plates last"));
      Heap heap;
      const auto plates = [&] {
        for (const double height : {-0.5, 0.5, 0.55}) {
          heap.addShape(heap.addBody({12, height, 12}, identityQuat<double>(), kBodyDynamic), kBox, {14, 0.1, 14});
        }
      };
      if (platesFirst) plates();
      for (int i = 0; i < across * across; ++i) {
        const int flags = i % 5 == 0 ? 0 : (i % 5 == 1 ? int(kBodyKinematic) : int(kBodyDynamic));
        heap.addShape(heap.addBody({double(i % across), 0, double(i / across)}, identityQuat<double>(), flags), kSphere, {0.45, 0, 0});
      }
      if (!platesFirst) plates();
      const Found found = findPairs(queue, broadPhase, heap);
      EXPECT_EQ(found.pairs.size(), size_t(3 * across * across + 1));
      expectBruteForcePairs(heap, found);
    }
  }
}

// The typical size is that of all shapes together, however many there are.
TEST_P(BroadPhaseTest, TheTypicalSizeOfTwentyMillionShapes) {
  const int leaves = 20'000'000, exponent = 130;  // of 8 m
  TreeHeader header = emptyHeader();
  for (int axis = 0; axis < 3; ++axis) header.low[axis] = 0, header.high[axis] = 0x41000000;
  header.leafCount = leaves;
  header.lowExponentSum = leaves * (exponent & 15);
  header.highExponentSum = leaves * (exponent >> 4);
  Buffer<TreeHeader> headers;
  Buffer<ShapeBounds<float>> bounds;
  Buffer<uint64_t> keys;
  Buffer<int> order;
  headers.upload(queue, {header});
  bounds.upload(queue, {{{0, 0, 0}, kMoving, {8, 8, 8}, 0}, {{0, 0, 0}, kMoving, {800, 8, 8}, 0}});
  keys.resize(queue, 2);
  order.resize(queue, 2);
  makeTreeKeys(queue, bounds.data(), 2, headers.data(), keys.data(), order.data());
  const std::vector<uint64_t> found = keys.download(queue);
  EXPECT_EQ(found[0] >> 3 * treeAxisBits(2), 0u);  // one of the many
  EXPECT_EQ(found[1] >> 3 * treeAxisBits(2), 1u);  // a large one
}

TEST_P(BroadPhaseTest, ALineOfBodiesMeetsItsNeighbours) {
  Heap heap;
  for (int i = 0; i < 2000; ++i) heap.addShape(heap.addBody({i * 0.99, 0, 0}, identityQuat<double>(), kBodyDynamic), kSphere, {0.5, 0, 0});
  const Found found = findPairs(queue, heap);
  EXPECT_EQ(found.pairs.size(), 1999u);
  expectBruteForcePairs(heap, found);
}

TEST_P(BroadPhaseTest, NothingOneAndOnlyStaticBodiesGiveNoPairs) {
  Heap heap;
  EXPECT_TRUE(findPairs(queue, heap).pairs.empty());
  heap.addShape(heap.addBody({0, 0, 0}, identityQuat<double>(), kBodyDynamic), kSphere, {0.5, 0, 0});
  EXPECT_TRUE(findPairs(queue, heap).pairs.empty());
  Heap fixed;
  for (int i = 0; i < 5; ++i) fixed.addShape(fixed.addBody({0, 0, 0}, identityQuat<double>(), i % 2 == 0 ? 0 : int(kBodyKinematic)), kBox, {1, 1, 1});
  EXPECT_TRUE(findPairs(queue, fixed).pairs.empty());
}

TEST_P(BroadPhaseTest, FastBodiesReachFurther) {
  Heap heap;
  heap.addShape(heap.addBody({0, 0, 0}, identityQuat<double>(), kBodyDynamic, {0, -20, 0}), kSphere, {0.5, 0, 0});
  heap.addShape(heap.addBody({0, -1.2, 0}, identityQuat<double>(), 0), kBox, {1, 0.5, 1});
  EXPECT_EQ(findPairs(queue, heap).pairs.size(), 1u) << "the sphere travels 0.33 m in a step, the gap is 0.2 m";
  heap.velocities[0].v = {0, 0, 0};
  EXPECT_TRUE(findPairs(queue, heap).pairs.empty());
}

TEST_P(BroadPhaseTest, GivesTheSamePairsAsOneThread) {
  for (const int bodies : {20, 5000}) {
    const Heap heap = mixedHeap(11, bodies, bodies > 100 ? 12 : 1);
    Queue reference = makeCpuQueue(1);
    const Found expected = findPairs(reference, heap), actual = findPairs(queue, heap);
    EXPECT_EQ(expected.pairs, actual.pairs);
    EXPECT_EQ(expected.offsets, actual.offsets);
    EXPECT_EQ(expected.margins, actual.margins);
  }
}

// What a caller may change between two steps, so that no list of neighbours serves the next one; and what it may not make a difference for.
struct Change {
  const char* what;
  bool staysListed;  // on the CPU
  void (*apply)(Heap& heap);
};

const std::vector<Change> kChanges = {
    {"nothing", true, [](Heap&) {}},
    {"bodies that move by a fiftieth of their size", true,
     [](Heap& heap) {
       for (size_t i = 0; i < heap.poses.size() - 1; ++i) heap.poses[i].x += Vec3<float>{0.01f, i % 2 == 0 ? -0.005f : 0.005f, 0.0f};
     }},
    {"bodies that move on", false,
     [](Heap& heap) {
       for (size_t i = 0; i < heap.poses.size(); ++i) heap.poses[i].x.y += i % 3 == 0 ? 0.04f : -0.04f;
     }},
    {"a body elsewhere", false,
     [](Heap& heap) {
       heap.poses[7].x = {3.2f, 1.1f, 2.4f};
     }},
    {"a body that is fast", false,
     [](Heap& heap) {
       heap.velocities[7].v = {90, -3, 20};
     }},
    {"a mask", false, [](Heap& heap) { heap.shapes[20].mask = 0; }},
    {"a group", false, [](Heap& heap) { heap.shapes[21].group = heap.shapes[22].group = -3; }},
    {"an empty slot", false, [](Heap& heap) { heap.shapes[30].body = -1; }},
    {"another body in this slot", false, [](Heap& heap) { heap.shapes[30].body = 31; }},
    {"a larger shape", false,
     [](Heap& heap) {
       heap.shapes[40].size = {1.5f, 0.2f, 1.5f};
     }},
    {"a body that holds still", false, [](Heap& heap) { heap.constants[50].flags = kBodyAlive; }},
    {"ground that rises", false, [](Heap& heap) { heap.poses.back().x.y += 0.6f; }},
    {"ground that tilts", false,
     [](Heap& heap) {
       heap.poses.back().q = {0.1f, 0, 0, 0.99498744f};
     }},
    {"one more", false,
     [](Heap& heap) {
       heap.addShape(heap.addBody({2.1, 2.3, 2.2}, identityQuat<double>(), kBodyDynamic), kSphere, {0.4, 0, 0});
     }},
};

// Boxes of half a metre in a grid over a half-space.
Heap gridHeap() {
  Heap heap;
  for (int i = 0; i < 125; ++i) {
    const Vec3<double> centre{0.5 * (i % 5), 0.5 * (i / 5 % 5) + 0.25, 0.5 * (i / 25)};
    heap.addShape(heap.addBody(centre, identityQuat<double>(), kBodyDynamic), kBox, {0.25, 0.25, 0.25});
  }
  heap.addShape(heap.addBody({0, 0, 0}, identityQuat<double>(), 0), kHalfSpace, {0, 0, 0});
  return heap;
}

TEST_P(BroadPhaseTest, ListedNeighboursGiveThePairsOfASearch) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.what);
    Heap heap = gridHeap();
    BroadPhase<float> keeping(true);
    findPairs(queue, keeping, heap);
    findPairs(queue, keeping, heap);
    EXPECT_EQ(keeping.updatesListed(), GetParam() == TargetCase::Cuda ? 0 : 2);
    for (int times = 0; times < 2; ++times) {
      change.apply(heap);
      const Found expected = findPairs(queue, heap), actual = findPairs(queue, keeping, heap);
      EXPECT_EQ(actual.pairs, expected.pairs);
      EXPECT_EQ(actual.offsets, expected.offsets);
      if (GetParam() != TargetCase::Cuda && times == 0) {
        EXPECT_EQ(keeping.updatesListed() > 2, change.staysListed);
      }
    }
  }
}

// Heaps of everything, in which each step some bodies move and some do not.
TEST_P(BroadPhaseTest, ListsOfDriftingHeapsGiveThePairsOfSearches) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const bool compounds = seed > 4;
    Heap heap = compounds ? heapOfCompounds(seed, 40, 10, 2) : mixedHeap(seed, 400, 3);
    ShapeSource source(seed + 100);
    BroadPhase<float> keeping(true);
    int listed = 0;
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      for (size_t i = 0; i < heap.poses.size(); ++i) {
        if ((heap.constants[i].flags & kBodyDynamic) != 0) heap.poses[i].x += convert<float>(1e-4 * source.direction());
      }
      if (step % 13 == 12) heap.poses[size_t(step)].x.x += 1.0f;
      const Found expected = findPairs(queue, heap), actual = findPairs(queue, keeping, heap, compounds);
      ASSERT_EQ(actual.pairs, expected.pairs);
      ASSERT_EQ(actual.offsets, expected.offsets);
      listed += keeping.updatesListed() > 1;
    }
    EXPECT_EQ(listed > 10, GetParam() != TargetCase::Cuda) << listed;
  }
}

// Rows that are longer than what a search keeps with each shape.
TEST_P(BroadPhaseTest, AListWithHundredsOfNeighboursGivesThePairsOfASearch) {
  Heap heap;
  heap.addShape(heap.addBody({12, -0.5, 12}, identityQuat<double>(), kBodyDynamic), kBox, {14, 0.1, 14});
  for (int i = 0; i < 625; ++i) {
    heap.addShape(heap.addBody({double(i % 25), 0, double(i / 25)}, identityQuat<double>(), kBodyDynamic), kSphere, {0.45, 0, 0});
  }
  BroadPhase<float> keeping(true);
  for (int step = 0; step < 6; ++step) {
    for (size_t i = 1; i < heap.poses.size(); i += 2) heap.poses[i].x.y += 0.01f;
    const Found expected = findPairs(queue, heap), actual = findPairs(queue, keeping, heap);
    EXPECT_EQ(actual.pairs, expected.pairs) << "step " << step;
    EXPECT_GT(expected.pairs.size(), 300u);
  }
}

CAIRN_INSTANTIATE_TARGETS(BroadPhaseTest);

}  // namespace
}  // namespace cairn
