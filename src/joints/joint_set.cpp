#include "src/joints/joint_set.hpp"

#include <cairn/error.hpp>

namespace cairn {

template <class T> void requireJoinable(const State<T>& bodies, BodyId bodyA, BodyId bodyB, const std::string& place) {
  const int a = bodies.slotOf(bodyA), b = bodies.slotOf(bodyB);
  if (a == b) throw InvalidInput(place, "a joint must have two bodies, both are '" + bodies.name(a) + "'");
  if (bodies.dynamic(a) || bodies.dynamic(b)) return;
  throw InvalidInput(place, "'" + bodies.name(a) + "' and '" + bodies.name(b) + "' are both not dynamic: there is nothing to join");
}

JointId JointSet::add(const JointDef& def, BodyId bodyA, BodyId bodyB) {
  Joint joint{def, bodyA, bodyB, false};
  const int slot = free_.empty() ? slotCount() : *free_.begin();
  if (slots_.size() == slots_.capacity()) slots_.reserve(2 * slots_.size() + 1);
  if (!def.name.empty() && !slotByName_.emplace(def.name, slot).second) {
    throw InvalidInput("joint '" + def.name + "'", "there is a joint of this name already");
  }
  // Nothing throws from here on.
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    free_.erase(free_.begin());
  }
  Slot& own = slots_[static_cast<size_t>(slot)];
  own.joint = std::move(joint);
  own.alive = true;
  ++count_;
  ++revision_;
  return {slot, own.generation};
}

void JointSet::remove(JointId id) {
  const int slot = slotOf(id);
  free_.insert(slot);
  Slot& own = slots_[static_cast<size_t>(slot)];
  if (!own.joint.def.name.empty()) slotByName_.erase(own.joint.def.name);
  own.joint = Joint{};
  own.alive = false;
  ++own.generation;
  --count_;
  ++revision_;
}

void JointSet::removeOf(int bodySlot) {
  for (int slot = 0; slot < slotCount(); ++slot) {
    const Joint& joint = (*this)[slot];
    if (alive(slot) && (joint.bodyA.index == bodySlot || joint.bodyB.index == bodySlot)) remove(idOf(slot));
  }
}

void JointSet::setMotor(JointId id, int axis, JointMotor motor, double target, double maxForce) {
  const int slot = slotOf(id);
  JointDef def = (*this)[slot].def;
  const std::string place = "joint '" + name(slot) + "'";
  if (axis < 0 || axis > 5) throw InvalidInput(place, "axis must be a whole number from 0 to 5, is " + std::to_string(axis));
  JointAxis& own = def.axes[static_cast<size_t>(axis)];
  own.motor = motor;
  own.target = target;
  own.maxForce = maxForce;
  validate(def, place);
  slots_[static_cast<size_t>(slot)].joint.def = std::move(def);
}

void JointSet::markBroken(int slot) {
  slots_[static_cast<size_t>(slot)].joint.broken = true;
  ++revision_;
}

int JointSet::slotOf(JointId id) const {
  if (id.index < 0 || id.index >= slotCount() || !alive(id.index) || at(id.index).generation != id.generation) {
    throw InvalidInput("joint id " + std::to_string(id.index) + "." + std::to_string(id.generation),
                       "no such joint: it was removed, or belongs to another World");
  }
  return id.index;
}

std::vector<JointId> JointSet::ids() const {
  std::vector<JointId> ids;
  for (int slot = 0; slot < slotCount(); ++slot) {
    if (alive(slot)) ids.push_back(idOf(slot));
  }
  return ids;
}

std::string JointSet::name(int slot) const {
  const std::string& given = (*this)[slot].def.name;
  return given.empty() ? "joint-" + std::to_string(slot) : given;
}

JointId JointSet::find(const std::string& wanted) const {
  const auto found = slotByName_.find(wanted);
  if (found != slotByName_.end()) return idOf(found->second);
  for (int slot = 0; slot < slotCount(); ++slot) {
    if (alive(slot) && (*this)[slot].def.name.empty() && name(slot) == wanted) return idOf(slot);
  }
  throw InvalidInput("joint '" + wanted + "'", "there is no joint of this name");
}

template void requireJoinable(const State<float>&, BodyId, BodyId, const std::string&);
template void requireJoinable(const State<double>&, BodyId, BodyId, const std::string&);

}  // namespace cairn
