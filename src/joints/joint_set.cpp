#include "src/joints/joint_set.hpp"

#include <cairn/error.hpp>

#include <algorithm>

namespace cairn::v0 {

template <class T> void requireJoinable(const State<T>& bodies, BodyId bodyA, BodyId bodyB, const std::string& place) {
  const int a = bodies.slotOf(bodyA), b = bodies.slotOf(bodyB);
  if (a == b) throw InvalidInput(place, "a joint must have two bodies, both are '" + bodies.name(a) + "'");
  if (bodies.dynamic(a) || bodies.dynamic(b)) return;
  throw InvalidInput(place, "'" + bodies.name(a) + "' and '" + bodies.name(b) + "' are both not dynamic: there is nothing to join");
}

JointId JointSet::add(const JointDef& def, BodyId bodyA, BodyId bodyB) {
  Joint joint{def, bodyA, bodyB, false};
  makeRoom(joints_, joints_.size() + 1);
  const int slot = slots_.claim(def.name);
  // Nothing throws from here on.
  joints_.resize(static_cast<size_t>(slotCount()));
  joints_[static_cast<size_t>(slot)] = std::move(joint);
  ++revision_;
  return idOf(slot);
}

void JointSet::remove(JointId id) {
  const int slot = slotOf(id);
  joints_[static_cast<size_t>(slot)] = Joint{};
  slots_.release(slot);
  ++revision_;
}

void JointSet::removeOf(int bodySlot) {
  for (int slot = 0; slot < slotCount(); ++slot) {
    const Joint& joint = (*this)[slot];
    if (alive(slot) && (joint.bodyA.index == bodySlot || joint.bodyB.index == bodySlot)) remove(idOf(slot));
  }
}

template <class T> void JointSet::requireOtherDynamic(int bodySlot, const State<T>& bodies) const {
  for (int slot = 0; slot < slotCount(); ++slot) {
    const int a = (*this)[slot].bodyA.index, b = (*this)[slot].bodyB.index;
    if (!alive(slot) || (a != bodySlot && b != bodySlot)) continue;
    const int other = a == bodySlot ? b : a;
    if (bodies.dynamic(other)) continue;
    throw InvalidInput("type of body '" + bodies.name(bodySlot) + "'",
                       "must stay dynamic: joint '" + name(slot) + "' joins it to '" + bodies.name(other) + "', which is not dynamic");
  }
}

void JointSet::changeBody(int bodySlot) {
  const auto joins = [bodySlot](const Joint& joint) { return joint.bodyA.index == bodySlot || joint.bodyB.index == bodySlot; };
  if (std::any_of(joints_.begin(), joints_.end(), joins)) ++revision_;
}

template <class Change> void JointSet::changeAxis(JointId id, int axis, const Change& change) {
  const int slot = slotOf(id);
  JointDef def = (*this)[slot].def;
  const std::string place = "joint '" + name(slot) + "'";
  if (axis < 0 || axis > 5) throw InvalidInput(place, "axis must be a whole number from 0 to 5, is " + std::to_string(axis));
  change(def.axes[static_cast<size_t>(axis)]);
  validate(def, place);
  joints_[static_cast<size_t>(slot)].def = std::move(def);
}

void JointSet::setMotor(JointId id, int axis, JointMotor motor, double target, double maxForce) {
  changeAxis(id, axis, [&](JointAxis& own) {
    own.motor = motor;
    own.target = target;
    own.maxForce = maxForce;
  });
}

void JointSet::setLimits(JointId id, int axis, const std::optional<std::array<double, 2>>& limits) {
  changeAxis(id, axis, [&](JointAxis& own) { own.limits = limits; });
}

void JointSet::markBroken(int slot) {
  joints_[static_cast<size_t>(slot)].broken = true;
  ++revision_;
}

void JointSet::mend(int slot) {
  joints_[static_cast<size_t>(slot)].broken = false;
  ++revision_;
}

template void JointSet::requireOtherDynamic(int, const State<float>&) const;
template void JointSet::requireOtherDynamic(int, const State<double>&) const;
template void requireJoinable(const State<float>&, BodyId, BodyId, const std::string&);
template void requireJoinable(const State<double>&, BodyId, BodyId, const std::string&);

}  // namespace cairn::v0
