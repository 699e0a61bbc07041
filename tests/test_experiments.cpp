// The papers' experiments: each runs, and every claim holds or is explained.
#include "experiments/experiment.hpp"

#include <gtest/gtest.h>

namespace cairn::experiments {
namespace {

class Paper : public ::testing::TestWithParam<Experiment> {};

TEST_P(Paper, EveryClaimHoldsOrIsExplained) {
  Context context;
  context.base.backend = Backend::Cpu;
  context.base.threads = 1;
  context.progress = [](const std::string&, int, int) {};
  context.picture = [](const std::string&, const World&, const Scene&) {};
  const Outcome outcome = GetParam().run(context);
  ASSERT_FALSE(outcome.panels.empty());
  ASSERT_FALSE(outcome.claims.empty());
  for (const Panel& panel : outcome.panels) {
    EXPECT_FALSE(panel.xLabel.empty());
    for (const Curve& curve : panel.curves) {
      EXPECT_FALSE(curve.name.empty());
      EXPECT_GT(curve.x.size(), 1u);
      EXPECT_EQ(curve.x.size(), curve.y.size());
    }
  }
  for (const Claim& claim : outcome.claims) EXPECT_TRUE(claim.holds || !claim.explanation.empty()) << claim.claim << ": " << claim.ours;
}

INSTANTIATE_TEST_SUITE_P(All, Paper, ::testing::ValuesIn(all()), [](const auto& each) {
  std::string name = each.param.name;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace cairn::experiments
