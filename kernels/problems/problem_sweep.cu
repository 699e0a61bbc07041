// Projected Gauss-Seidel and Jacobi on a Delassus operator W in 3 x 3 blocks.
//
// In: W, q, friction, impulses. Out: impulses. A contact's velocity without its own impulse is summed along its row of W in the row's order, and the
// contact is then solved alone, exactly (OneContact): a fixed point of the sweep is a solution. Contacts that share a block of W have different
// colours, so a colour is one launch of independent items and the result depends neither on threads nor on the target.
#include "kernels/problems/problem_sweep.hpp"

#include "kernels/runtime/launch.hpp"

#include <cassert>

namespace cairn::v0 {
namespace {

// A row has many blocks, so that few rows are worth waking a team.
constexpr int64_t kRowGrain = 64;

template <class T> CAIRN_HD inline Vec3<T> solvedContact(const ProblemView<T>& view, int i) {
  Vec3<T> u{view.q[3 * i], view.q[3 * i + 1], view.q[3 * i + 2]};
  for (int k = view.rowStart[i]; k < view.rowStart[i + 1]; ++k) {
    const int j = view.column[k];
    if (j == i) continue;
    const T* w = view.blocks + 9 * static_cast<int64_t>(k);
    const Vec3<T> r{view.r[3 * j], view.r[3 * j + 1], view.r[3 * j + 2]};
    u.x += w[0] * r.x + w[1] * r.y + w[2] * r.z;
    u.y += w[3] * r.x + w[4] * r.y + w[5] * r.z;
    u.z += w[6] * r.x + w[7] * r.y + w[8] * r.z;
  }
  return OneContact<T>(view.blocks + 9 * static_cast<int64_t>(view.diagonal[i]), u, view.friction[i]).solve();
}

template <class T> struct SweepColour {
  ProblemView<T> view;
  int first;
  CAIRN_HD void operator()(int k) const {
    const int i = view.order[first + k];
    const Vec3<T> r = solvedContact(view, i);
    view.r[3 * i] = r.x;
    view.r[3 * i + 1] = r.y;
    view.r[3 * i + 2] = r.z;
  }
};

template <class T> struct JacobiContact {
  ProblemView<T> view;
  T damping;
  T* next;
  CAIRN_HD void operator()(int i) const {
    const Vec3<T> alone = solvedContact(view, i);
    const Vec3<T> old{view.r[3 * i], view.r[3 * i + 1], view.r[3 * i + 2]};
    const Vec3<T> r = old + damping * (alone - old);
    next[3 * i] = r.x;
    next[3 * i + 1] = r.y;
    next[3 * i + 2] = r.z;
  }
};

template <class T> struct Change {
  const T* r;
  const T* before;
  T* change;
  T* squares;
  CAIRN_HD void operator()(int i) const {
    change[i] = r[i] - before[i];
    squares[i] = change[i] * change[i];
  }
};

template <class T> struct ConjugateStep {
  T beta;
  const T* change;
  T* direction;
  T* r;
  CAIRN_HD void operator()(int i) const {
    r[i] += beta * direction[i];
    direction[i] = beta * direction[i] + change[i];
  }
};

}  // namespace

template <class T> void sweepProblem(Queue& queue, const ProblemView<T>& view) {
  assert(view.hostColourStarts[view.colourCount] == view.contacts);
  for (int c = 0; c < view.colourCount; ++c) {
    const int first = view.hostColourStarts[c];
    forEach(queue, "problem/sweep", view.hostColourStarts[c + 1] - first, SweepColour<T>{view, first}, kRowGrain);
  }
}

template <class T> void jacobiProblem(Queue& queue, const ProblemView<T>& view, T damping, T* next) {
  assert(next != view.r && damping > T(0) && damping <= T(1));
  forEach(queue, "problem/jacobi", view.contacts, JacobiContact<T>{view, damping, next}, kRowGrain);
}

template <class T> void changeOf(Queue& queue, int count, const T* r, const T* before, T* change, T* squares) {
  forEach(queue, "problem/change", count, Change<T>{r, before, change, squares});
}

template <class T> void conjugateStep(Queue& queue, int count, T beta, const T* change, T* direction, T* r) {
  forEach(queue, "problem/conjugate_step", count, ConjugateStep<T>{beta, change, direction, r});
}

#define CAIRN_INSTANTIATE(T)                                         \
  template void sweepProblem(Queue&, const ProblemView<T>&);         \
  template void jacobiProblem(Queue&, const ProblemView<T>&, T, T*); \
  template void changeOf(Queue&, int, const T*, const T*, T*, T*);   \
  template void conjugateStep(Queue&, int, T, const T*, T*, T*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
