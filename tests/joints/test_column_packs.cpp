// Columns of the joints' factor that lie side by side: which ones do, and that the answer has the bits of levels one node after the other.
#include "kernels/joints/body_packs.hpp"
#include "kernels/joints/column_packs.hpp"
#include "src/joints/body_packs.hpp"
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

// Each column once, in the order of nodesByLevel; side by side are columns of a level and a shape, whose rows are where the pack says, and whose
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
      ASSERT_LE(node.blockCount, 1 + pack.below);
      ASSERT_GE(node.blockCount, pack.below) << "a column lacks one block at most";
      for (int b = 0; b <= pack.below; ++b) {
        const SystemNode& row = factor.nodes[size_t(factor.blocks[size_t(node.firstBlock + (b < node.blockCount ? b : 0))].row)];
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
  EXPECT_EQ(order, factor.nodesByLevel);
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
  for (const SystemNode& node : factor.nodes) {
    for (int k = node.firstOfRow + 1; k < node.firstOfRow + node.countOfRow; ++k) {
      const auto turnOf = [&](int at) { return turn[size_t(factor.blocks[size_t(factor.rowBlocks[size_t(at)])].column)]; };
      EXPECT_LT(turnOf(k - 1), turnOf(k));
    }
  }
}

int columnsIn(const ColumnPacks& packs) { return int(packs.nodes.size()); }
int packsIn(const ColumnPacks& packs, bool withSources) {
  return int(std::count_if(packs.packs.begin(), packs.packs.end(),
                           [&](const ColumnPack& pack) { return pack.columns > 0 && (pack.firstSource >= 0) == withSources; }));
}

TEST(ColumnPacks, OfChainsHoldNearlyAllColumns) {
  for (const int joints : {20, 100, 1000, 4000}) {
    const SymbolicFactor factor = makeSymbolicFactor(ballsInARow(joints), joints + 1);
    ASSERT_TRUE(factor.packed) << joints;
    const ColumnPacks packs = makeColumnPacks(factor);
    expectPacks(factor, packs);
    EXPECT_GE(columnsIn(packs), 0.75 * joints - 5);
    EXPECT_EQ(packsIn(packs, false), 0);
  }
}
TEST(ColumnPacks, GoAroundColumnsOfOtherShapes) {
  // Three balls, then a hinge: nothing that has to do with a hinge's rows is beside another column.
  std::vector<JointEdge> mixed = ballsInARow(400);
  for (size_t k = 0; k < mixed.size(); k += 25) mixed[k] = {mixed[k].joint, mixed[k].bodyA, mixed[k].bodyB, 5, false};
  const SymbolicFactor factor = makeSymbolicFactor(mixed, 401);
  ASSERT_TRUE(factor.packed);
  const ColumnPacks packs = makeColumnPacks(factor);
  expectPacks(factor, packs);
  EXPECT_LT(columnsIn(packs), 400 - 16);
  EXPECT_GT(packsIn(packs, true), 0);
  EXPECT_GT(packsIn(packs, false), 0) << "hinges take something off some";
}
TEST(ColumnPacks, AreNotThereForHingesFewLinksMoreThanCachesHoldOrRowsThatComeAndGo) {
  std::vector<JointEdge> hinges = ballsInARow(100), limited = hinges;
  for (JointEdge& edge : hinges) edge = {edge.joint, edge.bodyA, edge.bodyB, 5, false};
  for (JointEdge& edge : limited) edge.rows = 6;  // room for limits
  for (const std::vector<JointEdge>& edges : {hinges, limited, ballsInARow(3), ballsInARow(5000)}) {
    const SymbolicFactor factor = makeSymbolicFactor(edges, int(edges.size()) + 1);
    EXPECT_FALSE(factor.packed);
    EXPECT_TRUE(makeColumnPacks(factor).packs.empty());
    EXPECT_TRUE(std::is_sorted(factor.nodesByLevel.begin(), factor.nodesByLevel.begin() + factor.nodeLevels[1]));
  }
}

