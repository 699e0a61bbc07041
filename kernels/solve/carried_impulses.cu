// Carried impulses: what those of the last substep did to a body, done once more.
//
// In: velocities at the last substep's end and before its impulses. Out: velocities with the impulses so far.
//
// Where contacts stay what they are within a step, the impulses so far change a body's velocity by the sum of M^-1 J^T lambda over its rows. That sum
// is known: each sweep has added to it what it changed, and so it is the velocity at a substep's end less that before its impulses. Applying lambda
// to the next substep's velocities, which takes a pass over all rows, colour by colour, becomes an addition a body, with a rounding of its own.
// Speed limits are taken out of it (IntegratePosition), impacts, damping and forces come before it.
//
// Rows of bodies that turn fast are made anew in each substep, from no impulses (turning_rows.cu). What those of the last substep did is taken out
// first, by a pass over the rows that acts on these alone: on the velocities before the impulses, which then count as if they had had it. The bodies
// themselves have no other rows, and carry nothing. So what a body gets depends on its own contacts alone, whoever else turns.
//
// One item a body: the order does not matter.
#include "kernels/solve/carried_impulses.hpp"

#include "kernels/runtime/launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct CarryToBody {
  CarriedBodies<T> bodies;
  CAIRN_HD void operator()(int i) const {
    const BodyVelocity<T> before = bodies.velocities[i];
    if ((bodies.constants[i].flags & kBodyDynamic) != 0 && (bodies.turning == nullptr || bodies.turning[i] == 0)) {
      bodies.velocities[i].v = before.v + bodies.kept[i].v;
      bodies.velocities[i].w = before.w + bodies.kept[i].w;
    }
    bodies.kept[i] = before;
  }
};

}  // namespace

template <class T> void carryImpulses(Queue& queue, int bodySlots, const CarriedBodies<T>& bodies) {
  forEach(queue, "solve/carry", bodySlots, CarryToBody<T>{bodies});
}

template void carryImpulses(Queue&, int, const CarriedBodies<float>&);
template void carryImpulses(Queue&, int, const CarriedBodies<double>&);

}  // namespace cairn::v0
