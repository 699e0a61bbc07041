#include "src/graph/colour_packs.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace cairn {
namespace {

class ColourPacksTest : public ::testing::Test {
 protected:
  // Constraints between these bodies, coloured, and regrouped for packs of so many lanes.
  GraphView regroup(const std::vector<ConstraintBodies>& constraints, int bodies, int lanes) {
    constraints_ = constraints;
    std::mt19937 random(static_cast<uint32_t>(constraints.size()));
    priorities_.clear();
    for (size_t i = 0; i < constraints.size(); ++i) priorities_.push_back(random());
    const ConstraintGraph graph{constraints_.data(), priorities_.data(), static_cast<int>(constraints.size()), bodies};
    coloured_ = graph_.update(queue_, scratch_, graph, kMaxColours);
    return packs_.regroup(queue_, graph, coloured_, lanes);
  }

  static std::vector<int> sizesOf(const GraphView& view, size_t count) {
    std::vector<int> sizes(static_cast<size_t>(view.colourCount), 0);
    for (size_t i = 0; i < count; ++i) ++sizes.at(static_cast<size_t>(view.colours[i]));
    return sizes;
  }
  static int packsOf(const GraphView& view, size_t count, int lanes) {
    int packs = 0;
    for (const int size : sizesOf(view, count)) packs += (size + lanes - 1) / lanes;
    return packs;
  }
  // Whoever shares a body keeps its order, so that groups are colours that a sweep goes through with the same outcome.
  void expectTheSameOrder(const GraphView& view) const {
    for (size_t i = 0; i < constraints_.size(); ++i) {
      for (size_t j = 0; j < constraints_.size(); ++j) {
        const ConstraintBodies &a = constraints_[i], &b = constraints_[j];
        const auto touches = [&b](int body) { return body >= 0 && (body == b.bodyA || body == b.bodyB); };
        if (i == j || coloured_.colours[i] >= coloured_.colours[j] || !(touches(a.bodyA) || touches(a.bodyB))) continue;
        EXPECT_LT(view.colours[i], view.colours[j]) << i << " " << j;
      }
    }
  }

  Queue queue_ = makeCpuQueue(1);
  PrimitiveScratch scratch_;
  ContactGraph graph_;
  ColourPacks packs_;
  std::vector<ConstraintBodies> constraints_;
  std::vector<uint32_t> priorities_;
  GraphView coloured_;
};

std::vector<ConstraintBodies> towerOf(int boxes) {
  std::vector<ConstraintBodies> contacts{{~0, 1}};
  for (int box = 1; box < boxes; ++box) contacts.push_back({box, box + 1});
  return contacts;
}

TEST_F(ColourPacksTest, ATowerOfTwentyTakesThreePacksOfEight) {
  const GraphView view = regroup(towerOf(20), 21, 8);
  EXPECT_EQ(coloured_.colourCount, 2);
  EXPECT_EQ(coloured_.scalars->colourCount, 2);
  EXPECT_EQ(sizesOf(view, 20), (std::vector<int>{8, 8, 4}));
  EXPECT_EQ(view.scalars->colourCount, 3);
  EXPECT_NE(view.revision, coloured_.revision);
  expectTheSameOrder(view);
}

TEST_F(ColourPacksTest, ColoursStayWhereGroupsSaveNothing) {
  for (const int boxes : {10, 16, 32}) {
    const GraphView view = regroup(towerOf(boxes), boxes + 1, 8);
    EXPECT_EQ(view.colours, coloured_.colours) << boxes;
    EXPECT_EQ(view.revision, coloured_.revision) << boxes;
  }
  EXPECT_EQ(regroup(towerOf(20), 21, 16).colours, coloured_.colours);
  EXPECT_EQ(regroup(towerOf(2 * kMostRegrouped), 2 * kMostRegrouped + 1, 8).colours, coloured_.colours);
}

TEST_F(ColourPacksTest, GroupsAreKeptWhileTheGraphIsTheSame) {
  const std::vector<ConstraintBodies> tower = towerOf(20);
  const int revision = regroup(tower, 21, 8).revision;
  EXPECT_EQ(regroup(tower, 21, 8).revision, revision);
  const GraphView fours = regroup(towerOf(19), 20, 4);
  EXPECT_NE(fours.revision, revision);
  expectTheSameOrder(fours);
}

TEST_F(ColourPacksTest, RandomGraphsKeepTheirOrderInFewerPacks) {
  int regrouped = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const int bodies = 8 + static_cast<int>(random() % 150), count = 4 + static_cast<int>(random() % 250), lanes = 4 << (seed % 3);
    std::vector<ConstraintBodies> constraints;
    while (static_cast<int>(constraints.size()) < count) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(bodies)), b = static_cast<int>(random() % static_cast<unsigned>(bodies));
      if (a != b) constraints.push_back({a % 11 == 3 ? ~a : a, b % 11 == 3 && a % 11 != 3 ? ~b : b});
    }
    const GraphView view = regroup(constraints, bodies, lanes);
    if (view.colours == coloured_.colours) continue;
    ++regrouped;
    EXPECT_LT(packsOf(view, constraints.size(), lanes), packsOf(coloured_, constraints.size(), lanes)) << seed;
    expectTheSameOrder(view);
  }
  EXPECT_GT(regrouped, 50);
}

}  // namespace
}  // namespace cairn
