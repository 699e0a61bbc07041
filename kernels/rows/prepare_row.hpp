// A lane's row from its manifold: on a device by a thread, on the CPU a tile's lanes one by one and then their masses in packs.
#pragma once

#include "kernels/rows/row_masses.hpp"
#include "kernels/runtime/cpu_passes.hpp"
#include "kernels/state/integration.hpp"

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
  CAIRN_HD void fill(int slot) const { fill(slot, SlotFields<T>(rows, slot)); }
  CAIRN_HD void fill(int slot, const SlotFields<T>& fields) const {
    const int index = rows.manifold[slot], tilePoints = rows.tilePoints[slot / kTileLanes];
    const int points = index < 0 ? 0 : int(manifolds[index].pointCount);
    const Vec3<T> zero{T(0), T(0), T(0)};
    if (index < 0) {
      // Any unit normal serves an empty lane: all its impulses stay zero.
      fields.putVector(kNormalField, {T(0), T(1), T(0)});
      fields.putVector(kToBField, zero);
      fields.put(kFrictionField, T(0));
      fields.put(restitutionField(tilePoints), T(0));
    } else {
      const Manifold<T>& m = manifolds[index];
      fields.putVector(kNormalField, m.normal);
      fields.putVector(kToBField, m.points[0].rB - m.points[0].rA);
      fields.put(kFrictionField, m.friction);
      fields.put(restitutionField(tilePoints), m.restitution);
    }
    for (int p = 0; p < points; ++p) {
      const ManifoldPoint<T>& point = manifolds[index].points[p];
      const int base = kManifoldFields + p * kPointFields;
      fields.putVector(base + kPointRA, point.rA);
      fields.put(separationField(tilePoints, p), point.separation);
      fields.put(base + kPointBias, T(0));
      fields.putImpulse(p, warmStart == nullptr ? zero : warmStart[index].points[p]);
    }
    for (int p = points; p < tilePoints; ++p) {
      for (int f = 0; f < kPointFields; ++f) fields.put(kManifoldFields + p * kPointFields + f, T(0));
      fields.put(separationField(tilePoints, p), T(kFarApart));
    }
    putPointCount(fields, points);
  }

  // Before the masses are put anew of a row that has been filled.
  CAIRN_HD void putPointCount(int slot) const { putPointCount(SlotFields<T>(rows, slot), int(manifolds[rows.manifold[slot]].pointCount)); }
  CAIRN_HD void putMasses(int slot) const { masses.template at<T>(slot, SlotFields<T>(rows, slot)); }
  CAIRN_HD void refreshMasses(int slot) const {
    putPointCount(slot);
    putMasses(slot);
  }

 private:
  CAIRN_HD static void putPointCount(const SlotFields<T>& fields, int points) { fields.put(kPointCountField, T(points)); }
};

// The same of those whose bodies turn fast (turning_rows.cu).
template <class T> struct PrepareTurningRow {
  PrepareRow<T> prepare;
  TurningRowsInput<T> in;

  CAIRN_HD void operator()(int slot) const {
    if (!isDue(slot)) return;
    fill(slot);
    prepare.putMasses(slot);
  }
  CAIRN_HD bool isDue(int slot) const { return (flagsOfBodies(prepare.rows, slot, in.turning) & kContactsTurn) != 0; }
  CAIRN_HD void fill(int slot) const {
    const RowView<T>& rows = prepare.rows;
    const Manifold<T>& m = prepare.manifolds[rows.manifold[slot]];
    const bool keeps = (flagsOfBodies(prepare.rows, slot, in.turning) & kMassesTurn) != 0;
    const SlotFields<T> fields(rows, slot);
    Vec3<T> kept[kMaxManifoldPoints];
    for (int p = 0; keeps && p < m.pointCount; ++p) kept[p] = fields.impulse(p);
    prepare.fill(slot);
    for (int p = 0; keeps && p < m.pointCount; ++p) fields.putImpulse(p, kept[p]);
    // Nothing has rolled yet, and no arm lags behind.
    T* rounds =
        rows.rounds == nullptr ? nullptr : rows.rounds + static_cast<int64_t>(slot / kTileLanes) * rows.roundFields * kTileLanes + slot % kTileLanes;
    for (int f = 0; rounds != nullptr && f < rows.roundFields; ++f) rounds[f * kTileLanes] = T(0);
    // Sweeps add what the bodies have moved since the collision pass (MovedSeparations in contact_sweep.hpp).
    const BodyMotion<T>& motionA = in.motions[m.bodyA];
    const BodyMotion<T>& motionB = in.motions[m.bodyB];
    const Vec3<T> toB = m.points[0].rB - m.points[0].rA;
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> rA = m.points[p].rA;
      const Vec3<T> moved = pointMotion(motionB.dp, motionB.dq, rA + toB) - pointMotion(motionA.dp, motionA.dq, rA);
      fields.put(separationField(rows.tilePoints[slot / kTileLanes], p), m.points[p].separation - dot(m.normal, moved));
    }
  }
};
// Their masses alone.
template <class T> struct RefreshTurningMass {
  PrepareRow<T> prepare;
  const int* turning;

  CAIRN_HD void operator()(int slot) const {
    if (isDue(slot)) prepare.refreshMasses(slot);
  }
  CAIRN_HD bool isDue(int slot) const { return flagsOfBodies(prepare.rows, slot, turning) != 0; }
  CAIRN_HD void fill(int slot) const { prepare.putPointCount(slot); }
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
template <class T> struct PrepareTurningTiles {
  const PrepareTurningRow<T>* row;
  void onCpu(const TeamLoop& team) const;
};
template <class T> struct RefreshTurningTiles {
  const RefreshTurningMass<T>* row;
  void onCpu(const TeamLoop& team) const;
};
// packLanes, which only this side knows.
template <class T> struct CountPackLanes {
  int* lanes;
  void onCpu(const TeamLoop& team) const;
};
template <class T> using PreparePassesIn = CpuPassList<PrepareTiles<T>, PrepareTurningTiles<T>, RefreshTurningTiles<T>, CountPackLanes<T>>;
using PreparePasses = JoinCpuPasses<PreparePassesIn<float>, PreparePassesIn<double>>::List;

}  // namespace cairn::v0
