#include "bench/ode_world.hpp"

#include "bench/overlaps.hpp"

#include <cairn/error.hpp>

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

namespace cairn::bench {
namespace {

constexpr int kMostPoints = 8;            // of a pair of geoms
constexpr double kBounceThreshold = 0.5;  // [m/s], Cairn's default

// ODE has w first.
std::array<dReal, 4> toOde(const Quatd& q) { return {dReal(q.w), dReal(q.x), dReal(q.y), dReal(q.z)}; }

// ODE's capsules and cylinders lie along z, Cairn's along y.
Posed odePose(const ShapeDef& shape, const Posed& pose) {
  const double s = std::sqrt(0.5);
  return shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder ? pose * Posed{{0, 0, 0}, {-s, 0, 0, s}} : pose;
}

dGeomID geomOf(dSpaceID space, const ShapeDef& def, const Posed& pose) {
  switch (def.type) {
    case ShapeType::Sphere:
      return dCreateSphere(space, dReal(def.radius));
    case ShapeType::Capsule:
      return dCreateCapsule(space, dReal(def.radius), dReal(2 * def.halfHeight));
    case ShapeType::Box:
      return dCreateBox(space, dReal(2 * def.halfExtents.x), dReal(2 * def.halfExtents.y), dReal(2 * def.halfExtents.z));
    case ShapeType::Ellipsoid:
      throw InvalidInput("ellipsoid", "ODE has no such shape to compare with");
    case ShapeType::Hull:
      throw InvalidInput("hull", "is not among the shapes that ODE is compared with");
    case ShapeType::Cylinder:
      return dCreateCylinder(space, dReal(def.radius), dReal(2 * def.halfHeight));
    case ShapeType::Cone:
      throw InvalidInput("cone", "ODE has no such shape to compare with");
    case ShapeType::Mesh:
      throw InvalidInput("mesh", "is not among the shapes that ODE is compared with");
    case ShapeType::HeightField:
      throw InvalidInput("height_field", "is not among the shapes that ODE is compared with");
    case ShapeType::HalfSpace:
      break;
  }
  const Vec3d n = rotate(pose.q, {0, 1, 0});
  return dCreatePlane(space, dReal(n.x), dReal(n.y), dReal(n.z), dReal(dot(n, pose.p)));
}

}  // namespace

struct OdeWorld::Impl {
  struct Body {
    dBodyID id = nullptr;  // null: static
    Posed start;
    Vec3d centre{0, 0, 0};  // of mass, in the body's frame
  };
  std::vector<Body> bodies;
  std::deque<ShapeDef> shapes;  // geoms point to them
  int points = 0;
  dWorldID world = nullptr;
  dSpaceID space = nullptr;
  dJointGroupID contacts = nullptr;

  Impl() {
    dInitODE2(0);
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    contacts = dJointGroupCreate(0);
  }
  ~Impl() {
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
  }

  void addShape(const ShapeDef& def, const Body& body) {
    shapes.push_back(def);
    const Posed placed = body.start * def.localPose;
    const dGeomID geom = geomOf(space, def, placed);
    dGeomSetData(geom, &shapes.back());
    dGeomSetCategoryBits(geom, def.filter.category);
    dGeomSetCollideBits(geom, def.filter.mask);
    if (def.type == ShapeType::HalfSpace) return;
    if (body.id == nullptr) {
      const Posed pose = odePose(def, placed);
      dGeomSetPosition(geom, dReal(pose.p.x), dReal(pose.p.y), dReal(pose.p.z));
      dGeomSetQuaternion(geom, toOde(pose.q).data());
      return;
    }
    const Posed offset = odePose(def, {def.localPose.p - body.centre, normalized(def.localPose.q)});
    dGeomSetBody(geom, body.id);
    dGeomSetOffsetPosition(geom, dReal(offset.p.x), dReal(offset.p.y), dReal(offset.p.z));
    dGeomSetOffsetQuaternion(geom, toOde(offset.q).data());
  }
  void setMass(Body& body, const BodyDef& def) {
    const MassProperties properties = massProperties(def);
    const Sym3<double>& i = properties.inertia;
    body.centre = properties.centre;
    dMass mass;
    dMassSetParameters(&mass, dReal(properties.mass), 0, 0, 0, dReal(i.xx), dReal(i.yy), dReal(i.zz), dReal(i.xy), dReal(i.xz), dReal(i.yz));
    dBodySetMass(body.id, &mass);
  }
  void add(const BodyDef& def, Vec3d gravity) {
    const auto locked = [](const std::array<bool, 3>& axes) { return axes[0] || axes[1] || axes[2]; };
    if (locked(def.lockTranslation) || locked(def.lockRotation)) throw InvalidInput(def.name, "has locked axes: not in ODE");
    Body body;
    body.start = {def.pose.p, normalized(def.pose.q)};
    if (def.type != BodyType::Static) {
      body.id = dBodyCreate(world);
      if (def.type == BodyType::Dynamic) {
        setMass(body, def);
      } else {
        dBodySetKinematic(body.id);
      }
      const Vec3d p = transform(body.start, body.centre), v = def.linearVelocity, w = def.angularVelocity;
      dBodySetPosition(body.id, dReal(p.x), dReal(p.y), dReal(p.z));
      dBodySetQuaternion(body.id, toOde(body.start.q).data());
      dBodySetLinearVel(body.id, dReal(v.x), dReal(v.y), dReal(v.z));
      dBodySetAngularVel(body.id, dReal(w.x), dReal(w.y), dReal(w.z));
      if (def.gravityScale != 1) throw InvalidInput(def.name, "has a gravity of its own: not in ODE");
    }
    for (const ShapeDef& shape : def.shapes) addShape(shape, body);
    dWorldSetGravity(world, dReal(gravity.x), dReal(gravity.y), dReal(gravity.z));
    bodies.push_back(body);
  }
  void add(const JointDef& def) {
    if (def.type != JointType::Point) throw InvalidInput(def.name, "is not a point joint: not compared with ODE");
    const Body &a = bodies[size_t(def.bodyA)], &b = bodies[size_t(def.bodyB)];
    const dJointID joint = dJointCreateBall(world, nullptr);
    dJointAttach(joint, a.id, b.id);
    const Vec3d anchor = transform(a.start, def.frameA.p);
    dJointSetBallAnchor(joint, dReal(anchor.x), dReal(anchor.y), dReal(anchor.z));
  }

