// The order in which the joints' equations are eliminated, and what that leaves to compute: structure of the sparse factor
// (kernels/joints/joint_system.cu).
#pragma once

#include "kernels/joints/joint_system.hpp"

#include <vector>

namespace cairn {

// A joint as its equations see it: its bodies' slots, -1 where a body takes no impulses.
struct JointEdge {
  int joint, bodyA, bodyB;
  int rows;  // 1..6; 0: it locks nothing, and has no equations
};

struct Elimination {
  std::vector<SystemNode> nodes;  // level after level
  std::vector<SystemBlock> blocks;
  std::vector<SystemCoupling> couplings;
  std::vector<SystemUpdate> updates;
  std::vector<int> rowBlocks;
  std::vector<int> items, itemLevels;
  std::vector<int> nodeLevels;
  std::vector<int> bodies, bodyOffsets, bodySides;
  std::vector<int> componentOfBody;  // by slot; -1: none
  std::vector<int> loops;            // by component
  std::vector<int> leftOut;          // joints of components whose factor would be too large, ascending: those are left to the sweeps
  int64_t values = 0;
  int rows = 0;
};

// A body with more joints than this is an unknown of its own: among its joints a block for each pair would cost more.
constexpr int kMostNeighbours = 8;
// A component whose factorisation takes more products of blocks than this for each of its joints is left out.
constexpr int kMostUpdates = 400;

// By least degree, several at once: in each round neighbours of none of the others that have the least number of neighbours, or one more. So a chain
// of n joints takes log n levels instead of n, and a net's factor stays sparse (multiple minimum degree: Liu, "Modification of the Minimum-Degree
// Algorithm by Multiple Elimination", ACM TOMS 11, 1985). `locks`: of bodies by slot, BodyFlags; empty: none.
Elimination makeElimination(const std::vector<JointEdge>& edges, int bodySlots, const std::vector<int>& locks = {}, int mostUpdates = kMostUpdates);

}  // namespace cairn
