// Sleep: islands of bodies that have been slow for a while are passed over until something stirs them.
//
// In: the step's manifolds and joints, for how many steps each body has been slow. Out: a mark for each body that sleeps, and constants in which
// those are fixed bodies: from there on nothing in a step knows of sleep but the layout of rows, which leaves their contacts out.
//
// An island is what contacts and joints (kernels/joints/joint_islands.cu) connect, found anew in each step, by a union of sets in which a root is
// only ever put below a smaller one (after Jaiganesh and Burtscher, "A High-Performance Connected Components Implementation for GPUs", 2018). So an
// island's root is its smallest body, in whatever order threads come by, and no result depends on them. An island sleeps if each of its bodies has
// been slow for long enough, no force from outside acts on one, none has a joint, none touches a kinematic body that moves, and something that stands
// still holds it: what only drifts, slowly as it may, goes on drifting.
//
// Contacts of bodies that sleep are found as all others are, and keep their impulses, and so do joints: an island that wakes goes on as if it had not
// slept. Why nothing jumps: what falls asleep is slower than the limit, and what wakes is where it was.
//
// Memory: 36 bytes a body slot and another record of its constants.
#include "kernels/state/sleep.hpp"

#include "kernels/runtime/launch.hpp"
#include "kernels/state/islands.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct BeginIslands {
  SleepInput<T> in;
  SleepArrays<T> arrays;

  CAIRN_HD void operator()(int i) const {
    arrays.parents[i] = i;
    arrays.islandNotes[i] = 0;
    const Vec3<T> none{T(0), T(0), T(0)};
    const Vec3<T> force = in.forces == nullptr ? none : in.forces[i].force, torque = in.forces == nullptr ? none : in.forces[i].torque;
    const bool pushed = dot(force, force) + dot(torque, torque) > T(0);
    arrays.notes[i] = pushed || arrays.quietSteps[i] < in.stepsToSleep ? kIslandStirred : 0;
  }
};

template <class T> struct JoinByContact {
  IslandBodies<T> bodies;
  ManifoldView<T> manifolds;

  CAIRN_HD void operator()(int i) const { joinIslands(bodies, manifolds.manifolds[i].bodyA, manifolds.manifolds[i].bodyB); }
};

template <class T> struct GatherNotes {
  SleepInput<T> in;
  SleepArrays<T> arrays;

  CAIRN_HD void operator()(int i) const {
    if (isDynamic(in.constants[i]) && arrays.notes[i] != 0) atomicOrInt(arrays.islandNotes + rootOf(arrays.parents, i), arrays.notes[i]);
  }
};

template <class T> struct PutToSleep {
  SleepInput<T> in;
  SleepArrays<T> arrays;
  BodyVelocity<T>* velocities;
  BodyInertia<T>* inertias;

  CAIRN_HD void operator()(int i) const {
    BodyConstants<T> constants = in.constants[i];
    const bool sleeps = isDynamic(constants) && arrays.islandNotes[rootOf(arrays.parents, i)] == kIslandHeld;
    arrays.asleep[i] = sleeps ? 1 : 0;
    if (sleeps) {
      BodyVelocity<T>& u = velocities[i];
      arrays.inverseMasses[i] = {u.invMassX, u.invMassY, inertias[i].invMassZ};
      const Vec3<T> none{T(0), T(0), T(0)};
      u = {none, T(0), none, T(0)};
      inertias[i].invMassZ = T(0);
      constants.flags = constants.flags & ~kBodyDynamic;
    }
    arrays.constants[i] = constants;
  }
};

template <class T> struct GiveMassBack {
  SleepArrays<T> arrays;
  BodyVelocity<T>* velocities;
  BodyInertia<T>* inertias;

  CAIRN_HD void operator()(int i) const {
    if (arrays.asleep[i] == 0) return;
    velocities[i].invMassX = arrays.inverseMasses[i].x;
    velocities[i].invMassY = arrays.inverseMasses[i].y;
    inertias[i].invMassZ = arrays.inverseMasses[i].z;
  }
};

// The speed of a body's parts, on the whole: its turn counts at its radius of gyration.
template <class T> struct CountQuietSteps {
  SleepArrays<T> arrays;
  SleepEnd<T> end;

  CAIRN_HD void operator()(int i) const {
    if (end.status != nullptr && end.status->failed != 0) return;
    arrays.asleepBefore[i] = arrays.asleep[i];
    const BodyConstants<T>& body = end.constants[i];
    if (arrays.asleep[i] != 0 || !isDynamic(body)) return;
    const BodyVelocity<T>& u = end.velocities[i];
    const T gyration = T(0.5) * (body.inertia.xx + body.inertia.yy + body.inertia.zz) / body.mass;
    const bool slow = dot(u.v, u.v) + gyration * dot(u.w, u.w) < end.speed * end.speed;
    const int steps = arrays.quietSteps[i];
    arrays.quietSteps[i] = !slow ? 0 : steps < end.stepsToSleep ? steps + 1 : steps;
  }
};

}  // namespace

template <class T> void beginIslands(Queue& queue, const SleepInput<T>& input, const SleepArrays<T>& arrays, const BodyVelocity<T>* velocities) {
  forEach(queue, "sleep/begin", input.bodySlots, BeginIslands<T>{input, arrays});
  const IslandBodies<T> bodies{arrays.parents, arrays.notes, input.constants, velocities};
  forEach(queue, "sleep/contacts", input.manifolds.found, input.manifolds.count, JoinByContact<T>{bodies, input.manifolds});
}

template <class T>
void chooseSleepers(Queue& queue, const SleepInput<T>& input, const SleepArrays<T>& arrays, BodyVelocity<T>* velocities, BodyInertia<T>* inertias) {
  forEach(queue, "sleep/notes", input.bodySlots, GatherNotes<T>{input, arrays});
  forEach(queue, "sleep/choose", input.bodySlots, PutToSleep<T>{input, arrays, velocities, inertias});
}

template <class T>
void giveMassesBack(Queue& queue, int bodySlots, const SleepArrays<T>& arrays, BodyVelocity<T>* velocities, BodyInertia<T>* inertias) {
  forEach(queue, "sleep/masses", bodySlots, GiveMassBack<T>{arrays, velocities, inertias});
}

template <class T> void endSleep(Queue& queue, int bodySlots, const SleepArrays<T>& arrays, const SleepEnd<T>& end) {
  forEach(queue, "sleep/end", bodySlots, CountQuietSteps<T>{arrays, end});
}

#define CAIRN_INSTANTIATE(T)                                                                                            \
  template void beginIslands(Queue&, const SleepInput<T>&, const SleepArrays<T>&, const BodyVelocity<T>*);              \
  template void chooseSleepers(Queue&, const SleepInput<T>&, const SleepArrays<T>&, BodyVelocity<T>*, BodyInertia<T>*); \
  template void giveMassesBack(Queue&, int, const SleepArrays<T>&, BodyVelocity<T>*, BodyInertia<T>*);                  \
  template void endSleep(Queue&, int, const SleepArrays<T>&, const SleepEnd<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
