// The targets that each stage of a step runs on, for parametrized tests.
#pragma once

#include "kernels/runtime/runtime.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cairn::test {

enum class TargetCase { CpuOneThread, CpuTwoThreads, Cuda };

inline std::string nameOf(TargetCase target) {
  switch (target) {
    case TargetCase::CpuOneThread:
      return "CpuOneThread";
    case TargetCase::CpuTwoThreads:
      return "CpuTwoThreads";
    default:
      return "Cuda";
  }
}

// A test that runs once on each target; `queue` is ready in the body. Use OnEachTarget as the fixture of TEST_P and
// CAIRN_INSTANTIATE_TARGETS(Fixture) once a fixture and file.
class OnEachTarget : public ::testing::TestWithParam<TargetCase> {
 protected:
  void SetUp() override {
    if (GetParam() == TargetCase::Cuda) {
      if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
      queue = makeCudaQueue();
    } else {
      queue = makeCpuQueue(GetParam() == TargetCase::CpuOneThread ? 1 : 2);
    }
    queue.memory = &memory;
  }
  void TearDown() override { releaseQueue(queue); }

  MemoryMeter memory;
  Queue queue;
};

}  // namespace cairn::test

#define CAIRN_INSTANTIATE_TARGETS(Fixture)                                                                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                                                                                  \
      Targets, Fixture,                                                                                                                      \
      ::testing::Values(::cairn::test::TargetCase::CpuOneThread, ::cairn::test::TargetCase::CpuTwoThreads, ::cairn::test::TargetCase::Cuda), \
      [](const auto& each) { return ::cairn::test::nameOf(each.param); })
