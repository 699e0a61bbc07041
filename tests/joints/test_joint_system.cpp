// The direct solve of joints: the order of its elimination, and its answers against a dense one by Eigen.
#include "src/joints/symbolic_factor.hpp"
#include "src/joints/system_components.hpp"

#include "tests/joints/joint_worlds.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace cairn {
namespace {

using namespace test;

// --- elimination ---------------------------------------------------------------------------------------------------

// The pattern of the graph, filled in by elimination in the given order, the plain way: every node's later neighbours become each other's.
std::vector<std::set<int>> filledPattern(const SymbolicFactor& e) {
  const size_t n = e.nodes.size();
  std::vector<std::set<int>> below(n);
  for (const SystemBlock& block : e.blocks) {
    if (block.contributionCount > 0 && block.row != block.column) below[size_t(block.column)].insert(block.row);
  }
  for (size_t column = 0; column < n; ++column) {
    for (auto first = below[column].begin(); first != below[column].end(); ++first) {
      for (auto next = std::next(first); next != below[column].end(); ++next) below[size_t(*first)].insert(*next);
    }
  }
  return below;
}

// Every elimination must be complete: each joint once, blocks where the pattern has them and nowhere else, levels in which no node needs another, and
// for each block the products of exactly those columns that both of its nodes have blocks in.
void expectSymbolicFactor(const SymbolicFactor& e, const std::vector<JointEdge>& edges) {
  std::set<int> joints;
  for (const JointEdge& edge : edges) {
    if (edge.rows > 0 && (edge.bodyA >= 0 || edge.bodyB >= 0)) joints.insert(edge.joint);
  }
  for (const int joint : e.leftOut) EXPECT_EQ(joints.erase(joint), 1u);
  for (const SystemNode& node : e.nodes) {
    if (node.joint >= 0) {
      EXPECT_EQ(joints.erase(node.joint), 1u) << "joint " << node.joint << " is there once";
    } else {
      EXPECT_GE(node.body, 0);
    }
  }
  EXPECT_TRUE(joints.empty());

  const std::vector<std::set<int>> below = filledPattern(e);
  std::vector<int> level(e.nodes.size());
  for (size_t l = 0; l + 1 < e.nodeLevels.size(); ++l) {
    for (int n = e.nodeLevels[l]; n < e.nodeLevels[l + 1]; ++n) level[size_t(e.nodesByLevel[size_t(n)])] = int(l);
  }
  ASSERT_EQ(e.nodeLevels.back(), int(e.nodes.size()));
  std::vector<int> listed = e.nodesByLevel;
  std::sort(listed.begin(), listed.end());
  for (size_t n = 0; n < e.nodes.size(); ++n) ASSERT_EQ(listed[n], int(n));
  std::map<std::pair<int, int>, int> place;
  for (size_t b = 0; b < e.blocks.size(); ++b) place[{e.blocks[b].row, e.blocks[b].column}] = int(b);
  ASSERT_EQ(place.size(), e.blocks.size());
  for (size_t n = 0; n < e.nodes.size(); ++n) {
    const SystemNode& node = e.nodes[n];
    ASSERT_EQ(node.blockCount, int(below[n].size()) + 1);
    EXPECT_EQ(e.blocks[size_t(node.firstBlock)].row, int(n));
    for (const int row : below[n]) {
      EXPECT_LT(level[n], level[size_t(row)]);
      EXPECT_EQ(place.count({row, int(n)}), 1u);
    }
  }
  size_t products = 0;
  for (const SystemBlock& block : e.blocks) {
    std::vector<std::pair<int, int>> expected;
    for (int k = 0; k < block.column; ++k) {
      const auto left = place.find({block.row, k}), right = place.find({block.column, k});
      if (left != place.end() && right != place.end()) expected.emplace_back(left->second, right->second);
    }
    ASSERT_EQ(block.updateCount, int(expected.size()));
    for (int u = 0; u < block.updateCount; ++u) {
      const SystemUpdate& update = e.updates[size_t(block.firstUpdate + u)];
      EXPECT_EQ(std::make_pair(update.left, update.right), expected[size_t(u)]);
    }
    products += expected.size();
  }
  EXPECT_EQ(products, e.updates.size());
}

// The levels of each component are what the levels of all have of it, in their order; together they are everything, once.
void expectLevelsOf(const ComponentLevels& of, const std::vector<int>& list, const std::vector<int>& starts, size_t components,
                    const std::function<int(int)>& componentOf) {
  ASSERT_EQ(of.firstStart.size(), components + 1);
  for (size_t c = 0; c < components; ++c) {
    std::vector<std::vector<int>> expected, found;
    for (size_t level = 0; level + 1 < starts.size(); ++level) {
      std::vector<int> own;
      for (int k = starts[level]; k < starts[level + 1]; ++k) {
        if (componentOf(list[size_t(k)]) == int(c)) own.push_back(list[size_t(k)]);
      }
      if (!own.empty()) expected.push_back(own);
    }
    for (int l = of.firstStart[c]; l + 1 < of.firstStart[c + 1]; ++l) {
      found.emplace_back(of.list.begin() + of.starts[size_t(l)], of.list.begin() + of.starts[size_t(l) + 1]);
    }
    EXPECT_EQ(found, expected) << "component " << c;
  }
}
void expectComponents(const SymbolicFactor& e) {
  const SystemComponents components = makeSystemComponents(e);
  const auto ofNode = [&](int node) { return e.nodes[size_t(node)].component; };
  const auto ofItem = [&](int item) { return ofNode(e.blocks[size_t(item < 0 ? ~item : item)].row); };
  expectLevelsOf(components.nodes, e.nodesByLevel, e.nodeLevels, e.loops.size(), ofNode);
  expectLevelsOf(components.items, e.items, e.itemLevels, e.loops.size(), ofItem);
  std::vector<int> bodies = components.bodies;
  for (size_t c = 0; c < e.loops.size(); ++c) {
    EXPECT_GE(components.most, components.firstBody[c + 1] - components.firstBody[c]);
    for (int b = components.firstBody[c]; b < components.firstBody[c + 1]; ++b) {
      EXPECT_EQ(e.componentOfBody[size_t(e.bodies[size_t(bodies[size_t(b)])])], int(c));
    }
  }
  std::sort(bodies.begin(), bodies.end());
  for (size_t b = 0; b < bodies.size(); ++b) ASSERT_EQ(bodies[b], int(b));
  ASSERT_EQ(bodies.size(), e.bodies.size());
}
std::vector<JointEdge> chainOf(int joints, bool hangs) {
  std::vector<JointEdge> edges;
  for (int k = 0; k < joints; ++k) edges.push_back({k, hangs && k == 0 ? -1 : k, k + 1, 3});
  return edges;
}
int loopsOf(const SymbolicFactor& e) { return int(std::count(e.loops.begin(), e.loops.end(), 1)); }

TEST(Elimination, OfNothingIsEmpty) {
  const SymbolicFactor e = makeSymbolicFactor({}, 5);
  expectComponents(e);
  EXPECT_TRUE(e.nodes.empty());
  EXPECT_TRUE(e.leftOut.empty());
  EXPECT_TRUE(makeSymbolicFactor({{0, 0, 1, 0}, {1, -1, -1, 3}}, 2).nodes.empty());  // locks nothing; joins nothing that takes impulses
}
TEST(Elimination, AChainTakesLogarithmicallyManyLevelsAndLinearlyManyBlocks) {
  for (const int joints : {10, 100, 1000, 100000}) {
    const std::vector<JointEdge> edges = chainOf(joints, true);
    const SymbolicFactor e = makeSymbolicFactor(edges, joints + 1);
    if (joints <= 1000) expectSymbolicFactor(e, edges);
    EXPECT_LE(double(e.nodeLevels.size()), 3 + 2 * std::log2(joints)) << joints;
    EXPECT_LE(e.blocks.size(), size_t(3 * joints));
    EXPECT_LE(e.updates.size(), size_t(3 * joints));
    EXPECT_EQ(loopsOf(e), 0);
  }
}
TEST(Elimination, ATreeFillsInNothingMuch) {
  std::vector<JointEdge> edges;
  for (int k = 1; k < 2000; ++k) edges.push_back({k - 1, (k - 1) / 2, k, k % 3 == 0 ? 5 : 3});  // binary
  const SymbolicFactor e = makeSymbolicFactor(edges, 2000);
  expectSymbolicFactor(e, edges);
  EXPECT_LE(e.blocks.size(), 4 * edges.size());
  EXPECT_EQ(loopsOf(e), 0);
}
TEST(Elimination, ABodyWithManyJointsIsAnUnknownOfItsOwn) {
  std::vector<JointEdge> edges;
  for (int k = 0; k < 1000; ++k) edges.push_back({k, 0, k + 1, 5});
  edges.push_back({1000, -1, 0, 6});  // held by what takes no impulses: only the body itself answers
  const SymbolicFactor e = makeSymbolicFactor(edges, 1001);
  expectSymbolicFactor(e, edges);
  EXPECT_EQ(std::count_if(e.nodes.begin(), e.nodes.end(), [](const SystemNode& n) { return n.body == 0; }), 1);
  EXPECT_LE(e.blocks.size(), 3 * edges.size());
  EXPECT_EQ(e.nodes.back().joint, 1000);  // after the body
}
TEST(Elimination, FindsLoops) {
  const auto loops = [](const std::vector<JointEdge>& edges) {
    const SymbolicFactor e = makeSymbolicFactor(edges, 12);
    expectSymbolicFactor(e, edges);
    return loopsOf(e);
  };
  std::vector<JointEdge> ring = chainOf(6, false);
  EXPECT_EQ(loops(ring), 0);
  ring.push_back({6, 6, 0, 3});
  EXPECT_EQ(loops(ring), 1);
  EXPECT_EQ(loops({{0, -1, 0, 3}, {1, 0, 1, 3}, {2, 1, -1, 3}}), 1);  // held at both ends: through the ground
  EXPECT_EQ(loops({{0, 0, 1, 3}, {1, 1, 0, 3}, {2, -1, 2, 3}, {3, 2, 3, 3}}), 1);
}
TEST(Elimination, ANetIsSparseAndALargeBlockIsLeftOut) {
  const auto grid = [](int n, int depth) {
    std::vector<JointEdge> edges;
    const auto at = [n](int i, int j, int k) { return (k * n + j) * n + i; };
    for (int k = 0; k < depth; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const int here = at(i, j, k);
          if (i + 1 < n) edges.push_back({int(edges.size()), here, at(i + 1, j, k), 3});
          if (j + 1 < n) edges.push_back({int(edges.size()), here, at(i, j + 1, k), 3});
          if (k + 1 < depth) edges.push_back({int(edges.size()), here, at(i, j, k + 1), 3});
        }
      }
    }
    return edges;
  };
  const std::vector<JointEdge> net = grid(16, 1), block = grid(16, 16);
  const SymbolicFactor e = makeSymbolicFactor(net, 256);
  expectSymbolicFactor(e, net);
  EXPECT_TRUE(e.leftOut.empty());
  EXPECT_LE(e.blocks.size(), 16 * net.size());
  const SymbolicFactor large = makeSymbolicFactor(block, 4096);
  EXPECT_EQ(large.leftOut.size(), block.size());
  EXPECT_TRUE(large.nodes.empty());
}
TEST(Elimination, OfRandomGraphs) {
  Source source(11);
  int loops = 0, unknowns = 0;
  for (int trial = 0; trial < 300 && !testing::Test::HasFailure(); ++trial) {
    const int bodies = 2 + source.below(14), count = source.below(40);
    std::vector<JointEdge> edges;
    for (int k = 0; k < count; ++k) {
      const int a = source.below(3) == 0 ? 0 : source.below(bodies), b = source.below(bodies + 1);
      const int other = b == a || b == bodies ? -1 : b;
      const bool swapped = source.below(2) == 0;
      edges.push_back({100 + k, swapped ? other : a, swapped ? a : other, source.below(8) == 0 ? 0 : 1 + source.below(6)});
    }
    const SymbolicFactor e = makeSymbolicFactor(edges, bodies);
    expectSymbolicFactor(e, edges);
    expectComponents(e);
    loops += loopsOf(e);
    for (const SystemNode& node : e.nodes) unknowns += node.joint < 0 ? 1 : 0;
  }
  EXPECT_GT(loops, 100);
  EXPECT_GT(unknowns, 30);
}

