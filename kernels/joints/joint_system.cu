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
// levels. Blocks of a level do not see each other; each is made by one item, which takes its sums in a fixed order.
//
// Joints that close a loop may ask for the same thing twice, or for the impossible. Loops therefore get a compliance e, A + e D with D the diagonal
// of A: a repeated demand is shared out, an impossible one stays an error, and solving again takes the part of the impulses that the compliance has
// taken off to joints that can bear it. All in double, since the masses of many bodies meet in one number.
#include "kernels/joints/joint_system.hpp"

#include "kernels/joints/joint_factor.hpp"
#include "kernels/joints/joint_limits.hpp"
#include "kernels/joints/joint_substitution.hpp"
#include "kernels/runtime/launch.hpp"

namespace cairn {
namespace {

constexpr int kMaxAttempts = 3;  // solves of a component, each with fewer active limits than the one before

template <class T> struct FindInContact {
  SystemView view;
  const Manifold<T>* manifolds;

  CAIRN_HD void mark(int body) const {
    const int component = view.componentOfBody[body];
    if (component >= 0) atomicOrInt(view.inContact + component, 1);
  }
  CAIRN_HD void operator()(int index) const {
    mark(manifolds[index].bodyA);
    mark(manifolds[index].bodyB);
  }
};
struct ActivateOutOfContact {
  SystemView view;
  CAIRN_HD void operator()(int component) const { view.active[component] = view.inContact[component] == 0 ? 1 : 0; }
};

// On the CPU false if no component is marked in both lists. Nobody waits for a device to say.
bool anyInBoth(const Queue& queue, const SystemView& view, const int* marks, const int* others) {
  if (queue.target != Target::Cpu) return true;
  for (int c = 0; c < view.componentCount; ++c) {
    if (marks[c] != 0 && others[c] != 0) return true;
  }
  return false;
}
bool anyToFactorize(const Queue& queue, const SystemView& view) { return anyInBoth(queue, view, view.active, view.dirty); }

}  // namespace

bool anyActive(const Queue& queue, const SystemView& view) { return anyInBoth(queue, view, view.active, view.active); }
void activateAll(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.active, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
}
void activateOutOfContact(Queue& queue, const SystemView& view) {
  forEach(queue, "joint_system/out_of_contact", view.componentCount, ActivateOutOfContact{view});
}
void markAllDirty(Queue& queue, const SystemView& view) {
  if (view.componentCount > 0) fillBytes(queue, view.dirty, 1, static_cast<size_t>(view.componentCount) * sizeof(int));
}

template <class T> void findInContact(Queue& queue, const SystemView& view, const ManifoldView<T>& manifolds) {
  if (view.componentCount == 0) return;
  fillBytes(queue, view.inContact, 0, static_cast<size_t>(view.componentCount) * sizeof(int));
  forEach(queue, "joint_system/in_contact", manifolds.found, manifolds.count, FindInContact<T>{view, manifolds.manifolds});
}

template <class T> void solveJointSystem(Queue& queue, const SystemView& view, const SystemBodies<T>& bodies, const JointBlock<T>& block) {
  if (!anyActive(queue, view)) return;
  if (view.limited) compareLimits(queue, view, bodies, block);
  if (anyToFactorize(queue, view)) makeSystemRows(queue, view, bodies, block);
  const int attempts = view.limited && block.store ? kMaxAttempts : 1;
  for (int attempt = 1; attempt <= attempts && anyActive(queue, view); ++attempt) {
    if (anyToFactorize(queue, view)) factorizeSystem(queue, view, bodies);
    solveFactorized(queue, view, bodies, block);
    if (attempt < attempts) findNegativeMultipliers(queue, view, bodies);
    applyAnswer(queue, view, bodies, block.store);
    if (attempt < attempts) activateChanged(queue, view);
  }
}

#define CAIRN_INSTANTIATE(T)                                                      \
  template void findInContact(Queue&, const SystemView&, const ManifoldView<T>&); \
  template void solveJointSystem(Queue&, const SystemView&, const SystemBodies<T>&, const JointBlock<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
