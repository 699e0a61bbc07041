// Levels of CPU code: what CAIRN_CPU may say, and what is chosen without it. That they give the same bits: the golden hashes at each level.
#include "kernels/runtime/cpu_level.hpp"
#include "tests/support/expect.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr CpuLevel kLevels[] = {CpuLevel::Baseline, CpuLevel::Avx2, CpuLevel::Avx512};

TEST(CpuLevels, AreChosenByTheirNamesOrRefused) {
  for (const CpuLevel level : kLevels) {
    if (cpuLevelRuns(level)) {
      EXPECT_EQ(chosenCpuLevel(cpuLevelName(level)), level);
    } else {
      EXPECT_THROW(chosenCpuLevel(cpuLevelName(level)), InvalidInput) << cpuLevelName(level);
    }
  }
  for (const char* name : {"avx", "AVX2", " avx2", "0"}) {
    EXPECT_EQ(test::messageOf([&] { chosenCpuLevel(name); }), std::string("CAIRN_CPU: must be baseline, avx2 or avx512, is '") + name + "'");
  }
}

TEST(CpuLevels, TheHighestThatRunsIsTakenWithoutAName) {
  EXPECT_TRUE(cpuLevelRuns(CpuLevel::Baseline));
  CpuLevel highest = CpuLevel::Baseline;
  for (const CpuLevel level : kLevels) {
    if (cpuLevelRuns(level)) highest = level;
  }
  EXPECT_EQ(chosenCpuLevel(nullptr), highest);
  EXPECT_EQ(chosenCpuLevel(""), highest);
}

}  // namespace
}  // namespace cairn
