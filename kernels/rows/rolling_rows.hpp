// Torsional and rolling friction beside a manifold's rows: its bounds and its angular impulse. See rolling_rows.cu.
#pragma once

#include "kernels/rows/rows.hpp"
#include "kernels/state/rolling_material.hpp"

namespace cairn::v0 {

constexpr int kRollingRadius = 0;    // moment about the tangents per normal impulse [m]
constexpr int kTorsionalRadius = 1;  // and about the normal [m]
constexpr int kAngularImpulse = 2;   // 2, 3, 4: on B, world axes [N m s]
constexpr int kLastAngular = 5;      // 5, 6, 7: what the substep before began with (ImpulseMomentum)
constexpr int kRollingFields = 8;

// Lanes of a tile side by side, on any target.
template <class T> struct RollingView {
  T* values = nullptr;  // [tiles * kRollingFields * kTileLanes]; null: no shape has such friction
  CAIRN_HD T* at(int slot, int field) const {
    return values + (static_cast<int64_t>(slot / kTileLanes) * kRollingFields + field) * kTileLanes + slot % kTileLanes;
  }
};

// What a manifold's angular impulse was at the end of the last step: that of the remembered manifold it goes on from.
template <class T> struct RollingMemory {
  const int* before = nullptr;        // by manifold; -1: none. Null: nothing is remembered
  const Vec3<T>* impulses = nullptr;  // by remembered manifold
};

// Bounds, and the impulses to start from. `materials`: by shape slot.
template <class T> void prepareRolling(Queue& queue, const RowView<T>& rows, const RollingView<T>& rolling, const Manifold<T>* manifolds,
                                       const RollingMaterial<T>* materials, const RollingMemory<T>& memory);

// What the next step goes on from, by manifold: of those in rows their impulses, of others (their bodies sleep) what they had.
template <class T> void collectRolling(Queue& queue, const RowView<T>& rows, const RollingView<T>& rolling, const ManifoldView<T>& manifolds,
                                       const RollingMemory<T>& memory, Vec3<T>* impulses);
// The same in the memory's place, of a planned step if it was done.
template <class T> void keepRolling(Queue& queue, const ManifoldView<T>& manifolds, const Vec3<T>* impulses, const StepStatus* status, Vec3<T>* kept);

}  // namespace cairn::v0
