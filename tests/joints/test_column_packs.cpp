// Columns of the joints' factor that lie side by side: which ones do, and that the answer has the bits of levels one node after the other.
#include "kernels/joints/column_packs.hpp"
#include "src/joints/column_packs.hpp"

#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn {
namespace {

using namespace test;

std::vector<JointEdge> ballsInARow(int joints) {
  std::vector<JointEdge> edges;
  for (int k = 0; k < joints; ++k) edges.push_back({k, k == 0 ? -1 : k, k + 1, 3, true});
  return edges;
}

// Each column once, in the order of packOrder; side by side are columns of a level and a shape, whose rows are where the pack says, and whose
// numbers are nobody else's. A row's blocks come in the order of their columns.
void expectPacks(const SymbolicFactor& factor, const ColumnPacks& packs) {
  std::vector<int> order, turn(factor.nodes.size()), level(factor.nodes.size());
  int64_t values = 0;
  for (const ColumnPack& pack : packs.packs) {
    if (pack.columns == 0) {
      order.push_back(pack.firstNode);
      continue;
    }
    EXPECT_EQ(pack.value, values);
    values += kPackColumns * numbersOfColumn(pack.below);
    for (int c = 0; c < pack.columns; ++c) {
      const int index = packs.nodes[size_t(pack.firstNode + c)];
      const SystemNode& node = factor.nodes[size_t(index)];
      EXPECT_EQ(node.rows, kPackRows);
      ASSERT_EQ(node.blockCount, 1 + pack.below);
      for (int b = 0; b <= pack.below; ++b) {
        const SystemNode& row = factor.nodes[size_t(factor.blocks[size_t(node.firstBlock + b)].row)];
        EXPECT_EQ(row.rows, kPackRows);
        EXPECT_EQ(packs.rows[size_t(pack.firstRow + b * kPackColumns + c)], row.firstRow);
      }
      order.push_back(index);
    }
    for (int b = 0; b <= pack.below; ++b) {
      for (int c = pack.columns; c < kPackColumns; ++c) {
        EXPECT_LT(packs.rows[size_t(pack.firstRow + b * kPackColumns + c)], factor.rows) << "what is read there is a number of the system";
      }
    }
  }
  EXPECT_EQ(order, factor.packOrder);
  EXPECT_EQ(values, packs.values);
  for (size_t k = 0; k < order.size(); ++k) turn[size_t(order[k])] = int(k);
  for (size_t l = 0; l + 1 < factor.nodeLevels.size(); ++l) {
    for (int k = factor.nodeLevels[l]; k < factor.nodeLevels[l + 1]; ++k) level[size_t(factor.nodesByLevel[size_t(k)])] = int(l);
  }
  for (const ColumnPack& pack : packs.packs) {
    for (int c = 1; c < pack.columns; ++c) {
      EXPECT_EQ(level[size_t(packs.nodes[size_t(pack.firstNode + c)])], level[size_t(packs.nodes[size_t(pack.firstNode)])]);
    }
  }
  for (size_t n = 0; n < factor.nodes.size(); ++n) {
    const SystemNode& node = factor.nodes[n];
    for (int b = node.firstBlock + 1; b < node.firstBlock + node.blockCount; ++b) EXPECT_LT(turn[n], turn[size_t(factor.blocks[size_t(b)].row)]);
    for (int k = node.firstOfRow + 1; k < node.firstOfRow + node.countOfRow; ++k) {
      const auto turnOf = [&](int at) { return turn[size_t(factor.blocks[size_t(factor.rowBlocks[size_t(at)])].column)]; };
      EXPECT_LT(turnOf(k - 1), turnOf(k));
    }
  }
}

int columnsIn(const ColumnPacks& packs) { return int(packs.nodes.size()); }

TEST(ColumnPacks, OfChainsHoldNearlyAllColumns) {
  for (const int joints : {20, 100, 1000, 4000, 5000, 20000}) {
    const SymbolicFactor factor = makeSymbolicFactor(ballsInARow(joints), joints + 1);
    ASSERT_FALSE(factor.packOrder.empty()) << joints;
    const ColumnPacks packs = makeColumnPacks(factor);
    expectPacks(factor, packs);
    EXPECT_GE(columnsIn(packs), 0.75 * joints - 5);
  }
}
TEST(ColumnPacks, GoAroundColumnsOfOtherShapes) {
  // Three balls, then a hinge: nothing that has to do with a hinge's rows is beside another column.
  std::vector<JointEdge> mixed = ballsInARow(400);
  for (size_t k = 0; k < mixed.size(); k += 25) mixed[k] = {mixed[k].joint, mixed[k].bodyA, mixed[k].bodyB, 5, false};
  const SymbolicFactor factor = makeSymbolicFactor(mixed, 401);
  ASSERT_FALSE(factor.packOrder.empty());
  const ColumnPacks packs = makeColumnPacks(factor);
  expectPacks(factor, packs);
  EXPECT_LT(columnsIn(packs), 400 - 16);
}
TEST(ColumnPacks, AreNotThereForHingesFewLinksOrRowsThatComeAndGo) {
  std::vector<JointEdge> hinges = ballsInARow(100), limited = hinges;
  for (JointEdge& edge : hinges) edge = {edge.joint, edge.bodyA, edge.bodyB, 5, false};
  for (JointEdge& edge : limited) edge.rows = 6;  // room for limits
  for (const std::vector<JointEdge>& edges : {hinges, limited, ballsInARow(3)}) {
    const SymbolicFactor factor = makeSymbolicFactor(edges, int(edges.size()) + 1);
    EXPECT_TRUE(factor.packOrder.empty());
    EXPECT_TRUE(makeColumnPacks(factor).packs.empty());
  }
}
// Many nodes are taken apart into trees that fit the caches: a part's unknowns lie together, and what lies above all parts is little.
TEST(ColumnPacks, OfLargeSystemsStayInTrees) {
  std::vector<JointEdge> edges = ballsInARow(9000);
  // Apart from the long one 600 short ones.
  for (int k = 0; k < 6000; ++k) {
    const int joint = 9000 + k, body = 9001 + k + k / 10;
    edges.push_back({joint, body, body + 1, 3, true});
  }
  const SymbolicFactor factor = makeSymbolicFactor(edges, 16000);
  ASSERT_FALSE(factor.packOrder.empty());
  const ColumnPacks packs = makeColumnPacks(factor);
  expectPacks(factor, packs);
  EXPECT_GE(columnsIn(packs), 11000);
  int far = 0;
  for (const ColumnPack& pack : packs.packs) {
    if (pack.columns == 0) continue;
    const auto first = packs.nodes.begin() + pack.firstNode;
    const auto [least, most] = std::minmax_element(first, first + pack.columns);
    if (*most - *least >= 1024) far += pack.columns;
  }
  EXPECT_LT(far, 100) << "columns above all parts";
}

// Balls in rows, each tenth of a row with another row that hangs off it.
Scene branchedChains(int links, int rows = 1) {
  constexpr double kLong = 0.3;
  Scene scene;
  const int anchor = scene.add(anchorAt());
  const auto hang = [&scene](int from, bool first, Vec3d at, double mass) {
    BodyDef link = ballOf(mass, at + Vec3d{0, -0.5 * kLong, 0}, 0.05);
    link.shapes[0].filter.group = -1;
    JointDef joint;
    joint.type = JointType::Point;
    joint.bodyA = from;
    joint.bodyB = scene.add(link);
    joint.frameA.p = {0, first ? 0 : -0.5 * kLong, 0};
    joint.frameB.p = {0, 0.5 * kLong, 0};
    scene.joints.push_back(joint);
    return joint.bodyB;
  };
  for (int row = 0; row < rows; ++row) {
    int body = anchor;
    for (int k = 0; k < links; ++k) {
      const Vec3d at{0, -k * kLong, 0};
      body = hang(body, k == 0, at, 1 + k % 3);
      scene.bodies[size_t(body)].linearVelocity = {0.001 * (k % 7), 0, 0.002 * (k % 5)};
      if (k % 10 == 9) hang(hang(body, false, at - Vec3d{0, kLong, 0}, 0.5), false, at - Vec3d{0, 2 * kLong, 0}, 0.25);
    }
  }
  return scene;
}

// With so many links three threads take the nodes of a level one by one, and the columns that they need; one thread takes packs.
TEST(ColumnPacks, GiveTheBitsOfLevels) {
  const Scene scene = branchedChains(700);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    WorldSettings alone = onCpu(precision), three = alone;
    three.threads = 3;
    EXPECT_EQ(hashAfter(scene, alone, 8), hashAfter(scene, three, 8));
  }
}
// The same of more links than go through levels as a whole.
TEST(ColumnPacks, OfLargeSystemsGiveTheBitsOfLevels) {
  const Scene scene = branchedChains(700, 6);
  WorldSettings alone = onCpu(Precision::Float), three = alone;
  three.threads = 3;
  EXPECT_EQ(hashAfter(scene, alone, 2), hashAfter(scene, three, 2));
}

}  // namespace
}  // namespace cairn