  static void collide(void* self, dGeomID a, dGeomID b) { static_cast<Impl*>(self)->collide(a, b); }
  void collide(dGeomID geomA, dGeomID geomB) {
    const dBodyID a = dGeomGetBody(geomA), b = dGeomGetBody(geomB);
    const auto moves = [](dBodyID body) { return body != nullptr && dBodyIsKinematic(body) == 0; };
    if (a == b || (!moves(a) && !moves(b))) return;
    if (a != nullptr && b != nullptr && dAreConnectedExcluding(a, b, dJointTypeContact) != 0) return;
    const auto &shapeA = *static_cast<const ShapeDef*>(dGeomGetData(geomA)), &shapeB = *static_cast<const ShapeDef*>(dGeomGetData(geomB));
    if (!mayCollide(shapeA, shapeB)) return;
    std::array<dContact, kMostPoints> found{};
    const int count = dCollide(geomA, geomB, kMostPoints, &found[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dSurfaceParameters& surface = found[size_t(k)].surface;
      surface.mode = dContactApprox1;
      surface.mu = dReal(std::sqrt(shapeA.material.friction * shapeB.material.friction));
      surface.bounce = dReal(std::max(shapeA.material.restitution, shapeB.material.restitution));
      surface.bounce_vel = dReal(kBounceThreshold);
      if (surface.bounce > 0) surface.mode |= dContactBounce;
      dJointAttach(dJointCreateContact(world, contacts, &found[size_t(k)]), a, b);
    }
    points += count;
  }
};

OdeWorld::OdeWorld(const Scene& scene) : impl_(std::make_unique<Impl>()) {
  for (const BodyDef& body : scene.bodies) impl_->add(body, scene.gravity);
  for (const JointDef& joint : scene.joints) impl_->add(joint);
}
OdeWorld::~OdeWorld() = default;

void OdeWorld::step(double dt) {
  impl_->points = 0;
  dSpaceCollide(impl_->space, impl_.get(), &Impl::collide);
  dWorldQuickStep(impl_->world, dReal(dt));
  dJointGroupEmpty(impl_->contacts);
}

int OdeWorld::contactPoints() const { return impl_->points; }

std::vector<BodyState> OdeWorld::states() const {
  std::vector<BodyState> states;
  for (const Impl::Body& body : impl_->bodies) {
    if (body.id == nullptr) {
      states.push_back({body.start, {0, 0, 0}, {0, 0, 0}});
      continue;
    }
    const dReal *p = dBodyGetPosition(body.id), *q = dBodyGetQuaternion(body.id), *v = dBodyGetLinearVel(body.id), *w = dBodyGetAngularVel(body.id);
    const Posed atCentre{{p[0], p[1], p[2]}, {q[1], q[2], q[3], q[0]}};
    states.push_back({{transform(atCentre, -body.centre), atCentre.q}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}});
  }
  return states;
}

}  // namespace cairn::bench
