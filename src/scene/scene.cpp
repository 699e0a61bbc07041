// Shapes, mass properties, and the rules that a scene must keep.
#include <cairn/error.hpp>
#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include "src/mesh/solid_mesh.hpp"
#include "src/scene/convex_hull.hpp"
#include "src/scene/flat_triangle.hpp"
#include "src/scene/inertia_checks.hpp"
#include "src/scene/scene_checks.hpp"
#include "src/scene/surface.hpp"
#include "src/scene/text.hpp"

#include <cmath>
#include <string_view>
#include <unordered_set>

namespace cairn::v0 {
namespace {

// --- mass ------------------------------------------------------------------------------------------------------

struct ShapeMass {
  double mass;
  Vec3d inertia;            // about the shape's centre, along its axes: most shapes with mass are symmetric about their own planes
  Vec3d products{0, 0, 0};  // xy, xz, yz, with the signs of the matrix
  Vec3d centre{0, 0, 0};    // in the shape's frame

  Sym3<double> tensor() const { return {inertia.x, inertia.y, inertia.z, products.x, products.y, products.z}; }
};

ShapeMass shapeMass(const ShapeDef& shape) {
  if (shape.sensor) return {0, {0, 0, 0}};
  const double r = shape.radius;
  switch (shape.type) {
    case ShapeType::Sphere: {
      const double mass = shape.density * (4.0 / 3 * kPi) * r * r * r;
      const double i = 0.4 * mass * r * r;
      return {mass, {i, i, i}};
    }
    case ShapeType::Capsule: {
      const double h = shape.halfHeight;
      const double cylinder = shape.density * kPi * r * r * (2 * h);
      const double caps = shape.density * (4.0 / 3 * kPi) * r * r * r;
      const double along = cylinder * (0.5 * r * r) + caps * (0.4 * r * r);
      // A half ball's centroid is 3/8 r from its flat face, which is h from the middle.
      const double across = cylinder * (0.25 * r * r + h * h / 3) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
      return {cylinder + caps, {across, along, across}};
    }
    case ShapeType::Box: {
      const Vec3d h = shape.halfExtents;
      const double mass = shape.density * 8 * h.x * h.y * h.z;
      return {mass, {mass / 3 * (h.y * h.y + h.z * h.z), mass / 3 * (h.x * h.x + h.z * h.z), mass / 3 * (h.x * h.x + h.y * h.y)}};
    }
    case ShapeType::Ellipsoid: {
      const Vec3d a = shape.halfExtents;
      const double mass = shape.density * (4.0 / 3 * kPi) * a.x * a.y * a.z;
      return {mass, {0.2 * mass * (a.y * a.y + a.z * a.z), 0.2 * mass * (a.x * a.x + a.z * a.z), 0.2 * mass * (a.x * a.x + a.y * a.y)}};
    }
    case ShapeType::Hull: {
      const std::shared_ptr<const ConvexHull> hull = hullOf(shape);
      const Sym3<double> i = shape.density * hull->inertia;
      return {shape.density * hull->volume, {i.xx, i.yy, i.zz}, {i.xy, i.xz, i.yz}, hull->centre};
    }
    case ShapeType::Cylinder: {
      const double h = shape.halfHeight, mass = shape.density * kPi * r * r * (2 * h);
      const double across = mass * (0.25 * r * r + h * h / 3);
      return {mass, {across, 0.5 * mass * r * r, across}};
    }
    case ShapeType::Cone: {
      // A quarter of the height above the base.
      const double h = shape.halfHeight, mass = shape.density * (kPi / 3) * r * r * (2 * h);
      const double across = mass * 0.15 * (r * r + h * h);
      return {mass, {across, 0.3 * mass * r * r, across}, {0, 0, 0}, {0, -0.5 * h, 0}};
    }
    case ShapeType::Mesh: {
      if (!shape.solid) break;
      const std::shared_ptr<const SolidFacts> facts = solidFacts(shape.triangles);
      const Sym3<double> i = shape.density * facts->inertia;
      return {shape.density * facts->volume, {i.xx, i.yy, i.zz}, {i.xy, i.xz, i.yz}, facts->centre};
    }
    case ShapeType::HalfSpace:
    case ShapeType::HeightField:
      break;
  }
  return {0, {0, 0, 0}};
}

// Where the shape's centre of mass lies in the body's frame.
Vec3d centreOf(const ShapeDef& shape, const ShapeMass& mass) {
  return isZero(mass.centre) ? shape.localPose.p : shape.localPose.p + rotate(normalized(shape.localPose.q), mass.centre);
}

// Inertia of a point mass about the origin.
Sym3<double> pointInertia(double mass, Vec3d d) {
  return {mass * (d.y * d.y + d.z * d.z),
          mass * (d.x * d.x + d.z * d.z),
          mass * (d.x * d.x + d.y * d.y),
          -mass * d.x * d.y,
          -mass * d.x * d.z,
          -mass * d.y * d.z};
}

// --- validation ------------------------------------------------------------------------------------------------

template <class Geometry> void validateGeometry(const Geometry& geometry, const ErrorContext& context) {
  try {
    validate(geometry, "");
  } catch (const InvalidInput& flaw) {
    context.fail(flaw.place.c_str() + 1, flaw.reason);  // without its slash
  }
}

void validateMesh(const ShapeDef& shape, const BodyDef& body, const ErrorContext& context) {
  if (body.type == BodyType::Dynamic && !shape.solid)
    context.fail("solid", "must be true of a mesh on a dynamic body, is false: a surface alone has no inside and no mass");
  if (shape.sensor) context.fail("sensor", "must be false of a mesh");
  if (!shape.triangles) context.fail("triangles", "must be one at least, there is no mesh");
  validateGeometry(*shape.triangles, context);
  const std::vector<Vec3d>& at = shape.triangles->vertices;
  const auto hasArea = [&](const std::array<int32_t, 3>& t) {
    return flatness(at[static_cast<size_t>(t[0])], at[static_cast<size_t>(t[1])], at[static_cast<size_t>(t[2])]) > kLineHeight;
  };
  if (std::none_of(shape.triangles->triangles.begin(), shape.triangles->triangles.end(), hasArea))
    context.fail("triangles", text("must have an area, none of {} has", shape.triangles->triangles.size()));
  if (!shape.solid) return;
  if (shape.twoSided) context.fail("two_sided", "must be false of a solid mesh");
  context.notNegative("cell", shape.cell);
  context.bounded("cell", shape.cell);
  const std::string flaw = solidFacts(shape.triangles)->flaw;
  if (!flaw.empty()) context.fail("triangles", text("must enclose what is inside of a solid mesh; the mesh {}", flaw));
}

void validateHeightField(const ShapeDef& shape, const BodyDef& body, const ErrorContext& context) {
  if (body.type == BodyType::Dynamic) context.fail("type", "height_field must be on a static or kinematic body, is on a dynamic one");
  if (shape.sensor) context.fail("sensor", "must be false of a height_field");
  if (!shape.heights) context.fail("heights", "must be two rows and two columns at least, there is no field");
  validateGeometry(*shape.heights, context);
}

void validateShape(const ShapeDef& shape, const BodyDef& body, const ErrorContext& context) {
  if (std::string_view(nameOf(shape.type)) == "?") context.fail("type", text("must be one of {}, is {}", nameList<ShapeType>(), int(shape.type)));
  if (shape.type == ShapeType::HalfSpace && body.type == BodyType::Dynamic)
    context.fail("type", "half_space must be on a static or kinematic body, is on a dynamic one");
  if (shape.sensor && shape.type == ShapeType::HalfSpace) context.fail("sensor", "must be false of a half_space");
  context.pose(shape.localPose);
  if (shape.type == ShapeType::Box || shape.type == ShapeType::Ellipsoid) {
    const Vec3d h = shape.halfExtents;
    const char* const field = shape.type == ShapeType::Box ? "half_extents" : "semi_axes";
    if (!isFinite(h) || !(h.x > 0 && h.y > 0 && h.z > 0))
      context.fail(field, text("must be three finite numbers > 0, is [{}, {}, {}]", h.x, h.y, h.z));
    context.bounded(field, h);
  }
  const auto size = [&context](const char* name, double value) {
    context.positive(name, value);
    context.bounded(name, value);
  };
  const bool hasAxis = shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder || shape.type == ShapeType::Cone;
  if (shape.type == ShapeType::Sphere || hasAxis) size("radius", shape.radius);
  if (hasAxis) size("half_height", shape.halfHeight);
  if (shape.type == ShapeType::Hull) {
    try {
      hullOf(shape);
    } catch (const InvalidInput& flaw) {
      context.fail(flaw.place.c_str(), flaw.reason);
    }
  }
  if (shape.type == ShapeType::Mesh) validateMesh(shape, body, context);
  if (shape.type == ShapeType::HeightField) validateHeightField(shape, body, context);
  if (shape.type != ShapeType::HalfSpace && (!isSurface(shape) || (shape.type == ShapeType::Mesh && shape.solid))) size("density", shape.density);
  const Material m = shape.material;
  if (!(std::isfinite(m.friction) && m.friction >= 0)) context.fail("material/friction", text("must be a finite number >= 0, is {}", m.friction));
  if (!(m.restitution >= 0 && m.restitution <= 1)) context.fail("material/restitution", text("must be a number from 0 to 1, is {}", m.restitution));
  for (const auto& [field, value] :
       {std::pair{"material/torsional_friction", m.torsionalFriction}, {"material/rolling_friction", m.rollingFriction}}) {
    context.notNegative(field, value);
    context.bounded(field, value);
  }
}

void validateBody(const BodyDef& body, const std::string& source, int index) {
  const ErrorContext context = ErrorContext::body(source, index, body);
  context.nameIsPrintable();
  if (std::string_view(nameOf(body.type)) == "?") context.fail("type", text("must be one of {}, is {}", nameList<BodyType>(), int(body.type)));
  context.pose(body.pose);
  context.finite("linear_velocity", body.linearVelocity);
  context.bounded("linear_velocity", body.linearVelocity);
  context.finite("angular_velocity", body.angularVelocity);
  context.bounded("angular_velocity", body.angularVelocity);
  if (body.type == BodyType::Static && !isZero(body.linearVelocity)) context.fail("linear_velocity", "must be zero: the body is static");
  if (body.type == BodyType::Static && !isZero(body.angularVelocity)) context.fail("angular_velocity", "must be zero: the body is static");
  if (body.mass) {
    context.positive("mass", *body.mass);
    context.bounded("mass", *body.mass);
  }
  if (body.inertia) {
    if (const char* const flaw = flawOfInertia(*body.inertia)) {
      const Sym3<double>& i = *body.inertia;
      context.fail("inertia", text("{}, is [{}, {}, {}, {}, {}, {}]", flaw, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz));
    }
  }
  if (body.centreOfMass) {
    context.finite("centre_of_mass", *body.centreOfMass);
    context.bounded("centre_of_mass", *body.centreOfMass);
  }
  context.notNegative("linear_damping", body.linearDamping);
  context.bounded("linear_damping", body.linearDamping);
  context.notNegative("angular_damping", body.angularDamping);
  context.bounded("angular_damping", body.angularDamping);
  context.finite("gravity_scale", body.gravityScale);
  context.bounded("gravity_scale", body.gravityScale);
  for (size_t i = 0; i < body.shapes.size(); ++i) validateShape(body.shapes[i], body, context.shape(int(i)));
  if (body.type != BodyType::Dynamic) return;
  const bool solid = std::any_of(body.shapes.begin(), body.shapes.end(), [](const ShapeDef& shape) { return !shape.sensor; });
  if (!solid && !(body.mass && body.inertia))
    context.fail("shapes",
                 text("a dynamic body needs one shape at least{}, or mass and inertia of its own", body.shapes.empty() ? "" : " that is no sensor"));
  const MassProperties m = massProperties(body);
  const Sym3<double> i = m.inertia;
  if (!(std::isfinite(m.mass) && m.mass > 0 && isFinite(m.centre) && i.xx > 0 && i.yy > 0 && i.zz > 0 && std::isfinite(i.xx + i.yy + i.zz)))
    context.fail("shapes", text("size and density give a mass of {} kg; it or its moments are beyond the range of a double", m.mass));
}

// --- lists -----------------------------------------------------------------------------------------------------

void requireCountable(const char* list, size_t count, const ErrorContext& context) {
  constexpr int kMost = std::numeric_limits<int>::max();
  if (count > size_t(kMost)) context.fail(list, text("must be at most {}, are {}", kMost, count));
}

// The number in "body-17", as it is given to what has no name; npos for any other text.
size_t numberInDefaultName(const std::string& name, const std::string& prefix) {
  if (name.compare(0, prefix.size(), prefix) != 0) return std::string::npos;
  const std::string digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string::npos) return std::string::npos;
  const size_t number = std::stoul(digits);
  return std::to_string(number) == digits ? number : std::string::npos;
}

template <class Def, class ContextOf> void requireUniqueNames(const std::vector<Def>& list, const ContextOf& contextOf) {
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty() || names.insert(list[i].name).second) continue;
    const ErrorContext context = contextOf(i);
    context.fail("name", text("is the name of an earlier {} as well; names must be unique", context.kind));
  }
  // Names of the form that what has none goes by.
  if (names.empty()) return;
  const std::string prefix = std::string(contextOf(0).kind) + "-";
  for (size_t i = 0; i < list.size(); ++i) {
    const size_t other = numberInDefaultName(list[i].name, prefix);
    if (other >= list.size() || !list[other].name.empty()) continue;
    const ErrorContext context = contextOf(i);
    context.fail("name", text("is what {} {}, which has no name, goes by; names must be unique", context.kind, other));
  }
}

}  // namespace

