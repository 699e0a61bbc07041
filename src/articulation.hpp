// Articulations: which joints form trees, and the buffers of their direct solve (kernels/articulation.cu).
#pragma once

#include "../kernels/articulation.hpp"

#include <vector>

namespace cairn {

// A joint as the forest sees it: its bodies' slots, -1 where a body takes no impulses.
struct ForestEdge {
  int joint, bodyA, bodyB;
  bool usable;  // it locks something
};

struct Forest {
  std::vector<ArticulationNode> nodes;  // level after level
  std::vector<int> levels;              // first node of each, and their number at the end
  std::vector<int> closures;            // joints that would close a loop
};

// Breadth first from bodies that are joined to one that takes no impulses, by falling number of the joints there, else from the body with the most
// joints: shallow trees. One joint to such a body fits into a tree, and each pair of bodies has one; the rest are closures, in ascending order.
Forest makeForest(const std::vector<ForestEdge>& edges, int bodySlots, const std::vector<int>& fixedBodyOfJoint);

class Articulations {
 public:
  void build(Queue& queue, const Forest& forest);
  ArticulationView view();
  bool empty() const { return nodeCount_ == 0; }

 private:
  Buffer<ArticulationNode> nodes_;
  Buffer<ArticulationFactor> factors_;
  Buffer<int> levels_;
  std::vector<int> hostLevels_;
  int nodeCount_ = 0, widest_ = 0;
};

}  // namespace cairn