// --- against a dense solve -----------------------------------------------------------------------------------------

// A random tree of joined bodies, on target in any pose that its joints allow.
struct Tree {
  Scene scene;
  std::vector<Kind> kinds;
};
std::vector<Kind> kindsWithTurns() {
  std::vector<Kind> kinds = lockingKinds();
  for (const int mask : {0b011011, 0b101100, 0b110110, 0b000101, 0b111000, 0b011111, 0b110001, 0b101010, 0b100110}) {
    Kind kind{"six_dof", JointType::SixDof, 1, {}};
    for (size_t k = 0; k < 6; ++k) kind.free[k] = (mask >> k & 1) != 0;
    kinds.push_back(kind);
  }
  return kinds;
}
Tree randomTree(unsigned seed, int bodies, bool hangs, bool locks, const Kind* only = nullptr, bool star = false) {
  Source source(seed);
  Tree tree;
  const std::vector<Kind> kinds = kindsWithTurns();
  Scene& scene = tree.scene;
  scene.gravity = {0, 0, 0};
  BodyDef root = hangs ? anchorAt(source.vector(1), locks ? BodyType::Static : BodyType::Kinematic) : boxOf(source(0.5, 3), source.vector(1));
  root.pose.q = source.turn();
  for (ShapeDef& shape : root.shapes) shape.filter.group = -1;
  if (hangs && !locks) {
    root.linearVelocity = source.vector(1);
    root.angularVelocity = source.vector(1);
  }
  scene.add(root);
  for (int k = 1; k <= bodies; ++k) {
    const int parent = star ? std::min(k - 1, 1) : source.below(k);
    const Kind kind = only != nullptr ? *only : kinds[size_t(source.below(int(kinds.size())))];
    BodyDef body = boxOf(std::exp(source(-2, 2)), {0, 0, 0}, {source(0.05, 0.3), source(0.05, 0.3), source(0.05, 0.3)});
    body.shapes[0].filter.group = -1;                                                          // no contacts
    if (source.below(3) == 0) body.shapes[0].localPose = {source.vector(0.2), source.turn()};  // its centre is not its origin
    const Posed onParent{source.vector(0.3), source.turn()}, onBody{source.vector(0.3), source.turn()};
    Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
    for (int axis = 0; axis < 3; ++axis) {
      if (kind.free[size_t(axis)]) moved.translation()(axis) = source(-0.3, 0.3);
      if (kind.free[size_t(axis + 3)])
        moved.linear() = moved.linear() * Eigen::AngleAxisd(source(-1.2, 1.2), Eigen::Vector3d::Unit(axis)).toRotationMatrix();
    }
    body.pose = pose(eigen(scene.bodies[size_t(parent)].pose) * eigen(onParent) * moved * eigen(onBody).inverse());
    body.linearVelocity = source.vector(2);
    body.angularVelocity = source.vector(5);
    if (locks) {
      for (size_t axis = 0; axis < 3; ++axis) {
        body.lockTranslation[axis] = source.below(6) == 0;
        body.lockRotation[axis] = source.below(6) == 0;
      }
      // What is locked stands still: nothing that is asked of it can be against its joints.
      double* v[6] = {&body.linearVelocity.x,  &body.linearVelocity.y,  &body.linearVelocity.z,
                      &body.angularVelocity.x, &body.angularVelocity.y, &body.angularVelocity.z};
      for (size_t axis = 0; axis < 3; ++axis) {
        if (body.lockTranslation[axis]) *v[axis] = 0;
        if (body.lockRotation[axis]) *v[axis + 3] = 0;
      }
    }
    const int child = scene.add(body);
    JointDef def;
    def.type = kind.type;
    def.slides = kind.slides;
    def.bodyA = parent;
    def.bodyB = child;
    def.frameA = onParent;
    def.frameB = onBody;
    if (kind.type == JointType::SixDof) {
      for (size_t axis = 0; axis < 6; ++axis) def.axes[axis].free = kind.free[axis];
    }
    scene.joints.push_back(def);
    tree.kinds.push_back(kind);
  }
  return tree;
}

