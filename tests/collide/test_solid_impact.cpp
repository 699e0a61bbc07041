// When moving solids meet, against looks at all samples at many times.
#include "kernels/collide/solid_impact.hpp"
#include "src/mesh/collision_mesh.hpp"
#include "src/mesh/solid_mesh.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/meshes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cairn::test {
namespace {

using solid::Vec;

constexpr double kCell = 0.02;

class Made {
 public:
  explicit Made(const std::string& generator) : mesh_(makeCollisionMesh(loadMesh(generator), false)), made_(makeSolid(*mesh_, kCell)) {}
  solid::Solid solid() const {
    const auto tree = [](const std::vector<BoxNode>& nodes) { return SampleTree{nodes.data(), int(nodes.size())}; };
    return {MeshShape{}, SolidShape{made_.field.shape(), made_.samples.data(), tree(made_.nodes), tree(made_.fewNodes)}, made_.inner};
  }
  double inner() const { return made_.inner; }
  double outer() const { return mesh_->outer; }

 private:
  std::shared_ptr<const CollisionMesh> mesh_;
  SolidMesh made_;
};

// The deepest of few samples of one in the field of the other at a time.
double deepestAt(const solid::Solid& own, const solid::Solid& other, const MovingShape<double>& moving, const MovingShape<double>& otherMoving,
                 double time) {
  const hull::Relative at = hull::relative(otherMoving.at(time).pose, moving.at(time).pose);
  double deepest = 1e300;
  solid::forSamples(
      own.own.few, [](Vec, double) { return false; },
      [&](int k) { deepest = std::min(deepest, lookAt(other.own.field, at.point(own.own.samples[k].p)).distance); });
  return deepest;
}

TEST(SolidImpact, IsWhereSamplesAtManyTimesHaveIt) {
  const Made kinds[] = {Made("torus:major=0.4,minor=0.1,around=26,tube=16"), Made("jack:reach=0.4,core=0.1,cells=12"),
                        Made("hook:radius=0.1,bend=0.3,leg=0.6,around=12,along=24")};
  std::mt19937_64 random(11);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto vector = [&](double size) { return size * Vec{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; };
  constexpr int kLooks = 800;
  int met = 0, passed = 0;
  for (int n = 0; n < 80; ++n) {
    const Made& a = kinds[n % 3];
    const Made& b = kinds[n / 3 % 3];
    const auto moving = [&](const Made& made, Vec start, Vec motion) {
      const Quatd q = normalized(Quatd{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
      return MovingShape<double>{kMesh, {made.inner(), 0, 0}, {vector(0.05), identityQuat<double>()}, made.outer(), {start, motion, q, vector(1.5)}};
    };
    const Vec start = vector(1.5);
    const solid::MovingSolids pair{moving(a, {0, 0, 0}, vector(0.3)), moving(b, start, vector(0.5) - uniform(0.2, 2) * start), a.solid(), b.solid()};
    const double inner = std::min(a.inner(), b.inner()), tolerance = 0.01 * inner, passing = 0.5 * inner, goal = -0.2 * inner;
    solid::SearchOnWay search{goal, tolerance, passing, false, 0};
    pair.search(search);
    const auto deepest = [&](double time) {
      return std::min(deepestAt(pair.solidA, pair.solidB, pair.a, pair.b, time), deepestAt(pair.solidB, pair.solidA, pair.b, pair.a, time));
    };
    if (deepest(0) <= goal + tolerance) {
      EXPECT_TRUE(search.any) << n;
      continue;
    }
    EXPECT_FALSE(search.any) << n;
    // Fields are not exact, and neither is how far they change along a way.
    const double slack = 0.1 * inner;
    double first = 2, before = 1e300;
    for (int k = 1; k <= kLooks; ++k) {
      const double time = double(k) / kLooks, depth = deepest(time);
      if (time < search.time) before = std::min(before, depth);
      if (first > 1 && depth <= goal + tolerance) first = time;
    }
    EXPECT_GT(before, -passing - slack) << n << ": what is this deep comes out on the other side";
    if (!search.met) {
      ++passed;
      EXPECT_GT(deepest(1), goal) << n;
      continue;
    }
    ++met;
    EXPECT_GE(search.time, first - 1.5 / kLooks) << n << ": no earlier than the first that is as deep";
    EXPECT_NEAR(deepest(search.time), goal + tolerance, slack) << n;
    // The other way round it is the same time, to the last bit.
    solid::SearchOnWay again{goal, tolerance, passing, false, 0};
    solid::MovingSolids{pair.b, pair.a, pair.solidB, pair.solidA}.search(again);
    EXPECT_EQ(again.time, search.time) << n;
  }
  EXPECT_GT(met, 20);
  EXPECT_GT(passed, 10);
}

}  // namespace
}  // namespace cairn::test
