#include "python/src/definitions.hpp"

#include "python/src/projection.hpp"

#include <cairn/height_field.hpp>

#include <limits>

namespace cairn::python {
namespace {

// Fields of one record.
class Fields {
 public:
  Fields(nb::handle record, const Place& place) : record_(record), place_(place) {}

  nb::object get(const char* name) const { return nb::object(record_.attr(name)); }
  Place at(const char* name) const { return {place_, name}; }
  double number(const char* name) const { return toNumber(get(name), at(name)); }
  bool boolean(const char* name) const { return toBoolean(get(name), at(name)); }
  std::string text(const char* name) const { return toText(get(name), at(name)); }
  Vec3d vector(const char* name) const { return toVector(get(name), at(name)); }
  Quatd quaternion(const char* name) const { return toQuaternion(get(name), at(name)); }
  Posed pose(const char* name) const { return toPose(get(name), at(name)); }
  template <class Int> Int whole(const char* name) const {
    return static_cast<Int>(toWhole(get(name), at(name), std::numeric_limits<Int>::min(), std::numeric_limits<Int>::max()));
  }
  template <class Enum> Enum choice(const char* name) const { return toChoice<Enum>(get(name), at(name)); }
  std::array<bool, 3> switches(const char* name) const {
    const nb::object value = get(name);
    const Place place = at(name);
    if (PySequence_Check(value.ptr()) == 0 || nb::len(value) != 3) place.refuse("three times True or False", value);
    std::array<bool, 3> out;
    for (size_t i = 0; i < 3; ++i) out[i] = toBoolean(nb::object(value[i]), Place(place, static_cast<long>(i)));
    return out;
  }
  // Calls `work` with each item and its place.
  template <class Work> void each(const char* name, const char* allowed, const Work& work) const {
    const nb::object value = get(name);
    const Place place = at(name);
    if (nb::isinstance<nb::str>(value) || PySequence_Check(value.ptr()) == 0) place.refuse(allowed, value);
    long i = 0;
    for (const nb::handle item : value) work(item, Place(place, i++));
  }

