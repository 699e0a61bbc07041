// Rows: contact points as the sweeps read them, in tiles by colour. See rows.cu.
#pragma once

#include "kernels/collide/contact_tracking.hpp"
#include "kernels/rows/tile_layout.hpp"
#include "kernels/runtime/runtime.hpp"
#include "kernels/state/views.hpp"

namespace cairn::v0 {

// Fields of a tile: the header, then kPointFields for each point. Behind them is what sweeps do not read, but for the first of a substep: the
// points' separations, then the restitution.
constexpr int kNormalField = 0;  // 0, 1, 2
constexpr int kFrictionField = 3;
constexpr int kBlockStepField = 4;     // of the simultaneous update of a manifold's normal impulses
constexpr int kFrictionStepField = 5;  // and of its friction impulses
constexpr int kToBField = 6;           // 6, 7, 8: rB - rA of all its points [m]
constexpr int kTangentField = 9;       // inv11, inv12, inv22, rho: the tangential block of all its points (TangentBlock)
constexpr int kManifoldFields = 13;

constexpr int kPointRA = 0;          // 0, 1, 2
constexpr int kPointBias = 3;        // of this substep [m/s]
constexpr int kPointNormalMass = 4;  // 1/K(n) [kg]; 0 for a point that is not there
constexpr int kPointImpulse = 5;     // lambda_n, lambda_1, lambda_2
constexpr int kPointFields = 8;
constexpr int kPointSeparation = kPointFields;  // at the collision pass [m]; behind all points' fields
constexpr int kPointNumbers = kPointFields + 1;
// The separation of a point that is not there: no body comes so far, and over a substep it is still a finite speed.
constexpr float kFarApart = 1e15f;

// Where these are, of a tile whose lanes have up to `points` points.
CAIRN_HD constexpr int sweptFields(int points) { return kManifoldFields + points * kPointFields; }
CAIRN_HD constexpr int separationField(int points, int point) { return sweptFields(points) + point; }
CAIRN_HD constexpr int restitutionField(int points) { return sweptFields(points) + points; }
CAIRN_HD constexpr int tileFields(int points) { return restitutionField(points) + 1; }

// Numbers of contact points beside their rows, for what only some settings ask for. Field f of a point: lanes of a tile side by side, on any target.
template <class T> struct PointArray {
  T* values;  // [tiles * kMaxManifoldPoints * fields * kTileLanes]; null: not in use
  int fields;
  CAIRN_HD T* at(int slot, int point, int field) const {
    const int64_t row = (static_cast<int64_t>(slot / kTileLanes) * kMaxManifoldPoints + point) * fields + field;
    return values + row * kTileLanes + slot % kTileLanes;
  }
};

// Manifolds between round shapes: the separation of a surface that rolls differs from that of the material point which touched first
// (LaneMotion in contact_sweep.hpp). Of spheres and capsules the radii alone. Of ellipsoids (their radii here are 0) the radii of curvature of A and
// of B in the tangent frame, 11, 12, 22 each [m]; and, since the contact point wanders over them as they roll, the arms at the collision pass
// (RollArms in stabilization_sweep.hpp).
constexpr int kRadius = 0;        // 0: A's, 1: B's [m]
constexpr int kRadiusFields = 2;  // what there is in a scene without ellipsoids
constexpr int kCurvature = 2;     // 2..4: A's; 5..7: B's
constexpr int kWanders = 8;       // 8: A is an ellipsoid, 9: B is; 1 or 0
constexpr int kArmAtFirst = 10;   // 10, 11, 12: rA [m]
constexpr int kToBAtFirst = 13;   // 13, 14, 15: rB - rA [m]
constexpr int kRoundFields = 16;

// Slips, for friction stabilization (kernels/solve/stabilization_sweep.hpp).
constexpr int kSlip = 0;      // 0, 1: of the anchors at the collision pass, along the tangents [m]
constexpr int kSlipKept = 2;  // 1: the point stuck; 0: there is nothing to return to
constexpr int kSlipBias = 3;  // 3, 4: speed that takes the slip back, negated, of this substep [m/s]
constexpr int kSlipCone = 5;  // friction times the last step's normal impulse [N s]
constexpr int kSlipFields = 6;

// By manifold, a number for each of its points: the normal bias and those that take slips back (0 without friction stabilization) [m/s]; any other.
template <class T> struct ManifoldBias { Vec3<T> points[kMaxManifoldPoints]; };
template <class T> struct ManifoldNumbers { T points[kMaxManifoldPoints]; };

template <class T> struct RowView : TileView {
  T* fields;
  const int* tilePoints;  // [tileCount] most points of a lane of the tile
  const int* manifold;    // [tileCount * kTileLanes]; -1: empty lane
  PointArray<T> slips;    // null without friction stabilization
  T* rounds;              // [tileCount * roundFields * kTileLanes], lanes of a tile side by side; null if no shape is round
  int roundFields;        // kRadiusFields or kRoundFields
};

// Scalars of a PointArray of these rows.
template <class T> inline size_t pointArraySize(const RowView<T>& rows, int fields) {
  return static_cast<size_t>(rows.tileCount) * kTileLanes * kMaxManifoldPoints * static_cast<size_t>(fields);
}

// What of a slot's two bodies is in an array by body; 0 for an empty lane. Manifolds say who they are, too, but lie all over memory.
template <class T> CAIRN_HD inline int flagsOfBodies(const RowView<T>& rows, int slot, const int* flags) {
  return rows.manifold[slot] < 0 ? 0 : flags[slotOf(rows.bodyA[slot])] | flags[slotOf(rows.bodyB[slot])];
}

// Address of field 0 of the slot's lane; field f lies f * strip further on.
template <class T> CAIRN_HD inline T* laneFields(const RowView<T>& rows, int slot, int strip) {
  return rows.fields + laneStart(rows, slot, strip, tileFields(rows.tilePoints[slot / kTileLanes]));
}

// One lane's fields, for kernels that run over slots on either target.
template <class T> struct SlotFields {
  T* first;
  int strip;
  CAIRN_HD SlotFields(T* firstField, int laneStrip) : first(firstField), strip(laneStrip) {}
  CAIRN_HD SlotFields(const RowView<T>& rows, int slot) : SlotFields(laneFields(rows, slot, rows.strip), rows.strip) {}
  CAIRN_HD T get(int field) const { return first[field * strip]; }
  CAIRN_HD void put(int field, T value) const { first[field * strip] = value; }
  CAIRN_HD void putVector(int field, Vec3<T> value) const {
    put(field, value.x);
    put(field + 1, value.y);
    put(field + 2, value.z);
  }
  // Of a point, along its normal and its tangents.
  CAIRN_HD Vec3<T> impulse(int point) const {
    const int base = kManifoldFields + point * kPointFields + kPointImpulse;
    return {get(base), get(base + 1), get(base + 2)};
  }
  CAIRN_HD void putImpulse(int point, Vec3<T> value) const { putVector(kManifoldFields + point * kPointFields + kPointImpulse, value); }
};

// Constraint i of manifold i: its bodies and a priority for the colouring, a hash of the shape pair. shapesEach: shapes of an environment, in each of
// which a pair has the same hash; 0: there are none.
template <class T> void describeConstraints(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants,
                                            ConstraintBodies* constraints, uint32_t* priorities, int shapesEach = 0);

// Manifolds with many points first, so that a tile's lanes have as many points as possible alike. `asleep`: by body, those of bodies that are get no
// lane; null: all are awake.
template <class T> void rowKeys(Queue& queue, const Manifold<T>* manifolds, const TileKeys& keys, const int* asleep = nullptr);

// How many lanes a pack has at the process's CPU level.
template <class T> int packLanes(Queue& queue);

// Lanes to manifolds.
template <class T> void fillTiles(Queue& queue, const Manifold<T>* manifolds, const TileFill& tiles, int* manifoldOfSlot, int* tilePoints);

// The bodies of rows. For overflow constraints they count as their parts: partCounts[body] of them each (null if there are none).
template <class T> struct RowBodies {
  const BodyVelocity<T>* velocities;
  const BodyInertia<T>* inertias;
  const T* partCounts;
};

// Geometry, effective masses and warm start impulses (may be null) of every lane.
template <class T>
void prepareRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ManifoldImpulse<T>* warmStart, const RowBodies<T>& bodies);

