// Triangles that are met by a thread each give the contacts that one thread finds, whatever of them there is room for.
#include "src/collide/triangle_store.hpp"
#include "src/scene/convex_hull.hpp"
#include "src/state/hull_table.hpp"
#include "src/state/mesh_table.hpp"
#include "tests/runtime/on_each_target.hpp"
#include "tests/support/collision_meshes.hpp"
#include "tests/support/hulls.hpp"
#include "tests/support/revolved.hpp"

#include "kernels/collide/mesh_pairs.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace cairn::test {
namespace {

// A prism that stands on a face of so many sides.
std::vector<Vec3d> prism(int sides, double radius, double half) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 2 * sides; ++k) {
    const double angle = 2 * kPi * (k / 2) / sides;
    corners.push_back({radius * std::cos(angle), k % 2 == 0 ? half : -half, radius * std::sin(angle)});
  }
  return corners;
}

// Shapes of every kind about hills, each a body, and the hills, before or behind them in the pairs.
template <class T> class OnHills {
 public:
  OnHills(Queue& queue, int count) : queue_(queue) {
    const auto hills = std::make_shared<TriangleMesh>(patch(30, 4, 5, [](double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(3 * z); }));
    mesh_ = meshes_.typeOf(hills, MeshUse{}, 1);
    ShapeSource source(7);
    for (int k = 0; k < count; ++k) {
      const double x = source.uniform(-3.5, 3.5), z = source.uniform(-3.5, 3.5);
      add(randomShape(source, k % 8), {{x, 0.3 * std::sin(2 * x) * std::cos(3 * z) + source.uniform(0, 0.35), z}, source.orientation()});
    }
    add({kBox, {3, 0.2, 3}, identityPose<double>()}, {{0, 0.2, 0}, identityQuat<double>()});  // over most of the triangles
    const auto& t = hills->triangles[900];
    const Vec a = hills->vertices[size_t(t[0])], ab = hills->vertices[size_t(t[1])] - a, ac = hills->vertices[size_t(t[2])] - a;
    const Vec n = normalizedOr(cross(ab, ac), Vec{0, 1, 0});
    add(hullShape(prism(20, 0.02, 0.05)),
        {a + (1.0 / 3) * (ab + ac) + 0.051 * n, normalized(Quatd{n.z, 0, -n.x, 1 + n.y})});  // all over one triangle
    add({mesh_, {0, 0, 0}, identityPose<double>()}, identityPose<double>());
    meshes_.upload(queue);
    hulls_.upload(queue);
    const int ground = int(records_.size()) - 1;
    for (int k = 0; k < ground; ++k) {
      shapeA_.push_back(k % 2 == 0 ? k : ground);
      shapeB_.push_back(k % 2 == 0 ? ground : k);
    }
    recordsThere_.upload(queue, records_);
    posesThere_.upload(queue, poses_);
    marginsThere_.upload(queue, std::vector<T>(records_.size(), T(0.02)));
    shapeAThere_.upload(queue, shapeA_);
    shapeBThere_.upload(queue, shapeB_);
    found_.resize(queue, shapeA_.size());
    first_.resize(queue, shapeA_.size());
    more_.resize(queue, shapeA_.size() * kMoreMeshManifolds);
    std::vector<int> all(shapeA_.size());
    std::iota(all.begin(), all.end(), 0);
    items_.upload(queue, all);
    count_.upload(queue, {int(all.size())});
  }

  int pairCount() const { return int(shapeA_.size()); }
  PairView pairs() { return {nullptr, shapeAThere_.data(), shapeBThere_.data(), pairCount()}; }
  ConvexPairs<T> shapes() { return {recordsThere_.data(), posesThere_.data(), marginsThere_.data(), {hulls_.view(), meshes_.view(), true}}; }
  FastList list() { return {count_.data(), items_.data(), pairCount()}; }

  struct Contacts {
    std::vector<int> found;
    std::vector<Manifold<T>> first, more;
    bool operator==(const Contacts& other) const {
      const auto same = [](const auto& a, const auto& b) { return std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0; };
      return found == other.found && same(first, other.first) && same(more, other.more);
    }
  };
  Contacts collide(const MeshTriangles& triangles) {
    found_.fillZero(queue_);
    first_.fillZero(queue_);
    more_.fillZero(queue_);
    collideMeshPairs(queue_, pairs(), shapes(), {nullptr, 0}, list(), triangles, MeshManifolds<T>{first_.data(), more_.data(), found_.data()});
    return {found_.download(queue_), first_.download(queue_), more_.download(queue_)};
  }

 private:
  PlacedShape<double> randomShape(ShapeSource& source, int kind) {
    const auto size = [&] { return source.uniform(0.1, 0.4); };
    if (kind == 4) return cylinderAt(size(), size());
    if (kind == 5) return coneAt(size(), size());
    if (kind < 6) return {std::array{kSphere, kCapsule, kBox, kEllipsoid}[size_t(kind)], {size(), size(), size()}, identityPose<double>()};
    return hullShape(kind == 6 ? gem(unsigned(hulls_.count()), 20, {size(), size(), size()}) : prism(14, 0.5, 0.2));
  }
  PlacedShape<double> hullShape(const std::vector<Vec3d>& points) {
    const std::shared_ptr<const ConvexHull> hull = hullOf(ShapeDef::hull(points));
    return {hulls_.typeOf(*hull), {hull->inner, hull->outer, 0}, identityPose<double>()};
  }
  void add(const PlacedShape<double>& shape, const Pose<double>& at) {
    ShapeRecord<T> record{};
    record.type = shape.type;
    record.size = convert<T>(shape.size);
    record.localPose = identityPose<T>();
    record.body = int(poses_.size());
    records_.push_back(record);
    BodyPose<T> pose{};
    pose.x = convert<T>(at.p);
    pose.q = convert<T>(at.q);
    poses_.push_back(pose);
  }

  Queue& queue_;
  MeshTable meshes_;
  HullTable hulls_;
  int mesh_;
  std::vector<ShapeRecord<T>> records_;
  std::vector<BodyPose<T>> poses_;
  std::vector<int> shapeA_, shapeB_;
  Buffer<ShapeRecord<T>> recordsThere_;
  Buffer<BodyPose<T>> posesThere_;
  Buffer<T> marginsThere_;
  Buffer<int> shapeAThere_, shapeBThere_, items_, count_, found_;
  Buffer<Manifold<T>> first_, more_;
};

