// What makes islands of bodies: sets that are united two by two, and notes of what concerns a whole island. Used by kernels/state/sleep.cu, which
// says why no order of threads shows in them.
#pragma once

#include "kernels/runtime/platform.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

enum IslandNotes : int {
  kIslandHeld = 1,     // something that stands still holds it
  kIslandStirred = 2,  // it has to stay awake
};

// By body slot, on the target.
template <class T> struct IslandBodies {
  int* parents;  // of the islands, as a forest; roots are their own
  int* notes;    // IslandNotes of each body
  const BodyConstants<T>* constants;
  const BodyVelocity<T>* velocities;
};

CAIRN_HD inline int rootOf(const int* parents, int body) {
  for (int parent = loadRelaxed(parents + body); parent != body; parent = loadRelaxed(parents + body)) body = parent;
  return body;
}

CAIRN_HD inline void unite(int* parents, int a, int b) {
  a = rootOf(parents, a);
  b = rootOf(parents, b);
  while (a != b) {
    const int small = a < b ? a : b, large = a < b ? b : a;
    const int before = atomicCasInt(parents + large, large, small);
    if (before == large) return;
    // It has got a parent since: its root takes its place.
    a = small;
    b = rootOf(parents, before);
  }
}

template <class T> CAIRN_HD inline bool isDynamic(const BodyConstants<T>& constants) { return (constants.flags & kBodyDynamic) != 0; }

// By a contact or a joint of two bodies, one of which is dynamic. A fixed one connects nothing.
template <class T> CAIRN_HD inline void joinIslands(const IslandBodies<T>& bodies, int a, int b) {
  const bool moves = isDynamic(bodies.constants[a]);
  if (moves && isDynamic(bodies.constants[b])) return unite(bodies.parents, a, b);
  const int fixed = moves ? b : a;
  const BodyVelocity<T>& u = bodies.velocities[fixed];
  const bool stirs = (bodies.constants[fixed].flags & kBodyKinematic) != 0 && dot(u.v, u.v) + dot(u.w, u.w) > T(0);
  atomicOrInt(bodies.notes + (moves ? a : b), stirs ? kIslandStirred : kIslandHeld);
}

}  // namespace cairn::v0
