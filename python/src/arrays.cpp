#include "python/src/arrays.hpp"

#include "python/src/world_array.hpp"

#include <functional>

namespace cairn::python {
namespace {

using Memory = SharedWorld::Memory;

// A World whose arrays are asked for, in Python and here; what it was asked for is of this memory, and by environments it has an axis more in front.
class Lender {
 public:
  Lender(nb::handle self) : self_(nb::borrow(self)), shared_(nb::cast<SharedWorld&>(self)) {}

  bool isWide() const {
    return shared_.use([](World& w) { return w.settings().precision == Precision::Double; });
  }
  // What `ask` gives. The World is asked once the memory is lent: nobody moves it in between.
  template <class Ask> auto ask(std::initializer_list<Memory> memories, const Ask& ask) {
    return shared_.use([&](World& world) {
      for (const Memory memory : memories) leases_[memory] = shared_.lease(memory);
      environments_ = static_cast<size_t>(world.environmentCount());
      return ask(world);
    });
  }

  // Of `count` items, shaped by environment.
  template <class T, int N> nb::object items(Memory memory, const Field<T, N>& field, int count) const {
    WorldArray::Layout layout = rowsOf(field, count);
    if (environments_ > 0) {
      const size_t each = layout.shape[0] / environments_;
      layout.shape[0] = each;
      layout.shape.insert(layout.shape.begin(), environments_);
      layout.strides.insert(layout.strides.begin(), static_cast<int64_t>(each) * layout.strides[0]);
    }
    return make(memory, field.data, std::move(layout));
  }
  // One after the other, whichever environments they are of.
  template <class T, int N> nb::object rows(Memory memory, const Field<T, N>& field, int count) const {
    return make(memory, field.data, rowsOf(field, count));
  }
  // By item, and then by place: fields that lie at the same distances in each item.
  template <class T, int N, size_t places> nb::object rows(Memory memory, const std::array<Field<T, N>, places>& fields, int count) const {
    WorldArray::Layout layout = rowsOf(fields[0], count);
    layout.shape.insert(layout.shape.begin() + 1, places);
    layout.strides.insert(layout.strides.begin() + 1, count > 0 ? fields[1].data - fields[0].data : 0);
    return make(memory, fields[0].data, std::move(layout));
  }
  // Words, one after the other.
  nb::object words(Memory memory, const int* data, int count) const { return make(memory, data, {{static_cast<size_t>(count)}, {1}, false}); }

 private:
  template <class T, int N> static WorldArray::Layout rowsOf(const Field<T, N>& field, int count) {
    const auto size = static_cast<int64_t>(sizeof(T));
    WorldArray::Layout layout{{field ? static_cast<size_t>(count) : 0}, {field.stride / size}, !std::is_const<T>::value};
    if (N > 1) {
      layout.shape.push_back(N);
      layout.strides.push_back(field.componentStride / size);
    }
    return layout;
  }
  template <class T> nb::object make(Memory memory, T* data, WorldArray::Layout layout) const {
    return nb::cast(new WorldArray(self_, leases_[memory], data, std::move(layout)), nb::rv_policy::take_ownership);
  }

