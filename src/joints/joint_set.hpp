// The joints of a World between steps: handles, names and definitions. What a step computes with is made from them by joint_rows.
#pragma once

#include "src/state/slot_table.hpp"
#include "src/state/state.hpp"

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

namespace cairn::v0 {

struct Joint {
  JointDef def;
  BodyId bodyA, bodyB;
  bool broken = false;
};

// Throws InvalidInput unless the two are different bodies of which one at least is dynamic.
template <class T> void requireJoinable(const State<T>& bodies, BodyId bodyA, BodyId bodyB, const std::string& place);

class JointSet {
 public:
  // Joints come and go between steps. The definition has been validated and the bodies can be joined. Throws InvalidInput for a name that is taken;
  // whatever it throws, nothing has changed.
  JointId add(const JointDef& def, BodyId bodyA, BodyId bodyB);
  void remove(JointId joint);
  // The joints of a body that is about to go.
  void removeOf(int bodySlot);
  // Throws InvalidInput if the joint cannot have such a motor.
  void setMotor(JointId joint, int axis, JointMotor motor, double target, double maxForce);
  // Throws InvalidInput if the joint cannot have such limits; none: it has none on this axis.
  void setLimits(JointId joint, int axis, const std::optional<std::array<double, 2>>& limits);
  // A definition that it had before, where what follows from a change could not be done.
  void putBack(int slot, JointDef&& def) noexcept { joints_[static_cast<size_t>(slot)].def = std::move(def); }
  // Throws InvalidInput if a joint of this body, broken ones too, joins it to one that is not dynamic.
  template <class T> void requireOtherDynamic(int bodySlot, const State<T>& bodies) const;
  // A body has got another type, or its centre of mass another place in it: what was made of its joints serves no longer.
  void changeBody(int bodySlot);
  // A broken joint keeps its handle and acts no longer.
  void markBroken(int slot);
  // It acts again, as one that never has.
  void mend(int slot);

  int count() const { return slots_.count(); }
  int slotCount() const { return slots_.slots(); }
  bool alive(int slot) const { return slots_.alive(slot); }
  const Joint& operator[](int slot) const { return joints_[static_cast<size_t>(slot)]; }
  JointId idOf(int slot) const { return slots_.idOf(slot); }
  int slotOf(JointId joint) const { return slots_.slotOf(joint); }  // throws InvalidInput for a handle that is gone or never was
  std::vector<JointId> ids() const { return slots_.ids(); }
  JointId find(const std::string& name) const { return slots_.find(name); }
  std::string name(int slot) const { return slots_.name(slot); }

  // For snapshots. Reads into a set without joints whose bodies are there. Throws InvalidInput: writing, for joints that functions of the caller's
  // define; reading, for what no joint can be. In joint_snapshot.cpp.
  template <class Archive, class T> void archive(Archive& a, const State<T>& bodies);

  // Counts the changes to which joints act, and on what: those added, removed and broken, and bodies that changed.
  long revision() const { return revision_; }

 private:
  template <class Change> void changeAxis(JointId joint, int axis, const Change& change);

  SlotTable<JointId> slots_{"joint"};
  std::vector<Joint> joints_;  // by slot
  long revision_ = 0;
};

}  // namespace cairn::v0
