#include "python/src/arrays.hpp"

#include "python/src/world_array.hpp"

namespace cairn::python {
namespace {

// Items of environments have an axis more in front.
struct Rows {
  size_t environments = 0, count = 0;
};

template <class T, int N> nb::object arrayOf(const nb::object& world, const Field<T, N>& field, const Rows& rows) {
  const auto size = static_cast<int64_t>(sizeof(T));
  const int64_t stride = field.stride / size, component = field.componentStride / size;
  WorldArray::Layout layout{{rows.count, static_cast<size_t>(N)}, {stride, component}, !std::is_const<T>::value};
  if (rows.environments > 0) {
    const size_t each = rows.count / rows.environments;
    layout.shape = {rows.environments, each, static_cast<size_t>(N)};
    layout.strides = {static_cast<int64_t>(each) * stride, stride, component};
  }
  return nb::cast(new WorldArray(world, field.data, std::move(layout)), nb::rv_policy::take_ownership);
}

// What `ask` gives, and how many rows it has.
template <class Ask> auto askFor(SharedWorld& shared, Rows& rows, const Ask& ask) {
  return shared.use([&](World& world) {
    const auto found = ask(world);
    rows = {static_cast<size_t>(world.environmentCount()), static_cast<size_t>(found.count)};
    return found;
  });
}

// Of BodyArrays or BodyInputs.
template <class Bodies> nb::dict statesOf(const nb::object& self, const Bodies& bodies, const Rows& rows) {
  nb::dict out;
  out["positions"] = arrayOf(self, bodies.position, rows);
  out["orientations"] = arrayOf(self, bodies.orientation, rows);
  out["linear_velocities"] = arrayOf(self, bodies.linearVelocity, rows);
  out["angular_velocities"] = arrayOf(self, bodies.angularVelocity, rows);
  return out;
}

template <class T> nb::dict bodyArrays(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const cairn::BodyArrays<T> bodies = askFor(shared, rows, [](World& world) { return world.arrays<T>().bodies; });
  nb::dict out = statesOf(self, bodies, rows);
  out["local_centres"] = arrayOf(self, bodies.localCentre, rows);
  return out;
}
template <class T> nb::dict bodyInputs(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const BodyInputs<T> bodies = askFor(shared, rows, [](World& world) { return world.writeBodies<T>(); });
  return statesOf(self, bodies, rows);
}
template <class T> nb::dict forceInputs(const nb::object& self, SharedWorld& shared) {
  Rows rows;
  const ForceInputs<T> forces = askFor(shared, rows, [](World& world) { return world.writeForces<T>(); });
  nb::dict out;
  out["forces"] = arrayOf(self, forces.force, rows);
  out["torques"] = arrayOf(self, forces.torque, rows);
  return out;
}

bool isWide(SharedWorld& shared) {
  return shared.use([](World& w) { return w.settings().precision == Precision::Double; });
}

}  // namespace

void bindArrays(nb::module_& module, nb::class_<SharedWorld>& world) {
  bindWorldArray(module);
  using World_ = nb::handle_t<SharedWorld>;
  world
      .def("body_arrays",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? bodyArrays<double>(nb::borrow(self), shared) : bodyArrays<float>(nb::borrow(self), shared);
           })
      .def("write_bodies",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? bodyInputs<double>(nb::borrow(self), shared) : bodyInputs<float>(nb::borrow(self), shared);
           })
      .def("write_forces",
           [](World_ self) {
             SharedWorld& shared = nb::cast<SharedWorld&>(self);
             return isWide(shared) ? forceInputs<double>(nb::borrow(self), shared) : forceInputs<float>(nb::borrow(self), shared);
           })
      .def("enqueue_step", [](SharedWorld& shared) { shared.use([](World& w) { w.enqueueStep(); }); })
      .def_prop_ro("arrays_version", [](SharedWorld& shared) { return shared.use([](World& w) { return w.arraysVersion(); }); });
}

}  // namespace cairn::python
