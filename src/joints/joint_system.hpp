// The sparse system of the joints' equations on a queue's target: its structure (src/joints/symbolic_factor.hpp) and the memory of the factor's
// numbers, which kernels/joints/joint_system.cu fills.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "src/joints/symbolic_factor.hpp"

namespace cairn::v0 {

class JointSystem {
 public:
  // `limited`: some joint has rows for limits beside its locked axes.
  void build(Queue& queue, const SymbolicFactor& structure, int jointSlots, bool limited);
  SystemView view();
  bool empty() const { return nodeCount_ == 0; }

 private:
  Buffer<SystemNode> nodes_;
  Buffer<SystemBlock> blocks_;
  Buffer<SystemContribution> contributions_;
  Buffer<SystemUpdate> updates_;
  Buffer<int> rowBlocks_, items_, itemLevels_, nodesByLevel_, nodeLevels_, bodies_, bodyOffsets_, bodySides_, loops_, componentOfBody_, nodeOfJoint_,
      rowsInUse_, isPoint_, limits_, deactivated_, dirty_, active_, found_, limitsChanged_, words_;
  Buffer<double> values_, vector_, pivots_;
  Buffer<SystemRow> rows_;
  Buffer<SystemArms> arms_;
  std::vector<int> hostItemLevels_, hostNodeLevels_;
  int nodeCount_ = 0, bodyCount_ = 0, componentCount_ = 0, itemCount_ = 0, widestItems_ = 0, widestNodes_ = 0;
  bool limited_ = false;
};

}  // namespace cairn::v0
