// Changes of bodies between steps: what they are made of, and many of them at once.
#include "kernels/state/world_inertia.hpp"
#include "src/state/state.hpp"
#include "src/state/state_checks.hpp"

namespace cairn {

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
  const int change = (material.restitution > 0 ? 1 : 0) - (record.restitution > T(0) ? 1 : 0);
  record.friction = T(material.friction);
  record.restitution = T(material.restitution);
  writeShape(slot, shape, record);
  bodies_[static_cast<size_t>(slot)].counts.bouncy += change;
  counts_.bouncy += change;
}

template <class T> void State<T>::setFilter(int slot, int shape, const CollisionFilter& filter) {
  ShapeRecord<T> record = shapeOf(slot, shape);
  const int change = (collidesAtAll(filter) ? 1 : 0) - (collidesAtAll({record.category, record.mask, record.group}) ? 1 : 0);
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

template <class T> void State<T>::setMass(int slot, double mass) {
  const auto at = static_cast<size_t>(slot);
  Body& body = bodies_[at];
  if (body.type != BodyType::Dynamic) throw InvalidInput("mass of body '" + name(slot) + "'", "cannot be set: the body is not dynamic");
  const Sym3<double> inertia = (mass / body.mass) * body.inertia;
  if (!(std::isfinite(T(mass)) && T(mass) > T(0) && std::isfinite(T(inertia.xx + inertia.yy + inertia.zz)) && std::isfinite(T(1 / mass)))) {
    throw InvalidInput("mass of body '" + name(slot) + "'", kTooLarge);
  }
  Records records{body, poses.read(queue_, at), velocities.read(queue_, at), inertias.read(queue_, at), constants.read(queue_, at)};
  setMassOf({mass, body.centre, inertia}, records);
  ++revision_;
  body = records.body;
  velocities.write(queue_, at, records.velocity);
  inertias.write(queue_, at, records.inertia);
  constants.write(queue_, at, records.constants);
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
  for (size_t k = 0; k < slots.size(); ++k) {
    const Quatd q = normalized(given[k].q);
    if (!fitsInto<T>(given[k].p)) throw InvalidInput("pose of body '" + name(slots[k]) + "'", kTooLarge);
    all[static_cast<size_t>(slots[k])] = {convert<T>(given[k].p + rotate(q, centreOf(slots[k]))), T(0), normalized(convert<T>(q))};
  }
  ++revision_;
  poses.upload(queue_, all);
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
  template Posed State<T>::centreOfMass(int) const;                                                                     \
  template void State<T>::addImpulse(int, Vec3d, Vec3d);                                                                \
  template void State<T>::setPoses(const std::vector<int>&, const std::vector<Posed>&);                                 \
  template void State<T>::setVelocities(const std::vector<int>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&); \
  template void State<T>::addForces(const std::vector<int>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
