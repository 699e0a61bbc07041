// Torsional and rolling friction: what they need of a step's manifolds, and what the next step needs of theirs.
//
// In: rows' layout, manifolds, materials by shape, the last step's angular impulses. Out: RollingView, which the sweeps read and write
// (kernels/solve/rolling_sweep.hpp). A contact's angular impulse is one vector in world axes, so that neither a normal that turns nor another frame
// of tangents changes it.
//
// Deterministic: one item a lane. Memory: 32 bytes a manifold in float, and 28 for what is remembered.
#include "kernels/rows/rolling_rows.hpp"

#include "kernels/rows/lane_launch.hpp"

namespace cairn::v0 {
namespace {

template <class T> struct PrepareRolling {
  RowView<T> rows;
  RollingView<T> rolling;
  const Manifold<T>* manifolds;
  const RollingMaterial<T>* materials;  // null: none has any left
  RollingMemory<T> memory;

  CAIRN_HD static T larger(T a, T b) { return a > b ? a : b; }
  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    Vec3<T> impulse{T(0), T(0), T(0)};
    RollingMaterial<T> mixed{T(0), T(0)};
    if (index >= 0 && materials != nullptr) {
      const RollingMaterial<T> a = materials[manifolds[index].shapeA], b = materials[manifolds[index].shapeB];
      mixed = {larger(a.torsional, b.torsional), larger(a.rolling, b.rolling)};
      const int before = memory.before == nullptr ? -1 : memory.before[index];
      if (before >= 0) impulse = memory.impulses[before];
    }
    *rolling.at(slot, kRollingRadius) = mixed.rolling;
    *rolling.at(slot, kTorsionalRadius) = mixed.torsional;
    *rolling.at(slot, kAngularImpulse) = impulse.x;
    *rolling.at(slot, kAngularImpulse + 1) = impulse.y;
    *rolling.at(slot, kAngularImpulse + 2) = impulse.z;
  }
};

template <class T> struct CarryRolling {
  RollingMemory<T> memory;
  Vec3<T>* impulses;

  CAIRN_HD void operator()(int i) const {
    const int before = memory.before == nullptr ? -1 : memory.before[i];
    const Vec3<T> none{T(0), T(0), T(0)};
    impulses[i] = before < 0 ? none : memory.impulses[before];
  }
};

template <class T> struct CollectRolling {
  RowView<T> rows;
  RollingView<T> rolling;
  Vec3<T>* impulses;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    impulses[index] = {*rolling.at(slot, kAngularImpulse), *rolling.at(slot, kAngularImpulse + 1), *rolling.at(slot, kAngularImpulse + 2)};
  }
};

template <class T> struct KeepRolling {
  const Vec3<T>* impulses;
  const StepStatus* status;
  Vec3<T>* kept;

  CAIRN_HD void operator()(int i) const {
    if (status->failed == 0) kept[i] = impulses[i];
  }
};

}  // namespace

template <class T> void prepareRolling(Queue& queue, const RowView<T>& rows, const RollingView<T>& rolling, const Manifold<T>* manifolds,
                                       const RollingMaterial<T>* materials, const RollingMemory<T>& memory) {
  overLanes(queue, "rows/rolling", rows, PrepareRolling<T>{rows, rolling, manifolds, materials, memory});
}

template <class T> void collectRolling(Queue& queue, const RowView<T>& rows, const RollingView<T>& rolling, const ManifoldView<T>& manifolds,
                                       const RollingMemory<T>& memory, Vec3<T>* impulses) {
  forEach(queue, "contact_tracking/carry_rolling", manifolds.found, manifolds.count, CarryRolling<T>{memory, impulses});
  if (rolling.values != nullptr) overLanes(queue, "contact_tracking/rolling", rows, CollectRolling<T>{rows, rolling, impulses});
}

template <class T>
void keepRolling(Queue& queue, const ManifoldView<T>& manifolds, const Vec3<T>* impulses, const StepStatus* status, Vec3<T>* kept) {
  forEach(queue, "contact_tracking/keep_rolling", manifolds.found, manifolds.count, KeepRolling<T>{impulses, status, kept});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                 \
  template void prepareRolling(Queue&, const RowView<T>&, const RollingView<T>&, const Manifold<T>*, const RollingMaterial<T>*,              \
                               const RollingMemory<T>&);                                                                                     \
  template void collectRolling(Queue&, const RowView<T>&, const RollingView<T>&, const ManifoldView<T>&, const RollingMemory<T>&, Vec3<T>*); \
  template void keepRolling(Queue&, const ManifoldView<T>&, const Vec3<T>*, const StepStatus*, Vec3<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
