#include "src/joints/joint_tiles.hpp"

namespace cairn::v0 {

template <class T> JointView<T> JointTiles<T>::layOut(Queue& queue, PrimitiveScratch& scratch, const JointList<T>& joints,
                                                      const ConstraintBodies* constraints, const GraphView& graph, StepCounts& counts, int strip) {
  const TileKeys keys = tiles_.begin(queue, graph, joints.range, strip);
  view_ = {};
  if (joints.range.bound > 0) {
    jointKeys(queue, joints.records, joints.live, keys);
    const TileFill fill = tiles_.sort(queue, scratch, constraints, kJointLayout, counts);
    const auto tileCount = static_cast<size_t>(fill.tileCount);
    jointOfLane_.resize(queue, tiles_.laneCount());
    tileRows_.resize(queue, tileCount);
    tileRotations_.resize(queue, tileCount);
    const JointLanes lanes{jointOfLane_.data(), tileRows_.data(), tileRotations_.data(), joints.laneOfJoint};
    fillJointTiles(queue, joints.records, joints.live, fill, lanes);
    const size_t capacity = fields_.capacity();
    fields_.resize(queue, tiles_.endJoints(queue, scratch, counts, kJointFields + kAxisFields * joints.maxRows));
    // Lanes without a joint are never written, but a step that is undone copies all of them.
    if (fields_.capacity() != capacity) fillBytes(queue, fields_.data(), 0, fields_.capacity() * sizeof(T));
    view_.fields = fields_.data();
    view_.tileRows = tileRows_.data();
    view_.tileRotations = tileRotations_.data();
    view_.joint = jointOfLane_.data();
  }
  static_cast<TileView&>(view_) = tiles_.view();
  return view_;
}

template class JointTiles<float>;
template class JointTiles<double>;

}  // namespace cairn::v0
