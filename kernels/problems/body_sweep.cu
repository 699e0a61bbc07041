// Projected Gauss-Seidel without W: velocities of bodies carry what contacts do to each other.
//
// In: H, M^-1 H, w, friction, impulses and the velocities that belong to them. Out: impulses and velocities. A contact's velocity is computed from
// its bodies' velocities, the contact is solved alone exactly (OneContact with W_ii), and the change of its impulse is applied to its bodies.
// Contacts that share a body have different colours, so the result depends neither on threads nor on the target.
#include "kernels/problems/body_sweep.hpp"

#include "kernels/runtime/launch.hpp"

#include <cassert>

namespace cairn::v0 {
namespace {

constexpr int64_t kContactGrain = 256;

template <class T> CAIRN_HD inline void applyChange(const BodyProblemView<T>& view, int i, Vec3<T> change) {
  for (int arm = view.armStart[i]; arm < view.armStart[i + 1]; ++arm) {
    T* v = view.v + view.firstDof[arm];
    const T* z = view.response + 3 * kBodyDofs * static_cast<int64_t>(arm);
    for (int d = 0; d < kBodyDofs; ++d) v[d] += z[3 * d] * change.x + z[3 * d + 1] * change.y + z[3 * d + 2] * change.z;
  }
}

template <class T> struct SweepBodies {
  BodyProblemView<T> view;
  int first;
  CAIRN_HD void operator()(int k) const {
    const int i = view.order[first + k];
    Vec3<T> u{view.w[3 * i], view.w[3 * i + 1], view.w[3 * i + 2]};
    for (int arm = view.armStart[i]; arm < view.armStart[i + 1]; ++arm) {
      const T* v = view.v + view.firstDof[arm];
      const T* h = view.jacobian + 3 * kBodyDofs * static_cast<int64_t>(arm);
      for (int d = 0; d < kBodyDofs; ++d) u += v[d] * Vec3<T>{h[3 * d], h[3 * d + 1], h[3 * d + 2]};
    }
    const T* w = view.diagonal + 9 * static_cast<int64_t>(i);
    const Vec3<T> old{view.r[3 * i], view.r[3 * i + 1], view.r[3 * i + 2]};
    const Vec3<T> without{u.x - (w[0] * old.x + w[1] * old.y + w[2] * old.z), u.y - (w[3] * old.x + w[4] * old.y + w[5] * old.z),
                          u.z - (w[6] * old.x + w[7] * old.y + w[8] * old.z)};
    const Vec3<T> fresh = OneContact<T>(w, without, view.friction[i]).solve();
    view.r[3 * i] = fresh.x;
    view.r[3 * i + 1] = fresh.y;
    view.r[3 * i + 2] = fresh.z;
    applyChange(view, i, fresh - old);
  }
};

template <class T> struct AddImpulse {
  BodyProblemView<T> view;
  const T* change;
  int first;
  CAIRN_HD void operator()(int k) const {
    const int i = view.order[first + k];
    const Vec3<T> c{change[3 * i], change[3 * i + 1], change[3 * i + 2]};
    view.r[3 * i] += c.x;
    view.r[3 * i + 1] += c.y;
    view.r[3 * i + 2] += c.z;
    applyChange(view, i, c);
  }
};

}  // namespace

template <class T> void sweepBodies(Queue& queue, const BodyProblemView<T>& view) {
  assert(view.hostColourStarts[view.colourCount] == view.contacts);
  for (int c = 0; c < view.colourCount; ++c) {
    const int first = view.hostColourStarts[c];
    forEach(queue, "problem/sweep_bodies", view.hostColourStarts[c + 1] - first, SweepBodies<T>{view, first}, kContactGrain);
  }
}

template <class T> void addImpulses(Queue& queue, const BodyProblemView<T>& view, const T* change) {
  for (int c = 0; c < view.colourCount; ++c) {
    const int first = view.hostColourStarts[c];
    forEach(queue, "problem/add_impulses", view.hostColourStarts[c + 1] - first, AddImpulse<T>{view, change, first}, kContactGrain);
  }
}

template void sweepBodies(Queue&, const BodyProblemView<float>&);
template void sweepBodies(Queue&, const BodyProblemView<double>&);
template void addImpulses(Queue&, const BodyProblemView<float>&, const float*);
template void addImpulses(Queue&, const BodyProblemView<double>&, const double*);

}  // namespace cairn::v0
