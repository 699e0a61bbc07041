// Rows: from manifolds and their colours to tiles of rows.
//
// In: manifolds, colours, warm start impulses, velocities and inverse masses. Out: RowView. Every manifold becomes one lane; the lanes of a colour
// fill tiles (tile_layout.cu), those with the most points first, so that a tile of spheres stores one point a lane and a tile of boxes four.
// A row is kept compact (geometry and effective masses, no Jacobian and no M^-1 J^T): sweeps read 32 bytes a point and 52 a manifold in float,
// since they are bound by memory on a GPU. Order within a colour is that of the manifolds (stable sort), so the result does not depend on threads.
#include "kernels/rows/rows.hpp"

#include "kernels/collide/collide_ellipsoid.hpp"
#include "kernels/collide/revolved_solid.hpp"
#include "kernels/rows/lane_launch.hpp"
#include "kernels/rows/prepare_row.hpp"
#include "kernels/state/integration.hpp"

CAIRN_CPU_PASSES(preparePass)

namespace cairn::v0 {
namespace {

template <class T> struct DescribeConstraint {
  const Manifold<T>* manifolds;
  const BodyConstants<T>* constants;
  ConstraintBodies* constraints;
  uint32_t* priorities;
  int shapesEach;

  CAIRN_HD uint32_t placeOf(int shape) const { return static_cast<uint32_t>(shapesEach == 0 ? shape : shape % shapesEach); }
  CAIRN_HD void operator()(int i) const {
    const Manifold<T>& m = manifolds[i];
    constraints[i] = {encodedBody(constants, m.bodyA), encodedBody(constants, m.bodyB)};
    priorities[i] = mixBits(placeOf(m.shapeA) * 0x9e3779b9u ^ mixBits(placeOf(m.shapeB)));
  }
};

static_assert(kMaxManifoldPoints <= kClassesInColour, "a class for each number of points");

template <class T> struct RowKey {
  const Manifold<T>* manifolds;
  TileKeys keys;
  const int* asleep;

  CAIRN_HD void operator()(int i) const {
    if (!keys.holds(i)) return;
    const Manifold<T>& m = manifolds[i];
    if (asleep != nullptr && asleep[m.bodyA] != 0) return keys.skip(i);  // A is always dynamic, and B sleeps as well or is fixed
    keys.put(i, kMaxManifoldPoints - m.pointCount);
  }
};

template <class T> struct FillTile {
  const Manifold<T>* manifolds;
  TileFill tiles;
  int* manifoldOfSlot;
  int* tilePoints;

  CAIRN_HD void operator()(int tile) const {
    if (!tiles.holds(tile)) return tiles.leaveOut(tile);
    const TilePlace place = tiles.placeOf(tile);
    for (int lane = 0; lane < kTileLanes; ++lane) fillSlot(place, tile * kTileLanes + lane);
    end(tile, place);
  }
  CAIRN_HD void fillSlot(TilePlace place, int slot) const { manifoldOfSlot[slot] = tiles.fill(place, slot); }
  CAIRN_HD void end(int tile, TilePlace place) const {
    tilePoints[tile] = manifolds[tiles.order[place.first]].pointCount;
    tiles.end(tile, place, tileFields(tilePoints[tile]));
  }
};
// The same with an item a slot. On a device a thread that goes through a tile alone waits for memory at each of its lanes.
template <class T> struct FillSlot {
  FillTile<T> of;

  CAIRN_HD void operator()(int slot) const {
    const int tile = slot / kTileLanes;
    const bool first = slot % kTileLanes == 0, held = of.tiles.holds(tile);
    if (!held && first) of.tiles.leaveOut(tile);
    if (!held) return;
    const TilePlace place = of.tiles.placeOf(tile);
    of.fillSlot(place, slot);
    if (first) of.end(tile, place);
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
  // Of a cylinder or cone the mean of its points'.
  CAIRN_HD T radiusOf(const ShapeRecord<T>& shape, const Manifold<T>& m, bool ofA) const {
    if (shape.type == kSphere || shape.type == kCapsule) return shape.size.x;
    if (!isRevolved(shape.type)) return T(0);
    T sum = T(0);
    for (int p = 0; p < m.pointCount; ++p) sum += rollingRadius(shape, poses[shape.body].q, m.normal, ofA ? m.points[p].rA : m.points[p].rB);
    return sum / T(m.pointCount);
  }

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) {
      for (int f = 0; f < rows.roundFields; ++f) *field(slot, f) = T(0);
      return;
    }
    const Manifold<T>& m = manifolds[index];
    const ShapeRecord<T>& a = shapes[m.shapeA];
    const ShapeRecord<T>& b = shapes[m.shapeB];
    *field(slot, kRadius) = radiusOf(a, m, true);
    *field(slot, kRadius + 1) = radiusOf(b, m, false);
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

template <class T> struct AddNormalImpulse {
  RowView<T> rows;
  PointArray<T> sums;

  CAIRN_HD void operator()(int slot) const {
    if (rows.manifold[slot] < 0) return;
    const SlotFields<T> fields(rows, slot);
    for (int p = 0; p < rows.tilePoints[slot / kTileLanes]; ++p) *sums.at(slot, p, 0) += fields.impulse(p).x;
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

// On the CPU too rows may be laid out as a device has them: then lanes are prepared one by one.
template <class T> bool inPacks(const Queue& queue, const RowView<T>& rows) { return queue.target == Target::Cpu && rows.strip == kStripOnCpu; }

}  // namespace

template <class T> void describeConstraints(Queue& queue, const ManifoldView<T>& manifolds, const BodyConstants<T>* constants,
                                            ConstraintBodies* constraints, uint32_t* priorities, int shapesEach) {
  forEach(queue, "contact_graph/constraints", manifolds.found, manifolds.count,
          DescribeConstraint<T>{manifolds.manifolds, constants, constraints, priorities, shapesEach});
}

template <class T> void rowKeys(Queue& queue, const Manifold<T>* manifolds, const TileKeys& keys, const int* asleep) {
  forEach(queue, "rows/keys", keys.range.bound, RowKey<T>{manifolds, keys, asleep});
}

template <class T> void fillTiles(Queue& queue, const Manifold<T>* manifolds, const TileFill& tiles, int* manifoldOfSlot, int* tilePoints) {
  const FillTile<T> fill{manifolds, tiles, manifoldOfSlot, tilePoints};
  if (queue.target == Target::Cuda) return forEach(queue, "rows/tiles", int64_t(tiles.tileCount) * kTileLanes, FillSlot<T>{fill});
  forEach(queue, "rows/tiles", tiles.tileCount, fill, kLightGrain / kTileLanes);
}

template <class T> void prepareRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const ManifoldImpulse<T>* warmStart,
                                    const RowBodies<T>& bodies) {
  PrepareRow<T> prepare = prepareFor(rows, manifolds, bodies, kBlockStepSafety);
  prepare.warmStart = warmStart;
  queue.label = "rows/prepare";
  if (inPacks(queue, rows)) return runOnCpu<PreparePasses>(preparePassHere, *queue.team, PrepareTiles<T>{&prepare});
  overLanes(queue, "rows/prepare", rows, prepare);
}

template <class T> int packLanes(Queue& queue) {
  int lanes = 1;
  runOnCpu<PreparePasses>(preparePassHere, *queue.team, CountPackLanes<T>{&lanes});
  return lanes;
}

template <class T> void prepareTurningRows(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const RowBodies<T>& bodies,
                                           const TurningRowsInput<T>& turning) {
  const PrepareRow<T> prepare = prepareFor(rows, manifolds, bodies, kTurningStepSafety);
  const PrepareTurningRow<T> row{prepare, turning};
  queue.label = "rows/prepare_turning";
  if (inPacks(queue, rows)) return runOnCpu<PreparePasses>(preparePassHere, *queue.team, PrepareTurningTiles<T>{&row});
  overLanes(queue, "rows/prepare_turning", rows, row, kLightGrain / 8);
}

template <class T> void refreshTurningMasses(Queue& queue, const RowView<T>& rows, const Manifold<T>* manifolds, const RowBodies<T>& bodies,
                                             const TurningRowsInput<T>& turning) {
  const PrepareRow<T> prepare = prepareFor(rows, manifolds, bodies, kTurningStepSafety);
  const RefreshTurningMass<T> row{prepare, turning.turning};
  queue.label = "rows/turning_masses";
  if (inPacks(queue, rows)) return runOnCpu<PreparePasses>(preparePassHere, *queue.team, RefreshTurningTiles<T>{&row});
  overLanes(queue, "rows/turning_masses", rows, row, kLightGrain / 8);
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

template <class T> void addNormalImpulses(Queue& queue, const RowView<T>& rows, const PointArray<T>& sums) {
  overLanes(queue, "rows/add_normals", rows, AddNormalImpulse<T>{rows, sums});
}

template <class T> void collectBiases(Queue& queue, const RowView<T>& rows, ManifoldBias<T>* biases) {
  overLanes(queue, "rows/collect_biases", rows, CollectBias<T>{rows, biases});
}

template <class T> void collectField(Queue& queue, const RowView<T>& rows, const PointArray<T>& array, int field, ManifoldNumbers<T>* values) {
  overLanes(queue, "rows/collect_field", rows, CollectField<T>{rows, array, field, values});
}

#define CAIRN_INSTANTIATE(T)                                                                                                          \
  template void describeConstraints(Queue&, const ManifoldView<T>&, const BodyConstants<T>*, ConstraintBodies*, uint32_t*, int);      \
  template void rowKeys(Queue&, const Manifold<T>*, const TileKeys&, const int*);                                                     \
  template void fillTiles(Queue&, const Manifold<T>*, const TileFill&, int*, int*);                                                   \
  template int packLanes<T>(Queue&);                                                                                                  \
  template void prepareRows(Queue&, const RowView<T>&, const Manifold<T>*, const ManifoldImpulse<T>*, const RowBodies<T>&);           \
  template void prepareTurningRows(Queue&, const RowView<T>&, const Manifold<T>*, const RowBodies<T>&, const TurningRowsInput<T>&);   \
  template void refreshTurningMasses(Queue&, const RowView<T>&, const Manifold<T>*, const RowBodies<T>&, const TurningRowsInput<T>&); \
  template void prepareRounds(Queue&, const RowView<T>&, const Manifold<T>*, const ShapeRecord<T>*, const BodyPose<T>*);              \
  template void prepareSlips(Queue&, const RowView<T>&, const Manifold<T>*, const ContactAnchors<T>*);                                \
  template void countPoints(Queue&, const Manifold<T>*, int, const ShapeRecord<T>*, int*);                                            \
  template void collectImpulses(Queue&, const RowView<T>&, ManifoldImpulse<T>*);                                                      \
  template void storeImpulses(Queue&, const RowView<T>&, const ManifoldImpulse<T>*);                                                  \
  template void addNormalImpulses(Queue&, const RowView<T>&, const PointArray<T>&);                                                   \
  template void collectBiases(Queue&, const RowView<T>&, ManifoldBias<T>*);                                                           \
  template void collectField(Queue&, const RowView<T>&, const PointArray<T>&, int, ManifoldNumbers<T>*);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::v0
