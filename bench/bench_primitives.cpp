// Sort, scan and reduction on each target, at the sizes of a step.
#include "bench/benchmark_program.hpp"
#include "kernels/runtime/primitives.hpp"

#include <string>
#include <vector>

namespace cairn {
namespace {

constexpr int kSizes[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20};

class Bench {
 public:
  explicit Bench(const bench::BenchTarget& on) : queue_(on.target == Target::Cuda ? makeCudaQueue() : makeCpuQueue(on.threads)) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { releaseQueue(queue_); }

  void sort(benchmark::State& state, int count, int keyBits) {
    const std::vector<uint64_t> keys = randomKeys(count, keyBits);
    Buffer<uint64_t> fresh, sorted;
    Buffer<int> values;
    fresh.upload(queue_, keys);
    sorted.resize(queue_, keys.size());
    values.resize(queue_, keys.size());
    values.fillZero(queue_);
    run(state, count, [&] {
      copyBytes(queue_, sorted.data(), fresh.data(), keys.size() * sizeof(uint64_t));
      sortByKey(queue_, scratch_, sorted.data(), values.data(), count, keyBits);
    });
  }
  void scan(benchmark::State& state, int count) {
    Buffer<int> in, out;
    in.resize(queue_, static_cast<size_t>(count));
    in.fillZero(queue_);
    out.resize(queue_, static_cast<size_t>(count) + 1);
    run(state, count, [&] { exclusiveScan(queue_, scratch_, in.data(), out.data(), count); });
  }
  void reduce(benchmark::State& state, int count) {
    Buffer<float> values, result;
    values.resize(queue_, static_cast<size_t>(count));
    values.fillZero(queue_);
    result.resize(queue_, 1);
    run(state, count, [&] { reduceSum(queue_, scratch_, values.data(), result.data(), count); });
  }

 private:
  static std::vector<uint64_t> randomKeys(int count, int keyBits) {
    std::vector<uint64_t> keys(static_cast<size_t>(count));
    uint64_t random = 1;
    for (uint64_t& key : keys) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      key = random >> (64 - keyBits);
    }
    return keys;
  }
  template <class Work> void run(benchmark::State& state, int count, Work work) {
    work();  // grows the scratch
    synchronize(queue_);
    for (auto _ : state) {
      work();
      synchronize(queue_);
    }
    state.counters["items/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
  }

  Queue queue_;
  PrimitiveScratch scratch_;
};

template <class Work> void add(const std::string& operation, const bench::BenchTarget& on, int count, Work work) {
  const std::string name = operation + "/" + std::to_string(count) + "/" + on.name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [on, count, work](benchmark::State& state) {
                                 Bench bench(on);
                                 work(bench, state, count);
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void registerAll() {
  for (const int count : kSizes) {
    for (const bench::BenchTarget& on : bench::benchTargets()) {
      add("sort48", on, count, [](Bench& bench, benchmark::State& state, int n) { bench.sort(state, n, 48); });
      add("sort9", on, count, [](Bench& bench, benchmark::State& state, int n) { bench.sort(state, n, 9); });
      add("scan", on, count, [](Bench& bench, benchmark::State& state, int n) { bench.scan(state, n); });
      add("reduce", on, count, [](Bench& bench, benchmark::State& state, int n) { bench.reduce(state, n); });
    }
  }
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) { return cairn::bench::runBenchmarks(argc, argv, cairn::registerAll); }
