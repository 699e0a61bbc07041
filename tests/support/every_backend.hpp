// Runs of one scene on every backend.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "tests/support/scenes.hpp"

namespace cairn::test {

// With one thread and with two, and on a CUDA device where there is one.
inline void expectTheSameBitsEverywhere(const Scene& scene, int steps) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = onCpu(precision);
    const uint64_t expected = hashAfter(scene, settings, steps);
    settings.threads = 2;
    EXPECT_EQ(hashAfter(scene, settings, steps), expected);
    if (!cudaUsable()) continue;
    settings.backend = Backend::Cuda;
    EXPECT_EQ(hashAfter(scene, settings, steps), expected);
  }
}

}  // namespace cairn::test
