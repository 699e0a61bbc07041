// Contact events: which pairs of shapes begin to touch in a step, go on touching, or part, and how hard they met. See contact_events.cu.
#pragma once

#include "kernels/rows/rows.hpp"
#include "kernels/state/environments.hpp"
#include "kernels/state/step_check.hpp"

namespace cairn::v0 {

// Two shapes by slots, with their bodies'. That of the body in the smaller slot is A. Lists of pairs ascend by body A, body B, shape A, shape B.
struct TouchingPair {
  int bodyA, bodyB, shapeA, shapeB;
};
CAIRN_HD inline bool operator<(const TouchingPair& a, const TouchingPair& b) {
  if (a.bodyA != b.bodyA) return a.bodyA < b.bodyA;
  if (a.bodyB != b.bodyB) return a.bodyB < b.bodyB;
  return a.shapeA != b.shapeA ? a.shapeA < b.shapeA : a.shapeB < b.shapeB;
}

// A pair that touched in the last step. Forgotten: neither its end nor that it goes on is anybody's affair.
struct RememberedPair {
  TouchingPair pair;
  int forgotten;
};
struct RememberedPairs {
  RememberedPair* pairs;
  int* count;  // one number
  int room;    // of `pairs`; what lies behind the count means nothing
};

enum ContactPhaseCode : int { kContactBegins, kContactPersists, kContactEnds };  // the values of ContactPhase

template <class T> struct ContactEventRecord {
  TouchingPair pair;
  int phase, hit;
  T impulse, approachSpeed;
  Vec3<T> point, normal;  // from A to B
};

// Item i is a manifold. touching[i]: 1 if it touches. Its points' impulses are those of the whole step.
template <class T> void findTouching(Queue& queue, const ManifoldView<T>& manifolds, const ManifoldNumbers<T>* impulses, int* touching);

// Sort keys of the manifolds in `list`, of which the first *count are there: by shapes, then by bodies. The others get `keys` behind all slots and
// are -1 in the list.
struct TouchingKeys {
  uint64_t* keys;
  int* list;
  const int* count;
  int room;
  int slots, bits;  // slots of shapes or bodies, and so many bits that they are below 2^bits
};
template <class T> void shapeKeys(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& to);
template <class T> void bodyKeys(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& to);
template <class T> void listTouching(Queue& queue, const Manifold<T>* manifolds, const TouchingKeys& from, TouchingPair* pairs);

// ended[j]: 1 if the pair j of the last step touches no longer, for j < before.room.
void findEnded(Queue& queue, const RememberedPairs& before, const TouchingPair* now, const int* nowCount, int* ended);

// Both lists as one, in order.
template <class T> struct EventSources {
  ManifoldView<T> manifolds;
  const ManifoldNumbers<T>* impulses;  // by manifold
  const int* list;                     // the manifolds, one a pair that touches, in the order of
  const TouchingPair* now;             // their pairs
  const int* nowCount;
  int room;  // of both
  RememberedPairs before;
  const int* endedBefore;  // [before.room + 1]: pairs that have ended before each, and all of them
  const BodyPose<T>*posesBefore, *poses;
  const BodyVelocity<T>* velocitiesBefore;
  T hitThreshold;
};
template <class T> void writeEvents(Queue& queue, const EventSources<T>& from, ContactEventRecord<T>* events, int* count);

// The pairs of this step instead of the last one's; of a planned step, whose status is given, only if it was done.
void rememberPairs(Queue& queue, const TouchingPair* now, const int* nowCount, const StepStatus* status, const RememberedPairs& out);
// Those in masked environments, of so many bodies each, have never touched.
void forgetPairs(Queue& queue, const RememberedPairs& remembered, EnvironmentMask mask, int bodiesEach);

}  // namespace cairn::v0
