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
  std::vector<int> looped;              // joints of components that have loops
};

// Breadth first from a body that is joined to one that takes no impulses, else from the body with the most joints: shallow trees. A component with a
// loop, or with two joints to bodies that take no impulses, is left out: half of its joints solved exactly, again and again, would undo what sweeps
// do for the other half. So is one whose bodies have different locked degrees of freedom (`locks` by slot; empty: none): what a child cannot do its
// parent would have to, which an elimination from the leaves does not find. `looped` has their joints, ascending.
Forest makeForest(const std::vector<ForestEdge>& edges, int bodySlots, const std::vector<int>& fixedBodyOfJoint, const std::vector<int>& locks = {});

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
  Buffer<int> turned_;
  int nodeCount_ = 0, widest_ = 0, treeCount_ = 0;
};

}  // namespace cairn
