#include "bench/bullet_world.hpp"

#include <cairn/error.hpp>

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>

namespace cairn::bench {
namespace {

btVector3 toBullet(Vec3d a) { return {btScalar(a.x), btScalar(a.y), btScalar(a.z)}; }
btTransform toBullet(const Posed& pose) {
  return btTransform(btQuaternion(btScalar(pose.q.x), btScalar(pose.q.y), btScalar(pose.q.z), btScalar(pose.q.w)), toBullet(pose.p));
}
Vec3d fromBullet(const btVector3& a) { return {double(a.x()), double(a.y()), double(a.z())}; }
Posed fromBullet(const btTransform& pose) {
  const btQuaternion q = pose.getRotation();
  return {fromBullet(pose.getOrigin()), {double(q.x()), double(q.y()), double(q.z()), double(q.w())}};
}

// Bullet multiplies coefficients: with each body's square root it gets Cairn's geometric mean. For restitution it is given the larger.
btScalar largerRestitution(const btCollisionObject* a, const btCollisionObject* b) { return btMax(a->getRestitution(), b->getRestitution()); }

Vec3d principalInertia(const BodyDef& body, const MassProperties& mass) {
  const Sym3<double>& i = mass.inertia;
  const double offDiagonal = std::max({std::abs(i.xy), std::abs(i.xz), std::abs(i.yz)});
  if (offDiagonal > 1e-6 * (i.xx + i.yy + i.zz)) throw InvalidInput(body.name, "its axes are not principal ones: not in Bullet");
  return {i.xx, i.yy, i.zz};
}

}  // namespace

struct BulletWorld::Impl {
  // Order of destruction: world, bodies, shapes.
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btMotionState>> motions;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadPhase;
  btSequentialImpulseConstraintSolver solver;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<Vec3d> centres;  // of mass, in the body's frame
  std::vector<size_t> kinematic;
  btDiscreteDynamicsWorld world{&dispatcher, &broadPhase, &solver, &configuration};
  std::vector<std::unique_ptr<btTypedConstraint>> joints;

  ~Impl() {
    for (const auto& joint : joints) world.removeConstraint(joint.get());
    for (const auto& body : bodies) world.removeRigidBody(body.get());
  }

