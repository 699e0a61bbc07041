// The collide functions, a pair at a time on one thread: pairs that touch, a little turned and at random, as piles and stacks have them.
#include "bench/benchmark_program.hpp"
#include "kernels/collide/mesh_shapes.hpp"
#include "tests/support/collision_meshes.hpp"
#include "tests/support/revolved.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace cairn {
namespace {

constexpr int kPairs = 1024;
constexpr unsigned kSeed = 1;

using Pairs = std::vector<std::pair<test::Shape, test::Shape>>;

Pairs pairsOf(int typeA, int typeB) {
  test::ShapeSource source(kSeed);
  Pairs pairs;
  for (int i = 0; i < kPairs; ++i) pairs.push_back(source.pair(typeA, typeB, -0.01, 0.02));
  return pairs;
}

// By the contact function's own distance.
Pairs revolvedPairsOf(int typeA, int typeB) {
  test::ShapeSource source(kSeed);
  const auto distanceOf = [](const test::Shape& a, const test::Shape& b) {
    LocalManifold<double> manifold;
    collideRevolved(test::withInnerBall(a), test::withInnerBall(b), {}, kAnyGap, manifold);
    return test::deepest(manifold);
  };
  Pairs pairs;
  for (int i = 0; i < kPairs; ++i) {
    const auto [a, b] = source.pair(typeA, typeB, -0.01, 0.02, distanceOf);
    pairs.emplace_back(test::withInnerBall(a), test::withInnerBall(b));
  }
  return pairs;
}

template <class Collide> void collidePairs(benchmark::State& state, const Pairs& given, const Collide& meet) {
  std::vector<std::pair<PlacedShape<float>, PlacedShape<float>>> pairs;
  for (const auto& [a, b] : given) pairs.emplace_back(test::as<float>(a), test::as<float>(b));
  long points = 0;
  for (auto _ : state) {
    points = 0;
    for (const auto& [a, b] : pairs) {
      LocalManifold<float> manifold;
      meet(a, b, manifold);
      points += manifold.pointCount;
    }
    benchmark::DoNotOptimize(points);
  }
  state.counters["points/pair"] = double(points) / kPairs;
  state.counters["s/pair"] = benchmark::Counter(kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void collidePlain(benchmark::State& state, int typeA, int typeB) {
  collidePairs(state, pairsOf(typeA, typeB), [](const auto& a, const auto& b, auto& manifold) { collide(a, b, 0.02f, manifold); });
}

void collideWithRevolved(benchmark::State& state, int typeA, int typeB) {
  collidePairs(state, revolvedPairsOf(typeA, typeB),
               [](const auto& a, const auto& b, auto& manifold) { collideRevolvedOf(a, b, {}, 0.02f, manifold); });
}

TriangleMesh hills(int cells) {
  return test::patch(cells, 4, kSeed, [](double x, double z) { return 0.3 * std::sin(2 * x) * std::cos(3 * z); });
}

// Shapes that have come down on a floor or on hills of 0.1 m cells until they just touch.
void collideWithMesh(benchmark::State& state, int type, bool flat) {
  const test::OneMesh mesh(flat ? test::flatPatch(80, 4, kSeed) : hills(80));
  test::ShapeSource source(kSeed);
  std::vector<test::Shape> shapes;
  for (int i = 0; i < kPairs; ++i) {
    test::Shape shape = test::withInnerBall(source.shape(type));
    shape.pose.p = {source.uniform(-3, 3), 2.5, source.uniform(-3, 3)};
    const ConvexShape start = convexShape(shape, nullptr);
    const ConvexHit hit = castOnMesh(start, {0, -1, 0}, 5, 1e-4, mesh.shape(), mesh.view());
    shape.pose.p.y -= hit.distance + 5e-4;
    shapes.push_back(shape);
  }
  long points = 0, manifolds = 0;
  for (auto _ : state) {
    points = manifolds = 0;
    for (const test::Shape& shape : shapes) {
      const MeshContacts found = mesh.contacts(shape, 0.02);
      manifolds += found.count;
      for (int m = 0; m < found.count; ++m) points += found.manifolds[m].pointCount;
    }
    benchmark::DoNotOptimize(points);
  }
  state.counters["points/pair"] = double(points) / kPairs;
  state.counters["manifolds/pair"] = double(manifolds) / kPairs;
  state.counters["s/pair"] = benchmark::Counter(kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void makeMesh(benchmark::State& state) {
  const TriangleMesh given = hills(224);
  for (auto _ : state) benchmark::DoNotOptimize(makeCollisionMesh(given, false));
  state.counters["triangles"] = double(given.triangles.size());
}

void registerAll() {
  constexpr const char* kNames[] = {"sphere", "capsule", "box", "half_space", "ellipsoid", "hull", "cylinder", "cone"};
  for (int a = kSphere; a <= kBox; ++a) {
    for (int b = a; b <= kHalfSpace; ++b) {
      const std::string name = std::string("collide/") + kNames[a] + "-" + kNames[b];
      benchmark::RegisterBenchmark(name.c_str(), [a, b](benchmark::State& state) { collidePlain(state, a, b); });
    }
  }
  benchmark::RegisterBenchmark("mesh/make", makeMesh);
  for (const int a : {kSphere, kCapsule, kBox, kEllipsoid, kCylinder, kCone}) {
    for (const bool flat : {true, false}) {
      const std::string name = std::string("mesh/") + kNames[a] + (flat ? "-floor" : "-hills");
      benchmark::RegisterBenchmark(name.c_str(), [a, flat](benchmark::State& state) { collideWithMesh(state, a, flat); });
    }
  }
  for (const int a : {kCylinder, kCone}) {
    for (int b = kSphere; b <= a; ++b) {
      if (b == kHull) continue;
      const std::string name = std::string("collide/") + kNames[a] + "-" + kNames[b];
      benchmark::RegisterBenchmark(name.c_str(), [a, b](benchmark::State& state) { collideWithRevolved(state, a, b); });
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) { return cairn::bench::runBenchmarks(argc, argv, cairn::registerAll); }