 private:
  nb::handle record_;
  const Place& place_;
};

void requireRecord(nb::handle record, const char* type, const Place& place) {
  if (!nb::isinstance(record, nb::module_::import_("cairn._scene").attr(type))) place.refuse(std::string("a ") + type, record);
}

JointAxis toJointAxis(nb::handle record, const Place& place) {
  requireRecord(record, "JointAxis", place);
  const Fields fields(record, place);
  JointAxis axis;
  axis.free = fields.boolean("free");
  if (const nb::object limits = fields.get("limits"); !limits.is_none()) {
    const Place at = fields.at("limits");
    if (PySequence_Check(limits.ptr()) == 0 || nb::len(limits) != 2) at.refuse("two numbers (low, high)", limits);
    axis.limits = {toNumber(nb::object(limits[0]), Place(at, 0L)), toNumber(nb::object(limits[1]), Place(at, 1L))};
  }
  axis.motor = fields.choice<JointMotor>("motor");
  axis.target = fields.number("target");
  axis.maxForce = fields.number("max_force");
  axis.stiffness = fields.number("stiffness");
  axis.damping = fields.number("damping");
  axis.rest = fields.number("rest");
  axis.friction = fields.number("friction");
  return axis;
}

HeightField toHeightField(const Fields& fields) {
  HeightField field;
  field.spacing = toPair(fields.get("spacing"), fields.at("spacing"));
  InputArray<double, 2> heights;
  if (!nb::try_cast(fields.get("heights"), heights, false))
    fields.at("heights").refuse("an array of float64 of shape (rows, columns)", fields.get("heights"));
  constexpr size_t kMost = std::numeric_limits<int>::max();
  if (heights.shape(0) > kMost || heights.shape(1) > kMost) throw InvalidInput(fields.at("heights").text(), "has too many rows or columns");
  field.rows = static_cast<int>(heights.shape(0));
  field.columns = static_cast<int>(heights.shape(1));
  field.heights.assign(heights.data(), heights.data() + heights.shape(0) * heights.shape(1));
  return field;
}

}  // namespace

// One mesh for all shapes that have the same object, which never changes: what is made of it, a field for one, is made once.
std::shared_ptr<const TriangleMesh> sharedMesh(const nb::object& surface) {
  using Shared = std::shared_ptr<const TriangleMesh>;
  constexpr const char* kKept = "_shared";
  if (!nb::hasattr(surface, kKept)) {
    TriangleMesh mesh = toMesh(nb::cast<MeshVertices>(surface.attr("vertices")), nb::cast<MeshTriangles>(surface.attr("triangles")));
    auto* const kept = new Shared(std::make_shared<const TriangleMesh>(std::move(mesh)));
    surface.attr(kKept) = nb::capsule(kept, [](void* pointer) noexcept { delete static_cast<Shared*>(pointer); });
  }
  return *static_cast<const Shared*>(nb::cast<nb::capsule>(surface.attr(kKept)).data());
}

ShapeDef toShapeDef(nb::handle record, const Place& place) {
  requireRecord(record, "ShapeDef", place);
  const Fields fields(record, place);
  ShapeDef shape;
  shape.type = fields.choice<ShapeType>("type");
  if (shape.type == ShapeType::Hull) {
    std::vector<Vec3d> points;
    fields.each("points", "a sequence of points", [&](nb::handle point, const Place& at) { points.push_back(toVector(point, at)); });
    shape = ShapeDef::hull(std::move(points), fields.whole<int>("max_vertices"));
  }
  if (shape.type == ShapeType::Mesh) {
    const nb::object surface = fields.get("surface");
    const Place at = fields.at("surface");
    if (!nb::isinstance(surface, nb::module_::import_("cairn._mesh").attr("Mesh"))) at.refuse("a Mesh", surface);
    shape = ShapeDef::mesh(sharedMesh(surface), fields.boolean("two_sided"));
    shape.solid = fields.boolean("solid");
    shape.cell = fields.number("cell");
  }
  if (shape.type == ShapeType::HeightField) shape = ShapeDef::heightField(toHeightField(fields));
  shape.localPose = {fields.vector("position"), fields.quaternion("orientation")};
  shape.halfExtents = fields.vector(shape.type == ShapeType::Ellipsoid ? "semi_axes" : "half_extents");
  shape.radius = fields.number("radius");
  shape.halfHeight = fields.number("half_height");
  shape.density = fields.number("density");
  shape.material = {fields.number("friction"), fields.number("restitution"), fields.number("torsional_friction"), fields.number("rolling_friction")};
  shape.filter = {fields.whole<uint32_t>("category"), fields.whole<uint32_t>("mask"), fields.whole<int32_t>("group")};
  shape.sensor = fields.boolean("sensor");
  return shape;
}

BodyDef toBodyDef(nb::handle record, const Place& place) {
  requireRecord(record, "BodyDef", place);
  const Fields fields(record, place);
  BodyDef body;
  body.name = fields.text("name");
  body.type = fields.choice<BodyType>("type");
  body.pose = {fields.vector("position"), fields.quaternion("orientation")};
  body.linearVelocity = fields.vector("linear_velocity");
  body.angularVelocity = fields.vector("angular_velocity");
  fields.each("shapes", "a sequence of ShapeDef", [&](nb::handle shape, const Place& at) { body.shapes.push_back(toShapeDef(shape, at)); });
  if (!fields.get("mass").is_none()) body.mass = fields.number("mass");
  if (const nb::object inertia = fields.get("inertia"); !inertia.is_none()) body.inertia = toInertia(inertia, fields.at("inertia"));
  if (!fields.get("centre_of_mass").is_none()) body.centreOfMass = fields.vector("centre_of_mass");
  body.linearDamping = fields.number("linear_damping");
  body.angularDamping = fields.number("angular_damping");
  body.gravityScale = fields.number("gravity_scale");
  body.lockTranslation = fields.switches("lock_translation");
  body.lockRotation = fields.switches("lock_rotation");
  return body;
}

JointDef toJointDef(nb::handle record, const Place& place) {
  requireRecord(record, "JointDef", place);
  const Fields fields(record, place);
  JointDef joint;
  joint.name = fields.text("name");
  joint.type = fields.choice<JointType>("type");
  joint.frameA = fields.pose("frame_a");
  joint.frameB = fields.pose("frame_b");
  const nb::object axes = fields.get("axes");
  const Place axesPlace = fields.at("axes");
  if (!nb::isinstance<nb::dict>(axes)) axesPlace.refuse("a dict of JointAxis", axes);
  for (const auto [key, axis] : nb::cast<nb::dict>(axes)) {
    const std::string name = toText(key, axesPlace);
    const auto found = std::find(std::begin(kJointAxisKeys), std::end(kJointAxisKeys), name);
    if (found == std::end(kJointAxisKeys)) throw InvalidInput(axesPlace.text() + "/" + name, "is none of x, y, z, about_x, about_y, about_z");
    joint.axes[static_cast<size_t>(found - std::begin(kJointAxisKeys))] = toJointAxis(axis, Place(axesPlace, name));
  }
  joint.slides = fields.whole<int>("slides");
  joint.minDistance = fields.number("min_distance");
  joint.maxDistance = fields.number("max_distance");
  joint.ratio = fields.number("ratio");
  joint.breakImpulse = fields.number("break_impulse");
  joint.collide = fields.boolean("collide");
  if (nb::object projection = fields.get("projection"); !projection.is_none()) {
    if (PyCallable_Check(projection.ptr()) == 0) fields.at("projection").refuse("a function", projection);
    joint.projection = Projection(std::move(projection));
  }
  return joint;
}

}  // namespace cairn::python
