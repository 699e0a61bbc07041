// Changes between steps of what bodies, joints and the World are made of. A plan for the next step may depend on any of it: there is none after them.
#include "src/world/simulation_of.hpp"

namespace cairn::v0 {

template <class T> std::vector<int> SimulationOf<T>::slotsOf(const std::vector<BodyId>& bodies) const {
  std::vector<int> slots;
  slots.reserve(bodies.size());
  for (const BodyId body : bodies) slots.push_back(state_.slotOf(body));
  return slots;
}

// --- many bodies at once -------------------------------------------------------------------------------------------

template <class T> void SimulationOf<T>::setPoses(const std::vector<BodyId>& bodies, const std::vector<Posed>& poses) {
  const std::vector<int> slots = slotsOf(bodies);
  const bool local = std::all_of(slots.begin(), slots.end(), [this](int slot) { return state_.dynamic(slot); });
  stirring(slots, local, [&] { state_.setPoses(slots, poses); });
}
template <class T>
void SimulationOf<T>::setVelocities(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) {
  const std::vector<int> slots = slotsOf(bodies);
  stirring(slots, true, [&] { state_.setVelocities(slots, linear, angular); });
}
template <class T>
void SimulationOf<T>::applyForces(const std::vector<BodyId>& bodies, const std::vector<Vec3d>& forces, const std::vector<Vec3d>& torques) {
  state_.addForces(slotsOf(bodies), forces, torques);
}
template <class T> void SimulationOf<T>::applyImpulse(BodyId body, Vec3d impulse, Vec3d angularImpulse) {
  const int slot = state_.slotOf(body);
  stirring({slot}, true, [&] { state_.addImpulse(slot, impulse, angularImpulse); });
}

// --- what they are made of -----------------------------------------------------------------------------------------

template <class T> void SimulationOf<T>::setMaterial(BodyId body, int shape, const Material& material) {
  if (environments_.any() && !environments_.anyRestitution() && material.restitution > 0) {
    throw InvalidInput("restitution", "must stay 0 in a World of environments whose scene has none: the others would be solved in another way");
  }
  if (environments_.any() && !environments_.anyRolling() && (material.torsionalFriction > 0 || material.rollingFriction > 0)) {
    throw InvalidInput("torsional and rolling friction",
                       "must stay 0 in a World of environments whose scene has none: the others would be solved in another way");
  }
  state_.setMaterial(state_.slotOf(body), shape, material);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setFilter(BodyId body, int shape, const CollisionFilter& filter) {
  state_.setFilter(state_.slotOf(body), shape, filter);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setGravityScale(BodyId body, double scale) {
  state_.setGravityScale(state_.slotOf(body), scale);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setMass(BodyId body, double mass) {
  state_.setMass(state_.slotOf(body), mass);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setInertia(BodyId body, const Sym3<double>& inertia) {
  state_.setInertia(state_.slotOf(body), inertia);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setCentreOfMass(BodyId body, Vec3d centre) {
  const int slot = state_.slotOf(body);
  state_.setCentreOfMass(slot, centre);
  joints_.changeBody(slot);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setDamping(BodyId body, double linear, double angular) {
  state_.setDamping(state_.slotOf(body), linear, angular);
  planned_ = false;
}
template <class T> void SimulationOf<T>::setType(BodyId body, BodyType type) {
  const int slot = state_.slotOf(body);
  if (type == state_.type(slot)) return;
  if (type != BodyType::Dynamic) joints_.requireOtherDynamic(slot, state_);
  state_.setType(slot, type);
  joints_.changeBody(slot);
  planned_ = false;
}

// A joint's definition and its rows: both, or neither.
template <class T> template <class Change> void SimulationOf<T>::changeJoint(JointId joint, const Change& change) {
  const int slot = joints_.slotOf(joint);
  JointDef before = joints_[slot].def;
  change();
  try {
    jointRows_.rewrite(joints_, slot);
  } catch (...) {
    joints_.putBack(slot, std::move(before));
    throw;
  }
  for (const BodyId body : {joints_[slot].bodyA, joints_[slot].bodyB}) sleep_.wake(queue_, body.index);
}

template <class T> void SimulationOf<T>::setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce) {
  changeJoint(joint, [&] { joints_.setMotor(joint, axis, motor, target, maxForce); });
}
template <class T> void SimulationOf<T>::setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits) {
  changeJoint(joint, [&] { joints_.setLimits(joint, axis, limits); });
  planned_ = false;
}

template <class T> void SimulationOf<T>::setGravity(Vec3d gravity) {
  gravity_ = gravity;
  environments_.forgetGravity();
  sleep_.wakeAll();
  jointRows_.dropRows();
  planned_ = false;
}
template <class T> void SimulationOf<T>::endTimeStep() {
  timeBefore_ = time();
  stepsBefore_ = steps_;
  sleep_.wakeAll();
  jointRows_.dropRows();
  planned_ = false;
}

#define CAIRN_INSTANTIATE(T)                                                                                                      \
  template void SimulationOf<T>::setPoses(const std::vector<BodyId>&, const std::vector<Posed>&);                                 \
  template void SimulationOf<T>::setVelocities(const std::vector<BodyId>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&); \
  template void SimulationOf<T>::applyForces(const std::vector<BodyId>&, const std::vector<Vec3d>&, const std::vector<Vec3d>&);   \
  template void SimulationOf<T>::applyImpulse(BodyId, Vec3d, Vec3d);                                                              \
  template void SimulationOf<T>::setMaterial(BodyId, int, const Material&);                                                       \
  template void SimulationOf<T>::setFilter(BodyId, int, const CollisionFilter&);                                                  \
  template void SimulationOf<T>::setGravityScale(BodyId, double);                                                                 \
  template void SimulationOf<T>::setMass(BodyId, double);                                                                         \
  template void SimulationOf<T>::setInertia(BodyId, const Sym3<double>&);                                                         \
  template void SimulationOf<T>::setCentreOfMass(BodyId, Vec3d);                                                                  \
  template void SimulationOf<T>::setDamping(BodyId, double, double);                                                              \
  template void SimulationOf<T>::setType(BodyId, BodyType);                                                                       \
  template void SimulationOf<T>::setMotor(JointId, int, JointMotor, double, double);                                              \
  template void SimulationOf<T>::setLimits(JointId, int, const std::optional<std::array<double, 2>>&);                            \
  template void SimulationOf<T>::setGravity(Vec3d);                                                                               \
  template void SimulationOf<T>::endTimeStep();
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
