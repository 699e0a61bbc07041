// Ordering and symbolic factorization of the joints' equations: the structure of their sparse factor, before any number is known. The numbers are
// those of kernels/joints/joint_factor.hpp.
#pragma once

#include "kernels/joints/joint_system.hpp"

#include <vector>

namespace cairn::v0 {

// A joint as its equations see it: its bodies' slots, -1 where a body takes no impulses.
struct JointEdge {
  int joint, bodyA, bodyB;
  int rows;                 // 1..6; 0: it locks nothing, and has no equations
  bool holdsPoint = false;  // it locks all translations, and no rotation
};

struct SymbolicFactor {
  std::vector<SystemNode> nodes;  // in an order of their elimination, tree after tree
  std::vector<SystemBlock> blocks;
  std::vector<SystemContribution> contributions;
  std::vector<SystemUpdate> updates;
  std::vector<int> rowBlocks;
  std::vector<int> items, itemLevels;
  std::vector<int> nodesByLevel, nodeLevels;  // levels in ascending order
  std::vector<int> bodies, bodyOffsets, bodySides;
  std::vector<int> componentOfBody;  // by slot; -1: none
  std::vector<int> loops;            // by component
  std::vector<int> leftOut;          // joints of components whose factor would be too large, ascending: those are left to the sweeps
  int64_t values = 0;
  int rows = 0;
  bool packed = false;  // columns of a shape follow each other in each level (src/joints/column_packs.hpp)
};

// A body with more joints than this is an unknown of its own: a block for each pair of its joints would cost more.
constexpr int kMaxNeighbours = 8;
// A component whose factorization takes more products of blocks than this for each of its joints is left out.
constexpr int kMaxUpdates = 400;

// Multiple minimum degree (Liu, "Modification of the Minimum-Degree Algorithm by Multiple Elimination", ACM TOMS 11, 1985): each round eliminates
// nodes that have the smallest number of neighbours, or one more, and are not neighbours of each other. So a chain of n joints takes log n levels
// instead of n, and a net's factor stays sparse. `locks`: BodyFlags by slot of the body; empty: none.
SymbolicFactor makeSymbolicFactor(const std::vector<JointEdge>& edges, int bodySlots, const std::vector<int>& locks = {},
                                  int maxUpdates = kMaxUpdates);

}  // namespace cairn::v0