// Least change of kinetic energy that makes J v = 0: the equations of the joints written out, with locked axes as rows of their own. Impulses may
// give way by the part `compliance` of what each row's would do by itself.
Eigen::VectorXd denseSolve(const Tree& tree, double compliance) {
  const Scene& scene = tree.scene;
  const int n = int(scene.bodies.size()) * 6;
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd v0(n);
  std::vector<Eigen::RowVectorXd> rows;
  std::vector<double> wanted;
  std::vector<Eigen::Vector3d> centres;
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyDef& body = scene.bodies[b];
    const int at = int(b) * 6;
    v0.segment<3>(at) = eigen(body.linearVelocity);
    v0.segment<3>(at + 3) = eigen(body.angularVelocity);
    if (body.type != BodyType::Dynamic) {
      centres.push_back(eigen(body.pose.p));
      mass.block<6, 6>(at, at).setIdentity();
      for (int k = 0; k < 6; ++k) {
        rows.push_back(Eigen::RowVectorXd::Zero(n));
        rows.back()(at + k) = 1;
        wanted.push_back(v0(at + k));
      }
      continue;
    }
    const ShapeDef& shape = body.shapes[0];
    const Eigen::Vector3d e = eigen(shape.halfExtents);
    const Eigen::Vector3d local =
        (*body.mass / 3) * Eigen::Vector3d(e.y() * e.y() + e.z() * e.z(), e.x() * e.x() + e.z() * e.z(), e.x() * e.x() + e.y() * e.y());
    const Eigen::Isometry3d frame = eigen(body.pose) * eigen(shape.localPose);
    centres.push_back(frame.translation());
    mass.block<3, 3>(at, at) = *body.mass * Eigen::Matrix3d::Identity();
    mass.block<3, 3>(at + 3, at + 3) = frame.linear() * local.asDiagonal() * frame.linear().transpose();
    for (int k = 0; k < 6; ++k) {
      if (!(k < 3 ? body.lockTranslation[size_t(k)] : body.lockRotation[size_t(k - 3)])) continue;
      rows.push_back(Eigen::RowVectorXd::Zero(n));
      rows.back()(at + k) = 1;
      wanted.push_back(v0(at + k));
    }
  }
  const int firstJointRow = int(rows.size());
  for (size_t j = 0; j < scene.joints.size(); ++j) {
    const JointDef& def = scene.joints[j];
    const std::array<bool, 6>& free = tree.kinds[j].free;
    const Eigen::Isometry3d a = eigen(scene.bodies[size_t(def.bodyA)].pose) * eigen(def.frameA),
                            b = eigen(scene.bodies[size_t(def.bodyB)].pose) * eigen(def.frameB);
    const Eigen::Vector3d rA = b.translation() - centres[size_t(def.bodyA)], rB = b.translation() - centres[size_t(def.bodyB)];
    const auto row = [&](const Eigen::Vector3d& linear, const Eigen::Vector3d& onA, const Eigen::Vector3d& onB) {
      rows.push_back(Eigen::RowVectorXd::Zero(n));
      rows.back().segment<3>(def.bodyA * 6) = -linear.transpose();
      rows.back().segment<3>(def.bodyA * 6 + 3) = -onA.transpose();
      rows.back().segment<3>(def.bodyB * 6) = linear.transpose();
      rows.back().segment<3>(def.bodyB * 6 + 3) = onB.transpose();
      wanted.push_back(0);
    };
    const Eigen::Vector3d none = Eigen::Vector3d::Zero();
    // What compliance is depends on the axes: those of a joint that locks the three translations and nothing else are the world's.
    const bool isPoint = !free[0] && !free[1] && !free[2] && free[3] && free[4] && free[5];
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d d = isPoint ? Eigen::Vector3d(Eigen::Vector3d::Unit(k)) : Eigen::Vector3d(a.linear().col(k));
      if (!free[size_t(k)]) row(d, rA.cross(d), rB.cross(d));
    }
    const int turns = free[3] + free[4] + free[5];
    if (turns == 2) {
      // Rx Ry Rz with one angle zero: an axis of A stays across one of B.
      const Eigen::Vector3d across = !free[3]   ? a.linear().col(1).cross(b.linear().col(2))
                                     : !free[4] ? a.linear().col(0).cross(b.linear().col(2))
                                                : a.linear().col(0).cross(b.linear().col(1));
      row(none, across, across);
    } else if (turns < 2) {
      for (int k = 0; k < 3; ++k)
        if (!free[size_t(k + 3)]) row(none, a.linear().col(k), a.linear().col(k));
    }
  }
  const int m = int(rows.size());
  Eigen::MatrixXd movable = mass.inverse();
  for (int k = 0; k < firstJointRow; ++k) {
    // What is locked does not move.
    for (int d = 0; d < n; ++d) {
      if (rows[size_t(k)](d) != 0) movable.row(d).setZero(), movable.col(d).setZero();
    }
  }
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right(n + m);
  kkt.topLeftCorner(n, n) = mass;
  right.head(n) = mass * v0;
  for (int k = 0; k < m; ++k) {
    kkt.row(n + k).head(n) = rows[size_t(k)];
    kkt.col(n + k).head(n) = rows[size_t(k)].transpose();
    right(n + k) = wanted[size_t(k)];
    if (k >= firstJointRow) kkt(n + k, n + k) = -compliance * rows[size_t(k)].dot(movable * rows[size_t(k)].transpose());
  }
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(kkt).solve(right).head(n);
}