ShapeDef ShapeDef::sphere(double radius) {
  ShapeDef shape;
  shape.type = ShapeType::Sphere;
  shape.radius = radius;
  return shape;
}

ShapeDef ShapeDef::capsule(double radius, double halfHeight) {
  ShapeDef shape;
  shape.type = ShapeType::Capsule;
  shape.radius = radius;
  shape.halfHeight = halfHeight;
  return shape;
}

ShapeDef ShapeDef::box(Vec3d halfExtents) {
  ShapeDef shape;
  shape.type = ShapeType::Box;
  shape.halfExtents = halfExtents;
  return shape;
}

ShapeDef ShapeDef::ellipsoid(Vec3d semiAxes) {
  ShapeDef shape;
  shape.type = ShapeType::Ellipsoid;
  shape.halfExtents = semiAxes;
  return shape;
}

ShapeDef ShapeDef::halfSpace() {
  ShapeDef shape;
  shape.type = ShapeType::HalfSpace;
  return shape;
}

ShapeDef ShapeDef::cylinder(double radius, double halfHeight) {
  ShapeDef shape = capsule(radius, halfHeight);
  shape.type = ShapeType::Cylinder;
  return shape;
}

ShapeDef ShapeDef::cone(double radius, double halfHeight) {
  ShapeDef shape = capsule(radius, halfHeight);
  shape.type = ShapeType::Cone;
  return shape;
}

