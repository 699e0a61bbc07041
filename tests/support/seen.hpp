// All that a user can see of a World, now and some steps later: for tests of what a refusal leaves behind.
#pragma once

#include <cairn/world.hpp>

#include <ostream>
#include <sstream>
#include <string>

namespace cairn::test {

// But for what the last step answered, which a refused step takes away.
inline std::string seenOf(const World& world) {
  std::ostringstream seen;
  seen << world.stateHash() << ", step " << world.report().step << ':';
  for (const BodyId body : world.bodies()) seen << ' ' << world.bodyName(body) << ' ' << body.index << '.' << body.generation;
  for (const JointId joint : world.joints()) seen << ' ' << world.jointName(joint) << ' ' << joint.index << '.' << joint.generation;
  seen.precision(17);
  for (const JointState& joint : world.jointStates()) {
    seen << ' ' << joint.broken << ' ' << joint.error << ' ' << joint.force.x << ' ' << joint.force.y << ' ' << joint.torque.z;
  }
  return seen.str();
}

// Of steps that are queued together their bits tell what any step before them has lost.
struct Seen {
  std::string now, later;
};
inline bool operator==(const Seen& a, const Seen& b) { return a.now == b.now && a.later == b.later; }
inline void PrintTo(const Seen& seen, std::ostream* out) { *out << seen.now << "\n" << seen.later; }
inline Seen nowAndLater(World& world, int steps = 10) {
  Seen seen{seenOf(world), {}};
  world.step(steps);
  seen.later = seenOf(world);
  return seen;
}

}  // namespace cairn::test
