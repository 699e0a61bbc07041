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
// the other or a single thread goes through the trees of the elimination, as they lie in memory, makes no difference to a bit.
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
    const int passedOver = part == SystemPart::All ? kComponentAsleep : kComponentAsleep | kComponentInContact;
    view.active[component] = (view.found[component] & passedOver) == 0 ? 1 : 0;
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
struct IsToFactorize {
  const int* active;
  const int* dirty;
  CAIRN_HD bool operator()(int component) const { return active[component] != 0 && dirty[component] != 0; }
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
template <class T> void flagBy(const HostWalk& walk, const FlaggedJoints<T>& joints) { flagOffTarget(walk.queue, joints.flag); }
template <class T, class Walk> CAIRN_HD void flagBy(const Walk& walk, const FlaggedJoints<T>& joints) { walk.over(joints.lanes(), 1, joints); }

template <class T> void rightHandSideBy(const HostWalk& walk, const RightHandSide<T>& of, const FlaggedJoints<T>&) { rightHandSide(walk.queue, of); }
template <class T, class Walk> CAIRN_HD void rightHandSideBy(const Walk& walk, const RightHandSide<T>& of, const FlaggedJoints<T>& joints) {
  walk.over(joints.lanes(), 1, of);
}

// pass(node) for all nodes, level after level.
template <class Pass> struct ByLevel {
  const int* nodes;
  Pass pass;
  CAIRN_HD void operator()(int k) const { pass(nodes[k]); }
};
CAIRN_HD_AS_CALLED template <class Walk, class Pass>
CAIRN_HD void overLevels(const Walk& walk, const SystemView& view, LevelOrder order, const Pass& pass) {
  walk.levels({view.nodeLevels, view.hostNodeLevels, view.nodeLevelCount}, order, ByLevel<Pass>{view.nodesByLevel, pass});
}
// Forward and back.
CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void substituteByLevels(const Walk& walk, const SystemView& view) {
  overLevels(walk, view, LevelOrder::Ascending, ForwardSubstitute{view});
  overLevels(walk, view, LevelOrder::Descending, BackSubstitute{view});
}
template <class Pass> void runAlone(const HostWalk& walk, const Pass& pass) { runOnCpu<SystemPasses>(systemPassHere, *walk.queue.team, pass); }
template <class T> void substituteIn(const HostWalk& walk, const SystemBodies<T>&, const SystemView& view) {
  if (!walk.alone(view.widestNodeLevel)) return substituteByLevels(walk, view);
  runAlone(walk, SubstituteColumns<T>{&view});
}
template <class T, class Walk> CAIRN_HD void substituteIn(const Walk& walk, const SystemBodies<T>&, const SystemView& view) {
  substituteByLevels(walk, view);
}

// Passes over the nodes or the bodies.
template <class Body> void overSystem(const HostWalk& walk, int count, const Body& body) { runAlone(walk, SystemItems<Body>{count, &body}); }
template <class Walk, class Body> CAIRN_HD void overSystem(const Walk& walk, int count, const Body& body) { walk.over(count, kNodeGrain, body); }

CAIRN_HD_AS_CALLED template <class Walk, class T> CAIRN_HD void factorLevels(const Walk& walk, const FactorBlock<T>& factor) {
  const SystemView& view = factor.view;
  walk.levels({view.itemLevels, view.hostItemLevels, view.itemLevelCount}, LevelOrder::Ascending, factor);
}
template <class T> void factorBlocks(const HostWalk& walk, const FactorBlock<T>& factor) {
  if (!walk.alone(factor.view.widestItemLevel)) return factorLevels(walk, factor);
  runAlone(walk, FactorColumns<T>{&factor});
}
template <class Walk, class T> CAIRN_HD void factorBlocks(const Walk& walk, const FactorBlock<T>& factor) { factorLevels(walk, factor); }

template <class T> struct SolveSystem {
  SystemView view;
  SystemBodies<T> bodies;
  JointBlock<T> block;
  FlaggedJoints<T> joints;
  SystemPart part;
  int solves;

  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD bool anyActive(const Walk& walk) const {
    return walk.any(view.componentCount, IsActive{view.active});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD bool anyToFactorize(const Walk& walk) const {
    return walk.any(view.componentCount, IsToFactorize{view.active, view.dirty});
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void factorize(const Walk& walk) const {
    factorBlocks(walk, FactorBlock<T>{view, bodies});
    walk.over(view.componentCount, kLightGrain, MarkFactorFresh{view});
  }
  // view.vector := the impulses that take away the errors of the joints' rows, as `block` counts them.
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void substitute(const Walk& walk) const {
    rightHandSideBy(walk, RightHandSide<T>{view, bodies, block}, joints);
    substituteIn(walk, bodies, view);
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void solve(const Walk& walk) const {
    if (view.limited) {
      walk.over(view.nodeCount, kNodeGrain, CompareLimits<T>{view, bodies, block});
      walk.over(view.componentCount, kLightGrain, MarkChangedDirty{view});
    }
    if (anyToFactorize(walk)) overSystem(walk, view.nodeCount, MakeRows<T>{view, bodies, block});
    const int attempts = view.limited && block.store ? kMaxAttempts : 1;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
      if (anyToFactorize(walk)) factorize(walk);
      substitute(walk);
      if (attempt < attempts) walk.over(view.nodeCount, kNodeGrain, FindNegativeMultipliers<T>{view, bodies});
      overSystem(walk, view.bodyCount, ApplyImpulses<T>{view, bodies});
      if (block.store) overSystem(walk, view.nodeCount, StoreImpulses<T>{view, bodies});
      if (attempt == attempts) return;
      walk.over(view.componentCount, kLightGrain, ActivateChanged{view});
      if (!anyActive(walk)) return;
    }
  }
  CAIRN_HD_AS_CALLED template <class Walk> CAIRN_HD void operator()(const Walk& walk) const {
    walk.over(view.componentCount, kLightGrain, ActivatePart{view, part});
    for (int done = 0; done < solves; ++done) {
      if (done > 0) {
        walk.over(view.componentCount, kLightGrain, Deactivate{view.active});
        flagBy(walk, joints);
      }
      if (!anyActive(walk)) return;
      solve(walk);
    }
  }
};

}  // namespace

void markAllDirty(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.dirty, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
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
  FlagComponents<T> flag{};
  flag.view = joints;
  flag.records = bodies.records;
  flag.velocities = reinterpret_cast<const T*>(bodies.velocities);
  flag.inertias = reinterpret_cast<const T*>(bodies.inertias);
  flag.block = block;
  flag.active = view.active;
  SolveSystem<T> program{};
  program.view = view;
  program.bodies = bodies;
  program.block = block;
  program.joints = {flag, laneCountOf(joints), joints.tileCount * kTileLanes};
  program.part = part;
  program.solves = solves;
  const int widestLevel = view.widestItemLevel > view.widestNodeLevel ? view.widestItemLevel : view.widestNodeLevel;
  const int inBlock = view.nodeCount < kLevelBlockWidth ? view.nodeCount : kLevelBlockWidth;
  inSequence(queue, "joint_system/solve", widestLevel > inBlock ? widestLevel : inBlock, view.words, program);
}

#define CAIRN_INSTANTIATE(T)                                                      \
  template void findInContact(Queue&, const SystemView&, const ManifoldView<T>&); \
  template void solveJointSystem(Queue&, const SystemView&, const SystemBodies<T>&, const JointBlock<T>&, SystemPart, int);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
