// Rows: from manifolds and their colours to tiles of rows.
//
// In: manifolds, colours, warm start impulses, velocities and inverse masses. Out: RowView. Every manifold becomes one lane; the lanes of a colour
// fill tiles (tile_layout.cu), those with the most points first, so that a tile of spheres stores one point a lane and a tile of boxes four.
// A row is kept compact (geometry and effective masses, no Jacobian and no M^-1 J^T): 52 bytes a point and 36 a manifold in float,
// since sweeps are bound by memory on a GPU. Order within a colour is that of the manifolds (stable sort), so the result does not depend on threads.
#include "kernels/rows/rows.hpp"

#include "kernels/collide/collide_ellipsoid.hpp"
#include "kernels/rows/lane_launch.hpp"
#include "kernels/rows/row_math.hpp"
#include "kernels/state/integration.hpp"

namespace cairn {
namespace {

template <class T> struct DescribeConstraint {
  const Manifold<T>* manifolds;
  const BodyConstants<T>* constants;
  ConstraintBodies* constraints;
  uint32_t* priorities;

  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = manifolds[i];
    constraints[i] = {encodedBody(constants, m.bodyA), encodedBody(constants, m.bodyB)};
    priorities[i] = mixBits(static_cast<uint32_t>(m.shapeA) * 0x9e3779b9u ^ mixBits(static_cast<uint32_t>(m.shapeB)));
  }
};

static_assert(kMaxManifoldPoints <= kClassesInColour, "a class for each number of points");

template <class T> struct RowKey {
  const Manifold<T>* manifolds;
  TileKeys keys;

  CAIRN_HD void operator()(int i) const {
    if (keys.holds(i)) keys.put(i, kMaxManifoldPoints - manifolds[i].pointCount);
  }
};

template <class T> struct FillTile {
  const Manifold<T>* manifolds;
  TileFill tiles;
  int* manifoldOfSlot;
  int* tilePoints;

  CAIRN_HD void operator()(int tile) const {
    if (!tiles.holds(tile)) return;
    const int first = tiles.begin(tile);
    for (int lane = 0; lane < kTileLanes; ++lane) manifoldOfSlot[tile * kTileLanes + lane] = tiles.fill(tile, first, lane);
    tilePoints[tile] = manifolds[tiles.order[first]].pointCount;
    tiles.end(tile, kManifoldFields + kPointFields * tilePoints[tile]);
  }
};

// The points of a manifold update their normal impulses all at once, which keeps symmetric contacts symmetric to the last bit (a tall tower
// has no reason to lean). A simultaneous step converges if it is below 2 / (largest eigenvalue of the scaled block); Gershgorin's row sums bound
// that.
constexpr double kBlockStepSafety = 0.9;
// Rows of bodies that turn fast need the step that stops points close to each other at once: two of them, each stopped by itself, get twice the
// impulse, the next sweep takes it back, and what a substep ends with is the luck of how many sweeps there were.
constexpr double kTurningStepSafety = 0.5;

template <class T> CAIRN_HD inline T blockStep(const Manifold<T>& m, const LaneBody<T>& a, const LaneBody<T>& b, double safety) {
  const Vec3<T> d = m.normal;
  const T linear = dot(d, scale(a.invMass + b.invMass, d));
  T largest = T(0);
  for (int i = 0; i < m.pointCount; ++i) {
    const Vec3<T> armA = cross(m.points[i].rA, d), armB = cross(m.points[i].rB, d);
    const Vec3<T> turnA = a.invInertia * armA, turnB = b.invInertia * armB;
    const T own = linear + dot(turnA, armA) + dot(turnB, armB);
    // (r_j x d) . turn = r_j . (d x turn)
    const Vec3<T> throughA = cross(d, turnA), throughB = cross(d, turnB);
    T sum = T(0);
    for (int j = 0; j < m.pointCount; ++j) sum += absOf(linear + dot(m.points[j].rA, throughA) + dot(m.points[j].rB, throughB));
    if (own > T(0)) largest = maxOf(largest, sum / own);
  }
  return largest > T(0) ? minOf(T(1), T(2 * safety) / largest) : T(1);
}

// The friction impulses of a manifold's n points are updated at once, too, each towards what would stop its own point. The block of all their rows is
// at most n times its diagonal blocks, being positive, so a step below 2/n converges. Of 1.2, 1.6 and 2 over n the first leaves stacks the stillest
// (docs/performance.md).
constexpr double kFrictionStep = 1.2;
template <class T> CAIRN_HD inline T frictionStep(int points) { return points > 1 ? T(kFrictionStep) / T(points) : T(1); }

template <class T> struct PrepareRow {
  using ForAvx2 = void;

  RowView<T> rows;
  const Manifold<T>* manifolds;
  const ManifoldImpulse<T>* warmStart;
  const BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
  const T* partCounts;
  double stepSafety;

  CAIRN_HD LaneBody<T> body(int slot, bool overflow) const {
    const LaneBody<T> whole = loadBody(velocities[slot], inertias[slot]);
    return overflow ? partOf(whole, partCounts[slot]) : whole;
  }

  CAIRN_HD void operator()(int slot) const {
    // Lanes that no pack of a partly filled tile reads stay as they are.
    const int lane = slot % kTileLanes, used = rows.tileLanes[slot / kTileLanes];
    if (lane >= (used + kWidestPack - 1) / kWidestPack * kWidestPack) return;
    const SlotFields<T> fields(rows, slot);
    const auto put = [&fields](int field, T value) { fields.put(field, value); };
    const auto putVector = [put](int field, Vec3<T> value) {
      put(field, value.x);
      put(field + 1, value.y);
      put(field + 2, value.z);
    };
    const int index = rows.manifold[slot];
    const int tilePoints = rows.tilePoints[slot / kTileLanes];
    const int points = index < 0 ? 0 : int(manifolds[index].pointCount);
    const Vec3<T> zero{T(0), T(0), T(0)};
    if (index < 0) {
      // Any unit normal serves an empty lane: all its impulses stay zero.
      putVector(kNormalField, {T(0), T(1), T(0)});
      put(kFrictionField, T(0));
      put(kRestitutionField, T(0));
      put(kBlockStepField, T(0));
      put(kFrictionStepField, T(0));
      putVector(kToBField, zero);
    } else {
      putVector(kNormalField, manifolds[index].normal);
      putVector(kToBField, manifolds[index].points[0].rB - manifolds[index].points[0].rA);
      put(kFrictionField, manifolds[index].friction);
      put(kRestitutionField, manifolds[index].restitution);
    }
    for (int p = points; p < tilePoints; ++p) {
      for (int f = 0; f < kPointFields; ++f) put(kManifoldFields + p * kPointFields + f, T(0));
      put(kManifoldFields + p * kPointFields + kPointSeparation, T(1));
    }
    if (index < 0) return;

    const Manifold<T>& m = manifolds[index];
    putMasses(slot, m);
    for (int p = 0; p < points; ++p) {
      const int base = kManifoldFields + p * kPointFields;
      putVector(base + kPointRA, m.points[p].rA);
      put(base + kPointSeparation, m.points[p].separation);
      put(base + kPointBias, T(0));
      putVector(base + kPointImpulse, warmStart == nullptr ? zero : warmStart[index].points[p]);
    }
  }

  CAIRN_HD void putMasses(int slot, const Manifold<T>& m) const {
    const SlotFields<T> fields(rows, slot);
    const bool overflow = partCounts != nullptr && slot / kTileLanes >= rows.counts->firstOverflowTile;
    const LaneBody<T> a = body(m.bodyA, overflow), b = body(m.bodyB, overflow);
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    fields.put(kBlockStepField, blockStep(m, a, b, stepSafety));
    fields.put(kFrictionStepField, frictionStep<T>(m.pointCount));
    for (int p = 0; p < m.pointCount; ++p) {
      const int base = kManifoldFields + p * kPointFields;
      const Vec3<T> rA = m.points[p].rA, rB = m.points[p].rB;
      const T normalInverse = effectiveInverseMass(a, b, rA, rB, m.normal, m.normal);
      const TangentBlock<T> tangent = tangentBlock(effectiveInverseMass(a, b, rA, rB, t1, t1), effectiveInverseMass(a, b, rA, rB, t1, t2),
                                                   effectiveInverseMass(a, b, rA, rB, t2, t2));
      // Locked axes can leave the normal without any mobility: its impulse stays zero.
      fields.put(base + kPointNormalMass, normalInverse > T(0) ? T(1) / normalInverse : T(0));
      fields.put(base + kPointTangent, tangent.inv11);
      fields.put(base + kPointTangent + 1, tangent.inv12);
      fields.put(base + kPointTangent + 2, tangent.inv22);
      fields.put(base + kPointTangent + 3, tangent.rho);
    }
  }
};

template <class T> struct RefreshTurningMass {
  PrepareRow<T> prepare;
  const int* turning;

  CAIRN_HD void operator()(int slot) const {
    const int index = prepare.rows.manifold[slot];
    if (index < 0) return;
    const Manifold<T>& m = prepare.manifolds[index];
    if ((turning[m.bodyA] | turning[m.bodyB]) != 0) prepare.putMasses(slot, m);
  }
};

template <class T> struct PrepareTurningRow {
  PrepareRow<T> prepare;
  TurningRowsInput<T> in;

  CAIRN_HD void operator()(int slot) const {
    const int index = prepare.rows.manifold[slot];
    if (index < 0) return;
    const Manifold<T>& m = prepare.manifolds[index];
    if (((in.turning[m.bodyA] | in.turning[m.bodyB]) & kContactsTurn) == 0) return;
    const bool keeps = ((in.turning[m.bodyA] | in.turning[m.bodyB]) & kMassesTurn) != 0;
    const SlotFields<T> fields(prepare.rows, slot);
    Vec3<T> kept[kMaxManifoldPoints];
    for (int p = 0; keeps && p < m.pointCount; ++p) kept[p] = fields.impulse(p);
    prepare(slot);
    for (int p = 0; keeps && p < m.pointCount; ++p) fields.putImpulse(p, kept[p]);
    // Nothing has rolled yet, and no arm lags behind.
    const RowView<T>& rows = prepare.rows;
    T* rounds =
        rows.rounds == nullptr ? nullptr : rows.rounds + static_cast<int64_t>(slot / kTileLanes) * rows.roundFields * kTileLanes + slot % kTileLanes;
    for (int f = 0; rounds != nullptr && f < rows.roundFields; ++f) rounds[f * kTileLanes] = T(0);
    // Sweeps add what the bodies have moved since the collision pass (movedSeparation in contact_sweep.hpp).
    const BodyMotion<T>& motionA = in.motions[m.bodyA];
    const BodyMotion<T>& motionB = in.motions[m.bodyB];
    const Vec3<T> toB = m.points[0].rB - m.points[0].rA;
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> rA = m.points[p].rA;
      const Vec3<T> moved = pointMotion(motionB.dp, motionB.dq, rA + toB) - pointMotion(motionA.dp, motionA.dq, rA);
      fields.put(kManifoldFields + p * kPointFields + kPointSeparation, m.points[p].separation - dot(m.normal, moved));
    }
  }
};

