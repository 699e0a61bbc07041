// Pairs with a hull in packs, at each level of CPU code that this processor has, against the same pairs one by one: the same manifolds to the bit.
#include "tests/collide/collide_oracle.hpp"
#include "tests/support/hull_shapes.hpp"
#include "tests/support/hulls.hpp"

#include "kernels/collide/convex_pairs.hpp"
#include "kernels/runtime/launch.hpp"

#include <gtest/gtest.h>

#include <cstring>

CAIRN_CPU_PASSES(hullPass)

namespace cairn {
namespace {

using test::ShapeSource;

std::vector<CpuPass (*)(int)> levelsThatRun() {
  std::vector<CpuPass (*)(int)> passes{v0::hullPass};
#if CAIRN_CPU_LEVELS > 1
  if (cpuLevelRuns(CpuLevel::Avx2)) passes.push_back(cairn_avx2::v0::hullPass);
  if (cpuLevelRuns(CpuLevel::Avx512)) passes.push_back(cairn_avx512::v0::hullPass);
#endif
  return passes;
}

// Each shape on a body of its own, and each with the one after it.
template <class T> class Couples {
 public:
  explicit Couples(int count) : found_(static_cast<size_t>(count)), manifolds_(static_cast<size_t>(count)) {
    ShapeSource source(71);
    const auto size = [&] { return 0.1 * std::exp(source.uniform(0, std::log(10.0))); };
    for (int i = 0; i < count; ++i) {
      std::vector<Vec3d> points = test::gem(static_cast<unsigned>(i), 8 + i % 57, {size(), size(), i % 7 == 0 ? 0.02 : size()});
      if (i % 13 == 0) points = {{0, 0, 0}, {size(), 0, 0}, {0, size(), 0}, {0, 0, size()}};
      test::Shape a = hulls_.add(points), b = a;
      if (i % 3 == 0) b = source.shape(kBox);
      if (i % 3 == 1)
        b = hulls_.add(i % 2 == 0 ? test::cornersOfBox({size(), size(), size()}) : test::gem(7u, 64 - i % 40, {size(), size(), size()}));
      if (i % 11 == 0) b = source.shape(kSphere);
      a.pose.q = source.orientation();
      b.pose = {source.uniform(0, 1.6) * source.direction(), source.orientation()};
      if (i % 2 == 0) std::swap(a, b);
      add(a, i % 5 == 0 ? 0.3 : 0.01);
      add(b, 0.01);
      shapeA_.push_back(2 * i);
      shapeB_.push_back(2 * i + 1);
    }
  }

  // found, and the manifolds where there are any.
  std::vector<char> oneByOne() {
    clear();
    runItems(pairs(), 0, count());
    return bytes();
  }
  std::vector<char> inPacks(CpuPass (*level)(int), int threads) {
    clear();
    ThreadTeam team(threads);
    const auto others = [](const void* pairs, int64_t begin, int64_t end) {
      runItems(*static_cast<const CollideConvexPair<T, WithHull>*>(pairs), begin, end);
    };
    runOnCpu<HullPasses>(level, team, HullPairsInPacks<T>{pairs(), others});
    return bytes();
  }
  int touching() const { return static_cast<int>(std::count(found_.begin(), found_.end(), 1)); }
  int count() const { return static_cast<int>(shapeA_.size()); }

 private:
  void add(const test::Shape& shape, double margin) {
    BodyPose<T> pose{};
    pose.x = convert<T>(shape.pose.p);
    pose.q = convert<T>(shape.pose.q);
    ShapeRecord<T> record{};
    record.type = shape.type;
    record.size = convert<T>(shape.size);
    record.localPose = identityPose<T>();
    record.body = static_cast<int>(poses_.size());
    poses_.push_back(pose);
    shapes_.push_back(record);
    margins_.push_back(T(margin));
  }
  CollideConvexPair<T, WithHull> pairs() {
    const PairView view{nullptr, shapeA_.data(), shapeB_.data(), count()};
    return {{view, shapes_.data(), poses_.data(), margins_.data(), {nullptr, 0}, manifolds_.data(), found_.data()}, hulls_.view()};
  }
  void clear() {
    std::fill(found_.begin(), found_.end(), 0);
    std::memset(static_cast<void*>(manifolds_.data()), 0, manifolds_.size() * sizeof(Manifold<T>));
  }
  std::vector<char> bytes() const {
    std::vector<char> all(found_.size() * sizeof(int) + manifolds_.size() * sizeof(Manifold<T>));
    std::memcpy(all.data(), found_.data(), found_.size() * sizeof(int));
    std::memcpy(all.data() + found_.size() * sizeof(int), manifolds_.data(), manifolds_.size() * sizeof(Manifold<T>));
    return all;
  }

  test::Hulls hulls_;
  std::vector<ShapeRecord<T>> shapes_;
  std::vector<BodyPose<T>> poses_;
  std::vector<T> margins_;
  std::vector<int> shapeA_, shapeB_, found_;
  std::vector<Manifold<T>> manifolds_;
};

template <class T> void compareLevels() {
  Couples<T> couples(6000);
  const std::vector<char> wanted = couples.oneByOne();
  EXPECT_GT(couples.touching(), couples.count() / 4);
  EXPECT_LT(couples.touching(), couples.count() * 9 / 10);
  int level = 0;
  for (const auto pass : levelsThatRun()) {
    for (const int threads : {1, 2}) EXPECT_TRUE(couples.inPacks(pass, threads) == wanted) << "level " << level << ", " << threads << " threads";
    ++level;
  }
}

TEST(HullPacks, GiveTheSameManifoldsAsOneByOne) { compareLevels<float>(); }
TEST(HullPacks, GiveTheSameManifoldsAsOneByOneInDouble) { compareLevels<double>(); }

}  // namespace
}  // namespace cairn
