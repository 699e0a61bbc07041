// The papers' experiments: each runs, and its claims come out as they are known to: those that do not hold are listed here, one by one.
#include "src/experiments/experiment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace cairn::experiments {
namespace {

enum class Status { Holds, Explained, DoesNotHold };

Status statusOf(const Claim& claim) {
  if (claim.holds) return Status::Holds;
  return claim.explanation.empty() ? Status::DoesNotHold : Status::Explained;
}

struct NotReproduced {
  const char* claim;  // how it starts
  Status status;
};

// docs/experiments.md says why. A claim that starts to hold has to leave this list, in both places.
const std::map<std::string, std::vector<NotReproduced>>& notReproduced() {
  static const std::map<std::string, std::vector<NotReproduced>> list{
      {"ellipse", {}},
      {"cannonball",
       {{"at the end (20 s) all disks are in contact with the table", Status::Explained},
        {"and all are separated", Status::Explained},
        {"disks satisfy the table's constraint exactly with both methods", Status::Explained}}},
      {"normal-stabilization",
       {{"stack: Baumgarte penetrates visibly", Status::Explained},
        {"stack: Baumgarte jitters", Status::DoesNotHold},
        {"stack: Baumgarte even blows up", Status::Explained},
        {"tipped stack: Baumgarte penetrates visibly", Status::Explained},
        {"tipped stack: Baumgarte jitters", Status::DoesNotHold},
        {"tipped stack: Baumgarte even blows up", Status::Explained}}},
      {"friction-stabilization", {{"walls with straight ends", Status::Explained}}},
      {"rectangle", {}},
      {"five-bodies", {}},
      {"cline-pai-chain",
       {{"without stabilization the error climbs to around 20 mm", Status::Explained}, {"2000: the chain jiggles", Status::Explained}}},
      {"pendulum", {{"the same read of the speed", Status::Explained}}},
  };
  return list;
}

// Those that take seconds; the others are scenes that come to rest (test_joint_experiments.cpp has what they measure with).
std::vector<Experiment> quick() {
  std::vector<Experiment> list;
  for (const auto& of : {anitescuHart(), silcowitz(), clinePai(), hanging()}) list.insert(list.end(), of.begin(), of.end());
  return list;
}

class Paper : public ::testing::TestWithParam<Experiment> {};

TEST_P(Paper, ClaimsComeOutAsListed) {
  Context context;
  context.base.backend = Backend::Cpu;
  context.base.threads = 1;
  context.progress = [](const std::string&, int, int) {};
  int pictures = 0;
  context.picture = [&pictures](const std::string&, const World&, const Scene&) { ++pictures; };
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
  ASSERT_EQ(notReproduced().count(GetParam().name), 1u);
  size_t listed = 0;
  for (const Claim& claim : outcome.claims) {
    Status expected = Status::Holds;
    for (const NotReproduced& each : notReproduced().at(GetParam().name)) {
      if (claim.claim.rfind(each.claim, 0) != 0) continue;
      expected = each.status;
      ++listed;
    }
    EXPECT_EQ(static_cast<int>(statusOf(claim)), static_cast<int>(expected)) << claim.claim << ": " << claim.ours;
    for (const std::string& text : {claim.claim, claim.paper, claim.ours}) EXPECT_FALSE(text.empty()) << claim.claim;
  }
  EXPECT_EQ(listed, notReproduced().at(GetParam().name).size()) << "each claim of the list is made, once";
  // What was chosen is shown beside what it would have been otherwise.
  EXPECT_FALSE(outcome.alsoMeasured.empty());
  for (const Measured& each : outcome.alsoMeasured) EXPECT_FALSE(each.what.empty() || each.measured.empty());
  EXPECT_GE(pictures, GetParam().name == "ellipse" ? 0 : 2);
}

INSTANTIATE_TEST_SUITE_P(All, Paper, ::testing::ValuesIn(quick()), [](const auto& each) {
  std::string name = each.param.name;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace cairn::experiments