// Radii, and of ellipsoids the radii of curvature in the tangent frame.
template <class T> struct PrepareRound {
  RowView<T> rows;
  const Manifold<T>* manifolds;
  const ShapeRecord<T>* shapes;
  const BodyPose<T>* poses;

  CAIRN_HD T* field(int slot, int f) const {
    return rows.rounds + (static_cast<int64_t>(slot / kTileLanes) * rows.roundFields + f) * kTileLanes + slot % kTileLanes;
  }
  CAIRN_HD void putVector(int slot, int f, Vec3<T> value) const {
    *field(slot, f) = value.x;
    *field(slot, f + 1) = value.y;
    *field(slot, f + 2) = value.z;
  }
  CAIRN_HD void putCurvature(int slot, int side, const ShapeRecord<T>& shape, const BodyPose<T>& pose, Vec3<T> n, Vec3<T> t1, Vec3<T> t2) const {
    Vec3<T> curvature{T(0), T(0), T(0)};
    if (shape.type == kEllipsoid) {
      const Quat<T> q = pose.q * shape.localPose.q;
      curvature = ellipsoid::curvature(shape.size, inverseRotate(q, n), inverseRotate(q, t1), inverseRotate(q, t2));
    }
    putVector(slot, kCurvature + 3 * side, curvature);
    *field(slot, kWanders + side) = shape.type == kEllipsoid ? T(1) : T(0);
  }
  CAIRN_HD static T radiusOf(const ShapeRecord<T>& shape) { return shape.type == kSphere || shape.type == kCapsule ? shape.size.x : T(0); }

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) {
      for (int f = 0; f < rows.roundFields; ++f) *field(slot, f) = T(0);
      return;
    }
    const Manifold<T>& m = manifolds[index];
    const ShapeRecord<T>& a = shapes[m.shapeA];
    const ShapeRecord<T>& b = shapes[m.shapeB];
    *field(slot, kRadius) = radiusOf(a);
    *field(slot, kRadius + 1) = radiusOf(b);
    if (rows.roundFields == kRadiusFields) return;
    Vec3<T> t1, t2;
    tangentFrame(m.normal, t1, t2);
    putCurvature(slot, 0, a, poses[m.bodyA], m.normal, t1, t2);
    putCurvature(slot, 1, b, poses[m.bodyB], m.normal, t1, t2);
    putVector(slot, kArmAtFirst, m.points[0].rA);
    putVector(slot, kToBAtFirst, m.points[0].rB - m.points[0].rA);
  }
};

