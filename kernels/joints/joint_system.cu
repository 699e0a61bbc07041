// The joints' equations, solved at once and exactly.
//
// Gauss-Seidel hands an impulse on by one body a sweep: a chain of n links with a heavy end needs some n^2 sweeps times the ratio of masses. The
// direct solve takes all locked axes at once. Their impulses lambda change the speeds along them by a matrix that has a block wherever two joints
// share a body,
//   A lambda = r,   A = J M^-1 J^T,   r: the changes that those speeds need,
// and a sparse factor L S L^T of A costs a tree of joints no more than its size (Baraff, "Linear-Time Dynamics using Lagrange Multipliers", 1996), a
// net of them little more. A body with many joints would make all of them neighbours: it keeps its change of velocity v as an unknown of its own,
// with the row J^T lambda - M v = 0, whose pivots are negative (S holds the signs). Such matrices have a factor in any order of elimination
// (Vanderbei, "Symmetric Quasidefinite Matrices", SIAM J. Optim. 5, 1995). src/joints/symbolic_factor.cpp finds an order with few blocks and few
// levels. Blocks of a level do not see each other; each is made by one item, which takes its sums in a fixed order. So whether levels go one after
// the other or a single thread goes through the trees of the elimination, as they lie in memory, makes no difference to a bit. Components, which hang
// together by joints in themselves and with nothing else, are solved apart on a device, each by a block that waits for no other.
//
// Joints that close a loop may ask for the same thing twice, or for the impossible. Loops therefore get a compliance e, A + e D with D the diagonal
// of A: a repeated demand is shared out, an impossible one stays an error, and solving again takes the part of the impulses that the compliance has
// taken off to joints that can bear it. All in double, since the masses of many bodies meet in one number.
#include "kernels/joints/joint_system.hpp"

#include "kernels/joints/joint_columns.hpp"
#include "kernels/joints/joint_factor.hpp"
#include "kernels/joints/joint_limits.hpp"
#include "kernels/joints/joint_passes.hpp"
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/sequence_launch.hpp"

#include <algorithm>

CAIRN_CPU_PASSES(systemPass)

