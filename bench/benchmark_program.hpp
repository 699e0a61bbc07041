// The targets of this machine and main, for all programs on Google Benchmark.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace cairn::bench {

struct BenchTarget {
  std::string name;
  Target target;
  int threads;
};

// One CPU thread, all of them, and CUDA where there is a device.
inline std::vector<BenchTarget> benchTargets() {
  std::vector<BenchTarget> targets = {{"cpu-1", Target::Cpu, 1}};
  if (defaultThreads() > 1) targets.push_back({"cpu-" + std::to_string(defaultThreads()), Target::Cpu, defaultThreads()});
  if (cudaUsable()) targets.push_back({"cuda", Target::Cuda, 0});
  return targets;
}

// The exit status of main, which has nothing else to do.
template <class Register> int runBenchmarks(int argc, char** argv, const Register& registerAll) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  registerAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace cairn::bench