// A step so short that nothing moves, which makes velocities right and does nothing else.
void expectDense(const Tree& tree, double tolerance, const std::string& where, double compliance = 0) {
  WorldSettings settings = onOneThread();
  settings.dt = 1e-14;
  settings.substeps = 1;
  settings.relaxations = 0;
  settings.jointStabilization = JointStabilization::None;
  World world(tree.scene, settings);
  world.step();
  const Eigen::VectorXd expected = denseSolve(tree, compliance);
  const std::vector<BodyState> states = world.states();
  double worst = 0;
  for (size_t b = 0; b < states.size(); ++b) {
    worst = std::max(worst, (eigen(states[b].linearVelocity) - expected.segment<3>(int(b) * 6)).norm());
    worst = std::max(worst, (eigen(states[b].angularVelocity) - expected.segment<3>(int(b) * 6 + 3)).norm());
  }
  EXPECT_LT(worst, tolerance) << where;
}

TEST(JointSystemSolve, OneJointOfEachKindIsTheDenseSolve) {
  for (const Kind& kind : kindsWithTurns()) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      expectDense(randomTree(seed, 1, seed % 2 == 0, false, &kind), 1e-10, kind.name + " seed " + std::to_string(seed));
    }
  }
}
TEST(JointSystemSolve, RandomTreesAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    expectDense(randomTree(seed, 2 + int(seed) % 14, seed % 2 == 0, false), 1e-10, "seed " + std::to_string(seed));
}
TEST(JointSystemSolve, TreesThatAllMoveInOnePlaneAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Tree tree = randomTree(seed, 2 + int(seed) % 10, seed % 2 == 0, false);
    for (BodyDef& body : tree.scene.bodies) {
      body.linearVelocity.z = body.angularVelocity.x = body.angularVelocity.y = 0;
      if (body.type != BodyType::Dynamic) continue;
      body.lockTranslation = {false, false, true};
      body.lockRotation = {true, true, false};
    }
    expectDense(tree, 1e-10, "seed " + std::to_string(seed));
  }
}
TEST(JointSystemSolve, WhichBodyIsAMakesNoDifference) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Tree tree = randomTree(seed, 8, seed % 2 == 0, false);
    for (size_t j = 0; j < tree.scene.joints.size(); ++j) {
      JointDef& def = tree.scene.joints[j];
      if (tree.kinds[j].type != JointType::Point && tree.kinds[j].type != JointType::Hinge && tree.kinds[j].type != JointType::Rigid) continue;
      std::swap(def.bodyA, def.bodyB);
      std::swap(def.frameA, def.frameB);
    }
    expectDense(tree, 1e-10, "seed " + std::to_string(seed));
  }
}

