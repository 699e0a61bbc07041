// The joints of a step in tiles by colour: who lies in which lane, and room for the rows. What the rows hold is for others to write.
#pragma once

#include "kernels/joints/joint_rows.hpp"
#include "src/rows/tile_layout.hpp"

namespace cairn::v0 {

// The joints that act, on the target.
template <class T> struct JointList {
  const JointRecord<T>* records;  // by slot
  const int* live;                // [range.bound] slots
  int* laneOfJoint;               // by slot: written
  TileRange range;                // their places among all constraints
  int maxRows;                    // axis rows of a joint at most
};

template <class T> class JointTiles {
 public:
  // Tiles for the colours of a graph. The strip is the target's, or the one given.
  JointView<T> layOut(Queue& queue, PrimitiveScratch& scratch, const JointList<T>& joints, const ConstraintBodies* constraints,
                      const GraphView& graph, StepCounts& counts, int strip = 0);
  const JointView<T>& view() const { return view_; }
  Buffer<T>& fields() { return fields_; }

 private:
  TileLayout tiles_;
  Buffer<int> jointOfLane_, tileRows_, tileRotations_;
  Buffer<T> fields_;
  JointView<T> view_{};
};

}  // namespace cairn::v0