TEST(BodyPacks, HoldWhoFollowEachOtherAndHangOnPoints) {
  std::vector<JointEdge> edges = ballsInARow(100);
  const SymbolicFactor chain = makeSymbolicFactor(edges, 101);
  const BodyPacks packs = makeBodyPacks(chain);
  ASSERT_EQ(packs.starts.size(), 100 / kPackBodies) << "four are left at the end";
  for (size_t eight = 0; eight < packs.starts.size(); ++eight) {
    ASSERT_GE(packs.starts[eight], 0);
    const int* at = packs.sources.data() + packs.starts[eight];
    const int* const slots = at;
    at += kPackBodies;
    EXPECT_EQ(*at++, 2);
    for (int k = 0; k < 2; ++k, at += 3 * kPackBodies) {
      for (int b = 0; b < kPackBodies; ++b) {
        // The body in slot s is joint s - 1's B, and joint s's A; the last one has no other.
        EXPECT_EQ(slots[b], chain.bodies[eight * kPackBodies + size_t(b)]);
        const int sign = at[2 * kPackBodies + b], joint = sign < 0 ? slots[b] : slots[b] - 1;
        if (sign == 0) continue;
        const auto node = std::find_if(chain.nodes.begin(), chain.nodes.end(), [joint](const SystemNode& n) { return n.joint == joint; });
        ASSERT_NE(node, chain.nodes.end());
        EXPECT_EQ(at[b], node->firstRow);
        EXPECT_EQ(at[kPackBodies + b], armPlace(int(node - chain.nodes.begin()), sign > 0 ? 1 : 0));
      }
    }
  }
  edges[20] = {20, edges[20].bodyA, edges[20].bodyB, 5, false};
  const BodyPacks mixed = makeBodyPacks(makeSymbolicFactor(edges, 101));
  EXPECT_EQ(std::count(mixed.starts.begin(), mixed.starts.end(), kNoSource), 1) << "of the bodies that a hinge holds, 20 and 21";
}

enum class EndOfChain { Free, Held };

// Balls in a row, each tenth of them with another row that hangs off it, and each of `hinges` on a hinge. Held at both ends they are a loop.
Scene branchedChain(int links, EndOfChain end = EndOfChain::Free, int hinges = 0) {
  constexpr double kLong = 0.3;
  Scene scene;
  scene.add(anchorAt());
  const auto hang = [&scene, hinges](int from, bool first, Vec3d at, double mass) {
    BodyDef link = ballOf(mass, at + Vec3d{0, -0.5 * kLong, 0}, 0.05);
    link.shapes[0].filter.group = -1;
    JointDef joint;
    joint.type = hinges > 0 && scene.bodies.size() % size_t(hinges) == 0 ? JointType::Hinge : JointType::Point;
    joint.bodyA = from;
    joint.bodyB = scene.add(link);
    joint.frameA.p = {0, first ? 0 : -0.5 * kLong, 0};
    joint.frameB.p = {0, 0.5 * kLong, 0};
    scene.joints.push_back(joint);
    return joint.bodyB;
  };
  int body = 0;
  for (int k = 0; k < links; ++k) {
    const Vec3d at{0, -k * kLong, 0};
    body = hang(body, k == 0, at, 1 + k % 3);
    scene.bodies[size_t(body)].linearVelocity = {0.001 * (k % 7), 0, 0.002 * (k % 5)};
    if (k % 10 == 9) hang(hang(body, false, at - Vec3d{0, kLong, 0}, 0.5), false, at - Vec3d{0, 2 * kLong, 0}, 0.25);
  }
  if (end == EndOfChain::Held) {
    JointDef joint;
    joint.type = JointType::Point;
    joint.bodyA = body;
    joint.bodyB = scene.add(anchorAt({0, -links * kLong, 0}));
    joint.frameA.p = {0, -0.5 * kLong, 0};
    scene.joints.push_back(joint);
  }
  return scene;
}

// With so many links three threads take the nodes of a level one by one, and the columns that they need; one thread takes packs.
TEST(ColumnPacks, GiveTheBitsOfLevels) {
  // What complies in loops, and what hinges take off their neighbours, is in packs as well.
  for (const Scene& scene : {branchedChain(700), branchedChain(700, EndOfChain::Held), branchedChain(700, EndOfChain::Free, 25)}) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      WorldSettings alone = onCpu(precision), three = alone;
      three.threads = 3;
      EXPECT_EQ(hashAfter(scene, alone, 8), hashAfter(scene, three, 8));
    }
  }
}

}  // namespace
}  // namespace cairn