  template <class Shape, class... Arguments> Shape* make(Arguments&&... arguments) {
    auto shape = std::make_unique<Shape>(std::forward<Arguments>(arguments)...);
    Shape* raw = shape.get();
    shapes.push_back(std::move(shape));
    return raw;
  }
  btCollisionShape* shapeOf(const ShapeDef& def) {
    switch (def.type) {
      case ShapeType::Sphere:
        return make<btSphereShape>(btScalar(def.radius));
      case ShapeType::Capsule:
        return make<btCapsuleShape>(btScalar(def.radius), btScalar(2 * def.halfHeight));
      case ShapeType::Box:
        return make<btBoxShape>(toBullet(def.halfExtents));
      case ShapeType::Ellipsoid:
        throw InvalidInput("ellipsoid", "Bullet has no such shape to compare with");
      case ShapeType::Hull: {
        auto* hull = make<btConvexHullShape>();
        for (const Vec3d& point : def.points) hull->addPoint(toBullet(point), false);
        hull->recalcLocalAabb();
        return hull;
      }
      case ShapeType::Cylinder:
        return make<btCylinderShape>(btVector3(btScalar(def.radius), btScalar(def.halfHeight), btScalar(def.radius)));
      case ShapeType::Cone:
        return make<btConeShape>(btScalar(def.radius), btScalar(2 * def.halfHeight));
      case ShapeType::Mesh:
        throw InvalidInput("mesh", "is not among the shapes that Bullet is compared with");
      case ShapeType::HeightField:
        throw InvalidInput("height_field", "is not among the shapes that Bullet is compared with");
      case ShapeType::HalfSpace:
        break;
    }
    return make<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0));
  }
  btCollisionShape* shapeOf(const BodyDef& def, Vec3d centre) {
    const auto local = [&](const ShapeDef& shape) { return Posed{shape.localPose.p - centre, shape.localPose.q}; };
    const auto atOrigin = [&](const Posed& pose) {
      return length(pose.p) < 1e-9 && std::abs(pose.q.x) + std::abs(pose.q.y) + std::abs(pose.q.z) < 1e-9;
    };
    if (def.shapes.size() == 1 && atOrigin(local(def.shapes[0]))) return shapeOf(def.shapes[0]);
    auto* compound = make<btCompoundShape>();
    for (const ShapeDef& shape : def.shapes) compound->addChildShape(toBullet(local(shape)), shapeOf(shape));
    return compound;
  }

  void add(const BodyDef& def) {
    const auto locked = [](const std::array<bool, 3>& axes) { return axes[0] || axes[1] || axes[2]; };
    if (locked(def.lockTranslation) || locked(def.lockRotation)) throw InvalidInput(def.name, "has locked axes: not in Bullet");
    const bool dynamic = def.type == BodyType::Dynamic;
    const MassProperties mass = dynamic ? massProperties(def) : MassProperties{};
    const Vec3d inertia = dynamic ? principalInertia(def, mass) : Vec3d{0, 0, 0};
    const Posed start{transform(Posed{def.pose.p, normalized(def.pose.q)}, mass.centre), normalized(def.pose.q)};
    motions.push_back(std::make_unique<btDefaultMotionState>(toBullet(start)));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass.mass), motions.back().get(), shapeOf(def, mass.centre), toBullet(inertia));
    if (!def.shapes.empty()) {
      info.m_friction = btScalar(std::sqrt(def.shapes[0].material.friction));
      info.m_restitution = btScalar(def.shapes[0].material.restitution);
    }
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    if (def.type == BodyType::Kinematic) {
      body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
      kinematic.push_back(bodies.size());
    }
    body->setLinearVelocity(toBullet(def.linearVelocity));
    body->setAngularVelocity(toBullet(def.angularVelocity));
    // Bullet has a filter for each body, and one of its own for bodies that never move.
    const CollisionFilter filter = def.shapes.empty() ? CollisionFilter{} : def.shapes[0].filter;
    if (filter.category == CollisionFilter{}.category && filter.mask == CollisionFilter{}.mask) {
      world.addRigidBody(body.get());
    } else {
      world.addRigidBody(body.get(), int(filter.category), int(filter.mask));
    }
    if (dynamic) body->setGravity(btScalar(def.gravityScale) * world.getGravity());
    bodies.push_back(std::move(body));
    centres.push_back(mass.centre);
  }
  void add(const JointDef& def) {
    if (def.type != JointType::Point) throw InvalidInput(def.name, "is not a point joint: not compared with Bullet");
    const size_t a = size_t(def.bodyA), b = size_t(def.bodyB);
    joints.push_back(
        std::make_unique<btPoint2PointConstraint>(*bodies[a], *bodies[b], toBullet(def.frameA.p - centres[a]), toBullet(def.frameB.p - centres[b])));
    world.addConstraint(joints.back().get(), !def.collide);
  }
};

BulletWorld::BulletWorld(const Scene& scene) : impl_(std::make_unique<Impl>()) {
  gCalculateCombinedRestitutionCallback = largerRestitution;
  impl_->world.setGravity(toBullet(scene.gravity));
  for (const BodyDef& body : scene.bodies) impl_->add(body);
  for (const JointDef& joint : scene.joints) impl_->add(joint);
}
BulletWorld::~BulletWorld() = default;

void BulletWorld::step(double dt) {
  for (const size_t index : impl_->kinematic) {
    // Bullet takes a kinematic body's velocity from where its motion state says that it is.
    const btRigidBody& body = *impl_->bodies[index];
    btTransform next;
    btTransformUtil::integrateTransform(body.getWorldTransform(), body.getLinearVelocity(), body.getAngularVelocity(), btScalar(dt), next);
    impl_->motions[index]->setWorldTransform(next);
  }
  impl_->world.stepSimulation(btScalar(dt), 0);
}

int BulletWorld::contactPoints() const {
  int points = 0;
  for (int i = 0; i < impl_->dispatcher.getNumManifolds(); ++i) points += impl_->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  return points;
}

std::vector<BodyState> BulletWorld::states() const {
  std::vector<BodyState> states;
  for (size_t i = 0; i < impl_->bodies.size(); ++i) {
    const btRigidBody& body = *impl_->bodies[i];
    const Posed atCentre = fromBullet(body.getWorldTransform());
    const Posed pose{transform(atCentre, -impl_->centres[i]), atCentre.q};
    states.push_back({pose, fromBullet(body.getLinearVelocity()), fromBullet(body.getAngularVelocity())});
  }
  return states;
}

}  // namespace cairn::bench
