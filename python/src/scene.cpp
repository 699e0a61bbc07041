#include "python/src/bindings.hpp"
#include "python/src/definitions.hpp"
#include "python/src/projection.hpp"

#include <limits>

namespace cairn::python {
namespace {

int addBody(Scene& scene, nb::handle body) {
  const std::string index = "body " + std::to_string(scene.bodies.size());
  BodyDef definition = toBodyDef(body, Place(index));
  validate(definition, definition.name.empty() ? index : "body '" + definition.name + "'");
  return scene.add(std::move(definition));
}

int addJoint(Scene& scene, int bodyA, int bodyB, nb::handle joint) {
  const std::string index = "joint " + std::to_string(scene.joints.size());
  JointDef definition = toJointDef(joint, Place(index));
  const std::string place = definition.name.empty() ? index : "joint '" + definition.name + "'";
  validate(definition, place);
  const long last = static_cast<long>(scene.bodies.size()) - 1;
  for (const auto& [name, body] : {std::pair("/body_a", bodyA), std::pair("/body_b", bodyB)}) {
    if (body < 0 || body > last) {
      throw InvalidInput(place + name, "must be a body's index from 0 to " + std::to_string(last) + ", is " + std::to_string(body));
    }
  }
  definition.bodyA = bodyA;
  definition.bodyB = bodyB;
  scene.joints.push_back(std::move(definition));
  return static_cast<int>(scene.joints.size()) - 1;
}

// The frames on both bodies of a joint at this world frame.
nb::tuple jointFrames(const Scene& scene, const std::string& type, int bodyA, int bodyB, nb::handle frame) {
  const JointDef joint = scene.joint(enumFromName<JointType>(type, "joint/type"), bodyA, bodyB, toPose(frame, Place("joint/frame")));
  return nb::make_tuple(toTuple(joint.frameA), toTuple(joint.frameB));
}

nb::list generators() {
  nb::list out;
  for (const SceneGenerator& generator : sceneGenerators()) {
    nb::list parameters;
    for (const SceneParameter& parameter : generator.parameters)
      parameters.append(nb::make_tuple(parameter.name, parameter.meaning, parameter.defaultValue, parameter.range));
    out.append(nb::make_tuple(generator.name, generator.summary, parameters));
  }
  return out;
}

Scene copied(const Scene& scene) {
  Scene copy = scene;
  for (JointDef& joint : copy.joints) takeApart(joint);
  return copy;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const JointDef& joint : nb::inst_ptr<Scene>(self)->joints) {
    const Projection* projection = joint.projection.target<Projection>();
    if (const int stop = projection == nullptr ? 0 : projection->traverse(visit, arg); stop != 0) return stop;
  }
  return 0;
}

int clear(PyObject* self) {
  for (JointDef& joint : nb::inst_ptr<Scene>(self)->joints) joint.projection = nullptr;
  return 0;
}

PyType_Slot kCollectable[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

void bindScene(nb::module_& module) {
  nb::class_<Scene>(module, "Scene", nb::type_slots(kCollectable))
      .def(nb::init<>())
      .def_static("load", &loadScene, nb::arg("name_or_path"), nb::call_guard<nb::gil_scoped_release>())
      .def_static("parse", &parseScene, nb::arg("json"), nb::arg("place"), nb::call_guard<nb::gil_scoped_release>())
      .def("to_json", &writeScene)
      .def("copy", &copied)
      .def("validate", [](const Scene& scene) { validate(scene); })
      .def("add_body", &addBody, nb::arg("body"))
      .def("add_joint", &addJoint, nb::arg("body_a"), nb::arg("body_b"), nb::arg("joint"))
      .def("joint_frames", &jointFrames, nb::arg("type"), nb::arg("body_a"), nb::arg("body_b"), nb::arg("frame"))
      .def_prop_rw(
          "name", [](const Scene& scene) { return scene.name; },
          [](Scene& scene, nb::object name) { scene.name = toText(name, Place("scene/name")); }, nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "gravity", [](const Scene& scene) { return toTuple(scene.gravity); },
          [](Scene& scene, nb::object gravity) { scene.gravity = toVector(gravity, Place("scene/gravity")); },
          nb::for_setter(nb::arg("value").none()))
      .def_prop_rw(
          "default_steps", [](const Scene& scene) { return scene.defaultSteps; },
          [](Scene& scene, nb::object steps) {
            scene.defaultSteps = static_cast<int>(toWhole(steps, Place("scene/default_steps"), 1, std::numeric_limits<int>::max()));
          },
          nb::for_setter(nb::arg("value").none()))
      .def_prop_ro("body_count", [](const Scene& scene) { return scene.bodies.size(); })
      .def_prop_ro("joint_count", [](const Scene& scene) { return scene.joints.size(); });
  module.def("scene_generators", &generators);
  module.attr("JOINT_AXES") = nb::make_tuple("x", "y", "z", "about_x", "about_y", "about_z");
}

}  // namespace cairn::python
