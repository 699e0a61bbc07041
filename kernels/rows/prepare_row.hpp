// A lane's row from its manifold: on a device by a thread, on the CPU a tile's lanes one by one and then their masses in packs.
#pragma once

#include "kernels/rows/row_masses.hpp"
#include "kernels/runtime/cpu_passes.hpp"

namespace cairn::v0 {

template <class T> struct PrepareRow {
  RowView<T> rows;
  const Manifold<T>* manifolds;
  const ManifoldImpulse<T>* warmStart;  // null: impulses begin as zeros
  PutMasses<T> masses;

  CAIRN_HD void operator()(int slot) const {
    // Lanes that no pack of a partly filled tile reads stay as they are.
    if (slot % kTileLanes >= preparedLanes(slot / kTileLanes)) return;
    fill(slot);
    putMasses(slot);
  }
  CAIRN_HD int preparedLanes(int tile) const { return (rows.tileLanes[tile] + kWidestPack - 1) / kWidestPack * kWidestPack; }

  // All but the masses.
  CAIRN_HD void fill(int slot) const {
    const SlotFields<T> fields(rows, slot);
    const int index = rows.manifold[slot], tilePoints = rows.tilePoints[slot / kTileLanes];
    const int points = index < 0 ? 0 : int(manifolds[index].pointCount);
    const Vec3<T> zero{T(0), T(0), T(0)};
    if (index < 0) {
      // Any unit normal serves an empty lane: all its impulses stay zero.
      fields.putVector(kNormalField, {T(0), T(1), T(0)});
      fields.putVector(kToBField, zero);
      fields.put(kFrictionField, T(0));
      fields.put(kRestitutionField, T(0));
    } else {
      const Manifold<T>& m = manifolds[index];
      fields.putVector(kNormalField, m.normal);
      fields.putVector(kToBField, m.points[0].rB - m.points[0].rA);
      fields.put(kFrictionField, m.friction);
      fields.put(kRestitutionField, m.restitution);
    }
    fields.put(kFrictionStepField, frictionStep<T>(points));
    for (int p = 0; p < points; ++p) {
      const ManifoldPoint<T>& point = manifolds[index].points[p];
      const int base = kManifoldFields + p * kPointFields;
      fields.putVector(base + kPointRA, point.rA);
      fields.put(base + kPointSeparation, point.separation);
      fields.put(base + kPointBias, T(0));
      fields.putImpulse(p, warmStart == nullptr ? zero : warmStart[index].points[p]);
    }
    for (int p = points; p < tilePoints; ++p) {
      for (int f = 0; f < kPointFields; ++f) fields.put(kManifoldFields + p * kPointFields + f, T(0));
      fields.put(kManifoldFields + p * kPointFields + kPointSeparation, T(1));
    }
    markPoints(fields, points);
  }

  // The masses alone, of a row that has been filled.
  CAIRN_HD void refreshMasses(int slot) const {
    markPoints(SlotFields<T>(rows, slot), int(manifolds[rows.manifold[slot]].pointCount));
    putMasses(slot);
  }

 private:
  CAIRN_HD void putMasses(int slot) const { masses.template at<T>(slot, SlotFields<T>(rows, slot)); }
  CAIRN_HD static void markPoints(const SlotFields<T>& fields, int points) {
    for (int p = 0; p < points; ++p) fields.put(kManifoldFields + p * kPointFields + kPointIsThere, T(1));
  }
};

template <class T>
inline PrepareRow<T> prepareFor(const RowView<T>& rows, const Manifold<T>* manifolds, const RowBodies<T>& bodies, double stepSafety) {
  PrepareRow<T> prepare{};
  prepare.rows = rows;
  prepare.manifolds = manifolds;
  prepare.masses.rows = rows;
  prepare.masses.velocities = reinterpret_cast<const T*>(bodies.velocities);
  prepare.masses.inertias = reinterpret_cast<const T*>(bodies.inertias);
  prepare.masses.partCounts = bodies.partCounts;
  prepare.masses.stepSafety = T(stepSafety);
  return prepare;
}

// The CPU's side, in prepare_row_cpu.cpp: compiled by the host compiler for each CPU level.
template <class T> struct PrepareTiles {
  const PrepareRow<T>* prepare;
  void onCpu(const TeamLoop& team) const;
};
using PreparePasses = CpuPassList<PrepareTiles<float>, PrepareTiles<double>>;

}  // namespace cairn::v0
