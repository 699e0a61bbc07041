// The part of a snapshot that bodies and shapes are.
#include "src/state/snapshot_bytes.hpp"
#include "src/state/state.hpp"

#include <algorithm>
#include <array>

namespace cairn::v0 {
namespace {

// Of one body: none less than none, and no more than it has shapes.
template <class Counts> bool soundCounts(const Counts& counts) {
  const auto within = [](int count, int most) { return count >= 0 && count <= most; };
  const std::array<int, 7> ofShapes{counts.bouncy, counts.rolling, counts.round, counts.ellipsoids, counts.revolved, counts.solids, counts.colliding};
  return within(counts.dynamicBodies, 1) && within(counts.damped, 1) &&
         std::all_of(ofShapes.begin(), ofShapes.end(), [&](int count) { return within(count, counts.shapes); });
}

}  // namespace

// What is found by its number is there: kernels do not look.
template <class T> void State<T>::checkLinks(const std::vector<ShapeRecord<T>>& shapes) const {
  // Each shape slot is free, or one body's.
  std::vector<int> owners(static_cast<size_t>(shapeSlots()), 0);
  shapeRanges_.forFree([&](int slot) { ++owners[static_cast<size_t>(slot)]; });
  bool sound = true;
  for (int slot = 0; slot < bodySlots(); ++slot) {
    const Body& body = bodies_[static_cast<size_t>(slot)];
    const int count = body.counts.shapes;
    sound = sound && body.firstShape >= 0 && count >= 0 && count <= shapeSlots() - body.firstShape && (count == 0 || alive(slot)) &&
            soundCounts(body.counts);
    for (int k = 0; sound && k < count; ++k) {
      const auto shape = static_cast<size_t>(body.firstShape + k);
      ++owners[shape];
      sound = shapes[shape].body == slot && shapes[shape].indexInBody == k && shapeOwners_[shape].index == k;
    }
  }
  sound = sound && std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; });
  for (size_t shape = 0; shape < shapes.size(); ++shape) {
    const ShapeRecord<T>& record = shapes[shape];
    const bool gone = record.body == -1, known = record.body >= 0 && record.body < bodySlots() && alive(record.body);
    const int type = record.type & ~kSensor;
    const bool hull = isHull(type) && type >= 0 && hullOf(type) > 0 && hullOf(type) < hulls_.count() && type == (kHull | hullOf(type) << kHullShift);
    const bool mesh = isMesh(type) && type >= 0 && meshOf(type) < meshes_.count() && !isSensor(record) &&
                      type == (kMesh | meshOf(type) << kMeshShift) && record.size.x == T(meshes_.inner(type)) &&
                      (record.size.x > T(0) || !(known && bodies_[static_cast<size_t>(record.body)].type == BodyType::Dynamic));
    const bool typed = hull || mesh || isRevolved(type) ||
                       (type >= 0 && type <= static_cast<int>(ShapeType::Ellipsoid) && (!isSensor(record) || type != kHalfSpace));
    sound = sound && (gone || (known && typed)) && shapeOwners_[shape].body == record.body;
  }
  SnapshotReader::require(sound, "has shapes without a body");
}

template <class T> template <class Archive> void State<T>::archive(Archive& a) {
  slots_.archive(a);
  shapeRanges_.archive(a);
  a.records(bodies_);
  a.records(shapeOwners_);
  a.records(shapePlaces_);
  const auto bodies = static_cast<size_t>(bodySlots()), shapes = static_cast<size_t>(shapeSlots());
  if constexpr (Archive::kReads) {
    a.require(shapeRanges_.sound() && bodies_.size() == bodies && shapeOwners_.size() == shapes && shapePlaces_.size() == shapes,
              "has arrays that do not fit together");
    reserve(bodies, shapes);
    resizeToSlots();
  }
  a.records(queue_, poses, bodies);
  a.records(queue_, remainders, bodies);
  a.records(queue_, velocities, bodies);
  a.records(queue_, inertias, bodies);
  a.records(queue_, constants, bodies);
  a.records(queue_, shapeRecords, shapes);
  a(forcesApplied_);
  if (forcesApplied_) a.records(queue_, forces_, bodies);
  hulls_.archive(a);
  meshes_.archive(a);
  if constexpr (Archive::kReads) {
    hulls_.upload(queue_);
    meshes_.upload(queue_);
    checkLinks(shapeRecords.download(queue_));
    for (const Body& body : bodies_) countBody(body, 1);
    listAllDamping();
    listAllRolling();
  }
}

template void State<float>::archive(SnapshotWriter&);
template void State<double>::archive(SnapshotWriter&);
template void State<float>::archive(SnapshotReader&);
template void State<double>::archive(SnapshotReader&);

}  // namespace cairn::v0
