// Trees of joints: which joints make up the forest, and the direct solve against a dense one by Eigen.
#include "articulation.hpp"

#include "joint_worlds.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <map>
#include <numeric>
#include <set>

namespace cairn {
namespace {

using namespace test;

// --- forests -------------------------------------------------------------------------------------------------------

// Bodies that hang together by usable joints, by the least of them, and which of those have no loop: as many joints as it takes and no more. Bodies
// that take no impulses connect nothing, and two joints to them are a loop.
struct Components {
  std::vector<int> of;  // by body
  std::map<int, std::set<int>> bodies;
  std::map<int, int> inner, hanging;

  Components(const std::vector<ForestEdge>& edges, int slots) : of(static_cast<size_t>(slots)) {
    std::iota(of.begin(), of.end(), 0);
    for (int pass = 0; pass < slots; ++pass) {
      for (const ForestEdge& e : edges) {
        if (!e.usable || e.bodyA < 0 || e.bodyB < 0) continue;
        of[size_t(e.bodyA)] = of[size_t(e.bodyB)] = std::min(of[size_t(e.bodyA)], of[size_t(e.bodyB)]);
      }
    }
    for (const ForestEdge& e : edges) {
      if (!e.usable) continue;
      const int key = of[size_t(std::max(e.bodyA, e.bodyB))];
      for (const int body : {e.bodyA, e.bodyB})
        if (body >= 0) bodies[key].insert(body);
      ++(e.bodyA < 0 || e.bodyB < 0 ? hanging : inner)[key];
    }
  }
  bool isTree(int key) const {
    const int joints = inner.count(key) != 0 ? inner.at(key) : 0, hangs = hanging.count(key) != 0 ? hanging.at(key) : 0;
    return joints == int(bodies.at(key).size()) - 1 && hangs <= 1;
  }
};

// What every forest must be, whatever the order of its nodes: all trees, level by level, children side by side; `looped`: joints that are in none.
void expectForest(const Forest& forest, const std::vector<ForestEdge>& edges, int slots, const std::vector<int>& fixed, int looped) {
  const Components components(edges, slots);
  std::map<int, size_t> indexOf;
  std::set<int> bodies, used;
  std::vector<int> left;
  for (size_t i = 0; i < edges.size(); ++i) {
    const ForestEdge& e = edges[i];
    indexOf[e.joint] = i;
    if (e.usable && !components.isTree(components.of[size_t(std::max(e.bodyA, e.bodyB))])) left.push_back(e.joint);
  }
  for (const auto& [key, members] : components.bodies)
    if (components.isTree(key)) bodies.insert(members.begin(), members.end());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(forest.looped, left);
  EXPECT_EQ(int(left.size()), looped);
  ASSERT_EQ(forest.nodes.size(), bodies.size());
  ASSERT_FALSE(forest.levels.empty());
  EXPECT_EQ(forest.levels.front(), 0);
  EXPECT_EQ(forest.levels.back(), int(forest.nodes.size()));
  std::vector<int> levelOf(forest.nodes.size()), parents(forest.nodes.size(), -1);
  for (size_t l = 0; l + 1 < forest.levels.size(); ++l) {
    EXPECT_LT(forest.levels[l], forest.levels[l + 1]);
    for (int i = forest.levels[l]; i < forest.levels[l + 1]; ++i) levelOf[size_t(i)] = int(l);
  }
  for (size_t i = 0; i < forest.nodes.size(); ++i) {
    const ArticulationNode& node = forest.nodes[i];
    EXPECT_EQ(bodies.erase(node.body), 1u) << "body " << node.body << " is there once";
    for (int c = node.firstChild; c < node.firstChild + node.childCount; ++c) parents[size_t(c)] = int(i);
  }
  for (size_t i = 0; i < forest.nodes.size(); ++i) {
    const ArticulationNode& node = forest.nodes[i];
    EXPECT_EQ(node.parent, parents[i]);
    EXPECT_EQ(levelOf[i], node.parent < 0 ? 0 : levelOf[size_t(node.parent)] + 1);
    if (node.parent >= 0) {
      EXPECT_EQ(node.tree, forest.nodes[size_t(node.parent)].tree);
    } else {
      EXPECT_EQ(node.tree, int(i));
    }
    if (node.joint < 0) {
      EXPECT_EQ(node.parent, -1);
      EXPECT_EQ(node.parentBody, -1);
      continue;
    }
    EXPECT_TRUE(used.insert(node.joint).second);
    const ForestEdge& e = edges[indexOf.at(node.joint)];
    const int other = node.childIsB != 0 ? e.bodyA : e.bodyB;
    EXPECT_EQ(node.childIsB != 0 ? e.bodyB : e.bodyA, node.body);
    EXPECT_EQ(other, node.parent >= 0 ? forest.nodes[size_t(node.parent)].body : -1);
    EXPECT_EQ(node.parentBody, node.parent >= 0 ? other : fixed[indexOf.at(node.joint)]);
  }
  for (const int joint : forest.looped) EXPECT_TRUE(used.insert(joint).second);
  for (const ForestEdge& e : edges) EXPECT_EQ(used.count(e.joint), e.usable ? 1u : 0u) << "joint " << e.joint;
}

TEST(Forest, OfNothingIsEmpty) {
  const Forest forest = makeForest({}, 5, {});
  EXPECT_TRUE(forest.nodes.empty());
  EXPECT_TRUE(forest.looped.empty());
}
TEST(Forest, AFloatingChainIsRootedAtABodyWithTwoJoints) {
  std::vector<ForestEdge> edges;
  for (int k = 0; k < 6; ++k) edges.push_back({k, k, k + 1, true});
  const std::vector<int> fixed(edges.size(), -1);
  const Forest forest = makeForest(edges, 7, fixed);
  expectForest(forest, edges, 7, fixed, 0);
  EXPECT_EQ(forest.nodes[0].joint, -1);
  EXPECT_NE(forest.nodes[0].body, 0);
  EXPECT_NE(forest.nodes[0].body, 6);
}
TEST(Forest, AHangingChainIsRootedWhereItHangs) {
  std::vector<ForestEdge> edges{{0, -1, 3, true}};
  for (int k = 0; k < 5; ++k) edges.push_back({k + 1, 3 + k, 4 + k, true});
  const std::vector<int> fixed{2, -1, -1, -1, -1, -1};
  const Forest forest = makeForest(edges, 10, fixed);
  expectForest(forest, edges, 10, fixed, 0);
  EXPECT_EQ(forest.nodes[0].body, 3);
  EXPECT_EQ(forest.nodes[0].parentBody, 2);
  EXPECT_EQ(forest.levels.size(), 7u);
}
TEST(Forest, AStarHasTwoLevels) {
  std::vector<ForestEdge> edges;
  for (int k = 0; k < 8; ++k) edges.push_back(k % 2 == 0 ? ForestEdge{k, 4, k < 4 ? k : k + 1, true} : ForestEdge{k, k < 4 ? k : k + 1, 4, true});
  const std::vector<int> fixed(edges.size(), -1);
  const Forest forest = makeForest(edges, 9, fixed);
  expectForest(forest, edges, 9, fixed, 0);
  EXPECT_EQ(forest.nodes[0].body, 4);
  EXPECT_EQ(forest.levels, (std::vector<int>{0, 1, 9}));
}
TEST(Forest, ALoopIsLeftOut) {
  std::vector<ForestEdge> edges;
  for (int k = 0; k < 6; ++k) edges.push_back({k, k, (k + 1) % 6, true});
  const std::vector<int> fixed(edges.size(), -1);
  expectForest(makeForest(edges, 6, fixed), edges, 6, fixed, 6);
}
TEST(Forest, AChainHeldAtBothEndsIsALoopThroughTheGround) {
  std::vector<ForestEdge> edges{{0, -1, 0, true}};
  for (int k = 0; k < 4; ++k) edges.push_back({k + 1, k, k + 1, true});
  edges.push_back({5, 4, -1, true});
  const std::vector<int> fixed{9, -1, -1, -1, -1, 8};
  expectForest(makeForest(edges, 10, fixed), edges, 10, fixed, 6);
}
TEST(Forest, TwoJointsBetweenTheSameBodiesAreALoop) {
  const std::vector<ForestEdge> edges{{0, 0, 1, true}, {1, 1, 0, true}, {2, -1, 2, true}, {3, 2, -1, true}};
  const std::vector<int> fixed{-1, -1, 3, 3};
  expectForest(makeForest(edges, 4, fixed), edges, 4, fixed, 4);
}
TEST(Forest, SeveralTreesShareTheLevels) {
  const std::vector<ForestEdge> edges{{7, 0, 1, true}, {3, 1, 2, true}, {9, -1, 4, true}, {4, 4, 5, true}, {6, 8, -1, true}};
  const std::vector<int> fixed{-1, -1, 6, -1, 7};
  const Forest forest = makeForest(edges, 9, fixed);
  expectForest(forest, edges, 9, fixed, 0);
  EXPECT_EQ(forest.levels[1], 3);  // three roots
}
TEST(Forest, JointsThatLockNothingDoNotCount) {
  const std::vector<ForestEdge> edges{{0, 0, 1, true}, {1, 1, 2, false}, {2, 2, 0, false}, {3, 3, -1, false}};
  const std::vector<int> fixed{-1, -1, -1, 4};
  expectForest(makeForest(edges, 5, fixed), edges, 5, fixed, 0);
}
TEST(Forest, OfRandomGraphsHasEachTreeAndNoLoop) {
  Source source(11);
  int trees = 0, loops = 0;
  for (int trial = 0; trial < 300 && !testing::Test::HasFailure(); ++trial) {
    const int bodies = 2 + source.below(14), count = source.below(14);
    std::vector<ForestEdge> edges;
    std::vector<int> fixed;
    for (int k = 0; k < count; ++k) {
      const int a = source.below(bodies), b = source.below(bodies + 1);
      const int other = b == a || b == bodies ? -1 : b;
      const bool swapped = source.below(2) == 0, usable = source.below(8) != 0;
      edges.push_back({100 + k, swapped ? other : a, swapped ? a : other, usable});
      fixed.push_back(other < 0 ? bodies : -1);
    }
    const Components components(edges, bodies + 1);
    int looped = 0;
    for (const ForestEdge& e : edges) {
      const bool left = e.usable && !components.isTree(components.of[size_t(std::max(e.bodyA, e.bodyB))]);
      looped += left ? 1 : 0;
      trees += e.usable && !left ? 1 : 0;
    }
    loops += looped;
    expectForest(makeForest(edges, bodies + 1, fixed), edges, bodies + 1, fixed, looped);
  }
  EXPECT_GT(trees, 300);
  EXPECT_GT(loops, 300);
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
Tree randomTree(unsigned seed, int bodies, bool hangs, bool locks, const Kind* only = nullptr) {
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
    const int parent = source.below(k);
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

// Least change of kinetic energy that makes J v = 0: the equations of the joints written out, with locked axes as rows of their own.
Eigen::VectorXd denseSolve(const Tree& tree) {
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
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d d = a.linear().col(k);
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
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right(n + m);
  kkt.topLeftCorner(n, n) = mass;
  right.head(n) = mass * v0;
  for (int k = 0; k < m; ++k) {
    kkt.row(n + k).head(n) = rows[size_t(k)];
    kkt.col(n + k).head(n) = rows[size_t(k)].transpose();
    right(n + k) = wanted[size_t(k)];
  }
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(kkt).solve(right).head(n);
}

// A step so short that nothing moves, which makes velocities right and does nothing else.
void expectDense(const Tree& tree, double tolerance, const std::string& where) {
  WorldSettings settings = onOneThread();
  settings.dt = 1e-14;
  settings.substeps = 1;
  settings.relaxations = 0;
  settings.jointStabilization = JointStabilization::None;
  World world(tree.scene, settings);
  world.step();
  const Eigen::VectorXd expected = denseSolve(tree);
  const std::vector<BodyState> states = world.states();
  double worst = 0;
  for (size_t b = 0; b < states.size(); ++b) {
    worst = std::max(worst, (eigen(states[b].linearVelocity) - expected.segment<3>(int(b) * 6)).norm());
    worst = std::max(worst, (eigen(states[b].angularVelocity) - expected.segment<3>(int(b) * 6 + 3)).norm());
  }
  EXPECT_LT(worst, tolerance) << where;
}

TEST(ArticulationSolve, OneJointOfEachKindIsTheDenseSolve) {
  for (const Kind& kind : kindsWithTurns()) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      expectDense(randomTree(seed, 1, seed % 2 == 0, false, &kind), 1e-10, kind.name + " seed " + std::to_string(seed));
    }
  }
}
TEST(ArticulationSolve, RandomTreesAreTheDenseSolve) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    expectDense(randomTree(seed, 2 + int(seed) % 14, seed % 2 == 0, false), 1e-10, "seed " + std::to_string(seed));
}
TEST(ArticulationSolve, TreesThatAllMoveInOnePlaneAreTheDenseSolve) {
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
TEST(ArticulationSolve, WhichBodyIsAMakesNoDifference) {
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

// What a joint asks for along a locked axis of one body is the other body's to give, which an elimination from the leaves does not find.
TEST(Forest, BodiesWithDifferentLocksAreLeftToTheSweeps) {
  const std::vector<ForestEdge> edges{{0, 0, 1, true}, {1, 1, 2, true}, {2, 3, 4, true}};
  const std::vector<int> fixed(3, -1);
  const Forest forest = makeForest(edges, 5, fixed, {kLockTranslationX, kLockTranslationX, 0, kLockRotationZ, kLockRotationZ});
  EXPECT_EQ(forest.looped, (std::vector<int>{0, 1}));
  EXPECT_EQ(forest.nodes.size(), 2u);
}

}  // namespace
}  // namespace cairn