ShapeDef ShapeDef::solidMesh(TriangleMesh triangles, double cell) {
  return solidMesh(std::make_shared<const TriangleMesh>(std::move(triangles)), cell);
}

ShapeDef ShapeDef::solidMesh(std::shared_ptr<const TriangleMesh> triangles, double cell) {
  ShapeDef shape = mesh(std::move(triangles));
  shape.solid = true;
  shape.cell = cell;
  return shape;
}

ShapeDef ShapeDef::mesh(TriangleMesh triangles, bool twoSided) { return mesh(std::make_shared<const TriangleMesh>(std::move(triangles)), twoSided); }

ShapeDef ShapeDef::mesh(std::shared_ptr<const TriangleMesh> triangles, bool twoSided) {
  ShapeDef shape;
  shape.type = ShapeType::Mesh;
  shape.triangles = std::move(triangles);
  shape.twoSided = twoSided;
  return shape;
}

ShapeDef ShapeDef::heightField(HeightField field) { return heightField(std::make_shared<const HeightField>(std::move(field))); }

ShapeDef ShapeDef::heightField(std::shared_ptr<const HeightField> field) {
  ShapeDef shape;
  shape.type = ShapeType::HeightField;
  shape.heights = std::move(field);
  return shape;
}

MassProperties massProperties(const BodyDef& body) {
  MassProperties result;
  Vec3d moment{0, 0, 0};
  for (const ShapeDef& shape : body.shapes) {
    const ShapeMass own = shapeMass(shape);
    result.mass += own.mass;
    moment += own.mass * centreOf(shape, own);
  }
  const double shapesMass = result.mass;
  if (shapesMass > 0) {
    // A single shape's own centre: moment / mass would round.
    const auto solid = [](const ShapeDef& shape) { return !shape.sensor; };
    const auto first = std::find_if(body.shapes.begin(), body.shapes.end(), solid);
    const bool single = std::none_of(first + 1, body.shapes.end(), solid);
    result.centre = single ? centreOf(*first, shapeMass(*first)) : (1 / shapesMass) * moment;
    for (const ShapeDef& shape : body.shapes) {
      const ShapeMass own = shapeMass(shape);
      if (!(own.mass > 0)) continue;
      // A shape without rotation, or an isotropic one, keeps its exact moments, so that solvers can tell isotropic bodies.
      const Quatd q = shape.localPose.q;
      const bool isotropic = own.inertia.x == own.inertia.y && own.inertia.y == own.inertia.z && isZero(own.products);
      const bool rotates = (q.x != 0 || q.y != 0 || q.z != 0) && !isotropic;
      result.inertia = result.inertia + (rotates ? rotated(rotationMatrix(normalized(q)), own.tensor()) : own.tensor());
      result.inertia = result.inertia + pointInertia(own.mass, centreOf(shape, own) - result.centre);
    }
  }
  if (body.mass) {
    result.mass = *body.mass;
    if (shapesMass > 0) {
      const double f = *body.mass / shapesMass;
      Sym3<double>& i = result.inertia;
      i = {f * i.xx, f * i.yy, f * i.zz, f * i.xy, f * i.xz, f * i.yz};
    }
  }
  if (body.inertia) result.inertia = *body.inertia;
  if (body.centreOfMass) result.centre = *body.centreOfMass;
  return result;
}

