// The part of a snapshot that joints are.
#include "src/joints/joint_rows.hpp"
#include "src/joints/joint_set.hpp"
#include "src/state/snapshot_bytes.hpp"

namespace cairn::v0 {
namespace {

template <class Archive> void archiveId(Archive& a, BodyId& body) {
  a(body.index);
  a(body.generation);
}

template <class Archive> void archiveAxis(Archive& a, JointAxis& axis) {
  a(axis.free);
  bool limited = axis.limits.has_value();
  a(limited);
  if (limited) {
    if (Archive::kReads) axis.limits.emplace();
    a((*axis.limits)[0]);
    a((*axis.limits)[1]);
  }
  a(axis.motor);
  a(axis.target);
  a(axis.maxForce);
  a(axis.stiffness);
  a(axis.damping);
  a(axis.rest);
  a(axis.friction);
}

// Without the name, which the slot has, and the bodies, which Joint has. Functions cannot be written down.
template <class Archive> void archiveDef(Archive& a, JointDef& def) {
  a(def.type);
  archive(a, def.frameA);
  archive(a, def.frameB);
  for (JointAxis& axis : def.axes) archiveAxis(a, axis);
  a(def.slides);
  a(def.minDistance);
  a(def.maxDistance);
  a(def.ratio);
  a(def.breakImpulse);
  a(def.collide);
}

constexpr size_t kLeastBytesOfJoint = 100;

}  // namespace

template <class Archive, class T> void JointSet::archive(Archive& a, const State<T>& bodies) {
  slots_.archive(a);
  archiveCount(a, joints_, kLeastBytesOfJoint);
  if constexpr (Archive::kReads) a.require(joints_.size() == static_cast<size_t>(slotCount()), "has arrays that do not fit together");
  for (int slot = 0; slot < slotCount(); ++slot) {
    Joint& joint = joints_[static_cast<size_t>(slot)];
    const std::string place = "joint '" + name(slot) + "'";
    if (!Archive::kReads && alive(slot) && joint.def.type == JointType::BlackBox) {
      throw InvalidInput(place, "cannot be saved: its projection is a function of the program's");
    }
    archiveDef(a, joint.def);
    archiveId(a, joint.bodyA);
    archiveId(a, joint.bodyB);
    a(joint.broken);
    if (!Archive::kReads || !alive(slot)) continue;
    validate(joint.def, place);
    requireJoinable(bodies, joint.bodyA, joint.bodyB, place);
  }
  if (Archive::kReads) ++revision_;
}

// The step's tiles, copied: a joint's fields do not depend on where they lie, which is not the same on each target.
template <class T> struct JointRows<T>::TilesOnHost {
  JointView<T> view;
  std::vector<T> fields;
  std::vector<int> offsets, rows, lanes;

  explicit TilesOnHost(JointRows& of)
      : view(of.tiles_.view()), fields(of.fields().download(of.queue_)), lanes(of.made_.laneOfJoint.download(of.queue_)) {
    const auto tiles = static_cast<size_t>(view.tileCount);
    offsets.resize(tiles);
    rows.resize(tiles);
    downloadBytes(of.queue_, offsets.data(), view.tileOffsets, tiles * sizeof(int));
    downloadBytes(of.queue_, rows.data(), view.tileRows, tiles * sizeof(int));
    view.fields = fields.data();
    view.tileOffsets = offsets.data();
    view.tileRows = rows.data();
  }
  // Calls `act` with each field of each joint that acts.
  template <class Act> void forFields(const JointRows& of, const Act& act) {
    for (const int slot : of.made_.live) {
      T* const first = jointLaneFields(view, lanes[static_cast<size_t>(slot)], view.strip);
      const int count = kJointFields + kAxisFields * of.made_.ranges[static_cast<size_t>(slot)].count;
      for (int f = 0; f < count; ++f) act(first[f * view.strip]);
    }
  }
};

template <class T> std::vector<T> JointRows<T>::keptRows() {
  std::vector<T> kept;
  TilesOnHost(*this).forFields(*this, [&](T field) { kept.push_back(field); });
  return kept;
}

template <class T> void JointRows<T>::putRowsBack() {
  TilesOnHost tiles(*this);
  const T* next = rowsOfSnapshot_.data();
  tiles.forFields(*this, [&](T& field) { field = *next++; });
  uploadBytes(queue_, fields().data(), tiles.fields.data(), tiles.fields.size() * sizeof(T));
}

template <class T> template <class Archive> void JointRows<T>::archive(Archive& a, long bodiesRevision) {
  for (RowRange& range : made_.ranges) a(range.acted);
  a.records(queue_, made_.impulses, made_.impulses.size());
  a.records(queue_, made_.rowImpulses, made_.rowImpulses.size());
  a.records(queue_, made_.phases, made_.phases.size());
  a.records(queue_, made_.reactions, made_.reactions.size());
  const bool kept = rowsServe(bodiesRevision);
  bool serves = kept || inertiasServe(bodiesRevision);
  a(serves);
  if (!serves) return;
  if constexpr (Archive::kReads) {
    a.records(rowsOfSnapshot_);
    size_t fields = 0;
    for (const int slot : made_.live) fields += static_cast<size_t>(kJointFields + kAxisFields * made_.ranges[static_cast<size_t>(slot)].count);
    a.require(rowsOfSnapshot_.size() == fields, "has rows of other joints");
    inertiasRevision_ = bodiesRevision;
  } else {
    a.records(kept ? keptRows() : rowsOfSnapshot_);
  }
}

template void JointRows<float>::putRowsBack();
template void JointRows<double>::putRowsBack();
template void JointSet::archive(SnapshotWriter&, const State<float>&);
template void JointSet::archive(SnapshotWriter&, const State<double>&);
template void JointSet::archive(SnapshotReader&, const State<float>&);
template void JointSet::archive(SnapshotReader&, const State<double>&);
template void JointRows<float>::archive(SnapshotWriter&, long);
template void JointRows<double>::archive(SnapshotWriter&, long);
template void JointRows<float>::archive(SnapshotReader&, long);
template void JointRows<double>::archive(SnapshotReader&, long);

}  // namespace cairn::v0
