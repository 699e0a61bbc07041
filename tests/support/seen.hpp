// All that a user can see of a World, now and some steps later: for tests of what a refusal leaves behind.
#pragma once

#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <sstream>
#include <string>

namespace cairn::test {

// But for what the last step answered, which a refused step takes away.
inline std::string seenOf(const World& world) {
  std::ostringstream seen;
  // Not the snapshot's bytes: what each step works out anew is in it too, and may be that of the step that was refused.
  seen << world.save().bytes.size() << " bytes, " << world.stateHash() << ", step " << world.report().step << ':';
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

// Whether the n-th request that the action makes was refused, and there was one so late.
using Refused = std::function<bool(int n, const std::function<void()>& action)>;

// Each request of the action is refused once. The World goes on as one that was never asked, or does what it is asked the second time.
inline void expectRefusalsToLeaveNothing(const Scene& scene, const WorldSettings& settings, const std::function<void(World&)>& prepare,
                                         const std::function<void(World&)>& action, const Refused& refused, int least) {
  constexpr int kMost = 5000;
  World untouched(scene, settings), acted(scene, settings);
  prepare(untouched);
  prepare(acted);
  const Seen without = nowAndLater(untouched);
  action(acted);
  const Seen with = nowAndLater(acted);
  int n = 1;
  for (; n < kMost; ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    World world(scene, settings);
    prepare(world);
    if (!refused(n, [&] { action(world); })) break;
    if (n % 2 == 0) {
      ASSERT_EQ(nowAndLater(world), without);
      continue;
    }
    ASSERT_EQ(seenOf(world), without.now);
    action(world);
    ASSERT_EQ(nowAndLater(world), with);
  }
  EXPECT_GT(n, least) << "so few requests were made";
  EXPECT_LT(n, kMost);
}

}  // namespace cairn::test