TEST(JointSystemSolve, TreesOfBodiesWithLocksOfTheirOwnAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    expectDense(randomTree(seed, 2 + int(seed) % 10, seed % 2 == 0, true), 1e-9, "seed " + std::to_string(seed));
}
TEST(JointSystemSolve, StarsAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    expectDense(randomTree(seed, 12 + int(seed), seed % 2 == 0, false, nullptr, true), 1e-9, "seed " + std::to_string(seed));
  }
}

// More joints than a tree needs. How impulses are shared out among them is the compliance's to say, and some of these loops hardly close.
TEST(JointSystemSolve, LoopsAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Tree tree = randomTree(seed, 3 + int(seed) % 10, false, false);  // one component
    Source source(seed + 1000);
    const int bodies = int(tree.scene.bodies.size());
    for (int k = 0; k < 1 + int(seed) % 3; ++k) {
      const int a = source.below(bodies), b = (a + 1 + source.below(bodies - 1)) % bodies;
      JointDef def = tree.scene.joint(JointType::Point, a, b, tree.scene.bodies[size_t(b)].pose);
      tree.scene.joints.push_back(def);
      tree.kinds.push_back(lockingKinds().front());
      ASSERT_EQ(tree.kinds.back().type, JointType::Point);
    }
    expectDense(tree, 1e-8, "seed " + std::to_string(seed), kLoopCompliance);
  }
}

}  // namespace
}  // namespace cairn
