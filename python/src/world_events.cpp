#include "python/src/world_events.hpp"

#include "python/src/results.hpp"

namespace cairn::python {
namespace {

// By event: the fields of ContactEvents in cairn/_events.py.
class EventArrays {
 public:
  explicit EventArrays(const std::vector<ContactEvent>& events)
      : pairs_(events.size()),
        phase_({events.size()}),
        hit_({events.size()}),
        impulse_({events.size()}),
        approachSpeed_({events.size()}),
        point_({events.size(), 3}),
        normal_({events.size(), 3}) {
    for (size_t i = 0; i < events.size(); ++i) {
      const ContactEvent& event = events[i];
      pairs_.put(i, event);
      phase_.data()[i] = static_cast<int32_t>(event.phase);
      hit_.data()[i] = event.hit;
      impulse_.data()[i] = event.impulse;
      approachSpeed_.data()[i] = event.approachSpeed;
      point_.setRow(i, event.point);
      normal_.setRow(i, event.normal);
    }
  }
  nb::dict release() {
    nb::dict out = pairs_.release();
    out["phase"] = phase_.release();
    out["hit"] = hit_.release();
    out["impulse"] = impulse_.release();
    out["approach_speed"] = approachSpeed_.release();
    out["point"] = point_.release();
    out["normal"] = normal_.release();
    return out;
  }

 private:
  PairArrays pairs_;
  OwnedArray<int32_t> phase_;
  OwnedArray<bool> hit_;
  OwnedArray<double> impulse_, approachSpeed_, point_, normal_;
};

// By overlap: the fields of SensorOverlaps.
class SensorArrays {
 public:
  explicit SensorArrays(const std::vector<SensorOverlap>& overlaps)
      : sensorBody_({overlaps.size()}),
        sensorGeneration_({overlaps.size()}),
        sensorShape_({overlaps.size()}),
        body_({overlaps.size()}),
        generation_({overlaps.size()}),
        shape_({overlaps.size()}) {
    for (size_t i = 0; i < overlaps.size(); ++i) {
      sensorBody_.data()[i] = overlaps[i].sensorBody.index;
      sensorGeneration_.data()[i] = overlaps[i].sensorBody.generation;
      sensorShape_.data()[i] = overlaps[i].sensorShape;
      body_.data()[i] = overlaps[i].body.index;
      generation_.data()[i] = overlaps[i].body.generation;
      shape_.data()[i] = overlaps[i].shape;
    }
  }
  nb::dict release() {
    nb::dict out;
    out["sensor_body"] = sensorBody_.release();
    out["sensor_generation"] = sensorGeneration_.release();
    out["sensor_shape"] = sensorShape_.release();
    out["body"] = body_.release();
    out["generation"] = generation_.release();
    out["shape"] = shape_.release();
    return out;
  }

 private:
  OwnedArray<int32_t> sensorBody_;
  OwnedArray<uint32_t> sensorGeneration_;
  OwnedArray<int32_t> sensorShape_, body_;
  OwnedArray<uint32_t> generation_;
  OwnedArray<int32_t> shape_;
};

}  // namespace

void bindEvents(nb::class_<SharedWorld>& world) {
  world.def("contact_events", [](SharedWorld& shared) { return shared.use([](World& w) { return EventArrays(w.contactEvents()); }).release(); })
      .def("sensor_overlaps", [](SharedWorld& shared) { return shared.use([](World& w) { return SensorArrays(w.sensorOverlaps()); }).release(); });
}

}  // namespace cairn::python
