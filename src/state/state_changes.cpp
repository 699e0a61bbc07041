// Changes of bodies between steps: what they are made of, and many of them at once.
#include "kernels/state/world_inertia.hpp"
#include "src/state/state.hpp"
#include "src/state/state_checks.hpp"

namespace cairn::v0 {

// --- what they are made of -----------------------------------------------------------------------------------------

template <class T> ShapeRecord<T> State<T>::shapeOf(int slot, int shape) const {
  if (shape < 0 || shape >= shapeCountOf(slot)) {
    throw InvalidInput("shape of body '" + name(slot) + "'",
                       "must be a whole number from 0 to " + std::to_string(shapeCountOf(slot) - 1) + ", is " + std::to_string(shape));
  }
  return shapeRecords.read(queue_, static_cast<size_t>(bodies_[static_cast<size_t>(slot)].firstShape + shape));
}

template <class T> void State<T>::writeShape(int slot, int shape, const ShapeRecord<T>& record) {
  ++revision_;
  shapeRecords.write(queue_, static_cast<size_t>(bodies_[static_cast<size_t>(slot)].firstShape + shape), record);
}

template <class T> void State<T>::setMaterial(int slot, int shape, const Material& material) {
  ShapeRecord<T> record = shapeOf(slot, shape);
  const int change = isSensor(record) ? 0 : (material.restitution > 0 ? 1 : 0) - (record.restitution > T(0) ? 1 : 0);
  record.friction = T(material.friction);
  record.restitution = T(material.restitution);
  Body& body = bodies_[static_cast<size_t>(slot)];
  const int place = body.firstShape + shape;
  const RollingMaterial<T> rolling = isSensor(record) ? RollingMaterial<T>{} : rollingOf<T>(material);
  RollingMaterial<T>& before = shapePlaces_[static_cast<size_t>(place)].rolling;
  const bool listed = anyRolling();
  if (listed || isRolling(rolling)) reserveRolling(shapePlaces_.size());
  writeShape(slot, shape, record);
  body.counts.bouncy += change;
  counts_.bouncy += change;
  const int rollingChange = (isRolling(rolling) ? 1 : 0) - (isRolling(before) ? 1 : 0);
  body.counts.rolling += rollingChange;
  counts_.rolling += rollingChange;
  before = rolling;
  listRolling(place, 1, listed);
}

template <class T> void State<T>::setFilter(int slot, int shape, const CollisionFilter& filter) {
  ShapeRecord<T> record = shapeOf(slot, shape);
  const bool before = collidesAtAll({record.category, record.mask, record.group});
  const int change = isSensor(record) ? 0 : (collidesAtAll(filter) ? 1 : 0) - (before ? 1 : 0);
  record.category = filter.category;
  record.mask = filter.mask;
  record.group = filter.group;
  writeShape(slot, shape, record);
  bodies_[static_cast<size_t>(slot)].counts.colliding += change;
  counts_.colliding += change;
}

template <class T> void State<T>::setGravityScale(int slot, double scale) {
  if (!std::isfinite(T(scale))) throw InvalidInput("gravity scale of body '" + name(slot) + "'", kTooLarge);
  BodyConstants<T> record = constants.read(queue_, static_cast<size_t>(slot));
  ++revision_;
  record.gravityScale = T(scale);
  constants.write(queue_, static_cast<size_t>(slot), record);
}

// The body with these mass properties. Throws where it has none, or where the World's precision does not hold them.
template <class T> typename State<T>::Body State<T>::checkedMass(int slot, const char* what, const MassProperties& mass) const {
  const std::string place = std::string(what) + " of body '" + name(slot) + "'";
  Body body = bodies_[static_cast<size_t>(slot)];
  if (body.type != BodyType::Dynamic) throw InvalidInput(place, "cannot be set: the body is not dynamic");
  const Sym3<double>& inertia = mass.inertia;
  const T moments = T(inertia.xx + inertia.yy + inertia.zz);
  if (!(std::isfinite(T(mass.mass)) && T(mass.mass) > T(0) && std::isfinite(moments) && std::isfinite(T(1 / mass.mass)) &&
        fitsInto<T>(mass.centre))) {
    throw InvalidInput(place, kTooLarge);
  }
  body.mass = mass;
  return body;
}

// Writes anew what follows from a body's type and mass properties. It goes on as it lies and moves: about another centre of mass, the velocity is
// that of the body there.
template <class T> void State<T>::remake(int slot, const Body& body) {
  const auto at = static_cast<size_t>(slot);
  Records records{body, poses.read(queue_, at), velocities.read(queue_, at), inertias.read(queue_, at), constants.read(queue_, at)};
  setMassOf(records);
  const Vec3d before = centreOf(slot), after = centreOf(body), way = after - before;
  if (body.type == BodyType::Static) records.velocity.v = records.velocity.w = Vec3<T>{T(0), T(0), T(0)};
  const bool moved = way.x != 0 || way.y != 0 || way.z != 0;
  if (moved) {
    const Quatd q = convert<double>(records.pose.q);
    const Vec3d turned = cross(convert<double>(records.velocity.w), rotate(q, way));
    records.pose.x = convert<T>(convert<double>(records.pose.x) - rotate(q, before) + rotate(q, after));
    records.velocity.v = convert<T>(convert<double>(records.velocity.v) + turned);
  }
  ++revision_;
  counts_.add(bodies_[at].counts, -1);
  bodies_[at] = body;
  counts_.add(body.counts, 1);
  if (moved) putPose(at, records.pose);
  velocities.write(queue_, at, records.velocity);
  inertias.write(queue_, at, records.inertia);
  constants.write(queue_, at, records.constants);
  for (int k = 0; moved && k < body.counts.shapes; ++k) {
    const auto shape = static_cast<size_t>(body.firstShape + k);
    ShapeRecord<T> record = shapeRecords.read(queue_, shape);
    placeShape(shapePlaces_[shape], after, record);
    shapeRecords.write(queue_, shape, record);
  }
}

template <class T> void State<T>::setMass(int slot, double mass) {
  MassProperties scaled = bodies_[static_cast<size_t>(slot)].mass;
  scaled.inertia = (mass / scaled.mass) * scaled.inertia;
  scaled.mass = mass;
  remake(slot, checkedMass(slot, "mass", scaled));
}

template <class T> void State<T>::setInertia(int slot, const Sym3<double>& inertia) {
  MassProperties mass = bodies_[static_cast<size_t>(slot)].mass;
  mass.inertia = inertia;
  remake(slot, checkedMass(slot, "inertia", mass));
}

template <class T> void State<T>::setCentreOfMass(int slot, Vec3d centre) {
  MassProperties mass = bodies_[static_cast<size_t>(slot)].mass;
  mass.centre = centre;
  remake(slot, checkedMass(slot, "centre of mass", mass));
}

template <class T> void State<T>::setDamping(int slot, double linear, double angular) {
  if (!std::isfinite(T(linear)) || !std::isfinite(T(angular))) throw InvalidInput("damping of body '" + name(slot) + "'", kTooLarge);
  Body body = bodies_[static_cast<size_t>(slot)];
  const bool listed = damping() != nullptr;
  body.damping = {T(linear), T(angular)};
  body.counts.damped = body.type == BodyType::Dynamic && isDamped(body.damping) ? 1 : 0;
  reserveDamping(bodies_.size());
  ++revision_;
  counts_.damped += body.counts.damped - bodies_[static_cast<size_t>(slot)].counts.damped;
  bodies_[static_cast<size_t>(slot)] = body;
  listDamping(slot, listed);
}

// Throws unless a body is made of what a dynamic one may be.
template <class T> void State<T>::requireDynamicMakeup(int slot) const {
  const std::string place = "type of body '" + name(slot) + "'";
  const Body& body = bodies_[static_cast<size_t>(slot)];
  for (int k = 0; k < body.counts.shapes; ++k) {
    const ShapeRecord<T> shape = shapeOf(slot, k);
    if (shape.type == kHalfSpace) throw InvalidInput(place, "cannot be dynamic: it has a half-space");
    if (isSurface(shape)) throw InvalidInput(place, "cannot be dynamic: it has a mesh that is not solid or a height field, which has no inside");
  }
  const Sym3<double>& inertia = body.mass.inertia;
  const double moments = inertia.xx + inertia.yy + inertia.zz;
  if (!(body.mass.mass > 0 && moments > 0)) throw InvalidInput(place, "cannot be dynamic: it has no mass and inertia, by shapes or of its own");
  if (!std::isfinite(T(body.mass.mass)) || !std::isfinite(T(moments))) throw InvalidInput(place, kTooLarge);
}

template <class T> void State<T>::setType(int slot, BodyType type) {
  if (type == BodyType::Dynamic) requireDynamicMakeup(slot);
  Body body = bodies_[static_cast<size_t>(slot)];
  const bool dynamicBody = type == BodyType::Dynamic, listed = damping() != nullptr;
  body.type = type;
  body.counts.dynamicBodies = dynamicBody ? 1 : 0;
  body.counts.damped = dynamicBody && isDamped(body.damping) ? 1 : 0;
  if (body.counts.damped > 0) reserveDamping(bodies_.size());
  remake(slot, body);
  listDamping(slot, listed);
  // What acted on it before does not act on what it is now.
  if (forcesApplied_) forces_.write(queue_, static_cast<size_t>(slot), {});
}

template <class T> Posed State<T>::centreOfMass(int slot) const {
  const BodyPose<T> pose = poses.read(queue_, static_cast<size_t>(slot));
  return {convert<double>(pose.x), convert<double>(pose.q)};
}

template <class T> void State<T>::addImpulse(int slot, Vec3d impulse, Vec3d angular) {
  if (!dynamic(slot)) throw InvalidInput("impulse on body '" + name(slot) + "'", "cannot act: the body is not dynamic");
  const auto at = static_cast<size_t>(slot);
  BodyVelocity<T> velocity = velocities.read(queue_, at);
  const BodyInertia<T> masses = inertias.read(queue_, at);
  const Vec3<T> p = convert<T>(impulse);
  velocity.v += Vec3<T>{velocity.invMassX * p.x, velocity.invMassY * p.y, masses.invMassZ * p.z};
  velocity.w += worldInvInertia(poses.read(queue_, at).q, constants.read(queue_, at)) * convert<T>(angular);
  if (!std::isfinite(length(velocity.v) + length(velocity.w))) throw InvalidInput("impulse on body '" + name(slot) + "'", kTooLarge);
  ++revision_;
  velocities.write(queue_, at, velocity);
}

// --- many at once --------------------------------------------------------------------------------------------------

template <class T> void State<T>::setPoses(const std::vector<int>& slots, const std::vector<Posed>& given) {
  std::vector<BodyPose<T>> all = poses.download(queue_);
  std::vector<PositionRemainder<T>> left = remainders.download(queue_);
  for (size_t k = 0; k < slots.size(); ++k) {
    const Quatd q = normalized(given[k].q);
    if (!fitsInto<T>(given[k].p)) throw InvalidInput("pose of body '" + name(slots[k]) + "'", kTooLarge);
    left[static_cast<size_t>(slots[k])] = {};
    all[static_cast<size_t>(slots[k])] = {convert<T>(given[k].p + rotate(q, centreOf(slots[k]))), T(0), normalized(convert<T>(q))};
  }
  ++revision_;
  poses.upload(queue_, all);
  remainders.upload(queue_, left);
}

template <class T> void State<T>::setVelocities(const std::vector<int>& slots, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) {
  std::vector<BodyVelocity<T>> all = velocities.download(queue_);
  for (size_t k = 0; k < slots.size(); ++k) {
    const bool moves = length(linear[k]) > 0 || length(angular[k]) > 0;
    const std::string place = "velocity of body '" + name(slots[k]) + "'";
    if (moves && bodies_[static_cast<size_t>(slots[k])].type == BodyType::Static) throw InvalidInput(place, "cannot be set: the body is static");
    if (!fitsInto<T>(linear[k]) || !fitsInto<T>(angular[k])) throw InvalidInput(place, kTooLarge);
    BodyVelocity<T>& velocity = all[static_cast<size_t>(slots[k])];
    velocity.v = convert<T>(linear[k]);
    velocity.w = convert<T>(angular[k]);
  }
  ++revision_;
  velocities.upload(queue_, all);
}

template <class T> void State<T>::addForces(const std::vector<int>& slots, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques) {
  std::vector<BodyForce<T>> all = downloadForces();
  for (size_t k = 0; k < slots.size(); ++k) {
    const std::string place = "force on body '" + name(slots[k]) + "'";
    if (!dynamic(slots[k])) throw InvalidInput(place, "cannot act: the body is not dynamic");
    BodyForce<T>& sum = all[static_cast<size_t>(slots[k])];
    sum.force += convert<T>(forces[k]);
    if (!torques.empty()) sum.torque += convert<T>(torques[k]);
    if (!std::isfinite(length(sum.force) + length(sum.torque))) throw InvalidInput(place, kTooLarge);
  }
  requireForces();
  forces_.upload(queue_, all);
}

#define CAIRN_INSTANTIATE(T)                                                                                            \
  template void State<T>::setMaterial(int, int, const Material&);                                                       \
  template void State<T>::setFilter(int, int, const CollisionFilter&);                                                  \
  template void State<T>::setGravityScale(int, double);                                                                 \
  template void State<T>::setMass(int, double);                                                                         \
  template void State<T>::setInertia(int, const Sym3<double>&);                                                         \
  template void State<T>::setCentreOfMass(int, Vec3d);                                                                  \
  template void State<T>::setDamping(int, double, double);                                                              \
  template void State<T>::setType(int, BodyType);                                                                       \
  template Posed State<T>::centreOfMass(int) const;                                                                     \
  template void State<T>::addImpulse(int, Vec3d, Vec3d);                                                                \
  template void State<T>::setPoses(const std::vector<int>&, const std::vector<Posed>&);                                 \
  template void State<T>::setVelocities(const std::vector<int>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&); \
  template void State<T>::addForces(const std::vector<int>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
