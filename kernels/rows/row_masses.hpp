// Effective masses of a lane's rows, and the steps of its simultaneous updates: from the geometry that the row holds and the masses of its bodies.
// One lane for a GPU thread, or a pack of them for a CPU core.
#pragma once

#include "kernels/rows/row_math.hpp"
#include "kernels/rows/rows.hpp"

namespace cairn::v0 {

// The points of a manifold update their normal impulses all at once, which keeps symmetric contacts symmetric to the last bit (a tall tower
// has no reason to lean). A simultaneous step converges if it is below 2 / (largest eigenvalue of the scaled block); Gershgorin's row sums bound
// that.
constexpr double kBlockStepSafety = 0.9;
// Rows of bodies that turn fast need the step that stops points close to each other at once: two of them, each stopped by itself, get twice the
// impulse, the next sweep takes it back, and what a substep ends with is the luck of how many sweeps there were.
constexpr double kTurningStepSafety = 0.5;

// The friction impulses of a manifold's n points are updated at once, too, by one block for all: the mean of theirs, which is four numbers a manifold
// instead of a point, in memory that sweeps read again and again. The block of all their rows is at most n times its diagonal blocks, being positive,
// and these are at most c times their mean, so a step below 2/(n c) converges; c is 1 for points alike, 1.4 for the corners of a cube on the
// ground, 1.6 for those of a thin plate. Where warm starts have momentum walls are still up to 0.8/n, and tremble at 1.2/n; at 0.6/n, with one
// relaxation, an arch slides (docs/performance.md).
constexpr double kFrictionStep = 0.8, kFrictionStepBound = 1.8;

// How many points the lane has, until the step is put there.
constexpr int kPointCountField = kFrictionStepField;

// `points`: the most of the tile's lanes. Fields: get(field) and put(field, value) of the lane.
template <class V, class T, class Fields> struct LaneMasses {
  const Fields& fields;
  int points;
  const LaneBody<V>& a;
  const LaneBody<V>& b;
  Vec3<V> normal, toB;
  V count;  // of points that are there, which come first

  CAIRN_HD LaneMasses(const Fields& laneFields, int tilePoints, const LaneBody<V>& bodyA, const LaneBody<V>& bodyB)
      : fields(laneFields),
        points(tilePoints),
        a(bodyA),
        b(bodyB),
        normal(getVector(kNormalField)),
        toB(getVector(kToBField)),
        count(fields.get(kPointCountField)) {}
  CAIRN_HD Vec3<V> getVector(int field) const { return {fields.get(field), fields.get(field + 1), fields.get(field + 2)}; }
  CAIRN_HD static int base(int point) { return kManifoldFields + point * kPointFields; }
  CAIRN_HD Vec3<V> arm(int point) const { return getVector(base(point) + kPointRA); }
  CAIRN_HD auto isThere(int point) const { return count > V(T(point)); }
  // Of an impulse along e on the speed along d, without the bodies' turning.
  CAIRN_HD V linear(Vec3<V> d, Vec3<V> e) const { return dot(d, scale(a.invMass + b.invMass, e)); }

  CAIRN_HD void putNormals(T stepSafety) const {
    const V zero = V(T(0)), one = V(T(1)), straight = linear(normal, normal);
    V largest = zero;
    for (int i = 0; i < points; ++i) {
      const Vec3<V> rA = arm(i), rB = rA + toB, armA = cross(rA, normal), armB = cross(rB, normal);
      const Vec3<V> turnA = a.invInertia * armA, turnB = b.invInertia * armB;
      const V own = straight + dot(turnA, armA) + dot(turnB, armB);
      // (r_j x n) . turn = r_j . (n x turn), and B's arms are A's and toB
      const Vec3<V> throughB = cross(normal, turnB), through = cross(normal, turnA) + throughB;
      const V common = straight + dot(toB, throughB);
      V sum = zero;
      for (int j = 0; j < points; ++j) sum += select(isThere(j), absOf(common + dot(arm(j), through)), zero);
      // Locked axes can leave the normal without any mobility: its impulse stays zero.
      const auto moves = isThere(i) & (own > zero);
      const V divisor = select(moves, own, one);
      largest = maxOf(largest, select(moves, sum / divisor, zero));
      fields.put(base(i) + kPointNormalMass, select(moves, one / divisor, zero));
    }
    const auto any = largest > zero;
    fields.put(kBlockStepField, select(any, minOf(one, V(T(2) * stepSafety) / select(any, largest, one)), one));
  }

  // A symmetric block of two rows.
  struct Sym2 {
    V k11, k12, k22;
  };
  // Each point in code of its own, so that a device has what belongs to it in registers.
  template <class Do> CAIRN_HD void forPoints(const Do& act) const {
    static_assert(kMaxManifoldPoints == 4, "a line for each");
    if (points > 0) act(0);
    if (points > 1) act(1);
    if (points > 2) act(2);
    if (points > 3) act(3);
  }

  CAIRN_HD void putTangents() const {
    Vec3<V> t1, t2;
    tangentFrame(normal, t1, t2);
    const V zero = V(T(0)), one = V(T(1)), straight11 = linear(t1, t1), straight12 = linear(t1, t2), straight22 = linear(t2, t2);
    Sym2 blocks[kMaxManifoldPoints], sum{zero, zero, zero};
    forPoints([&](int p) {
      const Vec3<V> rA = arm(p), rB = rA + toB;
      const Vec3<V> armA1 = cross(rA, t1), armA2 = cross(rA, t2), armB1 = cross(rB, t1), armB2 = cross(rB, t2);
      const Vec3<V> turnA1 = a.invInertia * armA1, turnB1 = b.invInertia * armB1;
      const auto there = isThere(p);
      Sym2& k = blocks[p];
      k.k11 = select(there, straight11 + dot(armA1, turnA1) + dot(armB1, turnB1), zero);
      k.k12 = select(there, straight12 + dot(armA2, turnA1) + dot(armB2, turnB1), zero);
      k.k22 = select(there, straight22 + dot(armA2, a.invInertia * armA2) + dot(armB2, b.invInertia * armB2), zero);
      sum.k11 += k.k11;
      sum.k12 += k.k12;
      sum.k22 += k.k22;
    });
    const V share = one / maxOf(count, one);
    const TangentBlock<V> block = tangentBlock(share * sum.k11, share * sum.k12, share * sum.k22);
    fields.put(kTangentField, block.inv11);
    fields.put(kTangentField + 1, block.inv12);
    fields.put(kTangentField + 2, block.inv22);
    fields.put(kTangentField + 3, block.rho);
    // The largest eigenvalue of a point's block against their mean, the most of all points.
    V most = one;
    forPoints([&](int p) {
      const Sym2& k = blocks[p];
      const V half = V(T(0.5)) * (block.inv11 * k.k11 + block.inv22 * k.k22) + block.inv12 * k.k12;
      const V product = (block.inv11 * block.inv22 - block.inv12 * block.inv12) * (k.k11 * k.k22 - k.k12 * k.k12);
      most = maxOf(most, half + squareRoot(maxOf(half * half - product, zero)));
    });
    fields.put(kFrictionStepField, select(count > one, share * minOf(V(T(kFrictionStep)), V(T(kFrictionStepBound)) / most), one));
  }
};

template <class T> struct PutMasses {
  RowView<T> rows;
  const T* velocities;  // BodyVelocity records
  const T* inertias;    // BodyInertia records
  const T* partCounts;  // of overflow constraints' bodies; null: there are none
  T stepSafety;

  template <class V, class Fields> CAIRN_HD void at(int slot, const Fields& fields) const {
    const int *slotsA = rows.bodyA + slot, *slotsB = rows.bodyB + slot, tile = slot / kTileLanes;
    LaneBody<V> a = gatherBody<V>(velocities, inertias, slotsA), b = gatherBody<V>(velocities, inertias, slotsB);
    if (partCounts != nullptr && tile >= rows.counts->firstOverflowTile) {
      V kA, kB;
      LaneTraits<V>::gatherOne(partCounts, slotsA, kA);
      LaneTraits<V>::gatherOne(partCounts, slotsB, kB);
      a = partOf(a, kA);
      b = partOf(b, kB);
    }
    const LaneMasses<V, T, Fields> masses(fields, rows.tilePoints[tile], a, b);
    masses.putNormals(stepSafety);
    masses.putTangents();
  }
};

}  // namespace cairn::v0
