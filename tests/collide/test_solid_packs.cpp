// Solids with looks in packs, at each level of CPU code that this processor has, against looks one after the other: the same results to the bit.
#include "tests/support/solid_meshes.hpp"

#include "kernels/collide/solid_passes.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace cairn {
namespace {

using test::Shape;
using test::ShapeSource;

std::vector<CpuPass (*)(int)> levelsThatRun() {
  std::vector<CpuPass (*)(int)> passes{v0::solidPass};
#if CAIRN_CPU_LEVELS > 1
  if (cpuLevelRuns(CpuLevel::Avx2)) passes.push_back(cairn_avx2::v0::solidPass);
  if (cpuLevelRuns(CpuLevel::Avx512)) passes.push_back(cairn_avx512::v0::solidPass);
#endif
  return passes;
}

template <class Pass> void runAt(CpuPass (*level)(int), const Pass& pass) {
  const TeamLoop alone{nullptr, 1, nullptr};
  level(solid::SolidPasses::placeOf<Pass>())(&pass, &alone);
}

bool same(Vec3<double> a, Vec3<double> b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

class SolidPacks : public testing::Test {
 protected:
  SolidPacks()
      : shapes_{solids_.add("torus:major=0.4,minor=0.1,around=26,tube=16", 0.02), solids_.add("jack:reach=0.4,core=0.1,cells=12", 0.02),
                solids_.add("nut:diameter=0.4,pitch=0.06,turns=4,flats=0.64,clearance=0.004", 0.006),
                solids_.add("bolt:diameter=0.4,pitch=0.06,turns=6,flats=0.64", 0.006)} {}

  // Of any two of them, and of a nut on its bolt.
  void forPairs(int count, const std::function<void(const Shape& a, const Shape& b, ShapeSource& source)>& visit) {
    ShapeSource source(81);
    for (int n = 0; n < count; ++n) {
      Shape a = shapes_[n % 4], b = shapes_[n / 4 % 4];
      a.pose.q = source.orientation();
      b.pose = {source.uniform(0, 0.6) * source.direction(), source.orientation()};
      if (n % 5 == 0) {
        a = shapes_[2], b = shapes_[3];
        a.pose = {{0, source.uniform(-0.006, 0.006), 0}, source.turn(0.01)};
        b.pose = identityPose<double>();
      }
      visit(a, b, source);
    }
  }

  test::Solids solids_;
  const Shape shapes_[4];
};

TEST_F(SolidPacks, FindTheSameContacts) {
  int touching = 0, crowded = 0;
  forPairs(60, [&](const Shape& a, const Shape& b, ShapeSource& source) {
    const MeshView meshes = solids_.geometry().meshes;
    const solid::Solid first = solid::solidOf(a.type, meshes), second = solid::solidOf(b.type, meshes);
    const hull::Relative aInB = hull::relative(b.pose, a.pose);
    const double margin = source.uniform(0, 0.04);
    const auto contactsBy = [&](const auto& meet) {
      mesh::Reduction reduction(aInB.axes, aInB.origin, 0.4, 1e-4, solid::kAlike);
      meet(reduction);
      crowded += reduction.isCrowded();
      MeshContacts out;
      std::memset(static_cast<void*>(&out), 0, sizeof out);
      reduction.write(margin, out);
      return out;
    };
    const MeshContacts wanted = contactsBy([&](mesh::Reduction& out) { solid::meetSolids(first, second, aInB, margin, out); });
    touching += wanted.count > 0;
    for (const auto level : levelsThatRun()) {
      const MeshContacts found = contactsBy([&](mesh::Reduction& out) { runAt(level, solid::MeetPass{first, second, aInB, margin, out}); });
      ASSERT_EQ(found.count, wanted.count);
      for (int m = 0; m < found.count; ++m) {
        const LocalManifold<double>&one = found.manifolds[m], &other = wanted.manifolds[m];
        ASSERT_EQ(one.pointCount, other.pointCount);
        EXPECT_TRUE(same(one.normal, other.normal));
        for (int p = 0; p < one.pointCount; ++p) {
          EXPECT_TRUE(same(one.points[p].position, other.points[p].position));
          EXPECT_EQ(one.points[p].separation, other.points[p].separation);
          EXPECT_EQ(one.points[p].feature, other.points[p].feature);
        }
      }
    }
  });
  EXPECT_GT(touching, 20);
  EXPECT_GT(crowded, 10);
}

TEST_F(SolidPacks, FindTheSameNearestPlaces) {
  int any = 0;
  forPairs(60, [&](const Shape& a, const Shape& b, ShapeSource&) {
    const MeshView meshes = solids_.geometry().meshes;
    const solid::Solid first = solid::solidOf(a.type, meshes), second = solid::solidOf(b.type, meshes);
    const hull::Relative aInB = hull::relative(b.pose, a.pose);
    const solid::Nearest wanted = solid::nearestOfSolids(first, second, aInB, 0.2);
    any += wanted.any;
    for (const auto level : levelsThatRun()) {
      solid::Nearest found;
      runAt(level, solid::NearestPass{first, second, aInB, 0.2, found});
      EXPECT_EQ(found.any, wanted.any);
      EXPECT_EQ(found.distance, wanted.distance);
      EXPECT_EQ(found.feature, wanted.feature);
      EXPECT_TRUE(same(found.place, wanted.place) && same(found.normal, wanted.normal));
    }
  });
  EXPECT_GT(any, 30);
}

TEST_F(SolidPacks, FindTheSameTimes) {
  int n = 0, met = 0, deeper = 0;
  forPairs(60, [&](const Shape& a, const Shape& b, ShapeSource& source) {
    const MeshView meshes = solids_.geometry().meshes;
    const auto moving = [&](const Shape& shape, Vec3<double> start) {
      return MovingShape<double>{shape.type,
                                 shape.size,
                                 identityPose<double>(),
                                 solids_.outer(shape),
                                 {start, source.uniform(0, 0.6) * source.direction(), shape.pose.q, source.uniform(0, 1.5) * source.direction()}};
    };
    const Vec3<double> start = n++ % 5 == 0 ? b.pose.p : b.pose.p + source.uniform(0, 1) * source.direction();
    const solid::MovingSolids pair{moving(a, {0, 0, 0}), moving(b, start), solid::solidOf(a.type, meshes), solid::solidOf(b.type, meshes)};
    const double inner = std::min(a.size.x, b.size.x);
    for (const bool limited : {false, true}) {
      const solid::SearchOnWay asked{-0.2 * inner, 0.01 * inner, 0.5 * inner, limited, 0.5 * (a.size.x + b.size.x)};
      solid::SearchOnWay wanted = asked;
      pair.search(wanted);
      met += wanted.met;
      deeper += wanted.any && wanted.met;
      for (const auto level : levelsThatRun()) {
        solid::SearchOnWay found = asked;
        runAt(level, solid::SearchPass{pair, found});
        EXPECT_EQ(found.met, wanted.met);
        EXPECT_EQ(found.any, wanted.any);
        EXPECT_EQ(found.time, wanted.time);
        EXPECT_EQ(found.deepest, wanted.deepest);
        EXPECT_EQ(found.goal, wanted.goal);
      }
    }
  });
  EXPECT_GT(met, 10);
  EXPECT_GT(deeper, 3);
}

}  // namespace
}  // namespace cairn