template <class T> struct PrepareSlip {
  RowView<T> rows;
  const Manifold<T>* manifolds;
  const ContactAnchors<T>* anchors;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    for (int p = 0; p < rows.tilePoints[slot / kTileLanes]; ++p) {
      for (int f = 0; f < kSlipFields; ++f) *rows.slips.at(slot, p, f) = T(0);
      if (index < 0 || p >= manifolds[index].pointCount || (anchors[index].held >> p & 1) == 0) continue;
      Vec3<T> t1, t2;
      tangentFrame(manifolds[index].normal, t1, t2);
      *rows.slips.at(slot, p, kSlip) = dot(t1, anchors[index].slip[p]);
      *rows.slips.at(slot, p, kSlip + 1) = dot(t2, anchors[index].slip[p]);
      *rows.slips.at(slot, p, kSlipKept) = T(1);
      *rows.slips.at(slot, p, kSlipCone) = manifolds[index].friction * anchors[index].normalImpulse[p];
    }
  }
};

template <class T> struct CountPoints {
  const Manifold<T>* manifolds;
  const ShapeRecord<T>* shapes;
  int* points;

  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = manifolds[i];
    const bool counts = shapes == nullptr || (shapes[m.shapeA].body == m.bodyA && shapes[m.shapeB].body == m.bodyB);
    points[i] = counts && !isGone(m) ? int(m.pointCount) : 0;
  }
};

