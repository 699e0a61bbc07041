// The environments of a World: copies of one scene that never meet. What is particular to each, and what all of them start from. Slots:
// kernels/state/environments.hpp; what they mean to the user: docs/environments.md.
#pragma once

#include "kernels/collide/broad_phase_bounds.hpp"
#include "kernels/state/environments.hpp"
#include "src/state/state.hpp"

#include <cairn/scene.hpp>
#include <cairn/settings.hpp>

#include <vector>

namespace cairn::v0 {

// Throws InvalidInput: for a number of environments that is none or too large for the scene, which has been validated, and for settings with which
// the bits of one environment would depend on the others.
void requireEnvironments(const Scene& scene, int count, const WorldSettings& settings);
void requireEnvironments(const WorldSettings& settings);
// The scene so many times, one copy behind the other. "box" of the fourth one is "box@3".
Scene replicated(const Scene& scene, int count);

template <class T> class Environments {
 public:
  // Of a World whose bodies have just been made from replicated().
  void begin(Queue& queue, const State<T>& bodies, const EnvironmentLayout& layout);

  const EnvironmentLayout& layout() const { return layout_; }
  bool any() const { return layout_.any(); }
  ShapeEnvironments ofShapes() const;
  int of(int bodySlot) const { return any() ? bodySlot / layout_.bodies : -1; }
  // Throws InvalidInput for what no environment has.
  void require(int environment) const;
  void requireFixed(const char* call) const;  // for calls that would make environments differ in what is in them
  bool anyRestitution() const { return anyRestitution_; }
  bool anyRolling() const { return anyRolling_; }  // torsional or rolling friction

  // Gravity by environment. One that was never given any of its own has the common one.
  void setGravity(int environment, Vec3d gravity, Vec3d common);
  void forgetGravity() { gravities_.clear(); }
  Vec3d gravityOf(int environment, Vec3d common) const;
  GravityField<T> field(Queue& queue, Vec3d common) const;
  GravityField<double> wideField(Queue& queue, Vec3d common) const;

  // The mask on the target: copied from the host, or the caller's that lies there.
  EnvironmentMask uploaded(Queue& queue, const std::vector<unsigned char>& mask);
  // The caller's as far as the steps before were done, at an address that stays.
  EnvironmentMask chosen(Queue& queue, EnvironmentMask mask, const StepStatus* status);
  std::vector<unsigned char> downloaded(Queue& queue, EnvironmentMask mask) const;
  EnvironmentStart<T> start() const { return {startPoses_.data(), startVelocities_.data(), layout_.bodies}; }

  // For snapshots. Reads once the bodies are there; throws InvalidInput for what does not fit them.
  template <class Archive> void archive(Archive& a, Queue& queue, const State<T>& bodies, int jointSlots);

 private:
  void upload(Queue& queue) const;

  EnvironmentLayout layout_;
  // At the start: impacts are looked for, and rolling resisted, in all environments or in none.
  bool anyRestitution_ = false, anyRolling_ = false;
  std::vector<Vec3d> gravities_;  // by environment; empty: the common one
  // On the target once they are asked for: many may be set one after the other.
  mutable bool uploaded_ = false;
  mutable Buffer<Vec3<T>> gravitiesOnTarget_;
  mutable Buffer<Vec3d> wideGravities_;
  Buffer<BodyPose<T>> startPoses_;  // of one environment
  Buffer<BodyVelocity<T>> startVelocities_;
  Buffer<unsigned char> mask_, chosen_;  // `chosen_` from the beginning on: a capture has no room to make
};

}  // namespace cairn::v0