namespace cairn::v0 {
namespace {

static_assert(kSystemWords == kWalkWords);

constexpr int kMaxAttempts = 3;  // solves of a component, each with fewer active limits than the one before

template <class T> struct FindInContact {
  SystemView view;
  const Manifold<T>* manifolds;

  CAIRN_HD void mark(int body) const {
    const int component = view.componentOfBody[body];
    if (component >= 0) atomicOrInt(view.found + component, kComponentInContact);
  }
  CAIRN_HD void operator()(int index) const {
    mark(manifolds[index].bodyA);
    mark(manifolds[index].bodyB);
  }
};

struct ActivatePart {
  SystemView view;
  SystemPart part;
  CAIRN_HD void operator()(int component) const {
    const int passedOver = part == SystemPart::OutOfContact ? kComponentAsleep | kComponentInContact : kComponentAsleep;
    const bool delicate = view.loops[component] != 0 || (view.found[component] & (kComponentTurnsFast | kComponentStiffened)) != 0;
    view.active[component] = (delicate || part != SystemPart::Delicate) && (view.found[component] & passedOver) == 0 ? 1 : 0;
  }
};
struct Deactivate {
  int* active;
  CAIRN_HD void operator()(int component) const { active[component] = 0; }
};
struct IsActive {
  const int* active;
  CAIRN_HD bool operator()(int component) const { return active[component] != 0; }
};
struct LacksFactor {
  const int* active;
  const int* dirty;
  CAIRN_HD bool operator()(int component) const { return active[component] != 0 && lacksFactor(dirty[component]); }
};
struct LacksRows {
  const int* active;
  const int* dirty;
  CAIRN_HD bool operator()(int component) const { return active[component] != 0 && lacksRows(dirty[component]); }
};

// Item i: component i, and the body in slot i.
template <class T> struct MarkMoved {
  SystemView view;
  int bodySlots;
  const BodyMotion<T>* motions;
  T fast;  // square of the imaginary part of a turn, from which on it is one of a body that turns fast

  CAIRN_HD void operator()(int i) const {
    if (i < view.componentCount) atomicOrInt(view.dirty + i, kRowsStale | kFactorOlder);
    if (i >= bodySlots) return;
    const int component = view.componentOfBody[i];
    const Quat<T> dq = motions[i].dq;
    const T turn = dq.x * dq.x + dq.y * dq.y + dq.z * dq.z;
    if (component < 0 || !(turn > T(kStaleRotation * kStaleRotation))) return;
    atomicOrInt(view.dirty + component, kFactorStale);
    if (turn > fast) atomicOrInt(view.found + component, kComponentTurnsFast);
  }
};
struct MarkOlderDirty {
  int* dirty;
  CAIRN_HD void operator()(int component) const {
    if ((dirty[component] & kFactorOlder) != 0) dirty[component] |= kFactorStale;
  }
};

// The lanes of the joints, on the target `count` of them, if it is not null.
template <class T> struct FlaggedJoints {
  FlagComponents<T> flag;
  const int* count;
  int capacity;

  CAIRN_HD int lanes() const { return count != nullptr && *count < capacity ? *count : capacity; }
  CAIRN_HD void operator()(int lane) const {
    if (flag.view.joint[lane] >= 0) flag.template at<T>(lane);
  }
};
// pass(list[k]).
template <class Pass> struct Listed {
  const int* list;
  Pass pass;
  CAIRN_HD void operator()(int k) const { pass(list[k]); }
};
template <class T> struct MakeBlock {
  FactorBlock<T> factor;
  CAIRN_HD void operator()(int block) const { factor.make(block); }
};

// --- what a solve goes through ---

// What a CPU's packs of lanes can do without, found out once a solve.
struct Shortcuts {
  bool rowsComeAlong = false;  // new rows are made in the pass that makes the right-hand side
  bool everywhere = false;     // all of a plain system is solved, with new rows all over or nowhere: no node is asked
};

// All of the system. The CPU has passes of its own for what takes longest there.
template <class T> struct WholeSystem {
  const SystemView& view;
  const FlaggedJoints<T>& joints;

  CAIRN_HD_AS_CALLED template <class Walk, class Body> CAIRN_HD void components(const Walk& walk, const Body& body) const {
    walk.over(view.componentCount, kLightGrain, body);
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Holds> CAIRN_HD bool any(const Walk& walk, const Holds& holds) const {
    return walk.any(view.componentCount, holds);
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Body> CAIRN_HD void nodes(const Walk& walk, const Body& body) const {
    walk.over(view.nodeCount, kNodeGrain, body);
  }
  template <class Body> void nodes(const HostWalk& walk, const Body& body) const { walk.over(view.nodeCount, kNodeGrain, body); }
  void nodes(const HostWalk& walk, const StoreImpulses<T>& of) const { storeImpulses(walk.queue, of); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void rows(const Walk& walk, const MakeRows<T>& of) const { nodes(walk, of); }
  void rows(const HostWalk& walk, const MakeRows<T>& of) const { makeRows(walk.queue, of); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void bodies(const Walk& walk, const ApplyImpulses<T>& body) const {
    walk.over(view.bodyCount, kNodeGrain, body);
  }
  void bodies(const HostWalk& walk, const ApplyImpulses<T>& body) const { runAlone(walk, ApplyToBodies<T>{&body}); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void flag(const Walk& walk) const { walk.over(joints.lanes(), 1, joints); }
  void flag(const HostWalk& walk) const { flagOffTarget(walk.queue, joints.flag); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void rightHandSide(const Walk& walk, const RightHandSide<T>& of) const {
    walk.over(joints.lanes(), 1, of);
  }
  void rightHandSide(const HostWalk& walk, const RightHandSide<T>& of) const { cairn::v0::rightHandSide(walk.queue, of); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD Shortcuts shortcuts(const Walk&) const { return {}; }
  Shortcuts shortcuts(const HostWalk&) const {
    const int *const active = view.active, *const dirty = view.dirty, count = view.componentCount;
    const bool all = std::all_of(active, active + count, [](int flag) { return flag != 0; });
    const bool alike = std::all_of(dirty, dirty + count, lacksRows) || std::none_of(dirty, dirty + count, lacksRows);
    return {!view.limited && !view.looped, view.plain && all && alike};
  }

  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void factor(const Walk& walk, const FactorBlock<T>& factor) const {
    walk.levels({view.itemLevels, view.hostItemLevels, view.itemLevelCount}, LevelOrder::Ascending, Listed<MakeBlock<T>>{view.items, {factor}});
  }
  void factor(const HostWalk& walk, const FactorBlock<T>& factor) const {
    if (walk.alone(view.widestItemLevel)) return runAlone(walk, FactorColumns<T>{&factor});
    this->template factor<HostWalk>(walk, factor);
    // A World that goes on with other threads may take packs again.
    if (view.packs.count > 0) runAlone(walk, StoreColumnPacks{&view});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void substitute(const Walk& walk) const {
    const NodeLevels levels{view.nodeLevels, view.hostNodeLevels, view.nodeLevelCount};
    walk.levels(levels, LevelOrder::Ascending, Listed<ForwardSubstitute>{view.nodesByLevel, {view}});
    walk.levels(levels, LevelOrder::Descending, Listed<BackSubstitute>{view.nodesByLevel, {view}});
  }
  void substitute(const HostWalk& walk) const {
    if (!walk.alone(view.widestNodeLevel)) return this->template substitute<HostWalk>(walk);
    runAlone(walk, SubstituteColumns<T>{&view});
  }

 private:
  template <class Pass> static void runAlone(const HostWalk& walk, const Pass& pass) {
    runOnCpu<SystemPasses>(systemPassHere, *walk.queue.team, pass);
  }
};

// pass(lane) of a node's joint.
template <class T, class Pass> struct LaneOfNode {
  const SystemView& view;
  const int* laneOfJoint;
  const Pass& pass;
  CAIRN_HD_AS_CALLED CAIRN_HD void operator()(int node) const {
    const int joint = view.nodes[node].joint;
    if (joint >= 0) pass(laneOfJoint[joint]);
  }
};

// One component, on a device, by a block of its own.
template <class T> struct OneComponent {
  const SystemView& view;
  const FlaggedJoints<T>& joints;
  const int* laneOfJoint;
  int component;

  CAIRN_HD_AS_CALLED template <class Walk, class Body> CAIRN_HD void components(const Walk& walk, const Body& body) const {
    walk.over(1, 1, [&](int) { body(component); });
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Holds> CAIRN_HD bool any(const Walk& walk, const Holds& holds) const {
    return walk.agreed(holds(component));
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Body> CAIRN_HD void nodes(const Walk& walk, const Body& body) const {
    const ComponentLevelsView& of = view.components.nodes;
    const int first = of.starts[of.firstStart[component]], end = of.starts[of.firstStart[component + 1] - 1];
    walk.over(end - first, 1, [&](int k) { body(of.list[first + k]); });
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void rows(const Walk& walk, const MakeRows<T>& of) const { nodes(walk, of); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void bodies(const Walk& walk, const ApplyImpulses<T>& body) const {
    const int first = view.components.firstBody[component], end = view.components.firstBody[component + 1];
    walk.over(end - first, 1, [&](int k) { body(view.components.bodies[first + k]); });
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void flag(const Walk& walk) const {
    nodes(walk, LaneOfNode<T, FlaggedJoints<T>>{view, laneOfJoint, joints});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void rightHandSide(const Walk& walk, const RightHandSide<T>& of) const {
    nodes(walk, LaneOfNode<T, RightHandSide<T>>{view, laneOfJoint, of});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD Shortcuts shortcuts(const Walk&) const { return {}; }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void factor(const Walk& walk, const FactorBlock<T>& factor) const {
    const ComponentLevelsView& of = view.components.items;
    walk.levels(levelsOf(of), LevelOrder::Ascending, Listed<MakeBlock<T>>{of.list, {factor}});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void substitute(const Walk& walk) const {
    const ComponentLevelsView& of = view.components.nodes;
    walk.levels(levelsOf(of), LevelOrder::Ascending, Listed<ForwardSubstitute>{of.list, {view}});
    walk.levels(levelsOf(of), LevelOrder::Descending, Listed<BackSubstitute>{of.list, {view}});
  }

 private:
  CAIRN_HD NodeLevels levelsOf(const ComponentLevelsView& of) const {
    const int first = of.firstStart[component];
    return {of.starts + first, nullptr, of.firstStart[component + 1] - 1 - first};
  }
};

// --- the solve ---

template <class T> struct SolveSystem {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;
  FlaggedJoints<T> joints;
  SystemPart part;
  int solves;

  CAIRN_HD_AS_CALLED template <class Walk, class Part> CAIRN_HD bool anyActive(const Walk& walk, const Part& of) const {
    return of.any(walk, IsActive{view.active});
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Part> CAIRN_HD bool anyToFactorize(const Walk& walk, const Part& of) const {
    return of.any(walk, LacksFactor{view.active, view.dirty});
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Part> CAIRN_HD void factorize(const Walk& walk, const Part& of) const {
    of.factor(walk, FactorBlock<T>{view, bodies});
    of.components(walk, MarkFactorFresh{view});
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Part> CAIRN_HD void solve(const Walk& walk, const Part& of, bool first) const {
    if (view.limited) {
      of.nodes(walk, CompareLimits<T>{view, bodies, block});
      of.components(walk, MarkChangedDirty{view});
    }
    const Shortcuts shortcuts = of.shortcuts(walk);
    const bool lackRows = of.any(walk, LacksRows{view.active, view.dirty}), alongside = lackRows && shortcuts.rowsComeAlong;
    const RightHandSide<T> rightHandSide{view, bodies, block, alongside, shortcuts.everywhere};
    const JointSums sums = first || block.sums == JointSums::None ? block.sums : JointSums::Add;
    if (alongside) of.rightHandSide(walk, rightHandSide);
    if (lackRows) {
      if (!alongside) of.rows(walk, MakeRows<T>{view, bodies, block});
      of.components(walk, MarkRowsFresh{view});
    }
    const int attempts = view.limited && block.store ? kMaxAttempts : 1;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
      if (anyToFactorize(walk, of)) factorize(walk, of);
      if (!alongside) of.rightHandSide(walk, rightHandSide);
      of.substitute(walk);  // to the impulses that take away the errors of the joints' rows, as `block` counts them
      if (attempt < attempts) of.nodes(walk, FindNegativeMultipliers<T>{view, bodies});
      of.bodies(walk, ApplyImpulses<T>{view, bodies, shortcuts.everywhere});
      if (block.store) of.nodes(walk, StoreImpulses<T>{view, bodies, sums, shortcuts.everywhere});
      if (attempt == attempts) return;
      of.components(walk, ActivateChanged{view});
      if (!anyActive(walk, of)) return;
    }
  }
  CAIRN_HD_AS_CALLED template <class Walk, class Part> CAIRN_HD void goThrough(const Walk& walk, const Part& of) const {
    of.components(walk, ActivatePart{view, part});
    for (int done = 0; done < solves; ++done) {
      if (done > 0) {
        of.components(walk, Deactivate{view.active});
        of.flag(walk);
      }
      if (!anyActive(walk, of)) return;
      solve(walk, of, done == 0);
    }
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void operator()(const Walk& walk) const { goThrough(walk, WholeSystem<T>{view, joints}); }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void operator()(const Walk& walk, int component) const {
    goThrough(walk, OneComponent<T>{view, joints, bodies.laneOfJoint, component});
  }
};

}  // namespace

void markAllDirty(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.dirty, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
}

template <class T> void markMoved(Queue& queue, const SystemView& view, int bodySlots, const BodyMotion<T>* motions, int substeps) {
  const int items = view.componentCount > bodySlots ? view.componentCount : bodySlots;
  const double slow = 0.5 * kSlowTurn * substeps;
  if (view.componentCount > 0) forEach(queue, "joint_system/moved", items, MarkMoved<T>{view, bodySlots, motions, T(slow * slow)});
}

void markOlderDirty(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) forEach(queue, "joint_system/older", view.componentCount, MarkOlderDirty{view.dirty});
}

template <class T> void findInContact(Queue& queue, const SystemView& view, const ManifoldView<T>& manifolds) {
  if (view.componentCount == 0) return;
  fillBytes(queue, view.found, 0, static_cast<size_t>(view.componentCount) * sizeof(int));
  forEach(queue, "joint_system/in_contact", manifolds.found, manifolds.count, FindInContact<T>{view, manifolds.manifolds});
}

template <class T>
void solveJointSystem(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block, SystemPart part, int solves) {
  if (view.nodeCount == 0) return;
  const JointView<T>& joints = bodies.joints;
  const T *const velocities = reinterpret_cast<const T*>(bodies.velocities), *const inertias = reinterpret_cast<const T*>(bodies.inertias);
  const SolveSystem<T> program{
      view, bodies, block, {{joints, bodies.records, velocities, inertias, block, view.active}, laneCountOf(joints), joints.tileCount * kTileLanes},
      part, solves};
  // What hangs together in itself is solved apart from all else, unless that is so much that a block would be too narrow for it.
  if (queue.target == Target::Cuda && view.components.widestLevel <= kLevelBlockWidth) {
    return inBlocksOnCuda(queue, "joint_system/solve", view.componentCount, view.components.most, program);
  }
  inSequence(queue, "joint_system/solve", view.widestItemLevel > view.widestNodeLevel ? view.widestItemLevel : view.widestNodeLevel, view.words,
             program);
}

#define CAIRN_INSTANTIATE(T)                                                          \
  template void markMoved(Queue&, const SystemView&, int, const BodyMotion<T>*, int); \
  template void findInContact(Queue&, const SystemView&, const ManifoldView<T>&);     \
  template void solveJointSystem(Queue&, const SystemView&, const SystemBodies<T>&, const JointBlock<T>&, SystemPart, int);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