class MeshTrianglesTest : public OnEachTarget {
 protected:
  template <class T> void check();
};

template <class T> void MeshTrianglesTest::check() {
  OnHills<T> scene(queue, 160);
  const auto expected = scene.collide({});
  EXPECT_GT(std::accumulate(expected.found.begin(), expected.found.end(), 0), 200);
  const int pairs = scene.pairCount();
  TriangleStore store;
  const auto heldWith = [&](int runs, int touches) {
    MeshTriangles triangles = store.ready(queue, pairs);
    triangles.runRoom = std::min(triangles.runRoom, runs);
    triangles.touchRoom = std::min(triangles.touchRoom, touches);
    meetTriangles(queue, scene.pairs(), scene.shapes(), {nullptr, 0}, scene.list(), triangles);
    EXPECT_TRUE(scene.collide(triangles) == expected) << runs << ' ' << touches;
    std::vector<int> firstRun(static_cast<size_t>(pairs)), spilled(firstRun);
    downloadBytes(queue, firstRun.data(), triangles.firstRun, firstRun.size() * sizeof(int));
    downloadBytes(queue, spilled.data(), triangles.spilled, spilled.size() * sizeof(int));
    int held = 0;
    for (size_t k = 0; k < firstRun.size(); ++k) held += firstRun[k] != kMetAsAWhole && spilled[k] == 0 ? 1 : 0;
    return held;
  };
  constexpr int kAll = 1 << 30;
  const int held = heldWith(kAll, kAll);
  EXPECT_EQ(held, pairs - 1);  // the smallest prism has more corners over its triangle than that has room for touches
  const int fewRuns = heldWith(40, kAll), fewTouches = heldWith(kAll, 100);
  EXPECT_GT(fewRuns, 0);
  EXPECT_LT(fewRuns, held);
  EXPECT_GT(fewTouches, 0);
  EXPECT_LT(fewTouches, held);
  // Those without a triangle in reach need no room for any, and those without a touch none for touches.
  const int noRuns = heldWith(0, kAll), noTouches = heldWith(kAll, 0);
  EXPECT_LT(noRuns, pairs / 10);
  EXPECT_LT(noTouches, held / 2);
  EXPECT_GE(noTouches, noRuns);
}

TEST_P(MeshTrianglesTest, GiveWhatOneThreadFindsInFloat) { check<float>(); }
TEST_P(MeshTrianglesTest, GiveWhatOneThreadFindsInDouble) { check<double>(); }

CAIRN_INSTANTIATE_TARGETS(MeshTrianglesTest);

}  // namespace
}  // namespace cairn::test
