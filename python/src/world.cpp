#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/definitions.hpp"
#include "python/src/results.hpp"
#include "python/src/settings.hpp"
#include "python/src/shared_world.hpp"
#include "python/src/world_changes.hpp"
#include "python/src/world_environments.hpp"
#include "python/src/world_events.hpp"
#include "python/src/world_queries.hpp"

#include <cairn/reference.hpp>

#include <nanobind/operators.h>
#include <nanobind/stl/vector.h>

namespace cairn::python {
namespace {

using reference::AccelerationProblem;

template <class Id> void bindId(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Id>(module, name, doc)
      .def(
          "__init__",
          [](Id* out, int32_t index, uint32_t generation) {
            new (out) Id{index, generation};
          },
          nb::arg("index"), nb::arg("generation") = 0)
      .def_ro("index", &Id::index, "Slot; of a scene's bodies or joints their position in the scene. -1: none.")
      .def_ro("generation", &Id::generation, "How often the slot has been given to another one.")
      .def(
          "__eq__", [](Id a, Id b) { return a == b; }, nb::is_operator())
      .def(
          "__eq__", [](Id, nb::handle) { return false; }, nb::is_operator(), nb::arg("other").none())
      .def("__hash__", [](Id id) { return nb::hash(nb::make_tuple(id.index, id.generation)); })
      .def("__bool__", [](Id id) { return id.index >= 0; })
      .def("__repr__",
           [name = std::string(name)](Id id) { return name + "(" + std::to_string(id.index) + ", " + std::to_string(id.generation) + ")"; });
}

// --- steps -----------------------------------------------------------------------------------------------------

void step(SharedWorld& shared, nb::handle count) {
  const long steps = toWhole(count, Place("count"), 0, std::numeric_limits<int>::max());
  shared.use([&](World& world) {
    shared.giveBackKept();
    SignalWatch signals;
    for (long k = 0; k < steps; ++k) {
      world.step();
      signals.look();
    }
  });
}

long stepBy(SharedWorld& shared, nb::handle given) {
  const double seconds = toNumber(given, Place("seconds"));
  return shared.use([&](World& world) {
    const double dt = world.settings().dt;
    // Refused as a whole, before any of it is done.
    if (!(seconds >= 0 && seconds <= 1e9 * dt)) return static_cast<long>(world.stepBy(seconds));
    SignalWatch signals;
    long steps = 0;
    double left = seconds;
    for (; left > dt; left -= dt) {
      steps += world.stepBy(dt);
      signals.look();
    }
    return steps + world.stepBy(left);
  });
}

void bindSteps(nb::class_<SharedWorld>& world) {
  world
      .def(
          "__init__",
          [](SharedWorld* out, const Scene& scene, const nb::dict& settings, int environments, uintptr_t stream) {
            WorldSettings made;
            setFrom(settings, made);
            made.stream = reinterpret_cast<void*>(stream);
            new (out) SharedWorld(scene, made, environments);
          },
          nb::arg("scene"), nb::arg("settings"), nb::arg("environments"), nb::arg("stream"))
      .def("close", &SharedWorld::close)
      .def_prop_ro("closed", &SharedWorld::closed)
      .def("step", &step, nb::arg("count"))
      .def("step_by", &stepBy, nb::arg("seconds"))
      .def("wait", [](SharedWorld& shared) { shared.use([](World& w) { w.wait(); }); })
      .def_prop_ro("settings", [](SharedWorld& shared) { return toDict(shared.use([](World& w) { return WorldSettings(w.settings()); })); })
      .def_prop_ro("backend", [](SharedWorld& shared) { return nameOf(shared.use([](World& w) { return w.backend(); })); })
      .def_prop_ro("threads", [](SharedWorld& shared) { return shared.use([](World& w) { return w.threads(); }); })
      .def_prop_ro("device_name", [](SharedWorld& shared) { return shared.use([](World& w) { return w.deviceName(); }); });
}

// --- bodies and joints -----------------------------------------------------------------------------------------

void bindBodies(nb::class_<SharedWorld>& world) {
  world.def_prop_ro("body_count", [](SharedWorld& shared) { return shared.use([](World& w) { return w.bodyCount(); }); })
      .def("bodies", [](SharedWorld& shared) { return shared.use([](World& w) { return w.bodies(); }); })
      .def(
          "find_body", [](SharedWorld& shared, const std::string& name) { return shared.use([&](World& w) { return w.findBody(name); }); },
          nb::arg("name"))
      .def(
          "body_name", [](SharedWorld& shared, BodyId body) { return shared.use([&](World& w) { return w.bodyName(body); }); }, nb::arg("body"))
      .def(
          "add_body",
          [](SharedWorld& shared, nb::handle body) {
            const BodyDef definition = toBodyDef(body, Place("new body"));
            shared.requireUnlent(SharedWorld::kBodies, "add_body");
            return shared.use([&](World& w) { return w.addBody(definition); });
          },
          nb::arg("body"))
      .def(
          "remove_body", [](SharedWorld& shared, BodyId body) { shared.use([&](World& w) { w.removeBody(body); }); }, nb::arg("body"))
      .def(
          "state", [](SharedWorld& shared, BodyId body) { return toDict(shared.use([&](World& w) { return w.state(body); })); }, nb::arg("body"))
      .def("states", [](SharedWorld& shared) { return shared.use([](World& w) { return BodyStateArrays(w.bodies(), w.states()); }).release(); })
      .def(
          "set_pose",
          [](SharedWorld& shared, BodyId body, nb::handle position, nb::handle orientation) {
            const Posed pose{toFiniteVector(position, Place("position")), toQuaternion(orientation, Place("orientation"))};
            shared.use([&](World& w) { w.setPose(body, pose); });
          },
          nb::arg("body"), nb::arg("position"), nb::arg("orientation"))
      .def(
          "set_velocity",
          [](SharedWorld& shared, BodyId body, nb::handle linear, nb::handle angular) {
            const Vec3d v = toFiniteVector(linear, Place("linear")), w = toFiniteVector(angular, Place("angular"));
            shared.use([&](World& each) { each.setVelocity(body, v, w); });
          },
          nb::arg("body"), nb::arg("linear"), nb::arg("angular"))
      .def(
          "apply_force",
          [](SharedWorld& shared, BodyId body, nb::handle force, nb::handle torque) {
            const Vec3d f = toFiniteVector(force, Place("force")), t = toFiniteVector(torque, Place("torque"));
            shared.use([&](World& w) { w.applyForce(body, f, t); });
          },
          nb::arg("body"), nb::arg("force"), nb::arg("torque"));
}

void bindJoints(nb::class_<SharedWorld>& world) {
  world.def_prop_ro("joint_count", [](SharedWorld& shared) { return shared.use([](World& w) { return w.jointCount(); }); })
      .def("joints", [](SharedWorld& shared) { return shared.use([](World& w) { return w.joints(); }); })
      .def(
          "find_joint", [](SharedWorld& shared, const std::string& name) { return shared.use([&](World& w) { return w.findJoint(name); }); },
          nb::arg("name"))
      .def(
          "joint_name", [](SharedWorld& shared, JointId joint) { return shared.use([&](World& w) { return w.jointName(joint); }); }, nb::arg("joint"))
      .def(
          "add_joint",
          [](SharedWorld& shared, BodyId bodyA, BodyId bodyB, nb::handle joint) {
            shared.requireUnlent(SharedWorld::kJoints, "add_joint");
            return shared.addJoint(bodyA, bodyB, toJointDef(joint, Place("new joint")));
          },
          nb::arg("body_a"), nb::arg("body_b"), nb::arg("joint"))
      .def(
          "remove_joint",
          [](SharedWorld& shared, JointId joint) {
            shared.requireUnlent(SharedWorld::kJoints, "remove_joint");
            shared.use([&](World& w) { w.removeJoint(joint); });
          },
          nb::arg("joint"))
      .def(
          "joint_state",
          [](SharedWorld& shared, JointId joint) {
            return shared.use([&](World& w) { return JointStateArrays({joint}, {w.jointState(joint)}); }).release();
          },
          nb::arg("joint"))
      .def("joint_states",
           [](SharedWorld& shared) { return shared.use([](World& w) { return JointStateArrays(w.joints(), w.jointStates()); }).release(); })
      .def(
          "set_motor",
          [](SharedWorld& shared, JointId joint, int axis, const std::string& motor, nb::handle target, nb::handle maxForce) {
            const JointMotor kind = enumFromName<JointMotor>(motor, "motor");
            const double goal = toNumber(target, Place("target")), most = toNumber(maxForce, Place("max_force"));
            shared.use([&](World& w) { w.setMotor(joint, axis, kind, goal, most); });
          },
          nb::arg("joint"), nb::arg("axis"), nb::arg("motor"), nb::arg("target"), nb::arg("max_force"));
}

// --- results ---------------------------------------------------------------------------------------------------

void bindResults(nb::class_<SharedWorld>& world) {
  world.def("contacts", [](SharedWorld& shared) { return shared.use([](World& w) { return ContactArrays(w.contacts()); }).release(); })
      .def("report", [](SharedWorld& shared) { return toDict(shared.use([](World& w) { return w.report(); })); })
      .def("stage_times", [](SharedWorld& shared) { return toDict(shared.use([](World& w) { return w.stageTimes(); })); })
      .def("contact_levels", [](SharedWorld& shared) { return toArray(shared.use([](World& w) { return w.contactLevels(); })); })
      .def("contact_problem", [](SharedWorld& shared) { return shared.use([](World& w) { return w.contactProblem(); }); })
      .def(
          "acceleration_problem",
          [](SharedWorld& shared, double touching, double resting) {
            return shared.use([&](World& w) { return w.accelerationProblem(touching, resting); });
          },
          nb::arg("touching"), nb::arg("resting"))
      .def("state_hash", [](SharedWorld& shared) { return shared.use([](World& w) { return w.stateHash(); }); });
}

// --- garbage collection ----------------------------------------------------------------------------------------

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<SharedWorld>(self)->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
  nb::inst_ptr<SharedWorld>(self)->close();
  return 0;
}

PyType_Slot kCollectable[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

// (status, forces, accelerations, residual)
nb::tuple solveAccelerations(const AccelerationProblem& problem) {
  reference::AccelerationResult result;
  {
    const nb::gil_scoped_release release;
    reference::LcpSettings settings;
    SignalWatch signals;
    settings.progress = [&](long) {
      signals.look();
      return true;
    };
    result = reference::solveAccelerations(problem, settings);
  }
  return nb::make_tuple(reference::toString(result.status), toArray(result.forces), toArray(result.accelerations), result.residual);
}

}  // namespace

void bindWorld(nb::module_& module) {
  bindId<BodyId>(
      module, "BodyId",
      "Stable handle of a body: it stays valid, and is never given out again, when other bodies come and go. Good in its own World alone.");
  bindId<JointId>(module, "JointId", "Stable handle of a joint, as `BodyId` is of a body.");
  nb::class_<SharedWorld> world(module, "World", nb::type_slots(kCollectable));
  bindSteps(world);
  bindBodies(world);
  bindJoints(world);
  bindResults(world);
  bindChanges(world);
  bindEnvironments(world);
  bindArrays(module, world);
  bindQueries(world);
  bindEvents(world);
  nb::class_<AccelerationProblem>(module, "AccelerationProblem",
                                  "Bodies and contacts at the acceleration level, for `solve_accelerations`. Made by `World.acceleration_problem`.")
      .def_prop_ro(
          "body_count", [](const AccelerationProblem& problem) { return problem.bodies.size(); }, "Bodies, in the order of `World.bodies`.")
      .def_prop_ro(
          "contact_count", [](const AccelerationProblem& problem) { return problem.contacts.size(); }, "Contacts that touch.")
      .def_ro("approaching", &AccelerationProblem::approaching,
              "Contacts whose bodies approach: they need an impulse before forces mean anything, and are not among the others.");
  module.def("solve_accelerations", &solveAccelerations, nb::arg("problem"));
}

}  // namespace cairn::python
