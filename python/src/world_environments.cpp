#include "python/src/world_environments.hpp"

#include "python/src/convert.hpp"
#include "python/src/settings.hpp"

#include <cstring>

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
      .def(
          "reset_environments",
          [](SharedWorld& shared, const InputArray<uint8_t, 1>& mask) {
            const std::vector<unsigned char> chosen(mask.data(), mask.data() + mask.size());
            shared.use([&](World& w) { w.resetEnvironments(chosen); });
          },
          nb::arg("mask"))
      .def("environment_reports",
           [](SharedWorld& shared) { return shared.use([](World& w) { return ReportArrays(w.environmentReports()); }).release(); })
      .def(
          "state_hash_of", [](SharedWorld& shared, int environment) { return shared.use([&](World& w) { return w.stateHashOf(environment); }); },
          nb::arg("environment"));
}

}  // namespace cairn::python
