// The joints of a World between steps: handles, names and definitions. What a step computes with is made from them by joint_rows.
#pragma once

#include "src/state/state.hpp"

#include <cairn/scene.hpp>
#include <cairn/world.hpp>

#include <set>
#include <unordered_map>

namespace cairn {

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
  // A broken joint keeps its handle and acts no longer.
  void markBroken(int slot);

  int count() const { return count_; }
  int slotCount() const { return static_cast<int>(slots_.size()); }
  bool alive(int slot) const { return at(slot).alive; }
  const Joint& operator[](int slot) const { return at(slot).joint; }
  JointId idOf(int slot) const { return {slot, at(slot).generation}; }
  int slotOf(JointId joint) const;  // throws InvalidInput for a handle that is gone or never was
  std::vector<JointId> ids() const;
  JointId find(const std::string& name) const;
  std::string name(int slot) const;

  // Counts the changes to which joints act: those added, removed and broken.
  long revision() const { return revision_; }

 private:
  struct Slot {
    Joint joint;
    uint32_t generation = 0;
    bool alive = false;
  };
  const Slot& at(int slot) const { return slots_[static_cast<size_t>(slot)]; }

  std::vector<Slot> slots_;
  std::set<int> free_;
  std::unordered_map<std::string, int> slotByName_;
  int count_ = 0;
  long revision_ = 0;
};

}  // namespace cairn
