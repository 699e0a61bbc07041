#include "python/src/world_changes.hpp"

#include "python/src/convert.hpp"
#include "python/src/settings.hpp"

#include <nanobind/stl/vector.h>

#include <cstring>

namespace cairn::python {
namespace {

using Rows = InputArray<double, 2>;

Vec3d rowOf(const Rows& rows, size_t i) {
  const double* const row = rows.data() + 3 * i;
  return {row[0], row[1], row[2]};
}
std::vector<Vec3d> vectorsOf(const Rows& rows) {
  std::vector<Vec3d> vectors(rows.shape(0));
  for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = rowOf(rows, i);
  return vectors;
}
std::vector<Posed> posesOf(const Rows& positions, const Rows& orientations) {
  std::vector<Posed> poses(positions.shape(0));
  for (size_t i = 0; i < poses.size(); ++i) {
    const double* const q = orientations.data() + 4 * i;
    poses[i] = {rowOf(positions, i), {q[0], q[1], q[2], q[3]}};
  }
  return poses;
}

void bindMany(nb::class_<SharedWorld>& world) {
  world
      .def(
          "set_poses",
          [](SharedWorld& shared, const std::vector<BodyId>& bodies, const Rows& positions, const Rows& orientations) {
            shared.use([&](World& w) { w.setPoses(bodies, posesOf(positions, orientations)); });
          },
          nb::arg("bodies"), nb::arg("positions"), nb::arg("orientations"))
      .def(
          "set_velocities",
          [](SharedWorld& shared, const std::vector<BodyId>& bodies, const Rows& linear, const Rows& angular) {
            shared.use([&](World& w) { w.setVelocities(bodies, vectorsOf(linear), vectorsOf(angular)); });
          },
          nb::arg("bodies"), nb::arg("linear"), nb::arg("angular"))
      .def(
          "apply_forces",
          [](SharedWorld& shared, const std::vector<BodyId>& bodies, const Rows& forces, const Rows& torques) {
            shared.use([&](World& w) { w.applyForces(bodies, vectorsOf(forces), vectorsOf(torques)); });
          },
          nb::arg("bodies"), nb::arg("forces"), nb::arg("torques"))
      .def(
          "apply_force_at",
          [](SharedWorld& shared, BodyId body, nb::handle force, nb::handle point) {
            const Vec3d f = toFiniteVector(force, Place("force")), p = toFiniteVector(point, Place("point"));
            shared.use([&](World& w) { w.applyForceAt(body, f, p); });
          },
          nb::arg("body"), nb::arg("force"), nb::arg("point"))
      .def(
          "apply_impulse",
          [](SharedWorld& shared, BodyId body, nb::handle impulse, nb::handle angular) {
            const Vec3d p = toFiniteVector(impulse, Place("impulse")), l = toFiniteVector(angular, Place("angular"));
            shared.use([&](World& w) { w.applyImpulse(body, p, l); });
          },
          nb::arg("body"), nb::arg("impulse"), nb::arg("angular"))
      .def(
          "apply_impulse_at",
          [](SharedWorld& shared, BodyId body, nb::handle impulse, nb::handle point) {
            const Vec3d i = toFiniteVector(impulse, Place("impulse")), p = toFiniteVector(point, Place("point"));
            shared.use([&](World& w) { w.applyImpulseAt(body, i, p); });
          },
          nb::arg("body"), nb::arg("impulse"), nb::arg("point"));
}

void bindMakeup(nb::class_<SharedWorld>& world) {
  world
      .def(
          "set_material",
          [](SharedWorld& shared, BodyId body, int shape, nb::handle friction, nb::handle restitution, nb::handle torsional, nb::handle rolling) {
            const Material material{toNumber(friction, Place("friction")), toNumber(restitution, Place("restitution")),
                                    toNumber(torsional, Place("torsional_friction")), toNumber(rolling, Place("rolling_friction"))};
            shared.use([&](World& w) { w.setMaterial(body, shape, material); });
          },
          nb::arg("body"), nb::arg("shape"), nb::arg("friction"), nb::arg("restitution"), nb::arg("torsional_friction"), nb::arg("rolling_friction"))
      .def(
          "set_filter",
          [](SharedWorld& shared, BodyId body, int shape, nb::handle category, nb::handle mask, nb::handle group) {
            constexpr long kMost = std::numeric_limits<uint32_t>::max();
            const CollisionFilter filter{
                static_cast<uint32_t>(toWhole(category, Place("category"), 0, kMost)), static_cast<uint32_t>(toWhole(mask, Place("mask"), 0, kMost)),
                static_cast<int32_t>(toWhole(group, Place("group"), std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()))};
            shared.use([&](World& w) { w.setFilter(body, shape, filter); });
          },
          nb::arg("body"), nb::arg("shape"), nb::arg("category"), nb::arg("mask"), nb::arg("group"))
      .def(
          "set_gravity_scale",
          [](SharedWorld& shared, BodyId body, nb::handle scale) {
            const double factor = toNumber(scale, Place("scale"));
            shared.use([&](World& w) { w.setGravityScale(body, factor); });
          },
          nb::arg("body"), nb::arg("scale"))
      .def(
          "set_mass",
          [](SharedWorld& shared, BodyId body, nb::handle mass) {
            const double kilograms = toNumber(mass, Place("mass"));
            shared.use([&](World& w) { w.setMass(body, kilograms); });
          },
          nb::arg("body"), nb::arg("mass"))
      .def(
          "set_inertia",
          [](SharedWorld& shared, BodyId body, nb::handle inertia) {
            const Sym3<double> moments = toInertia(inertia, Place("inertia"));
            shared.use([&](World& w) { w.setInertia(body, moments); });
          },
          nb::arg("body"), nb::arg("inertia"))
      .def(
          "set_centre_of_mass",
          [](SharedWorld& shared, BodyId body, nb::handle centre) {
            const Vec3d place = toVector(centre, Place("centre"));
            shared.use([&](World& w) { w.setCentreOfMass(body, place); });
          },
          nb::arg("body"), nb::arg("centre"))
      .def(
          "set_damping",
          [](SharedWorld& shared, BodyId body, nb::handle linear, nb::handle angular) {
            const double v = toNumber(linear, Place("linear")), w = toNumber(angular, Place("angular"));
            shared.use([&](World& each) { each.setDamping(body, v, w); });
          },
          nb::arg("body"), nb::arg("linear"), nb::arg("angular"))
      .def(
          "set_type",
          [](SharedWorld& shared, BodyId body, nb::handle type) {
            const BodyType chosen = toChoice<BodyType>(type, Place("type"));
            shared.use([&](World& w) { w.setType(body, chosen); });
          },
          nb::arg("body"), nb::arg("type"))
      .def(
          "body_type", [](SharedWorld& shared, BodyId body) { return std::string(nameOf(shared.use([&](World& w) { return w.type(body); }))); },
          nb::arg("body"))
      .def("gravity", [](SharedWorld& shared) { return toTuple(shared.use([](World& w) { return w.gravity(); })); })
      .def(
          "set_gravity",
          [](SharedWorld& shared, nb::handle gravity) {
            const Vec3d g = toVector(gravity, Place("gravity"));
            shared.use([&](World& w) { w.setGravity(g); });
          },
          nb::arg("gravity"))
      .def(
          "set_time_step",
          [](SharedWorld& shared, nb::handle dt) {
            const double seconds = toNumber(dt, Place("dt"));
            shared.use([&](World& w) { w.setTimeStep(seconds); });
          },
          nb::arg("dt"))
      .def(
          "set_limits",
          [](SharedWorld& shared, JointId joint, int axis, bool any, nb::handle low, nb::handle high) {
            std::optional<std::array<double, 2>> limits;
            if (any) limits = {toNumber(low, Place("low")), toNumber(high, Place("high"))};
            shared.use([&](World& w) { w.setLimits(joint, axis, limits); });
          },
          nb::arg("joint"), nb::arg("axis"), nb::arg("any"), nb::arg("low"), nb::arg("high"))
      .def("asleep", [](SharedWorld& shared) { return toArray(shared.use([](World& w) { return w.asleep(); })); })
      .def(
          "wake", [](SharedWorld& shared, BodyId body) { shared.use([&](World& w) { w.wake(body); }); }, nb::arg("body"))
      .def(
          "user_data", [](SharedWorld& shared, BodyId body) { return shared.use([&](World& w) { return w.userData(body); }); }, nb::arg("body"))
      .def(
          "set_user_data", [](SharedWorld& shared, BodyId body, uint64_t data) { shared.use([&](World& w) { w.setUserData(body, data); }); },
          nb::arg("body"), nb::arg("data"));
}

void bindSnapshots(nb::class_<SharedWorld>& world) {
  world
      .def("save",
           [](SharedWorld& shared) {
             const Snapshot snapshot = shared.use([](World& w) { return w.save(); });
             return nb::bytes(snapshot.bytes.data(), snapshot.bytes.size());
           })
      .def_static(
          "resume",
          [](const nb::bytes& snapshot, const nb::dict& settings) {
            WorldSettings execution;
            setFrom(settings, execution);
            Snapshot own;
            own.bytes.resize(snapshot.size());
            if (snapshot.size() > 0) std::memcpy(own.bytes.data(), snapshot.c_str(), snapshot.size());
            return new SharedWorld(own, execution);
          },
          nb::arg("snapshot"), nb::arg("settings"), nb::rv_policy::take_ownership);
}

}  // namespace

void bindChanges(nb::class_<SharedWorld>& world) {
  bindMany(world);
  bindMakeup(world);
  bindSnapshots(world);
}

}  // namespace cairn::python
