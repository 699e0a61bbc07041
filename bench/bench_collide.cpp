// The collide functions, a pair at a time on one thread: pairs that touch, a little turned and at random, as piles and stacks have them.
#include "bench/benchmark_program.hpp"
#include "tests/collide/collide_oracle.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cairn {
namespace {

constexpr int kPairs = 1024;
constexpr unsigned kSeed = 1;

void collidePairs(benchmark::State& state, int typeA, int typeB) {
  std::vector<std::pair<PlacedShape<float>, PlacedShape<float>>> pairs;
  test::ShapeSource source(kSeed);
  for (int i = 0; i < kPairs; ++i) {
    const auto [a, b] = source.pair(typeA, typeB, -0.01, 0.02);
    pairs.emplace_back(test::as<float>(a), test::as<float>(b));
  }
  long points = 0;
  for (auto _ : state) {
    points = 0;
    for (const auto& [a, b] : pairs) {
      LocalManifold<float> manifold;
      collide(a, b, 0.02f, manifold);
      points += manifold.pointCount;
    }
    benchmark::DoNotOptimize(points);
  }
  state.counters["points/pair"] = double(points) / kPairs;
  state.counters["s/pair"] = benchmark::Counter(kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void registerAll() {
  constexpr const char* kNames[] = {"sphere", "capsule", "box", "half_space", "ellipsoid"};
  for (int a = kSphere; a <= kBox; ++a) {
    for (int b = a; b <= kHalfSpace; ++b) {
      const std::string name = std::string("collide/") + kNames[a] + "-" + kNames[b];
      benchmark::RegisterBenchmark(name.c_str(), [a, b](benchmark::State& state) { collidePairs(state, a, b); });
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) { return cairn::bench::runBenchmarks(argc, argv, cairn::registerAll); }
