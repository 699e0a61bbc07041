// The same bits: for any number of threads, run after run, with packs or lanes, on CUDA where there is a device; and a control that must differ.
#include "kernels/runtime/runtime.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/scenes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

namespace cairn {
namespace {

using namespace test;

class Determinism : public ::testing::TestWithParam<const char*> {};

TEST_P(Determinism, ThreadsAndRepetitionsGiveTheSameBits) {
  const Scene scene = loadScene(GetParam());
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings = onCpu(precision);
    const uint64_t expected = hashAfter(scene, settings, 60);
    EXPECT_EQ(hashAfter(scene, settings, 60), expected);
    for (const int threads : {2, 3}) {
      settings.threads = threads;
      EXPECT_EQ(hashAfter(scene, settings, 60), expected) << threads << " threads";
    }
  }
}

TEST_P(Determinism, CudaGivesTheCpusBits) {
  if (!cudaUsable()) GTEST_SKIP() << "skipped: no CUDA device";
  const Scene scene = loadScene(GetParam());
  const int steps = deviceIsEmulated() ? 16 : 60;
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings settings;
    settings.precision = precision;
    settings.backend = Backend::Cpu;
    const uint64_t expected = hashAfter(scene, settings, steps);
    settings.backend = Backend::Cuda;
    EXPECT_EQ(hashAfter(scene, settings, steps), expected);
  }
}

TEST_P(Determinism, AChangedInputChangesTheHash) {
  Scene scene = loadScene(GetParam());
  WorldSettings settings = onCpu();
  const uint64_t expected = hashAfter(scene, settings, 20);
  for (BodyDef& body : scene.bodies) {
    if (body.type != BodyType::Dynamic) continue;
    body.pose.p.x += 1e-5;
    break;
  }
  EXPECT_NE(hashAfter(scene, settings, 20), expected);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism,
                         ::testing::Values("pile:count=600,shape=mixed", "pyramid:base=12", "rubble:count=300", "billiard-break", "drum:count=300",
                                           "skeletons:count=2", "chain-100h", "bridge", "tank", "rain:side=1,people=3", "washer:side=7"),
                         [](const auto& each) { return asTestName(each.param); });

TEST(Determinism, TheJacobiOverflowGivesTheSameBitsToo) {
  const Scene scene = loadScene("pile:count=300,shape=box");
  for (const int maxColours : {0, 3}) {
    WorldSettings settings = onCpu();
    settings.maxColours = maxColours;
    const uint64_t expected = hashAfter(scene, settings, 60);
    settings.threads = 2;
    EXPECT_EQ(hashAfter(scene, settings, 60), expected);
  }
}

TEST(Determinism, BodiesAddedAndRemovedInTheSameOrderGiveTheSameBits) {
  const auto run = [](int threads) {
    WorldSettings settings = onCpu();
    settings.threads = threads;
    World world(loadScene("pile:count=200,shape=mixed"), settings);
    for (int k = 0; k < 30; ++k) {
      world.step();
      const std::vector<BodyId> bodies = world.bodies();
      world.removeBody(bodies[bodies.size() - 1 - static_cast<size_t>(k % 7)]);
      if (k % 2 == 0) {
        BodyDef body;
        body.pose.p = {0.3 * (k % 5), 8 + 0.1 * k, 0.2 * (k % 3)};
        body.shapes = {k % 4 == 0 ? ShapeDef::capsule(0.2, 0.3) : ShapeDef::box({0.25, 0.25, 0.25})};
        world.addBody(body);
      }
    }
    return world.stateHash();
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace cairn