template <class T> struct CollectImpulse {
  RowView<T> rows;
  ManifoldImpulse<T>* impulses;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const SlotFields<T> fields(rows, slot);
    const int points = rows.tilePoints[slot / kTileLanes];
    ManifoldImpulse<T> impulse;
    for (int p = 0; p < kMaxManifoldPoints; ++p) impulse.points[p] = p < points ? fields.impulse(p) : Vec3<T>{T(0), T(0), T(0)};
    impulses[index] = impulse;
  }
};

template <class T> struct StoreImpulse {
  RowView<T> rows;
  const ManifoldImpulse<T>* impulses;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const SlotFields<T> fields(rows, slot);
    for (int p = 0; p < rows.tilePoints[slot / kTileLanes]; ++p) fields.putImpulse(p, impulses[index].points[p]);
  }
};

template <class T> struct CollectBias {
  RowView<T> rows;
  ManifoldBias<T>* biases;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const SlotFields<T> fields(rows, slot);
    const int points = rows.tilePoints[slot / kTileLanes];
    ManifoldBias<T> bias;
    for (int p = 0; p < kMaxManifoldPoints; ++p) {
      bias.points[p] = {T(0), T(0), T(0)};
      if (p >= points) continue;
      bias.points[p].x = fields.get(kManifoldFields + p * kPointFields + kPointBias);
      if (rows.slips.values == nullptr) continue;
      bias.points[p].y = *rows.slips.at(slot, p, kSlipBias);
      bias.points[p].z = *rows.slips.at(slot, p, kSlipBias + 1);
    }
    biases[index] = bias;
  }
};