void validate(const BodyDef& body, const std::string& source) { validateBody(body, source, -1); }

void validate(const Scene& scene, const std::string& sourceOrEmpty) {
  const std::string source = !sourceOrEmpty.empty() ? sourceOrEmpty : sourceOf(scene);
  const ErrorContext context = ErrorContext::scene(source);
  if (const char* flaw = flawOfName(scene.name)) context.fail("name", flaw);
  context.finite("gravity", scene.gravity);
  context.bounded("gravity", scene.gravity);
  if (scene.defaultSteps <= 0) context.fail("default_steps", text("must be a whole number > 0, is {}", scene.defaultSteps));
  requireCountable("bodies", scene.bodies.size(), context);
  requireCountable("joints", scene.joints.size(), context);
  for (size_t i = 0; i < scene.bodies.size(); ++i) validateBody(scene.bodies[i], source, int(i));
  requireUniqueNames(scene.bodies, [&](size_t i) { return ErrorContext::body(source, int(i), scene.bodies[i]); });
  for (size_t i = 0; i < scene.joints.size(); ++i) {
    validateJoint(scene.joints[i], source, int(i));
    validateJointBodies(scene, source, int(i));
  }
  requireUniqueNames(scene.joints, [&](size_t i) { return ErrorContext::joint(source, int(i), scene.joints[i]); });
}

}  // namespace cairn::v0