// The rows of bodies that turn fast (turning_rows.cu), from manifolds of the poses as they are now. Impulses start from zero, or, with kMassesTurn,
// are those of the rows.
template <class T> struct TurningRowsInput {
  const int* turning;            // by body slot: not 0 if it turns fast
  const BodyMotion<T>* motions;  // since the collision pass, which separations are counted from
};
template <class T> void prepareTurningRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const RowBodies<T>& bodies,
                                           const TurningRowsInput<T>& turning);
// Their effective masses alone, at the inertia as it is now.
template <class T> void refreshTurningMasses(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const RowBodies<T>& bodies,
                                             const TurningRowsInput<T>& turning);

// Radii of curvature where round shapes touch.
template <class T>
void prepareRounds(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ShapeRecord<T>* shapes, const BodyPose<T>* poses);

// Slips of the anchors (by manifold), along the tangents of the rows.
template <class T> void prepareSlips(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ContactAnchors<T>* anchors);

// Points of each manifold, none of one that is gone; with `shapes` none of a manifold whose shapes are not its bodies' any more (by shape slot; null:
// all count).
template <class T> void countPoints(Queue& queue, const Manifold<T>* manifolds, int count, const ShapeRecord<T>* shapes, int* points);

// The rows' impulses in the order of the manifolds, and back to the rows.
template <class T> void collectImpulses(Queue& queue, const RowView<T>& rows, ManifoldImpulse<T>* impulses);
template <class T> void storeImpulses(Queue& queue, const RowView<T>& rows, const ManifoldImpulse<T>* impulses);

// Adds the rows' normal impulses to the points' sums, an array of one field.
template <class T> void addNormalImpulses(Queue& queue, const RowView<T>& rows, const PointArray<T>& sums);

// In the order of the manifolds: the speeds that the rows ask for, and a field of a point array. Zero for points that are not there.
template <class T> void collectBiases(Queue& queue, const RowView<T>& rows, ManifoldBias<T>* biases);
template <class T> void collectField(Queue& queue, const RowView<T>& rows, const PointArray<T>& array, int field, ManifoldNumbers<T>* values);

}  // namespace cairn::v0
