// Bounds of planned steps.
#include "src/state/step_counts.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

StepStatus found(StepCount which, int value) {
  StepStatus status{};
  status.done = 1;
  status.values[static_cast<size_t>(which)] = value;
  return status;
}

class StepBounds : public ::testing::Test {
 protected:
  void SetUp() override {
    counts_.know(StepCount::Manifolds, 100000);
    counts_.plan(false);
  }
  void learn(int manifolds, int times) {
    for (int k = 0; k < times; ++k) counts_.learn(found(StepCount::Manifolds, manifolds));
  }
  int room() const { return counts_.room(StepCount::Manifolds); }

  StepCounts counts_;
};

TEST_F(StepBounds, GrowBeforeTheyAreReached) {
  const int before = room();
  learn(before - before / 16, 1);
  EXPECT_GT(room(), before);
}

TEST_F(StepBounds, ShrinkOnceAllStepsHaveStayedFarBelowThem) {
  const int before = room();
  learn(1000, 59);
  EXPECT_EQ(room(), before);
  learn(1000, 1);
  EXPECT_GE(room(), 1000);
  EXPECT_LT(room(), 2000);
}

TEST_F(StepBounds, AreNotBelowWhatIsReserved) {
  StepCounts counts;
  counts.reserve(StepCount::Manifolds, 5000);
  counts.reserve(StepCount::FastShapes, 70);
  counts.plan(false);
  EXPECT_EQ(counts.room(StepCount::Manifolds), 5000);
  EXPECT_EQ(counts.room(StepCount::FastShapes), 70);
  for (int k = 0; k < 120; ++k) counts.learn(found(StepCount::Manifolds, 10));
  EXPECT_EQ(counts.room(StepCount::Manifolds), 5000);
  counts.know(StepCount::Manifolds, 0);
  counts.plan(true);
  EXPECT_EQ(counts.room(StepCount::Manifolds), 0) << "joints without contacts";
  counts.know(StepCount::Manifolds, 1);
  counts.plan(true);
  EXPECT_EQ(counts.room(StepCount::Manifolds), 5000);
}

// What moves fast in a fall is nothing any more where a pile lies: the stages for it are left out then, as they were before it fell.
TEST_F(StepBounds, AreZeroOnceAllStepsHaveFoundNoneOfWhatAStageIsLeftOutFor) {
  counts_.know(StepCount::FastMotions, 40);
  counts_.plan(false);
  const int before = counts_.room(StepCount::FastMotions);
  for (int k = 0; k < 59; ++k) counts_.learn(found(StepCount::FastMotions, 0));
  EXPECT_EQ(counts_.room(StepCount::FastMotions), before);
  counts_.learn(found(StepCount::FastMotions, 0));
  EXPECT_EQ(counts_.room(StepCount::FastMotions), 0);
  EXPECT_GT(room(), 0) << "that nothing touches is for the plan to say";
  counts_.know(StepCount::FastMotions, 3);
  counts_.plan(false);
  EXPECT_GE(counts_.room(StepCount::FastMotions), 3);
}

TEST_F(StepBounds, StayForAStepNowAndThenThatNeedsThem) {
  const int before = room();
  for (int round = 0; round < 4; ++round) {
    learn(1000, 50);
    learn(90000, 1);
  }
  EXPECT_EQ(room(), before);
}

}  // namespace
}  // namespace cairn