  nb::object self_;
  SharedWorld& shared_;
  size_t environments_ = 0;
  std::array<std::shared_ptr<SharedWorld::Lease>, SharedWorld::kMemories> leases_;
};

// Of BodyArrays or BodyInputs.
template <class Bodies> nb::dict statesOf(const Lender& lender, const Bodies& bodies) {
  const auto items = [&](const auto& field) { return lender.items(SharedWorld::kBodies, field, bodies.count); };
  nb::dict out;
  out["positions"] = items(bodies.position);
  out["orientations"] = items(bodies.orientation);
  out["linear_velocities"] = items(bodies.linearVelocity);
  out["angular_velocities"] = items(bodies.angularVelocity);
  return out;
}

template <class T> nb::dict contactsOf(const Lender& lender, const cairn::ContactArrays<T>& contacts) {
  constexpr Memory kMemory = SharedWorld::kContacts;
  const int room = contacts.bodies ? contacts.capacity : 0;
  const auto rows = [&](const auto& field) { return lender.rows(kMemory, field, room); };
  nb::dict out;
  out["count"] = lender.words(kMemory, contacts.count, 1);
  out["bodies"] = rows(contacts.bodies);
  out["points"] = rows(contacts.points);
  out["normal"] = rows(contacts.normal);
  out["friction"] = rows(contacts.friction);
  out["restitution"] = rows(contacts.restitution);
  out["arm_a"] = rows(contacts.armA);
  out["arm_b"] = rows(contacts.armB);
  out["separation"] = rows(contacts.separation);
  out["feature"] = rows(contacts.feature);
  out["impulse"] = rows(contacts.impulse);
  return out;
}

template <class T> nb::dict worldArrays(Lender& lender) {
  constexpr int kStatusWords = sizeof(EnqueuedStatus) / sizeof(int);
  const WorldArrays<T> arrays =
      lender.ask({SharedWorld::kBodies, SharedWorld::kJoints, SharedWorld::kContacts}, [](World& world) { return world.arrays<T>(); });
  nb::dict out = statesOf(lender, arrays.bodies);
  out["local_centres"] = lender.items(SharedWorld::kBodies, arrays.bodies.localCentre, arrays.bodies.count);
  nb::dict joints;
  joints["impulses"] = lender.items(SharedWorld::kJoints, arrays.joints.impulse, arrays.joints.count);
  joints["angular_impulses"] = lender.items(SharedWorld::kJoints, arrays.joints.angularImpulse, arrays.joints.count);
  joints["coordinates"] = lender.items(SharedWorld::kJoints, arrays.joints.coordinates, arrays.joints.count);
  out["joints"] = joints;
  out["contacts"] = contactsOf(lender, arrays.contacts);
  out["status"] = lender.words(SharedWorld::kContacts, reinterpret_cast<const int*>(arrays.status), kStatusWords);
  return out;
}
template <class T> nb::dict bodyInputs(Lender& lender) {
  return statesOf(lender, lender.ask({SharedWorld::kBodies}, [](World& world) { return world.writeBodies<T>(); }));
}
template <class T> nb::dict forceInputs(Lender& lender) {
  const ForceInputs<T> forces = lender.ask({SharedWorld::kBodies}, [](World& world) { return world.writeForces<T>(); });
  nb::dict out;
  out["forces"] = lender.items(SharedWorld::kBodies, forces.force, forces.count);
  out["torques"] = lender.items(SharedWorld::kBodies, forces.torque, forces.count);
  return out;
}
template <class T> nb::dict motorInputs(Lender& lender) {
  const MotorInputs<T> motors = lender.ask({SharedWorld::kJoints}, [](World& world) { return world.writeMotors<T>(); });
  nb::dict out;
  out["targets"] = lender.rows(SharedWorld::kJoints, motors.target, motors.count);
  out["max_forces"] = lender.rows(SharedWorld::kJoints, motors.maxForce, motors.count);
  return out;
}

// A method that gives a dict of arrays, in the World's precision.
template <nb::dict (*inFloat)(Lender&), nb::dict (*inDouble)(Lender&)> nb::dict lent(nb::handle_t<SharedWorld> self) {
  Lender lender(self);
  return lender.isWide() ? inDouble(lender) : inFloat(lender);
}

int toRoom(nb::handle value, const char* name) { return static_cast<int>(toWhole(value, Place(name), 0, 1 << 27)); }

}  // namespace

void bindArrays(nb::module_& module, nb::class_<SharedWorld>& world) {
  bindWorldArray(module);
  world.def("arrays", &lent<worldArrays<float>, worldArrays<double>>)
      .def("write_bodies", &lent<bodyInputs<float>, bodyInputs<double>>)
      .def("write_forces", &lent<forceInputs<float>, forceInputs<double>>)
      .def("write_motors", &lent<motorInputs<float>, motorInputs<double>>)
      .def(
          "motor_row", [](SharedWorld& shared, JointId joint, int axis) { return shared.use([&](World& w) { return w.motorRow(joint, axis); }); },
          nb::arg("joint"), nb::arg("axis"))
      .def("measure_joints", [](SharedWorld& shared) { shared.use([](World& w) { w.measureJoints(); }); })
      .def(
          "make_room",
          [](SharedWorld& shared, nb::handle pairs, nb::handle contacts, nb::handle fastShapes) {
            StepRoom room;
            room.pairs = toRoom(pairs, "pairs");
            room.contacts = toRoom(contacts, "contacts");
            room.fastShapes = toRoom(fastShapes, "fast_shapes");
            shared.use([&](World& w) { w.makeRoom(room); });
          },
          nb::arg("pairs"), nb::arg("contacts"), nb::arg("fast_shapes"))
      .def("enqueue_step", [](SharedWorld& shared) { shared.use([](World& w) { w.enqueueStep(); }); })
      .def_prop_ro("arrays_version", [](SharedWorld& shared) { return shared.use([](World& w) { return w.arraysVersion(); }); });
}

}  // namespace cairn::python
