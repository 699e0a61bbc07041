// The part of a snapshot that bodies and shapes are.
#include "src/state/snapshot_bytes.hpp"
#include "src/state/state.hpp"

namespace cairn {

// What is found by its number is there: kernels do not look.
template <class T> void State<T>::checkLinks(const std::vector<ShapeRecord<T>>& shapes) const {
  bool sound = true;
  for (int slot = 0; slot < bodySlots(); ++slot) {
    const Body& body = bodies_[static_cast<size_t>(slot)];
    sound = sound && body.firstShape >= 0 && body.counts.shapes >= 0 && body.counts.shapes <= shapeSlots() - body.firstShape;
  }
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    const ShapeRecord<T>& record = shapes[shape];
    const bool gone = record.body == -1, known = record.body >= 0 && record.body < bodySlots() && alive(record.body);
    const bool typed = record.type >= 0 && record.type <= static_cast<int>(ShapeType::HalfSpace);
    sound = sound && (gone || (known && typed)) && shapeOwners_[shape].body == record.body;
  }
  SnapshotReader::require(sound, "has shapes without a body");
}

template <class T> template <class Archive> void State<T>::archive(Archive& a) {
  slots_.archive(a);
  shapeRanges_.archive(a);
  a.records(bodies_);
  a.records(shapeOwners_);
  const auto bodies = static_cast<size_t>(bodySlots()), shapes = static_cast<size_t>(shapeSlots());
  if constexpr (Archive::kReads) {
    a.require(shapeSlots() >= 0 && bodies_.size() == bodies && shapeOwners_.size() == shapes, "has arrays that do not fit together");
    reserve(bodies, shapes);
    resizeToSlots();
  }
  a.records(queue_, poses, bodies);
  a.records(queue_, velocities, bodies);
  a.records(queue_, inertias, bodies);
  a.records(queue_, constants, bodies);
  a.records(queue_, shapeRecords, shapes);
  a(forcesApplied_);
  if (forcesApplied_) a.records(queue_, forces_, bodies);
  if constexpr (Archive::kReads) {
    checkLinks(shapeRecords.download(queue_));
    for (const Body& body : bodies_) counts_.add(body.counts, 1);
  }
}

template void State<float>::archive(SnapshotWriter&);
template void State<double>::archive(SnapshotWriter&);
template void State<float>::archive(SnapshotReader&);
template void State<double>::archive(SnapshotReader&);

}  // namespace cairn