template <class T> struct CollectField {
  RowView<T> rows;
  PointArray<T> array;
  int field;
  ManifoldNumbers<T>* values;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const int points = rows.tilePoints[slot / kTileLanes];
    ManifoldNumbers<T> numbers;
    for (int p = 0; p < kMaxManifoldPoints; ++p) numbers.points[p] = p < points ? *array.at(slot, p, field) : T(0);
    values[index] = numbers;
  }
};

}  // namespace

template <class T> void describeConstraints(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants,
                                            ConstraintBodies* constraints, uint32_t* priorities) {
  forEach(queue, "contact_graph/constraints", manifolds.found, manifolds.count,
          DescribeConstraint<T>{manifolds.manifolds, constants, constraints, priorities});
}

template <class T> void rowKeys(Queue& queue, const Manifold<T>* manifolds, const TileKeys& keys) {
  forEach(queue, "rows/keys", keys.range.bound, RowKey<T>{manifolds, keys});
}

template <class T> void fillTiles(Queue& queue, const Manifold<T>* manifolds, const TileFill& tiles, int* manifoldOfSlot, int* tilePoints) {
  forEach(queue, "rows/tiles", tiles.tileCount, FillTile<T>{manifolds, tiles, manifoldOfSlot, tilePoints}, kLightGrain / kTileLanes);
}

template <class T> void prepareRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ManifoldImpulse<T>* warmStart,
                                    const BodyVelocity<T>* velocities, const BodyInertia<T>* inertias, const T* partCounts) {
  PrepareRow<T> body{};
  body.rows = rows;
  body.manifolds = manifolds;
  body.warmStart = warmStart;
  body.velocities = velocities;
  body.inertias = inertias;
  body.partCounts = partCounts;
  body.stepSafety = kBlockStepSafety;
  overLanes(queue, "rows/prepare", rows, body, kLightGrain / 8);
}

template <class T> PrepareRow<T> prepareFor(const RowView<T>& rows, const Manifold<T>* manifolds, const BodyVelocity<T>* velocities,
                                            const BodyInertia<T>* inertias, const T* partCounts) {
  PrepareRow<T> prepare{};
  prepare.rows = rows;
  prepare.manifolds = manifolds;
  prepare.velocities = velocities;
  prepare.inertias = inertias;
  prepare.partCounts = partCounts;
  prepare.stepSafety = kTurningStepSafety;
  return prepare;
}

template <class T> void prepareTurningRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const BodyVelocity<T>* velocities,
                                           const BodyInertia<T>* inertias, const TurningRowsInput<T>& turning) {
  const PrepareRow<T> prepare = prepareFor(rows, manifolds, velocities, inertias, turning.partCounts);
  overLanes(queue, "rows/prepare_turning", rows, PrepareTurningRow<T>{prepare, turning}, kLightGrain / 8);
}

