#include "kernels/runtime/cpu_level.hpp"

#include <cairn/error.hpp>

#include <cstdlib>

namespace cairn::v0 {
namespace {

bool compiledIn(CpuLevel level) { return level == CpuLevel::Baseline || CAIRN_CPU_LEVELS == kCpuLevels; }

// What cmake/CairnCpuLevels.cmake compiles them for, as far as the system saves the registers.
bool processorHas(CpuLevel level) {
#if defined(__x86_64__)
  if (level == CpuLevel::Avx2) return __builtin_cpu_supports("avx2") != 0;
  if (level == CpuLevel::Avx512) {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512bw") != 0;
  }
#endif
  return level == CpuLevel::Baseline;
}

}  // namespace

const char* cpuLevelName(CpuLevel level) {
  static const char* const names[kCpuLevels] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(level)];
}

bool cpuLevelRuns(CpuLevel level) { return compiledIn(level) && processorHas(level); }

CpuLevel chosenCpuLevel(const char* asked) {
  const std::string name = asked == nullptr ? "" : asked;
  if (name.empty()) {
    for (const CpuLevel level : {CpuLevel::Avx512, CpuLevel::Avx2}) {
      if (cpuLevelRuns(level)) return level;
    }
    return CpuLevel::Baseline;
  }
  for (int i = 0; i < kCpuLevels; ++i) {
    const auto level = static_cast<CpuLevel>(i);
    if (name != cpuLevelName(level)) continue;
    if (!compiledIn(level)) throw InvalidInput("CAIRN_CPU", "this build has no code for " + name);
    if (!processorHas(level)) throw InvalidInput("CAIRN_CPU", "this processor has no " + name);
    return level;
  }
  throw InvalidInput("CAIRN_CPU", "must be baseline, avx2 or avx512, is '" + name + "'");
}

CpuLevel cpuLevel() {
  static const CpuLevel level = chosenCpuLevel(std::getenv("CAIRN_CPU"));
  return level;
}

}  // namespace cairn::v0
