// Rows of solid meshes follow their bodies from substep to substep.
//
// In: the step's manifolds, and how bodies have moved since. Out: the same rows with the arms of now.
//
// Contacts of solids are found once a step, for that is dear. A ring that hangs in another swings about the place where they touch, by its arm. With
// an arm of the step's beginning its weight pulls it back to where that was: as late as half a step on average, and what pulls back late drives a
// swing of angular frequency w by w^2 dt / 4 a second. A chain of eight begins with w = 50/s, so that its swings grow tenfold in a quarter of a
// second. Boxes that stand have the sign that damps.
//
// A point of contact is taken to be midway between where it has gone with the one body and where with the other: of one that sticks both are the
// same place, whichever of the two bodies it is a part of. Normals, and with them separations, stay those of the collision pass. Effective masses
// follow the arms: what sweeps with those of other arms is no projection, and can grow without end.
//
// Deterministic: one item a lane.
#include "kernels/rows/solid_rows.hpp"

#include "kernels/rows/lane_launch.hpp"
#include "kernels/rows/prepare_row.hpp"
#include "kernels/state/integration.hpp"
#include "kernels/state/mesh_view.hpp"

namespace cairn::v0 {
namespace {

// What has moved further than this part of its arm against the other body is no longer where the two touch.
constexpr double kSamePlace = 0.1;

template <class T> struct FollowSolid {
  RowView<T> rows;
  SolidRowsInput<T> in;
  PrepareRow<T> prepare;

  CAIRN_HD void operator()(int slot) const {
    const int index = rows.manifold[slot];
    if (index < 0) return;
    const Manifold<T>& m = in.manifolds[index];
    if (!isSolid(in.shapes[m.shapeA]) || !isSolid(in.shapes[m.shapeB])) return;
    if (in.turning != nullptr && ((in.turning[m.bodyA] | in.turning[m.bodyB]) & kContactsTurn) != 0) return;
    const BodyMotion<T>& a = in.motions[m.bodyA];
    const BodyMotion<T>& b = in.motions[m.bodyB];
    const Vec3<T> toBAtFirst = m.points[0].rB - m.points[0].rA;
    Vec3<T> movedA[kMaxManifoldPoints], movedB[kMaxManifoldPoints];
    bool follows = true;
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> rA = m.points[p].rA;
      movedA[p] = pointMotion(a.dp, a.dq, rA);
      movedB[p] = pointMotion(b.dp, b.dq, rA + toBAtFirst);
      if (lengthSquared(movedB[p] - movedA[p]) > T(kSamePlace * kSamePlace) * lengthSquared(rA)) follows = false;
    }
    const SlotFields<T> fields(rows, slot);
    const Vec3<T> toB = follows ? toBAtFirst + (a.dp - b.dp) : toBAtFirst;
    fields.putVector(kToBField, toB);
    for (int p = 0; p < m.pointCount; ++p) {
      const Vec3<T> atFirst = m.points[p].rA, rA = follows ? atFirst + (T(0.5) * (movedA[p] + movedB[p]) - a.dp) : atFirst;
      // Sweeps add what the points at these arms have moved since the collision pass, and it is those at the arms of then that have.
      const Vec3<T> added = pointMotion(b.dp, b.dq, rA + toB) - pointMotion(a.dp, a.dq, rA);
      fields.putVector(kManifoldFields + p * kPointFields + kPointRA, rA);
      fields.put(separationField(rows.tilePoints[slot / kTileLanes], p), m.points[p].separation + dot(m.normal, (movedB[p] - movedA[p]) - added));
    }
    prepare.refreshMasses(slot);
  }
};

}  // namespace

template <class T> void followSolids(Queue& queue, const RowView<T>& rows, const RowBodies<T>& bodies, const SolidRowsInput<T>& in) {
  overLanes(queue, "rows/solids", rows, FollowSolid<T>{rows, in, prepareFor(rows, in.manifolds, bodies, kBlockStepSafety)}, kLightGrain / 8);
}

template void followSolids(Queue&, const RowView<float>&, const RowBodies<float>&, const SolidRowsInput<float>&);
template void followSolids(Queue&, const RowView<double>&, const RowBodies<double>&, const SolidRowsInput<double>&);

}  // namespace cairn::v0