template <class T> void refreshTurningMasses(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const BodyVelocity<T>* velocities,
                                             const BodyInertia<T>* inertias, const TurningRowsInput<T>& turning) {
  const PrepareRow<T> prepare = prepareFor(rows, manifolds, velocities, inertias, turning.partCounts);
  overLanes(queue, "rows/turning_masses", rows, RefreshTurningMass<T>{prepare, turning.turning}, kLightGrain / 8);
}

template <class T>
void prepareRounds(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ShapeRecord<T>* shapes, const BodyPose<T>* poses) {
  overLanes(queue, "rows/rounds", rows, PrepareRound<T>{rows, manifolds, shapes, poses}, kLightGrain / 8);
}

template <class T> void prepareSlips(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ContactAnchors<T>* anchors) {
  overLanes(queue, "rows/slips", rows, PrepareSlip<T>{rows, manifolds, anchors}, kLightGrain / 8);
}

template <class T> void countPoints(Queue& queue, const Manifold<T>* manifolds, int count, const ShapeRecord<T>* shapes, int* points) {
  forEach(queue, "rows/count_points", count, CountPoints<T>{manifolds, shapes, points});
}

template <class T> void collectImpulses(Queue& queue, const RowView<T>& rows, ManifoldImpulse<T>* impulses) {
  overLanes(queue, "rows/collect_impulses", rows, CollectImpulse<T>{rows, impulses});
}

template <class T> void storeImpulses(Queue& queue, const RowView<T>& rows, const ManifoldImpulse<T>* impulses) {
  overLanes(queue, "rows/store_impulses", rows, StoreImpulse<T>{rows, impulses});
}

template <class T> void collectBiases(Queue& queue, const RowView<T>& rows, ManifoldBias<T>* biases) {
  overLanes(queue, "rows/collect_biases", rows, CollectBias<T>{rows, biases});
}

template <class T> void collectField(Queue& queue, const RowView<T>& rows, const PointArray<T>& array, int field, ManifoldNumbers<T>* values) {
  overLanes(queue, "rows/collect_field", rows, CollectField<T>{rows, array, field, values});
}

#define CAIRN_INSTANTIATE(T)                                                                                                                         \
  template void describeConstraints(Queue&, const ManifoldView<T>&, const BodyConstants<T>*, ConstraintBodies*, uint32_t*);                          \
  template void rowKeys(Queue&, const Manifold<T>*, const TileKeys&);                                                                                \
  template void fillTiles(Queue&, const Manifold<T>*, const TileFill&, int*, int*);                                                                  \
  template void prepareRows(Queue&, const RowView<T>&, const Manifold<T>*, const ManifoldImpulse<T>*, const BodyVelocity<T>*, const BodyInertia<T>*, \
                            const T*);                                                                                                               \
  template void prepareTurningRows(Queue&, const RowView<T>&, const Manifold<T>*, const BodyVelocity<T>*, const BodyInertia<T>*,                     \
                                   const TurningRowsInput<T>&);                                                                                      \
  template void refreshTurningMasses(Queue&, const RowView<T>&, const Manifold<T>*, const BodyVelocity<T>*, const BodyInertia<T>*,                   \
                                     const TurningRowsInput<T>&);                                                                                    \
  template void prepareRounds(Queue&, const RowView<T>&, const Manifold<T>*, const ShapeRecord<T>*, const BodyPose<T>*);                             \
  template void prepareSlips(Queue&, const RowView<T>&, const Manifold<T>*, const ContactAnchors<T>*);                                               \
  template void countPoints(Queue&, const Manifold<T>*, int, const ShapeRecord<T>*, int*);                                                           \
  template void collectImpulses(Queue&, const RowView<T>&, ManifoldImpulse<T>*);                                                                     \
  template void storeImpulses(Queue&, const RowView<T>&, const ManifoldImpulse<T>*);                                                                 \
  template void collectBiases(Queue&, const RowView<T>&, ManifoldBias<T>*);                                                                          \
  template void collectField(Queue&, const RowView<T>&, const PointArray<T>&, int, ManifoldNumbers<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
