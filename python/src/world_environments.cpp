#include "python/src/world_environments.hpp"

#include "python/src/foreign_array.hpp"

#include <utility>

namespace cairn::python {
namespace {

// By environment: the fields of EnvironmentReports.
class ReportArrays {
 public:
  explicit ReportArrays(const std::vector<EnvironmentReport>& reports)
      : kinetic_({reports.size()}),
        potential_({reports.size()}),
        speed_({reports.size()}),
        points_({reports.size()}),
        penetration_({reports.size()}),
        residual_({reports.size()}) {
    for (size_t i = 0; i < reports.size(); ++i) {
      kinetic_.data()[i] = reports[i].kineticEnergy;
      potential_.data()[i] = reports[i].potentialEnergy;
      speed_.data()[i] = reports[i].maxSpeed;
      points_.data()[i] = reports[i].contactPoints;
      penetration_.data()[i] = reports[i].penetrationMax;
      residual_.data()[i] = reports[i].residualMax;
    }
  }
  nb::dict release() {
    nb::dict out;
    out["kinetic_energy"] = kinetic_.release();
    out["potential_energy"] = potential_.release();
    out["max_speed"] = speed_.release();
    out["contact_points"] = points_.release();
    out["penetration_max"] = penetration_.release();
    out["residual_max"] = residual_.release();
    return out;
  }

 private:
  OwnedArray<double> kinetic_, potential_, speed_;
  OwnedArray<int32_t> points_;
  OwnedArray<double> penetration_, residual_;
};

// A mask of bytes, on the host or where the World runs.
class GivenMask {
 public:
  GivenMask(SharedWorld& shared, nb::handle given)
      : count_(shared.use([](World& w) { return w.environmentCount(); })),
        stream_(shared.use([](World& w) { return w.settings().stream; })),
        onDevice_(shared.device() >= 0 && ForeignArray::isOnDevice(given)),
        array_(given, "mask", {onDevice_, shared.device(), reinterpret_cast<uintptr_t>(stream_)}) {
    if (!array_.isElement('b', 1) && !array_.isElement('u', 1)) array_.refuseElement("bool or uint8");
    if (array_.axes() != 1) array_.requireShape({count_});
  }

  bool onDevice() const { return onDevice_; }
  void requireCount() const { array_.requireShape({count_}); }
  [[noreturn]] void refuse(const char* why) const { array_.refuse(why); }
  std::vector<unsigned char> onHost() const {
    std::vector<unsigned char> chosen(static_cast<size_t>(array_.size(0)));
    for (size_t k = 0; k < chosen.size(); ++k) chosen[k] = static_cast<unsigned char>(array_.data()[static_cast<int64_t>(k) * array_.stride(0)]);
    return chosen;
  }
  const unsigned char* onTarget() const {
    requireCount();
    if (!array_.contiguous()) array_.refuse("must be contiguous");
    if (stream_ == nullptr) refuse("must be in the host's memory: this World's stream is its own, and knows nothing of arrays that others compute");
    return reinterpret_cast<const unsigned char*>(array_.data());
  }

 private:
  int count_;
  void* stream_;
  bool onDevice_;
  ForeignArray array_;
};

void resetEnvironments(SharedWorld& shared, nb::handle given) {
  const GivenMask mask(shared, given);
  if (mask.onDevice()) {
    const unsigned char* const address = mask.onTarget();
    return shared.use([&](World& w) { w.resetEnvironmentsOnTarget(address); });
  }
  const std::vector<unsigned char> chosen = mask.onHost();
  shared.use([&](World& w) { w.resetEnvironments(chosen); });
}

void enqueueReset(SharedWorld& shared, nb::handle given) {
  shared.use([](World& w) { w.gravityOf(0); });  // throws where there are no environments
  const GivenMask mask(shared, given);
  if (shared.device() >= 0) {
    if (!mask.onDevice()) mask.refuse("must be on the World's device: reset_environments takes one of the host's");
    const unsigned char* const address = mask.onTarget();
    return shared.use([&](World& w) { w.enqueueReset(address); });
  }
  mask.requireCount();
  const std::vector<unsigned char> chosen = mask.onHost();
  shared.use([&](World& w) { w.enqueueReset(chosen.data()); });
}

class GravityArray {
 public:
  explicit GravityArray(const World& world) : values_({static_cast<size_t>(world.environmentCount()), 3}) {
    world.gravityOf(0);  // throws where there are no environments
    for (int k = 0; k < world.environmentCount(); ++k) values_.setRow(static_cast<size_t>(k), world.gravityOf(k));
  }
  OutputArray<double> release() { return values_.release(); }

 private:
  OwnedArray<double> values_;
};

}  // namespace

void bindEnvironments(nb::class_<SharedWorld>& world) {
  world.def_prop_ro("environment_count", [](SharedWorld& shared) { return shared.use([](World& w) { return w.environmentCount(); }); })
      .def(
          "body_of", [](SharedWorld& shared, int environment, int body) { return shared.use([&](World& w) { return w.bodyOf(environment, body); }); },
          nb::arg("environment"), nb::arg("body"))
      .def(
          "environment_of", [](SharedWorld& shared, BodyId body) { return shared.use([&](World& w) { return w.environmentOf(body); }); },
          nb::arg("body"))
      .def("gravities", [](SharedWorld& shared) { return shared.use([](World& w) { return GravityArray(w); }).release(); })
      .def(
          "set_gravity_of",
          [](SharedWorld& shared, int environment, nb::handle gravity) {
            const Vec3d g = toVector(gravity, Place("gravity"));
            shared.use([&](World& w) { w.setGravityOf(environment, g); });
          },
          nb::arg("environment"), nb::arg("gravity"))
      .def("reset_environments", &resetEnvironments, nb::arg("mask"))
      .def("enqueue_reset", &enqueueReset, nb::arg("mask"))
      .def("environment_reports",
           [](SharedWorld& shared) { return shared.use([](World& w) { return ReportArrays(w.environmentReports()); }).release(); })
      .def(
          "state_hash_of", [](SharedWorld& shared, int environment) { return shared.use([&](World& w) { return w.stateHashOf(environment); }); },
          nb::arg("environment"));
}

}  // namespace cairn::python
