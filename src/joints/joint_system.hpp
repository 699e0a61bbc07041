// The sparse system of the joints' equations on a queue's target: its structure (src/joints/symbolic_factor.hpp) and the memory of the factor's
// numbers, which kernels/joints/joint_system.cu fills.
#pragma once

#include "kernels/runtime/runtime.hpp"
#include "src/joints/symbolic_factor.hpp"
#include "src/joints/system_components.hpp"

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
  struct LevelsOnTarget {
    Buffer<int> list, starts, firstStart;
    void upload(Queue& queue, const ComponentLevels& from);
    ComponentLevelsView view() { return {list.data(), starts.data(), firstStart.data()}; }
  };
  LevelsOnTarget componentItems_, componentNodes_;
  Buffer<int> firstBodyOfComponent_, bodiesByComponent_;
  int widestComponentLevel_ = 0, mostOfComponent_ = 0;
  void buildComponents(Queue& queue, const SymbolicFactor& structure);
  void buildPacks(Queue& queue, const SymbolicFactor& structure);

  Buffer<ColumnPack> packs_;
  Buffer<int> packNodes_, packRows_, packSources_, bodyPackStarts_, bodyPackSources_;
  Buffer<double> packValues_, packForward_;

  Buffer<double> values_, vector_, pivots_;
  Buffer<SystemRow> rows_;
  Buffer<SystemArms> arms_;
  std::vector<int> hostItemLevels_, hostNodeLevels_;
  int nodeCount_ = 0, bodyCount_ = 0, componentCount_ = 0, itemCount_ = 0, widestItems_ = 0, widestNodes_ = 0;
  bool limited_ = false, looped_ = false, plain_ = false;
};

}  // namespace cairn::v0
