// Contact events and sensors, for the caller.
#include "src/world/simulation_of.hpp"

#include <algorithm>
#include <tuple>

namespace cairn::v0 {
namespace {

bool comesBefore(const ContactEvent& a, const ContactEvent& b) {
  return std::tie(a.bodyA.index, a.bodyB.index, a.shapeA, a.shapeB, a.bodyA.generation, a.bodyB.generation) <
         std::tie(b.bodyA.index, b.bodyB.index, b.shapeA, b.shapeB, b.bodyA.generation, b.bodyB.generation);
}

}  // namespace

// Those of the last step, with the ids that bodies have now: before a body goes, and its slot becomes another one's.
template <class T> void SimulationOf<T>::readEvents() const {
  if (eventsOf_ == steps_ || !last_.done) return;
  std::vector<ContactEvent> events;
  for (const ContactEventRecord<T>& record : contactEvents_.read(queue_)) {
    ContactEvent event{};
    event.bodyA = state_.idOf(record.pair.bodyA);
    event.bodyB = state_.idOf(record.pair.bodyB);
    event.shapeA = state_.shapeIndexInBody(record.pair.shapeA);
    event.shapeB = state_.shapeIndexInBody(record.pair.shapeB);
    event.phase = static_cast<ContactPhase>(record.phase);
    event.hit = record.hit != 0;
    event.impulse = double(record.impulse);
    event.approachSpeed = double(record.approachSpeed);
    event.point = convert<double>(record.point);
    event.normal = convert<double>(record.normal);
    events.push_back(event);
  }
  // Bodies that went before the step have ended theirs in it.
  if (endedAfter_ == steps_ - 1) {
    events.insert(events.end(), ended_.begin(), ended_.end());
    std::sort(events.begin(), events.end(), comesBefore);
  }
  eventsOnHost_ = std::move(events);
  eventsOf_ = steps_;
}

// A body is about to go. What it touches ends in the step to come, of which no list on the target knows its name.
template <class T> void SimulationOf<T>::endContactsOf(int slot) {
  readEvents();
  std::vector<ContactEvent> ended;
  if (endedAfter_ == steps_) ended = ended_;
  for (const TouchingPair& pair : contactEvents_.touching(queue_)) {
    if (pair.bodyA != slot && pair.bodyB != slot) continue;
    ContactEvent event{};
    event.bodyA = state_.idOf(pair.bodyA);
    event.bodyB = state_.idOf(pair.bodyB);
    event.shapeA = state_.shapeIndexInBody(pair.shapeA);
    event.shapeB = state_.shapeIndexInBody(pair.shapeB);
    event.phase = ContactPhase::End;
    ended.push_back(event);
  }
  contactEvents_.forgetBody(queue_, slot);
  ended_ = std::move(ended);
  endedAfter_ = steps_;
}

template <class T> std::vector<ContactEvent> SimulationOf<T>::contactEvents() const {
  if (!settings_.contactEvents) throw InvalidInput("contactEvents", "were not asked for: WorldSettings::contactEvents has them found");
  if (!last_.done) return {};
  readEvents();
  return eventsOnHost_;
}

template <class T> std::vector<SensorOverlap> SimulationOf<T>::sensorOverlaps() const {
  const std::vector<int> sensors = sensors_.list(queue_, scratch_, state_.shapeRecords.data(), state_.shapeSlots());
  if (sensors.empty()) return {};
  const QueryHits<Overlap> all = sensors_.overlaps(queue_, scratch_, castBodies(), static_cast<int>(sensors.size()), environments_.layout().shapes);
  std::vector<SensorOverlap> overlaps;
  overlaps.reserve(all.hits.size());
  for (size_t i = 0; i < sensors.size(); ++i) {
    const BodyId sensor = state_.idOf(state_.shapeOwner(sensors[i]));
    for (size_t k = all.offsets[i]; k < all.offsets[i + 1]; ++k) {
      const int shape = all.hits[k].shape;
      overlaps.push_back({sensor, state_.shapeIndexInBody(sensors[i]), state_.idOf(state_.shapeOwner(shape)), state_.shapeIndexInBody(shape)});
    }
  }
  std::sort(overlaps.begin(), overlaps.end(), [](const SensorOverlap& a, const SensorOverlap& b) {
    return std::tie(a.sensorBody.index, a.sensorShape, a.body.index, a.shape) < std::tie(b.sensorBody.index, b.sensorShape, b.body.index, b.shape);
  });
  return overlaps;
}

#define CAIRN_INSTANTIATE(T)                                                 \
  template void SimulationOf<T>::readEvents() const;                         \
  template void SimulationOf<T>::endContactsOf(int);                         \
  template std::vector<ContactEvent> SimulationOf<T>::contactEvents() const; \
  template std::vector<SensorOverlap> SimulationOf<T>::sensorOverlaps() const;
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
